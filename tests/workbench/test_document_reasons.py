"""The sentence that says why a person has a document is true for every reason."""

import re

import pytest
from calling import BASE
from fastapi.testclient import TestClient
from projects_made import make, make_project, make_single

from satc.workbench.messages import Message
from satc.workbench.review.desk import open_desk
from satc.workbench.review.explanation.classes import ExplainedClass
from satc.workbench.review.explanation.document import explain
from satc.workbench.review.explanation.sentence import say_why
from satc.workbench.store import open_store
from satc.workbench.web.app import make_app

RANDOM = "This document was drawn at random, to measure the accuracy of all labels."


@pytest.fixture
def opened(tmp_path):
    stores = []

    def opening(made=None, **settings):
        make_project(made or make(n=40), tmp_path / "claims.satc", **settings)
        stores.append(open_store(tmp_path / "claims.satc"))
        return open_desk(stores[-1])

    yield opening
    for store in stores:
        store.close()


def reason(desk, document, who="ann"):
    found = explain(desk, document, who)
    return found.source, str(found.sentence)


def test_a_ranked_document_raises_the_measure(opened):
    desk = opened()
    lease, _ = desk.next("ann")
    source, sentence = reason(desk, lease.document)
    assert source == "ranked"
    assert sentence.startswith("Checking this document should raise macro-F1 most: “class ")


def test_a_document_drawn_at_random_names_no_class(opened):
    desk = opened(audit=1.0)
    lease, _ = desk.next("ann")
    assert reason(desk, lease.document) == ("audit", RANDOM)


def test_a_second_reading_tells_nothing_of_the_first(opened):
    desk = opened(overlap=1.0)
    lease, _ = desk.next("ann")
    desk.submit(lease.lease, "ann", [0], None)
    second, _ = desk.next("bob")
    source, sentence = reason(desk, second.document, "bob")
    assert source == "second"
    assert sentence.startswith("Somebody else has read this document already.")
    assert "class" not in sentence


def test_a_document_that_nobody_gave_was_opened_by_the_person(opened):
    desk = opened()
    lease, _ = desk.next("ann")
    source, sentence = reason(desk, lease.document, "bob")
    assert source == "chosen"
    assert sentence.startswith("You opened this document yourself. What is in doubt: “class ")


def explained(label, decision, p_error):
    probability = 1 - p_error if decision else p_error
    return ExplainedClass(label, decision, probability, p_error, 0.1, 0.1, None, ())


@pytest.mark.parametrize(
    ("task", "made"), [("multi-label", make()), ("single-label", make_single())]
)
def test_no_class_is_named_below_one_percent(opened, task, made):
    project = opened(made, task=task).project
    classes = [explained(0, True, 0.004), explained(1, False, 0.004)]
    ranked = say_why("ranked", project, classes, from_predictions=True)
    assert ranked == Message("server.why_ranked_sure")
    chosen = say_why("chosen", project, classes, from_predictions=True)
    assert chosen == Message("server.why_chosen")


def test_no_class_of_an_explanation_is_below_one_percent(opened):
    desk = opened()
    for document in range(40):
        found = explain(desk, document)
        assert all(one.p_error >= 0.01 for one in found.classes)
        assert not re.search(r"\b0%|<1%", str(found.sentence))


def test_the_page_gets_the_reason(tmp_path):
    make_project(make(n=40), tmp_path / "claims.satc", audit=1.0)
    store = open_store(tmp_path / "claims.satc")
    store.lock()
    app = make_app(store, estimating=False)
    with TestClient(app, base_url="http://127.0.0.1") as client:
        client.headers["Authorization"] = f"Bearer {app.state.authenticator.link_key}"
        i = client.post(f"{BASE}/next").json()["assignment"]["document"]["index"]
        found = client.get(f"{BASE}/documents/{i}/explanation").json()
        assert (found["source"], found["sentence"]) == ("audit", RANDOM)
    store.close()
