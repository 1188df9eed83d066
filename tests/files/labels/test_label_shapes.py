"""Labels that are written in several columns come back as they were."""

import csv
import json
from pathlib import Path
from tempfile import TemporaryDirectory

import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from satc.files import read_documents
from satc.files.exchange import AnswerColumns, ClassColumns, ExportedDocument, read, write
from satc.files.exchange.columns import SEVERAL, rename_taken
from satc.files.formats.formulas import is_formula
from satc.files.labels.shapes import check_answer_pattern, named_classes

FORMATS = ("csv", "tsv", "jsonl", "parquet")
HOSTILE = ["=cmd()", "+x", "@x", "-", "'=1", 'a "b", c', "a|b", "Ω\nω", "*", "Q7_*", "a?", "0", "1",
           "x", "yes", "7.0", "labels", "code1", "anger_input", "anger"]  # fmt: skip
characters = st.characters(exclude_categories=["Cs"], exclude_characters="\0")
RESERVED = set(SEVERAL.reserved)
classes = (st.sampled_from(HOSTILE) | st.text(characters, min_size=1, max_size=8)).filter(
    lambda name: name == name.strip() and name not in RESERVED
)


@st.composite
def labelled(draw):
    """Return classes, and documents with labels among them and with columns of the input."""
    every = draw(st.lists(classes, min_size=1, max_size=5, unique=True))
    some = st.lists(st.sampled_from(every), unique=True).map(tuple)
    columns = st.dictionaries(
        st.sampled_from(["anger", "anger_input", "code1", "age"]), st.just("5")
    )
    sets = draw(st.lists(some, min_size=1, max_size=4))
    return tuple(every), [
        ExportedDocument(str(i), "t", draw(columns), labels=labels, source="human")
        for i, labels in enumerate(sets)
    ]


@pytest.mark.slow
@pytest.mark.parametrize("kind", FORMATS)
@settings(max_examples=40)
@given(given_=labelled())
def test_a_column_for_each_class_comes_back(kind, given_):
    every, documents = given_
    with TemporaryDirectory() as folder:
        path = Path(folder) / f"out.{kind}"
        write(documents, path, shape=ClassColumns(every))
        decided = list(read(path, label_columns=every))
        again = read_documents(path, label_columns=every)
    wanted = [set(one.labels) for one in documents]
    assert [set(one.labels) for one in decided] == wanted
    assert [set(labels) for labels in again.labels] == wanted
    assert again.label_columns == every


@pytest.mark.slow
@pytest.mark.parametrize("kind", FORMATS)
@settings(max_examples=40)
@given(given_=labelled())
def test_answer_columns_come_back_in_their_order(kind, given_):
    _, documents = given_
    most = max(len(one.labels) for one in documents)
    with TemporaryDirectory() as folder:
        path = Path(folder) / f"out.{kind}"
        write(documents, path, shape=AnswerColumns("answer_*", most))
        decided = list(read(path, labels_column="answer_*"))
        again = read_documents(path, labels_column="answer_*")
    assert [one.labels for one in decided] == [one.labels for one in documents]
    assert list(again.labels) == [one.labels for one in documents]


@given(st.lists(classes, min_size=1, unique=True))
@settings(max_examples=30)
def test_no_name_of_a_class_is_a_formula_in_a_spreadsheet(every):
    with TemporaryDirectory() as folder:
        path = Path(folder) / "out.csv"
        write([], path, shape=ClassColumns(tuple(every)))
        with path.open(newline="", encoding="utf-8") as file:
            (header,) = csv.reader(file)
    assert not any(is_formula(name) for name in header)


DOCUMENTS = [
    ExportedDocument("1", "t", {"anger": "0", "age": 7}, predicted=("fear",), labels=("anger",)),
    ExportedDocument("2", "u", {"anger": "1", "age": 8}, labels=("fear", "anger")),
]
WIDE = ClassColumns(("anger", "fear", "joy"))


def test_cells_are_0_and_1_and_columns_of_the_input_are_kept_under_another_name(tmp_path):
    write(DOCUMENTS, tmp_path / "out.csv", shape=WIDE)
    with (tmp_path / "out.csv").open(newline="") as file:
        first, second = csv.DictReader(file)
    own = ["satc_predicted", "satc_source", "satc_rank", "satc_validated_by", "satc_validated_at"]
    own += ["satc_flagged", "satc_note"]
    assert list(first) == ["id", "text", "anger_input", "age", "anger", "fear", "joy", *own]
    assert [first[name] for name in WIDE.classes] == ["1", "0", "0"]
    assert [second[name] for name in WIDE.classes] == ["1", "1", "0"]
    assert (first["anger_input"], first["satc_predicted"]) == ("0", "fear")


def test_cells_are_integers_in_json_and_parquet(tmp_path):
    write(DOCUMENTS, tmp_path / "out.jsonl", shape=WIDE)
    row = json.loads((tmp_path / "out.jsonl").read_text().splitlines()[0])
    assert [row[name] for name in WIDE.classes] == [1, 0, 0]
    assert not any(isinstance(row[name], bool) for name in WIDE.classes)
    write(DOCUMENTS, tmp_path / "out.parquet", shape=WIDE)
    schema = pq.read_schema(tmp_path / "out.parquet")
    assert {str(schema.field(name).type) for name in WIDE.classes} == {"int64"}


def test_there_are_as_many_answer_columns_as_needed(tmp_path):
    write(DOCUMENTS, tmp_path / "out.parquet", shape=AnswerColumns("code*", 2))
    table = pq.read_table(tmp_path / "out.parquet").select(["code1", "code2"])
    assert table.to_pylist() == [
        {"code1": "anger", "code2": None},
        {"code1": "fear", "code2": "anger"},
    ]
    with pytest.raises(ValueError, match=r"number must be .* is 1, and document '2' has 2"):
        write(DOCUMENTS, tmp_path / "out.csv", shape=AnswerColumns("code*", 1))
    assert not (tmp_path / "out.csv").exists()


def test_one_label_each_has_a_column_for_each_class_too(tmp_path):
    documents = [ExportedDocument("1", "t", predicted=("a",), labels=("b",), source="human")]
    shape = ClassColumns(("a", "b"))
    write(documents, tmp_path / "out.csv", task="single-label", shape=shape)
    header = (tmp_path / "out.csv").read_text().splitlines()[0].split(",")
    assert header[2:5] == ["a", "b", "satc_predicted_label"]
    (decision,) = read(tmp_path / "out.csv", label_columns="a,b")
    assert decision.labels == ("b",)


@pytest.mark.parametrize(
    ("shape", "message"),
    [
        (ClassColumns(("anger", "id")), r"but the class 'id' has one of them"),
        (ClassColumns(("text",)), r"names of label columns must differ .* the class 'text'"),
        (ClassColumns(("satc_rank",)), r"the class 'satc_rank' has"),
        (
            AnswerColumns("satc_*", 3),
            r"'satc_\*' must match columns of labels only, but ",
        ),
        (AnswerColumns("t*t", 3), r"but matches 'text', another column: choose another pattern"),
        (ClassColumns((" anger",)), r"must be without spaces around them .* but one is ' anger'"),
        (ClassColumns(("",)), r"not empty, but one is ''"),
    ],
)
def test_names_that_cannot_be_columns_are_refused(shape, message, tmp_path):
    with pytest.raises(ValueError, match=message):
        write([ExportedDocument("1", "t")], tmp_path / "out.csv", shape=shape)


def test_answers_of_the_input_are_not_taken_for_labels(tmp_path):
    old = {"code1": "old", "code2": "older"}
    documents = [ExportedDocument("1", "t", old, labels=("a", "b"), source="human")]
    for path in (tmp_path / "out.csv", tmp_path / "out.jsonl"):
        write(documents, path, shape=AnswerColumns("code*", 2))
        (decision,) = read(path, labels_column="code*")
        assert decision.labels == ("a", "b")
        assert read_documents(path, labels_column="code*").labels == (("a", "b"),)
        with pytest.raises(ValueError, match="matches 'code2', a column of the input: choose anot"):
            write(
                [ExportedDocument("1", "t", old, labels=("a",))],
                path,
                shape=AnswerColumns("code*", 1),
            )


def test_columns_that_only_some_rows_have_are_not_taken_for_labels(tmp_path):
    documents = [
        ExportedDocument("1", "t", labels=("a",), source="human"),
        ExportedDocument("2", "t", {"code1": "old"}, labels=("b",), source="human"),
    ]
    write(documents, tmp_path / "out.jsonl", shape=AnswerColumns("code*", 1))
    found = [one.labels for one in read(tmp_path / "out.jsonl", labels_column="code*")]
    assert found == [("a",), ("b",)]


def test_old_classes_of_the_input_are_not_taken_for_classes(tmp_path):
    documents = [ExportedDocument("1", "t", {"Q7_a": "1"}, labels=("Q7_b",))]
    write(documents, tmp_path / "out.csv", shape=ClassColumns(("Q7_a", "Q7_b")))
    again = read_documents(tmp_path / "out.csv", label_columns="Q7_*")
    assert (again.labels, again.label_columns) == ((("Q7_b",),), ("Q7_a", "Q7_b"))
    assert again.extra["Q7_a_input"] == ("1",)


def test_a_label_without_a_column_is_refused(tmp_path):
    with pytest.raises(ValueError, match="but document '1' has 'anger'"):
        write(DOCUMENTS, tmp_path / "out.csv", shape=ClassColumns(("fear",)))


@pytest.mark.parametrize("kind", ["label-studio", "doccano", "hugging-face"])
def test_only_tables_have_several_columns_of_labels(kind, tmp_path):
    path = tmp_path / {"label-studio": "a.json", "doccano": "a.jsonl"}.get(kind, "a")
    with pytest.raises(ValueError, match=f"for labels in several columns, but is '{kind}'"):
        write(DOCUMENTS, path, kind, shape=WIDE)
    with pytest.raises(ValueError, match="format must be one of 'csv', 'tsv', 'jsonl', 'parquet'"):
        read(path, kind, label_columns="a,b")


def test_decisions_are_read_from_a_column_of_another_name(tmp_path):
    (tmp_path / "in.csv").write_text("id,codes\n1,'=a|b\n")
    (decision,) = read(tmp_path / "in.csv", labels_column="codes")
    assert decision.labels == ("=a", "b")


@pytest.mark.parametrize("pattern", ["code", "code*_*", "code?", "", " code*"])
def test_a_pattern_of_answer_columns_needs_one_place_for_the_number(pattern):
    with pytest.raises(ValueError, match=r"must hold one \*, which stands for the number"):
        check_answer_pattern(pattern)


def test_all_classes_must_have_a_column():
    assert named_classes(["b", "a"], "*") == ("b", "a")
    assert named_classes(["b", "a"], "a,b") == ("b", "a")
    with pytest.raises(ValueError, match=r"must name all classes, .* but lacks 'b'; '\*' names"):
        named_classes(["b", "a"], "a")


names = st.builds(lambda stem, n: stem + "_input" * n, st.sampled_from("abc"), st.integers(0, 4))


@given(st.lists(names, unique=True), st.sets(names))
def test_renamed_columns_are_free_whatever_the_taken_names_end_with(columns, taken):
    found = rename_taken({name: name for name in columns}, taken)
    assert list(found.values()) == columns
    assert not taken & set(found)
