import json
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from exported_made import exported, human
from hypothesis import given, settings
from hypothesis import strategies as st

from satc.errors import DataError
from satc.files.exchange import read, write


def imported(tmp_path, *lines):
    (tmp_path / "a.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    return list(read(tmp_path / "a.jsonl", "doccano"))


@settings(max_examples=40, deadline=None)
@given(st.lists(exported(), max_size=4))
def test_labels_come_back_from_hostile_documents(given_):
    with TemporaryDirectory() as directory:
        path = Path(directory) / "out.jsonl"
        assert write(iter(given_), path, "doccano") == len(given_)
        found = [(decision.id, decision.labels) for decision in read(path, "doccano")]
        touched = [
            record
            for record in given_
            if record.source == "human" or set(record.labels) != set(record.predicted)
        ]
        assert found == [(record.id, record.labels) for record in touched]


def test_a_line_has_the_document_its_labels_and_the_columns(tmp_path):
    write([human(columns={"year": 1987, "data": "x"})], tmp_path / "a.jsonl", "doccano")
    line = json.loads((tmp_path / "a.jsonl").read_text())
    known = {"id": "1", "text": "Wheat rose.", "label": ["wheat"], "year": 1987, "data_input": "x"}
    assert line.items() >= known.items()
    assert "data" not in line


def test_exports_of_all_versions_are_read(tmp_path):
    lines = [
        {"id": 1, "text": "a", "label": ["corn"], "Comments": []},
        {"id": 2, "text": "b", "labels": [], "annotation_approver": None},
        {"id": 9, "satc_id": "x", "text": "c", "label": "oat"},
    ]
    assert [decision[:4] for decision in imported(tmp_path, *lines)] == [
        ("1", ("corn",), None, None),
        ("2", (), None, None),
        ("x", ("oat",), None, None),
    ]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ({"id": 1, "text": "a"}, "line 1 must have 'label' or 'labels', but has 'id', 'text'"),
        ({"label": []}, "line 1 must have 'id', but has 'label'"),
        ({"id": 1, "label": [[0, 4, "x"]]}, "line 1: 'label' must be a list of labels"),
        ({"id": 1, "labels": [3]}, "line 1: 'labels' must be a list of labels"),
    ],
)
def test_a_line_that_holds_no_labels_is_named(line, message, tmp_path):
    with pytest.raises(DataError, match=message):
        imported(tmp_path, line)
