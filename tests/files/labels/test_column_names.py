import pytest
from hypothesis import given
from hypothesis import strategies as st

from satc.errors import DataError
from satc.files.labels.column_names import (
    joined_names,
    labels_of_columns,
    select_columns,
    wanted_names,
)

COLUMNS = ["id", "text", "Q7_1", "Q7_2", "Q70", "Do you agree?", "staff, shop", "'=1+1"]


def selected(option, columns=COLUMNS, delimited=True):
    labels = labels_of_columns(columns, delimited)
    names = wanted_names(option, "label_columns")
    return list(select_columns(labels, names, "--label-columns", "a.csv, line 2", ("id", "text")))


@pytest.mark.parametrize(
    ("option", "found"),
    [
        ("Q7_1", ["Q7_1"]),
        (" Q7_2 , Q7_1,", ["Q7_1", "Q7_2"]),  # in the order of the file
        ("Q7_*", ["Q7_1", "Q7_2"]),
        ("Q7?", ["Q70"]),
        ("Q7*,Q70", ["Q7_1", "Q7_2", "Q70"]),
        ("Do you agree?", ["Do you agree?"]),  # a name before a pattern
        ('"staff, shop"', ["staff, shop"]),
        ("=1+1", ["'=1+1"]),  # as the export wrote it
        ("'=1+1", ["'=1+1"]),
        (["staff, shop", "Q7_?"], ["Q7_1", "Q7_2", "staff, shop"]),
    ],
)
def test_columns_are_selected_by_names_and_patterns(option, found):
    assert selected(option) == found


@pytest.mark.parametrize(
    ("option", "found"),
    [
        ("Q7_*", ["Q7_1", "Q7_2_input"]),  # the input had Q7_2 only
        ("Q7_*_input", ["Q7_1_input", "Q7_2_input"]),
        ("Q7_1_input,Q7_1", ["Q7_1", "Q7_1_input"]),
    ],
)
def test_a_pattern_leaves_out_columns_that_satc_has_renamed(option, found):
    assert selected(option, ["Q7_1", "Q7_1_input", "Q7_2_input"]) == found


@pytest.mark.parametrize("sign", [".", "[ab]", "^", "+", "\\d"])
def test_other_signs_of_patterns_have_no_meaning(sign):
    assert selected(f"a{sign}*", [f"a{sign}1", "ab1", "aa", "a1"]) == [f"a{sign}1"]


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ("Q8_*", r"^a\.csv, line 2 must have a column that matches 'Q8_\*', as --label-columns "
                 r"says, but has 'id', 'text', 'Q7_1'"),
        ("anger", r"must have a column named 'anger', as --label-columns says, but has 'id'"),
        ("*", r"--label-columns '\*' must not take the columns of ids and texts, but takes 'id'; "
              r"the columns are 'id', 'text'"),
        ("Q7_1,te*", r"'te\*' must not take .* but takes 'text'"),
    ],
)  # fmt: skip
def test_a_selection_that_cannot_be_meant_lists_the_columns(option, message):
    with pytest.raises(DataError, match=message):
        selected(option)


@pytest.mark.parametrize("option", ["", " , ", ",", []])
def test_an_option_must_name_a_column(option):
    with pytest.raises(ValueError, match="label_columns must name at least one column, but is"):
        wanted_names(option, "label_columns")


def test_an_open_quote_is_an_error_with_an_example():
    with pytest.raises(ValueError, match='as in price,"staff, shop", but is'):
        wanted_names('"staff, shop', "label_columns")


names = st.text(st.characters(exclude_categories=["Cs"]), min_size=1).filter(
    lambda name: name == name.strip() and not set(name) & set("\r\n\0")
)


@given(st.lists(names, min_size=1, unique=True))
def test_joined_names_are_read_again(given_names):
    assert list(wanted_names(joined_names(given_names), "label_columns")) == given_names
