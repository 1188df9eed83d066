import numpy as np
import pytest

from satc.assurance import AuditSample, Decision
from satc.assurance.audit import as_decisions, indicator


def test_the_seed_fixes_the_queue():
    assert AuditSample(40, 3).queue.tolist() == AuditSample(40, 3).queue.tolist()
    assert AuditSample(40, 3).queue.tolist() != AuditSample(40, 4).queue.tolist()


def test_every_document_left_is_drawn_equally_often():
    counts = np.zeros(6)
    for seed in range(1200):
        counts[AuditSample(6, seed).next(validated=[1, 4])] += 1
    assert counts[[1, 4]].tolist() == [0, 0]
    assert np.abs(counts[[0, 2, 3, 5]] - 300).max() < 60


def test_nothing_is_left_when_all_are_validated():
    assert AuditSample(3, 0).next(validated=[0, 1, 2]) is None


@pytest.mark.parametrize("rate", [0.0, 0.1, 1 / 3, 1.0])
def test_the_rate_is_kept(rate):
    audit = AuditSample(10, 0, rate=rate)
    assert sum(audit.is_due(k) for k in range(300)) == pytest.approx(300 * rate, abs=1)


def test_a_skipped_draw_is_noticed():
    audit = AuditSample(8, 0)
    a, b, c = audit.queue[:3].tolist()
    assert audit.agrees([Decision(a, (), True), Decision(b, (), False), Decision(c, (), True)])
    assert not audit.agrees([Decision(a, (), True), Decision(c, (), True)])


def test_decisions_become_a_matrix():
    log = as_decisions([(2, [1, 0], False), (0, [], True)], 3, 2)
    assert log == (Decision(2, (0, 1), False), Decision(0, (), True))
    assert indicator(log, 2).tolist() == [[True, True], [False, False]]


@pytest.mark.parametrize(
    ("log", "message"),
    [
        ([(0, [], False), (0, [1], False)], "each document once.*document 0 twice"),
        ([(3, [], False)], "name a document from 0 to 2, but name 3"),
        ([(0, [2], False)], "name a label from 0 to 1, but name 2"),
    ],
)
def test_a_log_that_does_not_fit_is_refused(log, message):
    with pytest.raises(ValueError, match=message):
        as_decisions(log, 3, 2)


def test_a_rate_beyond_all_is_refused():
    with pytest.raises(ValueError, match=r"rate must be a share from 0 to 1, but is 1.5"):
        AuditSample(3, 0, rate=1.5)
