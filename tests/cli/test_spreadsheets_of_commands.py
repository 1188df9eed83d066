"""Commands take workbooks and CSV of Excel, and write both."""

from __future__ import annotations

import csv
import io

import openpyxl
import pytest
from commanding import command as satc
from projects_made import make, make_project

from satc.files.formats.reader import read_rows
from satc.workbench.review.desk import open_desk
from satc.workbench.store import open_store
from texts_made import write_texts

RANK = ("rank", "--folds", "3", "--seed", "0")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The same texts as two CSV files, as a workbook with two sheets, and as CSV of Excel."""
    path = tmp_path_factory.mktemp("sheets")
    write_texts(path / "labelled.csv", 120, labelled=True)
    write_texts(path / "new.csv", 30, seed=1)
    book = openpyxl.Workbook()
    book.remove(book.active)
    for name in ("labelled", "new"):
        sheet = book.create_sheet(name)
        rows = list(csv.reader((path / f"{name}.csv").read_text().splitlines()))
        for i, row in enumerate(rows, start=1):
            for j, cell in enumerate(row, start=1):
                sheet.cell(i, j).value = cell
                sheet.cell(i, j).data_type = "s"  # openpyxl takes =0 for a formula
        text = io.StringIO(newline="")
        csv.writer(text, delimiter=";").writerows([[*row, "größer"] for row in rows])
        content = text.getvalue().replace("größer", "note", 1).encode("cp1252")
        (path / f"{name}_excel.csv").write_bytes(content)
    book.save(path / "survey.xlsx")
    return path


@pytest.fixture(scope="module")
def plain(folder):
    """The ranking of the plain CSV files."""
    done = satc(*RANK, "--train", "labelled.csv", "--documents", "new.csv", "-o", "plain.csv",
                cwd=folder)  # fmt: skip
    assert done.returncode == 0, done.stderr
    return [row.values for row in read_rows(folder / "plain.csv")]


def test_two_sheets_of_one_workbook_are_ranked_into_a_workbook(folder, plain):
    done = satc(*RANK, "--train", "survey.xlsx#labelled", "--documents", "survey.xlsx#new",
                "-o", "ranked.xlsx", cwd=folder)  # fmt: skip
    assert done.returncode == 0, done.stderr
    sheet = openpyxl.load_workbook(folder / "ranked.xlsx").active
    header, *rows = sheet.iter_rows(values_only=True)
    assert list(header) == list(plain[0])
    for row, known in zip(rows, plain, strict=True):
        found = dict(zip(header, row, strict=True))
        assert found["document"] == known["document"].removeprefix("'")
        assert found["text"] == known["text"].removeprefix("'")
        assert isinstance(found["rank"], int)
        assert found["utility"] == float(known["utility"])
        assert (found["predicted"] or "") == known["predicted"]


def test_a_workbook_with_several_sheets_needs_a_name(folder):
    done = satc(*RANK, "--train", "survey.xlsx", "--documents", "new.csv", cwd=folder)
    assert done.returncode == 1
    assert "survey.xlsx has the sheets 'labelled', 'new': say which to read, as in " in done.stderr


def test_csv_of_excel_is_ranked_and_guesses_are_notes(folder, plain):
    done = satc(*RANK, "--train", "labelled_excel.csv", "--documents", "new_excel.csv",
                "-o", "ranked.csv", "--excel", cwd=folder)  # fmt: skip
    assert done.returncode == 0, done.stderr
    lines = done.stderr.splitlines()
    for name in ("labelled_excel.csv", "new_excel.csv"):
        encoding = f"satc: note: {name} was read as Windows-1252, since it is not UTF-8; line 2 has"
        assert sum(line.startswith(encoding) for line in lines) == 1
        separator = f"satc: note: {name} was read with semicolons between its cells"
        assert sum(line.startswith(separator) for line in lines) == 1
    text = (folder / "ranked.csv").read_bytes().decode("utf-8-sig")
    rows = list(csv.DictReader(text.splitlines(), delimiter=";"))
    assert [row["document"] for row in rows] == [row["document"] for row in plain]
    assert [row["utility"].replace(",", ".") for row in rows] == [row["utility"] for row in plain]
    assert {row["note"] for row in rows} == {"größer"}


@pytest.mark.parametrize("output", [(), ("-o", "x.xlsx"), ("-o", "x.jsonl")])
def test_excel_needs_a_csv_file(folder, output):
    done = satc(*RANK, "--train", "labelled.csv", "--documents", "new.csv", "--excel", *output,
                cwd=folder)  # fmt: skip
    assert done.returncode == 2
    assert "--excel needs -o FILE.csv" in " ".join(done.stderr.split())


def test_labels_are_exported_to_a_workbook_and_decisions_imported_from_it(tmp_path):
    project = tmp_path / "claims.satc"
    make_project(make(n=12), project)
    path = tmp_path / "labels.xlsx"
    assert satc("export", project, "-o", path).returncode == 0
    book = openpyxl.load_workbook(path)
    sheet = book.active
    columns = {cell.value: cell.column for cell in sheet[1]}
    assert [row[0].value for row in sheet.iter_rows(min_row=2)] == [f"d{i}" for i in range(12)]
    assert isinstance(sheet.cell(2, columns["satc_rank"]).value, int)
    for row, labels in ((5, "class 1|class 2"), (7, None)):
        sheet.cell(row, columns["satc_labels"]).value = labels
        sheet.cell(row, columns["satc_source"]).value = "human"
        sheet.cell(row, columns["satc_validated_by"]).value = "ann"
    book.save(path)
    assert satc("import", project, f"{path}#satc").stdout.startswith("2 decisions")
    store = open_store(project)
    assert open_desk(store).validation.n_validated == 2
    store.close()
    assert satc("export", project, "-o", tmp_path / "l.csv", "--excel").returncode == 0
    assert (tmp_path / "l.csv").read_bytes().startswith(b"\xef\xbb\xbfid;text;")
    refused = satc("export", project, "-o", tmp_path / "l.csv", "--excel", "--format", "tsv")
    assert refused.returncode == 2


def test_predictions_of_a_workbook_are_ranked(tmp_path):
    book = openpyxl.Workbook()
    book.active.append(["id", "text", "refund", "fee"])
    for i in range(8):
        book.active.append([i, f"text {i}", i / 10, 1 - i / 10])
    for row in book.active.iter_rows(min_row=2, min_col=3):
        for cell in row:
            cell.number_format = "0%"
    book.save(tmp_path / "predicted.xlsx")
    done = satc("rank", "--predictions", "predicted.xlsx", "-o", "ranked.xlsx", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    rows = [row.values for row in read_rows(tmp_path / "ranked.xlsx")]
    assert sorted(row["document"] for row in rows) == [str(i) for i in range(8)]
