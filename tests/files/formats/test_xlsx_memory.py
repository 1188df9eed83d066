"""200,000 rows of a workbook are written and read in memory that does not grow with them."""

from __future__ import annotations

import json
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from sheets_made import HEADER, MAIN, relations, save_parts, text_cell

N = 200_000
N_SHARED = 80_000
TEXT = "Wheat prices rose again. " * 12 + "This is document {}."
BOUND = 16_000_000  # bytes beyond what the program itself needs

PARTS = relations({"worksheet": "worksheets/two.xml", "sharedStrings": "texts.xml"})

# The peak is that of this process, as Linux counts it, since its start and up to now.
SCRIPT = """
import json, sys
from pathlib import Path
from satc.files.formats.reader import read_rows
from satc.files.formats.xlsx.writer import write_xlsx

def peak():
    lines = Path("/proc/self/status").read_text().splitlines()
    return 1024 * next(int(line.split()[1]) for line in lines if line.startswith("VmHWM"))

what, path, n, text = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
before, count, characters = peak(), 0, 0
if what == "write":
    write_xlsx(path, ["id", "text"], ((f"d{i}", text.format(i)) for i in range(n)))
else:
    for row in read_rows(path):
        count += 1
        characters += len(row.values["text"])
print(json.dumps([count, characters, peak() - before]))
"""

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="peaks are Linux's"),
]


def run(what, path):
    command = [sys.executable, "-c", SCRIPT, what, str(path), str(N), TEXT]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def shared(path):
    """Save a workbook whose texts are all in one list, as Excel and LibreOffice save them."""
    save_parts(path, HEADER, more={"xl/_rels/workbook.xml.rels": PARTS})
    with zipfile.ZipFile(path, "a", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        with archive.open("xl/texts.xml", "w") as file:
            texts = (f"<si><t>{TEXT.format(i)}</t></si>" for i in range(N_SHARED))
            _write(file, f'<sst xmlns="{MAIN}">', texts, "</sst>")
        with archive.open("xl/worksheets/two.xml", "w") as file:
            rows = (
                f'<row r="{i + 2}">{text_cell(f"A{i + 2}", f"d{i}")}<c r="B{i + 2}" t="s">'
                f"<v>{i}</v></c></row>"
                for i in range(N_SHARED)
            )
            start = f'<worksheet xmlns="{MAIN}"><sheetData>{HEADER}'
            _write(file, start, rows, "</sheetData></worksheet>")
    return path


def _write(file, start, pieces, end):
    file.write(start.encode())
    file.writelines(piece.encode() for piece in pieces)
    file.write(end.encode())


def characters_of(n):
    return sum(len(TEXT.format(i)) for i in range(n))


def test_many_rows_are_written_and_read_in_bounded_memory(tmp_path):
    path = tmp_path / "many.xlsx"
    assert run("write", path)[2] < BOUND < N * len(TEXT) / 3
    count, characters, peak = run("read", path)
    assert (count, characters) == (N, characters_of(N))
    assert peak < BOUND


def test_many_shared_texts_are_read_in_bounded_memory(tmp_path):
    count, characters, peak = run("read", shared(tmp_path / "many.xlsx"))
    assert (count, characters) == (N_SHARED, characters_of(N_SHARED))
    assert peak < BOUND < characters
