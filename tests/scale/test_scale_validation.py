import numpy as np
import pytest
from stored_made import ids_of, write_long, write_wide

import satc
from made import make
from satc import scale
from satc.errors import DataError, StateError


def _stored(engine, made, folder, form="long"):
    write = {"long": write_long, "wide": write_wide}[form]
    return scale.stored_scores(engine, write(folder / f"{form}.parquet", made.scores))


def _validate(validation, made, n):
    row = {identity: i for i, identity in enumerate(ids_of(len(made.scores)))}
    for _ in range(n):
        identity = validation.next()
        validation.submit(identity, made.y_true[row[identity]])
    return [row[identity] for identity in validation.order]


@pytest.mark.slow
@pytest.mark.parametrize("average", ["macro", "micro"])
@pytest.mark.parametrize("measure", ["f1", "g-mean"])
@pytest.mark.parametrize(("tied", "form"), [(False, "long"), (True, "wide")])
@pytest.mark.parametrize("method", ["u-theoretic-dynamic", "contextual-dynamic"])
def test_the_order_is_that_of_everything_in_memory(
    engine, tmp_path, method, average, measure, tied, form
):
    made = make(160, 5, seed=4, tied=tied)
    options = {"method": method, "measure": measure, "average": average}
    memory = satc.simulate(made.scores, made.y_true, **made.training, **options)
    validation = scale.StoredValidation(
        _stored(engine, made, tmp_path, form), **made.training, **options, hold=25
    )
    order = _validate(validation, made, 160)
    assert order == memory.order.tolist()
    assert validation.next() is None


@pytest.mark.parametrize("method", ["baseline", "u-theoretic", "contextual"])
def test_a_fixed_order_is_fetched_as_it_is_needed(engine, tmp_path, method):
    made = make(90, 4, seed=6)
    memory = satc.simulate(made.scores, made.y_true, **made.training, method=method)
    validation = scale.StoredValidation(
        _stored(engine, made, tmp_path), **made.training, method=method, hold=20
    )
    assert _validate(validation, made, 90) == memory.order.tolist()
    assert validation.n_fetches == 5


@pytest.mark.slow
@pytest.mark.parametrize("method", ["u-theoretic-dynamic", "contextual-dynamic"])
def test_weights_of_classes_and_errors_change_the_order_alike(engine, tmp_path, method):
    made = make(120, 5, seed=7)
    weights = {"class_weights": [1, 5, 1, 0.5, 2], "error_costs": (1, 3), "method": method}
    memory = satc.Validation(made.scores, **made.training, **weights)
    while (best := memory.next()) is not None:
        memory.submit(best, made.y_true[best])
    stored = _stored(engine, made, tmp_path)
    validation = scale.StoredValidation(stored, **made.training, **weights, hold=20)
    assert _validate(validation, made, 120) == memory.order.tolist()
    plain = scale.StoredValidation(stored, **made.training, method=method, hold=20)
    assert _validate(plain, made, 120) != memory.order.tolist()


@pytest.mark.parametrize("method", ["u-theoretic-dynamic", "contextual-dynamic"])
def test_most_documents_stay_outside_while_the_first_are_validated(engine, tmp_path, method):
    made = make(2_000, 5, seed=4)
    stored = _stored(engine, made, tmp_path)
    validation = scale.StoredValidation(stored, **made.training, method=method, hold=300)
    memory = satc.simulate(made.scores, made.y_true, **made.training, method=method)
    assert _validate(validation, made, 60) == memory.order[:60].tolist()
    assert validation.n_held < 1_000
    assert validation.n_fetches < 10


@pytest.mark.parametrize("method", ["u-theoretic-dynamic", "contextual-dynamic"])
def test_no_document_outside_is_above_the_bound(engine, tmp_path, method):
    made = make(300, 5, seed=8)
    stored = _stored(engine, made, tmp_path)
    validation = scale.StoredValidation(stored, **made.training, method=method, hold=40)
    wrong = satc.rank(made.scores, **made.training, method=method).documents.misclassification
    for _ in range(30):
        _validate(validation, made, 1)
        held = set(validation._window.ids)
        gain = np.where(made.scores >= 0, *validation.gains)
        utility = (wrong.of_documents(slice(None)) * gain).sum(axis=1)
        outside = [u for i, u in zip(ids_of(300), utility, strict=True) if i not in held]
        assert max(outside) <= validation.bound() * (1 + 1e-9)


def test_undo_takes_decisions_back(engine, tmp_path):
    made = make(100, 4, seed=2)
    validation = scale.StoredValidation(_stored(engine, made, tmp_path), **made.training, hold=20)
    order = _validate(validation, made, 12)
    for _ in range(12):
        validation.undo()
    assert _validate(validation, made, 12) == order
    for _ in range(12):
        validation.undo()
    with pytest.raises(StateError, match="nothing to undo"):
        validation.undo()


def test_only_what_is_held_and_open_can_be_submitted(engine, tmp_path):
    made = make(30, 3, seed=2)
    validation = scale.StoredValidation(_stored(engine, made, tmp_path), **made.training, hold=5)
    first = validation.next()
    with pytest.raises(StateError, match="'nobody' is not held"):
        validation.submit("nobody", [0, 0, 0])
    with pytest.raises(ValueError, match="one entry per class, 3, but has 2"):
        validation.submit(first, [0, 0])
    validation.submit(first, [0, 0, 0])
    with pytest.raises(StateError, match="validated already"):
        validation.submit(first, [0, 0, 0])


def test_other_methods_and_broken_scores_are_refused(engine, tmp_path):
    made = make(30, 3, seed=2)
    with pytest.raises(ValueError, match="ranks without true labels at scale, but is 'oracle1'"):
        scale.StoredValidation(_stored(engine, made, tmp_path), **made.training, method="oracle1")
    made.scores[3, 1] = np.inf
    stored = _stored(engine, made, tmp_path / "broken")
    with pytest.raises(DataError, match="'d00003' has inf for class 'c1'"):
        scale.StoredValidation(stored, **made.training).next()


def test_documents_that_tie_are_not_fetched_before_their_turn(engine, tmp_path):
    made = make(100, 3, seed=2)
    made.scores[:] = made.scores[0]
    stored = _stored(engine, made, tmp_path)
    validation = scale.StoredValidation(stored, **made.training, method="u-theoretic", hold=20)
    assert _validate(validation, made, 20) == list(range(20))
    assert (validation.n_fetches, validation.n_held) == (1, 20)
