import json
import sqlite3

from earlier_project import unpack
from projects_made import make, make_project

from satc.workbench.model.shown import Shown, Suggestion
from satc.workbench.review.desk import open_desk
from satc.workbench.store import open_store


def stored(path, query):
    connection = sqlite3.connect(path)
    rows = [row[0] for row in connection.execute(query)]
    connection.close()
    return rows


def test_what_an_earlier_version_stored_is_written_again_to_the_byte(tmp_path):
    project = unpack(tmp_path)
    leases = stored(project, "SELECT shown FROM leases")
    details = [json.loads(text) for text in stored(project, "SELECT details FROM events")]
    texts = leases + [json.dumps(one["shown"]) for one in details if "shown" in one]
    assert len(texts) == 25
    assert any('"blind": true' in text for text in texts)
    for text in texts:
        assert json.dumps(Shown.from_json(json.loads(text)).as_json()) == text


def test_the_lease_and_the_decision_store_the_same_text(tmp_path):
    path = tmp_path / "claims.satc"
    make_project(make(n=20), path)
    store = open_store(path)
    desk = open_desk(store)
    lease, _ = desk.next("ann")
    (shown,) = stored(path, "SELECT shown FROM leases")
    assert list(json.loads(shown)) == ["source", "validated", "blind", "predicted", "suggested"]
    desk.submit(lease.lease, "ann", [1], 4.5)
    assert stored(path, "SELECT details FROM events") == [f'{{"shown": {shown}, "seconds": 4.5}}']
    assert desk.record.current_decision(lease.document).shown == lease.shown
    store.close()


def test_hidden_predictions_are_not_stored():
    hidden = Shown("second", 7, is_blind=True)
    assert hidden.as_json() == {"source": "second", "validated": 7, "blind": True}
    assert Shown.from_json(hidden.as_json()) == hidden
    assert hidden.is_second_opinion


def test_labels_are_stored_as_lists():
    shown = Shown("ranked", 0, False, (Suggestion(2, 0.5, 0.25),), ())
    assert shown.as_json()["predicted"] == [[2, 0.5, 0.25]]
    assert Shown.from_json(shown.as_json()) == shown
    assert not shown.is_second_opinion
