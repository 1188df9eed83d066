import numpy as np
import pytest

from satc.assurance import AuditSample, certify


def made(seed=0, n=400, m=4, wrong=0.04):
    rng = np.random.default_rng(seed)
    truth = rng.random((n, m)) < 0.3
    return truth, truth ^ (rng.random((n, m)) < wrong)


def log_of(truth, work, audit):
    rows = [(i, False) for i in work] + [(i, True) for i in audit]
    return [(i, np.flatnonzero(truth[i]).tolist(), is_audit) for i, is_audit in rows]


def measures(truth, predicted, decisions):
    labels = predicted.copy()
    for i, _, _ in decisions:
        labels[i] = truth[i]
    tp, assigned, true = (labels & truth).sum(0), labels.sum(0), truth.sum(0)
    return {
        "micro-F1": 2 * tp.sum() / (assigned.sum() + true.sum()),
        "precision": tp.sum() / assigned.sum(),
        "recall": tp.sum() / true.sum(),
        "macro-F1": np.mean(2 * tp / (assigned + true)),
    }


@pytest.mark.slow
def test_bounds_are_below_the_truth_whenever_one_looks():
    above = dict.fromkeys(("micro-F1", "precision", "recall", "macro-F1"), 0)
    for seed in range(60):
        truth, predicted = made(seed, wrong=0.02)
        work = [i for i in range(400) if predicted[i].sum() > 2]
        sample = AuditSample(400, seed)
        audit = [sample.draw(work) for _ in range(400 - len(work))]
        peeked = [
            certify(predicted, log, cap=4, confidence=0.8)
            for k in range(10, 200, 30)
            if (log := log_of(truth, work, audit[:k]))
        ]
        for name in above:
            values = [measures(truth, predicted, c.inputs.decisions)[name] for c in peeked]
            low = [c.low(name) for c in peeked]
            above[name] += any(a > b for a, b in zip(low, values, strict=True))
    assert max(above.values()) <= 60 * 0.2


def test_a_larger_audit_comes_closer_to_the_truth():
    truth, predicted = made()
    gaps = []
    for k in (50, 150, 350, 400):
        log = log_of(truth, [], range(k))
        low = certify(predicted, log, cap=4).low("micro-F1")
        gaps.append(measures(truth, predicted, log)["micro-F1"] - low)
    assert gaps == sorted(gaps, reverse=True)
    assert gaps[0] > 0.05
    assert gaps[-1] == 0


def test_all_validated_is_all_right():
    truth, predicted = made()
    certificate = certify(predicted, log_of(truth, range(400), []), cap=4)
    assert [bound.low for bound in certificate.bounds] == [1.0, 1.0, 1.0, 1.0]


def test_without_an_audit_nothing_is_certified():
    truth, predicted = made()
    certificate = certify(predicted, log_of(truth, range(200), []), cap=4)
    assert certificate.low("micro-F1") < 0.6
    assert certificate.n_audited == 0


def test_errors_found_by_work_are_no_longer_held_against_the_labels():
    truth, predicted = made()
    wrong = np.flatnonzero((truth != predicted).any(axis=1)).tolist()
    right = [i for i in range(400) if i not in set(wrong)]
    before = certify(predicted, log_of(truth, [], right[:100]), cap=4)
    after = certify(predicted, log_of(truth, wrong, right[:100]), cap=4)
    assert after.low("micro-F1") > before.low("micro-F1")


def test_work_before_and_after_a_draw_is_told_apart():
    truth, predicted = made()
    early = log_of(truth, range(50), range(50, 150))
    late = early[50:] + early[:50]
    assert certify(predicted, early, cap=4).low("recall") != pytest.approx(
        certify(predicted, late, cap=4).low("recall"), abs=1e-6
    )


def test_disagreement_of_two_readings_widens_the_bounds():
    truth, predicted = made()
    log = log_of(truth, range(100), range(100, 300))
    alone = certify(predicted, log, cap=4)
    agreed = certify(predicted, log, cap=4, repeats=[0] * 300)
    disagreed = certify(predicted, log, cap=4, repeats=[0] * 280 + [1] * 20)
    assert alone.human_errors == 0
    assert 0 < agreed.human_errors < disagreed.human_errors
    for measure in ("micro-F1", "precision", "recall"):
        assert alone.low(measure) > agreed.low(measure) > disagreed.low(measure)


@pytest.mark.slow
def test_bounds_with_human_errors_are_below_the_truth():
    above = 0
    for seed in range(60):
        truth, predicted = made(seed, wrong=0.02)
        rng = np.random.default_rng(seed)
        read, again = (truth ^ (rng.random(truth.shape) < 0.01) for _ in range(2))
        sample = AuditSample(400, seed)
        audit = [sample.draw(()) for _ in range(200)]
        log = log_of(read, [], audit)
        repeats = (read[audit] != again[audit]).sum(axis=1)[:100]
        certificate = certify(predicted, log, cap=4, confidence=0.9, repeats=repeats.tolist())
        labels = predicted.copy()
        labels[audit] = read[audit]
        value = 2 * (labels & truth).sum() / (labels.sum() + truth.sum())
        above += certificate.low("micro-F1") > value
    assert above <= 6


def test_a_cap_that_the_audit_refutes_is_refused():
    truth, predicted = made()
    truth[5], predicted[5] = True, False
    with pytest.raises(ValueError, match="cap must be at least the 4 labels that an audited"):
        certify(predicted, log_of(truth, [], range(10)), cap=2)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"cap": 0}, "cap must be a whole number, 1 or more, but is 0"),
        ({"cap": 2, "confidence": 1.0}, "confidence must be between 0 and 1, but is 1.0"),
        ({"cap": 2, "aim": 0.0}, "aim must be between 0 and 1, but is 0.0"),
        ({"cap": 2, "repeats": [3]}, "repeats must be disagreements from 0 to cap, 2, but hold 3"),
    ],
)
def test_what_cannot_be_declared_is_refused(options, message):
    with pytest.raises(ValueError, match=message):
        certify(np.ones((3, 2), dtype=bool), [], **options)
