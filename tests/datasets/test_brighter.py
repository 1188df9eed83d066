import gzip

import pytest

from satc.datasets import load
from satc.datasets.fetching import fetch
from satc.errors import DataError
from satc.inputs import MULTI_LABEL, task_of

HEADER = "id,text,anger,disgust,fear,joy,sadness,surprise\n"
TRAIN = HEADER + 'a,"Oh, schön!",0,0,0,1,0,1\nb,Nein,1,0,0,0,0,0\n'
TEST = HEADER + "c,Gut,0,0,0,1,0,0\nd,Nun ja,0,0,0,0,0,0\n"
LANGUAGES = {
    "deu": (2_603, 2_604),
    "hin": (2_556, 1_010),
    "chn": (2_642, 2_642),
    "rus": (2_679, 1_000),
}


def put(folder, train=TRAIN, test=TEST):
    (folder / "brighter").mkdir()
    (folder / "brighter" / "deu-train.csv.gz").write_bytes(gzip.compress(train.encode()))
    (folder / "brighter" / "deu-test.csv.gz").write_bytes(gzip.compress(test.encode()))
    return folder


def test_both_files_of_a_language_are_read(tmp_path):
    loaded = load("brighter-deu", data_home=put(tmp_path))
    assert loaded.classes == ("anger", "joy", "surprise")
    assert loaded.train.texts == ("Oh, schön!", "Nein")
    assert (loaded.train.ids, loaded.test.ids) == (("a", "b"), ("c", "d"))
    assert [loaded.test.label_names(i) for i in range(2)] == [("joy",), ()]


def test_the_files_of_a_language_may_be_unpacked_and_without_a_folder(tmp_path):
    (tmp_path / "hin-train.csv").write_text(TRAIN, encoding="utf-8")
    (tmp_path / "hin-test.csv").write_text(TEST, encoding="utf-8")
    assert len(load("brighter-hin", data_home=tmp_path).train) == 2


@pytest.mark.parametrize(
    ("train", "message"),
    [
        ("id,text,anger\na,b,1\n", r"deu-train.csv.gz.*'disgust'"),
        (HEADER + "a,b,1,0,0,0,0,0\nc,d,2,0,0,0,0,0\n", r"deu-train.csv.gz, line 3.*'anger'"),
    ],
)
def test_damaged_rows_of_a_language_are_named(tmp_path, train, message):
    with pytest.raises(DataError, match=message):
        load("brighter-deu", data_home=put(tmp_path, train))


def test_fetch_says_where_to_put_the_files_of_a_language(tmp_path):
    with pytest.raises(DataError, match=r"no address .*brighter/deu-train.csv.gz and brighter/deu"):
        fetch("brighter-deu", data_home=tmp_path)
    path = put(tmp_path) / "brighter" / "deu-train.csv.gz"
    with pytest.raises(DataError, match=r"must come with the other file of its language"):
        fetch("brighter-deu", data_home=tmp_path, source=path)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_counts_of_a_language_are_those_of_the_collection(dataset, language):
    loaded = dataset(f"brighter-{language}")
    assert (len(loaded.train), len(loaded.test)) == LANGUAGES[language]
    assert len(loaded.classes) == 6
    assert task_of(loaded.train.labels) == task_of(loaded.test.labels) == MULTI_LABEL
