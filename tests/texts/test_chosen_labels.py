import numpy as np
import pytest

from satc.inputs import MULTI_LABEL, SINGLE_LABEL
from satc.measures import parse
from satc.one_label import choose_one
from satc.texts.chosen_labels import LikelyPairs, SampledRows, collect_probabilities


def probabilities(n, m=5, seed=0):
    p = np.random.default_rng(seed).dirichlet(np.linspace(0.1, 1.0, m), size=n)
    return p / p.sum(axis=1, keepdims=True)


@pytest.mark.parametrize("measure", ["f1", "f2", "accuracy"])
@pytest.mark.parametrize("average", ["macro", "micro"])
def test_blocks_get_the_labels_that_all_documents_together_get(measure, average):
    p = probabilities(300)
    rows = SampledRows(n_classes=5)
    for block in np.array_split(p, 7):
        rows.add(block)
    decide = rows.decider(measure, average)
    found = np.concatenate([decide(block) for block in np.array_split(p, 4)])
    np.testing.assert_array_equal(found, choose_one(p, parse(measure), average).labels)
    assert (found.sum(axis=1) == 1).all()


def test_of_more_documents_a_uniform_sample_is_kept():
    n, most = 20_000, 2_000
    p = probabilities(n, m=4)
    rows = SampledRows(n_classes=4, seed=3, most_pairs=4 * most)
    for block in np.array_split(p, 23):
        rows.add(block)
        assert rows._n <= 2 * most
    found = rows.decider("f1", "macro")(p)
    assert rows._n == most
    kept = {row.tobytes() for row in rows._p[0]}
    places = [i for i, row in enumerate(p) if row.tobytes() in kept]
    assert len(places) == most
    assert abs(np.mean(places) - n / 2) < 4 * n / np.sqrt(12 * most)
    best = choose_one(p, parse("f1")).labels
    assert (found == best).all(axis=1).mean() > 0.97


def test_each_task_has_its_collector():
    assert isinstance(collect_probabilities(SINGLE_LABEL, 3, 0), SampledRows)
    assert isinstance(collect_probabilities(MULTI_LABEL, 3, 0), LikelyPairs)
