"""Arrays of a project that are damaged, or that somebody has changed, are refused by name.

Compiled loops trust the indices of sparse rows and the shapes of arrays: without the checks, some
of these projects would end the process.
"""

import io
import shutil
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from commanding import command
from explained_projects import explained
from projects_made import add_empty_project
from scipy import sparse
from sqlalchemy import select, update

from satc.workbench.model.settings import Settings
from satc.workbench.project.verification.verification import verify
from satc.workbench.review.desk import open_desk
from satc.workbench.store import open_store, schema
from satc.workbench.store.arrays import get_dense, get_rows, parts_of, put, put_parts
from satc.workbench.store.digests.faults import DamagedError
from satc.workbench.store.digests.sealing import array_digest
from satc.workbench.store.disclosure.outage import tell_outage

ROWS = sparse.random_array((30, 40), density=0.2, format="csr", rng=np.random.default_rng(0))
WHOLE = np.arange(600.0).reshape(300, 2)


@pytest.fixture
def store(tmp_path, monkeypatch):
    """Return a store with an array of sparse rows and a dense one, each in several parts."""
    monkeypatch.setattr("satc.workbench.store.arrays._PART_BYTES", 1000)
    with closing(open_store(tmp_path / "made.satc", new=True)) as opened:
        add_empty_project(opened, "made", Settings("Made"), ["a"])
        with opened.writing() as connection:
            put_parts(connection, 1, parts_of("features", ROWS))
            put_parts(connection, 1, parts_of("scores", WHOLE))
        yield opened


def stored(store, name, part=0):
    table = schema.arrays
    query = select(table.c.data).where(table.c.name == name, table.c.part == part)
    with store.reading() as connection:
        return connection.execute(query).scalar_one()


def replace(store, name, data, part=0):
    """Replace a part, and its digest, as somebody does who makes a project for others."""
    table = schema.arrays
    place = update(table).where(table.c.name == name, table.c.part == part)
    with store.writing() as connection:
        new = {"data": data, "digest": array_digest(name, part, data)}
        assert connection.execute(place.values(new)).rowcount == 1


def packed(array):
    buffer = io.BytesIO()
    np.save(buffer, array)
    return buffer.getvalue()


def with_fields(data, /, save=np.savez, **changed):
    """Return sparse rows with some of their arrays changed."""
    fields = dict(np.load(io.BytesIO(data)))
    new = {name: change(fields[name]) for name, change in changed.items()}
    buffer = io.BytesIO()
    save(buffer, **(fields | new))
    return buffer.getvalue()


def beyond(indices):
    return indices + 1_000_000


DAMAGED_ROWS = {
    "an index beyond the columns": lambda data: with_fields(data, indices=beyond),
    "a negative index": lambda data: with_fields(data, indices=lambda found: found - 100),
    "rows that overlap": lambda data: with_fields(data, indptr=overlapping),
    "rows beyond the values": lambda data: with_fields(data, indptr=lambda found: found * 99),
    "fewer values": lambda data: with_fields(data, data=lambda found: found[:-1]),
    "texts": lambda data: with_fields(data, data=lambda found: found.astype(str)),
    "complex numbers": lambda data: with_fields(data, data=lambda found: found.astype(complex)),
    "another format": lambda data: with_fields(data, format=lambda _: np.array(b"coo")),
    "no format": lambda data: with_fields(data, format=lambda _: np.array(5)),
    "other columns": lambda data: with_fields(data, shape=lambda found: found + np.array([0, 1])),
    "the first half": lambda data: data[: len(data) // 2],
    "nothing": lambda data: b"",
    "something else": lambda data: b"{}",
    "an archive of other arrays": lambda data: several_arrays(),
    "a flipped bit": lambda data: flipped(data),
}


def overlapping(starts):
    return np.r_[0, starts[1:-1][::-1], starts[-1]]


def flipped(data):
    middle = data.index(b"NUMPY") + 150
    return data[:middle] + bytes([data[middle] ^ 1]) + data[middle + 1 :]


def several_arrays():
    buffer = io.BytesIO()
    np.savez(buffer, a=WHOLE, b=WHOLE)
    return buffer.getvalue()


def test_rows_are_read_as_they_were_stored(store):
    assert (get_rows(store, 1, "features") != ROWS).nnz == 0
    np.testing.assert_array_equal(get_dense(store, 1, "scores"), WHOLE)
    assert get_rows(store, 1, "unknown") is None
    assert get_dense(store, 1, "unknown") is None


@pytest.mark.parametrize("part", [0, 1])
@pytest.mark.parametrize("damage", DAMAGED_ROWS)
def test_damaged_sparse_rows_are_refused_by_the_name_of_the_array(store, damage, part):
    replace(store, "features", DAMAGED_ROWS[damage](stored(store, "features", part)), part)
    with pytest.raises(
        DamagedError, match=r"made\.satc is damaged: array features .*'satc verify'"
    ):
        get_rows(store, 1, "features")


def test_sparse_rows_that_grow_without_measure_are_refused_before_they_are_read(store, monkeypatch):
    monkeypatch.setattr("satc.files.numpy_arrays.UNPACKED_LIMIT", 1000)
    large = with_fields(stored(store, "features"), np.savez_compressed, data=lambda _: WHOLE)
    replace(store, "features", large)
    with pytest.raises(DamagedError, match="features must unpack to at most 1,000 bytes"):
        get_rows(store, 1, "features")


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (packed(WHOLE[:9])[:-3], "cannot be read as a NumPy file: EOF"),
        (packed(WHOLE[:9])[:90], "cannot be read as a NumPy file"),
        (packed(WHOLE[:9, :1]), r"must have the shape \(any, 2\), but has \(9, 1\)"),
        (packed(WHOLE[:9, :, np.newaxis]), r"must have the shape"),
        (packed(np.float64(1.0)), "cannot be read as a NumPy file"),
        (packed(np.array([["1", "2"]])), "must hold rows of numbers"),
        (packed(np.zeros((9, 2), dtype=[("a", "i4")])), "must hold rows of numbers"),
        (packed(WHOLE[:9] + 1j), "must hold rows of numbers"),
        (b"nonsense", "cannot be read as a NumPy file"),
    ],
)
def test_a_damaged_dense_array_is_refused(store, data, problem):
    replace(store, "scores", data, part=1)
    with pytest.raises(DamagedError, match=f"array scores {problem}"):
        get_dense(store, 1, "scores")


def test_a_dense_array_that_lacks_a_part_is_refused(store):
    with store.writing() as connection:
        connection.exec_driver_sql("DELETE FROM arrays WHERE name = 'scores' AND part = 1")
    with pytest.raises(DamagedError, match="a part that follows a part that is missing"):
        get_dense(store, 1, "scores")


def test_an_array_that_does_not_have_the_wanted_shape_is_refused(store):
    assert get_dense(store, 1, "scores", (None, 2)).shape == (300, 2)
    with pytest.raises(DamagedError, match=r"must have the shape \(300, 3\), but has \(300, 2\)"):
        get_dense(store, 1, "scores", (300, 3))


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Make a contextual project whose sparse features are in several parts."""
    path = tmp_path_factory.mktemp("made") / "made.satc"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("satc.workbench.store.arrays._PART_BYTES", 4000)
        explained(path, task="multi-label")
    return path


@pytest.fixture
def path(made, tmp_path):
    return Path(shutil.copy(made, tmp_path))


def faults(path):
    with closing(open_store(path)) as store:
        return [str(fault) for fault in verify(store, None, lambda step: None).faults]


@pytest.mark.parametrize("name", ["features", "train_features"])
@pytest.mark.parametrize("damage", ["an index beyond the columns", "rows that overlap", "nothing"])
def test_a_project_with_damaged_features_is_not_opened(path, name, damage):
    with closing(open_store(path)) as store:
        stored(store, "train_features", part=1)  # there are several parts
        replace(store, name, DAMAGED_ROWS[damage](stored(store, name)))
        with pytest.raises(DamagedError, match=f"array {name} (cannot|must)") as error:
            open_desk(store)
    assert f"array {name}" in str(tell_outage(error.value))
    assert str(path) not in str(tell_outage(error.value))
    (fault,) = faults(path)
    assert fault.startswith((f"array {name} cannot be read", f"array {name} must be a NumPy file"))


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("scores", lambda found: found[:-1]),
        ("scores", lambda found: found[:, :-1]),
        ("decided", lambda found: found[:-1]),
        ("decided", lambda found: found.astype(np.int64)),
        ("decided", lambda found: found[:, :0]),
        ("oof_scores", lambda found: found[:, :-1]),
        ("y_train", lambda found: found[:-1]),
        ("y_train", lambda found: np.concatenate([found, found], axis=1)),
        ("opinion_0", lambda found: found[:-1]),
        ("opinion_0", lambda found: found[:, 0]),
    ],
)
def test_a_project_with_an_array_of_another_shape_is_not_opened(path, name, change):
    with closing(open_store(path)) as store:
        replace(store, name, packed(change(np.load(io.BytesIO(stored(store, name))))))
        with pytest.raises(DamagedError, match=f"array {name} "):
            open_desk(store)


def test_commands_refuse_an_array_of_another_shape_in_one_line(path, tmp_path):
    with closing(open_store(path)) as store:
        replace(store, "probability", packed(np.zeros((30, 2), dtype=np.float32)))
    done = command("export", path, "-o", "labels.csv", cwd=tmp_path)
    assert done.returncode == 1
    assert "array probability must have the shape (any, 4), but has (30, 2)" in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


def test_verify_lists_damaged_features_without_a_traceback(path):
    with closing(open_store(path)) as store:
        data = stored(store, "features")
        replace(store, "features", with_fields(data, indices=beyond))
    done = command("verify", path)
    assert done.returncode == 1
    assert "array features cannot be read as a NumPy file: indices must be <" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("name", "shape"),
    [("tables", (4, 1)), ("cuts", (1,)), ("rule", (2, 1)), ("outside", (1, 4))],
)
def test_tables_and_cuts_of_a_larger_set_must_have_a_number_for_each_class(store, name, shape):
    from satc.workbench.store import larger_set
    from satc.workbench.store.projects import get_project

    readers = {"outside": lambda store, project: larger_set.read_bound(store, project, None)}
    read = readers.get(name) or getattr(larger_set, f"read_{name}")
    with store.writing() as connection:
        put(connection, 1, name, 0, np.ones(shape))
    project = get_project(store)
    assert read(store, project) is not None
    wrong = (*shape[:-1], shape[-1] + 1)
    replace(store, name, packed(np.ones(wrong)))
    with pytest.raises(DamagedError, match=rf"array {name} must have the shape"):
        read(store, project)


def test_sums_over_a_larger_set_must_have_the_shape_of_the_estimate(store):
    from satc.assurance.live.shifts import N_REGIONS, SHIFTS
    from satc.workbench.store.larger_set import read_sums
    from satc.workbench.store.projects import get_project

    sums = np.zeros((1, N_REGIONS, len(SHIFTS)), dtype=np.int64)
    with store.writing() as connection:
        put(connection, 1, "whole_expected", 0, sums)
        put(connection, 1, "whole_variance", 0, sums)
        put(connection, 1, "whole_decided", 0, np.array([3, 9]))
    project = get_project(store)
    assert read_sums(store, project).n_documents == 9
    replace(store, "whole_variance", packed(sums[:, :-1]))
    with pytest.raises(DamagedError, match="array whole_variance must have the shape"):
        read_sums(store, project)
