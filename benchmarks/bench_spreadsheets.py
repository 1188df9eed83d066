"""Memory and time of workbooks: ours against openpyxl, python-calamine and XlsxWriter.

A sheet of 200,000 rows has an id, a text of about 350 characters, a label and two numbers. Each
reader and writer runs in a process of its own, and its peak is counted beyond that of its imports.
One sheet has its texts in its cells, as we write it; the other has them in a list, as Excel does.
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from timing import report

N = int(sys.argv[1]) if len(sys.argv) == 2 else 200_000
HEADER = ["id", "text", "label", "score", "year"]


def rows() -> Iterator[list[object]]:
    rng = random.Random(0)  # noqa: S311 (texts for a measurement)
    words = [f"word{i}" for i in range(5_000)]
    for i in range(N):
        text = " ".join(rng.choices(words, k=40))
        yield [f"d{i}", text, rng.choice(words), rng.random(), 2000 + i % 20]


def write_ours(path: Path) -> None:
    from satc.files.formats.xlsx.writer import write_xlsx

    write_xlsx(path, HEADER, rows())


def write_xlsxwriter(path: Path, *, in_cells: bool = True) -> None:
    import xlsxwriter

    options = {"constant_memory": in_cells, "strings_to_urls": False}
    with xlsxwriter.Workbook(path, options) as book:
        sheet = book.add_worksheet()
        sheet.write_row(0, 0, HEADER)
        for number, row in enumerate(rows(), start=1):
            sheet.write_row(number, 0, row)


def read_ours(path: Path) -> int:
    from satc.files.formats.reader import read_rows

    return sum(1 for _ in read_rows(path))


def read_openpyxl(path: Path) -> int:
    import openpyxl

    book = openpyxl.load_workbook(path, read_only=True, data_only=True)
    return sum(1 for _ in book.worksheets[0].iter_rows(values_only=True)) - 1


def read_calamine(path: Path) -> int:
    import python_calamine

    book = python_calamine.CalamineWorkbook.from_path(path)
    return sum(1 for _ in book.get_sheet_by_index(0).iter_rows()) - 1


WORK: dict[str, Callable[[Path], object]] = {
    "write_ours": write_ours,
    "write_xlsxwriter": write_xlsxwriter,
    "write_list": lambda path: write_xlsxwriter(path, in_cells=False),
    "read_ours": read_ours,
    "read_openpyxl": read_openpyxl,
    "read_calamine": read_calamine,
}


def peak() -> int:
    """Return the most memory that this process has had, in bytes."""
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return 1024 * next(int(line.split()[1]) for line in lines if line.startswith("VmHWM"))


def work(name: str, path: Path) -> None:
    import openpyxl  # noqa: F401 (all processes have the same imports)
    import python_calamine  # noqa: F401
    import xlsxwriter  # noqa: F401

    import satc.files  # noqa: F401

    before, start = peak(), time.perf_counter()
    found = WORK[name](path)
    assert found in (None, N)
    print(json.dumps([time.perf_counter() - start, peak() - before]))


def measured(name: str, path: Path) -> tuple[float, float]:
    """Return seconds and megabytes."""
    command = [sys.executable, __file__, name, str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    seconds, size = json.loads(done.stdout)
    print(f"{name:<18} {path.stem:<10} {seconds:6.1f} s   {size / 1e6:7.1f} MB", flush=True)
    return seconds, size / 1e6


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        in_cells, listed, other = (
            Path(folder) / f"{name}.xlsx" for name in ("in_cells", "in_list", "other")
        )
        texts = sum(len(str(row[1])) for row in rows()) / 1e6
        print(f"{N:,} rows with {texts:.0f} million characters of text")
        write = measured("write_ours", in_cells)
        reference = measured("write_xlsxwriter", other)
        measured("write_list", listed)
        report("seconds to write, ours / XlsxWriter", write[0] / reference[0], "at most 2")
        report("memory to write, ours / texts", write[1] / texts, "at most 0.3")
        for path in (in_cells, listed):
            ours, python, rust = (
                measured(f"read_{name}", path) for name in ("ours", "openpyxl", "calamine")
            )
            place = f"texts {path.stem}"
            report(f"seconds to read, {place}: ours / openpyxl", ours[0] / python[0], "at most 2")
            report(f"memory to read, {place}: ours / texts", ours[1] / texts, "at most 0.3")
            report(f"memory, {place}: openpyxl / texts", python[1] / texts, "to compare")
            report(f"memory, {place}: calamine / texts", rust[1] / texts, "to compare")


if __name__ == "__main__":
    if len(sys.argv) == 3:
        work(sys.argv[1], Path(sys.argv[2]))
    else:
        main()
