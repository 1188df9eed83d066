"""Hostile cells come back from every format as they were written."""

from __future__ import annotations

import warnings

import pytest
import python_calamine
from hypothesis import example, given, settings
from hypothesis import strategies as st

from satc.files import read_documents, write_table
from satc.files.exchange import ExportedDocument, read, write
from satc.files.formats.formulas import unescape_formula
from satc.files.formats.reader import read_rows
from satc.files.formats.xlsx.escapes import escape_text, unescape_text
from sheets_made import workbook

NAMES = ["t.csv", "t.tsv", "t.xlsx", "t.jsonl", "t.parquet"]
HOSTILE = [
    "=1+1", "'=1+1", "+1", "-1", "@x", "\t=1", "\r=1", " =1", "007", "1e5", "1,5", "TRUE", "#N/A",
    '"', '""', "a,b", "a;b", "a\tb", "a\nb", "a\r\nb", "a\rb", "\0", "\x01", "\x1f", "\x7f", "\x85",
    "\ufeff", "\ufffe", "\uffff", "\u2028", "e\u0301", "\u0301", "👩\u200d👧", "𠀀", "\U0010ffff",
    "_x000D_", "_x0041_", "_x005F_", "_x0041_x0042_", "_x0041\x01", "_x004\x01_", "__x0041__",
    "<r>x</r>", "&lt;", "]]>", "  ", "\n", "sep=;", "NULL", "nan", "x" * 32_767, "2026-11-16",
]  # fmt: skip
characters = st.characters(exclude_categories=["Cs"])
pieces = st.sampled_from(["_", "x", "0041", "_x", "\x01", "\r", "\n", "=", '"', "'", ",", ";", "é"])
texts = (
    st.sampled_from(HOSTILE)
    | st.text(characters, max_size=30)
    | st.lists(pieces, max_size=8).map("".join)
)
ids = st.lists(texts.filter(str.strip), min_size=1, max_size=5, unique=True)


def xlsxwriter_keeps(text):
    """Whether XlsxWriter writes a text so that it comes back."""
    return bool(text.strip()) and "_x" not in text and not text.startswith("<r>")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("trips")


def plain(text, name):
    """Return a text without the mark that CSV puts before a formula."""
    return unescape_formula(text) if name.endswith(("csv", "tsv")) else text


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(ids=ids, data=st.data())
def test_a_table_comes_back_from_every_format(ids, data, folder):
    cells = st.lists(texts, min_size=len(ids), max_size=len(ids))
    columns = {"id": ids, "text": data.draw(cells), "more": data.draw(cells)}
    for name in NAMES:
        write_table(folder / name, columns)
        found = read_documents(folder / name)
        got = {"id": found.ids, "text": found.texts, "more": found.extra["more"]}
        assert {key: [plain(one, name) for one in values] for key, values in got.items()} == columns


@settings(max_examples=60, deadline=None)
@given(ids=ids, data=st.data())
def test_a_table_for_excel_comes_back(ids, data, folder):
    cells = st.lists(texts, min_size=len(ids), max_size=len(ids))
    columns = {"id": ids, "text": data.draw(cells), "n": [0.5] * len(ids)}
    write_table(folder / "excel.csv", columns, excel=True)
    assert (folder / "excel.csv").read_bytes().startswith(b"\xef\xbb\xbfid;text;n\r\n")
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        found = read_documents(folder / "excel.csv")
    assert "with semicolons between its cells" in str(said[0].message)
    assert [unescape_formula(one) for one in found.ids] == ids
    assert [unescape_formula(one) for one in found.texts] == columns["text"]
    assert set(found.extra["n"]) == {"0,5"}


labels = st.lists(
    st.sampled_from(["corn", "=1+1", "_x0041_", "e\u0301", "a,b", "<r>x</r>", "\x01"]), unique=True
)


@pytest.mark.slow
@settings(max_examples=30, deadline=None)
@given(ids=ids, data=st.data())
def test_decisions_come_back_from_every_format(ids, data, folder):
    notes = st.one_of(st.none(), texts)
    documents = [
        ExportedDocument(
            one,
            data.draw(texts),
            {"other": data.draw(notes)},
            labels=tuple(data.draw(labels)),
            source="human",
        )
        for one in ids
    ]
    for name in NAMES:
        assert write(documents, folder / name) == len(ids)
        back = [(one.id, one.labels) for one in read(folder / name)]
        assert back == [(one.id, one.labels) for one in documents]


@pytest.mark.slow
@settings(max_examples=50, deadline=None)
@given(numbers=st.lists(st.floats(allow_nan=False, allow_infinity=False) | st.integers()))
@example(numbers=[0.1 + 0.2, 5e-324, 1.7976931348623157e308, 2**53 + 1, -0.0, 10**400])
def test_numbers_come_back_with_all_their_digits(numbers, folder):
    for name in ("n.csv", "n.xlsx"):
        write_table(folder / name, {"id": list(range(len(numbers))), "n": numbers})
        found = [row.values["n"] for row in read_rows(folder / name)]
        read_back = zip(map(type, numbers), found, strict=True)  # float("2") and int("2")
        assert [kind(text) for kind, text in read_back] == numbers


@settings(max_examples=300, deadline=None)
@given(text=texts)
def test_escapes_are_undone_and_leave_nothing_that_xml_cannot_hold(text):
    escaped = escape_text(text)
    assert unescape_text(escaped) == text
    assert not any(ord(one) < 32 and one not in "\t\n" for one in escaped)
    assert "\uffff" not in escaped


@settings(max_examples=60, deadline=None)
@given(cells=st.lists(texts.filter(xlsxwriter_keeps), min_size=1))
@example(cells=["_x0041_", "_x005F_"])
def test_we_find_the_texts_of_another_writer(cells, folder):
    path = folder / "theirs.xlsx"
    path.write_bytes(workbook([{"id": cell} for cell in cells]))
    assert [row.values["id"] for row in read_rows(path)] == cells


@settings(max_examples=60, deadline=None)
@given(cells=st.lists(texts.filter(lambda text: "\ufffe" not in text and "\uffff" not in text)))
def test_another_reader_finds_the_same_texts(cells, folder):
    write_table(folder / "other.xlsx", {"id": cells})
    book = python_calamine.CalamineWorkbook.from_path(folder / "other.xlsx")
    rows = book.get_sheet_by_index(0).to_python(skip_empty_area=False)
    found = [row[0] for row in rows[1:]] + [""] * len(cells)
    assert found[: len(cells)] == cells
