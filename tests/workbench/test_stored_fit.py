"""A project is opened with the probabilities that it stored, or fitted anew: the same answers."""

import json
import pickle
import subprocess
import sys
from contextlib import closing

import numpy as np
import pytest
from explained_projects import explained
from projects_made import make, make_project, make_single
from sqlalchemy import delete, select, update
from stored_projects import make_stored
from test_coded_projects import BOOK, CODES

import satc.workbench.project.stored_fit as stored_fit
from satc.workbench.project.stored_fit import digest_of
from satc.workbench.review.desk import open_desk
from satc.workbench.review.explanation.document import explain
from satc.workbench.store import open_store, schema
from satc.workbench.store.arrays import put_parts
from satc.workbench.store.connection import StoreError
from satc.workbench.store.predictions import append_scores, opinion_parts

CONTEXT = {"method": "contextual-dynamic", "decide": "measure"}


def multi_label(folder, location):
    make_project(make(50, 5), location, **CONTEXT)


def single_label(folder, location):
    make_project(make_single(), location, task="single-label", **CONTEXT)


def closed(folder, location):
    make_project(make(50, 6, seed=2), location, names=CODES, book=BOOK, closed=True, **CONTEXT)


def by_signs(folder, location):
    make_project(make(50, 5), location, method="contextual", decide="sign", average="micro")


def the_papers(folder, location):
    make_project(make(50, 5), location, method="u-theoretic-dynamic", decide="measure")


def larger_set(folder, location):
    make_stored(make(60, 4, seed=3), folder, location, **CONTEXT)


def shifted(folder, location):
    make_project(make(50, 5), location, prior_shift=True, **CONTEXT)


def with_an_opinion(folder, location):
    explained(location)


def with_features(folder, location):
    explained(location, task="multi-label")


def cold(folder, location):
    make_project(make(50, 5), location, cold=True)


KINDS = [multi_label, single_label, closed, by_signs, the_papers, larger_set, shifted]


def answers(location):
    """Open a project; return what people see of it."""
    with closing(open_store(location)) as store:
        desk = open_desk(store)
        validation = desk.validation
        some = range(0, validation.n_documents, 7)
        return {
            "probability": validation.documents.probability(),
            "order": validation.remaining(),
            "decided": validation.documents.decided,
            "tables": np.array(list(validation.model.class_tables)),
            "utility": [[c.contribution for c in validation.explain(i)] for i in some],
            "explained": [repr(explain(desk, i)) for i in some],
            "similar": repr([validation.similar(i) for i in some]),
        }


def assert_same(first, second):
    for name, value in first.items():
        if name in ("explained", "similar"):
            assert value == second[name], name
        else:
            np.testing.assert_allclose(value, second[name], rtol=0, atol=1e-12, err_msg=name)


@pytest.fixture
def fits(monkeypatch):
    """Return a list that gets an entry for every fit."""
    made = []
    really = stored_fit.calibrated

    def calibrated(*arguments):
        made.append(arguments)
        return really(*arguments)

    monkeypatch.setattr(stored_fit, "calibrated", calibrated)
    return made


def opens_without(fits, location):
    """Whether a project opens, and gives a document, without a fit."""
    fits.clear()
    with closing(open_store(location)) as store:
        desk = open_desk(store)
        lease, _ = desk.next("anna")
        desk.give_back(lease.lease, "anna")
        return not fits


def change(location, name, data):
    """Replace the bytes of the first part of an array; None removes all parts."""
    table = schema.arrays
    with closing(open_store(location)) as store, store.writing() as connection:
        if data is None:
            connection.execute(delete(table).where(table.c.name == name))
        else:
            place = (table.c.name == name, table.c.part == 0)
            connection.execute(update(table).where(*place).values(data=data))


def stored(location, name):
    table = schema.arrays
    query = select(table.c.data).where(table.c.name == name, table.c.part == 0)
    with closing(open_store(location)) as store, store.reading() as connection:
        return connection.execute(query).scalar_one_or_none()


@pytest.mark.parametrize("kind", KINDS)
def test_the_answers_are_those_of_a_fit_in_both_databases(kind, tmp_path, location, fits):
    kind(tmp_path, location)
    change(location, "fitted_from", None)
    fitted = answers(location)
    assert opens_without(fits, location)
    assert_same(fitted, answers(location))


@pytest.mark.parametrize("kind", [with_an_opinion, with_features])
def test_the_answers_with_features_and_opinions_are_those_of_a_fit(kind, tmp_path, fits):
    path = tmp_path / "made.satc"
    kind(tmp_path, path)
    change(path, "fitted_from", None)
    fitted = answers(path)
    assert opens_without(fits, path)
    assert_same(fitted, answers(path))


@pytest.mark.parametrize("kind", [multi_label, single_label, closed, by_signs, the_papers])
def test_a_new_project_is_opened_without_a_fit(kind, tmp_path, fits):
    kind(tmp_path, tmp_path / "made.satc")
    assert opens_without(fits, tmp_path / "made.satc")


def test_a_project_of_a_learner_is_opened_without_a_fit(tmp_path, monkeypatch, fits):
    monkeypatch.setattr("explained_projects.add_opinion", lambda *arguments: None)
    explained(tmp_path / "made.satc")
    assert opens_without(fits, tmp_path / "made.satc")


def test_a_cold_start_stores_no_fit(tmp_path):
    path = tmp_path / "made.satc"
    cold(tmp_path, path)
    first = answers(path)
    assert stored(path, "fitted_from") is None
    assert_same(first, answers(path))


def test_a_larger_set_stores_its_fit_when_it_is_first_opened(tmp_path, fits):
    path = tmp_path / "made.satc"
    larger_set(tmp_path, path)
    assert not opens_without(fits, path)
    assert opens_without(fits, path)


def test_a_project_without_a_stored_fit_gets_one(tmp_path, location, fits):
    multi_label(tmp_path, location)
    change(location, "fitted", None)
    change(location, "fitted_from", None)
    assert not opens_without(fits, location)
    assert opens_without(fits, location)


def test_another_opinion_makes_the_stored_fit_worthless(tmp_path, fits):
    path = tmp_path / "made.satc"
    multi_label(tmp_path, path)
    said = np.where(make(50, 5).y_true, 1.0, -1.0)
    with closing(open_store(path)) as store, store.writing() as connection:
        put_parts(connection, 1, opinion_parts({"Anna": said}, None))
    assert not opens_without(fits, path)


def test_another_score_makes_the_stored_fit_worthless(tmp_path, fits):
    path = tmp_path / "made.satc"
    multi_label(tmp_path, path)
    change(path, "scores", None)
    scores = make(50, 5).scores
    scores[7, 3] = np.nextafter(scores[7, 3], 9.0)
    with closing(open_store(path)) as store, store.writing() as connection:
        append_scores(connection, 1, scores)
    assert not opens_without(fits, path)


@pytest.mark.parametrize("which", range(5))
def test_another_version_makes_the_stored_fit_worthless(tmp_path, fits, monkeypatch, which):
    path = tmp_path / "made.satc"
    multi_label(tmp_path, path)
    versions = list(stored_fit._versions())
    versions[which] += ".1"
    monkeypatch.setattr(stored_fit, "_versions", lambda: tuple(versions))
    assert not opens_without(fits, path)
    assert opens_without(fits, path)


def damaged(path):
    """Return stored fits that must not be trusted, by what is wrong with them."""
    good, about = stored(path, "fitted"), json.loads(stored(path, "fitted_from"))
    only_source = {"source": about["source"]}
    flipped = bytearray(good)
    flipped[-3] ^= 1
    return {
        "a flipped bit": ("fitted", bytes(flipped)),
        "half of it": ("fitted", good[: len(good) // 2]),
        "no array": ("fitted", b"nonsense"),
        "nothing": ("fitted", None),
        "a pickle": ("fitted", pickle.dumps(exit)),
        "a header alone": ("fitted", good[:128]),
        "not JSON": ("fitted_from", b"{"),
        "a number": ("fitted_from", b"7"),
        "deep JSON": ("fitted_from", b"[" * 100_000),
        "no digest of the values": (
            "fitted_from",
            json.dumps(only_source).encode(),
        ),
        "another source": ("fitted_from", json.dumps(about | {"source": "0" * 64}).encode()),
    }


def test_a_damaged_fit_is_never_trusted(tmp_path, fits):
    path = tmp_path / "made.satc"
    multi_label(tmp_path, path)
    good = answers(path)
    for what, (name, data) in damaged(path).items():
        change(path, name, data)
        assert not opens_without(fits, path), what
        assert opens_without(fits, path), what
        assert_same(good, answers(path))


@pytest.mark.parametrize("wrong", [np.nan, 1.5, -0.1, np.inf])
def test_numbers_that_are_no_probabilities_are_refused(tmp_path, fits, wrong):
    from satc.workbench.store.stored_fit import fit_parts, read_fit, remove_fit

    path = tmp_path / "made.satc"
    multi_label(tmp_path, path)
    source = json.loads(stored(path, "fitted_from"))["source"]
    with closing(open_store(path)) as store:
        values = read_fit(store, 1, source, (50, 5)).copy()
        values[3, 2] = wrong
        with store.writing() as connection:
            remove_fit(connection, 1)
            put_parts(connection, 1, fit_parts(source, values))
        assert read_fit(store, 1, source, (50, 5)) is None
        assert read_fit(store, 1, source, (50, 4)) is None
    assert not opens_without(fits, path)


def test_a_project_that_cannot_be_written_is_opened(tmp_path, monkeypatch, fits):
    path = tmp_path / "made.satc"
    multi_label(tmp_path, path)
    change(path, "fitted_from", None)
    with closing(open_store(path)) as store:
        monkeypatch.setattr(store, "writing", refuse)
        assert open_desk(store).validation.n_documents == 50
    assert fits


def refuse(**options):
    raise StoreError("read only")


def test_an_explanation_waits_for_the_fit_and_others_do_not(tmp_path, monkeypatch):
    from threading import Event, Thread

    path = tmp_path / "made.satc"
    multi_label(tmp_path, path)
    begun, may_end, really = Event(), Event(), stored_fit.calibrated

    def slow(*arguments):
        begun.set()
        may_end.wait()
        return really(*arguments)

    monkeypatch.setattr(stored_fit, "calibrated", slow)
    with closing(open_store(path)) as store:
        desk = open_desk(store)
        asking = Thread(target=explain, args=(desk, 0))
        asking.start()
        begun.wait()
        lease, _ = desk.next("anna")
        desk.submit(lease.lease, "anna", [0], 1.0)
        assert asking.is_alive()
        may_end.set()
        asking.join()
        assert explain(desk, 0).classes


def test_a_remembered_calibrator_is_sent_fitted(tmp_path):
    path = tmp_path / "made.satc"
    multi_label(tmp_path, path)
    with closing(open_store(path)) as store:
        documents = open_desk(store).validation.documents
    calibrator = documents.model.calibrator
    sent = pickle.loads(pickle.dumps(calibrator.probabilities))  # noqa: S301 (made here)
    expected = calibrator.fitted().probabilities(documents.scores)
    np.testing.assert_array_equal(sent(documents.scores), expected)


def test_the_digest_tells_values_apart():
    from scipy import sparse

    values = [None, 0, 1, "1", [], {}, [1], {"a": 1}, np.zeros(2), np.zeros((2, 1)), np.zeros(3)]
    values += [np.zeros(2, np.float32), sparse.csr_array(np.eye(2)), np.eye(2), [1, 1], [[1], 1]]
    values += [sparse.csr_array(np.eye(2)[::-1]), sparse.csr_array(np.eye(2, 3)), [[], [1]]]
    assert len({digest_of(value) for value in values}) == len(values)


def test_a_server_is_loaded_without_what_only_a_fit_needs():
    code = "import sys, satc.workbench.web.app; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True).stdout
    assert not {b"sklearn", b"pandas", b"scipy.stats", b"scipy.optimize"} & set(loaded.split())
