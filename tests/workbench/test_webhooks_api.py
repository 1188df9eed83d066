"""Webhooks by HTTP and by command, and sent by a real server that is killed."""

from __future__ import annotations

import json

import pytest
from calling import BASE, TEAM, bearer
from projects_made import make, make_project
from receiver import Receiver
from serving import Site
from typer.testing import CliRunner

from satc.cli import app as command
from satc.workbench.model.webhooks.networks import EVERYWHERE
from satc.workbench.model.webhooks.signature import sign
from satc.workbench.review.webhooks.request import Post
from satc.workbench.store.webhooks.addresses import add_webhook, list_webhooks

PUBLIC = "https://8.8.8.8/hook"


@pytest.fixture
def receiver():
    running = Receiver()
    yield running
    running.close()


@pytest.fixture
def allowing(app):
    """Allow webhooks to this machine."""
    app.state.webhooks.post = Post(EVERYWHERE)
    return app


def add(client, url=PUBLIC, events=("decision",)):
    return client.post(f"{BASE}/webhooks", json={"url": url, "events": list(events)})


def decide(client):
    given = client.post(f"{BASE}/next").json()["assignment"]
    answer = client.post(f"{BASE}/leases/{given['lease']}/decision", json={"labels": [0]})
    assert answer.status_code == 200
    return given["document"]["id"]


def test_a_webhook_is_added_listed_and_removed(client):
    added = add(client, events=("finished", "decision"))
    assert added.status_code == 201
    assert added.json()["secret"].startswith("whsec_")
    (found,) = client.get(f"{BASE}/webhooks").json()["webhooks"]
    assert (found["url"], found["events"]) == (PUBLIC, ["decision", "finished"])
    assert (found["n_waiting"], found["failing_since"]) == (0, None)
    one = f"{BASE}/webhooks/{found['key']}"
    assert client.delete(one).status_code == 200
    assert client.delete(one).status_code == 404
    assert client.get(f"{one}/deliveries").status_code == 404
    assert client.get(f"{BASE}/webhooks").json() == {"webhooks": []}


def test_the_secret_of_a_webhook_is_shown_once(client):
    secret = add(client).json()["secret"]
    decide(client)
    key = client.get(f"{BASE}/webhooks").json()["webhooks"][0]["key"]
    for path in ("/webhooks", f"/webhooks/{key}/deliveries", "/settings"):
        assert secret not in client.get(f"{BASE}{path}").text
    assert secret not in client.get("/p/claims/webhooks").text


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("http://127.0.0.1:8765/", "not a public address"),
        ("http://[::ffff:10.0.0.1]/", "not a public address"),
        ("http://2130706433/", "not a public address"),
        ("ftp://example.org/", "url must be an address such as"),
        ("https://nobody.invalid/", "no host nobody.invalid"),
    ],
)
def test_addresses_that_cannot_be_used_are_refused_at_once(url, said, client):
    answer = add(client, url)
    assert answer.status_code == 400
    assert said in answer.json()["detail"]


def test_events_that_do_not_exist_are_refused(client):
    assert add(client, events=("everything",)).status_code == 422
    assert add(client, events=()).status_code == 422


def test_what_waits_is_listed(client):
    key = add(client).json()["key"]
    decide(client)
    (waiting,) = client.get(f"{BASE}/webhooks/{key}/deliveries").json()["deliveries"]
    assert (waiting["type"], waiting["state"], waiting["attempts"]) == ("decision", "waiting", 0)
    assert client.get(f"{BASE}/webhooks").json()["webhooks"][0]["n_waiting"] == 1


def test_a_test_message_is_sent_at_once(client, allowing, receiver):
    added = add(client, receiver.url).json()
    receiver.answers.append(500)
    path = f"{BASE}/webhooks/{added['key']}/test"
    assert client.post(path).json() == {
        "delivered": False,
        "status": 500,
        "error": "the receiver has refused the message",
    }
    assert client.post(path).json() == {"delivered": True, "status": 204, "error": None}
    for one in receiver.take(2):
        assert (one.message["type"], one.message["project"]) == ("test", "claims")
        seconds = int(one.headers["Satc-Webhook-Timestamp"])
        assert one.headers["Satc-Signature"] == sign(added["secret"], one.id, seconds, one.body)


def test_a_test_does_not_reach_private_addresses(app, client, receiver):
    store = app.state.open_projects.store
    key = add_webhook(store, 1, receiver.url, ["decision"], "max").key
    answer = client.post(f"{BASE}/webhooks/{key}/test").json()
    assert not answer["delivered"]
    assert "not a public address" in answer["error"]
    assert receiver.received.empty()


def test_annotators_do_nothing_with_webhooks(team, stranger):
    ann = bearer(team, "ann")
    for method, path, sent in (
        ("GET", "", None),
        ("POST", "", {"url": PUBLIC, "events": ["decision"]}),
        ("DELETE", "/1", None),
        ("POST", "/1/test", None),
        ("GET", "/1/deliveries", None),
    ):
        answer = stranger.request(method, f"{TEAM}/webhooks{path}", json=sent, headers=ann)
        assert answer.status_code == 403, path
    assert list_webhooks(team.state.open_projects.store, 1) == []


def run(*arguments):
    return CliRunner().invoke(command, ["webhooks", *map(str, arguments)])


def test_webhooks_by_command(tmp_path, receiver):
    project = make_project(make(n=4), tmp_path / "claims.satc")
    assert "no webhooks" in run("list", project).output
    added = run("add", project, receiver.url, "--event", "finished")
    secret = added.stdout.strip()
    assert secret.startswith("whsec_")
    (found,) = json.loads(run("list", project, "--json").stdout)
    assert (found["url"], found["events"]) == (receiver.url, ["finished"])
    assert f"{receiver.url} finished works" in run("list", project).output
    refused = run("test", project, found["key"])
    assert refused.exit_code == 1
    assert "is not a public address" in str(refused.exception)
    done = run("test", project, found["key"], "--allow-private-webhooks")
    assert "has taken the test message (status 204)" in done.output
    (one,) = receiver.take(1)
    seconds = int(one.headers["Satc-Webhook-Timestamp"])
    assert one.headers["Satc-Signature"] == sign(secret, one.id, seconds, one.body)
    assert "it has 1" in str(run("remove", project, 7).exception)
    assert "is removed" in run("remove", project, found["key"]).output
    assert json.loads(run("list", project, "--json").stdout) == []


def decide_at(client):
    given = client.post("/next").json()["assignment"]
    assert (
        client.post(f"/leases/{given['lease']}/decision", json={"labels": [0]}).status_code == 200
    )
    return given["document"]["id"]


@pytest.mark.slow
def test_only_a_server_with_the_option_sends_here_and_a_kill_loses_nothing(tmp_path, receiver):
    project = make_project(make(n=20), tmp_path / "claims.satc", stop="budget(documents=6)")
    run("add", project, receiver.url, "--event", "decision", "--event", "finished")
    site = Site(project)
    client = site.client()
    decided = [decide_at(client) for _ in range(3)]

    def refusal():
        return client.get("/webhooks/1/deliveries").json()["deliveries"][-1]["error"]

    assert "not a public address" in site.wait_until(refusal)
    site.kill()
    assert receiver.received.empty()
    site.arguments += ["--webhook-network", "127.0.0.0/8"]
    site.start()
    first = receiver.take(3)
    decided += [decide_at(site.client()) for _ in range(3)]
    *second, end = receiver.take(4)
    site.stop()
    assert [one.message["data"]["document"] for one in (*first, *second)] == decided
    assert end.message["type"] == "finished"
    assert len({one.id for one in (*first, *second, end)}) == 7
    assert receiver.received.empty()
