"""The contextual methods in `rank`, `simulate` and `Validation`."""

import numpy as np
import pytest
from scipy import sparse

import satc
from made import make
from satc.errors import CalibrationWarning
from satc.measures import F1


def companions(n, seed):
    """Generate documents with one topic; a second label goes with topic 0; scores are noisy."""
    rng = np.random.default_rng(seed)
    topic = rng.integers(0, 6, n)
    labels = np.zeros((n, 7), dtype=bool)
    labels[np.arange(n), topic] = True
    labels[:, 6] = (topic == 0) & (rng.random(n) < 0.9)
    scores = np.where(labels, 0.3, -1.0) + rng.normal(0, 0.6, labels.shape)
    features = np.eye(6)[topic] + rng.normal(0, 0.2, (n, 6))
    return scores, labels, features


@pytest.fixture(scope="module")
def parts():
    return companions(600, 0), companions(400, 1)


def ener(parts, method, with_features=False, **options):
    (oof, y_train, train_features), (scores, y_true, features) = parts
    if with_features:
        options |= {"features": features, "train_features": train_features}
    return satc.simulate(
        scores, y_true, oof_scores=oof, y_train=y_train, method=method, **options
    ).ener(0.10)


@pytest.mark.parametrize("average", ["macro", "micro"])
def test_context_and_neighbours_each_help(parts, average):
    plain = ener(parts, "u-theoretic", average=average)
    context = ener(parts, "contextual", average=average)
    neighbours = ener(parts, "contextual", with_features=True, average=average)
    assert plain < context < neighbours


def test_the_dynamic_version_keeps_level_with_the_static_one(parts):
    assert ener(parts, "contextual-dynamic") == pytest.approx(ener(parts, "contextual"), abs=0.02)


def test_features_may_be_sparse(parts):
    (oof, y_train, train_features), (scores, _, features) = parts
    dense, thin = (
        satc.rank(
            scores,
            oof_scores=oof,
            y_train=y_train,
            method="contextual",
            features=convert(features),
            train_features=convert(train_features),
        )
        for convert in (np.asarray, sparse.csr_matrix)
    )
    np.testing.assert_allclose(dense.probability, thin.probability, atol=0.01)


def test_probabilities_are_the_calibrator_s(parts):
    (oof, y_train, _), (scores, _, _) = parts
    ranking = satc.rank(scores, oof_scores=oof, y_train=y_train, method="contextual")
    expected = ranking.documents.model.calibrator.probabilities(scores)
    np.testing.assert_allclose(ranking.probability, expected)
    parts = ranking.explain(int(ranking.order[0]))
    assert sum(p.contribution for p in parts) == pytest.approx(ranking.utility[ranking.order[0]])


@pytest.mark.parametrize("with_features", [False, True])
def test_an_explanation_says_what_moved_the_probability(parts, with_features):
    (oof, y_train, train_features), (scores, _, features) = parts
    options = {"features": features, "train_features": train_features} if with_features else {}
    ranking = satc.rank(scores, oof_scores=oof, y_train=y_train, **options)
    i = int(ranking.order[0])
    for part in ranking.explain(i):
        assert part.context.class_index == part.class_index
        assert part.context.after == pytest.approx(ranking.probability[i, part.class_index])
        assert 0 < part.context.before < 1
        assert ("neighbour votes" in part.context.moved_by) == with_features
        if part.context.screened:
            assert set(part.context.moved_by.values()) == {0.0}
    assert any(abs(move) > 0.01 for p in ranking.explain(i) for move in p.context.moved_by.values())


def test_too_few_training_documents_are_the_first_decisions_of_a_cold_start():
    made = make(n_train=49)
    with pytest.warns(CalibrationWarning, match="at least 50 documents.*start from a prior"):
        ranking = satc.rank(made.scores, **made.training, method="contextual")
    assert ranking.documents.model.is_cold
    assert ranking.documents.model.standing.n_decisions == 49
    cold = satc.rank(made.scores, method="contextual")
    assert not np.array_equal(ranking.order, cold.order)


def test_features_come_in_pairs(parts):
    (oof, y_train, train_features), (scores, _, features) = parts
    options = {"oof_scores": oof, "y_train": y_train, "method": "contextual"}
    with pytest.raises(ValueError, match="train_features must be given together with features"):
        satc.rank(scores, **options, features=features)
    with pytest.raises(ValueError, match="features must be given together with train_features"):
        satc.rank(scores, **options, train_features=train_features)


def test_a_classifier_passes_its_own_features():
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline

    rng = np.random.default_rng(0)
    words = ["wine", "beer", "good", "bad", "red", "dark"]
    Y = rng.random((120, 3)) < 0.4
    texts = [" ".join([*rng.choice(words, 3), *np.array(words[:3])[row]]) for row in Y]
    clf = satc.SemiAutomatedClassifier(
        make_pipeline(TfidfVectorizer(), LogisticRegression()), cv=3, method="contextual"
    ).fit(texts, Y)
    assert clf.train_features_.shape == (120, 6)
    assert clf.rank(texts[:20]).documents.model.calibrator.similar_ is not None


def plain_dynamic_order(signed, y_true, measure, average):
    """Recompute everything from the documents validated so far, in Python."""
    n, m = signed.shape
    decided = signed > 0
    p_error = np.abs(signed)
    positive = np.where(decided, 1 - p_error, p_error)

    def tables(validated):
        cells = np.zeros((4, m))
        for i in range(n):
            for j in range(m):
                p = float(y_true[i, j]) if i in validated else positive[i, j]
                if i in validated:  # corrected by now, so neither FP nor FN
                    cells[0 if y_true[i, j] else 3, j] += 1
                elif decided[i, j]:
                    cells[:2, j] += p, 1 - p
                else:
                    cells[2:, j] += p, 1 - p
        return cells

    start = tables(set())
    prior = 0.5 + 0.3 * start[1:3]

    def gains(validated):
        found, expected = np.zeros((2, m)), np.zeros((2, m))
        for i in validated:
            for j in range(m):
                kind = 0 if decided[i, j] else 1
                found[kind, j] += decided[i, j] != y_true[i, j]
                expected[kind, j] += p_error[i, j]
        rate = (found + prior) / (expected + prior)
        tp, fp, fn, tn = tables(validated)
        fp, fn = fp * rate[0], fn * rate[1]
        if average == "micro":
            tp, fp, fn, tn = (np.full(1, cell.sum()) for cell in (tp, fp, fn, tn))
            rate = np.ones((2, 1))
        fp, fn = fp + 0.1, fn + 0.1
        now = measure(tp, fp, fn, tn)
        of_fp = (measure(tp, 0 * fp, fn, tn + fp) - now) / fp
        of_fn = (measure(tp + fn, fp, 0 * fn, tn) - now) / fn
        return np.broadcast_to(np.array([of_fp, of_fn]) * rate, (2, m))

    order, validated, known = [], set(), gains(set())
    while len(order) < n:
        utility = [
            sum(p_error[i, j] * known[0 if decided[i, j] else 1, j] for j in range(m))
            for i in range(n)
        ]
        best = max((i for i in range(n) if i not in validated), key=lambda i: utility[i])
        order.append(best)
        validated.add(best)
        if (decided[best] != y_true[best]).any():
            new = gains(validated)
            moved = (np.abs(new - known) > 0.01 * np.abs(known)).any(axis=0)
            known = np.where(moved, new, known)
    return order


@pytest.mark.parametrize("average", ["macro", "micro"])
def test_the_dynamic_order_is_that_of_the_plain_version(parts, average):
    (oof, y_train, _), (scores, y_true, _) = parts
    scores, y_true = scores[:60], y_true[:60]
    sim = satc.simulate(
        scores,
        y_true,
        oof_scores=oof,
        y_train=y_train,
        method="contextual-dynamic",
        average=average,
    )
    signed = sim.documents.misclassification.signed
    assert sim.order.tolist() == plain_dynamic_order(signed, y_true, F1, average)
