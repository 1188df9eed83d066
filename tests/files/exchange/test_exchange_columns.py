from hypothesis import given
from hypothesis import strategies as st

from satc.files.exchange.columns import rename_taken

names = st.builds(lambda stem, n: stem + "_input" * n, st.sampled_from("abc"), st.integers(0, 4))


@given(st.lists(names, unique=True))
def test_renamed_columns_differ_from_taken_names_and_from_each_other(columns):
    found = rename_taken({name: name for name in columns}, {"a", "b"})
    assert list(found.values()) == columns
    assert not {"a", "b"} & set(found)


def test_columns_whose_names_are_free_keep_them():
    assert rename_taken({"c": 1, "c_input": 2}, {"a"}) == {"c": 1, "c_input": 2}
