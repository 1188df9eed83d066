"""A project is stored in short transactions; nobody sees it until it is complete."""

import time
from contextlib import closing

import pytest
from projects_made import NamedScores, make, make_project, quiet, write_files

from satc.errors import DataError
from satc.workbench.model.settings import Settings
from satc.workbench.project.creation import create
from satc.workbench.review.creating import jobs
from satc.workbench.review.creating.jobs import CreationJob, Creations
from satc.workbench.review.open_projects import OpenProjects
from satc.workbench.store import open_store
from satc.workbench.store.arrays import Part, put_parts
from satc.workbench.store.creating.short_transactions import ShortTransactions
from satc.workbench.store.creating.unfinished import (
    begin_project,
    remove_unfinished,
    unfinished_projects,
)
from satc.workbench.store.documents import NewDocument, StorableDocument, put_documents
from satc.workbench.store.people.users import add_user
from satc.workbench.store.projects import add_classes, get_project, list_projects
from satc.workbench.store.search.finding import find_documents
from satc.workbench.store.search.query import parse_query

SETTINGS = Settings(title="Second", method="u-theoretic-dynamic")
TABLES = ("projects", "documents", "classes", "arrays")


@pytest.fixture
def store(location):
    """Return a store that others use: it has a project already."""
    make_project(make(n=30), location)
    with closing(open_store(location)) as opened:
        yield opened


def create_second(store, folder, progress=quiet, made=None):
    files = write_files(made or make(n=4_500, m=3, seed=1), folder)
    create(store, "second", NamedScores(**files), SETTINGS, files["documents"], progress)


def counts(store):
    """Count the rows of each table; all texts have the word by which the index is asked."""
    words = " WHERE document_search MATCH 'text'" if store.is_sqlite else ""
    with store.reading() as connection:
        return {
            table: connection.exec_driver_sql(f"SELECT count(*) FROM {table}{where}").scalar()  # noqa: S608
            for table, where in {**dict.fromkeys(TABLES, ""), "document_search": words}.items()
        }


def write_half(store, key, n=40):
    """Write a part of a project, as a process does before it is killed."""
    texts = [f"Text {k} half" for k in range(n)]
    rows = [StorableDocument(f"h{k}", t, {}, f"h {k} {t.lower()}") for k, t in enumerate(texts)]
    with store.writing() as connection:
        add_classes(connection, key, 0, ["a", "b"])
        put_parts(connection, key, [Part("scores", number, b"x" * 99) for number in range(3)])
        put_documents(connection, key, [NewDocument(k, k, 0.1, one) for k, one in enumerate(rows)])


def test_others_write_and_see_nothing_while_a_project_is_stored(store, location, tmp_path):
    seen = []

    def progress(step, done=0):
        if step == "storing documents":
            with closing(open_store(location)) as other:
                add_user(other, f"person {len(seen)}", "annotator", "-")
                seen.append([project.name for project in list_projects(other)])

    create_second(store, tmp_path / "in", progress)
    assert len(seen) >= 3
    assert all("second" not in names for names in seen)
    assert "second" in [project.name for project in list_projects(store)]
    assert get_project(store, "second").n_documents == 4_500


def test_a_project_is_stored_in_many_short_transactions(store, tmp_path, monkeypatch):
    sizes = []
    real = ShortTransactions._run

    def counted(self, put, durable):
        before = counts(store)["documents"]
        seconds = real(self, put, durable)
        sizes.append(counts(store)["documents"] - before)
        return seconds

    monkeypatch.setattr(ShortTransactions, "_run", counted)
    create_second(store, tmp_path / "in")
    assert sum(sizes) == 4_500
    assert max(sizes) < 3_000
    assert len(sizes) > 5


def test_a_creation_that_fails_while_it_is_stored_leaves_nothing(store, location, tmp_path):
    before = counts(store)

    def progress(step, done=0):
        if step == "storing documents" and done:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        create_second(store, tmp_path / "in", progress)
    assert counts(store) == before
    assert unfinished_projects(store) == []


def test_of_two_projects_of_one_name_the_later_one_leaves_nothing(store, location, tmp_path):
    def progress(step, done=0):
        if step == "storing documents" and done == 4_000:
            with closing(open_store(location)) as other:
                create_second(other, tmp_path / "other", made=make(n=20))

    with pytest.raises(DataError, match="got a project 'second' while this one was made"):
        create_second(store, tmp_path / "in", progress)
    assert unfinished_projects(store) == []
    assert counts(store)["documents"] == 50


def test_what_a_killed_process_has_left_is_removed_when_a_server_starts(store):
    before = counts(store)
    with begin_project(store, "half") as key:
        write_half(store, key)
    assert counts(store) != before
    assert [(one.key, one.name) for one in unfinished_projects(store)] == [(key, "half")]
    OpenProjects(store, estimating=False, in_background=True)
    end = time.monotonic() + 600
    while unfinished_projects(store):
        assert time.monotonic() < end
        time.sleep(0.05)
    assert counts(store) == before
    assert len(find_documents(store, get_project(store).key, parse_query("text"))) == 30


def test_removed_documents_are_not_found_in_the_next_project(store, tmp_path):
    with begin_project(store, "half") as key:
        write_half(store, key)
    remove_unfinished(ShortTransactions(store), [key])
    create_second(store, tmp_path / "in", made=make(n=20))
    second = get_project(store, "second").key
    assert len(find_documents(store, second, parse_query("half"))) == 0
    assert len(find_documents(store, second, parse_query("text"))) == 20


def test_a_project_that_another_process_is_storing_is_not_removed(postgresql):
    make_project(make(n=30), postgresql)
    with closing(open_store(postgresql)) as store, closing(open_store(postgresql)) as other:
        with begin_project(store, "half") as key:
            write_half(store, key)
            remove_unfinished(ShortTransactions(other), [key])
            assert counts(other)["documents"] == 70
        remove_unfinished(ShortTransactions(other), [key])
        assert counts(other)["documents"] == 30


def test_a_failed_creation_goes_away_by_itself(store, monkeypatch):
    creations = Creations(store)
    job = creations.add("bad", CreationJob("Bad"))
    job.fail("no such column")
    creations.add("running", CreationJob("Running"))
    assert sorted(creations.jobs()) == ["bad", "running"]
    assert not creations.is_running("bad")
    monkeypatch.setattr(jobs, "_KEPT_SECONDS", -1.0)
    assert sorted(creations.jobs()) == ["running"]
