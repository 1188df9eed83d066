from __future__ import annotations

import gzip
import zipfile
from pathlib import Path

import numpy as np
import pytest
from collections_made import tar, zipped

from satc.errors import DataError
from satc.files import archives
from satc.files.archives import members, open_unpacked, open_zip

FILES = {"a/one.txt": b"first", "two.txt": b"second" * 1000, "three.bin": b"\x00" * 5000}


def contents(path: Path) -> dict[str, bytes]:
    return {name: file.read() for name, file in members(path, lambda name: name.endswith(".txt"))}


@pytest.mark.parametrize(
    "packed",
    [
        tar(FILES),
        tar(FILES, "w:"),
        tar(FILES, "w:bz2"),
        tar(FILES, "w:xz"),
        zipped(FILES),
        zipped({"inner.tar.gz": tar(FILES)}),
    ],
    ids=["tar.gz", "tar", "tar.bz2", "tar.xz", "zip", "tar.gz in zip"],
)
def test_the_wanted_members_are_read_whatever_the_packing(packed, tmp_path):
    path = tmp_path / "archive"
    path.write_bytes(packed)
    assert contents(path) == {"a/one.txt": b"first", "two.txt": b"second" * 1000}


@pytest.mark.parametrize("packed", [tar(FILES), zipped(FILES)], ids=["tar.gz", "zip"])
def test_an_archive_that_is_cut_anywhere_is_an_error_that_names_it(packed, tmp_path):
    path = tmp_path / "cut.archive"
    for size in range(0, len(packed), 7):
        path.write_bytes(packed[:size])
        with pytest.raises(DataError, match=r"cut\.archive"):
            contents(path)
    path.write_bytes(packed[:-1])
    with pytest.raises(DataError, match=r"cut\.archive is damaged or cut off"):
        contents(path)


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["w:gz", "w:", "w:bz2", "w:xz"])
def test_a_cut_within_a_large_member_is_an_error_that_names_it(mode, tmp_path):
    packed = tar({"large.txt": np.random.default_rng(0).bytes(5_000_000)}, mode)
    path = tmp_path / "cut.tar"
    path.write_bytes(packed[:4_000_000])
    with pytest.raises(DataError, match=r"cut\.tar is damaged or cut off"):
        contents(path)


def test_a_changed_byte_is_found_by_the_checksum(tmp_path):
    packed = bytearray(tar(FILES))
    packed[-6] ^= 0xFF  # in the checksum itself, behind all members
    path = tmp_path / "changed.tar.gz"
    path.write_bytes(bytes(packed))
    with pytest.raises(
        DataError, match=r"changed\.tar\.gz is damaged or cut off: CRC check failed"
    ):
        contents(path)


def test_a_file_that_is_not_an_archive_is_refused(tmp_path):
    path = tmp_path / "page.html"
    path.write_bytes(b"<html>Not found</html>" * 100)
    with pytest.raises(DataError, match="must be a tar or zip archive, but is neither"):
        contents(path)


def test_a_missing_member_is_named(tmp_path):
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("there", b"x")
    with open_zip(tmp_path / "a.zip") as found:
        assert found.open("there").read() == b"x"
        with pytest.raises(DataError, match=r"a\.zip is damaged .* part 'gone' is not there"):
            found.open("gone")


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(DataError, match=r"nowhere\.tar\.gz cannot be read: No such file"):
        contents(tmp_path / "nowhere.tar.gz")


@pytest.mark.parametrize("pack", [tar, zipped])
def test_an_archive_that_unpacks_without_end_is_refused(pack, tmp_path, monkeypatch):
    monkeypatch.setattr(archives, "UNPACKED_LIMIT", 100_000)
    path = tmp_path / "bomb"
    path.write_bytes(pack({"zeros.txt": b"\x00" * 3_000_000}))
    with pytest.raises(DataError, match="unpacks to more than 100,000 bytes"):
        contents(path)


def test_an_unwanted_member_counts_towards_the_limit_as_well(tmp_path, monkeypatch):
    monkeypatch.setattr(archives, "UNPACKED_LIMIT", 100_000)
    path = tmp_path / "bomb.tar.gz"
    path.write_bytes(tar({"zeros.bin": b"\x00" * 3_000_000}))
    with pytest.raises(DataError, match="unpacks to more than 100,000 bytes"):
        contents(path)


def test_names_in_an_archive_never_become_paths(tmp_path):
    inside = tmp_path / "inside"
    inside.mkdir()
    path = inside / "hostile.tar.gz"
    path.write_bytes(tar({"../../escape.txt": b"x", "/escape.txt": b"y"}))
    assert contents(path) == {"../../escape.txt": b"x", "/escape.txt": b"y"}
    assert [found.name for found in tmp_path.rglob("*.txt")] == []


@pytest.mark.parametrize("content", [b"plain", gzip.compress(b"plain")], ids=["plain", "gzip"])
def test_a_single_file_is_unpacked_if_it_is_packed(content, tmp_path):
    path = tmp_path / "file"
    path.write_bytes(content)
    with open_unpacked(path) as file:
        assert file.read() == b"plain"


def test_a_directory_in_the_place_of_a_file_is_named(tmp_path):
    with pytest.raises(DataError, match="cannot be read: Is a directory"), open_unpacked(tmp_path):
        pass
