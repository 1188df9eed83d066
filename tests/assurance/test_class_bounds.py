"""Bounds of single classes in multi-label certificates."""

import json
import re

import numpy as np
import pytest

from satc.assurance import AuditSample, certificate_html, certificate_json, certify, recomputed
from satc.assurance.certificate.audit import as_decisions
from satc.assurance.certificate.class_bounds import class_bounds
from satc.assurance.certificate.found_errors import FoundErrors
from satc.assurance.certificate.measure_bounds import HumanErrors


def made(seed, n=240, m=3, wrong=0.08):
    """Return true labels, and predicted labels with errors; the last class has most of them."""
    rng = np.random.default_rng(seed)
    truth = rng.random((n, m)) < [0.5, 0.3, 0.15]
    predicted = truth ^ (rng.random((n, m)) < wrong * np.array([0.5, 1.0, 1.5]))
    return truth, predicted


def log_of(truth, documents, n_work=0):
    labels = [np.flatnonzero(row).tolist() for row in truth]
    return [(int(i), labels[i], place >= n_work) for place, i in enumerate(documents)]


def true_values(truth, predicted, log):
    """Return precision, recall and F1 of the present labels, classes x measures."""
    labels = predicted.copy()
    labels[[i for i, _, _ in log]] = truth[[i for i, _, _ in log]]
    right, given, there = (labels & truth).sum(axis=0), labels.sum(axis=0), truth.sum(axis=0)
    return np.column_stack([right / given, right / there, 2 * right / (given + there)])


def bounds_of(classes):
    return np.array([(one.precision, one.recall, one.f1) for one in classes])


@pytest.mark.slow
def test_the_bounds_of_a_class_hold_together_as_often_as_promised_whenever_one_looks():
    n_seeds, confidence = 150, 0.8
    above = np.zeros(3)
    for seed in range(n_seeds):
        truth, predicted = made(seed)
        work = [int(i) for i in np.argsort((predicted == truth).all(axis=1), kind="stable")[:8]]
        sample = AuditSample(len(truth), seed)
        documents = work + [sample.draw(work) for _ in range(150)]
        ever = np.zeros(3, dtype=bool)
        for size in (48, 78, 108, 158):
            log = log_of(truth, documents[:size], n_work=8)
            errors = FoundErrors.of(predicted, as_decisions(log, *predicted.shape), cap=3)
            found = class_bounds(errors, HumanErrors(0.0, 1 - confidence), every=True)
            ever |= (bounds_of(found) > true_values(truth, predicted, log) + 1e-12).any(axis=1)
        above += ever
    assert above.max() <= n_seeds * (1 - confidence)
    assert above.sum() > 0  # otherwise the bounds would be useless


def test_the_bounds_hold_after_undone_decisions():
    """Somebody decides on all wrong documents, others are audited, and the first undoes all."""
    truth = np.ones((600, 1), dtype=bool)
    truth[:120] = False
    predicted = np.ones_like(truth)
    log = [(i, [0], True) for i in range(120, 320)]
    undone = [(i, 0, 200) for i in range(120)]
    (found,) = certify(predicted, log, cap=1, undone=undone).classes
    assert found.precision <= 480 / 600
    assert certify(predicted, log, cap=1).classes[0].precision > 0.9  # without what was undone


def test_classes_of_which_no_predicted_label_was_audited_have_no_bounds():
    truth, predicted = made(1)
    predicted[:, 2] = False
    predicted[200:, 2] = True
    found = certify(predicted, log_of(truth, range(100)), cap=3)
    assert [one.column for one in found.classes] == [0, 1]
    assert "lower bounds for 2 of 3 classes" in certificate_html(found)
    assert certify(predicted, [], cap=3).classes == ()


@pytest.mark.parametrize("seed", range(4))
def test_of_documents_with_one_label_the_bounds_are_those_of_single_label_data(seed):
    rng = np.random.default_rng(seed)
    truth = rng.choice(4, 200)
    predicted = np.where(rng.random(200) < 0.1, rng.choice(4, 200), truth)
    labels = np.eye(4, dtype=bool)
    log = log_of(labels[truth], rng.permutation(200)[:90], n_work=10)
    single = certify(labels[predicted], log, single_label=True)
    multi = certify(labels[predicted], log, cap=1)
    assert multi.classes == single.classes


def test_a_smaller_cap_never_loosens_the_bounds_of_a_class():
    truth, predicted = made(3)
    log, repeats = log_of(truth, range(100)), [0, 1, 0, 0] * 10
    found = [
        bounds_of(certify(predicted, log, cap=cap, repeats=repeats).classes) for cap in (2, 3, 4, 9)
    ]
    assert (np.diff(found, axis=0) <= 1e-9).all()
    certain = bounds_of(certify(predicted, log, cap=2).classes)
    assert (found[0] < certain).all()  # errors of people lower the bounds


def test_anyone_can_recompute_them_and_a_change_is_noticed():
    truth, predicted = made(4)
    certificate = certify(predicted, log_of(truth, range(120)), cap=3)
    text = certificate_json(certificate)
    assert recomputed(text).classes == certificate.classes
    held = json.loads(text)
    held["classes"][1]["recall"] += 0.01
    with pytest.raises(ValueError, match="classes must hold the bounds that follow from the log"):
        recomputed(json.dumps(held))
    twice = text.replace('"confidence"', '"bounds": {"micro-F1": 0.999}, "confidence"', 1)
    with pytest.raises(ValueError, match="a name comes twice in an object: 'bounds'"):
        recomputed(twice)


def test_certificates_of_the_format_before_had_no_classes():
    truth, predicted = made(4)
    certificate = certify(predicted, log_of(truth, range(120)), cap=3)
    held = json.loads(certificate_json(certificate)) | {"format": 3, "classes": []}
    again = recomputed(json.dumps(held))
    assert (again.classes, again.bounds) == ((), certificate.bounds)


def test_the_page_shows_the_bounds_of_each_class():
    truth, predicted = made(5)
    certificate = certify(predicted, log_of(truth, range(120)), cap=3)
    page = certificate_html(certificate, class_names=["price", "<b>", "staff"])
    assert "lower bounds for each class" in page
    assert "&lt;b&gt;" in page
    one = certificate.classes[2]
    row = re.search(r"staff</span></th><td>(\d+)</td><td>(\d+)</td>", page)
    assert [int(row[1]), int(row[2])] == [one.n_labels, one.n_audited]
