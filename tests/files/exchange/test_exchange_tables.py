import csv
import json
import tracemalloc
from pathlib import Path
from tempfile import TemporaryDirectory

import pyarrow.parquet as pq
import pytest
from exported_made import CSV_CLASSES, decisions, exported, human, returned, texts
from hypothesis import given, settings
from hypothesis import strategies as st

from satc.errors import DataError
from satc.files import read_documents
from satc.files.exchange import ExportedDocument, read, write
from satc.files.exchange.tables import cell_text
from satc.files.formats.formulas import is_formula

FORMATS = ("csv", "tsv", "jsonl", "parquet")
OURS = [
    *("satc_labels", "satc_predicted", "satc_source", "satc_rank", "satc_validated_by"),
    *("satc_validated_at", "satc_flagged", "satc_note"),
]


def cells(path):
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.reader(file))


def written(tmp_path, name, text):
    (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path / name


@pytest.mark.slow
@pytest.mark.parametrize("kind", FORMATS)
@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_decisions_come_back_from_hostile_tables(kind, data):
    columns = texts if kind in ("csv", "tsv") else None
    given_ = data.draw(
        st.lists(exported(CSV_CLASSES, columns) if columns is not None else exported(), max_size=4)
    )
    with TemporaryDirectory() as directory:
        path = Path(directory) / f"out.{kind}"
        assert write(iter(given_), path) == len(given_)
        assert [one.name for one in Path(directory).iterdir()] == [path.name]
        assert returned(read(path)) == decisions(given_)


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(st.lists(exported(CSV_CLASSES, texts), min_size=1, max_size=3))
def test_no_cell_of_a_csv_is_a_formula(given_):
    with TemporaryDirectory() as directory:
        path = Path(directory) / "out.csv"
        write(given_, path)
        for row in cells(path):
            for cell in row:
                assert not is_formula(cell)
                assert not cell.lstrip().startswith(("=", "@", "＝"))


def test_csv_has_the_columns_of_the_input_and_of_satc(tmp_path):
    first = ExportedDocument(
        "1", "a", {"year": "1987", "codes": [1, {"b": None}]}, predicted=("corn",)
    )
    second = human("2", "b", ("corn", "wheat"), columns={"late": True}, rank=3, flagged=True)
    write([first, second], tmp_path / "out.csv")
    assert cells(tmp_path / "out.csv") == [
        ["id", "text", "year", "codes", "late", *OURS],
        [
            "1",
            "a",
            "1987",
            '[1, {"b": null}]',
            "",
            "",
            "corn",
            "automatic",
            "",
            "",
            "",
            "false",
            "",
        ],
        [
            *("2", "b", "", "", "true", "corn|wheat", "", "human", "3", "ann@example.org"),
            *("2024-05-01T12:30:00Z", "true", ""),
        ],
    ]


def test_jsonl_has_the_same_columns_as_values(tmp_path):
    write([human(columns={"shares": [0.5, float("nan")]}, rank=1)], tmp_path / "out.jsonl")
    assert json.loads((tmp_path / "out.jsonl").read_text()) == {
        "id": "1",
        "text": "Wheat rose.",
        "shares": [0.5, None],
        "satc_labels": ["wheat"],
        "satc_predicted": [],
        "satc_source": "human",
        "satc_rank": 1,
        "satc_validated_by": "ann@example.org",
        "satc_validated_at": "2024-05-01T12:30:00Z",
        "satc_flagged": False,
        "satc_note": "",
    }


def test_parquet_has_types_that_do_not_depend_on_the_documents(tmp_path):
    write([], tmp_path / "none.parquet")
    write([human(rank=1)], tmp_path / "one.parquet")
    schema = pq.read_schema(tmp_path / "none.parquet")
    assert schema == pq.read_schema(tmp_path / "one.parquet")
    assert str(schema.field("satc_rank").type) == "int64"


@pytest.mark.parametrize("kind", FORMATS)
def test_an_export_is_read_again_as_documents(kind, tmp_path):
    path = tmp_path / f"out.{kind}"
    write([human(columns={"labels": ["corn", "oat"], "satc_rank": "9"})], path)
    documents = read_documents(path)
    assert documents.labels == (("corn", "oat"),)
    assert documents.extra["satc_rank_input"] == ("9",)


@pytest.mark.parametrize("kind", ["csv", "tsv"])
def test_a_label_with_the_separator_is_refused_and_nothing_stays_behind(kind, tmp_path):
    written(tmp_path, f"out.{kind}", "before")
    with pytest.raises(ValueError, match=r"but one is 'a\|b'; JSON lines and Parquet take it"):
        write([human(labels=("a|b",))], tmp_path / f"out.{kind}")
    assert [path.read_text() for path in tmp_path.iterdir()] == ["before"]


def test_column_names_that_a_csv_cannot_tell_apart_are_refused(tmp_path):
    with pytest.raises(ValueError, match="'year' comes twice; JSON lines and Parquet take them"):
        write([human(columns={"year": 1, " year": 2})], tmp_path / "out.csv")


@pytest.mark.parametrize("kind", [*FORMATS, "label-studio", "doccano"])
@pytest.mark.parametrize("fault", ["records", "text"])
def test_a_failure_in_the_middle_leaves_the_earlier_file(kind, fault, tmp_path):
    def failing():
        yield human("1")
        if fault == "records":
            raise RuntimeError("the store is gone")
        yield human("2", "half \ud800 of a pair")

    suffix = {"label-studio": "json", "doccano": "jsonl"}.get(kind, kind)
    written(tmp_path, f"out.{suffix}", "before")
    expected = RuntimeError if fault == "records" else DataError
    with pytest.raises(expected, match=r"the store is gone|half of a surrogate pair \(U\+D800\)"):
        write(failing(), tmp_path / f"out.{suffix}", kind)
    assert [path.read_text() for path in tmp_path.iterdir()] == ["before"]


@pytest.mark.parametrize("kind", FORMATS)
def test_a_directory_that_is_not_there_is_named(kind, tmp_path):
    with pytest.raises(DataError, match=r"nowhere.*cannot be written: No such file"):
        write([human()], tmp_path / "nowhere" / f"out.{kind}")


@pytest.mark.slow
@pytest.mark.parametrize("kind", FORMATS)
def test_memory_does_not_grow_with_the_number_of_documents(kind, tmp_path, monkeypatch):
    monkeypatch.setattr("satc.files.exchange.spool.BATCH_ROWS", 100)

    def peak(n):
        tracemalloc.start()
        write((human(str(i), "x" * 2_000) for i in range(n)), tmp_path / f"out.{kind}")
        most = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return most

    peak(200)  # imports and caches of the first call
    assert peak(4_000) < 2 * peak(400)


def test_labels_of_the_classifier_are_not_decisions(tmp_path):
    path = written(tmp_path, "a.csv", "id,satc_labels,satc_source\n1,corn,automatic\n2,,human\n")
    assert [(decision.id, decision.labels) for decision in read(path)] == [("2", ())]


def test_a_plain_table_of_labels_is_read_as_decisions_with_their_positions(tmp_path):
    path = written(tmp_path, "a.jsonl", '{"id": 7, "labels": ["corn", "corn"]}\n')
    assert list(read(path)) == [("7", ("corn",), None, None, f"{path}, line 1")]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"labels": []}', "line 1 must have 'id', but has 'labels'"),
        (
            '{"id": "1", "topic": []}',
            "line 1 must have 'satc_labels', 'satc_label', 'labels' or 'label', but has 'id'",
        ),
        ('{"id": "1", "labels": "a"}', "line 1: 'labels' must be a list of labels .* but is 'a'"),
        ('{"id": "1", "labels": [""]}', "line 1: 'labels' must be a list of labels"),
        ('{"id": " ", "labels": []}', "line 1: 'id' must be a string that is not empty"),
        ('{"id": "1", "labels": [], "satc_source": 3}', "line 1: 'satc_source' must be one of"),
        (
            '{"id": "1", "labels": [], "satc_validated_at": 3}',
            "line 1: 'satc_validated_at' must be",
        ),
        ('{"id": "1", "labels": [], "satc_validated_by": []}', "'satc_validated_by' must be a str"),
        ("[]", "line 1 must be a JSON object, but is a list"),
    ],
)
def test_a_row_that_is_not_a_decision_is_named(line, message, tmp_path):
    path = written(tmp_path, "a.jsonl", line + "\n")
    with pytest.raises(DataError, match=message):
        list(read(path))


def test_labels_are_joined_and_other_lists_are_json():
    assert cell_text("labels", ["a", "b"]) == "a|b"
    assert cell_text("codes", ["a", "b"]) == '["a", "b"]'
    assert cell_text("codes", {"=1": None}) == '{"=1": null}'
    assert cell_text("codes", None) == ""
