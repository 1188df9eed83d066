from calling import BASE
from fastapi.testclient import TestClient
from projects_made import make_project
from sqlalchemy import event

from satc.workbench.review import journal
from satc.workbench.store import StoreError, open_store
from satc.workbench.web.app import make_app


def test_a_lost_database_is_said_and_loses_nothing(client, monkeypatch):
    given = client.post(f"{BASE}/next").json()["assignment"]

    def full(*_):
        raise StoreError("claims.satc: database or disk is full")

    monkeypatch.setattr(journal, "append", full)
    url = f"{BASE}/leases/{given['lease']}/decision"
    answer = client.post(url, json={"labels": [0]})
    assert answer.status_code == 503
    assert "disk is full" in answer.json()["detail"]
    monkeypatch.undo()
    assert client.post(url, json={"labels": [0]}).status_code == 200
    assert client.get(f"{BASE}/status").json()["n_validated"] == 1


def test_a_postgresql_that_goes_away_is_said_and_loses_nothing(made, cluster):
    location = cluster.new_database()
    make_project(made, location)
    store = open_store(location)
    store.lock()
    app = make_app(store, estimating=False)
    base = "/api/v1/projects/made"
    with TestClient(app, base_url="http://127.0.0.1") as client:
        client.headers["Authorization"] = f"Bearer {app.state.authenticator.link_key}"
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
    given = client.post(f"{BASE}/next").json()["assignment"]
    url = f"{BASE}/leases/{given['lease']}/decision"
    engine = app.state.open_projects.store.engine
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
