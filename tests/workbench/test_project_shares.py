"""The shares of a project: from its log, by a column, on the command line and in the report."""

import csv
import json

import numpy as np
import pytest
from calling import labels_of
from commanding import command as satc
from projects_made import make, make_project
from stored_projects import make_stored

import made as made_documents
from satc.code_book import CodeBook, Entry
from satc.errors import DataError
from satc.files.formats.reader import read_rows
from satc.workbench.model import events
from satc.workbench.project.history import read_history
from satc.workbench.reports.report import make_report
from satc.workbench.reports.report_page import as_dict, as_html
from satc.workbench.reports.share_bars import share_bars
from satc.workbench.reports.shares import project_shares, read_groups
from satc.workbench.review.desk import open_desk
from satc.workbench.review.open_projects import OpenProject
from satc.workbench.store import open_store
from satc.workbench.store.events import append
from satc.workbench.store.predictions import read_probabilities

NAMES = ("<b>wheat</b>", "corn", "gold", "oil", "ship", "tea")
YEARS = [2022 + i % 3 for i in range(240)]
TOWNS = ["" if i % 8 == 0 else "Bari" if i % 2 else "Turin" for i in range(240)]
COLUMNS = {"year": YEARS, "town": TOWNS, "number": list(range(240))}


def work(desk, made, times, who="ann"):
    for _ in range(times):
        lease, _ = desk.next(who)
        if lease is None:
            return
        desk.submit(lease.lease, who, labels_of(made, lease.document), 1.0)


def found_in(path, **options):
    store = open_store(path)
    desk = open_desk(store)
    found = project_shares(store, desk.project, read_history(store, desk.project), **options)
    store.close()
    return found


@pytest.fixture(scope="module")
def audited(tmp_path_factory):
    """A project with 60 of 120 decisions audited."""
    made, path = make(n=240), tmp_path_factory.mktemp("shares") / "claims.satc"
    make_project(made, path, audit=0.5, names=NAMES, columns=COLUMNS)
    store = open_store(path)
    work(open_desk(store), made, 120)
    store.close()
    return path, made


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    """A project without an audit."""
    path = tmp_path_factory.mktemp("shares") / "plain.satc"
    make_project(make(n=30), path)
    return path


def test_the_shares_of_a_project_are_near_the_truth(audited):
    path, made = audited
    rows = found_in(path).rows()
    truth = made.y_true.mean(axis=0)
    assert [row["class"] for row in rows] == list(NAMES)
    assert {(row["n_documents"], row["n_validated"], row["n_audited"]) for row in rows} == {
        (240, 120, 60)
    }
    assert sum(row["low"] <= t <= row["high"] for row, t in zip(rows, truth, strict=True)) >= 5
    assert all(row["high"] - row["low"] < 0.25 for row in rows)
    own = (made.scores >= 0).mean(axis=0)
    assert [row["classifier"] for row in rows] == pytest.approx(own.tolist())


def test_when_all_documents_are_decided_the_shares_are_exact(tmp_path):
    made, path = make(n=30), tmp_path / "small.satc"
    make_project(made, path, audit=0.3)
    store = open_store(path)
    work(open_desk(store), made, 40)
    store.close()
    found = found_in(path)
    for row, share in zip(found.rows(), made.y_true.mean(axis=0), strict=True):
        assert row["low"] == row["share"] == row["high"] == share
    assert found.note() == "all 30 documents are decided: the shares are exact"


def test_the_command_prints_shares_and_what_they_rest_on(audited):
    done = satc("shares", audited[0], COLUMNS="200")
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0].split() == [
        *("class", "share", "low", "high", "count", "classifier", "validated", "audited")
    ]
    assert lines[2].split()[0] == "corn"
    assert all(cell.endswith("%") for cell in lines[2].split()[1:4])
    assert "95% intervals, from 60 documents that the audit drew and 60 others" in done.stdout


def test_the_command_writes_a_table_with_a_row_for_each_group_and_class(audited, tmp_path):
    path, made = audited
    done = satc("shares", path, "--by", "town", "--level", "0.9", "-o", tmp_path / "shares.csv")
    assert done.returncode == 0, done.stderr
    rows = list(csv.DictReader((tmp_path / "shares.csv").read_text().splitlines()))
    assert [row["group"] for row in rows[::6]] == ["Bari", "Turin", "(none)"]
    assert [int(row["n_documents"]) for row in rows[::6]] == [120, 90, 30]
    inside = np.array(TOWNS) == "Turin"
    truth = made.y_true[inside].mean(axis=0)
    bounds = [(float(row["low"]), float(row["high"])) for row in rows[6:12]]
    assert sum(low <= t <= high for (low, high), t in zip(bounds, truth, strict=True)) >= 4
    assert sum(int(row["validated"]) for row in rows[6:12]) <= made.y_true[inside].sum()


def test_json_has_the_same_figures(audited):
    data = json.loads(satc("shares", audited[0], "--by", "year", "--json").stdout)
    assert (data["by"], data["level"], data["n_audited"]) == ("year", 0.95, 60)
    assert [row["group"] for row in data["shares"][::6]] == ["2022", "2023", "2024"]
    assert data["shares"] == found_in(audited[0], by="year").as_dict()["shares"]


@pytest.mark.parametrize(
    ("options", "message", "code"),
    [
        (["--by", "city"], "must have the column 'city', but have 'year', 'town', 'number'", 1),
        (["--by", "number"], "at most 100 different values to divide the documents by, but", 1),
        (["--level", "95"], "--level must be between 0 and 1", 2),
        (["-o", "shares.doc"], "path must end with one of .csv", 1),
    ],
)
def test_wrong_options_are_named(audited, tmp_path, options, message, code):
    done = satc("shares", audited[0], *options, cwd=tmp_path, COLUMNS="200")
    assert done.returncode == code
    assert message in done.stderr
    assert not list(tmp_path.iterdir())


def test_documents_without_further_columns_have_no_groups(plain):
    done = satc("shares", plain, "--by", "year")
    assert "have no columns besides id and text" in done.stderr


def test_without_an_audit_there_are_no_intervals(plain, tmp_path):
    done = satc("shares", plain)
    assert done.returncode == 0
    assert "no intervals: without an audit" in done.stdout
    assert "satc configure PROJECT --audit 20%" in done.stdout
    data = json.loads(satc("shares", plain, "--json").stdout)
    assert {(row["low"], row["high"]) for row in data["shares"]} == {(None, None)}
    satc("shares", plain, "-o", tmp_path / "shares.csv")
    rows = list(csv.DictReader((tmp_path / "shares.csv").read_text().splitlines()))
    assert {(row["low"], row["high"]) for row in rows} == {("", "")}
    store = open_store(plain)
    probability = read_probabilities(store, open_desk(store).project)
    store.close()
    assert [float(row["share"]) for row in rows] == pytest.approx(probability.mean(axis=0))


def test_groups_without_an_audited_document_are_named(tmp_path):
    made, path = make(n=60), tmp_path / "claims.satc"
    make_project(made, path, audit=0.5, columns={"place": [f"p{i % 30}" for i in range(60)]})
    store = open_store(path)
    work(open_desk(store), made, 10)
    store.close()
    found = found_in(path, by="place")
    drawn = {f"p{i % 30}" for i, _, is_audit in audit_log(path) if is_audit}
    bare = {row["group"] for row in found.rows() if np.isnan(row["low"])}
    assert bare == {f"p{i}" for i in range(30)} - drawn
    assert f"no interval in {len(bare)} groups without an audited document" in found.note()


def audit_log(path):
    store = open_store(path)
    log = read_history(store, open_desk(store).project).audit_log()
    store.close()
    return log


def test_values_of_a_column_become_texts(audited):
    store = open_store(audited[0])
    groups = read_groups(store, open_desk(store).project, "year")
    store.close()
    assert groups == [str(year) for year in YEARS]


@pytest.mark.slow
def test_a_project_that_learns_uses_the_probabilities_from_before_the_first_decision(tmp_path):
    made, path = make(n=160, seed=3), tmp_path / "cold.satc"
    make_project(made, path, cold=True, audit=0.5)
    store = open_store(path)
    project = OpenProject(open_desk(store))
    before = read_probabilities(store, project.desk.project).mean(axis=0)
    for _ in range(60):
        lease, _ = project.desk.next("ann")
        project.desk.submit(lease.lease, "ann", labels_of(made, lease.document), 1.0)
        project.learning.wait()
    assert project.desk.state.learnt is not None
    store.close()
    found = found_in(path)
    assert found.found.predicted == pytest.approx(before)
    truth = made.y_true.mean(axis=0)
    assert ((found.found.low <= truth) & (truth <= found.found.high)).sum() >= 5


@pytest.mark.slow
def test_a_part_of_a_larger_set_has_no_shares(tmp_path):
    path = tmp_path / "part.satc"
    make_stored(made_documents.make(n=60), tmp_path, path)
    with pytest.raises(DataError, match="must hold all its documents for shares"):
        found_in(path)
    store = open_store(path)
    desk = open_desk(store)
    report = make_report(store, desk.project, read_history(store, desk.project))
    store.close()
    assert report.shares is None
    assert as_dict(report, None)["shares"] is None


def test_draws_that_the_seed_does_not_give_are_refused(tmp_path):
    made, path = make(n=30), tmp_path / "forged.satc"
    make_project(made, path, audit=0.5)
    store = open_store(path)
    desk = open_desk(store)
    work(desk, made, 4)
    chosen = next(i for i in range(30) if i not in desk.record.drawn_for_audit)
    with store.writing() as transaction:
        append(transaction, desk.project.key, desk.state.new_event("audit", events.AUDIT, chosen))
    store.close()
    with pytest.raises(DataError, match="must draw the document that the seed gives"):
        found_in(path)


def test_the_report_shows_the_shares(audited, plain):
    pages = {}
    for path in (audited[0], plain):
        store = open_store(path)
        desk = open_desk(store)
        history = read_history(store, desk.project)
        report = make_report(store, desk.project, history)
        pages[path] = as_html(store, report, history, None)
        data = json.loads(json.dumps(as_dict(report, None)))
        store.close()
        assert data["shares"] == found_in(path).as_dict()
    page = pages[audited[0]]
    assert '<h2 id="shares">Shares</h2>' in page
    assert "&lt;b&gt;wheat&lt;/b&gt;" in page
    assert page.count('class="fill"') == page.count('class="range"') == 6
    assert "95% interval" in page
    assert 'class="range"' not in pages[plain]
    assert "There are no intervals, because no document was drawn at random." in pages[plain]


def test_shares_have_the_names_of_a_code_book_and_go_into_a_workbook(tmp_path):
    book = CodeBook(tuple(Entry(f"c{j}", f"Name {j}") for j in range(6)))
    made, path = make(n=60), tmp_path / "coded.satc"
    make_project(made, path, audit=0.5, names=[f"c{j}" for j in range(6)], book=book)
    store = open_store(path)
    work(open_desk(store), made, 20)
    store.close()
    done = satc("shares", path, "-o", tmp_path / "shares.xlsx")
    assert done.returncode == 0, done.stderr
    rows = [row.values for row in read_rows(tmp_path / "shares.xlsx")]
    assert [(row["class"], row["name"]) for row in rows] == [
        (f"c{j}", f"Name {j}") for j in range(6)
    ]
    found = found_in(path)
    assert [float(row["high"]) for row in rows] == found.found.high.tolist()
    assert {bar.name for bar in share_bars(found).rows} == {f"Name {j}" for j in range(6)}


def test_undone_decisions_make_the_intervals_wider_and_are_named(tmp_path):
    made, path = make(n=120), tmp_path / "claims.satc"
    make_project(made, path, audit=1.0)
    store = open_store(path)
    desk = open_desk(store)
    for document in np.flatnonzero(made.y_true[:, 0])[:12].tolist():
        lease = desk.open_chosen(document, "bob")
        desk.submit(lease.lease, "bob", labels_of(made, document), 1.0)
    work(desk, made, 40)
    history = read_history(store, desk.project)
    before = project_shares(store, desk.project, history)
    assert "undone" not in before.note()
    for _ in range(12):
        lease = desk.undo("bob").lease
        if lease is not None:
            desk.give_back(lease.lease, "bob")
    after = project_shares(store, desk.project, read_history(store, desk.project))
    store.close()
    assert "12 decisions were undone after others were drawn" in after.note()
    truth = made.y_true[:, 0].mean()
    assert after.found.low[0] <= truth <= after.found.high[0]
    assert after.found.high[0] - after.found.low[0] > before.found.high[0] - before.found.low[0]
