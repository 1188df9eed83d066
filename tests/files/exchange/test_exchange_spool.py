from datetime import UTC, datetime
from decimal import Decimal

import pytest
from exported_made import human

from satc.files.exchange import spool as module
from satc.files.exchange.columns import row_of
from satc.files.exchange.spool import spool_rows

NOON = datetime(2024, 5, 1, 12, tzinfo=UTC)


def column(tmp_path, values):
    rows = (row_of(human(str(i), columns={"x": value})) for i, value in enumerate(values))
    with spool_rows(rows, tmp_path) as spool:
        assert list(tmp_path.iterdir()) == []
        found = [value for batch in spool.batches() for value in batch.column("x").to_pylist()]
        return str(spool.schema.field("x").type), found


@pytest.mark.parametrize("rows", [1, 2, 10_000])
@pytest.mark.parametrize(
    ("values", "kind", "expected"),
    [
        ([1, None, 2], "int64", [1, None, 2]),
        ([None, None], "string", [None, None]),
        ([[None, None], [], None], "list<item: string>", [[None, None], [], None]),
        ([[None, None], [2]], "list<item: int64>", [[None, None], [2]]),
        ([[[None]], [[]]], "list<item: list<item: string>>", [[[None]], [[]]]),
        ([1, 2.5], "double", [1.0, 2.5]),
        (["a", 1, None, True], "string", ["a", "1", None, "true"]),
        ([True, 0], "string", ["true", "0"]),
        ([[], ["a"], []], "list<item: string>", [[], ["a"], []]),
        ([["a"], [1]], "string", ['["a"]', "[1]"]),
        ([{"a": 1}, {}, None], "string", ['{"a": 1}', "{}", None]),
        ([2**80, 1], "string", [str(2**80), "1"]),
        ([NOON, NOON], "timestamp[us, tz=UTC]", [NOON, NOON]),
        ([NOON, "a"], "string", ["2024-05-01T12:00:00+00:00", "a"]),
        ([Decimal("1.50"), "a"], "string", ["1.50", "a"]),
    ],
)
def test_a_column_gets_a_type_that_holds_all_of_it(
    rows, values, kind, expected, tmp_path, monkeypatch
):
    monkeypatch.setattr(module, "BATCH_ROWS", rows)
    assert column(tmp_path, values) == (kind, expected)


def test_long_texts_make_small_batches(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "BATCH_CHARACTERS", 10)
    rows = (row_of(human(str(i), "x" * 6)) for i in range(5))
    with spool_rows(rows, tmp_path) as spool:
        assert [batch.num_rows for batch in spool.batches()] == [2, 2, 1]


def test_a_column_that_first_appears_later_is_empty_before(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "BATCH_ROWS", 1)
    rows = [row_of(human("1")), row_of(human("2", columns={"year": 1987}))]
    with spool_rows(rows, tmp_path) as spool:
        assert spool.schema.names[:4] == ["id", "text", "year", "satc_labels"]
        assert [b.column("year").to_pylist() for b in spool.batches()] == [[None], [1987]]
