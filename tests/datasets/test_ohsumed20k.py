from __future__ import annotations

import gzip
import json

import pytest
from collections_made import tar

from satc.datasets import load
from satc.errors import DataError

ARCHIVE = {
    "ohsumed-first-20000-docs/training/C01/0000018": b"One.\n First text.",
    "ohsumed-first-20000-docs/training/C02/0000018": b"One.\n First text.",
    "ohsumed-first-20000-docs/training/C02/0000005": b"Two.",
    "ohsumed-first-20000-docs/test/C01/0010003": b"Three.",
    "ohsumed-first-20000-docs/README": b"about",
}


def write_lines(directory, *records):
    text = "".join(json.dumps(record) + "\n" for record in records)
    (directory / "ohsumed20k.jsonl.gz").write_bytes(gzip.compress(text.encode()))


def record(**changes):
    return {"id": 1, "split": "train", "title": "T", "abstract": "A", "topics": ["C01"]} | changes


def test_the_set_has_its_published_counts(dataset):
    ohsumed = dataset("ohsumed20k")
    assert (len(ohsumed.train), len(ohsumed.test)) == (6_286, 7_643)
    assert ohsumed.classes == tuple(f"C{number:02}" for number in range(1, 24))
    labels = ohsumed.train.labels.sum() + ohsumed.test.labels.sum()
    assert round(labels / 13_929, 2) == 1.66


def test_json_lines_are_read(tmp_path):
    write_lines(tmp_path, record(), record(id=2, split="test", topics=["C01", "C02"]))
    ohsumed = load("ohsumed20k", data_home=tmp_path)
    assert (ohsumed.train.ids, ohsumed.train.texts) == (("1",), ("T\nA",))
    assert ohsumed.test.label_names(0) == ("C01",)


def test_a_document_in_several_directories_of_the_archive_has_several_labels(tmp_path):
    (tmp_path / "ohsumed-first-20000-docs.tar.gz").write_bytes(tar(ARCHIVE))
    ohsumed = load("ohsumed20k", data_home=tmp_path)
    assert ohsumed.train.ids == ("0000005", "0000018")
    assert ohsumed.train.texts[1] == "One.\n First text."
    assert ohsumed.train.label_names(1) == ("C01", "C02")
    assert ohsumed.test.ids == ("0010003",)


def test_another_archive_is_refused(tmp_path):
    (tmp_path / "ohsumed-first-20000-docs.tar.gz").write_bytes(tar({"x/y": b"z"}))
    with pytest.raises(
        DataError, match=r"must hold files like training/C01/0000018, but holds none"
    ):
        load("ohsumed20k", data_home=tmp_path)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "line 2 must be JSON"),
        ("[1]", "line 2 must be an object with id, split, title, abstract, topics"),
        (json.dumps(record(split="dev")), "line 2: split must be 'train' or 'test', but is 'dev'"),
    ],
)
def test_a_wrong_line_is_named(line, message, tmp_path):
    text = f"{json.dumps(record())}\n{line}\n"
    (tmp_path / "ohsumed20k.jsonl.gz").write_bytes(gzip.compress(text.encode()))
    with pytest.raises(DataError, match=message):
        load("ohsumed20k", data_home=tmp_path)


def test_a_cut_file_is_named(tmp_path):
    write_lines(tmp_path, *(record(id=i) for i in range(1000)))
    path = tmp_path / "ohsumed20k.jsonl.gz"
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(DataError, match=r"ohsumed20k\.jsonl\.gz is damaged or cut off"):
        load("ohsumed20k", data_home=tmp_path)
