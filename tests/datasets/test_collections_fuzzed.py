"""Damaged collections are read completely, or refused by name."""

from __future__ import annotations

import gzip

import pytest
from collections_made import (
    STORIES,
    medline_file,
    medline_record,
    ohsumed_files,
    reuters_archive,
    reuters_files,
    tar,
    zipped,
)
from hypothesis import given, settings
from hypothesis import strategies as st

from hostile import damaged, outcome
from satc.datasets import medline, ohsumed, ohsumed20k, reuters21578
from satc.errors import DataError

LINES = (
    b'{"id": 1, "split": "train", "title": "t", "abstract": "a", "topics": ["C01"]}\n'
    b'{"id": 2, "split": "test", "title": "t", "abstract": "a", "topics": []}\n'
)
MEDLINE = medline_file(medline_record(1, 1977, ("Angina Pectoris",)), medline_record(2, 1979))
FILES = {
    "reuters.tar.gz": (reuters_archive(), reuters21578.read),
    "reuters.tar": (tar(reuters_files(STORIES), "w"), reuters21578.read),
    "reuters.zip": (zipped(reuters_files(STORIES)), reuters21578.read),
    "ohsumed.tar": (tar(ohsumed_files(), "w"), ohsumed.read),
    "ohsumed.zip": (zipped(ohsumed_files()), ohsumed.read),
    "lines.jsonl": (LINES, ohsumed20k.read),
    "lines.jsonl.gz": (gzip.compress(LINES, mtime=0), ohsumed20k.read),
    "files.tar": (tar({"x/training/C01/01": b"a", "x/test/C02/02": b"b"}, "w"), ohsumed20k.read),
    "medline.xml": (gzip.decompress(MEDLINE), medline.read),
    "medline.xml.gz": (MEDLINE, medline.read),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("collections")


@pytest.mark.slow
@pytest.mark.parametrize("name", FILES)
@settings(max_examples=50, deadline=None)
@given(data=st.data())
def test_a_damaged_collection_is_read_or_refused_by_name(name, data, folder):
    content, read = FILES[name]
    path = folder / name
    path.write_bytes(content)
    assert read((path,)).records
    path.write_bytes(data.draw(damaged(content)))
    outcome(lambda path: read((path,)), path)


@pytest.mark.parametrize("name", [name for name in FILES if name.endswith((".gz", ".zip"))])
@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_a_packed_collection_that_is_cut_off_is_never_read(name, data, folder):
    content, read = FILES[name]
    path = folder / f"cut-{name}"
    path.write_bytes(content[: data.draw(st.integers(0, len(content) - 1))])
    with pytest.raises(DataError, match=r"cut-"):
        read((path,))


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b'"title": "t", "topics": 5', "topics a list of texts"),
        (b'"title": "t", "topics": "C01"', "topics a list of texts"),
        (b'"title": null, "topics": []', "title and abstract must be texts"),
        (b'"title": "t", "topics": ' + b"[" * 100_000, "must be JSON, but is not"),
    ],
)
def test_a_record_of_other_types_is_refused_with_its_line(line, message, tmp_path):
    path = tmp_path / "o.jsonl"
    path.write_bytes(LINES + b'{"id": 1, "split": "test", "abstract": "a", ' + line + b"}\n")
    with pytest.raises(DataError, match=rf"o\.jsonl, line 3.*{message}"):
        ohsumed20k.read((path,))


def test_an_encrypted_archive_is_refused_by_name(tmp_path):
    content = bytearray(zipped(reuters_files(STORIES)))
    content[6] |= 1  # the first member says that it is encrypted
    directory = content.index(b"PK\x01\x02")
    content[directory + 8] |= 1
    path = tmp_path / "locked.zip"
    path.write_bytes(content)
    with pytest.raises(DataError, match=r"locked\.zip .*encrypted"):
        reuters21578.read((path,))
