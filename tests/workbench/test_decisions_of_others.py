import pytest
from calling import TEAM, bearer


@pytest.fixture
def people(team, stranger):
    """Ann, an annotator, and max, a manager, have each decided on a document."""
    headers = {who: bearer(team, who) for who in ("ann", "max")}
    for given in headers.values():
        lease = stranger.post(f"{TEAM}/next", headers=given).json()["assignment"]["lease"]
        url = f"{TEAM}/leases/{lease}/decision"
        assert stranger.post(url, json={"labels": [0]}, headers=given).status_code == 200
    return headers


def decided_by(client, headers, **query):
    answer = client.get(f"{TEAM}/decisions", params=query, headers=headers)
    assert answer.status_code == 200, answer.text
    return [line["who"] for line in answer.json()["decisions"]]


def test_managers_see_the_decisions_of_everybody(people, stranger):
    assert decided_by(stranger, people["max"]) == ["max", "ann"]
    assert decided_by(stranger, people["max"], mine=False) == ["max", "ann"]
    assert decided_by(stranger, people["max"], mine=True) == ["max"]


def test_annotators_see_their_own_decisions(people, stranger):
    assert decided_by(stranger, people["ann"]) == ["ann"]
    assert decided_by(stranger, people["ann"], mine=True) == ["ann"]


def test_annotators_do_not_see_those_of_others(people, stranger):
    answer = stranger.get(f"{TEAM}/decisions?mine=false", headers=people["ann"])
    assert answer.status_code == 403
    assert answer.json()["detail"] == "Only managers may see the decisions of others."
