import numpy as np
import pytest

from satc.contingency import ContingencyTables
from satc.gains import Gains, average_gains
from satc.measures import F1
from satc.ranking.live.reestimated_tables import ReestimatedTables
from satc.ranking.live.updated_tables import UpdatedTables

SIGNED = np.array([[0.2, -0.1], [-0.3, 0.4], [0.1, -0.2]])


def reestimated():
    decided = SIGNED > 0
    p = np.where(decided, 1 - SIGNED, -SIGNED)
    tables = ContingencyTables(
        np.where(decided, p, 0).sum(0),
        np.where(decided, 1 - p, 0).sum(0),
        np.where(decided, 0, p).sum(0),
        np.where(decided, 0, 1 - p).sum(0),
    )
    return ReestimatedTables(
        tables, SIGNED, F1, Gains(*average_gains(F1, tables)), micro=False
    ), tables


def test_a_validated_document_replaces_what_was_expected_of_it():
    live, tables = reestimated()
    live.replace((), [(1, [(0, False)])])  # it belongs to both classes: 0 was missed, 1 was right
    cells = live.state.cells
    assert cells.sum(axis=0) == pytest.approx([3, 3])
    assert cells[0] == pytest.approx([tables.tp[0] + 1, tables.tp[1] + 0.4])
    assert cells[1] == pytest.approx([tables.fp[0], tables.fp[1] - 0.4])
    assert cells[2] == pytest.approx([tables.fn[0] - 0.3, tables.fn[1]])


def test_when_all_are_validated_the_tables_are_the_true_ones():
    live, _ = reestimated()
    for i, wrong in enumerate([[(1, False)], [], [(0, True)]]):
        live.replace((), [(i, wrong)])
    np.testing.assert_allclose(live.state.cells, [[1, 2], [0, 0], [0, 0], [2, 1]], atol=1e-12)


def test_documents_without_errors_are_learnt_from_but_change_no_gains():
    live, _ = reestimated()
    before = live.state
    assert live.replace((), [(0, [])]) == []
    assert not np.array_equal(live.state.cells, before.cells)
    assert live.replace([0], []) == []
    np.testing.assert_array_equal(live.state.cells, before.cells)


def test_removing_a_document_says_which_gains_have_changed():
    live, _ = reestimated()
    before = live.state.gains
    changed = live.replace((), [(1, [(0, False)])])
    assert changed
    restored = live.replace([1], [])
    assert [column for column, _, _ in restored] == [column for column, _, _ in changed]
    assert [(fp, fn) for _, fp, fn in restored] == [tuple(before[:, c]) for c, _, _ in changed]


def test_the_paper_s_tables_are_updated_smoothed_and_put_back():
    tables = ContingencyTables(*np.array([[5.0], [1.0], [2.0], [92.0]]))
    live = UpdatedTables(tables, F1, smoothed=True, micro=False)
    ((column, fp, fn),) = live.replace((), [(0, [(0, True)])])
    assert column == 0
    assert live.cells == [(6.0, 1.0, 3.0, 90.0)]
    assert (fp, fn) == pytest.approx(
        (F1(6, 0, 3, 91) - F1(6, 1, 3, 90), F1(7, 1, 2, 90) - F1(6, 1, 3, 90))
    )
    ((_, fp, fn),) = live.replace([0], [])
    assert live.cells == [(5.0, 1.0, 2.0, 92.0)]
    assert fn == pytest.approx(F1(6, 1, 1, 92) - F1(5, 1, 2, 92))
