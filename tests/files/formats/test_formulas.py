import pytest
from exported_made import texts
from hypothesis import given

from satc.files.formats.formulas import escape_formula, unescape_formula


@given(texts)
def test_every_text_comes_back_from_its_cell(text):
    assert unescape_formula(escape_formula(text)) == text


@pytest.mark.parametrize(
    "text", ["=1+1", "+cmd", "-x", "@A1", "\tx", "\rx", "\nx", " =1", "\xa0=1", "＝1", "' =1"]
)
def test_what_a_spreadsheet_might_run_begins_with_an_apostrophe(text):
    assert escape_formula(text) == f"'{text}"


def test_numbers_and_words_stay_as_they_are():
    texts = ["-1.5", "+2", "a=b", "it's", ""]
    assert [escape_formula(text) for text in texts] == texts
