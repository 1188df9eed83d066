"""Certificates of single-label data: exact values, slow versions and simulated coverage."""

import itertools
import json
import math
import re

import numpy as np
import pytest

from satc.assurance import AuditSample, certificate_html, certificate_json, certify, recomputed
from satc.assurance.certificate.betting import HEDGED, Draws, log_wealth, stakes_of


def one_hot(classes, m):
    return np.eye(m, dtype=bool)[np.asarray(classes)]


def made(seed, n=300, m=4, wrong=0.08):
    """True and predicted classes; some classes are rare."""
    rng = np.random.default_rng(seed)
    truth = rng.choice(m, n, p=np.arange(m, 0, -1) / np.arange(1, m + 1).sum())
    return truth, np.where(rng.random(n) < wrong, rng.integers(0, m, n), truth), rng


def log_of(truth, documents, n_work=0):
    """The first `n_work` documents are work, the others an audit."""
    return [(int(i), [int(truth[i])], k >= n_work) for k, i in enumerate(documents)]


def present(truth, predicted, log):
    labels = predicted.copy()
    for i, _, _ in log:
        labels[i] = truth[i]
    return labels


def true_values(truth, labels, m):
    """Accuracy, macro-F1 and rows of precision, recall and F1 of every class."""
    rows = []
    for k in range(m):
        tp = np.sum((truth == k) & (labels == k))
        p, r = (tp / max(1, np.sum(x == k)) for x in (labels, truth))
        rows.append((p, r, 2 * tp / max(1, np.sum(labels == k) + np.sum(truth == k))))
    return np.mean(truth == labels), np.mean([row[2] for row in rows]), np.array(rows)


def slow_count_left(values, is_audit, n_left, error):
    """The largest whole number of unread errors that the bets have not refuted, one by one.

    `values` are errors of read documents of a set, in the order of reading.
    """

    def is_refuted(total):
        wealth = np.array([0.9, 0.1])
        known, mean, squares, count, t = 0, 0.0, 0.01, 1, 0
        for position, (value, audit) in enumerate(zip(values, is_audit, strict=True)):
            if audit:
                expected = (total - known) / (n_left + len(values) - position)
                variance = squares / count
                wanted = math.sqrt(-4 * math.log(error) / (variance * (t + 1) * math.log(t + 2)))
                stakes = np.minimum(wanted, [0.99, 0.495])
                wealth = wealth * (1 + stakes * (expected - value))
                if wealth.sum() >= 1 / error:
                    return True
                t, count = t + 1, count + 1
                deviation = value - mean
                mean += deviation / count
                squares += deviation * (value - mean)
            known += value
        return False

    found = sum(values)
    return max(z for z in range(n_left + 1) if z == 0 or not is_refuted(found + z))


@pytest.mark.parametrize("seed", range(6))
def test_the_bounds_are_those_of_a_slow_version(seed):
    truth, predicted, rng = made(seed, n=70, m=3, wrong=0.15)
    log = log_of(truth, rng.permutation(70)[:45], n_work=8)
    found = certify(one_hot(predicted, 3), log, single_label=True, confidence=0.9)
    read = np.array([i for i, _, _ in log])
    audit = np.array([is_audit for _, _, is_audit in log])
    has_error = (truth != predicted)[read].astype(int)
    left = slow_count_left(has_error, audit, 25, 0.1)
    assert found.accuracy == 1 - left / 70
    labels = present(truth, predicted, log)
    for one in found.classes:
        inside, label_count = predicted[read] == one.column, np.sum(labels == one.column)
        unread = np.delete(predicted, read) == one.column
        wrong = slow_count_left(has_error[inside], audit[inside], unread.sum(), 0.05)
        lacking = ((truth[read] == one.column) & ~inside).astype(int)[~inside]
        missing = slow_count_left(lacking, audit[~inside], 25 - unread.sum(), 0.05)
        right = label_count - wrong
        expected = (right / label_count, right / (right + missing))
        assert (one.precision, one.recall) == pytest.approx(expected)
        assert one.f1 == pytest.approx(2 * right / (label_count + right + missing))
        assert (one.n_labels, one.n_audited) == (label_count, (inside & audit).sum())


@pytest.mark.slow
def test_accuracy_is_never_refuted_more_often_than_permitted_in_all_orders():
    """All samples of a tiny set, counted exactly: the bound is above the truth in few of them."""
    truth = np.array([0, 1, 0, 1, 1, 0, 0, 1])
    predicted = np.array([0, 1, 1, 1, 1, 0, 0, 0])
    above, orders = 0, list(itertools.permutations(range(8), 4))
    for order in orders:
        ever = False
        for size in range(1, 5):
            log = log_of(truth, order[:size])
            accuracy = np.mean(present(truth, predicted, log) == truth)
            bound = certify(one_hot(predicted, 2), log, single_label=True, confidence=0.5).accuracy
            ever |= bound > accuracy
        above += ever
    assert above <= 0.5 * len(orders)


@pytest.mark.slow
def test_bounds_are_below_the_truth_whenever_one_looks():
    n_seeds, confidence, m = 150, 0.8, 4
    above = np.zeros(2)
    class_above = np.zeros(m)
    for seed in range(n_seeds):
        truth, predicted, _ = made(seed)
        order = np.argsort(predicted == truth, kind="stable")  # work takes errors first
        work = [int(i) for i in order[:8]]
        sample = AuditSample(len(truth), seed)
        documents = work + [sample.draw(work) for _ in range(200)]
        ever, class_ever = np.zeros(2, dtype=bool), np.zeros(m, dtype=bool)
        for size in range(20, 208, 17):
            log = log_of(truth, documents[:size], n_work=8)
            found = certify(one_hot(predicted, m), log, single_label=True, confidence=confidence)
            values = true_values(truth, present(truth, predicted, log), m)
            ever |= np.array([found.accuracy, found.low("macro-F1")]) > np.array(values[:2]) + 1e-12
            rows = np.array([(one.precision, one.recall, one.f1) for one in found.classes])
            class_ever |= (rows > values[2] + 1e-12).any(axis=1)
        above += ever
        class_above += class_ever
    assert above.max() <= n_seeds * (1 - confidence)
    assert class_above.max() <= n_seeds * (1 - confidence)
    assert above[0] > 0  # otherwise the bounds would be useless


@pytest.mark.slow
def test_the_true_number_of_wrong_documents_is_ever_refuted_as_rarely_as_promised():
    refuted = 0
    for seed in range(2000):
        values = np.random.default_rng(seed).permutation(np.repeat([1.0, 0.0], [20, 180]))
        draws = Draws(values, np.cumsum(values) - values, np.arange(200.0, 0.0, -1.0))
        stakes = stakes_of(values, 1.0, 0.1)
        refuted += log_wealth(draws, stakes, 20.0) >= -np.log(0.1)
    assert 0.01 * 2000 < refuted < 0.1 * 2000


@pytest.mark.parametrize("seed", range(12))
def test_accuracy_is_at_least_every_bound_of_the_same_labels_with_cap_1(seed):
    truth, predicted, rng = made(seed, wrong=[0.0, 0.02, 0.1, 0.4][seed % 4])
    log = log_of(truth, rng.permutation(300)[:120], n_work=20)
    labels = one_hot(predicted, 4)
    single, multi = certify(labels, log, single_label=True), certify(labels, log, cap=1)
    for name in ("micro-F1", "precision", "recall"):
        assert single.accuracy == single.low(name)
        assert single.accuracy >= multi.low(name) - 1e-12
    if (predicted != truth).any():
        assert single.accuracy > multi.low("micro-F1")


def test_people_who_disagree_lower_all_bounds():
    truth, predicted, rng = made(1)
    labels, log = one_hot(predicted, 4), log_of(truth, rng.permutation(300)[:200])
    alone = certify(labels, log, single_label=True)
    agreed = certify(labels, log, single_label=True, repeats=[0] * 300)
    differed = certify(labels, log, single_label=True, repeats=[0] * 290 + [2] * 10)
    assert differed.inputs.repeats[-1] == 1
    assert differed.human_errors > agreed.human_errors > alone.human_errors == 0
    for name in ("accuracy", "macro-F1"):
        assert alone.low(name) > agreed.low(name) > differed.low(name)
    for a, b in zip(alone.classes, agreed.classes, strict=True):
        assert (a.precision, a.recall, a.f1) > (b.precision, b.recall, b.f1)


def test_misread_documents_are_put_where_they_do_most_harm():
    """Every split of the errors of people into wrong and missing labels, counted one by one."""
    truth, predicted, _ = made(2, n=200)
    log = log_of(truth, range(200))  # all are read, so that only people's errors are left
    found = certify(one_hot(predicted, 4), log, single_label=True, repeats=[0] * 150)
    by_people = found.human_errors * 200
    for one in found.classes:
        splits = np.linspace(0, min(by_people, one.n_labels), 2000)
        right, missing = one.n_labels - splits, by_people - splits
        assert one.precision == pytest.approx(right.min() / one.n_labels)
        assert one.recall == pytest.approx((right / (right + missing)).min())
        assert one.f1 == pytest.approx((2 * right / (one.n_labels + right + missing)).min())


def test_all_validated_is_all_right_and_a_class_without_labels_gets_0():
    labels = one_hot([0, 1, 0], 3)
    found = certify(labels, log_of(np.array([0, 1, 0]), range(3)), single_label=True)
    assert found.accuracy == found.low("macro-F1") == 1.0
    assert [one.f1 for one in found.classes] == [1.0, 1.0, 0.0]


def test_without_an_audit_nothing_is_certified():
    found = certify(one_hot([0, 1, 0, 1], 2), [(0, [0], False)], single_label=True)
    assert found.accuracy == 0.25
    assert [one.f1 for one in found.classes] == [pytest.approx(2 * 1 / (2 + 1 + 2)), 0.0]


def test_multi_label_certificates_have_no_accuracy():
    found = certify(one_hot([0, 1], 2), [(0, [0], True)], cap=1)
    assert (found.accuracy, found.single_label) == (None, False)


@pytest.fixture
def certificate():
    truth, predicted, rng = made(5)
    log = log_of(truth, rng.permutation(300)[:150], n_work=10)
    return certify(one_hot(predicted, 4), log, single_label=True, repeats=[0, 2, 0])


def test_anyone_can_recompute_it(certificate):
    text = certificate_json(certificate)
    again = recomputed(text)
    assert (again.bounds, again.classes) == (certificate.bounds, certificate.classes)
    assert again.single_label
    assert json.loads(text)["classes"][1]["recall"] == certificate.classes[1].recall


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda held: held["classes"][0].update(recall=0.99), "classes must hold the bounds"),
        (lambda held: held.update(format=5), "format must be from 1 to 4, but is 5"),
        (lambda held: held.update(format=True), "format must be from 1 to 4, but is True"),
        (lambda held: held["inputs"]["decisions"][3].__setitem__(1, []), "exactly one label"),
    ],
)
def test_a_changed_certificate_is_noticed(certificate, change, message):
    held = json.loads(certificate_json(certificate))
    change(held)
    with pytest.raises(ValueError, match=message):
        recomputed(json.dumps(held))


def test_the_page_shows_accuracy_once_and_every_class(certificate):
    page = certificate_html(certificate, class_names=["refund", "<b>", "card", "other"])
    printed = re.search(r"([\d.]+)</b> accuracy \(equals micro-F1, precision and recall\)<", page)
    assert 0 <= certificate.accuracy - float(printed[1]) < 0.001
    assert "every document has exactly one label" in page
    assert "lacks more than" not in page
    assert "&lt;b&gt;" in page
    one = certificate.classes[2]
    row = re.search(r"card</span></th><td>(\d+)</td><td>(\d+)</td>", page)
    assert [int(row[1]), int(row[2])] == [one.n_labels, one.n_audited]
    assert f"{math.floor(one.recall * 1000) / 1000:.3f}" in page


@pytest.mark.parametrize(
    ("labels", "log", "options", "message"),
    [
        ([[1, 1], [0, 1]], [], {}, "predicted must have exactly one label.*2 for document 0"),
        ([[1, 0], [0, 0]], [], {}, "predicted must have exactly one label.*0 for document 1"),
        ([[1, 0], [0, 1]], [(1, [], True)], {}, "decisions must have.*0 for document 1"),
        ([[1, 0], [0, 1]], [(0, [0, 1], True)], {}, "decisions must have.*2 for document 0"),
        ([[1, 0], [0, 1]], [], {"cap": 2}, "cap must be left out or 1 if single_label.*is 2"),
        ([[1, 0], [0, 1]], [], {"repeats": [3]}, "from 0 to 2 for single labels, but hold 3"),
    ],
)
def test_data_that_are_not_single_label_are_refused(labels, log, options, message):
    with pytest.raises(ValueError, match=message):
        certify(np.array(labels, dtype=bool), log, single_label=True, **options)


def test_multi_label_data_need_a_cap():
    with pytest.raises(ValueError, match=r"cap must be a whole number, 1 or more.*but is None"):
        certify(one_hot([0, 1], 2), [])


def test_the_wealth_at_the_start_is_1():
    assert sum(HEDGED.wealth) == 1.0
