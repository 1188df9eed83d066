"""Predictions that could be read in two ways are read in the one that is meant, or refused."""

import json

import numpy as np
import pytest

from satc.errors import DataError
from satc.files.predictions import read_predictions, read_thresholds

SINGLE, MULTI = "single-label", "multi-label"


@pytest.fixture
def write(tmp_path, monkeypatch):
    """Write a file and return its name; errors then name it without its folder."""
    monkeypatch.chdir(tmp_path)

    def writes(content, name="p.csv"):
        if isinstance(content, list):
            content = "".join(json.dumps(row) + "\n" for row in content)
        (tmp_path / name).write_text(content, encoding="utf-8")
        return name

    return writes


def refused(*arguments, **options):
    """Return the message of the error, which is one line."""
    with pytest.raises(DataError) as caught:
        read_predictions(*arguments, **options)
    assert "\n" not in str(caught.value)
    return str(caught.value)


FIRST = '{"id": "a", "probabilities": {"fee": 0.8, "refund": 0.1}}'


@pytest.mark.parametrize("second", ["fee", "fee "])
@pytest.mark.parametrize("ending", ["jsonl", "json"])
def test_a_class_twice_in_json_is_refused_with_its_place(write, second, ending):
    row = f'{{"id": "b", "probabilities": {{"fee": 0.8, "{second}": 0.1}}}}'
    content = f"{FIRST}\n{row}\n" if ending == "jsonl" else f"[{FIRST}, {row}]"
    message = refused(write(content, f"p.{ending}"))
    assert message.startswith(f"p.{ending}, {'line' if ending == 'jsonl' else 'item'} 2")
    assert "twice" in message and "'fee'" in message


def test_a_threshold_twice_is_refused(write):
    with pytest.raises(DataError, match=r"t\.json must be JSON .* twice in an object: 'x'"):
        read_thresholds(write('{"x": 0.3, "x": 0.6}', "t.json"))
