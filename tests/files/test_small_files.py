from __future__ import annotations

import pytest

from satc.errors import DataError
from satc.files import read_class_weights, read_text


def test_a_text_is_read_with_and_without_a_byte_order_mark(tmp_path):
    for mark in (b"", b"\xef\xbb\xbf"):
        (tmp_path / "rules.txt").write_bytes(mark + "Größer\n".encode())
        assert read_text(tmp_path / "rules.txt") == "Größer\n"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"one\ntwo\ncaf\xe9", "line 3 must be UTF-8, but has the byte 0xe9"),
        (b"a\0b", "must be a text, but holds NUL"),
        (b"x" * 1_000_001, "must have at most 1,000,000 bytes"),
    ],
)
def test_a_file_that_is_not_text_is_refused_by_name(content, message, tmp_path):
    (tmp_path / "rules.txt").write_bytes(content)
    with pytest.raises(DataError, match=rf"rules\.txt.*{message}"):
        read_text(tmp_path / "rules.txt")


def test_weights_are_numbers_by_name(tmp_path):
    (tmp_path / "weights.json").write_bytes('{"größer": 2, "corn": 0.5}'.encode())
    assert read_class_weights(tmp_path / "weights.json") == {"größer": 2.0, "corn": 0.5}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("[1]", "must be JSON such as .* but is no object"),
        ("{", "must be JSON such as"),
        ("[" * 100_000, "must be JSON such as"),
        ('{"a": "2"}', "the weight of 'a' must be a number from 0 on, but is '2'"),
        ('{"a": -1}', "the weight of 'a' must be a number from 0 on, but is -1"),
        ('{"a": NaN}', "the weight of 'a' must be a number from 0 on, but is nan"),
        ('{"a": true}', "the weight of 'a' must be a number from 0 on, but is True"),
        ('{"a": 1' + "0" * 400 + "}", "the weight of 'a' must be a number from 0 on"),
    ],
)
def test_weights_of_another_kind_are_refused_by_name(content, message, tmp_path):
    (tmp_path / "weights.json").write_text(content)
    with pytest.raises(DataError, match=rf"weights\.json.*{message}"):
        read_class_weights(tmp_path / "weights.json")


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(DataError, match=r"none\.txt cannot be read"):
        read_text(tmp_path / "none.txt")
