import json
from datetime import UTC, date, datetime, time
from decimal import Decimal

import numpy as np
import pytest

from satc.files.values import as_text, jsonable, python_value, to_json

NAN = float("nan")


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (NAN, None),
        (-float("inf"), None),
        (np.float64(0.5), 0.5),
        (np.float32("nan"), None),
        (np.int64(7), 7),
        (np.array([[1.5, NAN]]), [[1.5, None]]),
        ((1, ("a", None, True)), [1, ["a", None, True]]),
        ({3: {"x": NAN}}, {"3": {"x": None}}),
        (date(2024, 5, 1), "2024-05-01"),
        (time(3, 4), "03:04:00"),
        (datetime(2024, 5, 1, 12, tzinfo=UTC), "2024-05-01T12:00:00+00:00"),
        (b"\xff\x00", "/wA="),
        (Decimal("1.50"), "1.50"),
        (2**70, 2**70),
    ],
)
def test_every_value_becomes_one_that_json_has(value, expected):
    found = jsonable(value)
    assert found == expected
    assert type(found) is type(expected)
    assert json.loads(to_json(value)) == expected


def test_texts_and_unknown_values_are_converted_as_the_caller_asks():
    value = {"a b": ["c d", date(2024, 5, 1)]}
    found = jsonable(value, text=lambda text: text.replace(" ", "_"), unknown=lambda day: day.year)
    assert found == {"a_b": ["c_d", 2024]}


def test_a_value_that_stays_unknown_is_refused_by_json():
    with pytest.raises(TypeError, match="not JSON serializable"):
        to_json([object()], unknown=lambda value: value)


def test_json_is_one_line_and_keeps_letters_of_all_languages():
    assert to_json({"text": "Größe\n"}) == '{"text": "Größe\\n"}'


def test_texts_stay_texts_and_other_values_are_json():
    values = ["a", None, True, 1.5, ["b"], date(2024, 5, 1)]
    assert [as_text(value) for value in values] == ["a", None, "true", "1.5", '["b"]', "2024-05-01"]


def test_numbers_of_numpy_become_numbers_of_python():
    found = python_value([np.float32(0.5), (np.int8(2),), np.array([True])])
    assert found == [0.5, [2], [True]]
    assert [type(found[0]), type(found[1][0]), type(found[2][0])] == [float, int, bool]
