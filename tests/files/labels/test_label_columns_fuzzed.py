"""Any values in columns of labels: read as a plain rule says, or refused with their line."""

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from satc.errors import DataError
from satc.files import read_documents

plain = st.none() | st.booleans() | st.integers(-2, 2) | st.floats() | st.text(max_size=3)
likely = st.sampled_from(["0", "1", "x", "", "yes", "N", "true", 0, 1, 1.0, True, None])
values = (
    likely | plain | st.lists(plain, max_size=2) | st.dictionaries(st.text(), plain, max_size=1)
)
NOTATIONS = [
    {"0": False, "1": True, "0.0": False, "1.0": True},
    {"false": False, "true": True},
    {"no": False, "yes": True, "n": False, "y": True},
    {"": False, "x": True},
]


def as_cell(value):
    """Return a value as the text that a person would write; None for what is no cell."""
    if value is None or value != value:  # NaN
        return ""
    if isinstance(value, float):
        return str(value + 0.0)  # -0.0 is 0.0
    if isinstance(value, (str, bool, int)):
        return str(value).strip().lower()
    return None


def slow_column(cells):
    """Return what all cells say: the one notation that has all of them; None without any."""
    texts = [as_cell(cell) for cell in cells]
    for known in NOTATIONS:
        if all(text in known for text in texts):
            return [known[text] for text in texts]
    return None


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=100)
@given(cells=st.lists(values, min_size=1, max_size=4))
def test_a_column_is_read_as_the_plain_rule_reads_it(cells, tmp_path):
    path = tmp_path / "d.jsonl"
    lines = [json.dumps({"id": i, "text": "t", "a": cell}) for i, cell in enumerate(cells)]
    path.write_text("\n".join(lines), encoding="utf-8")
    wanted = slow_column(cells)
    if wanted is None:
        with pytest.raises(DataError, match=r"d\.jsonl, line \d: 'a' must be"):
            read_documents(path, label_columns="a")
    else:
        labels = read_documents(path, label_columns="a").labels
        assert [bool(one) for one in labels] == wanted


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
@given(cells=st.lists(values, min_size=1, max_size=4))
def test_any_answers_are_read_or_refused(cells, tmp_path):
    path = tmp_path / "d.jsonl"
    names = {f"code{k}": cell for k, cell in enumerate(cells)}
    path.write_text(json.dumps({"id": "a", "text": "t"} | names), encoding="utf-8")
    wanted = []
    for cell in cells:
        if isinstance(cell, (bool, list, dict)) or cell in (float("inf"), float("-inf")):
            with pytest.raises(DataError, match="line 1"):
                read_documents(path, labels_column="code*")
            return
        if isinstance(cell, str):
            wanted.append(cell.strip())
        elif cell is not None and cell == cell:
            wanted.append(f"{cell + 0.0:.0f}" if cell == round(cell) else str(cell))
    (found,) = read_documents(path, labels_column="code*").labels
    assert found == tuple(dict.fromkeys(filter(None, wanted)))
