"""Workbooks are read as a person sees them, and faults name file, sheet, row and cell."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta

import openpyxl
import pandas
import pytest
import xlsxwriter

from satc.errors import DataError
from satc.files import iter_documents, read_documents
from satc.files.faults import Faults
from satc.files.formats.reader import read_rows
from sheets_made import HEADER, MAIN, save_parts, text_cell


def rows_of(path, on_fault=None):
    found = read_rows(path) if on_fault is None else read_rows(path, on_fault)
    return [row.values for row in found]


def saved(path, *tables, hidden=()):
    """Save a workbook of openpyxl: a name and rows for each sheet."""
    book = openpyxl.Workbook()
    book.remove(book.active)
    for name, rows in tables:
        sheet = book.create_sheet(name)
        sheet.sheet_state = "hidden" if name in hidden else "visible"
        for row in rows:
            sheet.append(row)
    book.save(path)
    return path


TABLE = [["id", "text"], ["a", "One"], ["b", "Two"]]


def test_cells_are_read_as_they_look(tmp_path):
    path = tmp_path / "looks.xlsx"
    book = openpyxl.Workbook()
    cells = {
        "whole": (1234.0, "General", "1234"),
        "fraction": (0.1, "0.00", "0.1"),
        "all digits": (0.123456789, "0.00", "0.123456789"),
        "thousands": (1234567, "#,##0", "1234567"),
        "percent": (0.4567, "0%", "45.67%"),
        "code": (7, "00000", "00007"),
        "currency": (12.5, '[$€-407] #,##0.00;[Red]-#,##0.00 "d"', "12.5"),
        "scientific": (1e-7, "0.00E+00", "1e-07"),
        "text that says days": (3, '0 "days"', "3"),
        "date": (date(2026, 11, 16), "dd/mm/yyyy", "2026-11-16"),
        "month": (date(2026, 11, 16), "mmm yy", "2026-11-16"),
        "time": (datetime(2026, 11, 16, 14, 30), "m/d/yy h:mm", "2026-11-16 14:30:00"),
        "clock": (time(6, 15), "hh:mm", "06:15:00"),
        "hours": (timedelta(hours=26, minutes=5), "[h]:mm:ss", "26:05:00"),
        "early": (datetime(1900, 1, 1), "yyyy-mm-dd", "1900-01-01"),
        "yes": (True, "General", "TRUE"),
        "no": (False, "General", "FALSE"),
        "text of digits": ("007", "@", "007"),
        "spaces": ("  two  ", "General", "  two  "),
        "lines": ("one\ntwo", "General", "one\ntwo"),
        "empty": (None, "General", ""),
    }
    for column, (name, (value, form, _)) in enumerate(cells.items(), start=1):
        book.active.cell(1, column, name)
        book.active.cell(2, column, value).number_format = form
    book.save(path)
    assert rows_of(path) == [{name: looks for name, (_, _, looks) in cells.items()}]


def test_days_are_counted_from_1904_where_the_workbook_says_so(tmp_path):
    path = tmp_path / "mac.xlsx"
    with xlsxwriter.Workbook(path, {"date_1904": True}) as book:
        sheet = book.add_worksheet()
        sheet.write_row(0, 0, ["id", "day"])
        sheet.write_string(1, 0, "a")
        sheet.write_datetime(1, 1, datetime(2026, 11, 16), book.add_format({"num_format": 14}))
    assert rows_of(path) == [{"id": "a", "day": "2026-11-16"}]


def test_a_text_with_several_fonts_is_joined_and_its_reading_left_out(tmp_path):
    rich = (
        "<si><r><t>One </t></r><r><rPr><b/></rPr><t xml:space='preserve'>two </t></r>"
        "<r><t>_x0041_ _x005F_x0041_</t></r></si>"
        "<si><t>東京</t><rPh sb='0' eb='2'><t>トウキョウ</t></rPh></si>"
    )
    row = '<row r="2"><c r="A2" t="s"><v>1</v></c><c r="B2" t="s"><v>0</v></c></row>'
    path = save_parts(tmp_path / "rich.xlsx", HEADER + row, strings=rich)
    assert rows_of(path) == [{"id": "東京", "text": "One two A _x0041_"}]


def test_formulas_are_read_as_their_saved_results(tmp_path):
    path = tmp_path / "formulas.xlsx"
    with xlsxwriter.Workbook(path) as book:
        sheet = book.add_worksheet()
        sheet.write_row(0, 0, ["id", "n", "text", "yes"])
        sheet.write_string(1, 0, "a")
        sheet.write_formula(1, 1, "=1+1", None, 2)
        sheet.write_formula(1, 2, '="x"&"y"', None, "xy")
        sheet.write_formula(1, 3, "=TRUE()", None, True)
    assert rows_of(path) == [{"id": "a", "n": "2", "text": "xy", "yes": "TRUE"}]


def test_a_formula_that_gives_an_empty_text_is_an_empty_cell(tmp_path):
    row = f'<row r="2">{text_cell("A2", "a")}<c r="B2" t="str"><f>""</f><v></v></c></row>'
    assert rows_of(save_parts(tmp_path / "e.xlsx", HEADER + row)) == [{"id": "a", "text": ""}]


def test_a_formula_without_its_result_is_named(tmp_path):
    path = saved(tmp_path / "f.xlsx", ("Data", [["id", "text"], ["a", "x"], ["b", "=A2"]]))
    message = r"f\.xlsx, sheet 'Data', row 3: the cell B3 has a formula without its result: open"
    with pytest.raises(DataError, match=message):
        rows_of(path)


def test_an_error_in_a_cell_is_named_and_other_rows_are_read(tmp_path):
    rows = [
        HEADER,
        f'<row r="2">{text_cell("A2", "a")}<c r="B2" t="e"><v>#N/A</v></c></row>',
        f'<row r="3">{text_cell("A3", "b")}{text_cell("B3", "fine")}</row>',
    ]
    path = save_parts(tmp_path / "n.xlsx", "".join(rows))
    faults = Faults(path)
    assert rows_of(path, faults) == [{"id": "b", "text": "fine"}]
    assert faults.found == [
        f"{path}, sheet 'Data', row 2: the cell B2 has the error '#N/A' in the place of a value"
    ]


def test_the_only_sheet_with_contents_is_read(tmp_path):
    path = saved(
        tmp_path / "s.xlsx", ("Empty", []), ("Old", TABLE), ("Data", TABLE), hidden=["Old"]
    )
    assert read_documents(path).ids == ("a", "b")


def test_several_sheets_are_listed_and_one_is_chosen_by_its_name(tmp_path):
    other = [["id", "text"], ["c", "Three"]]
    path = saved(tmp_path / "s.xlsx", ("Coded", TABLE), ("Wave 2.1", other))
    with pytest.raises(DataError, match=r"sheets 'Coded', 'Wave 2\.1': .* 's\.xlsx#Coded'"):
        read_documents(path)
    assert read_documents(tmp_path / "s.xlsx#Coded").ids == ("a", "b")
    assert read_documents(f"{path}#wave 2.1").ids == ("c",)
    with pytest.raises(DataError, match=r"must have a sheet 'New', but has 'Coded', 'Wave 2\.1'"):
        read_documents(f"{path}#New")


def test_a_hidden_sheet_is_read_when_it_is_named(tmp_path):
    path = saved(tmp_path / "s.xlsx", ("Data", [["x"]]), ("Old", TABLE), hidden=["Old"])
    assert read_documents(f"{path}#Old").ids == ("a", "b")


def test_empty_rows_and_columns_are_left_out(tmp_path):
    rows = [
        [],
        ["", "id", None, "text"],
        [],
        [None, "a", None, "One"],
        [None, "b", None, "Two"],
        [],
    ]
    path = saved(tmp_path / "gaps.xlsx", ("Data", rows))
    assert rows_of(path) == [{"id": "a", "text": "One"}, {"id": "b", "text": "Two"}]
    assert [row.where.rpartition(", ")[2] for row in read_rows(path)] == ["row 4", "row 5"]


def test_an_id_twice_is_named_with_both_rows(tmp_path):
    path = saved(tmp_path / "t.xlsx", ("Data", [*TABLE, ["a", "Three"]]))
    with pytest.raises(DataError, match=r"'Data', row 4: 'id' .* '1?a' stands in row 2 as well"):
        read_documents(path)


TITLES = {
    "merged": ([["Survey 2026"], ["id", "text", "labels"], ["a", "b", "c"]], "row 1 must name all"),
    "above a gap": ([["Survey"], [], ["id", "text"], ["a", "b"]], "holds only 'Survey', and row 3"),
    "in the middle": ([[None, None, "Survey"], ["id", "text", "labels"]], "A, B have no names"),
    "two names over one": ([["id", "Q7"], [None, "a", "b"], ["1", "x", "y"]], "row 1 must name"),
}


@pytest.mark.parametrize("name", TITLES)
def test_a_title_above_the_header_is_refused_with_its_row(name, tmp_path):
    rows, message = TITLES[name]
    path = saved(tmp_path / "t.xlsx", ("Data", rows))
    if name == "merged":
        book = openpyxl.load_workbook(path)
        book.active.merge_cells("A1:C1")
        book.save(path)
    with pytest.raises(DataError, match=rf"t\.xlsx, sheet 'Data', .*{message}.*: if it is a title"):
        rows_of(path)


def test_one_column_without_a_name_is_read_as_in_csv(tmp_path):
    rows = [[None, "id", "text"], [0, "a", "One"], [1, "b", "Two"]]  # as pandas writes them
    path = saved(tmp_path / "p.xlsx", ("Data", rows))
    text = "\n".join(",".join("" if x is None else str(x) for x in row) for row in rows)
    (tmp_path / "p.csv").write_text(text)
    assert rows_of(path) == rows_of(tmp_path / "p.csv")


def test_a_name_twice_is_refused_as_in_csv(tmp_path):
    path = saved(tmp_path / "t.xlsx", ("Data", [["id", "id "], ["a", "b"]]))
    with pytest.raises(DataError, match=r"'Data': column names must differ, but 'id' comes twice"):
        rows_of(path)


def test_a_cell_beyond_the_header_is_named(tmp_path):
    path = saved(tmp_path / "t.xlsx", ("Data", [*TABLE, ["c", "Three", None, "note"]]))
    message = r"row 4 must have cells in named columns only, but D4 holds 'note', and row 1 has no"
    with pytest.raises(DataError, match=message):
        rows_of(path)


def test_a_workbook_without_rows_is_refused(tmp_path):
    path = saved(tmp_path / "t.xlsx", ("Data", []), ("More", []))
    with pytest.raises(DataError, match=r"t\.xlsx must have a sheet with rows, but all are empty"):
        rows_of(path)


def test_documents_come_in_batches(tmp_path):
    rows = [["id", "text"], *([f"d{i}", f"text {i}"] for i in range(25))]
    path = saved(tmp_path / "t.xlsx", ("Data", rows))
    assert [len(batch) for batch in iter_documents(path, batch_size=10)] == [10, 10, 5]


def test_a_workbook_with_macros_is_read(tmp_path):
    path = saved(tmp_path / "t.xlsx", ("Data", TABLE)).rename(tmp_path / "t.xlsm")
    assert read_documents(path).ids == ("a", "b")


def test_positions_may_be_left_out(tmp_path):
    row = "<row><c t='inlineStr'><is><t>{}</t></is></c><c><v>{}</v></c></row>"
    rows = "<row/>" + row.format("id", "1") + row.format("a", "2")
    assert rows_of(save_parts(tmp_path / "t.xlsx", rows)) == [{"id": "a", "1": "2"}]


def test_names_with_a_prefix_are_understood(tmp_path):
    cells = "".join(
        f'<x:c r="{n}" t="inlineStr"><x:is><x:t>{n}</x:t></x:is></x:c>' for n in ("A1",)
    )
    second = '<x:row r="2"><x:c r="A2"><x:v>5</x:v></x:c></x:row>'
    sheet = f'<x:worksheet xmlns:x="{MAIN}"><x:sheetData><x:row r="1">{cells}</x:row>{second}'
    more = {"xl/worksheets/one.xml": f"{sheet}</x:sheetData></x:worksheet>"}
    assert rows_of(save_parts(tmp_path / "t.xlsx", "", more=more)) == [{"A1": "5"}]


def test_a_workbook_of_pandas_is_read(tmp_path):
    frame = pandas.DataFrame({"id": ["a", "b"], "n": [1.5, 2.0], "text": ["größer", "x"]})
    frame.to_excel(tmp_path / "frame.xlsx", index=False, engine="openpyxl")
    expected = [("a", "1.5", "größer"), ("b", "2", "x")]
    assert [tuple(row.values()) for row in rows_of(tmp_path / "frame.xlsx")] == expected
