from datetime import datetime

import pytest

from satc.files.exchange import ExportedDocument


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"source": "robot"}, "source must be one of 'human', 'automatic', but is 'robot'"),
        ({"rank": 0}, "rank must be 1 or more, or None, but is 0"),
        ({"when": datetime(2024, 5, 1)}, "when must have a time zone, but is 2024-05-01"),
    ],
)
def test_a_document_with_impossible_values_is_refused(wrong, message):
    with pytest.raises(ValueError, match=message):
        ExportedDocument("1", "a", **wrong)
