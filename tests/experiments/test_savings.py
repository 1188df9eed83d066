import pytest

from made import make
from satc import simulate
from satc.experiments.savings import accuracy_at, checks_needed, savings


def test_the_checks_needed_are_counted_to_the_target_and_no_further():
    curve = [0.0, 0.5, 0.8, 0.8, 1.0]
    assert [checks_needed(curve, share) for share in (0.5, 0.51, 0.8, 1.0)] == [1, 2, 2, 4]
    with pytest.raises(ValueError, match="target must be a share above 0 and up to 1, but is 0"):
        checks_needed(curve, 0)


def test_accuracy_at_a_target_is_between_the_classifiers_and_1():
    made = make(seed=1)
    sim = simulate(made.scores, made.y_true, **made.training, method="u-theoretic")
    assert accuracy_at(sim, 1.0) == 1.0
    n = checks_needed(sim.error_reduction, 0.6)
    assert 1 - sim.reduction.residual_error[n] >= accuracy_at(sim, 0.6) - 1e-9


def test_all_methods_start_at_one_error_and_their_checks_are_counted():
    made = make(seed=1)
    names = ("oracle2", "baseline", "random")
    played = {
        name: simulate(made.scores, made.y_true, **made.training, method=name) for name in names
    }
    found = {one.name: one for one in savings(played, 0.8)}
    assert list(found) == list(names)
    assert found["oracle2"].documents < found["baseline"].documents
    assert found["random"].share == found["random"].documents / 60


def test_the_target_of_chosen_labels_is_a_share_of_the_classifiers_own_error():
    made = make(seed=1)
    signs = simulate(made.scores, made.y_true, **made.training)
    chosen = simulate(made.scores, made.y_true, **made.training, decide="measure")
    assert chosen.value[0] != signs.value[0]
    assert accuracy_at(chosen, 0.0) == pytest.approx(signs.value[0])
    assert accuracy_at(chosen, 0.8) == pytest.approx(accuracy_at(signs, 0.8))
    (one,) = savings({"chosen": chosen}, 0.8)
    assert one.documents == chosen.documents_for(accuracy_at(signs, 0.8))
