import json
import re
from pathlib import Path

import numpy as np
import pytest

from satc.assurance import certificate_html, certificate_json, certify, log_hash, recomputed


@pytest.fixture
def certificate():
    predicted = np.random.default_rng(0).random((60, 3)) < 0.4
    log = [(i, np.flatnonzero(predicted[i]).tolist(), i > 9) for i in range(40)]
    return certify(predicted, log, cap=2, repeats=[0, 1, 0])


def test_anyone_can_recompute_it(certificate):
    again = recomputed(certificate_json(certificate))
    assert again.bounds == certificate.bounds
    assert again.human_errors == certificate.human_errors
    assert log_hash(again.inputs.decisions) == log_hash(certificate.inputs.decisions)


def test_a_changed_log_is_noticed(certificate):
    held = json.loads(certificate_json(certificate))
    held["inputs"]["decisions"][3][1] = []
    with pytest.raises(ValueError, match="log_sha256 must be the hash of the decisions"):
        recomputed(json.dumps(held))


def test_the_page_says_what_it_rests_on_and_loads_nothing(certificate):
    page = certificate_html(certificate, {"data set": "reuters"})
    assert "no unread document lacks more than 2 labels" in page
    assert log_hash(certificate.inputs.decisions) in page
    assert "reuters" in page
    assert not re.search(r"https?:|<script|src=|href=", page)


def test_values_are_escaped(certificate):
    page = certificate_html(certificate, {"<b>name": '<script>alert("x")</script>'})
    assert "<script>" not in page
    assert "&lt;b&gt;name" in page


def test_bounds_are_rounded_down(certificate):
    page = certificate_html(certificate)
    for bound in certificate.bounds:
        printed = re.search(rf"<b>at least ([\d.]+)</b> {bound.measure}<", page)
        assert 0 <= bound.low - float(printed[1]) < 0.001


def test_bounds_of_0_are_explained():
    predicted = np.ones((200, 3), dtype=bool)
    audit = [(i, [0, 1, 2], True) for i in range(100)]
    assert "Bounds of 0 say nothing yet" not in certificate_html(certify(predicted, audit, cap=2))
    few = certify(predicted, [(0, [], True)], cap=2)
    assert "Bounds of 0 say nothing yet" in certificate_html(few)


def test_a_certificate_in_format_1_still_says_what_follows_from_its_log():
    text = (Path(__file__).parent / "certificates" / "format_1.json").read_text()
    held, again = json.loads(text), recomputed(text)
    assert held["format"] == 1
    assert {bound.measure: bound.low for bound in again.bounds} == pytest.approx(
        held["bounds"], abs=1e-12
    )
    assert again.human_errors == pytest.approx(held["human_errors"], abs=1e-12)
    present = certify(
        again.inputs.predicted,
        again.inputs.decisions,
        cap=held["cap"],
        confidence=held["confidence"],
        repeats=again.inputs.repeats,
        aim=held["aim"],
    )
    assert present.bounds != again.bounds
