import json
from dataclasses import replace

import numpy as np
import pytest
from projects_made import quiet
from stored_made import ids_of, write_long
from stored_projects import SIZE, files_of, make_stored

import satc
from made import make
from satc.errors import DataError
from satc.ranking.documents import apply_model
from satc.scale.window import fetch_best_unheld
from satc.validation import Validation
from satc.workbench.model.settings import Settings
from satc.workbench.model.subset_origin import SubsetOrigin
from satc.workbench.project import extension
from satc.workbench.project.best_part import BestPartSource
from satc.workbench.project.certificate import certify_project
from satc.workbench.project.history import read_history
from satc.workbench.review.desk import Desk
from satc.workbench.review.dispatch import FETCHING
from satc.workbench.review.open_projects import OpenProjects
from satc.workbench.store import StoreError, open_store
from satc.workbench.store.documents import ids_of as stored_ids
from satc.workbench.store.documents import iter_documents
from satc.workbench.store.predictions import read_decided

pytestmark = pytest.mark.slow


@pytest.fixture
def opened(tmp_path):
    stores = []

    def opening(location):
        stores.append(open_store(location))
        desks = OpenProjects(stores[-1], estimating=False)
        return desks.open(desks.names()[0])

    yield opening
    for store in stores:
        store.close()


def work(project, made, times):
    """Decide as the truth is; return the numbers of the documents, in order."""
    desk, order = project.desk, []
    row = {identity: i for i, identity in enumerate(ids_of(len(made.scores)))}
    while len(order) < times:
        lease, reason = desk.next("ada")
        if reason == FETCHING:
            project.growth.wait()
            continue
        if lease is None:
            break
        i = row[document_id(desk, lease.document)]
        desk.submit(lease.lease, "ada", np.flatnonzero(made.y_true[i]).tolist(), 1.0)
        order.append(i)
    return order


def document_id(desk, position):
    from satc.workbench.store.documents import get_document

    return get_document(desk.store, desk.project.key, position).id


def order_in_memory(made, **options):
    validation = satc.Validation(made.scores, **made.training, **options)
    while (best := validation.next()) is not None:
        validation.submit(best, made.y_true[best])
    return validation


@pytest.mark.parametrize(
    ("location", "method", "average", "form"),
    [
        ("sqlite", "contextual-dynamic", "macro", "long"),
        ("postgresql", "contextual-dynamic", "macro", "long"),
        ("sqlite", "contextual-dynamic", "micro", "wide"),
        ("postgresql", "u-theoretic-dynamic", "macro", "wide"),
        ("sqlite", "u-theoretic", "macro", "long"),
    ],
    indirect=["location"],
)
def test_the_order_is_that_of_a_project_that_holds_everything(
    opened, location, tmp_path, method, average, form
):
    made = make(90, 5, seed=4, tied=True)
    make_stored(made, tmp_path, location, form, method=method, average=average)
    project = opened(location)
    memory = order_in_memory(made, method=method, average=average)
    assert project.desk.project.n_documents == SIZE
    assert work(project, made, 90) == memory.order.tolist()
    assert project.desk.project.n_documents == 90


def whole_in_memory(made, folder, form, absent=None, **settings):
    """All documents in memory, with the cuts and tables of the stored set."""
    folder.mkdir()
    stored = files_of(made, folder, form, SIZE, absent)
    write_long(folder / "oof", made.oof_scores, files=1, shuffled=False)
    chosen = Settings("Claims", **settings)
    oof = folder / "oof" / "0.parquet"
    source = BestPartSource(stored, oof, folder / "train.jsonl", chosen)
    model = source.prepare(quiet).whole.model
    return Validation.of(apply_model(model, made.scores))


@pytest.mark.parametrize(
    ("location", "method", "average", "form", "absent"),
    [
        ("sqlite", "contextual-dynamic", "macro", "long", None),
        ("postgresql", "contextual-dynamic", "micro", "wide", None),
        ("sqlite", "u-theoretic-dynamic", "macro", "wide", None),
        ("postgresql", "contextual-dynamic", "macro", "wide", 0.3),
        ("sqlite", "u-theoretic-dynamic", "macro", "wide", 0.3),
    ],
    indirect=["location"],
)
def test_chosen_labels_come_from_the_cuts_of_the_whole_set(
    opened, location, tmp_path, method, average, form, absent
):
    made = make(90, 5, seed=4, tied=absent is None)
    if absent is not None:
        made = made._replace(scores=np.maximum(made.scores, -absent))
    settings = {"method": method, "average": average, "measure": "f2", "decide": "measure"}
    memory = whole_in_memory(made, tmp_path / "memory", form, absent, **settings)
    chosen = memory.labels
    assert (chosen != (made.scores >= 0)).any()
    assert not (chosen & (made.scores == -(absent or np.inf))).any()
    make_stored(made, tmp_path, location, form, absent=absent, **settings)
    project, order = opened(location), []
    row = {identity: i for i, identity in enumerate(ids_of(90))}
    while len(order) < 90:
        order += work(project, made, 45)
        project.growth.wait()
        desk = project.desk
        rows = [row[identity] for identity in stored_ids(desk.store, desk.project.key)]
        for labels in (desk.validation.documents.decided, read_decided(desk.store, desk.project)):
            np.testing.assert_array_equal(labels, chosen[rows])
        desk.store.close()
        project = opened(location)
    for i in order:
        assert memory.next() == i
        memory.submit(i, made.y_true[i])


def test_the_accuracy_of_chosen_labels_is_that_of_the_whole_set(opened, tmp_path, monkeypatch):
    monkeypatch.setattr("satc.workbench.review.accuracy.live._ESTIMATE_SECONDS", 0.0)
    made = make(90, 5, seed=4)
    settings = {"decide": "measure"}
    memory = whole_in_memory(made, tmp_path / "memory", "long", **settings)
    make_stored(made, tmp_path, tmp_path / "c.satc", **settings)
    project = opened(tmp_path / "c.satc")
    project.live_accuracy.prepare()
    for _ in range(2):
        found, expected = project.live_accuracy.latest().macro, memory.accuracy()
        assert found.value == pytest.approx(expected.value, abs=1e-9)
        assert (found.low, found.high) == pytest.approx((expected.low, expected.high), abs=1e-9)
        for i in work(project, made, 10):
            memory.submit(i, made.y_true[i])


def test_a_project_that_has_grown_is_reopened_as_it_was_left(opened, tmp_path):
    made = make(90, 5, seed=4)
    path = tmp_path / "claims.satc"
    make_stored(made, tmp_path, path)
    memory = order_in_memory(made, method="contextual-dynamic").order.tolist()
    first = opened(path)
    assert work(first, made, 40) == memory[:40]
    first.growth.wait()
    held = first.desk.project.n_documents
    assert SIZE < held <= 90
    first.desk.store.close()
    second = opened(path)
    assert second.desk.project.n_documents == held
    assert second.desk.validation.order.tolist() == first.desk.validation.order.tolist()
    assert work(second, made, 50) == memory[40:]


@pytest.mark.parametrize("seed", [0, 5, 9])
def test_decisions_that_are_made_during_a_look_count(opened, tmp_path, monkeypatch, seed):
    made = make(120, 5, seed=seed)
    make_stored(made, tmp_path, tmp_path / "c.satc", method="u-theoretic-dynamic")
    project = opened(tmp_path / "c.satc")
    desk, ids = project.desk, ids_of(120)
    ranking = satc.rank(made.scores, **made.training, method="u-theoretic-dynamic")
    wrong = ranking.documents.misclassification.of_documents(slice(None))
    left, meanwhile = set(range(120)), []

    def decide():
        """Take the next document, which no other, held or not, is better than."""
        with desk.locked():
            lease, _ = desk.next("ada")
            if lease is None:
                return None
            i = ids.index(document_id(desk, lease.document))
            gains = np.where(made.scores >= 0, *desk.validation.gains)
            utility = (wrong * gains).sum(axis=1)
            assert utility[i] >= utility[list(left)].max() * (1 - 1e-9)
            beyond = sorted(left - {ids.index(one) for one in project.growth._window.ids})
            bound = project.growth._window.bound.bound(desk.validation.gains)
            assert all(utility[beyond] <= bound * (1 + 1e-9))
            desk.submit(lease.lease, "ada", np.flatnonzero(made.y_true[i]).tolist(), 1.0)
            left.remove(i)
            return i

    def look(*arguments):
        part = fetch_best_unheld(*arguments)
        meanwhile.extend(i for i in (decide() for _ in range(4)) if i is not None)
        return part

    monkeypatch.setattr("satc.scale.window.fetch_best_unheld", look)
    project.growth.start()
    project.growth.wait()
    assert meanwhile
    while left:
        if decide() is None:
            project.growth.wait()
            assert project.growth.error is None


def test_a_look_whose_saving_was_not_confirmed_is_taken_up(opened, tmp_path, monkeypatch):
    made = make(60, 4, seed=3)
    make_stored(made, tmp_path, tmp_path / "c.satc")
    project = opened(tmp_path / "c.satc")

    def lost(desk, larger):
        raise StoreError("the answer was lost")

    with monkeypatch.context() as patch:
        patch.setattr(Desk, "replace_validation", lost)
        project.growth.start()
        project.growth.wait()
    assert project.growth.error.startswith("The database cannot be used")
    assert project.desk.project.n_documents == SIZE
    project.growth._failed_at = -np.inf
    memory = order_in_memory(made, method="contextual-dynamic").order.tolist()
    project.growth.start()
    project.growth.wait()
    assert project.desk.project.n_documents == 2 * SIZE
    assert work(project, made, 60) == memory


def test_people_work_on_while_documents_are_stored(opened, tmp_path, monkeypatch):
    made = make(60, 4, seed=3)
    make_stored(made, tmp_path, tmp_path / "c.satc")
    project, given = opened(tmp_path / "c.satc"), []
    divide = extension._short

    def while_people_work(blocks):
        for block in divide(blocks):
            yield block
            given.extend(work(project, made, 1))

    with monkeypatch.context() as patch:
        patch.setattr(extension, "_AT_ONCE", 4)
        patch.setattr(extension, "_short", while_people_work)
        project.growth.start()
        project.growth.wait()
    assert project.growth.error is None
    assert len(given) == 4
    assert project.desk.project.n_documents == 2 * SIZE
    assert project.desk.validation.n_validated == 4
    memory = order_in_memory(made, method="contextual-dynamic").order.tolist()
    assert given + work(project, made, 56) == memory


def test_a_fetch_of_which_a_part_is_stored_is_continued(opened, tmp_path, monkeypatch):
    made = make(60, 4, seed=3)
    make_stored(made, tmp_path, tmp_path / "c.satc")
    project, store_block = opened(tmp_path / "c.satc"), extension.add_documents

    def full(connection, key, first, documents):
        if first > SIZE:
            raise StoreError("the disk is full")
        store_block(connection, key, first, documents)

    monkeypatch.setattr(extension, "_AT_ONCE", 4)
    with monkeypatch.context() as patch:
        patch.setattr(extension, "add_documents", full)
        project.growth.start()
        project.growth.wait()
    assert project.growth.error.startswith("The disk is full")
    assert project.desk.project.n_documents == SIZE
    again = opened(tmp_path / "c.satc")
    assert again.desk.project.n_documents == SIZE + 4
    project.growth._failed_at = -np.inf
    project.growth.start()
    project.growth.wait()
    assert project.desk.project.n_documents == SIZE + 4
    memory = order_in_memory(made, method="contextual-dynamic").order.tolist()
    assert work(project, made, 60) == memory
    ranks = [one.rank for one in iter_documents(project.desk.store, project.desk.project.key)]
    assert sorted(ranks) == list(range(1, 61))


def test_whatever_an_engine_raises_is_said(opened, tmp_path, monkeypatch):
    make_stored(make(60, 4, seed=3), tmp_path, tmp_path / "c.satc")
    project = opened(tmp_path / "c.satc")

    def broken(*arguments):
        raise RuntimeError("out of luck\nand a page of insides")

    monkeypatch.setattr("satc.scale.window.fetch_best_unheld", broken)
    project.growth.start()
    project.growth.wait()
    assert project.growth.error == "out of luck"
    assert project.desk.next("ada")[0] is not None


def test_a_row_that_nobody_needs_stops_nothing(opened, tmp_path):
    made = make(60, 4, seed=3)
    make_stored(made, tmp_path, tmp_path / "c.satc")
    last = ids_of(60)[order_in_memory(made, method="u-theoretic").order[-1]]
    lines = (tmp_path / "documents.jsonl").read_text().splitlines()
    broken = ["{broken" if f'"{last}"' in line else line for line in lines]
    (tmp_path / "documents.jsonl").write_text("\n".join(broken))
    project = opened(tmp_path / "c.satc")
    project.growth.start()
    project.growth.wait()
    assert project.growth.error is None
    assert project.desk.project.n_documents == 2 * SIZE


def test_documents_that_tie_are_not_fetched_before_their_turn(opened, tmp_path):
    made = make(90, 3, seed=1)
    made.scores[:] = made.scores[0]
    make_stored(made, tmp_path, tmp_path / "c.satc", method="u-theoretic")
    project = opened(tmp_path / "c.satc")
    assert work(project, made, 10) == list(range(10))
    project.growth.wait()
    assert project.desk.project.n_documents <= 2 * SIZE


def test_a_look_ahead_just_after_growth_goes_by_the_documents_before_it(opened, tmp_path):
    made = make(60, 4, seed=3)
    make_stored(made, tmp_path, tmp_path / "c.satc")
    project = opened(tmp_path / "c.satc")
    project.live_accuracy.prepare()
    project.growth._on_growth = lambda: None
    project.growth.start()
    project.growth.wait()
    assert project.desk.project.n_documents == 2 * SIZE
    assert project.live_accuracy.outlook().plan(0.9, 0.9).documents >= 0


def test_there_is_no_certificate_of_a_part(opened, tmp_path):
    make_stored(make(60, 4, seed=3), tmp_path, tmp_path / "c.satc")
    desk = opened(tmp_path / "c.satc").desk
    with pytest.raises(DataError, match="a random sample of them, but holds 15 of 60"):
        certify_project(desk.store, desk.project, read_history(desk.store, desk.project))


def test_weights_of_classes_are_those_of_the_whole_set(opened, tmp_path):
    made = make(60, 4, seed=3)
    weights = {"c1": 6.0, "c3": 0.5}
    make_stored(made, tmp_path, tmp_path / "c.satc", weights=weights, error_costs=(1.0, 4.0))
    memory = order_in_memory(
        made,
        method="contextual-dynamic",
        class_weights=[1, 6, 1, 0.5],
        error_costs=(1, 4),
    )
    assert work(opened(tmp_path / "c.satc"), made, 60) == memory.order.tolist()


@pytest.mark.parametrize("method", ["contextual-dynamic", "u-theoretic-dynamic"])
def test_the_estimate_speaks_of_the_whole_set(opened, tmp_path, method):
    made = make(80, 5, seed=5)
    make_stored(made, tmp_path, tmp_path / "c.satc", method=method)
    project = opened(tmp_path / "c.satc")
    memory = satc.Validation(made.scores, **made.training, method=method)
    before = memory.accuracy()
    project.live_accuracy.prepare()
    assert project.desk.project.n_documents == SIZE
    assert project.live_accuracy.latest().macro.value == pytest.approx(before.value, abs=1e-12)
    for i in work(project, made, 30):
        memory.submit(i, made.y_true[i])
    assert project.desk.project.n_documents > SIZE
    model = project.desk.validation._accuracy_model
    after = model.accuracy(project.desk.validation.model.measure, "macro", 0.95)
    assert after.value == pytest.approx(memory.accuracy().value, abs=1e-12)
    assert after.value > before.value
    ahead = project.live_accuracy.outlook()
    assert ahead.outlook.documents[-1] == 80 - 30
    np.testing.assert_allclose(ahead.outlook.curves[-1], 1.0)
    assert 0 < ahead.plan(0.99, 0.9).documents <= 50


def test_where_the_stored_set_is_gone_the_work_goes_on_with_what_is_there(opened, tmp_path):
    made = make(60, 4, seed=3)
    make_stored(made, tmp_path, tmp_path / "c.satc")
    for file in (tmp_path / "stored.parquet").glob("*"):
        file.unlink()
    project = opened(tmp_path / "c.satc")
    project.growth.start()
    project.growth.wait()
    assert "stored.parquet" in project.growth.error
    assert any(
        "No more documents can be fetched" in str(one) for one in project.live_accuracy.messages()
    )
    assert len(work(project, made, 60)) == SIZE
    project.live_accuracy.prepare()
    assert project.live_accuracy.latest() is None


def test_documents_that_are_not_in_their_file_are_missed(opened, tmp_path):
    made = make(60, 4, seed=3)
    make_stored(made, tmp_path, tmp_path / "c.satc")
    lines = (tmp_path / "documents.jsonl").read_text().splitlines()
    (tmp_path / "documents.jsonl").write_text("\n".join(lines[:30]))
    project = opened(tmp_path / "c.satc")
    project.growth.start()
    project.growth.wait()
    assert "must hold the 15 documents that come first" in project.growth.error
    assert project.desk.project.n_documents == SIZE


def test_an_audit_and_reading_times_need_all_documents():
    stored = SubsetOrigin("documents.csv", "scores.parquet", 10)
    with pytest.raises(ValueError, match=r"audit must be 0 .* random sample of all documents"):
        Settings("Claims", stored=stored, audit=0.1)
    with pytest.raises(ValueError, match=r"reading must be empty .* is not known"):
        Settings("Claims", stored=stored, reading="length")


def test_settings_of_a_stored_set_survive_the_database():
    settings = Settings("Claims", stored=SubsetOrigin("d.csv", "s.parquet", 10, numbered=True))
    assert Settings.from_dict(json.loads(json.dumps(settings.as_dict()))) == settings
    assert replace(settings, title="Other").stored.sort_key("12") == 12
