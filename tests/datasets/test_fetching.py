from __future__ import annotations

import shutil
from dataclasses import replace

import pytest
from collections_made import (
    REUTERS_COUNTS,
    ohsumed_files,
    reuters_archive,
    story,
    tar,
    zipped,
)
from file_server import serving

from satc.datasets import fetch, home, load
from satc.datasets.registry import ENTRIES, SOURCES
from satc.errors import DataError, MissingExtraError

ARCHIVE = reuters_archive()
FILE = "reuters21578.tar.gz"


@pytest.fixture(autouse=True)
def _small_reuters(monkeypatch):
    """Make the counts of the made-up archive those of the collection."""
    monkeypatch.setenv("no_proxy", "*")
    records, train, test, classes = REUTERS_COUNTS
    source = replace(SOURCES["reuters21578"], records=records)
    entry = replace(ENTRIES["reuters21578"], train=train, test=test, classes=classes)
    monkeypatch.setitem(SOURCES, "reuters21578", source)
    monkeypatch.setitem(ENTRIES, "reuters21578", entry)


@pytest.fixture
def public(monkeypatch):
    """Make these addresses the public addresses of the collection."""

    def set_urls(*urls):
        monkeypatch.setitem(
            SOURCES, "reuters21578", replace(SOURCES["reuters21578"], urls=tuple(urls))
        )

    return set_urls


def names(directory):
    return sorted(path.name for path in directory.iterdir())


def test_a_download_that_holds_the_collection_is_kept_and_loads(public, tmp_path):
    steps = []
    with serving(ARCHIVE) as served:
        public(served.url)
        path = fetch(
            "reuters21578/10",
            data_home=tmp_path / "new",
            progress=lambda done, total: steps.append((done, total)),
        )
    assert path == tmp_path / "new" / FILE
    assert path.read_bytes() == ARCHIVE
    assert names(path.parent) == [FILE]
    assert steps[-1] == (len(ARCHIVE), len(ARCHIVE))
    assert load("reuters21578", data_home=path.parent).train.ids == ("1", "2")


def test_a_cut_download_leaves_a_part_that_the_next_call_continues(public, tmp_path):
    with serving(ARCHIVE, cut_after=500) as served:
        public(served.url)
        with pytest.raises(DataError, match=r"was cut off after 500 of .* fetch again to continue"):
            fetch("reuters21578", data_home=tmp_path)
        assert names(tmp_path) == [f"{FILE}.part", f"{FILE}.part.json"]
        served.cut_after = None
        fetch("reuters21578", data_home=tmp_path)
        assert served.asked[-1]["Range"] == "bytes=500-"
    assert names(tmp_path) == [FILE]
    assert (tmp_path / FILE).read_bytes() == ARCHIVE


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"<html>gone</html>" * 100, "must be a tar or zip archive, but is neither"),
        (ARCHIVE[:-9], "is damaged or cut off"),
        (tar({"x": b"y"}), "must hold the 22 files"),
        (reuters_archive([story(1, "TRAIN", ["a"])]), "must hold 26 records, but holds 23"),
        (
            reuters_archive([story(i, "TRAIN", ["a", "b"]) for i in range(4)]),
            "must hold 2 training documents, but holds 4",
        ),
        (
            reuters_archive([story(i, "TRAIN" if i < 2 else "TEST", ["a"]) for i in range(4)]),
            "must hold 2 classes, but holds 1",
        ),
    ],
    ids=["no archive", "cut", "another archive", "records", "documents", "classes"],
)
def test_a_file_that_is_not_the_collection_is_refused_and_removed(
    content, message, public, tmp_path
):
    with serving(content) as served:
        public(served.url)
        with pytest.raises(DataError, match=f"the file from {served.url} is not .*{message}"):
            fetch("reuters21578", data_home=tmp_path)
    assert names(tmp_path) == []
    path = tmp_path / "mine.tar.gz"
    path.write_bytes(content)
    with pytest.raises(DataError, match=rf"mine\.tar\.gz.* {message}"):
        fetch("reuters21578", data_home=tmp_path / "home", source=path)
    assert names(tmp_path) == ["mine.tar.gz"]


def test_the_next_public_server_is_tried_if_one_does_not_have_the_file(public, tmp_path):
    with serving(b"", status=404) as gone, serving(ARCHIVE) as served:
        public(gone.url, served.url)
        assert fetch("reuters21578", data_home=tmp_path).read_bytes() == ARCHIVE
        assert len(gone.asked) == 1


def test_if_no_public_server_has_the_file_all_servers_and_the_remedy_are_named(public, tmp_path):
    with serving(b"", status=404) as gone, serving(b"", status=503) as down:
        public(gone.url, down.url)
        with pytest.raises(DataError, match="no public server") as caught:
            fetch("reuters21578", data_home=tmp_path)
    for part in (f"{gone.url} answers 404", f"{down.url} answers 503", "--from FILE"):
        assert part in str(caught.value)


def test_a_complete_file_is_not_fetched_again(public, tmp_path):
    (tmp_path / FILE).write_bytes(ARCHIVE)
    public("http://127.0.0.1:9/")
    assert fetch("reuters21578", data_home=tmp_path) == tmp_path / FILE


def test_a_damaged_file_is_fetched_again(public, tmp_path):
    (tmp_path / FILE).write_bytes(ARCHIVE[:-10])
    with serving(ARCHIVE) as served:
        public(served.url)
        fetch("reuters21578", data_home=tmp_path)
    assert (tmp_path / FILE).read_bytes() == ARCHIVE


def test_a_damaged_file_outside_of_the_target_directory_is_named(tmp_path, monkeypatch):
    shared = tmp_path / "shared" / "data"
    shared.mkdir(parents=True)
    (shared / FILE).write_bytes(ARCHIVE[:-10])
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    monkeypatch.delenv("SATC_DATA", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(home, "__file__", str(tmp_path / "a" / "b" / "c" / "home.py"))
    with pytest.raises(DataError, match=f"{shared / FILE} is damaged or cut off"):
        fetch("reuters21578")


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("reuters21578.tar.gz", "reuters21578.tar.gz"),
        ("my copy.tar.gz", "reuters21578.tar.gz"),
        ("reuters+21578.zip", "reuters21578.zip"),
        ("download", "reuters21578.tar.gz"),
    ],
)
def test_an_archive_of_the_user_is_kept_under_a_name_that_load_finds(given, kept, tmp_path):
    path = tmp_path / given
    path.write_bytes(zipped({"inner.tar.gz": ARCHIVE}) if given.endswith(".zip") else ARCHIVE)
    fetched = fetch("reuters21578", data_home=tmp_path / "home", source=path)
    assert names(tmp_path / "home") == [kept]
    assert fetched.read_bytes() == path.read_bytes()
    assert len(load("reuters21578", data_home=tmp_path / "home").test) == 2


def test_an_archive_that_is_in_its_place_already_stays(tmp_path):
    path = tmp_path / FILE
    path.write_bytes(ARCHIVE)
    assert fetch("reuters21578", data_home=tmp_path, source=path) == path
    assert path.read_bytes() == ARCHIVE


def test_a_copy_that_fails_leaves_the_earlier_file_and_nothing_else(tmp_path, monkeypatch):
    path, target = tmp_path / "mine.tar.gz", tmp_path / "home" / FILE
    path.write_bytes(ARCHIVE)
    target.parent.mkdir()
    target.write_bytes(b"earlier")

    def full(source, temporary):
        temporary.write_bytes(b"half")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(shutil, "copyfile", full)
    with pytest.raises(DataError, match=r"mine\.tar\.gz cannot be copied .* No space left"):
        fetch("reuters21578", data_home=target.parent, source=path)
    assert names(target.parent) == [FILE]
    assert target.read_bytes() == b"earlier"


def test_a_missing_archive_of_the_user_is_named(tmp_path):
    with pytest.raises(DataError, match=r"nowhere\.tar\.gz cannot be read: No such file"):
        fetch("reuters21578", data_home=tmp_path, source=tmp_path / "nowhere.tar.gz")


def test_a_data_home_that_cannot_be_made_is_named(tmp_path):
    (tmp_path / "file").write_text("")
    (tmp_path / "mine.tar.gz").write_bytes(ARCHIVE)
    with pytest.raises(DataError, match="file/home cannot be created"):
        fetch("reuters21578", data_home=tmp_path / "file/home", source=tmp_path / "mine.tar.gz")


def test_ohsumed_is_checked_by_the_number_of_its_records(tmp_path):
    path = tmp_path / "ohsumed.zip"
    path.write_bytes(zipped(ohsumed_files()))
    with pytest.raises(DataError, match="must hold 348,566 records, but holds 10"):
        fetch("ohsumed", data_home=tmp_path / "home", source=path)


def test_medline_is_in_the_package_of_the_extra(tmp_path, monkeypatch):
    monkeypatch.setattr(home, "_package_directories", lambda source: [])
    with pytest.raises(MissingExtraError, match=r"pip install 'satc\[demo\]'"):
        fetch("medline", data_home=tmp_path)


def test_an_unknown_name_is_answered_with_the_names_that_exist(tmp_path):
    with pytest.raises(ValueError, match="name must be one of 'reuters21578'"):
        fetch("reuters", data_home=tmp_path)


def test_the_real_archive_passes_its_own_check(data_home, tmp_path, monkeypatch):
    monkeypatch.undo()
    path = fetch("reuters21578", data_home=tmp_path, source=data_home / FILE)
    assert path.read_bytes() == (data_home / FILE).read_bytes()
