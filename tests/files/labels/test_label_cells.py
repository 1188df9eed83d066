import pytest

from satc.files.labels.cells import join_labels, split_labels


@pytest.mark.parametrize("name", ["a|b", " a", "a\n", ""])
def test_a_label_that_would_not_come_back_is_refused_by_name(name):
    with pytest.raises(ValueError, match=r"but one is .*JSON lines and Parquet take it"):
        join_labels(["corn", name])


def test_labels_are_split_as_documents_are_read():
    assert split_labels(" corn|wheat ||corn") == ("corn", "wheat")


def test_the_separator_is_an_option():
    assert join_labels(["a|b", "c"], ";") == "a|b;c"
    assert split_labels("a|b; c", ";") == ("a|b", "c")
