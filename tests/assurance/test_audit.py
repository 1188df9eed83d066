import numpy as np
import pytest

from satc.assurance import AuditedDecision, AuditSample, Decision
from satc.assurance.certificate.audit import as_decisions
from satc.inputs import indicator


def drawn(n, seed, k, validated=()):
    audit = AuditSample(n, seed)
    return [audit.draw(validated) for _ in range(k)]


def test_the_seed_fixes_the_draws():
    assert drawn(40, 3, 20) == drawn(40, 3, 20)
    assert drawn(40, 3, 20) != drawn(40, 4, 20)
    assert sorted(drawn(40, 3, 40)) == list(range(40))


def test_draws_go_on_where_they_were():
    again = AuditSample(40, 3, drawn=drawn(40, 3, 5))
    assert again.draw(validated=()) == drawn(40, 3, 6)[-1]


@pytest.mark.parametrize("before", [0, 1])
def test_every_document_left_is_drawn_equally_often(before):
    counts = np.zeros(6)
    for seed in range(1200):
        counts[drawn(6, seed, before + 1, validated=[1, 4])[-1]] += 1
    assert counts[[1, 4]].tolist() == [0, 0]
    assert np.abs(counts[[0, 2, 3, 5]] - 300).max() < 60


def test_nothing_is_left_when_all_are_validated():
    assert AuditSample(3, 0).draw(validated=[0, 1, 2]) is None


@pytest.mark.parametrize("rate", [0.0, 0.1, 1 / 3, 1.0])
def test_the_rate_is_kept(rate):
    audit = AuditSample(1000, 0, rate=rate)
    for k in range(300):
        if audit.is_due(k):
            audit.draw(validated=())
    assert len(audit.drawn) == pytest.approx(300 * rate, abs=1)


def test_a_draw_that_was_passed_over_is_noticed():
    audit = AuditSample(8, 0)
    first = audit.draw(validated=())
    other = next(i for i in range(8) if i != first)
    second = audit.draw(validated=[first, other])
    work = Decision(other, (), False)
    assert audit.agrees([Decision(first, (), True), work, Decision(second, (), True)])
    passed_over = next(i for i in range(8) if i != first)
    assert not audit.agrees([Decision(passed_over, (), True)])


def test_decision_is_another_name_of_an_audited_decision():
    assert Decision is AuditedDecision


def test_decisions_become_a_matrix():
    log = as_decisions([(2, [1, 0], False), (0, [], True)], 3, 2)
    assert log == (Decision(2, (0, 1), False), Decision(0, (), True))
    assert indicator([one.labels for one in log], range(2)).tolist() == [
        [True, True],
        [False, False],
    ]


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
