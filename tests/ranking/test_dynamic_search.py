"""The search of the dynamic ranking: blocks, bounds, rounded probabilities and exact utilities."""

from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import satc
from made import make
from satc.gains import Gains, pointwise_gains_one
from satc.measures import FBeta, parse
from satc.ranking.live.blocks import (
    MAX_ADDED_CHANGES,
    change_gains,
    make_blocks,
    sort_blocks,
    sort_roughly,
    withdraw_all,
)
from satc.ranking.live.dynamic import DynamicRanking
from satc.ranking.live.exact import ExactRows
from satc.ranking.live.search import find_best, put_back
from satc.ranking.live.table_kernels import pointwise_gains_of_f
from satc.ranking.live.tiles import BLOCK, make_tiles
from satc.ranking.live.whole_validation import WrongByDocument
from satc.ranking.misclassification import GivenMisclassification, LogisticMisclassification
from satc.ranking.preparation import prepare


class Search:
    """The blocks of documents, and the plain definition beside them."""

    def __init__(self, columns, gains):
        n = columns.shape[0]
        self.signed = columns.signed_rows(np.arange(n))
        self.gains = np.array(gains)
        self.available = np.ones(n, dtype=bool)
        self.documents = np.argsort(-columns.utilities(gains), kind="stable")
        self.position = np.argsort(self.documents)
        self.blocks = sort_blocks(make_blocks(make_tiles(columns), gains, n), self.documents)
        self.rows = ExactRows(columns, self.documents)

    def change(self, columns, fp, fn):
        self.gains[0, columns], self.gains[1, columns] = fp, fn
        change_gains(self.blocks, np.array(columns), np.array(fp), np.array(fn))

    def withdraw(self, i):
        self.available[i] = False
        withdraw_all(self.blocks, self.position[i : i + 1])

    def withdraw_all(self, documents):
        self.available[documents] = False
        withdraw_all(self.blocks, self.position[np.array(documents)])

    def put_back(self, i):
        self.available[i] = True
        put_back(self.blocks, self.rows.exact, self.position[i])

    def best(self):
        position = find_best(self.documents, self.blocks, self.rows.exact)
        while position < 0 and self.rows.any_missing:
            self.rows.fetch_missing()
            position = find_best(self.documents, self.blocks, self.rows.exact)
        return None if position < 0 else int(self.documents[position])

    def plain(self):
        """Sum the utilities in the order of the classes; return the first of the largest."""
        utility = np.zeros(len(self.signed))
        for j, (fp, fn) in enumerate(self.gains.T):
            p = self.signed[:, j]
            utility += p * np.where(p > 0, fp, -fn)
        left = np.flatnonzero(self.available)
        return int(left[np.argmax(utility[left])]) if len(left) else None


def random_gains(rng, m, negative=False):
    gains = rng.uniform(-0.5 if negative else 0.0, 1.0, (2, m)) ** 3
    return Gains(*np.where(rng.random((2, m)) < 0.2, 0.0, gains))


def play(search, rng, n_steps, negative=False):
    """Change gains, withdraw documents and put them back; compare each best document."""
    m = search.signed.shape[1]
    for _ in range(n_steps):
        action = rng.integers(5)
        left, gone = np.flatnonzero(search.available), np.flatnonzero(~search.available)
        if action == 0:
            columns = rng.choice(m, rng.integers(1, m + 1), replace=False)
            search.change(columns, *np.array(random_gains(rng, m, negative))[:, columns])
        elif action == 1 and len(left):
            search.withdraw_all(rng.choice(left, min(len(left), rng.integers(1, 30))))
        elif action == 2 and len(gone):
            search.put_back(int(rng.choice(gone)))
        best = search.best()
        assert best == search.plain()
        if best is not None:
            search.withdraw(best)


KINDS = ["scores", "tied scores", "probabilities", "weighted", "truth"]


def columns_of(kind, n, m, rng):
    scores = rng.normal(-0.5, 1.0, (n, m))
    if kind == "tied scores":
        scores = np.round(scores)
    if kind.endswith("scores"):
        return LogisticMisclassification(scores, 40.0 if rng.random() < 0.3 else 2.5)
    if kind == "truth":
        return GivenMisclassification.from_truth(scores >= 0, rng.random((n, m)) < 0.1)
    signed = np.copysign(rng.random((n, m)) ** 4, scores)
    if kind == "weighted":
        signed *= 10.0 ** rng.integers(-30, 40, m)
    return GivenMisclassification(signed)


@given(
    kind=st.sampled_from(KINDS),
    n=st.sampled_from([1, BLOCK - 1, BLOCK, 5 * BLOCK + 7, 20 * BLOCK]),
    m=st.integers(1, 9),
    negative=st.booleans(),
    seed=st.integers(0, 10**6),
)
@settings(max_examples=60, deadline=None)
def test_the_best_document_is_that_of_the_plain_definition(kind, n, m, negative, seed):
    rng = np.random.default_rng(seed)
    gains = random_gains(rng, m, negative)
    play(Search(columns_of(kind, n, m, rng), gains), rng, 60, negative)


def test_a_document_that_is_put_back_stands_where_it_stood():
    rng = np.random.default_rng(5)
    search = Search(columns_of("scores", 700, 9, rng), random_gains(rng, 9))
    play(search, rng, 40)
    left = np.flatnonzero(search.available)
    before = search.blocks.utility.ravel()[search.position[left]].copy()
    for i in left:
        search.withdraw(int(i))
        search.put_back(int(i))
    after = search.blocks.utility.ravel()[search.position[left]]
    np.testing.assert_allclose(after, before, rtol=1e-6, atol=1e-12)
    play(search, rng, 40)


def test_changes_that_are_added_many_times_do_not_move_the_best_document():
    rng = np.random.default_rng(0)
    search = Search(columns_of("scores", 3 * BLOCK, 4, rng), random_gains(rng, 4))
    for _ in range(2 * MAX_ADDED_CHANGES):
        columns = rng.choice(4, 2, replace=False)
        search.change(columns, *rng.random((2, 2)) * 10.0 ** rng.integers(-6, 1))
        assert search.best() == search.plain()


def test_probabilities_that_are_rounded_to_the_same_number_are_compared_exactly():
    n = 3 * BLOCK
    nearly = 0.3 * (1 + 2.0**-40 * np.random.default_rng(1).permutation(n))
    signed = -np.column_stack([nearly, np.full(n, 0.25)])
    assert len(np.unique(nearly.astype(np.float32))) == 1
    search = Search(GivenMisclassification(signed), Gains(np.ones(2), np.ones(2)))
    found = []
    for _ in range(n):
        found.append(search.best())
        search.withdraw(found[-1])
    np.testing.assert_array_equal(found, np.argsort(-nearly, kind="stable"))
    assert search.best() is None


def test_exact_rows_are_computed_only_for_rivals():
    rng = np.random.default_rng(2)
    scores = rng.normal(-0.5, 1.0, (2_000, 6))
    scores[7] = scores[1_500] = scores[900] = 0.01  # three documents of the same utility
    search = Search(LogisticMisclassification(scores, 2.5), random_gains(rng, 6))
    search.change([0], [0.9], [0.9])
    order = []
    for _ in range(200):
        order.append(search.best())
        search.withdraw(order[-1])
    assert order[:3] == [7, 900, 1_500]
    fetched = search.rows.exact.row_of[search.position] >= 0
    assert fetched[[7, 900, 1_500]].all()
    assert fetched.sum() < 30


def test_a_tile_holds_probabilities_of_any_magnitude():
    signed = np.array([[1e300, -1e290], [1e-300, -3e299], [0.0, -0.0]])
    tiles = make_tiles(GivenMisclassification(signed))
    found = tiles.rounded[:, 0, :3].T.astype(float) * tiles.unit
    np.testing.assert_allclose(found, np.where(abs(signed) > 1e250, signed, 0.0), rtol=2.0**-24)
    np.testing.assert_allclose(tiles.largest[:, :, 0], [[1e300, 0.0], [0.0, 3e299]], rtol=2.0**-24)
    assert (tiles.rounded[:, 0, 3:] == 0).all()


@given(
    cells=st.tuples(*[st.floats(1e-6, 50) | st.integers(0, 9).map(float)] * 4),
    beta=st.sampled_from([1.0, 2.0, 0.5, 0.3]),
)
def test_the_compiled_gains_of_f_are_those_of_the_measure(cells, beta):
    expected = pointwise_gains_one(FBeta(beta), *cells)
    assert pointwise_gains_of_f(cells, float(beta * beta)) == expected


def test_wrong_decisions_are_listed_by_document():
    decided = np.array([[True, False, True], [False, False, False], [True, True, False]])
    y_true = np.array([[True, True, False], [False, False, False], [False, True, False]])
    wrong = WrongByDocument.between(decided, y_true)
    assert [wrong.of(i) for i in range(3)] == [[(1, False), (2, True)], [], [(0, True)]]


@pytest.mark.parametrize("tied", [False, True])
@pytest.mark.parametrize("average", ["macro", "micro"])
@pytest.mark.parametrize("measure", ["f1", "f0.5"])
@pytest.mark.parametrize("method", ["u-theoretic-dynamic", "oracle1-dynamic", "oracle2-dynamic"])
def test_the_compiled_validation_equals_the_one_that_calls_the_measure(
    method, measure, average, tied
):
    made = make(n=900, m=6, seed=3, tied=tied)
    known = parse(measure)
    options = {**made.training, "method": method, "average": average, "sigma": 2.0}
    compiled = satc.simulate(made.scores, made.y_true, measure=measure, **options)
    called = satc.simulate(
        made.scores, made.y_true, measure=lambda tp, fp, fn, tn: known(tp, fp, fn, tn), **options
    )
    np.testing.assert_array_equal(compiled.order, called.order)


def test_the_order_does_not_depend_on_the_number_of_threads(monkeypatch):
    made = make(n=20_000, m=60, seed=4)
    orders = []
    for threads in (1, 4):
        monkeypatch.setattr("satc.machine.threads.n_threads", lambda threads=threads: threads)
        options = {**made.training, "method": "u-theoretic-dynamic", "sigma": 2.0}
        found = satc.simulate(made.scores, made.y_true, **options)
        orders.append(SimpleNamespace(order=found.order, utility=satc.rank(made.scores, **options)))
    np.testing.assert_array_equal(orders[0].order, orders[1].order)
    np.testing.assert_array_equal(orders[0].utility.utility, orders[1].utility.utility)


@pytest.mark.parametrize("method", ["u-theoretic-dynamic", "contextual-dynamic"])
def test_the_remaining_documents_begin_with_the_order_of_the_ranking(method):
    made = make(n=700, m=5, seed=5)
    documents = prepare(made.scores, **made.training, method=method)
    ranking = DynamicRanking(documents)
    order = satc.rank(made.scores, **made.training, method=method).order.tolist()
    assert ranking.remaining().tolist() == order
    ranking.withdraw_all(order[5:9])
    ranking.put_back(order[7])
    assert ranking.remaining().tolist() == [*order[:5], order[7], *order[9:]]
    assert ranking.best() == order[0]


def test_documents_that_are_sorted_again_come_in_the_same_order(monkeypatch):
    made = make(n=3_000, m=8, seed=6)
    options = {**made.training, "method": "u-theoretic-dynamic", "sigma": 2.0}
    documents = prepare(made.scores, **options)
    decided = documents.decided

    one_by_one, order = DynamicRanking(documents), []
    wrong = WrongByDocument.between(decided, made.y_true)
    while (i := one_by_one.best()) is not None:
        order.append(i)
        one_by_one.withdraw(i)
        one_by_one.replace((), [(i, wrong.of(i))])

    sorts, sort = [], DynamicRanking._sort
    monkeypatch.setattr(DynamicRanking, "_sort", lambda self: (sort(self), sorts.append(self)))
    found = DynamicRanking(documents).run(decided, made.y_true)
    assert len(sorts) > 2
    assert found.tolist() == order


@given(st.lists(st.floats(-1e300, 1e300) | st.just(-np.inf), max_size=40))
def test_a_rough_sort_keeps_available_documents_by_utility(utilities):
    utility = np.array(utilities, dtype=float)
    positions = sort_roughly(utility)
    assert sorted(positions) == np.flatnonzero(utility > -np.inf).tolist()
    known = np.clip(utility[positions], 0.0, 1e38)
    known = known[known > 1e-30]
    assert (known[1:] <= known[:-1] * (1 + 2.0**-7)).all()
