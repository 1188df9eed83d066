import pytest
from calling import PASSWORD, bearer
from fastapi.testclient import TestClient
from projects_made import make, make_project

from satc.workbench.store import open_store
from satc.workbench.web.access.accounts import add_user
from satc.workbench.web.app import make_app

BASE = "/api/v1/projects/pair"
PEOPLE = {"ann": "annotator", "ben": "annotator", "eve": "annotator", "max": "manager"}
TEXTS = ["the same text again"] * 3 + [f"a text of its own {i}" for i in range(17)]


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    """Serve a project of which two people read everything."""
    path = tmp_path_factory.mktemp("pair") / "pair.satc"
    make_project(make(n=20, texts=TEXTS), path, overlap=1.0)
    store = open_store(path)
    for name, role in PEOPLE.items():
        add_user(store, name, role, PASSWORD)
    store.lock()
    app = make_app(store, estimating=False)
    with TestClient(app, base_url="http://workbench.example") as client:
        tokens = {name: bearer(app, name) for name in PEOPLE}

        def call(who, method, path, **more):
            return client.request(method, BASE + path, headers=tokens[who], **more)

        call.app = app
        yield call
    store.close()


def decide_next(call, who, labels):
    found = call(who, "POST", "/next").json()["assignment"]
    answer = call(who, "POST", f"/leases/{found['lease']}/decision", json={"labels": labels})
    assert answer.status_code == 200
    return found["document"]["index"]


def disagree(call, first, second):
    index = decide_next(call, "ann", first)
    assert decide_next(call, "ben", second) == index
    return index


def queue(call, who):
    return call(who, "GET", "/disagreements").json()


def test_a_third_person_sees_both_answers_and_settles(served):
    index = disagree(served, [0, 1], [1])
    found = queue(served, "eve")
    assert found["n_yours"] == found["n_open"] == 1
    (line,) = found["disagreements"]
    assert line["document"]["index"] == index
    assert [line["first"]["who"], line["second"]["who"]] == ["ann", "ben"]
    assert [line["first"]["labels"], line["second"]["labels"]] == [[0, 1], [1]]
    sent = {"labels": [1], "first": line["first"]["decision"], "second": line["second"]["decision"]}
    settled = served("eve", "POST", f"/disagreements/{index}/settle", json=sent)
    assert settled.status_code == 200
    assert served("max", "GET", f"/documents/{index}").json()["labels"] == [1]
    assert queue(served, "eve")["n_settled"] == 1
    again = served("max", "POST", f"/disagreements/{index}/settle", json=sent)
    assert again.status_code == 409


def test_the_two_people_see_nothing_and_a_manager_sees_everything(served):
    disagree(served, [2], [])
    assert queue(served, "ann")["disagreements"] == queue(served, "ben")["disagreements"] == []
    assert queue(served, "ann")["n_open"] == 1
    (line,) = queue(served, "max")["disagreements"]
    assert not line["own"]
    sent = {"labels": [2], "first": line["first"]["decision"], "second": line["second"]["decision"]}
    path = f"/disagreements/{line['document']['index']}/settle"
    assert served("ann", "POST", path, json=sent).status_code == 409
    assert served("max", "POST", path, json=sent | {"labels": [99]}).status_code == 422
    assert served("max", "POST", path, json=sent).status_code == 200
    undone = served("max", "POST", "/undo")
    assert undone.status_code == 200
    assert queue(served, "max")["n_yours"] == 1


def test_a_manager_who_gave_an_answer_is_told_so(served):
    index = decide_next(served, "max", [3])
    assert decide_next(served, "eve", [4]) == index
    own = {one["document"]["index"]: one["own"] for one in queue(served, "max")["disagreements"]}
    assert own[index]
    assert index not in [one["document"]["index"] for one in queue(served, "eve")["disagreements"]]


def test_the_agreement_is_counted_and_people_see_their_own_line(served):
    found = served("max", "GET", "/agreement").json()
    assert found["documents"] >= 3
    assert [line["who"] for line in found["people"]] == ["ann", "ben", "eve", "max"]
    assert {line["drift"]["verdict"] for line in found["people"]} == {"too-few"}
    assert found["classes"]
    mine = served("ann", "GET", "/agreement").json()
    assert [line["who"] for line in mine["people"]] == ["ann"]


def test_near_duplicates_are_listed_after_a_decision_and_decided_one_by_one(served):
    project = served.app.state.open_projects.open("pair")
    project.near_duplicates.wait()
    lease = project.desk.open_chosen(0, "eve").lease
    before = served("eve", "GET", "/documents/0/duplicates").json()
    assert (before["of"], before["documents"], before["ready"]) == (None, [], True)
    served("eve", "POST", f"/leases/{lease}/decision", json={"labels": [1]})
    found = served("eve", "GET", "/documents/0/duplicates").json()
    assert found["of"] == {"index": 0, "labels": [1]}
    assert {one["index"] for one in found["documents"]} == {1, 2}
    assert found["documents"][0]["pieces"] == [{"kind": "same", "text": TEXTS[1]}]
    saved = served("eve", "POST", "/documents/1/same-as", json={"of": 0, "read": True})
    assert saved.status_code == 200
    assert served("eve", "GET", "/documents/1").json()["labels"] == [1]
    wrong = served("eve", "POST", "/documents/2/same-as", json={"of": 5000, "read": True})
    assert wrong.status_code == 422
    other = served("eve", "POST", "/documents/7/same-as", json={"of": 0, "read": True})
    assert other.status_code == 409
