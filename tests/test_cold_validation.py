import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import f1_score

import satc
from made import make
from satc.assurance.live.cold import LEAST_DRAWN
from satc.errors import NotKnownYetError


def work(validation, truth, n):
    for _ in range(n):
        i = validation.next()
        validation.submit(i, truth[i])


def test_estimates_are_learnt_at_10_20_40_decisions():
    made = make(n=120)
    v = satc.Validation(made.scores)
    seen = []
    for _ in range(45):
        work(v, made.y_true, 1)
        seen.append(v.standing.n_decisions)
    assert seen == [0] * 9 + [10] * 10 + [20] * 20 + [40] * 6


@pytest.mark.slow
@settings(max_examples=10, deadline=None)
@given(
    st.lists(
        st.sampled_from(["submit"] * 4 + ["take", "give back", "undo", "undo earlier", "draw"]),
        max_size=60,
    ),
    st.sampled_from(["contextual", "contextual-dynamic"]),
    st.sampled_from(["sign", "measure"]),
    st.integers(0, 3),
)
def test_whatever_happened_the_state_is_that_of_the_decisions_left(steps, method, decide, seed):
    made = make(n=60, seed=seed)
    options = {"method": method, "decide": decide}
    v = satc.Validation(made.scores, **options)
    taken = []
    for step in steps:
        if step == "submit" and (i := v.next()) is not None:
            v.submit(i, made.y_true[i])
        elif step in ("take", "draw"):
            if (i := v.take() if step == "take" else v.draw()) is not None:
                taken.append(i)
        elif step == "give back" and taken:
            v.give_back(taken.pop())
        elif step == "undo" and v.n_validated:
            v.undo()
        elif step == "undo earlier" and v.n_validated:
            v.undo(int(v.order[v.n_validated // 2]))
    replay = satc.Validation(made.scores, **options)
    for i in v.order:
        replay.submit(i, made.y_true[i])
    for i in taken:
        replay.take(i)
    assert v.standing == replay.standing
    np.testing.assert_array_equal(v.labels, replay.labels)
    assert sorted(v.remaining()) == sorted(replay.remaining())
    left = [v.utility(i) for i in range(60)]
    assert left == pytest.approx([replay.utility(i) for i in range(60)], rel=1e-9)
    assert v.next() == replay.next()


def test_undo_before_a_doubling_goes_back_to_the_earlier_estimates():
    made = make(n=100)
    v = satc.Validation(made.scores)
    work(v, made.y_true, 9)
    before = v.remaining()
    work(v, made.y_true, 1)
    assert v.standing.n_decisions == 10
    v.undo()
    assert v.standing.n_decisions == 0
    np.testing.assert_array_equal(v.remaining(), before)


def test_accuracy_is_not_known_before_enough_random_documents_are_decided():
    made = make(n=400)
    v = satc.Validation(made.scores)
    work(v, made.y_true, 80)  # of the ranking: they do not count
    with pytest.raises(NotKnownYetError, match=f"about {LEAST_DRAWN} more random documents"):
        v.accuracy()
    for _ in range(LEAST_DRAWN - 1):
        i = v.draw()
        v.submit(i, made.y_true[i])
    for ask in (v.accuracy, v.outlook, lambda: v.plan(0.9)):
        with pytest.raises(NotKnownYetError, match="about 1 more random document must"):
            ask()
    i = v.draw()
    assert v.is_taken(i)
    v.submit(i, made.y_true[i])
    found = v.accuracy()
    assert 0 <= found.low < found.value < found.high <= 1
    assert v.plan(0.5).documents == 0


def test_more_random_documents_make_the_interval_narrower():
    made = make(n=1500, seed=1)
    v = satc.Validation(made.scores)
    widths = []
    for n in (60, 240):
        while sum(v.is_validated) < n:
            i = v.draw()
            v.submit(i, made.y_true[i])
        found = v.accuracy()
        widths.append(found.high - found.low)
    assert widths[1] < widths[0]


def test_draws_are_random_and_depend_on_the_seed():
    made = make(n=200)

    def drawn(seed):
        v = satc.Validation(made.scores, random_state=seed)
        return [v.draw() for _ in range(20)]

    assert drawn(1) == drawn(1)
    assert drawn(1) != drawn(2)
    assert len(set(drawn(3))) == 20


@pytest.mark.slow
def test_the_interval_covers_the_true_value():
    covered = []
    for seed in range(20):
        made = make(n=1200, m=6, seed=seed)
        v = satc.Validation(made.scores, random_state=seed)
        rng = np.random.default_rng(seed)
        n_drawn = 0
        while n_drawn < 60:
            is_draw = rng.random() < 0.3
            i = v.draw() if is_draw else v.next()
            v.submit(i, made.y_true[i])
            n_drawn += is_draw
        truth = f1_score(made.y_true, v.labels, average="macro", zero_division=1.0)
        found = v.accuracy()
        covered.append(found.low <= truth <= found.high)
    assert sum(covered) >= 17


def test_a_document_that_is_given_back_is_not_random_any_more():
    v = satc.Validation(make(n=60).scores)
    seen = set()
    for _ in range(200):
        i = v.draw()
        seen.add(i)
        v.give_back(i)
    assert len(seen) > 50
    i = v.draw()
    assert v.is_taken(i)


def test_when_everything_is_decided_the_accuracy_is_known():
    made = make(n=20)
    v = satc.Validation(made.scores)
    work(v, made.y_true, 15)
    with pytest.raises(NotKnownYetError, match="about 5 more random documents"):
        v.accuracy()
    work(v, made.y_true, 5)
    found = v.accuracy()
    assert found.low == found.value == found.high == 1.0


def test_there_is_no_estimate_while_the_probabilities_are_a_prior():
    made = make(n=200)
    v = satc.Validation(made.scores)
    nothing = np.zeros(5, dtype=int)
    for _ in range(LEAST_DRAWN):
        v.submit(v.draw(), nothing)  # no label was ever seen
    assert v.standing.n_decisions == 0
    for ask in (v.accuracy, v.plug_in_accuracy):
        with pytest.raises(NotKnownYetError):
            ask()


@pytest.mark.parametrize("n_known", [1, 12, 49])
def test_with_few_known_documents_it_is_a_cold_start_that_has_begun(n_known):
    made = make(n=200)
    few = {"oof_scores": made.oof_scores[:n_known], "y_train": made.y_train[:n_known]}
    with pytest.warns(satc.errors.CalibrationWarning, match="start from a prior"):
        v = satc.Validation(made.scores, **few)
    assert v.model.method.name == "contextual"
    learnt = n_known if n_known >= 10 else 0
    assert v.standing.n_decisions == learnt
    work(v, made.y_true, 10)
    assert v.standing.n_decisions == n_known + 10
