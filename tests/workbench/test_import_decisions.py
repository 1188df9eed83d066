import json

import pytest
from projects_made import make, make_project

from satc.files.exchange import write
from satc.workbench.project.history import read_history
from satc.workbench.reports.export import exported_documents
from satc.workbench.reports.import_decisions import import_decisions
from satc.workbench.store import StoreError, open_store
from satc.workbench.store.projects import get_project


@pytest.fixture
def store(location):
    make_project(make(n=10), location)
    opened = open_store(location)
    yield opened
    opened.close()


def test_nothing_is_taken_in_behind_the_back_of_a_server(store, location, tmp_path):
    store.lock()
    (tmp_path / "done.jsonl").write_text(json.dumps({"id": "d1", "labels": []}) + "\n")
    other = open_store(location)
    with pytest.raises(StoreError, match="served by another process"):
        import_decisions(other, None, tmp_path / "done.jsonl", None, "ann")
    other.close()


def test_labels_that_nobody_touched_are_not_taken_for_decisions(store, tmp_path):
    path = tmp_path / "out.jsonl"
    project = get_project(store)
    documents = exported_documents(store, project, read_history(store, project))
    write(documents, path, "doccano", classes=project.classes)
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    lines[3]["label"] = ["class 2", "class 5"]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert import_decisions(store, None, path, "doccano", "ann") == 1
