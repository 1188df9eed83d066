import pytest
from hypothesis import given
from records_made import texts

from satc.files.cells import escaped, restored
from satc.files.exchange.cells import cell, joined, split


@given(texts)
def test_every_text_comes_back_from_its_cell(text):
    assert restored(escaped(text)) == text


@pytest.mark.parametrize(
    "text", ["=1+1", "+cmd", "-x", "@A1", "\tx", "\rx", "\nx", " =1", "\xa0=1", "＝1", "' =1"]
)
def test_what_a_spreadsheet_might_run_begins_with_an_apostrophe(text):
    assert escaped(text) == f"'{text}"


def test_numbers_and_words_stay_as_they_are():
    assert [escaped(text) for text in ("-1.5", "+2", "a=b", "it's", "")] == [
        *("-1.5", "+2", "a=b", "it's", "")
    ]


@pytest.mark.parametrize("name", ["a|b", " a", "a\n", ""])
def test_a_label_that_would_not_come_back_is_refused_by_name(name):
    with pytest.raises(ValueError, match=r"but one is .*JSON lines and Parquet take it"):
        joined(["corn", name])


def test_labels_are_split_as_documents_are_read():
    assert split(" corn|wheat ||corn") == ("corn", "wheat")


def test_labels_are_joined_and_other_lists_are_json():
    assert cell("labels", ["a", "b"]) == "a|b"
    assert cell("codes", ["a", "b"]) == '["a", "b"]'
    assert cell("codes", {"=1": None}) == '{"=1": null}'
    assert cell("codes", None) == ""
