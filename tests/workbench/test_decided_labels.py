"""Labels chosen for the measure: stored with the project, and the same wherever they are read."""

import csv
import json
import shutil
from dataclasses import replace

import numpy as np
import pytest
from projects_made import make, make_project
from sqlalchemy import delete, update

import satc
from satc.assurance.certificate.page import certificate_html
from satc.assurance.certificate.serialisation import certificate_json
from satc.files.exchange import FORMATS, read, write
from satc.workbench.model.settings import Settings
from satc.workbench.project.certificate import about, certify_project, check_certificate
from satc.workbench.project.fixed_labels import with_labels
from satc.workbench.project.history import read_history
from satc.workbench.reports.export import exported_documents
from satc.workbench.reports.report import make_report
from satc.workbench.reports.report_page import as_lines
from satc.workbench.review.desk import open_desk
from satc.workbench.review.explanation.document import explain
from satc.workbench.review.open_projects import OpenProject
from satc.workbench.review.suggestions import suggest
from satc.workbench.store import open_store, schema
from satc.workbench.store.predictions import read_decided
from satc.workbench.store.projects import get_project

OPTIONS = {"method": "contextual-dynamic", "decide": "measure"}
N = 80


@pytest.fixture(scope="module")
def made():
    return make(n=N, m=5, n_train=500, seed=3)


@pytest.fixture(scope="module")
def chosen(made):
    """The labels that the same options choose in memory."""
    labels = satc.decide(made.scores, **made.training, method=OPTIONS["method"]).labels
    assert (labels != (made.scores >= 0)).any()
    return labels


@pytest.fixture(scope="module")
def file_made(made, tmp_path_factory):
    return make_project(made, tmp_path_factory.mktemp("made") / "c.satc", audit=0.2, **OPTIONS)


@pytest.fixture
def store(file_made, tmp_path):
    store = open_store(shutil.copy(file_made, tmp_path / "c.satc"))
    yield store
    store.close()


def labels_of(made, i):
    return np.flatnonzero(made.y_true[i]).tolist()


def work(desk, made, times):
    order = []
    for _ in range(times):
        lease, _ = desk.next("ann")
        desk.submit(lease.lease, "ann", labels_of(made, lease.document), None)
        order.append(lease.document)
    return order


def exported(store):
    project = get_project(store)
    return list(exported_documents(store, project, read_history(store, project)))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("method", "average", "measure"),
    [
        ("contextual-dynamic", "macro", "f1"),
        ("contextual-dynamic", "micro", "f2"),
        ("contextual", "macro", "accuracy"),
        ("u-theoretic-dynamic", "macro", "f1"),
        ("baseline", "macro", "f1"),
    ],
)
def test_a_project_has_the_order_and_the_labels_of_a_validation_in_memory(
    made, tmp_path, method, average, measure
):
    options = {"method": method, "average": average, "measure": measure, "decide": "measure"}
    make_project(made, tmp_path / "a.satc", **options)
    memory = satc.Validation(made.scores, **made.training, **options)
    predicted = memory.labels
    order = []
    for _ in range(2):
        store = open_store(tmp_path / "a.satc")
        np.testing.assert_array_equal(read_decided(store, get_project(store)), predicted)
        desk = open_desk(store)
        np.testing.assert_array_equal(desk.validation.documents.decided, predicted)
        order += work(desk, made, N // 2)
        store.close()
    for i in order:
        assert memory.next() == i
        memory.submit(i, made.y_true[i])


@pytest.mark.slow
def test_accuracy_and_plan_of_a_reopened_project_are_those_of_a_validation_in_memory(store, made):
    from satc.workbench.model import events

    desk = open_desk(store)
    work(desk, made, 15)
    live = OpenProject(open_desk(store)).live_accuracy
    live.prepare()
    memory = satc.Validation(made.scores, **made.training, **OPTIONS)
    for decision in desk.record.current_decisions():
        assert decision.kind == events.DECIDE
        memory.submit(decision.document, made.y_true[decision.document])
    for average in ("macro", "micro"):
        found, expected = getattr(live.latest(), average), memory.accuracy(average=average)
        assert (found.value, found.low, found.high) == (expected.value, expected.low, expected.high)
    plan, expected = live.outlook().plan(0.9, 0.9), memory.outlook().plan(0.9, 0.9)
    assert plan.documents == expected.documents
    np.testing.assert_array_equal(plan.curve.value, expected.curve.value)


def test_the_chosen_labels_are_shown_as_predicted(store, chosen, made):
    desk = open_desk(store)
    found = 0
    for i in range(N):
        shown = suggest(desk.validation, i)
        assert sorted(one.label for one in shown.predicted) == np.flatnonzero(chosen[i]).tolist()
        assert not any(chosen[i, one.label] for one in shown.missed)
        listed = [one.probability for one in shown.missed]
        assert listed == sorted(listed, reverse=True)
        assert len(shown.predicted) + len(shown.missed) == chosen.shape[1]
        for one in shown.predicted:
            found += made.scores[i, one.label] < 0
        classes = explain(desk, i).classes
        assert all(one.decision == chosen[i, one.label] for one in classes)
    assert found, "some chosen labels have scores below 0"
    lease, _ = desk.next("ann")
    expected = np.flatnonzero(chosen[lease.document]).tolist()
    assert sorted(one.label for one in lease.shown.predicted) == expected
    assert desk.state.predicted(lease.document) == tuple(expected)


def test_a_correction_is_a_change_of_the_chosen_labels(store, chosen, made):
    desk = open_desk(store)
    order = work(desk, made, 20)
    corrected = sum((chosen[i] != made.y_true[i]).any() for i in order)
    report = make_report(store, get_project(store), read_history(store, get_project(store)))
    assert desk.state.n_corrected == report.n_corrected == corrected
    assert [line.predicted for line in report.classes] == chosen.sum(axis=0).tolist()
    now = chosen.copy()
    now[order] = made.y_true[order]
    assert [line.now for line in report.classes] == now.sum(axis=0).tolist()
    assert "the predicted labels were chosen for macro-F1" in as_lines(report, None)


def test_a_certificate_rests_on_the_labels_that_were_fixed(store, chosen, made, tmp_path):
    desk = open_desk(store)
    work(desk, made, 40)
    project, history = desk.project, read_history(store, desk.project)
    certificate = certify_project(store, project, history)
    np.testing.assert_array_equal(certificate.inputs.predicted, chosen)
    fixed = "The labels were fixed when the project was made: chosen for macro-F1."
    assert fixed in certificate_html(certificate, about(project, history))
    text = certificate_json(certificate, about(project, history))
    assert json.loads(text)["about"]["labels"] == fixed
    (tmp_path / "c.json").write_text(text)
    assert "which is the project's" in check_certificate(
        store, project, history, tmp_path / "c.json"
    )
    signs = replace(certificate.inputs, predicted=made.scores >= 0)
    forged = certificate_json(
        satc.assurance.certify(signs.predicted, signs.decisions, cap=5), about(project, history)
    )
    (tmp_path / "c.json").write_text(forged)
    with pytest.raises(satc.errors.DataError, match="must rest on the project's predictions"):
        check_certificate(store, project, history, tmp_path / "c.json")


def test_an_export_has_the_classifiers_own_labels_as_well(store, chosen, made):
    desk = open_desk(store)
    (first,) = work(desk, made, 1)
    names = desk.project.classes

    def named(labels):
        return tuple(names[j] for j in np.flatnonzero(labels))

    for i, document in enumerate(exported(store)):
        assert document.predicted == named(chosen[i])
        assert document.classifier_labels == named(made.scores[i] >= 0)
        assert document.labels == named(made.y_true[i] if i == first else chosen[i])


@pytest.mark.filterwarnings("ignore::satc.errors.GuessedFormatWarning")  # semicolons
@pytest.mark.parametrize("form", FORMATS)
def test_every_format_has_them_and_can_be_read_back(store, made, tmp_path, form):
    desk = open_desk(store)
    order = work(desk, made, 12)
    documents = exported(store)
    path = tmp_path / f"labels{FORMATS[form].suffix}"
    write(iter(documents), path, form, classes=desk.project.classes)
    assert classifier_labels(path, form, desk.project.classes) == [
        list(one.classifier_labels) for one in documents
    ]
    found = {decision.id: decision.labels for decision in read(path, form)}
    expected = {f"d{i}": documents[i].labels for i in order}
    assert {name: sorted(labels) for name, labels in found.items()} == {
        name: sorted(labels) for name, labels in expected.items()
    }


def classifier_labels(path, form, classes):
    """Read the column with the reader of another program."""
    if form in ("csv", "tsv", "csv-excel"):
        delimiter = {"csv": ",", "tsv": "\t", "csv-excel": ";"}[form]
        with path.open(newline="", encoding="utf-8-sig") as file:
            rows = csv.DictReader(file, delimiter=delimiter)
            cells = [row["satc_classifier_labels"] for row in rows]
        return [cell.split("|") if cell else [] for cell in cells]
    if form == "xlsx":
        import openpyxl

        header, *rows = openpyxl.load_workbook(path).active.iter_rows(values_only=True)
        cells = [row[header.index("satc_classifier_labels")] for row in rows]
        return [cell.split("|") if cell else [] for cell in cells]
    if form == "parquet":
        import pyarrow.parquet as pq

        return pq.read_table(path)["satc_classifier_labels"].to_pylist()
    if form == "hugging-face":
        import datasets

        column = datasets.load_from_disk(str(path))["satc_classifier_labels"]
        return [[classes[number] for number in numbers] for numbers in column]
    if form == "label-studio":
        return [task["data"]["satc_classifier_labels"] for task in json.loads(path.read_text())]
    lines = path.read_text().splitlines()
    return [json.loads(line)["satc_classifier_labels"] for line in lines]


def test_labels_by_sign_need_no_further_column(made, tmp_path):
    make_project(made, tmp_path / "a.satc")
    store = open_store(tmp_path / "a.satc")
    assert {document.classifier_labels for document in exported(store)} == {None}
    path = tmp_path / "a.csv"
    write(exported(store), path)
    assert "satc_classifier_labels" not in path.read_text()
    np.testing.assert_array_equal(read_decided(store, get_project(store)), made.scores >= 0)
    store.close()


def test_a_project_without_stored_labels_has_the_signs(made, tmp_path):
    make_project(made, tmp_path / "a.satc", method="u-theoretic-dynamic")
    store = open_store(tmp_path / "a.satc")
    with store.writing() as connection:
        connection.execute(delete(schema.arrays).where(schema.arrays.c.name == "decided"))
    np.testing.assert_array_equal(read_decided(store, get_project(store)), made.scores >= 0)
    sim = satc.simulate(made.scores, made.y_true, **made.training, method="u-theoretic-dynamic")
    assert work(open_desk(store), made, 10) == sim.order[:10].tolist()
    store.close()


def test_stored_labels_stay_where_the_model_would_choose_others(store, chosen, made):
    """As if another version of satc had made the project."""
    other = chosen.copy()
    other[7] = ~other[7]
    other[:, 2] = made.scores[:, 2] >= 0
    buffer = np.packbits(other, axis=1)
    store_array(store, "decided", buffer)
    desk = open_desk(store)
    documents = desk.validation.documents
    np.testing.assert_array_equal(documents.decided, other)
    p = satc.rank(made.scores, **made.training, **OPTIONS).probability
    wrong = np.where(other, 1 - p, p)
    np.testing.assert_allclose(documents.misclassification.of_documents(slice(None)), wrong)
    tables = documents.model.class_tables
    np.testing.assert_allclose(tables.tp, (p * other).sum(axis=0))
    np.testing.assert_allclose(tables.fp, ((1 - p) * other).sum(axis=0))
    np.testing.assert_allclose(tables.fn, (p * ~other).sum(axis=0))
    assert desk.state.predicted(7) == tuple(np.flatnonzero(other[7]).tolist())
    assert exported(store)[7].predicted == tuple(
        desk.project.classes[j] for j in np.flatnonzero(other[7])
    )


def store_array(store, name, value):
    import io

    buffer = io.BytesIO()
    np.save(buffer, value)
    changed = update(schema.arrays).where(schema.arrays.c.name == name)
    with store.writing() as connection:
        connection.execute(changed.values(data=buffer.getvalue()))


def test_the_same_labels_change_nothing(made, chosen):
    documents = satc.rank(made.scores, **made.training, **OPTIONS).documents
    assert with_labels(documents, chosen) is documents


def test_projects_made_before_have_the_signs():
    settings = Settings("Claims", decide="measure")
    assert Settings.from_dict({"title": "Claims"}).decide == "sign"
    assert Settings.from_dict(json.loads(json.dumps(settings.as_dict()))) == settings
    with pytest.raises(ValueError, match="decide must be one of 'sign', 'measure', but is 'vote'"):
        Settings("Claims", decide="vote")
