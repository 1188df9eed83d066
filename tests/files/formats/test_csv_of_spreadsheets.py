"""CSV as Excel and others save it: guesses are said, UTF-8 with commas is read as it always was."""

from __future__ import annotations

import gzip
import warnings

import pytest

from satc.errors import DataError, GuessedFormatWarning
from satc.files import read_documents, write_table
from satc.files.faults import Faults
from satc.files.formats.reader import read_rows

ROWS = [("1", "Größe – „gut“, sagt René"), ("2", "ça coûte 5 €; très cher"), ("3", 'der "Œuvre"')]


def as_text(separator=",", end="\r\n"):
    quoted = ([f'"{cell.replace(chr(34), chr(34) * 2)}"' for cell in row] for row in ROWS)
    return end.join(separator.join(row) for row in (["id", "text"], *quoted)) + end


def read(path):
    """Return the rows, and what was said about the file."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        rows = [tuple(row.values.values()) for row in read_rows(path)]
    assert all(issubclass(one.category, GuessedFormatWarning) for one in said)
    return rows, [str(one.message).removeprefix(str(path)) for one in said]


ENCODINGS = {
    "utf-8": [],
    "utf-8-sig": [],
    "utf-16": [" was read as UTF-16, since it is not UTF-8"],
    "utf-16-be": [" was read as UTF-16, since it is not UTF-8"],
    "cp1252": [" was read as Windows-1252, since it is not UTF-8; line 2 has 'Größe'"],
}
SEPARATORS = {",": None, ";": "semicolons", "\t": "tabs"}


@pytest.mark.parametrize("packed", [False, True], ids=["plain", "packed"])
@pytest.mark.parametrize("separator", SEPARATORS, ids=["comma", "semicolon", "tab"])
@pytest.mark.parametrize("encoding", ENCODINGS)
def test_a_file_of_excel_is_read_and_guesses_are_said(encoding, separator, packed, tmp_path):
    content = as_text(separator).encode(encoding)
    if encoding == "utf-16-be":
        content = b"\xfe\xff" + content
    path = tmp_path / ("t.csv.gz" if packed else "t.csv")
    path.write_bytes(gzip.compress(content) if packed else content)
    rows, said = read(path)
    assert rows == ROWS
    guess = f" was read with {SEPARATORS[separator]} between its cells, since its first line has no"
    separators = [] if separator == "," else [f"{guess} commas"]
    assert sorted(said) == sorted(ENCODINGS[encoding] + separators)


def test_a_guess_is_said_once_though_a_file_is_read_twice(tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes(as_text(";").encode())
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("default")
        for _ in range(2):
            read_documents(path)
    assert len(said) == 1


def test_text_of_excel_with_tabs_in_utf_16_is_read(tmp_path):
    (tmp_path / "t.tsv").write_bytes(as_text("\t").encode("utf-16"))
    assert read(tmp_path / "t.tsv")[0] == ROWS


DOUBTFUL = {
    "cyrillic": "Привет, мир".encode("cp1251"),
    "greek": "Καλημέρα".encode("cp1253"),
    "polish": "zażółć gęślą jaźń".encode("cp1250"),
    "japanese": "こんにちは".encode("shift-jis"),
    "chinese": "你好，世界".encode("gbk"),
    "macintosh": "Größe für Käufer".encode("mac-roman"),
    "no letter": b"\x81\x8d",
    "control": b"caf\xe9\x01",
    "two encodings": "Größe".encode("cp1252") + "\nx,Größe".encode(),
}


@pytest.mark.parametrize("name", DOUBTFUL)
def test_a_doubtful_encoding_is_an_error_that_says_what_to_do(name, tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes(b"id,text\n1,plain\n2," + DOUBTFUL[name] + b"\n")
    message = (
        r"t\.csv, line 3 must be UTF-8, but its byte .* save the file as UTF-8 \(in Excel: CSV"
    )
    with pytest.raises(DataError, match=message):
        read_documents(path)


def test_a_damaged_line_of_a_utf_8_file_is_a_fault_and_the_others_are_read(tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes("id,text\n1,größer\n2,caf".encode() + b"\xe9\n3,fine\n")
    faults = Faults(path)
    assert [row.values["id"] for row in read_rows(path, faults)] == ["1", "3"]
    assert len(faults.found) == 1


def test_utf_16_without_its_mark_and_cut_off_are_refused(tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes(as_text().encode("utf-16-le"))
    with pytest.raises(DataError, match=r"t\.csv must be UTF-8, but seems to be UTF-16 without"):
        read_documents(path)
    path.write_bytes(as_text().encode("utf-16")[:-1])
    with (
        pytest.warns(GuessedFormatWarning),
        pytest.raises(DataError, match=r"t\.csv must be UTF-16 to its end"),
    ):
        read_documents(path)


def test_semicolons_and_tabs_together_are_refused(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("id;text\tmore\n1;a\tb\n")
    with pytest.raises(DataError, match=r"t\.csv, line 1 must have commas .* has semicolons and"):
        read_documents(path)


SAME_AS_EVER = {
    "a semicolon in a name": ("id,a;b,text\n1,x;y,z\n", [("1", "x;y", "z")]),
    "a tab in a name": ("id,a\tb\n1,x\n", [("1", "x")]),
    "names in quotes": ('"id","a;b"\n1,x\n', [("1", "x")]),
    "one column": ("id\n1\n2\n", [("1",), ("2",)]),
    "one quoted column": ('"id;text"\n1\n', [("1",)]),
    "decimal points": ("id,n\n1,0.5\n", [("1", "0.5")]),
}


@pytest.mark.parametrize("name", SAME_AS_EVER)
def test_a_file_with_commas_is_read_as_ever(name, tmp_path):
    content, rows = SAME_AS_EVER[name]
    (tmp_path / "t.csv").write_text(content)
    assert read(tmp_path / "t.csv") == (rows, [])


def test_a_first_line_that_names_the_separator_is_obeyed(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("sep=|\r\nid|text\r\n1|a,b;c\r\n")
    assert read(path) == ([("1", "a,b;c")], [])
    assert [row.where for row in read_rows(path)] == [f"{path}, line 3"]


def test_a_wrong_number_of_cells_is_named_after_a_guess(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("id;text\n1;a;b\n")
    with (
        pytest.warns(GuessedFormatWarning, match="semicolons"),
        pytest.raises(
            DataError, match="line 2 must have as many cells as the header, 2, but has 3"
        ),
    ):
        read_documents(path)


def test_csv_for_excel_has_a_mark_semicolons_and_decimal_commas(tmp_path):
    columns = {"id": ["=1+1", "ä;b"], "n": [-0.5, 1e-7], "k": [1, 2], "text": ["-1.5", "x"]}
    write_table(tmp_path / "t.csv", columns, excel=True)
    assert (tmp_path / "t.csv").read_bytes() == (
        '\ufeffid;n;k;text\r\n\'=1+1;-0,5;1;-1.5\r\n"ä;b";1e-07;2;x\r\n'.encode()
    )


def test_only_csv_is_written_for_excel(tmp_path):
    with pytest.raises(ValueError, match=r"excel needs a file that ends with \.csv, but path is"):
        write_table(tmp_path / "t.tsv", {"id": ["a"]}, excel=True)
    assert not list(tmp_path.iterdir())
