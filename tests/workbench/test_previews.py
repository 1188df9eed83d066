"""Files that are looked at before a project is made from them, over HTTP."""

import io
import json
import time
import zipfile

import pytest
from calling import bearer, csrf, log_in
from fastapi.testclient import TestClient
from projects_made import make_project, make_single

from satc.files import write_table
from satc.workbench.review.creating.jobs import CreationJob
from satc.workbench.store import open_store
from satc.workbench.store.projects import get_project
from satc.workbench.web.access.accounts import add_user
from satc.workbench.web.api import kept_files
from satc.workbench.web.app import make_app

PASSWORD = "correct horse battery"  # noqa: S105
WORDS = {"anger": "angry furious shouting", "fear": "afraid dark scared"}
PARTS = ("documents", "train", "embeddings")


@pytest.fixture
def app(tmp_path):
    store = open_store(make_project(make_single(n=8), tmp_path / "first.satc"))
    yield make_app(store, estimating=False)
    store.close()


@pytest.fixture
def client(app):
    with TestClient(app, base_url="http://127.0.0.1") as client:
        client.headers["Authorization"] = f"Bearer {app.state.authenticator.link_key}"
        yield client


@pytest.fixture
def team(tmp_path):
    store = open_store(make_project(make_single(n=8), tmp_path / "team.satc"))
    for name, role in (("ann", "manager"), ("ben", "manager"), ("cat", "annotator")):
        add_user(store, name, role, PASSWORD)
    app = make_app(store, estimating=False)
    with TestClient(app, base_url="http://127.0.0.1") as client:
        yield client
    store.close()


def coded_csv(n=60, prefix="t"):
    rows = ["nr,what they said,anger,fear"]
    for i in range(n):
        anger, fear = int(i % 3 != 0), int(i % 3 != 1)
        words = [WORDS[name] for name, one in (("anger", anger), ("fear", fear)) if one]
        rows.append(f"{prefix}{i},{' '.join(words)} today {i},{anger},{fear}")
    return "\n".join(rows).encode()


def look(client, name, content, **fields):
    answer = client.post("/api/v1/preview", data=fields, files={"file": (name, content)})
    assert answer.status_code == 200, answer.text
    return answer.json()


def again(client, token, **fields):
    answer = client.post("/api/v1/preview", data={"token": token, "mapped": "true", **fields})
    assert answer.status_code == 200, answer.text
    return answer.json()


def create(client, **fields):
    answer = client.post("/api/v1/projects", data=fields)
    assert answer.status_code == 202, answer.text
    for _ in range(1_200):
        found = client.get("/api/v1/projects").json()["projects"]
        line = next(one for one in found if one["name"] == fields["name"])
        if line["state"] != "creating":
            return line
        time.sleep(0.05)
    raise TimeoutError


def test_a_project_is_shown_once_and_is_ready_when_its_job_has_ended(app, client):
    creations = app.state.open_projects.creations
    job = creations.add("first", CreationJob("First"))

    def states():
        projects = client.get("/api/v1/projects").json()["projects"]
        return [(one["name"], one["state"]) for one in projects]

    assert states() == [("first", "creating")]
    creations.dismiss("first")
    assert states() == [("first", "ready")]
    creations.add("first", job).fail("the creator cannot become a member")
    assert states() == [("first", "ready"), ("first", "failed")]


def test_a_file_is_understood_at_once(client):
    seen = look(client, "coded.csv", coded_csv(), part="train")
    assert seen["guess"]["id_column"] == "nr"
    assert seen["guess"]["text_column"] == "what they said"
    assert seen["guess"]["label_columns"] == "anger,fear"
    assert seen["format"]["kind"] == "csv"
    understood = seen["understood"]
    assert (understood["n_documents"], understood["complete"]) == (60, True)
    assert {one["name"] for one in understood["classes"]} == {"anger", "fear"}
    assert understood["task"] == "multi-label"
    assert seen["rows"][0][0] == "t0"


def test_columns_are_mapped_by_hand_without_sending_the_file_again(client):
    content = b"a,b,c\n1,first text,x\n2,second text,y\n"
    seen = look(client, "f.csv", content, part="train")
    seen = again(
        client,
        seen["token"],
        part="train",
        id_column="c",
        text_column="b",
        labels_column="a",
    )
    assert [one["name"] for one in seen["understood"]["classes"]] == ["1", "2"]
    assert seen["understood"]["task"] == "single-label"
    seen = again(client, seen["token"], part="train", id_column="nothing", text_column="b")
    assert seen["error"] == "the file must have the column 'nothing', but has none of this name"


def test_a_project_is_made_from_files_whose_columns_have_different_names(client, app):
    train = look(client, "coded.csv", coded_csv(), part="train")["token"]
    new = b"case,verbatim\nn1,angry and shouting\nn2,afraid of the dark\n"
    documents = look(client, "new.csv", new)["token"]
    fields = {
        "name": "moods",
        "kept": json.dumps({"train": train, "documents": documents}),
        "id_column": "case",
        "text_column": "verbatim",
        "train_id_column": "nr",
        "train_text_column": "what they said",
        "label_columns": "anger,fear",
        "overlap": "25%",
        "stop": "budget(hours=8)",
        "lease": "10",
        "error_costs": "1,5",
        "prior_shift": "on",
        "folds": "3",
        "cap": "2",
    }
    line = create(client, **fields)
    assert (line["error"], line["n_documents"], line["n_classes"]) == (None, 2, 2)
    settings = get_project(app.state.open_projects.store, "moods").settings
    assert (settings.overlap, settings.lease_seconds, settings.cap) == (0.25, 600, 2)
    assert (settings.error_costs, settings.stop) == ((1.0, 5.0), "budget(hours=8)")
    assert settings.prior_shift is True
    assert (settings.id_column, settings.text_column) == ("case", "verbatim")
    gone = client.post("/api/v1/preview", data={"token": train})
    assert gone.status_code == 404  # files are deleted when the project is complete


@pytest.mark.parametrize(
    ("name", "content"),
    [("book.csv", b"code,name\n1,Sport\n2,Chess\n"), ("book.txt", b"Sport\nChess\n")],
)
def test_a_code_book_is_looked_at_in_all_its_forms(client, name, content):
    seen = look(client, name, content, part="classes")
    assert seen["error"] is None
    assert [one["name"] for one in seen["understood"]["classes"]] == ["Sport", "Chess"]


def test_what_is_wrong_with_a_code_book_is_said(client):
    seen = look(client, "book.csv", b"code,name\n1,Sport\n1,Chess\n", part="classes")
    assert "book.csv" in seen["error"]


@pytest.mark.parametrize(
    ("name", "content"), [("weights.json", b'{"a": 2}'), ("v.npy", b"\x93NUMPY"), ("a.txt", b"a")]
)
def test_other_files_are_kept_without_a_look(client, name, content):
    seen = look(client, name, content, part="other")
    assert (seen["error"], seen["rows"], seen["understood"]) == (None, [], None)


def test_vectors_must_be_a_file_of_vectors_not_a_model(client):
    tokens = {part: look(client, "a.csv", coded_csv(), part="train")["token"] for part in PARTS}
    line = create(
        client,
        name="vectors",
        kept=json.dumps(tokens),
        id_column="nr",
        text_column="what they said",
        label_columns="anger,fear",
    )
    assert line["error"] == "embeddings.csv must be a file of vectors: .npy, .npz or .parquet"


def test_labels_in_the_file_of_the_documents_are_predictions(client):
    token = look(client, "new.csv", coded_csv(30), part="predictions")["token"]
    line = create(
        client,
        name="moods",
        kept=json.dumps({"documents": token, "predictions": token}),
        id_column="nr",
        text_column="what they said",
        class_columns="anger,fear",
        kind="labels",
        audit="50%",
    )
    assert (line["error"], line["n_documents"], line["n_classes"]) == (None, 30, 2)


def test_predictions_are_looked_at_as_predictions(client):
    content = b"id,label\n1,a\n2,b\n"
    seen = look(client, "p.csv", content, part="predictions")
    assert (seen["understood"]["kind"], seen["understood"]["task"]) == ("labels", "single-label")


def workbook(tmp_path):
    write_table(tmp_path / "a.xlsx", {"Id": ["1", "2"], "Text": ["a b", "c d"]})
    return (tmp_path / "a.xlsx").read_bytes()


def test_the_sheet_of_a_workbook_is_named(client, tmp_path):
    seen = look(client, "a.xlsx", workbook(tmp_path))
    assert (seen["sheet"], seen["format"]["sheets"]) == ("satc", ["satc"])
    assert seen["understood"]["n_documents"] == 2


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("a.csv", b"", "a.csv must begin with a line that names the columns"),
        ("a.csv", b"id,text\n\xff\xfe\xfa,\x81\x8d\n", "a.csv, line 2 must be UTF-8"),
        ("a.xlsx", b"not a workbook", "a.xlsx must be an .xlsx file"),
        ("a.parquet", b"PAR1", "a.parquet must be a Parquet file"),
        ("a.jsonl", b"[1]\n", "a.jsonl, line 1 must be a JSON object"),
        ("a.csv.gz", b"\x1f\x8b\x08 cut", "a.csv.gz is damaged or cut off"),
        ("a.csv", b"id,id\n1,2\n", "a.csv: column names must differ"),
    ],
)
def test_a_wrong_file_is_answered_with_a_sentence_that_names_it(client, name, content, said):
    seen = look(client, name, content)
    assert seen["error"].startswith(said)
    assert "/tmp" not in seen["error"]  # noqa: S108


def test_a_bomb_is_not_unpacked(client, monkeypatch):
    monkeypatch.setattr("satc.files.archives.UNPACKED_LIMIT", 1 << 20)
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("[Content_Types].xml", "<a/>")
        archive.writestr("_rels/.rels", "<a>" + " " * (8 << 20) + "</a>")
    seen = look(client, "bomb.xlsx", data.getvalue())
    assert "unpacks to more than" in seen["error"]


def test_rows_with_errors_are_named_by_the_name_of_the_users_file(client):
    seen = look(client, "answers 2024.csv", b"id,text\n1,a\n1,b\n")
    assert seen["understood"]["faults"][0].startswith("answers 2024.csv, line 3: 'id' must differ")


@pytest.mark.parametrize("name", ["run.exe", "noending", ".gz"])
def test_a_file_with_another_ending_is_refused(client, name):
    answer = client.post("/api/v1/preview", files={"file": (name, b"x")})
    assert answer.status_code == 422
    assert "must be a file that ends in .csv" in answer.json()["detail"]


def test_a_name_with_control_characters_is_cleaned(client):
    assert look(client, "a\u202eb.csv", b"id,text\n1,a\n")["name"] == "ab.csv"


def test_only_managers_look_at_files(team):
    log_in(team, "cat")
    answer = team.post("/api/v1/preview", files={"file": ("a.csv", b"x")}, headers=csrf(team))
    assert answer.status_code == 403
    team.cookies.clear()
    assert team.post("/api/v1/preview", files={"file": ("a.csv", b"x")}).status_code == 401


def test_the_file_of_another_manager_cannot_be_used(team):
    ann, ben = (bearer(team.app, name) for name in ("ann", "ben"))
    sent = team.post("/api/v1/preview", files={"file": ("a.csv", b"id,text\n1,a\n")}, headers=ann)
    token = sent.json()["token"]
    assert team.post("/api/v1/preview", data={"token": token}, headers=ann).status_code == 200
    assert team.post("/api/v1/preview", data={"token": token}, headers=ben).status_code == 404
    kept = json.dumps({"documents": token, "predictions": token})
    used = team.post("/api/v1/projects", data={"name": "x", "kept": kept}, headers=ben)
    assert used.status_code == 404
    team.delete(f"/api/v1/preview/{token}", headers=ben)
    assert team.post("/api/v1/preview", data={"token": token}, headers=ann).status_code == 200
    team.delete(f"/api/v1/preview/{token}", headers=ann)
    assert team.post("/api/v1/preview", data={"token": token}, headers=ann).status_code == 404


def test_a_user_keeps_a_limited_number_of_files(client, monkeypatch):
    monkeypatch.setattr(kept_files, "MOST_PER_USER", 2)
    tokens = [look(client, "a.csv", b"id,text\n1,a\n")["token"] for _ in range(3)]
    codes = [client.post("/api/v1/preview", data={"token": one}).status_code for one in tokens]
    assert codes == [404, 200, 200]


def test_files_are_deleted_when_they_are_old(client, monkeypatch):
    token = look(client, "a.csv", b"id,text\n1,a\n")["token"]
    monkeypatch.setattr(kept_files, "SECONDS", -1.0)
    look(client, "b.csv", b"id,text\n1,a\n")
    assert client.post("/api/v1/preview", data={"token": token}).status_code == 404


@pytest.mark.parametrize("limit", ["MOST_FILES", "MOST_BYTES"])
def test_a_full_server_says_so(client, monkeypatch, limit):
    monkeypatch.setattr(kept_files, limit, 0)
    answer = client.post("/api/v1/preview", files={"file": ("a.csv", b"id,text\n1,a\n")})
    assert answer.status_code == 503
    assert "try again in an hour" in answer.json()["detail"]


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"kept": "[]"}, "kept must be a JSON object of strings"),
        ({"kept": '{"password": "x"}'}, "kept must name files of a project"),
        ({"kept": '{"documents": "x"}', "overlap": "7"}, "either train, predictions or scores"),
    ],
)
def test_fields_that_cannot_be_used_are_refused(client, fields, said):
    answer = client.post("/api/v1/projects", data={"name": "x"} | fields)
    assert answer.status_code == 422
    assert answer.json()["detail"].startswith(said)


def test_shares_and_rules_are_checked_as_the_command_checks_them(client):
    token = look(client, "a.csv", b"id,label,text\n1,a,x\n2,b,y\n")["token"]
    kept = json.dumps({"documents": token, "predictions": token})
    for fields, said in (
        ({"overlap": "7"}, "overlap must be a share such as 10% or 0.1, but is '7'"),
        ({"stop": "never"}, "stop: "),
        ({"error_costs": "many"}, "error_costs must be two numbers such as 1,5"),
        ({"method": "u-theoretic"}, "method 'u-theoretic' needs oof_scores and y_train"),
    ):
        answer = client.post("/api/v1/projects", data={"name": "x", "kept": kept} | fields)
        assert answer.status_code == 400
        assert answer.json()["detail"].startswith(said)


def test_a_failed_project_is_dismissed(client):
    token = look(client, "a.csv", b"id,text\n1,a\n")["token"]
    line = create(client, name="bad", kept=json.dumps({"documents": token, "train": token}))
    assert line["state"] == "failed"
    assert client.delete("/api/v1/projects/bad/creation").status_code == 200
    names = [one["name"] for one in client.get("/api/v1/projects").json()["projects"]]
    assert "bad" not in names
    assert client.delete("/api/v1/projects/bad/creation").status_code == 404
    # The files are still there, so that the person can correct the columns and try again.
    assert client.post("/api/v1/preview", data={"token": token}).status_code == 200
