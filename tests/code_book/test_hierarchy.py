"""Hierarchies, against slow computations by the definitions."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from satc.code_book import Hierarchy
from satc.code_book.hierarchy import find_cycle
from satc.code_book.unions import union_probabilities, unions


@st.composite
def hierarchies(draw, most=9):
    """Parents come before their children in some order of the classes, so there is no cycle."""
    n = draw(st.integers(1, most))
    order = draw(st.permutations(range(n)))
    parents = [[] for _ in range(n)]
    for place, j in enumerate(order):
        if place:
            chosen = st.lists(st.sampled_from(order[:place]), max_size=3, unique=True)
            parents[j] = draw(chosen)
    return Hierarchy(parents)


@st.composite
def labelled(draw):
    tree = draw(hierarchies())
    row = st.lists(st.booleans(), min_size=len(tree), max_size=len(tree))
    return tree, np.array(draw(st.lists(row, min_size=1, max_size=6)), dtype=bool)


def slow_ancestors(tree, j):
    above = set(tree.parents[j])
    for parent in tree.parents[j]:
        above |= slow_ancestors(tree, parent)
    return above


def slow_close(tree, labels):
    rows = [set(np.flatnonzero(row).tolist()) for row in labels]
    closed = [row.union(*(slow_ancestors(tree, j) for j in row)) for row in rows]
    return np.array([[j in row for j in range(len(tree))] for row in closed])


@given(labelled())
def test_closing_adds_all_ancestors_and_nothing_else(made):
    tree, labels = made
    np.testing.assert_array_equal(tree.close(labels), slow_close(tree, labels))
    for row in labels:
        given = np.flatnonzero(row).tolist()
        assert list(tree.close_one(given)) == np.flatnonzero(tree.close(row[None])[0]).tolist()


@given(labelled())
def test_closing_twice_is_closing_once(made):
    tree, labels = made
    closed = tree.close(labels)
    np.testing.assert_array_equal(tree.close(closed), closed)


@given(labelled(), st.data())
def test_more_labels_have_a_larger_closure(made, data):
    tree, labels = made
    fewer = labels & np.array(
        data.draw(st.lists(st.booleans(), min_size=len(tree), max_size=len(tree)))
    )
    assert (tree.close(fewer) <= tree.close(labels)).all()
    assert (labels <= tree.close(labels)).all()


@given(hierarchies(), st.integers(0, 10**6))
def test_lifted_values_are_the_largest_at_or_below_a_class(tree, seed):
    values = np.random.default_rng(seed).random((3, len(tree)))
    slow = [
        values[:, [k for k in range(len(tree)) if k == j or j in slow_ancestors(tree, k)]].max(1)
        for j in range(len(tree))
    ]
    np.testing.assert_array_equal(tree.lift(values), np.stack(slow, axis=1))


@given(hierarchies())
def test_ancestors_and_descendants_are_two_views_of_one_relation(tree):
    for j in range(len(tree)):
        assert set(tree.ancestors(j)) == slow_ancestors(tree, j)
        assert set(tree.descendants(j)) == {k for k in range(len(tree)) if j in tree.ancestors(k)}


@given(hierarchies())
def test_a_path_goes_from_the_top_through_first_parents(tree):
    for j in range(len(tree)):
        path = tree.path(j)
        assert path[0] in tree.roots
        assert path[-1] == j
        steps = itertools.pairwise(path)
        assert all(above == tree.parents[below][0] for above, below in steps)


@given(hierarchies())
def test_a_walk_comes_to_every_class_below_each_of_its_parents(tree):
    steps = list(tree.walk())
    counts = [sum(j == one for one, _ in steps) for j in range(len(tree))]
    assert counts == [max(1, len(parents)) for parents in tree.parents]
    assert all(depth == 0 for j, depth in steps if j in tree.roots)


@given(st.lists(st.lists(st.integers(0, 5), max_size=3), min_size=6, max_size=6))
def test_a_cycle_is_found_if_and_only_if_there_is_one(parents):
    reach = np.zeros((6, 6), dtype=bool)
    for j, above in enumerate(parents):
        reach[j, above] = True
    for _ in range(6):
        reach = reach | (reach.astype(int) @ reach.astype(int) > 0)
    cycle = find_cycle(parents)
    assert (cycle is not None) == reach.diagonal().any()
    if cycle is None:
        return
    assert cycle[0] == cycle[-1]
    assert all(above in parents[below] for below, above in itertools.pairwise(cycle))


@given(labelled(), st.integers(0, 8))
def test_a_union_has_the_documents_of_a_class_and_of_those_below_it(made, n_headings):
    tree, labels = made
    kept = max(1, len(tree) - n_headings)
    found = unions(labels[:, :kept], tree)
    for node in range(len(tree)):
        below = [j for j in (node, *tree.descendants(node)) if j < kept]
        np.testing.assert_array_equal(found[:, node], labels[:, below].any(axis=1))


@given(hierarchies(6), st.integers(0, 10**6))
def test_the_probability_of_a_union_is_that_of_independent_labels(tree, seed):
    p = np.random.default_rng(seed).random((3, len(tree)))
    found = union_probabilities(p, tree)
    for node in range(len(tree)):
        below = [node, *tree.descendants(node)]
        np.testing.assert_allclose(found[:, node], 1 - np.prod(1 - p[:, below], axis=1), atol=1e-12)


def test_unions_of_closed_and_of_exclusive_labels():
    tree = Hierarchy([[3], [0], [0], []])  # 3 is a heading above 0
    p = np.array([[0.5, 0.2, 0.25]])
    closed = union_probabilities(p, tree, closed=True)
    np.testing.assert_allclose(closed, [[0.5, 0.2, 0.25, 0.5]])
    exclusive = union_probabilities(p, tree, exclusive=True)
    np.testing.assert_allclose(exclusive, [[0.95, 0.2, 0.25, 0.95]])
    assert np.isfinite(union_probabilities(np.ones((1, 3)), tree)).all()


@pytest.mark.parametrize(
    ("parents", "message"),
    [([[1]], r"parents\[0\] must be classes, 0 to 0, but one is 1"),
     ([[1], [0]], "must not form a cycle, but do: 0 > 1 > 0")],
)  # fmt: skip
def test_what_is_no_hierarchy_is_refused(parents, message):
    with pytest.raises(ValueError, match=message):
        Hierarchy(parents)


def test_labels_of_another_shape_are_refused():
    with pytest.raises(ValueError, match=r"with 2 classes, but have the shape \(1, 3\)"):
        Hierarchy([[], [0]]).close(np.ones((1, 3)))


def test_a_wide_hierarchy_is_closed_without_a_matrix_of_classes_by_classes():
    n = 20_000
    chain = Hierarchy([[], *([j // 10] for j in range(n - 1))])
    labels = np.zeros((2, n), dtype=bool)
    labels[0, n - 1] = True
    assert np.flatnonzero(chain.close(labels)[0]).tolist() == sorted(
        {n - 1, *chain.ancestors(n - 1)}
    )
