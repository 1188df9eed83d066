import numpy as np
import pytest

from satc.assurance.certificate.certificate import certify
from satc.assurance.certificate.planning import documents_for_bound


def certificate_of(n=3_000, n_audited=100, errors=0, **options):
    """An audit of documents with one label each, of which some are wrong."""
    predicted = np.ones((n, 1), dtype=bool)
    every = n_audited // errors if errors else n_audited + 1
    decisions = [(i, [] if i % every == 0 and errors else [0], True) for i in range(n_audited)]
    return certify(predicted, decisions, cap=1, **options)


def test_a_bound_that_is_reached_needs_no_more_documents():
    certificate = certificate_of()
    assert documents_for_bound(certificate, "precision", certificate.low("precision")) == 0


def test_as_many_documents_as_planned_give_the_bound():
    certificate = certificate_of(n_audited=40)
    n_more = documents_for_bound(certificate, "precision", 0.95)
    assert certificate_of(n_audited=40 + n_more).low("precision") >= 0.95
    assert certificate_of(n_audited=40 + int(0.9 * n_more)).low("precision") < 0.95


def test_more_errors_and_higher_targets_need_more_documents():
    few, many = (certificate_of(errors=errors) for errors in (2, 5))
    needed = [documents_for_bound(one, "precision", 0.9) for one in (few, many)]
    assert needed[0] < needed[1]
    assert documents_for_bound(few, "precision", 0.93) > needed[0]


def test_a_bound_of_single_labels_is_planned():
    predicted = np.eye(2, dtype=bool)[[0, 1] * 1_000]
    certificate = certify(predicted, [(i, [i % 2], True) for i in range(30)], single_label=True)
    assert documents_for_bound(certificate, "accuracy", 0.95) > 10


def test_a_target_that_is_no_share_is_refused():
    with pytest.raises(ValueError, match="target must be above 0 and at most 1, but is 90"):
        documents_for_bound(certificate_of(), "precision", 90)
