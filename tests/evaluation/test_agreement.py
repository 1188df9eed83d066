import math
import warnings
from itertools import permutations

import krippendorff
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score

from satc.evaluation.agreement import (
    Judgement,
    agreement,
    cohen_kappa,
    cohen_kappa_nominal,
    krippendorff_alpha_binary,
    krippendorff_alpha_nominal,
    krippendorff_alpha_sets,
    pooled_kappa,
)

# Krippendorff (2011), Computing Krippendorff's Alpha-Reliability, section C: four observers,
# nominal data with gaps; alpha = .743.
NOMINAL_UNITS = [
    *([1, 1, 1], [2, 2, 3, 2], [3, 3, 3, 3], [3, 3, 3, 3], [2, 2, 2, 2], [1, 2, 3, 4]),
    *([4, 4, 4, 4], [1, 1, 2, 1], [2, 2, 2, 2], [5, 5, 5], [1, 1], [3]),
]


def set_distance(a, b, name):
    if not a | b:
        return 0.0
    jaccard = len(a & b) / len(a | b)
    if name == "jaccard":
        return 1 - jaccard
    return 1 - jaccard * (1 if a == b else 2 / 3 if a <= b or b <= a else 1 / 3 if a & b else 0)


def slow_alpha(units, distance):
    """Alpha by its definition, pair by pair."""
    units = [unit for unit in units if len(unit) > 1]
    answers = [one for unit in units for one in unit]
    n = len(answers)
    observed = sum(
        distance(a, b) / (len(unit) - 1) for unit in units for a, b in permutations(unit, 2)
    )
    expected = sum(distance(a, b) for a, b in permutations(answers, 2))
    return 1 - (n - 1) * observed / expected if expected else math.nan


label_sets = st.frozensets(st.sampled_from("abcd"))
units = st.lists(st.lists(label_sets, max_size=4), max_size=6)
matrices = st.integers(1, 12).flatmap(
    lambda n: st.tuples(*[st.lists(st.tuples(*[st.booleans()] * 3), min_size=n, max_size=n)] * 2)
)


@settings(deadline=None)
@given(matrices)
def test_kappa_is_that_of_scikit_learn(pair):
    first, second = (np.array(one) for one in pair)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = [cohen_kappa_score(first[:, j], second[:, j]) for j in range(3)]
        pooled = cohen_kappa_score(first.ravel(), second.ravel())
    np.testing.assert_allclose(cohen_kappa(first, second), expected, atol=1e-12)
    np.testing.assert_allclose(pooled_kappa(first, second), pooled, atol=1e-12)


def test_kappa_of_a_worked_example():
    # Both say yes to 20 of 50 documents and no to 15: observed .7, by chance .5 x .6 + .5 x .4 = .5
    first = [[1]] * 25 + [[0]] * 25
    second = [[1]] * 20 + [[0]] * 5 + [[1]] * 10 + [[0]] * 15
    assert cohen_kappa(first, second)[0] == pytest.approx(0.4)


def test_alpha_of_krippendorffs_nominal_example():
    sets = [[{value} for value in unit] for unit in NOMINAL_UNITS]
    for distance in ("jaccard", "masi"):  # between sets of one they are the nominal distance
        assert krippendorff_alpha_sets(sets, distance) == pytest.approx(0.743, abs=5e-4)


def test_alpha_of_krippendorffs_binary_example():
    # The same paper, section A: two observers, ten units; alpha = .095.
    first, second = [0, 1, 0, 0, 0, 0, 0, 0, 1, 0], [1, 1, 1, 0, 0, 1, 0, 0, 0, 0]
    counts = (np.array(first) + np.array(second))[:, None]
    assert krippendorff_alpha_binary(counts, [2] * 10)[0] == pytest.approx(0.095, abs=5e-4)


@settings(max_examples=200, deadline=None)
@given(units, st.sampled_from(["jaccard", "masi"]))
def test_alpha_of_sets_is_the_definition(given_, name):
    expected = slow_alpha(given_, lambda a, b: set_distance(a, b, name))
    found = krippendorff_alpha_sets(given_, name)
    np.testing.assert_allclose(found, expected, atol=1e-9)


def random_answers(seed, n_people, n_documents, n_values, missing):
    """Answers of people, people x documents, NaN where a person did not answer."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(n_values, size=n_documents)
    guesses = rng.integers(n_values, size=(n_people, n_documents))
    answers = np.where(rng.random(guesses.shape) < 0.6, truth, guesses).astype(float)
    answers[rng.random(answers.shape) < missing] = np.nan
    return answers


many_answers = pytest.mark.parametrize(
    ("n_people", "n_documents", "missing"),
    [(2, 50, 0.0), (2, 200, 0.3), (3, 40, 0.5), (5, 30, 0.2), (8, 100, 0.8)],
)


@pytest.mark.parametrize("seed", range(5))
@many_answers
def test_alpha_of_a_class_is_that_of_the_package_krippendorff(seed, n_people, n_documents, missing):
    answers = random_answers(seed, n_people, n_documents, 2, missing)
    expected = krippendorff.alpha(answers, level_of_measurement="nominal")
    positives = np.nansum(answers, axis=0)[:, np.newaxis]
    found = krippendorff_alpha_binary(positives, np.isfinite(answers).sum(axis=0))
    np.testing.assert_allclose(found, [expected], atol=1e-12)


@pytest.mark.parametrize("seed", range(5))
@many_answers
def test_alpha_of_one_label_for_each_document_is_that_of_the_package_krippendorff(
    seed, n_people, n_documents, missing
):
    answers = random_answers(seed, n_people, n_documents, 5, missing)
    expected = krippendorff.alpha(answers, level_of_measurement="nominal")
    sets = [[{value} for value in column[np.isfinite(column)]] for column in answers.T]
    for distance in ("jaccard", "masi"):  # between sets of one they are the nominal distance
        assert krippendorff_alpha_sets(sets, distance) == pytest.approx(expected, abs=1e-12)


@settings(deadline=None)
@given(st.lists(st.tuples(st.sampled_from("abcd"), st.sampled_from("abcd")), min_size=1))
def test_kappa_over_the_classes_is_that_of_scikit_learn(pairs):
    first, second = zip(*pairs, strict=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = cohen_kappa_score(first, second)
    np.testing.assert_allclose(cohen_kappa_nominal(first, second), expected, atol=1e-12)


@pytest.mark.parametrize("seed", range(5))
@many_answers
def test_alpha_over_the_classes_is_that_of_the_package_krippendorff(
    seed, n_people, n_documents, missing
):
    answers = random_answers(seed, n_people, n_documents, 5, missing)
    expected = krippendorff.alpha(answers, level_of_measurement="nominal")
    units = [column[np.isfinite(column)].tolist() for column in answers.T]
    assert krippendorff_alpha_nominal(units) == pytest.approx(expected, abs=1e-12)


def test_alpha_over_the_classes_of_krippendorffs_example():
    assert krippendorff_alpha_nominal(NOMINAL_UNITS) == pytest.approx(0.743, abs=5e-4)


@settings(deadline=None)
@given(st.lists(st.lists(st.sampled_from("abc"), max_size=4), max_size=6))
def test_alpha_over_the_classes_is_the_definition(given_):
    expected = slow_alpha(given_, lambda a, b: float(a != b))
    np.testing.assert_allclose(krippendorff_alpha_nominal(given_), expected, atol=1e-9)


def single_label_judgements(answers):
    return [
        Judgement(str(document), f"person {who}", (f"class {int(value)}",))
        for who, row in enumerate(answers)
        for document, value in enumerate(row)
        if np.isfinite(value)
    ]


def test_agreement_of_single_labels_has_kappa_and_alpha_over_the_classes():
    answers = random_answers(1, 3, 80, 4, 0.3)
    classes = [f"class {k}" for k in range(4)]
    found = agreement(single_label_judgements(answers), classes, single_label=True)
    expected = krippendorff.alpha(answers, level_of_measurement="nominal")
    assert found.alpha_nominal == pytest.approx(expected, abs=1e-12)
    for (a, b), kappa in found.kappa_nominal.items():
        first, second = answers[int(a[-1])], answers[int(b[-1])]
        both = np.isfinite(first) & np.isfinite(second)
        assert kappa == pytest.approx(cohen_kappa_score(first[both], second[both]), abs=1e-12)
    assert set(found.kappa_nominal) == set(found.kappa)
    plain = agreement(single_label_judgements(answers), classes)
    assert (plain.alpha, plain.label_sets) == (found.alpha, found.label_sets)
    assert (plain.alpha_nominal, plain.kappa_nominal) == (None, {})


@pytest.mark.parametrize("name", ["jaccard", "masi"])
@many_answers
def test_alpha_of_label_sets_is_that_of_the_package_krippendorff(
    name, n_people, n_documents, missing
):
    answers = random_answers(3, n_people, n_documents, 8, missing)
    set_of = {code: frozenset(c for k, c in enumerate("abc") if code >> k & 1) for code in range(8)}

    def distances(v1, v2, **_):
        return np.vectorize(lambda a, b: set_distance(set_of[a], set_of[b], name))(v1, v2)

    expected = krippendorff.alpha(answers, level_of_measurement=distances)
    sets = [[set_of[code] for code in column[np.isfinite(column)]] for column in answers.T]
    assert krippendorff_alpha_sets(sets, name) == pytest.approx(expected, abs=1e-12)


@settings(deadline=None)
@given(units)
def test_alpha_of_a_class_is_the_definition_with_the_nominal_distance(given_):
    counts = [[sum(name in one for one in unit) for name in "abcd"] for unit in given_]
    found = krippendorff_alpha_binary(
        np.array(counts).reshape(-1, 4), [len(unit) for unit in given_]
    )
    expected = [
        slow_alpha([[name in one for one in unit] for unit in given_], lambda a, b: float(a != b))
        for name in "abcd"
    ]
    np.testing.assert_allclose(found, expected, atol=1e-9)


def test_many_label_sets_are_compared_in_blocks(monkeypatch):
    rng = np.random.default_rng(0)
    answers = [[set(np.flatnonzero(rng.random(8) < 0.4)) for _ in range(3)] for _ in range(60)]
    whole = krippendorff_alpha_sets(answers)
    monkeypatch.setattr("satc.evaluation.agreement.BLOCK", 7)
    assert krippendorff_alpha_sets(answers) == pytest.approx(whole)


def test_documents_of_one_person_do_not_count_and_the_last_judgement_does():
    given_ = [
        Judgement("1", "bob", {"a"}),
        Judgement("1", "ann", {"b"}),
        Judgement("1", "ann", {"a"}),
        Judgement("2", "ann", {"a"}),
        Judgement("3", "cy", set()),
        Judgement("3", "ann", set()),
    ]
    found = agreement(given_, ["a", "b"])
    assert found.documents == 2
    assert {pair: kappa.documents for pair, kappa in found.kappa.items()} == {
        ("ann", "bob"): 1,
        ("ann", "cy"): 1,
    }
    assert found.alpha["a"] == 1
    assert math.isnan(found.alpha["b"])
    assert found.label_sets == {"masi": 1, "jaccard": 1}


def test_without_any_overlap_nothing_is_claimed():
    found = agreement([Judgement("1", "ann", {"a"})], ["a"])
    assert (found.documents, found.kappa) == (0, {})
    assert math.isnan(found.alpha["a"])
    assert all(math.isnan(value) for value in found.label_sets.values())


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: cohen_kappa([[1]], [[1], [0]]), "first and second must have the same shape"),
        (lambda: cohen_kappa([1], [[1]]), "first must be a 0/1 matrix"),
        (lambda: pooled_kappa([[1]], [[2]]), "second must be a 0/1 matrix"),
        (lambda: cohen_kappa_nominal("ab", "a"), "must have the same length, but have 2 and 1"),
        (
            lambda: agreement([Judgement("1", "ann", iter("ab"))], "ab", single_label=True),
            "exactly one label each if single_label is true, but 'ann' gave 2 to '1'",
        ),
        (lambda: krippendorff_alpha_binary([[1]], [2, 2]), "positives must be documents x classes"),
        (lambda: krippendorff_alpha_binary([[3]], [2]), "between 0 and the number of answers"),
        (lambda: krippendorff_alpha_sets([], "nominal"), "distance must be one of 'masi', 'jacca"),
        (
            lambda: agreement([Judgement("1", "ann", {"x"})], ["a"]),
            "among the classes, but '1' has",
        ),
    ],
)
def test_wrong_arguments_are_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()
