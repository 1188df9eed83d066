import re

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse

import satc
from made import make
from satc.ranking.methods import METHODS


@pytest.fixture
def made():
    return make(seed=1)


def test_contributions_explain_the_utility(made):
    for method in ("baseline", "u-theoretic", "u-theoretic-dynamic"):
        ranking = satc.rank(made.scores, method=method, **made.training)
        for i in (0, 17, int(ranking.order[0])):
            parts = ranking.explain(i)
            assert sum(part.contribution for part in parts) == pytest.approx(ranking.utility[i])
            assert [p.contribution for p in parts] == sorted(
                (p.contribution for p in parts), reverse=True
            )
            for part in parts:
                assert part.decision == (made.scores[i, part.class_index] >= 0)
                assert part.contribution == part.error_probability * part.gain


def test_probabilities_agree_with_the_decisions(made):
    ranking = satc.rank(made.scores, **made.training, method="u-theoretic")
    np.testing.assert_array_equal(ranking.probability >= 0.5, made.scores >= 0)
    sigma = ranking.documents.model.sigma
    np.testing.assert_allclose(ranking.probability, 1 / (1 + np.exp(-sigma * made.scores)))


def test_oracle_two_knows_the_labels(made):
    ranking = satc.rank(made.scores, method="oracle2", y_true=made.y_true)
    np.testing.assert_array_equal(ranking.probability == 1, made.y_true)
    wrong = ((made.scores >= 0) != made.y_true).any(axis=1)
    assert wrong[ranking.order[: wrong.sum()]].all()


def test_random_has_nothing_to_explain_and_follows_its_seed(made):
    a = satc.rank(made.scores, method="random", random_state=1)
    b = satc.rank(made.scores, method="random", random_state=2)
    assert a.explain(0) == []
    assert a.order.tolist() != b.order.tolist()
    np.testing.assert_array_equal(a.probability == 1, made.scores >= 0)


def test_an_index_out_of_range_is_named(made):
    ranking = satc.rank(made.scores, **made.training)
    with pytest.raises(ValueError, match="i must be a document, 0 to 59, but is 60"):
        ranking.explain(60)


@pytest.mark.parametrize(
    "convert",
    [
        np.asarray,
        lambda a: a.tolist(),
        pd.DataFrame,
        lambda a: pl.DataFrame(a.astype(float)),
        np.asfortranarray,
    ],
)
def test_arrays_frames_and_lists_are_taken(made, convert):
    expected = satc.rank(made.scores, **made.training).order
    ranking = satc.rank(
        convert(made.scores), oof_scores=convert(made.oof_scores), y_train=convert(made.y_train)
    )
    np.testing.assert_array_equal(ranking.order, expected)


def test_sparse_labels_are_taken(made):
    expected = satc.rank(made.scores, **made.training).order
    y_train = sparse.csr_matrix(made.y_train.astype(int))
    ranking = satc.rank(made.scores, oof_scores=made.oof_scores, y_train=y_train)
    np.testing.assert_array_equal(ranking.order, expected)


def test_a_vector_stands_for_one_class(made):
    ranking = satc.rank(
        made.scores[:, 0], oof_scores=made.oof_scores[:, 0], y_train=made.y_train[:, 0]
    )
    assert ranking.probability.shape == (60, 1)


def test_one_document_is_ranked(made):
    assert satc.rank(made.scores[:1], **made.training).order.tolist() == [0]


BAD = {
    "scores must be finite, but scores[1, 2] is nan": ("scores", (1, 2), np.nan),
    "oof_scores must be finite, but oof_scores[0, 0] is inf": ("oof_scores", (0, 0), np.inf),
}


@pytest.mark.parametrize("message", BAD)
def test_scores_that_are_not_finite_are_named(made, message):
    name, place, value = BAD[message]
    getattr(made, name)[place] = value
    with pytest.raises(ValueError, match=re.escape(message)):
        satc.rank(made.scores, **made.training)


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        (
            {"y_train": np.full((300, 5), 2)},
            ValueError,
            r"y_train must hold 0 and 1 only, but y_train\[0, 0\] is 2",
        ),
        (
            {"y_train": np.full((300, 5), np.nan)},
            ValueError,
            "y_train must hold 0 and 1 only.*is nan",
        ),
        (
            {"y_train": np.zeros((300, 4))},
            ValueError,
            r"y_train must have the shape of oof_scores, \(300, 5\), but has \(300, 4\)",
        ),
        (
            {"oof_scores": np.zeros((300, 4))},
            ValueError,
            "oof_scores must have as many classes .* as scores, 5, but has 4",
        ),
        ({"oof_scores": None}, ValueError, "oof_scores must be given together with y_train"),
        ({"y_train": None}, ValueError, "y_train must be given together with oof_scores"),
        (
            {"oof_scores": None, "y_train": None, "method": "u-theoretic"},
            ValueError,
            "'u-theoretic' needs oof_scores and y_train",
        ),
        (
            {"method": "utility"},
            ValueError,
            "method must be one of 'contextual'.*'u-theoretic'.*but is 'utility'",
        ),
        ({"measure": "f-beta"}, ValueError, "measure must be one of"),
        (
            {"average": "weighted"},
            ValueError,
            "average must be one of 'macro', 'micro', but is 'weighted'",
        ),
        ({"sigma": -1.0}, ValueError, "sigma must be a positive number, but is -1.0"),
        ({"method": "oracle1"}, ValueError, "'oracle1' needs y_true"),
        (
            {"method": "oracle2", "y_true": np.zeros((3, 5))},
            ValueError,
            "y_true must have the shape of scores",
        ),
    ],
)
def test_bad_arguments_are_named(made, change, error, message):
    with pytest.raises(error, match=message):
        satc.rank(made.scores, **{**made.training, **change})


@pytest.mark.parametrize(
    ("scores", "error", "message"),
    [
        (np.zeros((0, 5)), ValueError, r"scores must hold at least one document.*\(0, 5\)"),
        (np.zeros((2, 2, 2)), ValueError, r"scores must have two dimensions.*\(2, 2, 2\)"),
        ([[1.0, 2.0], [3.0]], ValueError, "scores must be rectangular"),
        ([["a", "b"]], TypeError, "scores must hold numbers"),
        (np.zeros((2, 5), dtype=complex), TypeError, "scores must hold real numbers"),
        (3.0, ValueError, "scores must have two dimensions"),
    ],
)
def test_bad_scores_are_named(made, scores, error, message):
    with pytest.raises(error, match=message):
        satc.rank(scores, **made.training)


def test_every_method_has_its_row_in_the_table():
    assert {m for m in METHODS if METHODS[m].is_dynamic} == {
        "contextual-dynamic",
        "u-theoretic-dynamic",
        "oracle1-dynamic",
        "oracle2-dynamic",
    }
    assert {m for m in METHODS if METHODS[m].needs_truth} == {
        m for m in METHODS if m.startswith("oracle")
    }
