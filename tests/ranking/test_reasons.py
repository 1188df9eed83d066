"""Who says what about a document, and which labelled documents are most similar to it."""

import numpy as np
import pytest
from scipy import sparse

import satc
from satc.ranking.cold_start import SECOND_OPINION, re_estimated
from satc.ranking.preparation import prepare
from satc.ranking.ranking import ranked
from satc.ranking.reasons.opinions import Said
from satc.ranking.reasons.similar import similar_to

NAMES = ["grain", "oil", "wheat", "ship"]
N_TRAIN = 300


@pytest.fixture(scope="module")
def made():
    """Scores, a good opinion, labels and features of 300 training documents and 60 others."""
    rng = np.random.default_rng(4)
    labels = rng.random((N_TRAIN + 60, 4)) < 0.35
    scores, opinion = (2.0 * labels - 1.0 + rng.normal(0, 1.0, labels.shape) for _ in range(2))
    features = labels @ rng.random((4, 12)) + rng.random((len(labels), 12)) * 0.3
    return scores, opinion, labels, features


def ranked_with(made, opinion, task="multi-label", **more):
    scores, _, labels, _ = made
    return satc.rank(
        scores[N_TRAIN:],
        oof_scores=scores[:N_TRAIN],
        y_train=labels[:N_TRAIN],
        opinions={"embeddings": (opinion[N_TRAIN:], opinion[:N_TRAIN])},
        task=task,
        decide="measure",
        **more,
    )


def slow_cosines(row, others):
    """One cosine after the other, in double precision."""
    found = []
    for other in others:
        product = sum(float(a) * float(b) for a, b in zip(row, other, strict=True))
        lengths = [sum(float(a) ** 2 for a in one) ** 0.5 for one in (row, other)]
        found.append(product / (lengths[0] * lengths[1]) if all(lengths) else 0.0)
    return np.array(found)


def test_the_classifier_s_own_labels_and_those_of_opinions_are_told(made):
    scores, opinion, _, _ = made
    ranking = ranked_with(made, opinion)
    differ = 0
    for i in range(60):
        said = ranking.opinions(i)
        assert said.classifier == tuple(np.flatnonzero(scores[N_TRAIN + i] >= 0))
        context = {c.class_index: c.context.opinions["embeddings"] for c in ranking.explain(i)}
        yes = tuple(j for j in range(4) if context[j] > 0)
        assert said.opinions == {"embeddings": yes}
        assert bool(said.sentence(NAMES)) == (yes != said.classifier)
        differ += yes != said.classifier
    assert 5 < differ < 60


def test_an_opinion_that_does_not_know_a_document_says_nothing_about_it(made):
    opinion = made[1].copy()
    opinion[N_TRAIN + 7] = np.nan
    ranking = ranked_with(made, opinion)
    assert ranking.opinions(7).opinions == {}
    assert ranking.opinions(7).sentence(NAMES) == ""
    assert list(ranking.opinions(8).opinions) == ["embeddings"]


def test_an_untrained_opinion_is_told_where_it_knows_the_document(made):
    scores, _, labels, _ = made
    told = np.where(labels[N_TRAIN:], 1.0, -1.0)
    told[3] = np.nan
    training = {"oof_scores": scores[:N_TRAIN], "y_train": labels[:N_TRAIN]}
    ranking = satc.rank(scores[N_TRAIN:], opinions={"llm": told}, **training)
    assert ranking.opinions(3).opinions == {}
    for i in (0, 10, 20):
        assert ranking.opinions(i).opinions == {"llm": tuple(np.flatnonzero(labels[N_TRAIN + i]))}


def test_in_a_single_label_task_an_opinion_says_the_class_with_the_largest_number():
    rng = np.random.default_rng(5)
    labels = np.eye(4, dtype=bool)[rng.integers(0, 4, N_TRAIN + 60)]
    scores, opinion = (2.0 * labels + rng.normal(0, 1.0, labels.shape) for _ in range(2))
    ranking = ranked_with((scores, opinion, labels, None), opinion, "single-label")
    seen = set()
    for i in range(60):
        said = ranking.opinions(i)
        assert said.classifier == (int(scores[N_TRAIN + i].argmax()),)
        numbers = {c.class_index: c.context.opinions["embeddings"] for c in ranking.explain(i)}
        best = max(numbers, key=numbers.get)
        assert said.opinions == {"embeddings": (best,)}
        own = said.classifier[0]
        sentence = f"The classifier says “{NAMES[own]}”; the opinion “embeddings” says "
        sentence += f"“{NAMES[best]}”."
        assert said.sentence(NAMES) == ("" if own == best else sentence)
        seen.add(own == best)
    assert seen == {True, False}


@pytest.mark.parametrize(
    ("opinions", "sentence"),
    [
        ({}, ""),
        ({"llm": (0, 1)}, ""),
        ({"llm": (0, 1, 2)}, "Unlike the classifier, the opinion “llm” says “wheat”."),
        ({"llm": (1,)}, "Unlike the classifier, the opinion “llm” does not say “grain”."),
        (
            {"llm": (1, 2), "<b>": (1, 2)},
            "Unlike the classifier, the opinions “llm” and “<b>” say “wheat”, but not “grain”.",
        ),
        (
            {"a": (0,), "b": (0,)},
            "Unlike the classifier, the opinions “a” and “b” do not say “oil”.",
        ),
        (
            {"llm": (0, 1, 3), "words": (0,)},
            "Unlike the classifier, the opinion “llm” says “ship”. "
            "Unlike the classifier, the opinion “words” does not say “oil”.",
        ),
        (
            {SECOND_OPINION: (0,), "llm": (0,)},
            "Unlike the classifier, a second classifier, trained on the predicted labels of the "
            "other documents, does not say “oil”. "
            "Unlike the classifier, the opinion “llm” does not say “oil”.",
        ),
    ],
)
def test_the_sentence_names_the_labels_in_which_opinions_differ(opinions, sentence):
    assert Said("multi-label", (0, 1), opinions).sentence(NAMES) == sentence


def test_only_the_wanted_classes_count_in_a_multi_label_task():
    said = Said("multi-label", (0, 1), {"llm": (2,)})
    assert said.sentence(NAMES, [2]) == "Unlike the classifier, the opinion “llm” says “wheat”."
    assert said.sentence(NAMES, []) == ""


def test_single_label_opinions_that_agree_with_each_other_share_a_clause():
    said = Said("single-label", (0,), {"a": (1,), "b": (0,), "c": (2,), "d": (1,)})
    assert said.sentence(NAMES) == (
        "The classifier says “grain”; the opinions “a” and “d” say “oil”; "
        "the opinion “c” says “wheat”."
    )


def test_the_most_similar_training_documents_are_those_of_the_largest_cosines(made):
    _, opinion, labels, features = made
    given = {"features": features[N_TRAIN:], "train_features": features[:N_TRAIN]}
    ranking = ranked_with(made, opinion, **given)
    for i in (0, 17, -1):
        expected = slow_cosines(features[N_TRAIN:][i], features[:N_TRAIN])
        order = np.argsort(-expected)[:5]
        found = ranking.similar(i, 5)
        assert [one.row for one in found] == order.tolist()
        np.testing.assert_allclose([one.similarity for one in found], expected[order], rtol=1e-5)
        assert [one.labels for one in found] == [tuple(np.flatnonzero(labels[k])) for k in order]
        assert all(one.is_training for one in found)
    assert ranking.similar(0) == ranking.similar(0, 20)[:3]
    assert len(ranking.similar(0, 99)) == 20


def test_sparse_features_are_compared_as_they_vote(made):
    """The weights are raised to the power that was learnt; documents without a word have none."""
    scores, _, labels, _ = made
    rng = np.random.default_rng(6)
    weights = (rng.random((len(labels), 40)) < 0.15) * rng.random((1, 40)) * 9
    weights[N_TRAIN] = 0.0
    words = sparse.csr_array(weights)
    ranking = satc.rank(
        scores[N_TRAIN:],
        training=satc.Training(scores[:N_TRAIN], labels[:N_TRAIN], words[:N_TRAIN]),
        features=words[N_TRAIN:],
    )
    power = ranking.documents.model.calibrator.similar_.power
    dense = np.where(weights > 0, weights**power, 0.0)
    expected = slow_cosines(dense[N_TRAIN + 1], dense[:N_TRAIN])
    found = ranking.similar(1)
    np.testing.assert_allclose(
        [one.similarity for one in found], np.sort(expected)[::-1][:3], rtol=1e-4
    )
    np.testing.assert_allclose(
        [expected[one.row] for one in found], [one.similarity for one in found], rtol=1e-4
    )
    assert ranking.similar(0) == []


def test_without_features_or_context_no_document_is_similar(made):
    scores, opinion, labels, _ = made
    assert ranked_with(made, opinion).similar(0) == []
    paper = satc.rank(
        scores[N_TRAIN:],
        oof_scores=scores[:N_TRAIN],
        y_train=labels[:N_TRAIN],
        method="u-theoretic",
        sigma=1.0,
    )
    assert paper.similar(0) == []
    assert paper.opinions(0).opinions == {}


def test_n_and_i_are_checked(made):
    ranking = ranked_with(made, made[1])
    with pytest.raises(ValueError, match="n must be at least 1, but is 0"):
        ranking.similar(0, 0)
    with pytest.raises(ValueError, match="i must be a document, 0 to 59, but is 60"):
        ranking.similar(60)
    with pytest.raises(ValueError, match="i must be a document"):
        ranking.opinions(-61)


def test_in_a_cold_start_the_similar_documents_are_decided_ones_and_never_the_document_itself(made):
    scores, _, labels, features = made
    documents = prepare(scores, features=features)
    assert similar_to(documents, 5) == []
    decided = np.random.default_rng(7).permutation(len(scores))[:100]
    known = re_estimated(documents, [(int(i), labels[i]) for i in decided])
    for i in (int(decided[0]), int(decided[50])):
        expected = slow_cosines(features[i], features)
        others = sorted((k for k in decided.tolist() if k != i), key=lambda k: -expected[k])[:3]
        found = similar_to(known, i)
        assert [one.row for one in found] == others
        assert [one.labels for one in found] == [tuple(np.flatnonzero(labels[k])) for k in others]
        assert not any(one.is_training for one in found)


def test_a_cold_start_tells_its_second_opinion(made):
    _, _, labels, features = made
    predicted = np.where(labels ^ (np.random.default_rng(8).random(labels.shape) < 0.1), 1.0, -1.0)
    ranking = ranked(prepare(predicted, features=features))
    second = ranking.documents.features.opinions[SECOND_OPINION]
    for i in range(20):
        said = ranking.opinions(i)
        assert said.opinions == {SECOND_OPINION: tuple(np.flatnonzero(second[i] > 0))}


def test_a_validation_tells_the_same_as_the_ranking(made):
    scores, opinion, labels, features = made
    options = {
        "training": satc.Training(scores[:N_TRAIN], labels[:N_TRAIN], features[:N_TRAIN]),
        "features": features[N_TRAIN:],
        "opinions": {"embeddings": (opinion[N_TRAIN:], opinion[:N_TRAIN])},
    }
    ranking = satc.rank(scores[N_TRAIN:], **options)
    validation = satc.Validation(scores[N_TRAIN:], **options)
    assert validation.opinions(9) == ranking.opinions(9)
    assert validation.similar(9) == ranking.similar(9)
