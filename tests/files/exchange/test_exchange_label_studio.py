import json
from pathlib import Path
from tempfile import TemporaryDirectory
from xml.etree import ElementTree

import pytest
from exported_made import CLASSES, decisions, exported, human, returned
from hypothesis import given, settings
from hypothesis import strategies as st

from satc.errors import DataError
from satc.files.exchange import ExportedDocument, label_config, read, write
from satc.files.exchange.label_studio import task


def result(*choices, name="labels"):
    return {"from_name": name, "type": "choices", "value": {"choices": list(choices)}}


def annotation(*choices, **more):
    return {"result": [result(*choices)], "completed_by": 5, **more}


def imported(tmp_path, *tasks):
    (tmp_path / "a.json").write_text(json.dumps(tasks))
    return list(read(tmp_path / "a.json"))


@settings(max_examples=40, deadline=None)
@given(st.lists(exported(), max_size=4))
def test_decisions_come_back_from_hostile_tasks(given_):
    with TemporaryDirectory() as directory:
        path = Path(directory) / "out.json"
        assert write(iter(given_), path) == len(given_)
        json.loads(path.read_text(encoding="utf-8"))
        assert returned(read(path)) == decisions(given_)


def test_a_task_has_the_document_the_prediction_and_the_decision():
    record = human(columns={"year": 1987}, predicted=("corn",), probabilities={"corn": 0.5})
    found = task(record)
    assert found["data"].items() >= {"id": "1", "text": "Wheat rose.", "year": 1987}.items()
    value = {"choices": ["corn"]}
    choice = {"from_name": "labels", "to_name": "text", "type": "choices", "value": value}
    assert found["predictions"] == [{"model_version": "satc", "score": 0.5, "result": [choice]}]
    assert found["annotations"] == [
        {
            "result": [{**choice, "value": {"choices": ["wheat"]}}],
            "was_cancelled": False,
            "completed_by": {"email": "ann@example.org"},
            "created_at": "2024-05-01T12:30:00Z",
        }
    ]


def test_the_score_is_the_place_in_the_order():
    given_ = ExportedDocument("1", "", predicted=("corn",), probabilities={"corn": 0.8}, place=0.25)
    assert task(given_)["predictions"][0]["score"] == 0.25


def test_without_an_order_it_is_the_probability_that_the_prediction_is_right():
    known = {"corn": 0.8, "wheat": 0.25}
    (prediction,) = task(ExportedDocument("1", "", predicted=("corn",), probabilities=known))[
        "predictions"
    ]
    assert prediction["score"] == pytest.approx(0.6)
    assert "score" not in task(ExportedDocument("1", ""))["predictions"][0]


def test_a_person_without_an_email_address_is_only_in_the_data():
    found = task(human(who="ann"))
    assert "completed_by" not in found["annotations"][0]
    assert found["data"]["satc_validated_by"] == "ann"


def test_columns_do_not_take_the_names_of_label_studio():
    data = task(human(columns={"labels": ["x"], "annotation_id": 3}))["data"]
    assert (data["labels_input"], data["annotation_id_input"]) == (["x"], 3)
    assert not {"labels", "annotation_id"} & set(data)


def test_the_configuration_is_xml_that_gives_the_classes_back():
    root = ElementTree.fromstring(label_config(CLASSES))  # noqa: S314 (our own text)
    assert [one.get("value") for one in root.iter("Choice")] == list(CLASSES)
    assert root.find("Choices").get("choice") == "multiple"


@pytest.mark.parametrize("name", ["", "a\x01", "\ud800"])
def test_a_class_that_xml_cannot_hold_is_refused(name):
    with pytest.raises(ValueError, match="classes must be names without control characters"):
        label_config([name])


def test_each_annotation_that_was_not_cancelled_is_a_decision(tmp_path):
    given_ = {
        "id": 31,
        "data": {"id": "x", "text": "a"},
        "annotations": [
            annotation("corn", "corn", created_at="2024-05-01T12:30:00.5+02:00"),
            annotation("oat", was_cancelled=True),
            {"result": [], "completed_by": {"id": 7, "email": "bob@example.org"}},
        ],
        "predictions": [{"result": [result("rye")]}],
        "drafts": [annotation("rye")],
    }
    first, second = imported(tmp_path, given_)
    assert first[:3] == ("x", ("corn",), "5")
    assert first.when.isoformat() == "2024-05-01T10:30:00.500000+00:00"
    assert second[:3] == ("x", (), "bob@example.org")
    assert second.where == f"{tmp_path / 'a.json'}, task 1, annotation 3"


def test_json_min_has_one_choice_several_or_none(tmp_path):
    common = {"id": 1, "text": "a", "annotator": 5, "annotation_id": 9}
    tasks = [
        {**common, "satc_id": "x", "labels": "corn"},
        {**common, "satc_id": "y", "labels": {"choices": ["corn", "oat"]}},
        {**common, "satc_id": "z"},
    ]
    assert [decision[:3] for decision in imported(tmp_path, *tasks)] == [
        ("x", ("corn",), "5"),
        ("y", ("corn", "oat"), "5"),
        ("z", (), "5"),
    ]


DATA = {"id": "x"}


@pytest.mark.parametrize(
    ("task", "message"),
    [
        ({"annotations": []}, "task 1 must have 'data', but has 'annotations'"),
        ({"data": DATA}, "task 1 must have 'annotations', but has 'data'"),
        ({"data": [], "annotations": []}, "task 1: 'data' must be an object and 'annotations' a"),
        ({"data": {}, "annotations": []}, "task 1: 'data' must have 'id', but has nothing"),
        ({"data": {"id": None}, "annotations": []}, "task 1: 'id' must be a string"),
        ({"data": DATA, "annotations": [3]}, "annotation 1 must be an object, but is 3"),
        ({"data": DATA, "annotations": [{}]}, "annotation 1 must have 'result', but has nothing"),
        ({"data": DATA, "annotations": [{"result": [3]}]}, "'result' must be a list of objects"),
        (
            {"data": DATA, "annotations": [{"result": [result("a", name="topic")]}]},
            "choices must be those of the control 'labels', but are of 'topic'",
        ),
        (
            {"data": DATA, "annotations": [{"result": [{**result(), "value": "a"}]}]},
            "annotation 1: 'choices' must be a list of labels .* but is None",
        ),
        (
            {"data": DATA, "annotations": [annotation("a", created_at="now")]},
            "'created_at' must be",
        ),
        ({"id": 1, "annotation_id": 2}, "must have 'satc_id', since 'id' is Label Studio's own"),
        ({"satc_id": "1", "annotation_id": 2, "labels": 3}, "task 1: 'labels' must be a list"),
    ],
)
def test_a_task_that_holds_no_decision_is_named(task, message, tmp_path):
    with pytest.raises(DataError, match=message):
        imported(tmp_path, task)
