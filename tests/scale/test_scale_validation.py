import numpy as np
import pytest
from stored_made import ids_of, write_long, write_wide

import satc
from made import make
from satc import scale
from satc.errors import DataError, StateError


@pytest.fixture(scope="module")
def engine():
    with scale.connect("duckdb", memory="1GB", threads=2) as engine:
        yield engine


def _stored(engine, made, folder, form="long"):
    write = {"long": write_long, "wide": write_wide}[form]
    return scale.stored_scores(engine, write(folder / f"{form}.parquet", made.scores))


def _validate(validation, made, n):
    row = {identity: i for i, identity in enumerate(ids_of(len(made.scores)))}
    for _ in range(n):
        identity = validation.next()
        validation.submit(identity, made.y_true[row[identity]])
    return [row[identity] for identity in validation.order]


@pytest.mark.parametrize("average", ["macro", "micro"])
@pytest.mark.parametrize("measure", ["f1", "g-mean"])
@pytest.mark.parametrize(("tied", "form"), [(False, "long"), (True, "wide")])
def test_the_order_is_that_of_everything_in_memory(engine, tmp_path, average, measure, tied, form):
    made = make(160, 5, seed=4, tied=tied)
    options = {"method": "u-theoretic-dynamic", "measure": measure, "average": average}
    memory = satc.simulate(made.scores, made.y_true, **made.training, **options)
    validation = scale.StoredValidation(
        _stored(engine, made, tmp_path, form), **made.training, **options, hold=25
    )
    order = _validate(validation, made, 160)
    assert order == memory.order.tolist()
    assert validation.next() is None


def test_most_documents_stay_outside_while_the_first_are_validated(engine, tmp_path):
    made = make(2_000, 5, seed=4)
    validation = scale.StoredValidation(_stored(engine, made, tmp_path), **made.training, hold=300)
    memory = satc.simulate(made.scores, made.y_true, **made.training, method="u-theoretic-dynamic")
    assert _validate(validation, made, 60) == memory.order[:60].tolist()
    assert validation.n_held < 1_000
    assert validation.n_fetches < 10


def test_no_document_outside_is_above_the_bound(engine, tmp_path):
    made = make(300, 5, seed=8)
    validation = scale.StoredValidation(_stored(engine, made, tmp_path), **made.training, hold=40)
    for _ in range(30):
        _validate(validation, made, 1)
        held = set(validation._ids)
        wrong = 1 / (1 + np.exp(validation._sigma * np.abs(made.scores)))
        utility = (wrong * np.where(made.scores >= 0, *validation._gains)).sum(axis=1)
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
    with pytest.raises(ValueError, match="method must be one of 'u-theoretic-dynamic'"):
        scale.StoredValidation(
            _stored(engine, made, tmp_path), **made.training, method="contextual-dynamic"
        )
    made.scores[3, 1] = np.inf
    stored = _stored(engine, made, tmp_path / "broken")
    with pytest.raises(DataError, match="'d00003' for 'c1' is inf"):
        scale.StoredValidation(stored, **made.training).next()
