import csv
import io
import json
import re
import time

import numpy as np
import pytest
from calling import BASE, labels_of
from fastapi.testclient import TestClient
from projects_made import make, make_project, write_files

import satc
from satc.workbench.project.history import read_history
from satc.workbench.reports.export import exported_documents
from satc.workbench.review.desk import open_desk
from satc.workbench.store import open_store
from satc.workbench.web.api.responses.documents import document_response
from satc.workbench.web.app import make_app


@pytest.mark.slow
def test_corrections_through_the_api_give_the_order_of_simulate(client, made):
    sim = satc.simulate(made.scores, made.y_true, **made.training, method="u-theoretic-dynamic")
    order = []
    while (assignment := client.post(f"{BASE}/next").json()["assignment"]) is not None:
        i = assignment["document"]["index"]
        order.append(i)
        sent = {"labels": labels_of(made, i)}
        answer = client.post(f"{BASE}/leases/{assignment['lease']}/decision", json=sent)
        assert answer.status_code == 200, answer.text
    assert order == sim.order.tolist()
    assert client.post(f"{BASE}/next").json()["reason"] == "All 40 documents are checked."


def test_an_assignment_shows_predicted_and_missed_labels_by_probability(client, made):
    assignment = client.post(f"{BASE}/next").json()["assignment"]
    i = assignment["document"]["index"]
    predicted = {one["class"] for one in assignment["predicted"]}
    assert predicted == set(np.flatnonzero(made.scores[i] >= 0).tolist())
    for part in ("predicted", "suggested"):
        listed = [one["probability"] for one in assignment[part]]
        assert listed == sorted(listed, reverse=True)
    assert not predicted & {one["class"] for one in assignment["suggested"]}
    assert assignment["document"]["columns"] == {"price": f"={i}"}


def test_labels_that_the_file_holds_are_exported_and_not_shown(tmp_path):
    names = ("wheat", "corn", "gold", "oil", "ship", "tea")
    columns = {"corn": [i % 2 for i in range(12)], "labels": ["gold"] * 12, "year": list(range(12))}
    make_project(make(n=12), tmp_path / "known.satc", names=names, columns=columns)
    store = open_store(tmp_path / "known.satc")
    desk = open_desk(store)
    assert [document_response(desk, i).columns for i in range(12)] == [
        {"year": i} for i in range(12)
    ]
    exported = exported_documents(store, desk.project, read_history(store, desk.project))
    assert [one.columns["corn"] for one in exported] == columns["corn"]
    store.close()


def test_a_reloaded_page_goes_on_where_it_was(client):
    first = client.post(f"{BASE}/next").json()["assignment"]
    again = client.get(f"{BASE}/assignments").json()["assignments"]
    assert [one["lease"] for one in again] == [first["lease"]]


def test_undo_gives_the_document_back_with_what_was_decided(client):
    first = client.post(f"{BASE}/next").json()["assignment"]
    client.post(f"{BASE}/leases/{first['lease']}/decision", json={"labels": [2]})
    undone = client.post(f"{BASE}/undo").json()["assignment"]
    assert undone["document"] == first["document"]
    assert undone["decided"] == [2]
    assert client.get(f"{BASE}/status").json()["n_validated"] == 0
    assert client.post(f"{BASE}/undo").status_code == 409


def test_a_repeated_decision_gets_the_same_answer_but_another_one_is_refused(client):
    given = client.post(f"{BASE}/next").json()["assignment"]
    url = f"{BASE}/leases/{given['lease']}/decision"
    saved = client.post(url, json={"labels": [2]})
    assert client.post(url, json={"labels": [2]}).json() == saved.json()
    refused = client.post(url, json={"labels": [1]})
    assert refused.status_code == 409
    assert "You have sent other labels" in refused.json()["detail"]
    document = client.get(f"{BASE}/documents/{given['document']['index']}").json()
    assert document["labels"] == [2]


def test_an_earlier_decision_can_be_read_and_replaced(client):
    first = client.post(f"{BASE}/next").json()["assignment"]
    i = first["document"]["index"]
    client.post(f"{BASE}/leases/{first['lease']}/decision", json={"labels": [2]})
    client.put(f"{BASE}/documents/{i}/decision", json={"labels": [1, 3]})
    (line,) = client.get(f"{BASE}/decisions").json()["decisions"]
    assert (line["document"]["index"], line["labels"]) == (i, [1, 3])
    shown = client.get(f"{BASE}/documents/{i}").json()
    assert (shown["labels"], shown["source"]) == ([1, 3], "human")


def test_flags_and_notes_are_kept(client):
    client.put(f"{BASE}/documents/3/flag", json={"flagged": True})
    client.put(f"{BASE}/documents/3/note", json={"note": "odd"})
    shown = client.get(f"{BASE}/documents/3").json()
    assert (shown["flagged"], shown["note"]) == (True, "odd")
    client.put(f"{BASE}/documents/3/flag", json={"flagged": False})
    client.put(f"{BASE}/documents/3/note", json={"note": ""})
    shown = client.get(f"{BASE}/documents/3").json()
    assert (shown["flagged"], shown["note"]) == (False, "")


def test_the_explanation_says_which_class_matters(client):
    i = client.post(f"{BASE}/next").json()["assignment"]["document"]["index"]
    explained = client.get(f"{BASE}/documents/{i}/explanation").json()
    worth = [one["contribution"] for one in explained["classes"]]
    assert worth == sorted(worth, reverse=True)
    assert f"class {explained['classes'][0]['class'] + 1}" in explained["sentence"]
    assert re.search(r"(is probably|may be) (wrong|missing) \(\d+%\)\.$", explained["sentence"])


@pytest.mark.slow
def test_the_live_estimate_moves_with_the_corrections(client, made, monkeypatch):
    monkeypatch.setattr("satc.workbench.review.accuracy.live._ESTIMATE_SECONDS", 0.0)
    client.app.state.open_projects.open("claims").live_accuracy.prepare()
    before = client.get(f"{BASE}/status").json()["accuracy"]["macro"]["value"]
    for _ in range(20):
        assignment = client.post(f"{BASE}/next").json()["assignment"]
        sent = {"labels": labels_of(made, assignment["document"]["index"])}
        client.post(f"{BASE}/leases/{assignment['lease']}/decision", json=sent)
    status = client.get(f"{BASE}/status").json()
    after = status["accuracy"]["macro"]
    assert after["low"] <= after["value"] <= after["high"]
    assert after["value"] > before
    assert [point["n"] for point in status["curve"]] == [0, 20]


def test_export_has_all_columns_and_no_formulas(client, made):
    first = client.post(f"{BASE}/next").json()["assignment"]
    i = first["document"]["index"]
    client.post(f"{BASE}/leases/{first['lease']}/decision", json={"labels": [0, 2]})
    answer = client.get(f"{BASE}/export?format=csv")
    assert "attachment" in answer.headers["content-disposition"]
    rows = list(csv.DictReader(io.StringIO(answer.text)))
    assert len(rows) == 40
    assert rows[i]["satc_labels"] == "class 1|class 3"
    assert (rows[i]["satc_source"], rows[i]["satc_rank"]) == ("human", "1")
    assert rows[i]["price"] == f"'={i}"
    assert {row["satc_source"] for j, row in enumerate(rows) if j != i} == {"automatic"}


@pytest.mark.parametrize("form", ["jsonl", "doccano", "label-studio", "parquet", "tsv"])
def test_every_format_can_be_downloaded(client, form):
    answer = client.get(f"{BASE}/export", params={"format": form})
    assert answer.status_code == 200
    assert len(answer.content) > 1000


def test_an_unknown_format_is_answered_with_the_known_ones(client):
    answer = client.get(f"{BASE}/export", params={"format": "xml"})
    assert answer.status_code == 422
    assert "csv" in answer.json()["detail"]


def upload(client, made, folder, **fields):
    files = write_files(made, folder)
    opened = {name: path.open("rb") for name, path in files.items()}
    try:
        return client.post("/api/v1/projects", data=fields, files=opened)
    finally:
        for file in opened.values():
            file.close()


def wait_for(client, name):
    for _ in range(1_200):
        lines = client.get("/api/v1/projects").json()["projects"]
        line = next((one for one in lines if one["name"] == name), None)
        if line is not None and line["state"] != "creating":
            return line
        time.sleep(0.05)
    raise TimeoutError


def test_a_project_can_be_made_by_upload(client, tmp_path):
    other = make(n=25, m=3, seed=5)
    fields = {"name": "second", "method": "u-theoretic-dynamic"}
    answer = upload(client, other, tmp_path / "up", **fields)
    assert answer.status_code == 202, answer.text
    assert wait_for(client, "second")["state"] == "ready"
    assert client.get("/api/v1/projects/second").json()["n_documents"] == 25
    assert upload(client, other, tmp_path / "up", **fields).status_code == 400


@pytest.mark.parametrize(("sent", "decide"), [({}, "sign"), ({"decide": "measure"}, "measure")])
def test_an_upload_of_scores_keeps_their_signs_unless_labels_are_to_be_chosen(
    client, tmp_path, sent, decide
):
    other = make(n=25, m=3, seed=5)
    fields = {"name": "second", "method": "u-theoretic-dynamic", **sent}
    assert upload(client, other, tmp_path / "up", **fields).status_code == 202
    assert wait_for(client, "second")["state"] == "ready"
    assert client.get("/api/v1/projects/second").json()["labels_by"] == decide
    labels = satc.decide(other.scores, method=fields["method"], decide=decide, **other.training)
    for i in range(25):
        state = client.get(f"/api/v1/projects/second/documents/{i}").json()
        assert state["labels"] == np.flatnonzero(labels.labels[i]).tolist()
    for _ in range(5):
        given = client.post("/api/v1/projects/second/next").json()["assignment"]
        shown = sorted(one["class"] for one in given["predicted"])
        assert shown == np.flatnonzero(labels.labels[given["document"]["index"]]).tolist()
    page = client.get("/p/second").text.partition("</head>")[2]  # the head has all texts
    assert ("Labels chosen for macro-F1." in page) == (decide == "measure")
    assert ("Labels by the sign of the score." in page) == (decide == "sign")


def test_an_upload_of_texts_has_chosen_labels(client, tmp_path):
    train, documents = tmp_path / "train.csv", tmp_path / "docs.csv"
    rng = np.random.default_rng(0)
    rows = [
        f"{i},{rng.choice(['wheat', 'gold'])} {i % 7},{rng.choice(['wheat', 'gold'])}"
        for i in range(60)
    ]
    train.write_text("\n".join(["id,text,labels", *rows]))
    documents.write_text("id,text\n1,wheat\n2,gold\n")
    with train.open("rb") as first, documents.open("rb") as second:
        files = {"train": first, "documents": second}
        fields = {"name": "second", "method": "u-theoretic-dynamic"}
        client.post("/api/v1/projects", data=fields, files=files)
    assert wait_for(client, "second")["state"] == "ready"
    assert client.get("/api/v1/projects/second").json()["labels_by"] == "measure"


def test_an_upload_says_the_language_and_what_is_counted(client, tmp_path):
    train, documents = tmp_path / "train.csv", tmp_path / "docs.csv"
    texts = {"happy": "今天大家都很开心", "sad": "他昨天非常难过"}
    rows = [f"{i},{text},{label}" for i in range(30) for label, text in texts.items()]
    rows = [f"{k}-{row}" for k, row in enumerate(rows)]
    train.write_text("\n".join(["id,text,labels", *rows]), encoding="utf-8")
    documents.write_text("id,text\n1,大家开心\n", encoding="utf-8")
    fields = {"name": "second", "language": "none", "analyzer": "words", "digits": "true"}
    with train.open("rb") as first, documents.open("rb") as second:
        client.post("/api/v1/projects", data=fields, files={"train": first, "documents": second})
    line = wait_for(client, "second")
    assert line["state"] == "ready", line["error"]
    state = client.get("/api/v1/projects/second").json()
    assert state["has_words"]
    words = client.get("/api/v1/projects/second/documents/0/words/0").json()["words"]
    assert any(one["weight"] > 0 for one in words)


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("language", "xx", "language must be 'auto', 'none' or one of"),
        ("analyzer", "chars", "Input should be 'auto', 'words', 'characters' or 'both'"),
    ],
)
def test_an_upload_with_an_unknown_analysis_is_refused(client, tmp_path, field, value, message):
    answer = upload(client, make(n=25), tmp_path / "up", name="x", **{field: value})
    assert answer.status_code == 422
    assert message in answer.text


def test_an_upload_with_an_unknown_way_to_decide_is_refused(client, tmp_path):
    answer = upload(client, make(n=25), tmp_path / "up", name="x", decide="vote")
    assert answer.status_code == 400
    assert "decide must be one of 'sign', 'measure', but is 'vote'" in answer.json()["detail"]


def test_a_faulty_upload_says_why_and_leaves_nothing(client, tmp_path):
    other = make(n=25, m=3, seed=5)
    other.texts.append("one more than there are scores")
    upload(client, other, tmp_path / "up", name="second", method="u-theoretic-dynamic")
    line = wait_for(client, "second")
    assert line["state"] == "failed"
    assert "must have a row for each document" in line["error"]
    assert client.get("/api/v1/projects/second").status_code == 404


def test_uploads_cannot_name_a_module_to_run(client, tmp_path):
    answer = upload(client, make(n=25), tmp_path / "up", name="x", learner="os:system")
    assert answer.status_code == 422


@pytest.mark.parametrize(
    ("method", "path", "sent", "code"),
    [
        ("post", "/leases/nothing/decision", {"labels": [0]}, 409),
        ("post", "/leases/nothing/decision", {"labels": [99]}, 422),
        ("post", "/leases/nothing/decision", {"labels": "all"}, 422),
        ("post", "/leases/nothing/decision", {"labels": [0], "seconds": -1}, 422),
        ("put", "/documents/40/flag", {"flagged": True}, 404),
        ("put", "/documents/0/note", {"note": "\x00"}, 422),
        ("put", "/documents/0/note", {"note": "\ud800"}, 422),
        ("put", "/documents/0/decision", {"labels": [0]}, 409),
        ("get", "/documents/0/words/6", None, 404),
        ("get", "/decisions?limit=0", None, 422),
    ],
)
def test_what_cannot_be_done_is_said_in_a_sentence(client, method, path, sent, code):
    content = None if sent is None else json.dumps(sent)
    headers = {"Content-Type": "application/json"}
    answer = client.request(method, BASE + path, content=content, headers=headers)
    assert answer.status_code == code, answer.text
    assert isinstance(answer.json()["detail"], str)


def test_an_unknown_project_is_not_found(client):
    assert client.get("/api/v1/projects/other/status").status_code == 404


@pytest.mark.slow
def test_the_plan_and_the_stopping_rule_follow_the_work(tmp_path, monkeypatch):
    monkeypatch.setattr("satc.workbench.review.accuracy.forecast._LEAST_SECONDS", 0.0)
    monkeypatch.setattr("satc.workbench.review.accuracy.forecast._PAUSE", 0.0)
    monkeypatch.setattr("satc.workbench.review.accuracy.live._ESTIMATE_SECONDS", 0.0)
    made = make(n=60)
    path = tmp_path / "claims.satc"
    make_project(made, path, stop="any(budget(documents=5), target(0.999, 0.99))")
    store = open_store(path)
    store.lock()
    app = make_app(store, estimating=False)
    with TestClient(app, base_url="http://127.0.0.1") as client:
        client.headers["Authorization"] = f"Bearer {app.state.authenticator.link_key}"
        opened = app.state.open_projects.open("claims")
        opened.live_accuracy.prepare()
        plan = client.get(f"{BASE}/plan", params={"target": 0.9, "hours": 1}).json()
        assert (plan["hours"], plan["bought"]) == (None, None)
        headline = client.get(f"{BASE}/status").json()["headline"]
        assert headline["level"] != "good"
        for _ in range(5):
            given = client.post(f"{BASE}/next").json()["assignment"]
            sent = {"labels": labels_of(made, given["document"]["index"]), "seconds": 36.0}
            client.post(f"{BASE}/leases/{given['lease']}/decision", json=sent)
        plan = client.get(f"{BASE}/plan", params={"target": 0.9, "hours": 0.1}).json()
        assert plan["hours"] == pytest.approx(plan["documents"] / 100)
        assert plan["bought"]["documents"] == 10
        status = client.get(f"{BASE}/status").json()
        assert status["headline"]["level"] == "good"
        assert status["headline"]["text"] == "You can stop. The budget of 5 documents is spent."
        assert status["messages"] == []
        assert client.get(f"{BASE}/plan", params={"target": 2}).status_code == 422
    store.close()


@pytest.mark.slow
def test_a_finished_project_is_still_told_about(tmp_path, monkeypatch):
    monkeypatch.setattr("satc.workbench.review.accuracy.live._ESTIMATE_SECONDS", 0.0)
    made = make(n=12)
    make_project(made, tmp_path / "claims.satc", stop="any(gain(0.001), nogain(50))")
    store = open_store(tmp_path / "claims.satc")
    store.lock()
    app = make_app(store, estimating=False)
    with TestClient(app, base_url="http://127.0.0.1") as client:
        client.headers["Authorization"] = f"Bearer {app.state.authenticator.link_key}"
        app.state.open_projects.open("claims").live_accuracy.prepare()
        while (given := client.post(f"{BASE}/next").json()["assignment"]) is not None:
            sent = {"labels": labels_of(made, given["document"]["index"]), "seconds": 3.0}
            client.post(f"{BASE}/leases/{given['lease']}/decision", json=sent)
        status = client.get(f"{BASE}/status")
        assert status.status_code == 200
        assert status.json()["accuracy"]["micro"]["low"] == 1.0
        assert status.json()["headline"]["text"] == "All 12 documents are checked."
        assert status.json()["documents_left"] == 0
        plan = client.get(f"{BASE}/plan")
        assert (plan.status_code, "Nothing is left" in plan.text) == (409, True)
    store.close()
