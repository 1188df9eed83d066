import csv
import io
import json
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from fastapi.testclient import TestClient
from projects_made import make, make_project, write_files

import satc
from satc.workbench.access import TooManyAttemptsError, add_user, new_token
from satc.workbench.app import make_app
from satc.workbench.store import open_store

PASSWORD = "correct horse battery"  # noqa: S105


@pytest.fixture
def made():
    return make(n=40)


@pytest.fixture
def app(made, tmp_path):
    path = tmp_path / "claims.satc"
    make_project(made, path, columns={"price": [f"={i}" for i in range(40)]})
    store = open_store(path)
    store.lock()
    yield make_app(store, estimating=False)
    store.close()


@pytest.fixture
def client(app):
    """The only person there is."""
    with TestClient(app, base_url="http://127.0.0.1") as client:
        client.headers["Authorization"] = f"Bearer {app.state.access.link_key}"
        yield client


BASE = "/api/v1/projects/claims"


def labels_of(made, i):
    return np.flatnonzero(made.y_true[i]).tolist()


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
    assert client.post(f"{BASE}/next").json()["reason"] == "Every document is validated."


def test_an_assignment_shows_predicted_and_missed_labels_by_contribution(client, made):
    assignment = client.post(f"{BASE}/next").json()["assignment"]
    i = assignment["document"]["index"]
    predicted = {one["class"] for one in assignment["predicted"]}
    assert predicted == set(np.flatnonzero(made.scores[i] >= 0).tolist())
    for part in ("predicted", "suggested"):
        worth = [one["contribution"] for one in assignment[part]]
        assert worth == sorted(worth, reverse=True)
    assert not predicted & {one["class"] for one in assignment["suggested"]}
    assert assignment["document"]["columns"] == {"price": f"={i}"}


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


def test_the_live_estimate_moves_with_the_corrections(client, made, monkeypatch):
    monkeypatch.setattr("satc.workbench.monitor._LEAST_SECONDS", 0.0)
    client.app.state.desks.open("claims").monitor.prepare()
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
    for _ in range(600):
        lines = client.get("/api/v1/projects").json()["projects"]
        line = next((one for one in lines if one["name"] == name), None)
        if line is not None and line["state"] != "creating":
            return line
    raise TimeoutError


def test_a_project_can_be_made_by_upload(client, tmp_path):
    other = make(n=25, m=3, seed=5)
    fields = {"name": "second", "method": "u-theoretic-dynamic"}
    answer = upload(client, other, tmp_path / "up", **fields)
    assert answer.status_code == 202, answer.text
    assert wait_for(client, "second")["state"] == "ready"
    assert client.get("/api/v1/projects/second").json()["n_documents"] == 25
    assert upload(client, other, tmp_path / "up", **fields).status_code == 400


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


# Who may come in


@pytest.fixture
def team(app, made, tmp_path):
    path = tmp_path / "team.satc"
    make_project(made, path)
    store = open_store(path)
    add_user(store, "ann", "annotator", PASSWORD)
    add_user(store, "max", "manager", PASSWORD)
    store.lock()
    yield make_app(store, estimating=False)
    store.close()


@pytest.fixture
def stranger(team):
    with TestClient(team, base_url="http://workbench.example", follow_redirects=False) as client:
        yield client


def log_in(client, name, password=PASSWORD):
    return client.post("/login", data={"name": name, "password": password})


def csrf(client):
    return {"X-CSRF-Token": client.get("/api/v1/me").json()["csrf_token"]}


TEAM = "/api/v1/projects/team"


def test_nobody_comes_in_without_a_password_token_or_link(stranger, client):
    assert stranger.get("/").headers["location"] == "/login"
    assert stranger.get(f"{TEAM}/status").status_code == 401
    assert stranger.get(f"{TEAM}/status", headers={"Authorization": "Bearer x"}).status_code == 401
    assert stranger.get("/enter?key=").status_code == 403
    del client.headers["Authorization"]
    assert client.get(f"{BASE}/status").status_code == 401
    assert client.get("/enter?key=wrong").status_code == 403


def test_the_secret_link_lets_the_only_person_in(app, client):
    del client.headers["Authorization"]
    answer = client.get(f"/enter?key={app.state.access.link_key}", follow_redirects=False)
    cookie = answer.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=strict" in cookie
    assert client.get("/api/v1/me").json()["single_user"]


def test_a_password_opens_a_session_that_a_new_password_ends(stranger, team):
    assert log_in(stranger, "ann", "wrong").status_code == 401
    assert log_in(stranger, "nobody").status_code == 401
    assert log_in(stranger, "ann").headers["location"] == "/"
    assert stranger.get("/api/v1/me").json()["name"] == "ann"
    from satc.workbench.access import hashed
    from satc.workbench.store.users import change_user

    change_user(team.state.desks.store, "ann", password=hashed("another password"))
    assert stranger.get("/api/v1/me").status_code == 401


def test_guessing_passwords_is_slowed_down(stranger):
    codes = [log_in(stranger, "ann", f"guess {i}").status_code for i in range(7)]
    assert codes == [401] * 5 + [429] * 2
    assert log_in(stranger, "ann").status_code == 429
    assert log_in(stranger, "max").status_code == 303


def test_a_cookie_alone_changes_nothing(stranger):
    log_in(stranger, "ann")
    assert stranger.post(f"{TEAM}/next").status_code == 403
    assert stranger.post(f"{TEAM}/next", headers={"X-CSRF-Token": "x"}).status_code == 403
    assert stranger.post(f"{TEAM}/next", headers=csrf(stranger)).status_code == 200
    assert stranger.post("/logout").status_code == 403


def test_another_site_cannot_log_somebody_in(stranger):
    sent = {"name": "ann", "password": PASSWORD}
    answer = stranger.post("/login", data=sent, headers={"Origin": "https://evil.example"})
    assert answer.status_code == 403


def test_logging_out_ends_the_session(stranger):
    log_in(stranger, "ann")
    token = csrf(stranger)["X-CSRF-Token"]
    assert stranger.post("/logout", data={"csrf_token": token}).status_code == 303
    assert stranger.get("/api/v1/me").status_code == 401


def test_annotators_neither_export_nor_make_projects(team):
    store = team.state.desks.store
    with TestClient(team, base_url="http://workbench.example") as client:
        for name, code in (("ann", 403), ("max", 200)):
            client.headers["Authorization"] = f"Bearer {new_token(store, name)}"
            assert client.get(f"{TEAM}/export").status_code == code
        client.headers["Authorization"] = f"Bearer {new_token(store, 'ann')}"
        answer = client.post(
            "/api/v1/projects", data={"name": "x"}, files={"documents": ("a.csv", b"id,text\n")}
        )
        assert answer.status_code == 403


def test_only_a_manager_changes_somebody_elses_decision(team):
    store = team.state.desks.store
    with TestClient(team, base_url="http://workbench.example") as client:
        ann, boss = (
            {"Authorization": f"Bearer {new_token(store, name)}"} for name in ("ann", "max")
        )
        given = client.post(f"{TEAM}/next", headers=boss).json()["assignment"]
        sent = {"labels": [0]}
        client.post(f"{TEAM}/leases/{given['lease']}/decision", json=sent, headers=boss)
        url = f"{TEAM}/documents/{given['document']['index']}/decision"
        assert client.put(url, json={"labels": [1]}, headers=ann).status_code == 409
        assert client.put(url, json={"labels": [1]}, headers=boss).status_code == 200


def test_without_users_only_the_machine_itself_is_served(app):
    with TestClient(app, base_url="http://rebound.example") as client:
        assert client.get("/login").status_code == 400


def test_pages_and_answers_carry_the_protecting_headers(client):
    for path in ("/login", "/api/v1/me", "/static/style.css", "/nothing"):
        headers = client.get(path).headers
        assert "default-src 'none'" in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "same-origin"
    assert client.get("/api/v1/me").headers["cache-control"] == "no-store"


def test_too_large_a_body_is_refused(client):
    answer = client.put(f"{BASE}/documents/0/note", content=b"x" * (5 << 20))
    assert answer.status_code == 413


def test_a_lost_database_is_said_and_loses_nothing(client, monkeypatch):
    from satc.workbench import desk as desk_module
    from satc.workbench.store import StoreError

    given = client.post(f"{BASE}/next").json()["assignment"]

    def full(*_):
        raise StoreError("claims.satc: database or disk is full")

    monkeypatch.setattr(desk_module, "append", full)
    url = f"{BASE}/leases/{given['lease']}/decision"
    answer = client.post(url, json={"labels": [0]})
    assert answer.status_code == 503
    assert "disk is full" in answer.json()["detail"]
    monkeypatch.undo()
    assert client.post(url, json={"labels": [0]}).status_code == 200
    assert client.get(f"{BASE}/status").json()["n_validated"] == 1


def test_the_plan_and_the_stopping_rule_follow_the_work(tmp_path, monkeypatch):
    monkeypatch.setattr("satc.workbench.monitor._KEPT_SECONDS", 0.0)
    monkeypatch.setattr("satc.workbench.monitor._LEAST_SECONDS", 0.0)
    made = make(n=60)
    path = tmp_path / "claims.satc"
    make_project(made, path, stop="any(budget(documents=5), target(0.999, 0.99))")
    store = open_store(path)
    store.lock()
    app = make_app(store, estimating=False)
    with TestClient(app, base_url="http://127.0.0.1") as client:
        client.headers["Authorization"] = f"Bearer {app.state.access.link_key}"
        opened = app.state.desks.open("claims")
        opened.monitor.prepare()
        plan = client.get(f"{BASE}/plan", params={"target": 0.9, "hours": 1}).json()
        assert (plan["hours"], plan["bought"]) == (None, None)
        assert client.get(f"{BASE}/status").json()["messages"] == []
        for _ in range(5):
            given = client.post(f"{BASE}/next").json()["assignment"]
            sent = {"labels": labels_of(made, given["document"]["index"]), "seconds": 36.0}
            client.post(f"{BASE}/leases/{given['lease']}/decision", json=sent)
        plan = client.get(f"{BASE}/plan", params={"target": 0.9, "hours": 0.1}).json()
        assert plan["hours"] == pytest.approx(plan["documents"] / 100)
        assert plan["bought"]["documents"] == 10
        (message,) = client.get(f"{BASE}/status").json()["messages"]
        assert message.startswith("The work may end: the budget of 5 documents is spent")
        assert client.get(f"{BASE}/plan", params={"target": 2}).status_code == 422
    store.close()


def test_a_postgresql_that_goes_away_is_said_and_loses_nothing(made, cluster):
    location = cluster.new_database()
    make_project(made, location)
    store = open_store(location)
    store.lock()
    app = make_app(store, estimating=False)
    base = "/api/v1/projects/made"
    with TestClient(app, base_url="http://127.0.0.1") as client:
        client.headers["Authorization"] = f"Bearer {app.state.access.link_key}"
        first, second = (client.post(f"{base}/next").json()["assignment"] for _ in range(2))
        url = f"{base}/leases/{first['lease']}/decision"
        assert client.post(url, json={"labels": [1]}).status_code == 200
        cluster.halt()
        url = f"{base}/leases/{second['lease']}/decision"
        answer = client.post(url, json={"labels": [2]})
        assert answer.status_code == 503
        assert "\n" not in answer.json()["detail"]
        cluster.start()
        assert client.post(url, json={"labels": [2]}).status_code == 200
        assert client.get(f"{base}/status").json()["n_validated"] == 2
        assert client.post(f"{base}/next").status_code == 200
    store.close()


def test_a_disk_that_is_really_full_is_said_and_loses_nothing(client, app):
    from sqlalchemy import event

    given = client.post(f"{BASE}/next").json()["assignment"]
    url = f"{BASE}/leases/{given['lease']}/decision"
    engine = app.state.desks.store.engine
    engine.dispose()

    def no_room(connection, _):
        pages = connection.execute("PRAGMA page_count").fetchone()[0]
        connection.execute(f"PRAGMA max_page_count = {pages}")

    event.listen(engine, "connect", no_room)
    note = {"note": "n" * 10_000}
    answers = [client.put(f"{BASE}/documents/{i}/note", json=note) for i in range(10)]
    assert {answer.status_code for answer in answers} <= {200, 503}
    assert answers[-1].status_code == 503
    assert "full" in answers[-1].json()["detail"]
    event.remove(engine, "connect", no_room)
    engine.dispose()
    assert client.post(url, json={"labels": [0]}).status_code == 200
    kept = [client.get(f"{BASE}/documents/{i}").json()["note"] != "" for i in range(10)]
    assert kept == [answer.status_code == 200 for answer in answers]


def test_many_guesses_at_once_do_not_slip_through(team):
    access = team.state.access
    with ThreadPoolExecutor(12) as pool:
        tries = [pool.submit(access.by_password, "ann", f"guess {i}", "here") for i in range(12)]
    refused = [t for t in tries if isinstance(t.exception(), TooManyAttemptsError)]
    assert len(refused) == 7


def test_a_finished_project_is_still_told_about(tmp_path, monkeypatch):
    monkeypatch.setattr("satc.workbench.monitor._LEAST_SECONDS", 0.0)
    made = make(n=12)
    make_project(made, tmp_path / "claims.satc", stop="any(gain(0.001), nogain(50))")
    store = open_store(tmp_path / "claims.satc")
    store.lock()
    app = make_app(store, estimating=False)
    with TestClient(app, base_url="http://127.0.0.1") as client:
        client.headers["Authorization"] = f"Bearer {app.state.access.link_key}"
        app.state.desks.open("claims").monitor.prepare()
        while (given := client.post(f"{BASE}/next").json()["assignment"]) is not None:
            sent = {"labels": labels_of(made, given["document"]["index"]), "seconds": 3.0}
            client.post(f"{BASE}/leases/{given['lease']}/decision", json=sent)
        status = client.get(f"{BASE}/status")
        assert status.status_code == 200
        assert status.json()["accuracy"]["micro"]["low"] == 1.0
        plan = client.get(f"{BASE}/plan")
        assert (plan.status_code, "nothing is left" in plan.text) == (409, True)
    store.close()
