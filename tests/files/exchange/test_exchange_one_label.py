"""Single-label exports: every format holds one label, and gives it back as it was."""

import csv
import json
from pathlib import Path
from tempfile import TemporaryDirectory

import pyarrow.parquet as pq
import pytest
from exported_made import CLASSES, decisions, human, ids, moments, returned, texts, values
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from satc.errors import DataError
from satc.files.exchange import (
    FORMATS,
    ExportedDocument,
    iter_dataset_documents,
    label_config,
    read,
    read_label_config,
    write,
)
from satc.inputs import MULTI_LABEL, SINGLE_LABEL

HOSTILE_CLASSES = (*CLASSES, " spaces ", "'quoted'", "tab\there", "=1|2", "日本語", "\r\nx")
taken = st.sampled_from(["year", "label", "satc_label", "satc_labels", "satc_predicted_label"])
one_class = st.sampled_from(HOSTILE_CLASSES).map(lambda name: (name,))
single = st.builds(
    ExportedDocument,
    id=ids,
    text=texts,
    columns=st.dictionaries(taken, values, max_size=3),
    predicted=one_class,
    probabilities=st.dictionaries(st.sampled_from(HOSTILE_CLASSES), st.floats(0, 1), max_size=3),
    labels=one_class,
    source=st.sampled_from(["human", "automatic"]),
    rank=st.none() | st.integers(1, 10**9),
    who=st.none() | ids,
    when=st.none() | moments,
    classifier_labels=st.none() | one_class,
)
quickly = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def written(given_, name, directory):
    path = Path(directory) / f"out{FORMATS[name].suffix}"
    n = write(iter(given_), path, name, classes=HOSTILE_CLASSES, task=SINGLE_LABEL)
    assert n == len(given_)
    return path


@pytest.mark.parametrize("name", ["csv", "tsv", "jsonl", "parquet"])
@quickly
@given(given_=st.lists(single, max_size=4))
def test_decisions_come_back_from_hostile_tables(name, given_):
    with TemporaryDirectory() as directory:
        assert returned(read(written(given_, name, directory), name)) == decisions(given_)


@quickly
@given(given_=st.lists(single, max_size=4))
def test_decisions_come_back_from_hostile_tasks_of_label_studio(given_):
    with TemporaryDirectory() as directory:
        found = list(read(written(given_, "label-studio", directory), "label-studio"))
    wanted = [(one.id, one.labels) for one in given_ if one.source == "human"]
    assert [(one.id, one.labels) for one in found] == wanted


@quickly
@given(given_=st.lists(single, max_size=4))
def test_decisions_come_back_from_hostile_lines_of_doccano(given_):
    with TemporaryDirectory() as directory:
        found = list(read(written(given_, "doccano", directory), "doccano"))
    changed = [one for one in given_ if one.source == "human" or one.labels != one.predicted]
    assert [(one.id, one.labels) for one in found] == [(one.id, one.labels) for one in changed]


@pytest.mark.slow
@settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(given_=st.lists(single, min_size=1, max_size=4))
def test_decisions_come_back_from_hostile_datasets(given_):
    datasets = pytest.importorskip("datasets")
    known = given_[0].classifier_labels is not None
    given_ = [one for one in given_ if (one.classifier_labels is not None) == known]
    with TemporaryDirectory() as directory:
        path = written(given_, "hugging-face", directory)
        assert returned(read(path, "hugging-face")) == decisions(given_)
        dataset = datasets.load_from_disk(str(path))
        kind = dataset.features["satc_label"]
        assert isinstance(kind, datasets.ClassLabel)
        assert tuple(kind.names) == HOSTILE_CLASSES
        assert [kind.int2str(row["satc_label"]) for row in dataset] == [
            one.labels[0] for one in given_
        ]


def test_a_label_column_of_a_dataset_is_read_as_documents_and_as_decisions(tmp_path):
    datasets = pytest.importorskip("datasets")
    values = {"id": ["1", "2"], "text": ["a", "b"], "label": [1, 0]}
    dataset = datasets.Dataset.from_dict(values)
    dataset = dataset.cast_column("label", datasets.ClassLabel(names=["corn", "a|b"]))
    dataset.save_to_disk(str(tmp_path / "saved"))
    (documents,) = iter_dataset_documents(tmp_path / "saved")
    assert documents.labels == (("a|b",), ("corn",))
    assert documents.extra == {}
    decisions = read(tmp_path / "saved", "hugging-face")
    assert [one.labels for one in decisions] == [("a|b",), ("corn",)]


def test_the_columns_hold_one_label_under_names_in_the_singular(tmp_path):
    document = human(labels=("a|b",), predicted=("corn",), classifier_labels=("corn",))
    write([document], tmp_path / "a.csv", task=SINGLE_LABEL)
    with (tmp_path / "a.csv").open(newline="") as file:
        (row,) = csv.DictReader(file)
    names = ("satc_label", "satc_predicted_label", "satc_classifier_label")
    assert [row[name] for name in names] == ["a|b", "corn", "corn"]
    assert not {"satc_labels", "satc_predicted", "satc_classifier_labels"} & set(row)
    write([document], tmp_path / "a.parquet", task=SINGLE_LABEL)
    assert pq.read_table(tmp_path / "a.parquet").to_pylist()[0]["satc_label"] == "a|b"


def test_a_prediction_scores_the_probability_of_its_label(tmp_path):
    document = human(predicted=("corn",), probabilities={"corn": 0.7, "wheat": 0.25})
    write([document], tmp_path / "a.json", task=SINGLE_LABEL)
    (task,) = json.loads((tmp_path / "a.json").read_text())
    assert task["predictions"][0]["score"] == 0.7
    assert task["predictions"][0]["result"][0]["value"] == {"choices": ["corn"]}


@pytest.mark.parametrize("name", ["csv", "jsonl", "parquet", "label-studio", "doccano"])
@pytest.mark.parametrize("labels", [(), ("corn", "wheat")])
def test_a_document_that_has_not_one_label_is_named(name, labels, tmp_path):
    document = human("7", labels=labels, predicted=("corn",))
    with pytest.raises(ValueError, match=rf"document '7' has {len(labels)}"):
        write([document], tmp_path / f"a{FORMATS[name].suffix}", name, task=SINGLE_LABEL)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("line", "labels"),
    [
        ('{"id": "1", "label": " a|b "}', ("a|b",)),
        ('{"id": "1", "label": ["a|b"]}', ("a|b",)),
        ('{"id": "1", "label": 3}', ("3",)),
        ('{"id": "1", "label": null}', ()),
        ('{"id": "1", "label": "x", "labels": ["y", "z"]}', ("y", "z")),
    ],
)
def test_a_column_of_one_label_is_understood(tmp_path, line, labels):
    (tmp_path / "a.jsonl").write_text(line)
    (decision,) = read(tmp_path / "a.jsonl")
    assert decision.labels == labels


def test_one_label_of_csv_is_not_split(tmp_path):
    (tmp_path / "a.csv").write_text("id,label\n1,a|b\n2,\n")
    assert [one.labels for one in read(tmp_path / "a.csv")] == [("a|b",), ()]


@pytest.mark.parametrize("label", ['"corn"', '["corn"]'])
def test_doccano_writes_one_label_as_a_string_or_as_a_list(tmp_path, label):
    (tmp_path / "a.jsonl").write_text(f'{{"id": 4, "satc_id": "7", "text": "", "label": {label}}}')
    (decision,) = read(tmp_path / "a.jsonl", "doccano")
    assert (decision.id, decision.labels) == ("7", ("corn",))


def test_an_unchanged_prediction_from_doccano_is_no_decision(tmp_path):
    documents = [ExportedDocument(str(i), "", predicted=("a",), labels=("a",)) for i in (1, 2)]
    write(documents, tmp_path / "a.jsonl", "doccano", task=SINGLE_LABEL)
    lines = (tmp_path / "a.jsonl").read_text().splitlines()
    lines[1] = json.dumps(json.loads(lines[1]) | {"label": ["b"]})
    (tmp_path / "a.jsonl").write_text("\n".join(lines))
    assert [(one.id, one.labels) for one in read(tmp_path / "a.jsonl", "doccano")] == [
        ("2", ("b",))
    ]


@pytest.mark.parametrize("task", [SINGLE_LABEL, MULTI_LABEL])
def test_a_labelling_configuration_comes_back(task):
    config = label_config(HOSTILE_CLASSES, task)
    assert read_label_config(config) == (HOSTILE_CLASSES, task)
    assert f'choice="{"single" if task == SINGLE_LABEL else "multiple"}"' in config


def test_choices_are_single_unless_the_configuration_says_otherwise():
    config = '<View><Choices name="labels" toName="text"><Choice value="a"/></Choices></View>'
    assert read_label_config(config) == (("a",), SINGLE_LABEL)


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ("<View>", "must be XML, but is not"),
        ("<View/>", "must have <Choices name='labels'>, but has none"),
        ('<!DOCTYPE x [<!ENTITY a "b">]><View/>', "must be without <!"),
    ],
)
def test_other_configurations_are_refused(config, message):
    with pytest.raises(DataError, match=message):
        read_label_config(config)
