"""`compare`: figures of several orders, with paired intervals."""

import json

import numpy as np
import pytest

import satc
from made import make
from satc.experiments.comparison.bootstrap import Evaluation
from satc.experiments.comparison.comparison import compare
from satc.experiments.comparison.contenders import (
    Case,
    Contender,
    KnownSet,
    SeedRun,
    all_cases,
    run_all,
    run_methods,
)
from satc.experiments.comparison.figures import Figures
from satc.experiments.comparison.page import as_html
from satc.experiments.comparison.rows import (
    difference_text,
    interval_text,
    kind_of,
    main_figure,
    sorted_cases,
    text_rows,
)
from satc.measures import parse
from satc.ranking.methods import METHODS

OURS, ENTROPY = Case("contextual", "measure"), Case("entropy", "sign")
RANDOM, ORACLE = Case("random", "sign"), Case("oracle2", "sign")


@pytest.fixture(scope="module")
def made():
    return make(n=150, m=6, n_train=400, seed=2)


@pytest.fixture(scope="module")
def given(made):
    return KnownSet(made.scores, made.y_true, made.training)


@pytest.fixture(scope="module")
def runs(given):
    return run_all([given], [OURS, ENTROPY, ORACLE, RANDOM])


@pytest.fixture(scope="module")
def found(runs):
    return compare(runs, n_resamples=60)


def test_figures_are_those_of_the_simulation(made, found):
    for case in (OURS, ENTROPY, ORACLE):
        sim = satc.simulate(
            made.scores, made.y_true, **made.training, method=case.method, decide=case.decide
        )
        row = {name: figure.value for name, figure in found.table[case].items()}
        assert row["start"] == pytest.approx(sim.value[0])
        assert row["until 0.9"] == sim.documents_for(0.9)
        assert row["ENER(0.1)"] == pytest.approx(sim.ener(0.1))
        removed = np.flatnonzero(sim.error_reduction >= 0.9 - 1e-12)[0]
        assert row["until 90% removed"] == removed
        np.testing.assert_allclose(found.curves[case], sim.value, atol=1e-12)


def test_methods_share_one_fit_and_one_sigma(made, given, monkeypatch):
    from satc.experiments.comparison import shared_fit
    from satc.ranking import preparation

    calls = []

    def counting(function):
        return lambda *arguments: calls.append(function) or function(*arguments)

    monkeypatch.setattr(shared_fit, "calibrated", counting(shared_fit.calibrated))
    monkeypatch.setattr(preparation, "calibrate_sigma", counting(preparation.calibrate_sigma))
    cases = [Case(m, d) for m in ("contextual", "entropy", "baseline") for d in ("measure", "sign")]
    assert len(list(run_methods(given, cases))) == 6
    assert len(calls) == 2


def test_the_reference_does_not_differ_from_itself(found):
    for figure in found.table[OURS].values():
        assert figure.difference == figure.difference_low == figure.difference_high == 0
        assert not figure.is_clear


def test_an_oracle_is_clearly_ahead_of_a_random_order(runs):
    (run,) = runs
    turned = [SeedRun(run.given, [run.contenders[3], run.contenders[2]])]
    figure = compare(turned, n_resamples=60).table[ORACLE]["until 0.9"]
    assert figure.difference_low <= figure.difference <= figure.difference_high < 0
    assert figure.is_clear


def test_the_same_labels_and_order_have_no_interval(given):
    labels, order = given.own_labels, np.arange(len(given.y_true))
    same = [Contender(Case(name, "sign"), labels, order) for name in ("one", "two")]
    figures = compare([SeedRun(given, same)], n_resamples=30).table[Case("two", "sign")]
    assert all(one.difference_low == one.difference_high == 0 for one in figures.values())
    assert figures["until 0.9"].low < figures["until 0.9"].high


def test_intervals_cover_the_figure_of_many_documents():
    """Draws of 150 of 3,000 documents: the 95% intervals hold the start of all in most draws."""
    whole, rng = make(n=3000, m=4, seed=5), np.random.default_rng(0)
    labels = whole.scores >= 0
    run = SeedRun(
        KnownSet(whole.scores, whole.y_true, {}), [Contender(ENTROPY, labels, np.arange(3000))]
    )
    everything = Evaluation(run, Figures(), parse("f1"), "macro", 0).on_all()[0, 0]
    held = 0
    for _ in range(40):
        rows = rng.choice(3000, 150, replace=False)
        part = KnownSet(whole.scores[rows], whole.y_true[rows], {})
        one = Contender(ENTROPY, labels[rows], np.arange(150))
        figure = compare([SeedRun(part, [one])], n_resamples=100).table[ENTROPY]["start"]
        held += figure.low <= everything <= figure.high
    assert held >= 32


def test_seeds_are_averaged(given):
    labels = given.own_labels
    orders = [np.arange(150), np.arange(150)[::-1]]
    runs = [SeedRun(given, [Contender(ENTROPY, labels, order)]) for order in orders]
    both = compare(runs, n_resamples=20).table[ENTROPY]["until 0.9"].value
    each = [compare([run], n_resamples=20).table[ENTROPY]["until 0.9"].value for run in runs]
    assert both == np.mean(each)


def test_runs_with_other_contenders_are_refused(given):
    one = Contender(ENTROPY, given.own_labels, np.arange(150))
    other = Contender(OURS, given.own_labels, np.arange(150))
    with pytest.raises(ValueError, match="runs must have the same contenders"):
        compare([SeedRun(given, [one]), SeedRun(given, [other])])


def test_a_target_that_is_not_reached_is_none(runs):
    found = compare(runs, figures=Figures(targets=(1.5,)), n_resamples=20)
    row = found.as_dict()["rows"][0]
    assert row["until 1.5"]["value"] is None
    assert text_rows(found)[0]["until 1.5"] == "-"
    json.dumps(found.as_dict(), allow_nan=False)


def test_all_methods_are_compared_by_default():
    cases = all_cases("multi-label")
    assert cases[0] == OURS
    assert {case.method for case in cases} == set(METHODS)
    assert Case("cardinality-inconsistency", "sign") not in all_cases("single-label")


def test_rows_are_sorted_by_documents_until_the_target_and_the_reference_is_first(found):
    assert main_figure(found) == "until 0.9"
    cases = sorted_cases(found, "until 0.9")
    assert cases[:2] == [OURS, ORACLE]
    assert cases[-1] == RANDOM
    assert [kind_of(case) for case in cases[:2]] == ["satc", "oracle"]


def test_the_page_has_the_interval_of_every_figure_and_of_every_difference(found):
    page = as_html(found, "macro-F1", {})
    for case in found.cases:
        for name, figure in found.table[case].items():
            shown = interval_text(name, figure)
            assert f"<td>{shown.replace(' (', chr(10) + '(', 1)}</td>" in page
            if case != found.reference:
                shown = difference_text(name, figure)
                assert f"<td>{shown.replace(' (', chr(10) + '(', 1)}</td>" in page


def test_the_page_has_all_orders_and_their_differences(found):
    page = as_html(found, "macro-F1", {"data": "a <made-up> set"})
    for case in found.cases:
        assert str(case) in page
    assert "a &lt;made-up&gt; set" in page
    assert "documents checked until macro-F1 is 0.9" in page
