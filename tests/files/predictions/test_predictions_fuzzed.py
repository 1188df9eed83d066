"""Files of any content: predictions are finite scores, or one line that names the file."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hostile import damaged
from satc.errors import DataError
from satc.files.predictions import KINDS, read_prediction_set, read_predictions

pytestmark = pytest.mark.filterwarnings("ignore::satc.errors.GuessedFormatWarning")

NAMES = st.sampled_from(
    ["id", "document", "text", "class", "probability", "score", "logit", "labels", "label", "x",
     "y", "confidence", "probabilities", "predictions", "label_1", "label_2", "vote_a",
     "true_label"]
)  # fmt: skip
CELLS = st.one_of(
    st.sampled_from(["", "a", "x", "x|y", "|", "0.3", "1", "80%", "%", "0,3", "1,234",
                     "nan", "-inf", "1e999",
                     "high", '{"x": 0.8}', '{"x": 0.8', "[", '[{"label": "x", "score": 0.4}]',
                     "[[]]", "{}"]),
    st.text(max_size=6),
    st.floats(-1, 2).map(str),
)  # fmt: skip
VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.sampled_from("abxy"), CELLS),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(st.sampled_from(["x", "y", "label", "score"]), inner, max_size=3),
    ),
    max_leaves=4,
)


def check(path, kind=None, task=None):
    table, message = None, ""
    try:
        table = read_predictions(path, kind, task=task)
    except DataError as error:
        message = str(error)
    assert table is not None or path.name in message
    if table is not None:
        assert np.isfinite(table.scores).all()
        assert table.scores.shape[1] == len(table.classes) == len(set(table.classes))
        assert table.ids is None or len(table.ids) == len(table.scores) == len(set(table.ids))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("predictions")


FUZZED = settings(max_examples=300, deadline=None, suppress_health_check=list(HealthCheck))
KIND = st.sampled_from([None, *KINDS])
TASK = st.sampled_from([None, "multi-label", "single-label"])


@pytest.mark.slow
@FUZZED
@given(st.lists(NAMES, min_size=1, max_size=5), st.data(), KIND, TASK)
def test_any_cells_are_read_or_refused(folder, header, data, kind, task):
    row = st.lists(CELLS, min_size=len(header), max_size=len(header))
    rows = data.draw(st.lists(row, max_size=4))
    quoted = [
        ",".join('"' + cell.replace('"', '""') + '"' for cell in one) for one in [header, *rows]
    ]
    path = folder / "cells.csv"
    path.write_bytes("\n".join(quoted).encode("utf-8", "replace"))
    check(path, kind, task)


@pytest.mark.slow
@FUZZED
@given(st.lists(st.dictionaries(NAMES, VALUES, max_size=5), max_size=4), KIND, TASK, st.booleans())
def test_any_json_is_read_or_refused(folder, rows, kind, task, as_list):
    path = folder / ("values.json" if as_list else "values.jsonl")
    lines = json.dumps(rows) if as_list else "".join(json.dumps(row) + "\n" for row in rows)
    path.write_text(lines, encoding="utf-8")
    check(path, kind, task)


GOOD = (
    b"id,class,probability\na,x,0.8\na,y,10%\nb,x,0.3\n",
    b"id,text,x,y\na,one,0.2,0.8\nb,two,0.6,0.4\n",
    b'id,labels,probabilities\na,x|y,"{""x"": 0.8, ""y"": 0.7}"\nb,,0.5\n',
    b"id,label_1,label_2\na,x,y\nb,y,\n",
)


@pytest.mark.slow
@pytest.mark.parametrize("content", GOOD)
@FUZZED
@given(data=st.data())
def test_a_damaged_file_of_predictions_is_read_or_refused(folder, content, data):
    path = folder / "damaged.csv"
    path.write_bytes(data.draw(damaged(content)))
    check(path)


@pytest.mark.slow
@FUZZED
@given(st.lists(NAMES, min_size=1, max_size=4), st.data(), TASK)
def test_any_known_documents_are_read_or_refused(folder, header, data, task):
    (folder / "p.csv").write_bytes(GOOD[1])
    row = st.lists(CELLS, min_size=len(header), max_size=len(header))
    rows = data.draw(st.lists(row, max_size=3))
    quoted = [
        ",".join('"' + cell.replace('"', '""') + '"' for cell in one) for one in [header, *rows]
    ]
    path = folder / "known.csv"
    path.write_bytes("\n".join(quoted).encode("utf-8", "replace"))
    try:
        found = read_prediction_set(folder / "p.csv", known=path, task=task)
    except DataError:
        return
    assert found.training.n_documents
    assert np.isfinite(found.training.oof_scores).all()
