"""The protocol on a small generated dataset, with the real learners."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from satc.datasets.dataset import Dataset, Part, random_parts
from satc.experiments import scores as scores_module
from satc.experiments.protocol import evaluate
from satc.experiments.published import METHODS
from satc.experiments.report import as_html, as_json, as_markdown
from satc.experiments.scores import fingerprint, scores_of
from satc.experiments.tables import Missing, all_tables
from satc.learners.presets import LEARNERS

WORDS = ["wheat", "corn", "oil", "gold", "ship", "bank", "rate", "trade", "tax", "sugar"]


def part(n, seed):
    rng = np.random.default_rng(seed)
    labels = rng.random((n, 3)) < 0.3
    texts = []
    for row in labels:
        words = list(rng.choice(WORDS, 6))
        words += [WORDS[j] for j in np.flatnonzero(row) if rng.random() < 0.8] * 3
        texts.append(" ".join(words))
    ids = tuple(f"{seed}-{i}" for i in range(n))
    return Part(ids, tuple(texts), labels, ("a", "b", "c"))


def small(name="reuters21578", n_parts=1):
    test = part(80, 1)
    tests = (test,) if n_parts == 1 else random_parts(test, n_parts, 0)
    return Dataset(name, ("a", "b", "c"), part(150, 0), test, tests, "none", "made")


@pytest.fixture
def outcome(tmp_path):
    dataset = small()
    return evaluate(dataset, "svm", scores_of(dataset, LEARNERS["svm"], tmp_path, n_jobs=1))


def test_scores_are_those_of_the_estimation_module(tmp_path):
    from satc.estimation.out_of_fold import out_of_fold_scores
    from satc.estimation.scorer import fit_scorer
    from satc.learners.text import tfidf_vectorizer

    dataset, learner = small(), LEARNERS["svm"]
    scores = scores_of(dataset, learner, tmp_path, n_jobs=1)
    from sklearn.pipeline import make_pipeline

    from satc.learners import svm

    whole = make_pipeline(tfidf_vectorizer(), svm())
    expected = fit_scorer(whole, dataset.train.texts, dataset.train.labels)
    np.testing.assert_allclose(scores.test, expected.scores(dataset.test.texts), atol=1e-9)
    oof = out_of_fold_scores(whole, dataset.train.texts, dataset.train.labels, cv=10)
    np.testing.assert_allclose(scores.oof, oof, atol=1e-9)


def test_a_second_run_trains_nothing_and_an_interrupted_one_goes_on(tmp_path, monkeypatch):
    dataset, learner = small(), LEARNERS["svm"]
    first = scores_of(dataset, learner, tmp_path, n_jobs=1)
    trained = []
    real = scores_module._step
    monkeypatch.setattr(
        scores_module, "_step", lambda step, *rest: trained.append(step) or real(step, *rest)
    )
    second = scores_of(dataset, learner, tmp_path, n_jobs=1)
    assert trained == []
    np.testing.assert_array_equal(first.oof, second.oof)
    next(tmp_path.glob("*fold3.npy")).unlink()
    again = scores_of(dataset, learner, tmp_path, n_jobs=1)
    assert trained == [4]
    np.testing.assert_array_equal(first.oof, again.oof)


def test_what_the_scores_depend_on_names_them():
    svm, mpboost = LEARNERS["svm"], LEARNERS["mpboost"]
    assert fingerprint(small(), svm) == fingerprint(small("reuters21578/10", 4), svm)
    assert fingerprint(small(), svm) != fingerprint(small(), mpboost)


@pytest.mark.slow
def test_another_process_finds_the_scores_of_this_one():
    code = (
        "import sys; sys.path.insert(0, sys.argv[1]); from test_protocol import *;"
        "print(*(fingerprint(small(), learner) for learner in LEARNERS.values()))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(Path(__file__).parent)],
        capture_output=True,
        text=True,
        check=True,
    )
    ours = [fingerprint(small(), learner) for learner in LEARNERS.values()]
    assert done.stdout.split() == ours


def test_every_method_is_run_for_both_averages(outcome):
    for average in ("macro", "micro"):
        assert set(outcome.ener[average]) == {*METHODS, "random"}
        assert 0 < outcome.error[average] < 1
        ener = outcome.ener[average]
        assert ener["oracle2"][1] >= ener["u-theoretic"][1] > ener["random"][1]
    assert len(outcome.significant) == 21
    assert outcome.curves["oracle2"][0] == 0
    assert outcome.curves["oracle2"][-1] == 1


def test_several_test_sets_are_averaged(tmp_path):
    dataset = small("reuters21578/10", n_parts=4)
    several = evaluate(dataset, "svm", scores_of(dataset, LEARNERS["svm"], tmp_path, n_jobs=1))
    assert several.n_tests == 4
    assert several.n_test == 20
    assert 0 < several.error["macro"] < 1


def test_tables_have_ours_the_paper_s_and_the_reason_for_what_is_missing(outcome):
    tables = all_tables([outcome], [Missing("ohsumed", "its files are not here")])
    markdown = as_markdown(tables)
    ours = f"{outcome.ener['macro']['u-theoretic'][1]:.3f}"
    assert f"| {ours} | 0.531 |" in markdown
    assert "ohsumed: its files are not here" in markdown
    assert "| ohsumed | SVMs | U-Theoretic(s) |  | 0.623 |" in markdown
    page = as_html(tables, {"a < b": "<svg></svg>"})
    assert "a &lt; b" in page
    assert ours in page
    assert '"missing"' in as_json([outcome], [])
