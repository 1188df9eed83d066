from __future__ import annotations

import pytest
from collections_made import STORIES, reuters_archive, reuters_files, story, tar

from satc.datasets.home import find
from satc.datasets.registry import SOURCES
from satc.datasets.reuters21578 import read
from satc.errors import DataError


def split_of(stories, tmp_path):
    path = tmp_path / "reuters21578.tar.gz"
    path.write_bytes(reuters_archive(stories))
    return read((path,))


def text_of(text, tmp_path, kind=""):
    return split_of([story(1, "TRAIN", text=text, kind=kind)], tmp_path).train[0].text


def test_the_modapte_split_has_its_published_counts(dataset):
    reuters = dataset("reuters21578")
    assert (len(reuters.train), len(reuters.test), len(reuters.classes)) == (9_603, 3_299, 115)
    assert reuters.train.labels.any(axis=0).all()
    assert round(reuters.test.labels.sum() / len(reuters.test), 3) == 1.135
    assert (~reuters.test.labels.any(axis=0)).sum() == 25
    assert reuters.train.labels.sum(axis=0).max() == 2_877
    assert len(set(reuters.train.ids + reuters.test.ids)) == 12_902


def test_118_topics_occur_and_3_of_them_in_the_test_part_only(data_home):
    split = read(find(SOURCES["reuters21578"], data_home))
    train, test = (
        {label for d in part for label in d.labels} for part in (split.train, split.test)
    )
    assert split.records == 21_578
    assert len(train | test) == 118
    assert test - train == {"cottonseed", "f-cattle", "sfr"}
    assert sum(not document.labels for document in split.test) == 280


def test_no_text_has_markup_or_control_characters_and_none_is_empty(dataset):
    reuters = dataset("reuters21578")
    for text in reuters.train.texts + reuters.test.texts:
        assert text
        assert "&#" not in text
        assert "<TITLE>" not in text
        assert all(character >= " " or character == "\n" for character in text)


def test_training_and_test_documents_are_told_apart_by_lewissplit_and_topics(tmp_path):
    unused = [story(5, "TRAIN", used="NO"), story(6, "NOT-USED"), story(7, "TEST", used="BYPASS")]
    split = split_of(STORIES + unused, tmp_path)
    assert [document.id for document in split.train] == ["1", "2"]
    assert [document.id for document in split.test] == ["3", "4"]


def test_labels_are_the_topics_and_not_the_places(tmp_path):
    assert split_of(STORIES, tmp_path).train[0].labels == ("wheat", "corn")


def test_the_text_is_title_and_body_without_dateline(tmp_path):
    text = (
        "<TITLE>Corn up</TITLE><DATELINE>  CITY, May 1 - </DATELINE><BODY>It rose.\n Reuter</BODY>"
    )
    assert text_of(text, tmp_path) == "Corn up\nIt rose.\n Reuter"


def test_the_text_of_a_brief_story_is_its_title_and_its_filler(tmp_path):
    text = "******<TITLE>Corn up\n</TITLE>Blah blah blah."
    assert text_of(text, tmp_path, "BRIEF") == "Corn up\nBlah blah blah."


def test_an_unprocessed_story_keeps_its_whole_text(tmp_path):
    assert (
        text_of("WEEKLY REPORT\n net.....644", tmp_path, "UNPROC") == "WEEKLY REPORT\n net.....644"
    )


def test_references_to_control_characters_separate_words(tmp_path):
    text = "<TITLE>up&#127;down &lt;ABC> &amp; co</TITLE><BODY>caf\xe9</BODY>"
    assert text_of(text, tmp_path) == "up down <ABC> & co\ncaf\xe9"


def test_a_file_of_the_distribution_that_is_missing_is_an_error(tmp_path):
    files = reuters_files(STORIES)
    del files["reut2-021.sgm"]
    path = tmp_path / "short.tar.gz"
    path.write_bytes(tar(files))
    with pytest.raises(DataError, match=r"short\.tar\.gz must hold the 22 files .* holds 21"):
        read((path,))


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda text: text[: len(text) // 2], "its last story does not end"),
        (lambda text: b"", "its last story does not end"),
        (lambda text: text.replace(b"NEWID", b"N"), "a story has no <REUTERS .* NEWID"),
        (lambda text: text.replace(b"<REUTERS ", b"<"), "a story has no <REUTERS .* NEWID"),
    ],
)
def test_a_damaged_file_is_named(damage, message, tmp_path):
    files = reuters_files(STORIES)
    files["reut2-007.sgm"] = damage(files["reut2-007.sgm"])
    path = tmp_path / "reuters.tar.gz"
    path.write_bytes(tar(files))
    with pytest.raises(DataError, match=rf"reuters\.tar\.gz: reut2-007\.sgm is damaged.*{message}"):
        read((path,))
