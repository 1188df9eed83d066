"""Projects in which every document has exactly one label: creation, desk, import, report."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from projects_made import make, make_project, make_single, quiet, write_files
from sklearn.metrics import cohen_kappa_score

from satc.assurance import certificate_json, certify
from satc.errors import DataError
from satc.files.exchange import write
from satc.ranking.preparation import prepare
from satc.ranking.unfetched import UnfetchedBound
from satc.texts.source import ReadySource
from satc.training import Training
from satc.workbench.model.settings import Settings
from satc.workbench.model.subset_origin import SubsetOrigin
from satc.workbench.project.best_part import BestPartSource, PreparedBestPart
from satc.workbench.project.certificate import about, certify_project, check_certificate
from satc.workbench.project.creation import create_file
from satc.workbench.project.history import read_history
from satc.workbench.project.larger_set import LargerSet
from satc.workbench.reports import report_page
from satc.workbench.reports.export import exported_documents
from satc.workbench.reports.import_decisions import import_decisions
from satc.workbench.reports.plan import plan_project
from satc.workbench.reports.report import make_report
from satc.workbench.review.desk import open_desk
from satc.workbench.review.explanation.document import explain
from satc.workbench.review.suggestions import suggest
from satc.workbench.store import open_store
from satc.workbench.store.predictions import read_decided, read_probabilities, read_scores
from satc.workbench.store.projects import get_project

NAMES = ("refund", "delivery", "account", "other")
EXACTLY = "labels must be exactly one class"


@pytest.fixture(scope="module")
def made():
    return make_single(n=40)


@pytest.fixture(scope="module", params=["sign", "measure"])
def file(request, made, tmp_path_factory):
    path = tmp_path_factory.mktemp("one") / f"{request.param}.satc"
    settings = {"task": "single-label", "decide": request.param, "overlap": 1.0, "audit": 0.3}
    return make_project(made, path, names=NAMES, method="contextual-dynamic", **settings)


@pytest.fixture
def store(file, tmp_path):
    store = open_store(shutil.copy(file, tmp_path / "tickets.satc"))
    yield store
    store.close()


@pytest.fixture
def desk(store):
    return open_desk(store)


def decide(desk, who, labels):
    """Decide on the next document of a person; return its index."""
    lease, _ = desk.next(who)
    desk.submit(lease.lease, who, labels, 1.0)
    return lease.document


def test_an_old_project_is_multi_label_and_keeps_its_cap():
    old = Settings.from_dict({"title": "Claims", "cap": 3})
    assert (old.task, old.cap, old.name_of("micro")) == ("multi-label", 3, "micro-F1")


def test_a_document_of_a_single_label_project_lacks_at_most_one_label():
    assert Settings("Tickets", task="single-label", cap=5).cap == 1


def test_micro_averages_of_other_measures_keep_their_name():
    settings = Settings("Tickets", task="single-label", measure="accuracy")
    assert settings.name_of("micro") == "micro-accuracy"


def test_every_document_is_made_with_exactly_one_label(store):
    project = get_project(store)
    decided = read_decided(store, project)
    assert (decided.sum(axis=1) == 1).all()
    np.testing.assert_allclose(read_probabilities(store, project).sum(axis=1), 1.0, atol=1e-6)
    if project.settings.decide == "sign":
        best = read_scores(store, project).argmax(axis=1)
        assert decided.argmax(axis=1).tolist() == best.tolist()


def test_an_opened_project_has_the_labels_that_it_was_made_with(store, desk):
    decided = read_decided(store, get_project(store))
    np.testing.assert_array_equal(desk.validation.documents.decided, decided)


def test_all_of_a_few_classes_are_listed_by_probability(desk):
    for document in range(40):
        predicted, others = suggest(desk.validation, document)
        assert [one.label for one in predicted] == list(desk.state.predicted(document))
        assert sum(one.probability for one in (*predicted, *others)) == pytest.approx(1.0)
        ordered = [one.probability for one in others]
        assert len(others) == 3
        assert ordered == sorted(ordered, reverse=True)


def test_of_many_classes_six_at_most_are_listed_by_probability(tmp_path):
    wide = make_single(n=6, m=50, n_train=600)
    path = make_project(wide, tmp_path / "wide.satc", task="single-label")
    store = open_store(path)
    validation = open_desk(store).validation
    for document in range(6):
        _, others = suggest(validation, document)
        decided, wrong, _ = validation.expectations(document)
        order = np.argsort(-np.where(decided, -1.0, wrong), kind="stable")[:6]
        expected = [j for j in order.tolist() if wrong[j] >= 0.02]
        assert [one.label for one in others] == expected
    store.close()


def test_the_explanation_names_the_other_class_in_place_of_the_predicted_one(desk):
    seen = set()
    for document in range(40):
        _, sentence, classes = explain(desk, document)[:3]
        p = np.zeros(4)
        for one in classes:
            p[one.label] = one.probability
        assert p.sum() == pytest.approx(1.0)
        (predicted,) = desk.state.predicted(document)
        other = max((j for j in range(4) if j != predicted), key=lambda j: p[j])
        how = "is probably" if p[other] >= 0.5 else "may be"
        is_named = p[other] >= 0.01
        assert (f"it {how} “{NAMES[other]}” (" in str(sentence)) == is_named
        assert (f", not “{NAMES[predicted]}” (" in str(sentence)) == is_named
        assert [one.decision for one in classes] == [True, False, False, False]
        seen.add(how)
    assert "may be" in seen


@pytest.mark.parametrize(("labels", "said"), [([], "but are empty"), ([0, 2], "but are 2")])
def test_no_label_and_two_labels_are_refused_and_nothing_is_saved(desk, labels, said):
    lease, _ = desk.next("ann")
    with pytest.raises(ValueError, match=f"{EXACTLY}.*{said}"):
        desk.submit(lease.lease, "ann", labels, None)
    assert desk.validation.n_validated == 0
    number = desk.submit(lease.lease, "ann", [1], None)
    with pytest.raises(ValueError, match=EXACTLY):
        desk.revise(lease.document, "ann", labels, any_author=False)
    assert desk.record.current_decision(lease.document).number == number


def test_undo_gives_the_document_back_with_the_class_that_was_chosen(desk):
    document = decide(desk, "ann", [2])
    undone, lease, _ = desk.undo("ann")
    assert undone.kind == "decide"
    assert (undone.labels, lease.document) == ((2,), document)
    assert desk.validation.n_validated == 0


def imported(store, folder, *labels):
    """Import the labels of the documents d0, d1, ..."""
    path = folder / "labels.jsonl"
    rows = [{"id": f"d{i}", "labels": given} for i, given in enumerate(labels)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return import_decisions(store, None, path, None, "panel")


@pytest.mark.parametrize(
    ("labels", "said"), [([], "but are empty"), (["refund", "other"], "but are 2")]
)
def test_an_import_must_have_one_class_for_each_document(store, tmp_path, labels, said):
    with pytest.raises(DataError, match=f"2: {EXACTLY}.*{said}"):
        imported(store, tmp_path, ["refund"], labels)
    assert not read_history(store, get_project(store)).steps


def test_decisions_with_one_class_each_are_imported(store, tmp_path):
    assert imported(store, tmp_path, ["refund"], ["other"]) == 2
    assert read_history(store, get_project(store)).record.current_decision(1).labels == (3,)


def work(desk, made, n=12):
    """Let ann decide on n documents rightly, and bob give a second opinion on each."""
    truth = made.y_true.argmax(axis=1)
    for k in range(n):
        lease, _ = desk.next("ann")
        document = lease.document
        desk.submit(lease.lease, "ann", [int(truth[document])], 2.0)
        lease, _ = desk.next("bob")
        assert lease.document == document
        label = int(truth[document]) if k % 4 else (int(truth[document]) + 1) % 4
        desk.submit(lease.lease, "bob", [label], 2.0)


@pytest.mark.slow
def test_the_report_says_accuracy_in_the_place_of_micro_f1(store, desk, made):
    work(desk, made)
    project, history = get_project(store), read_history(store, get_project(store))
    report = make_report(store, project, history)
    points = report_page.past_points(store, project, history)
    lines = "\n".join(report_page.as_lines(report, points))
    assert "accuracy is about" in lines
    assert "macro-F1 is about" in lines
    assert "micro" not in lines
    page = report_page.as_html(store, report, history, points)
    assert "</b> accuracy, 95% interval" in page
    assert "micro-F1" not in page
    assert report.n_validated == 12
    assert sum(line.removed for line in report.classes) == report.n_corrected
    assert sum(line.added for line in report.classes) == report.n_corrected
    assert sum(line.now for line in report.classes) == 40


@pytest.mark.slow
def test_the_plan_of_a_micro_average_is_about_accuracy(made, tmp_path):
    path = make_project(
        made, tmp_path / "micro.satc", task="single-label", average="micro", method="contextual"
    )
    store = open_store(path)
    plan = plan_project(store, None, 0.9, 0.9)
    store.close()
    assert plan.measure == "accuracy"


def test_an_export_has_exactly_one_label_for_each_document(store, desk, made, tmp_path):
    work(desk, made)
    project = get_project(store)
    history = read_history(store, project)
    exported = list(exported_documents(store, project, history))
    assert all(len(one.labels) == len(one.predicted) == 1 for one in exported)
    own = [one.classifier_labels for one in exported]
    best = [(NAMES[j],) for j in read_scores(store, project).argmax(axis=1)]
    assert own == (best if project.settings.decide == "measure" else [None] * 40)
    path = tmp_path / "out.jsonl"
    write(exported, path, "jsonl", classes=project.classes)
    assert len(path.read_text().splitlines()) == 40


def test_the_certificate_needs_no_cap(store, desk, made):
    truth = made.y_true.argmax(axis=1)
    for _ in range(30):
        lease, _ = desk.next("ann")
        desk.submit(lease.lease, "ann", [int(truth[lease.document])], None)
    project = get_project(store)
    history = read_history(store, project)
    certificate = certify_project(store, project, history)
    given = certify(read_decided(store, project), history.audit_log(), single_label=True)
    assert certificate.single_label
    assert certificate.bounds == given.bounds
    assert len(certificate.classes) == 4
    with pytest.raises(DataError, match="the cap must be left out in a single-label project"):
        certify_project(store, project, history, cap=3)


def test_a_certificate_counts_documents_that_people_read_differently(store, desk, made):
    work(desk, made, n=40)
    project = get_project(store)
    history = read_history(store, project)
    certificate = certify_project(store, project, history)
    assert certificate.n_repeated == 40
    assert sum(certificate.inputs.repeats) == 10  # bob gives every fourth document another class
    path = Path(store.location).with_suffix(".json")
    path.write_text(certificate_json(certificate, about(project, history)))
    assert "the whole certificate follows from its log" in check_certificate(
        store, project, history, path
    )


@pytest.mark.slow
def test_the_report_has_the_kappa_of_classes(store, desk, made):
    work(desk, made)
    project = get_project(store)
    history = read_history(store, project)
    report = make_report(store, project, history)
    first, second = [], []
    for document, (opinion,) in history.record.second_opinions.items():
        first.append(history.record.decisions[document][0].labels[0])
        second.append(opinion.labels[0])
    expected = cohen_kappa_score(first, second)
    (kappa,) = report_page.as_dict(report, None)["agreement"]["kappa"]
    assert kappa["kappa"] == pytest.approx(expected)
    assert f"Cohen's kappa of ann and bob: {expected:.3f}" in "\n".join(
        report_page.as_lines(report, None)
    )
    assert f"<td>{expected:.3f}</td>" in report_page.as_html(store, report, history, None)


@pytest.fixture
def part(tmp_path):
    """Make a project of the first 10 of 120 documents, whose labels were chosen for all of them."""
    made = make_single(n=120, seed=1)
    documents = write_files(made, tmp_path)["documents"]
    whole = prepare(
        made.scores,
        **made.training,
        task="single-label",
        decide="measure",
        method="contextual-dynamic",
    )
    settings = Settings("Tickets", task="single-label", decide="measure")
    stored = SubsetOrigin(str(documents), "scores/*.parquet", 10, n_documents=120)
    bound = UnfetchedBound(0.0, whole.model.gains, 1.0, None)
    source = BestPartSource(stored, tmp_path, tmp_path, settings)
    ids, scores = [f"d{i}" for i in range(10)], made.scores[:10]
    training = Training(made.oof_scores, made.y_train)
    larger = LargerSet(whole.model, bound, stored)
    prepared = PreparedBestPart(source, NAMES, training, ids, scores, larger)
    create_file(tmp_path / "part.satc", ReadySource(prepared), settings, documents, quiet)
    store = open_store(tmp_path / "part.satc")
    yield store, whole
    store.close()


def test_a_part_of_a_larger_set_keeps_the_rule_of_the_whole_set(part):
    store, whole = part
    model = open_desk(store).validation.model
    np.testing.assert_array_equal(model.rule.slope, whole.model.rule.slope)
    np.testing.assert_array_equal(model.rule.offset, whole.model.rule.offset)
    assert (model.task, model.cuts) == ("single-label", None)
    assert (model.rule.slope != 1.0).all()  # the label is not simply the most probable class
    np.testing.assert_array_equal(read_decided(store, get_project(store)), whole.decided[:10])
    np.testing.assert_array_equal(open_desk(store).validation.documents.decided, whole.decided[:10])


def test_a_multi_label_project_still_takes_none_and_several(tmp_path):
    store = open_store(make_project(make(n=10), tmp_path / "many.satc"))
    desk = open_desk(store)
    decide(desk, "ann", [])
    decide(desk, "ann", [0, 2])
    assert desk.validation.n_validated == 2
    store.close()
