"""Predictions of every kind become scores that make the same decisions."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from satc.errors import CalibrationWarning
from satc.inputs import look_like_probabilities, warn_of_probabilities
from satc.predictions import (
    WORDS,
    classes_of,
    from_confidences,
    from_labels,
    from_logits,
    from_probabilities,
    from_votes,
)
from satc.predictions.probabilities import fill_unnamed

SINGLE = {"task": "single-label"}


def matrices(low, high):
    shape = arrays.array_shapes(min_dims=2, max_dims=2, min_side=2, max_side=5)
    return arrays.arrays(np.float64, shape, elements=st.floats(low, high))


@given(matrices(0.0, 1.0), st.floats(0.01, 0.99))
def test_a_probability_that_reaches_the_threshold_is_a_label(p, threshold):
    scores = from_probabilities(p, threshold=threshold)
    assert np.isfinite(scores).all()
    assert ((scores >= 0) == (p >= threshold)).all()


@given(matrices(0.01, 1.0))
def test_the_most_probable_class_has_the_largest_score(p):
    p = p / p.sum(axis=1, keepdims=True)
    scores = from_probabilities(p, **SINGLE)
    assert (scores.argmax(axis=1) == p.argmax(axis=1)).all()
    np.testing.assert_allclose(np.exp(scores), p, rtol=1e-6)


def test_probabilities_and_their_logits_give_the_same_scores():
    p = np.array([[0.1, 0.7], [0.5, 0.99]])
    logits = np.log(p / (1 - p))
    for threshold in (0.5, 0.2, [0.3, 0.9]):
        given_p = from_probabilities(p, threshold=threshold)
        np.testing.assert_allclose(given_p, from_logits(logits, threshold=threshold), atol=1e-12)
    np.testing.assert_array_equal(from_logits(logits, **SINGLE), logits)


def test_float32_probabilities_of_1_stay_finite():
    assert np.isfinite(from_probabilities(np.array([[1.0, 0.0]], dtype=np.float32))).all()


def test_a_softmax_must_sum_to_one():
    with pytest.raises(ValueError, match=r"but row 1 sums to 1\.3"):
        from_probabilities([[0.5, 0.5], [0.8, 0.5]], **SINGLE)


@pytest.mark.parametrize("p", [[[0.5, 80.0]], [[-0.1, 0.5]]])
def test_probabilities_are_from_0_to_1(p):
    with pytest.raises(ValueError, match="must be from 0 to 1"):
        from_probabilities(p)


@pytest.mark.parametrize("threshold", [0.0, 1.0, 1.5, float("nan"), [0.5, 0.5, 0.5]])
def test_a_threshold_is_between_0_and_1(threshold):
    with pytest.raises(ValueError, match="threshold must be"):
        from_probabilities([[0.5, 0.8]], threshold=threshold)


@pytest.mark.parametrize("function", [from_probabilities, from_logits])
def test_a_threshold_is_refused_where_the_largest_decides(function):
    with pytest.raises(ValueError, match="threshold must be left out"):
        function([[0.2, 0.8]], threshold=0.3, **SINGLE)


@pytest.mark.parametrize(
    "labels",
    [
        [[1, 0], [1, 1]],
        [["a"], ["a", "b"]],
        [("a",), {"b", "a"}],
        np.array([[True, False], [1, 1]]),
    ],
)
def test_labels_may_be_a_matrix_or_names(labels):
    np.testing.assert_array_equal(from_labels(labels), [[1, -1], [1, 1]])


def test_names_in_an_array_are_names():
    np.testing.assert_array_equal(from_labels(np.array(["b", "a"]), **SINGLE), [[-1, 1], [1, -1]])


def test_classes_give_the_order_and_may_be_more():
    np.testing.assert_array_equal(from_labels(["a"], ["c", "a"]), [[-1, 1]])
    assert classes_of([["b"], "a", []]) == ["a", "b"]


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        (["a", None], r"labels\[1\] must be labels"),
        (["a", "z"], r"labels\[1\] must be among the classes, but is 'z'"),
        ([["a", "b"], ["a"]], "exactly one label in every row, but row 0 has 2"),
        ([[], ["a"]], "exactly one label in every row, but row 0 has 0"),
    ],
)
def test_labels_that_cannot_be_used_are_named(labels, message):
    with pytest.raises(ValueError, match=message):
        from_labels(labels, ["a", "b"], **SINGLE)


def test_classes_of_numbers_is_a_type_error():
    with pytest.raises(TypeError, match="must be names"):
        classes_of([[1, 0]])


def majority(votes, m):
    """The classes that more than half of the voters who saw a document have given."""
    return [
        [sum(j in one for one in seen) * 2 > len(seen) for j in range(m)]
        for seen in (
            [one for one in document if one is not None] for document in zip(*votes, strict=True)
        )
    ]


@given(st.data())
def test_the_majority_decides_and_a_tie_is_no_label(data):
    n, m, v = (data.draw(st.integers(1, 4)) for _ in range(3))
    document = st.one_of(st.none(), st.sets(st.integers(0, m - 1)))
    votes = [data.draw(st.lists(document, min_size=n, max_size=n)) for _ in range(v)]
    votes.append([set()] * n)  # so that every document has a vote
    names = [f"c{j}" for j in range(m)]
    named = [[None if one is None else {names[j] for j in one} for one in voter] for voter in votes]
    named = [voter for voter in named if any(one is not None for one in voter)]
    assert (from_votes(named, names) >= 0).tolist() == majority(votes, m)


def test_more_votes_make_a_larger_score():
    voters = [["a"], ["a"], ["b"]]
    two, three = from_votes(voters, ["a", "b"]), from_votes([["a"]] * 3, ["a", "b"])
    assert three[0, 0] > two[0, 0] > 0
    assert two[0, 0] == pytest.approx(np.log((2.5 / 4) / (1.5 / 4)))


def test_votes_on_one_label_are_shares():
    scores = from_votes([["b", "a"], ["b", "b"], ["c", None]], **SINGLE)
    np.testing.assert_allclose(np.exp(scores).sum(axis=1), 1.0)
    assert scores.argmax(axis=1).tolist() == [1, 0]  # a tie goes to the first class


def test_votes_may_be_matrices_with_documents_that_were_not_seen():
    scores = from_votes([[[1, 0], None], np.array([[1, 1], [0, 1]])])
    assert (scores >= 0).tolist() == [[True, False], [False, True]]


@pytest.mark.parametrize(
    ("votes", "message"),
    [
        ([], "at least one voter"),
        ([["a", None], ["a", None]], "document 1 has none"),
        ([["a"], [None]], "one has seen no document"),
        ([["a", "b"], ["a"]], "every voter must have the shape"),
    ],
)
def test_votes_that_cannot_be_used_are_named(votes, message):
    with pytest.raises(ValueError, match=message):
        from_votes(votes)


confidences = st.one_of(st.floats(0, 1), st.sampled_from(sorted(WORDS)))


@given(st.lists(st.tuples(st.sampled_from("abc"), confidences), min_size=1, max_size=5))
def test_a_stated_label_is_the_decision_whatever_its_confidence(rows):
    labels, given_c = zip(*rows, strict=True)
    expected = np.array([[name == one for name in "abc"] for one in labels])
    scores = from_confidences(labels, given_c, list("abc"))
    assert ((scores >= 0) == expected).all()
    scores = from_confidences(labels, given_c, list("abc"), **SINGLE)
    assert (scores.argmax(axis=1) == expected.argmax(axis=1)).all()


@given(st.lists(st.floats(0, 1), min_size=2, max_size=6, unique=True))
def test_a_larger_confidence_never_has_a_smaller_score(given_c):
    given_c = sorted(given_c)
    scores = from_confidences(["a"] * len(given_c), given_c, ["a", "b"])[:, 0]
    assert (np.diff(scores) >= 0).all()


def test_confidences_are_log_odds_and_the_rest_is_shared():
    multi = from_confidences(["a"], [0.9], ["a", "b", "c"])
    np.testing.assert_allclose(multi, [[np.log(9), *[np.log(0.01 / 0.99)] * 2]])
    single = from_confidences(["a"], [0.9], ["a", "b", "c"], **SINGLE)
    np.testing.assert_allclose(np.exp(single), [[0.9, 0.05, 0.05]])


def test_a_document_without_a_label_spreads_its_doubt():
    scores = from_confidences([[]], [0.6], ["a", "b"])
    np.testing.assert_allclose(scores, [[np.log(0.2 / 0.8)] * 2])


def test_probabilities_by_class_decide_where_labels_are_not_given():
    given_p = [{"a": 0.8, "b": 0.6}, {"b": 0.3}]
    assert (from_confidences(None, given_p) >= 0).tolist() == [[True, True], [False, False]]


def test_hugging_face_outputs_are_read():
    outputs = [
        [{"label": "pos", "score": 0.7}, {"label": "neg", "score": 0.3}],
        [{"label": "neg", "score": 0.9}, {"label": "pos", "score": 0.1}],
    ]
    scores = from_confidences(None, outputs, ["neg", "pos"], **SINGLE)
    np.testing.assert_allclose(np.exp(scores), [[0.3, 0.7], [0.9, 0.1]])


@pytest.mark.parametrize(
    ("one", "message"),
    [
        (1.5, r"confidences\[0\] must be from 0 to 1"),
        ("180%", r"confidences\[0\] must be from 0 to 1"),
        ("maybe", "one of certain"),
        (True, "must be from 0 to 1"),
        (float("nan"), "must be from 0 to 1"),
        (10**400, "must be from 0 to 1"),
        ({"z": 0.5}, "must name classes only, but names 'z'"),
        ([{"label": "a"}], '"score"'),
        ([{"label": "a", "score": 0.1}, {"label": "a", "score": 0.2}], "names 'a' twice"),
    ],
)
def test_confidences_that_cannot_be_used_are_named(one, message):
    with pytest.raises(ValueError, match=message):
        from_confidences(["a"], [one], ["a", "b"])


def test_confidences_that_sum_to_more_than_one_are_refused_for_one_label():
    with pytest.raises(ValueError, match=r"row 0 sums to 1\.5"):
        from_confidences(["a"], [{"a": 0.8, "b": 0.7}], **SINGLE)


def test_plain_numbers_say_nothing_without_labels():
    with pytest.raises(ValueError, match="probability per class where labels are None"):
        from_confidences(None, [0.8], ["a"])


def test_what_is_not_named_is_filled():
    np.testing.assert_allclose(
        fill_unnamed(np.array([[0.4, np.nan]]), "multi-label"), [[0.4, 0.01]]
    )


def test_scores_that_look_like_probabilities_are_warned_of():
    assert look_like_probabilities(np.array([[0.0, 1.0]]))
    with pytest.warns(CalibrationWarning, match="from_probabilities"):
        warn_of_probabilities(np.array([[0.2, 0.8]]), "multi-label")


def test_real_scores_and_a_softmax_are_not_warned_of(recwarn):
    warn_of_probabilities(np.array([[0.2, -0.8]]), "multi-label")
    warn_of_probabilities(np.array([[0.2, 0.8]]), "single-label")
    assert not recwarn.list


def test_a_data_frame_is_a_matrix_or_a_column_of_names():
    pandas = pytest.importorskip("pandas")
    matrix = pandas.DataFrame({"fee": [1, 0, 1], "refund": [0, 1, 1]})
    expected = [[1.0, -1.0], [-1.0, 1.0], [1.0, 1.0]]
    assert from_labels(matrix).tolist() == expected
    names = pandas.DataFrame({"label": ["fee", "refund"]})
    assert from_labels(names).tolist() == [[1.0, -1.0], [-1.0, 1.0]]
    assert classes_of(names["label"]) == ["fee", "refund"]
    voters = pandas.DataFrame({"anna": ["fee", "refund"], "ben": ["fee", None]})
    lists = from_votes([["fee", "refund"], ["fee", None]])
    np.testing.assert_array_equal(from_votes(voters), lists)


@pytest.mark.parametrize("function", [from_labels, from_votes, classes_of])
@pytest.mark.parametrize("labels", [{"a": ["fee"]}, "fee"])
def test_a_dictionary_and_a_text_are_no_labels(function, labels):
    with pytest.raises(TypeError, match="must be a list with the labels of each document"):
        function(labels)


def test_a_text_is_no_voter():
    with pytest.raises(TypeError, match="the labels of a voter must be a list"):
        from_votes(["fee", "fee"])


def test_classes_must_differ():
    with pytest.raises(ValueError, match="classes must differ, but 'a' comes twice"):
        from_labels([["a"]], ["a", "a"])


@pytest.mark.parametrize("flat", [False, True])
@pytest.mark.parametrize("task", ["multi-label", "single-label"])
def test_the_one_class_that_each_output_names_is_the_label(flat, task):
    best = [
        {"label": "b", "score": 0.4},
        {"label": "a", "score": 0.9},
        {"label": "c", "score": 0.2},
    ]
    scores = from_confidences(None, best if flat else [[one] for one in best], task=task)
    assert scores.argmax(axis=1).tolist() == [1, 0, 2]
    if task == "multi-label":
        assert (scores >= 0).sum(axis=1).tolist() == [1, 1, 1]


def test_one_class_in_all_outputs_has_probabilities():
    scores = from_confidences(None, [{"spam": 0.4}, {"spam": 0.9}])
    assert (scores >= 0).ravel().tolist() == [False, True]


def test_confidences_may_be_percentages():
    expected = from_confidences(["a", "b"], [0.8, 0.4])
    np.testing.assert_allclose(from_confidences(["a", "b"], ["80%", " 40 %"]), expected)


@pytest.mark.parametrize("text", ["180%", "8_0%", "much%", "%"])
def test_percentages_that_cannot_be_used_are_named(text):
    with pytest.raises(ValueError, match=r"confidences\[0\] must be from 0 to 1"):
        from_confidences(["a"], [text])


def test_no_confidences_are_refused():
    with pytest.raises(ValueError, match="confidences must hold those of at least one document"):
        from_confidences([], [])


@pytest.mark.parametrize("threshold", [0.7, [0.7, 0.3]])
def test_float32_reaches_a_threshold_of_the_same_digits(threshold):
    p = np.array([[0.7, 0.3]], dtype=np.float32)
    assert (from_probabilities(p, threshold=threshold) >= 0).tolist() == [
        [True, bool(np.size(threshold) > 1)]
    ]
