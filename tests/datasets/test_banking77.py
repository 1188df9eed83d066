import gzip

import pytest

from satc.datasets import load
from satc.datasets.fetching import fetch
from satc.errors import DataError
from satc.inputs import SINGLE_LABEL, task_of

HEADER = "text,category\n"
TRAIN = HEADER + 'Where is my card?,card_arrival\n"Lost, ""stolen""",lost_card\n'
TEST = HEADER + "It was stolen,lost_card\n"


def put(folder, train=TRAIN, test=TEST):
    (folder / "banking77-train.csv.gz").write_bytes(gzip.compress(train.encode()))
    (folder / "banking77-test.csv.gz").write_bytes(gzip.compress(test.encode()))
    return folder


def test_both_files_are_read(tmp_path):
    loaded = load("banking77", data_home=put(tmp_path))
    assert loaded.classes == ("card_arrival", "lost_card")
    assert loaded.train.texts == ("Where is my card?", 'Lost, "stolen"')
    assert (loaded.train.ids, loaded.test.ids) == (("train-1", "train-2"), ("test-1",))
    assert loaded.train.label_names(1) == loaded.test.label_names(0) == ("lost_card",)


def test_the_files_may_be_unpacked(tmp_path):
    (tmp_path / "banking77-train.csv").write_text(TRAIN)
    (tmp_path / "banking77-test.csv").write_text(TEST)
    assert len(load("banking77", data_home=tmp_path).train) == 2


@pytest.mark.parametrize(
    ("train", "message"),
    [
        ("text\na\n", r"train.csv.gz, line 2 must have 'category', but has 'text'"),
        (HEADER + "a,b\nc, \n", r"train.csv.gz, line 3: 'category' must name the intent"),
    ],
)
def test_damaged_rows_are_named(tmp_path, train, message):
    with pytest.raises(DataError, match=message):
        load("banking77", data_home=put(tmp_path, train))


def test_missing_files_are_an_error_that_names_them_and_their_home(tmp_path):
    (tmp_path / "banking77-train.csv.gz").write_bytes(gzip.compress(TRAIN.encode()))
    with pytest.raises(DataError, match=r"banking77-test.csv.gz is missing; https://github.com/"):
        load("banking77", data_home=tmp_path)


def test_fetch_says_where_to_put_the_files(tmp_path):
    with pytest.raises(DataError, match=r"no address .*banking77-train.csv.gz and banking77-test"):
        fetch("banking77", data_home=tmp_path)
    put(tmp_path)
    with pytest.raises(DataError, match=r"must come with the other file"):
        fetch("banking77", data_home=tmp_path, source=tmp_path / "banking77-train.csv.gz")


def test_the_counts_are_those_of_the_collection(dataset):
    loaded = dataset("banking77")
    assert (len(loaded.train), len(loaded.test), len(loaded.classes)) == (10_003, 3_080, 77)
    assert task_of(loaded.train.labels) == task_of(loaded.test.labels) == SINGLE_LABEL
