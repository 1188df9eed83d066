"""Projects with a code book: codes are stored, names are shown, labels imply their parents."""

import shutil
import time
from contextlib import closing

import numpy as np
import pytest
from fastapi.testclient import TestClient
from projects_made import make, make_project

from satc.code_book import CodeBook, Entry, Hierarchy
from satc.errors import DataError
from satc.measures import F1
from satc.workbench.project.history import read_history
from satc.workbench.reports.export import exported_documents
from satc.workbench.reports.import_decisions import import_decisions
from satc.workbench.reports.report import make_report
from satc.workbench.reports.report_page import as_dict, as_html, as_lines
from satc.workbench.review.desk import open_desk
from satc.workbench.review.explanation.document import explain
from satc.workbench.store import open_store
from satc.workbench.store.predictions import read_decided, read_probabilities, read_training
from satc.workbench.store.projects import change_code_book, get_project
from satc.workbench.web.app import make_app

HOSTILE = "<img src=x onerror=alert(1)>"
CODES = ("1", "1.1", "1.1.1", "1.2", "2", "3")
BOOK = CodeBook(
    (
        Entry("1", "Sport"),
        Entry("1.1", "Ball games", "With a ball.", ("1",), "b"),
        Entry("1.1.1", "Football", "Eleven people.", ("1.1",)),
        Entry("1.2", "Chess", parents=("1", "0")),
        Entry("2", HOSTILE, HOSTILE, ("0",)),
        Entry("3", "Weather"),
        Entry("0", "Indoors"),
        Entry("9", "Nothing"),
    )
)
TREE = Hierarchy([[], [0], [1, 0], [0], [], []])  # of the classes
BASE = "/api/v1/projects/coded"


@pytest.fixture(scope="module")
def made():
    return make(50, 6, seed=2)


@pytest.fixture(scope="module")
def original(made, tmp_path_factory):
    path = tmp_path_factory.mktemp("coded") / "coded.satc"
    return make_project(made, path, names=CODES, book=BOOK, closed=True, decide="measure")


@pytest.fixture
def store(original, tmp_path):
    with closing(open_store(shutil.copy(original, tmp_path / "coded.satc"))) as found:
        yield found


def client_of(store):
    """Return the client of the single user of a project that is opened now."""
    app = make_app(store, estimating=False)
    headers = {"Authorization": f"Bearer {app.state.authenticator.link_key}"}
    return TestClient(app, base_url="http://127.0.0.1", headers=headers)


@pytest.fixture
def client(store):
    with client_of(store) as found:
        yield found


def test_the_project_has_its_classes_first_and_only_the_headings_above_them(store):
    project = get_project(store)
    assert project.classes == CODES
    assert project.book.codes == (*CODES, "0")
    assert project.names == ("Sport", "Ball games", "Football", "Chess", HOSTILE, "Weather")
    assert project.hierarchy == TREE


def test_predicted_and_training_labels_are_closed_and_stay_so(store, made):
    project = get_project(store)
    decided = read_decided(store, project)
    np.testing.assert_array_equal(decided, TREE.close(decided))
    training = read_training(store, project)
    np.testing.assert_array_equal(training.labels, TREE.close(made.y_train))
    desk = open_desk(store)
    np.testing.assert_array_equal(desk.validation.documents.decided, decided)


def test_the_api_gives_the_book_with_parents_as_positions(client):
    answer = client.get(f"{BASE}/classes")
    found = answer.json()
    assert found["classes"] == list(CODES)
    assert found["closed"] is True
    assert [one["parents"] for one in found["book"]] == [[], [0], [1], [0, 6], [6], [], []]
    assert found["book"][1] == {
        "code": "1.1",
        "name": "Ball games",
        "definition": "With a ball.",
        "parents": [0],
        "key": "b",
        "synonyms": [],
        "place": 1,
    }
    tag = {"If-None-Match": answer.headers["ETag"]}
    assert client.get(f"{BASE}/classes", headers=tag).status_code == 304


def test_another_book_has_another_tag(store, client):
    tag = client.get(f"{BASE}/classes").headers["ETag"]
    project = get_project(store)
    entries = (Entry("1", "Sports"), *BOOK.entries[1:])
    change_code_book(store, project, CodeBook(entries))
    with client_of(store) as other:
        answer = other.get(f"{BASE}/classes", headers={"If-None-Match": tag})
    assert answer.status_code == 200
    assert answer.json()["book"][0]["name"] == "Sports"


def test_a_decision_is_completed_and_the_answer_says_so(client, store):
    assignment = client.post(f"{BASE}/next").json()["assignment"]
    sent = {"labels": [2, 5]}
    saved = client.post(f"{BASE}/leases/{assignment['lease']}/decision", json=sent).json()
    assert saved["implied"] == [0, 1]
    index = assignment["document"]["index"]
    assert client.get(f"{BASE}/documents/{index}").json()["labels"] == [0, 1, 2, 5]
    revised = client.put(f"{BASE}/documents/{index}/decision", json={"labels": [0, 3]}).json()
    assert revised["implied"] == []
    record = read_history(store, get_project(store)).record
    assert record.current_decision(index).labels == (0, 3)


def test_imported_decisions_are_completed(store, tmp_path):
    path = tmp_path / "done.csv"
    path.write_text("id,satc_labels,satc_source\nd3,1.1.1|3,human\n", encoding="utf-8")
    assert import_decisions(store, None, path, "csv", "ann") == 1
    project = get_project(store)
    assert read_history(store, project).record.current_decision(3).labels == (0, 1, 2, 5)


def test_sentences_have_names_and_exports_have_codes(store):
    desk = open_desk(store)
    lease, _ = desk.next("ann")
    assert f"“{desk.project.names[explain(desk, lease.document).classes[0].label]}”" in (
        str(explain(desk, lease.document).sentence)
    )
    desk.submit(lease.lease, "ann", [2], 3.0)
    history = read_history(store, desk.project)
    exported = list(exported_documents(store, desk.project, history, names=True))
    done = exported[lease.document]
    assert done.labels == ("1", "1.1", "1.1.1")
    assert done.columns["satc_label_names"] == "Sport | Ball games | Football"
    assert done.classifier_labels is not None
    assert {code for one in exported for code in one.labels} <= set(CODES)
    plain = list(exported_documents(store, desk.project, history))
    assert "satc_label_names" not in plain[0].columns


def slow_lines(project, decided, probability, decisions):
    """Count for each entry of the book the documents that have it or one below it."""
    book = project.book
    for node in range(len(book)):
        below = {node} | {k for k in range(len(book)) if node in book.hierarchy.ancestors(k)}
        members = [j for j in below if j < len(project.classes)]
        top = [j for j in members if not set(members) & set(book.hierarchy.ancestors(j))]
        tp = fp = fn = 0.0
        before = {i for i in range(len(decided)) if decided[i, members].any()}
        now = set(before)
        for i, labels in decisions.items():
            now = now | {i} if below & set(labels) else now - {i}
        for i in range(len(decided)):
            q = float(i in now)
            if i not in decisions:
                q = 1 - np.prod(1 - probability[i, top])
            tp, fp, fn = tp + q * (i in now), fp + (1 - q) * (i in now), fn + q * (i not in now)
        seen = [i for i in decisions if i in before | now]
        cells = [sum(i in a and i in b for i in decisions) for a, b in ((before, now),)]
        removed, added = len(before - now), len(now - before)
        yield (
            (len(before), len(seen), removed, added, len(now)),
            F1(cells[0], removed, added, 0) if seen else None,
            F1(tp, fp, fn, 0) if now else None,
        )


@pytest.mark.slow
def test_the_report_rolls_up_as_a_slow_count_does(store, made):
    desk = open_desk(store)
    decisions = {}
    for _ in range(20):
        lease, _ = desk.next("ann")
        labels = TREE.close_one(np.flatnonzero(made.y_true[lease.document]).tolist())
        decisions[lease.document] = labels
        desk.submit(lease.lease, "ann", labels, 3.0)
    project = desk.project
    report = make_report(store, project, read_history(store, project))
    probability = read_probabilities(store, project).astype(float)
    slow = list(slow_lines(project, read_decided(store, project), probability, decisions))
    assert [line.code for line in report.nodes] == [*CODES, "0"]
    assert [line.is_class for line in report.nodes] == [True] * 6 + [False]
    for line, (counts, checked, expected) in zip(report.nodes, slow, strict=True):
        assert tuple(line[4:9]) == counts
        assert line.checked == (None if checked is None else pytest.approx(checked))
        if expected is not None:
            assert line.expected == pytest.approx(expected, abs=1e-6)
    _check_forms(store, project, report)


def _check_forms(store, project, report):
    page = as_html(store, report, read_history(store, project), None)
    assert "Classes, rolled up" in page
    assert HOSTILE not in page
    assert page.count("Chess") == 4  # as a class, below both of its parents, among the shares
    data = as_dict(report, None)
    assert data["tree"][3]["parents"] == ["1", "0"]
    assert {row["code"]: row["name"] for row in data["classes"]}["3"] == "Weather"
    lines = as_lines(report, None)
    assert any(line.startswith("  Ball games: ") for line in lines)
    assert any(line.startswith("Indoors: ") for line in lines)


def test_a_book_without_the_codes_of_the_classes_is_refused(store, made, tmp_path):
    with pytest.raises(DataError, match="must have all codes of the labels, but lacks '3'"):
        change_code_book(store, get_project(store), CodeBook(BOOK.entries[:5] + BOOK.entries[6:]))
    small = CodeBook((Entry("1", "Sport"),))
    with pytest.raises(DataError, match=r"but lacks '1\.1', '1\.1\.1', '1\.2', '2', '3'"):
        make_project(made, tmp_path / "new.satc", names=CODES, book=small)
    assert not (tmp_path / "new.satc").exists()
    with pytest.raises(DataError, match="closed project must have a hierarchy"):
        make_project(made, tmp_path / "new.satc", closed=True)


def test_settings_of_a_closed_project_are_checked():
    from satc.workbench.model.settings import Settings

    with pytest.raises(ValueError, match="closed must be false in a single-label project"):
        Settings("x", task="single-label", closed=True)


def test_a_project_without_a_book_has_none(client, made, tmp_path):
    path = make_project(made, tmp_path / "plain.satc")
    with closing(open_store(path)) as store:
        project = get_project(store)
        assert project.book is None
        assert project.names == project.classes
        report = make_report(store, project, read_history(store, project))
        assert "tree" not in as_dict(report, None)
        assert "code" not in as_dict(report, None)["classes"][0]


def uploaded(client, **fields):
    """Send labelled documents and a code book; return the line of the project when it is made."""
    words, codes = ("wheat", "ship", "copper"), ("1.1.1", "3", "1.2")
    rows = [(f"d{i}", words[(i + (i % 7 == 0)) % 3], codes[i % 3]) for i in range(60)]
    train = "id,text,labels\n" + "".join(f"{i},{t} {i},{c}\n" for i, t, c in rows)
    book = "code,name,parent\n1,Sport,\n1.1,Ball games,1\n1.1.1,Football,1.1\n1.2,Chess,1\n"
    files = {
        "documents": ("new.csv", b"id,text\na,wheat\nb,ship\n"),
        "train": ("train.csv", train.encode()),
        "classes": ("book.csv", (book + fields.pop("more", "3,Weather,\n")).encode()),
    }
    data = {"name": "sent", "task": "multi-label", "method": "random", "decide": "sign"} | fields
    answer = client.post("/api/v1/projects", data=data, files=files)
    assert answer.status_code == 202, answer.text
    while True:
        found = client.get("/api/v1/projects").json()["projects"]
        line = next((one for one in found if one["name"] == "sent"), None)
        if line is not None and line["state"] != "creating":
            return line
        time.sleep(0.05)


def test_a_code_book_can_be_sent_with_a_new_project(store, client):
    assert uploaded(client, closed="true")["error"] is None
    project = get_project(store, "sent")
    assert project.names == ("Sport", "Ball games", "Football", "Chess", "Weather")
    assert project.hierarchy == Hierarchy([[], [0], [1, 0], [0], []])
    labels = read_training(store, project).labels
    np.testing.assert_array_equal(labels, project.hierarchy.close(labels))


def test_a_code_book_that_is_sent_must_have_all_codes(client):
    line = uploaded(client, more="4,Weather,\n")
    assert line["state"] == "failed"
    assert "classes.csv must have all codes of train.csv, but lacks '3'" in line["error"]
    answer = client.post(
        "/api/v1/projects",
        data={"name": "x", "closed": "true"},
        files={"documents": ("d.csv", b"id,text\n"), "train": ("t.csv", b"")},
    )
    assert answer.status_code == 422
    assert answer.json()["detail"] == (
        "closed needs classes with the column 'parent', or hierarchy"
    )
