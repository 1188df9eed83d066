"""Generated predictions of every kind, as tables, and the scores that they are in memory."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from one_label_made import make_single
from scipy.special import expit, softmax
from stored_made import classes_of, ids_of

from made import Made, make
from satc import predictions

SINGLE, MULTI = "single-label", "multi-label"
N, M = 200, 5
NAMES = np.array(classes_of(M))
VOTERS = ("anna", "ben", "cem")
# The words and numbers of confidences, of which a text and a number mean the same.
WORDS = ["high", "80%", " Likely ", "0.55", "very low", "unsure", "certain"]
THRESHOLDS = [0.6, 0.3, 0.5, 0.7, 0.45]
CASES = [
    ("probabilities", MULTI, "long"),
    ("probabilities", MULTI, "wide"),
    ("probabilities", SINGLE, "long"),
    ("logits", MULTI, "long"),
    ("logits", SINGLE, "wide"),
    ("labels", MULTI, "labels"),
    ("labels", SINGLE, "label"),
    ("scores", MULTI, "wide"),
    ("labels", MULTI, "joined"),
    ("votes", MULTI, "labels_"),
    ("votes", MULTI, "labels"),
    ("votes", MULTI, "class"),
    ("votes", SINGLE, "label_"),
    ("votes", SINGLE, "label"),
    ("confidences", MULTI, "labels"),
    ("confidences", MULTI, "lists"),
    ("confidences", MULTI, "joined"),
    ("confidences", MULTI, "class"),
    ("confidences", SINGLE, "label"),
    ("confidences", SINGLE, "class"),
    ("confidences", MULTI, "record"),
    ("confidences", MULTI, "map"),
    ("confidences", MULTI, "outputs"),
    ("confidences", SINGLE, "record"),
    ("confidences", SINGLE, "outputs"),
]
DECIDED = [  # one of each kind and task, for labels that are chosen for the measure
    ("probabilities", MULTI, "long"),
    ("probabilities", SINGLE, "long"),
    ("labels", MULTI, "labels"),
    ("labels", SINGLE, "label"),
    ("votes", MULTI, "labels_"),
    ("votes", SINGLE, "label"),
    ("confidences", MULTI, "lists"),
    ("confidences", SINGLE, "class"),
]


class Predicted(NamedTuple):
    table: pa.Table  # what is stored
    options: dict[str, Any]  # of `stored_predictions`
    made: Made  # the scores of memory

    def options_of(self, method):
        """Return the options of a ranking by this method.

        Ties among voters, and labels of little confidence, have scores of about 0.001. The sigma of
        such training documents is some hundreds, and most utilities are 0, so they get another one.
        """
        small = self.options["kind"] in ("votes", "confidences") and method == "u-theoretic"
        return {"method": method, **({"sigma": 2.0} if small else {})}


def predicted(kind, task, form):
    """Return predictions of a kind, and what they are in memory."""
    made = make(N, M, seed=5) if task == MULTI else make_single(N, M, seed=5)
    make_one = {"votes": _votes, "confidences": _confidences}.get(kind, _numbers)
    options = {"task": task}
    if kind in ("probabilities", "logits") and task == MULTI:
        options["threshold"] = 0.6 if form == "wide" else THRESHOLDS
    table, scores = make_one(made.scores, kind, form, options)
    _, oof_scores = make_one(made.oof_scores, kind, form, options)
    return Predicted(
        table,
        {"kind": kind, "classes": classes_of(M), **options},
        made._replace(scores=scores, oof_scores=oof_scores),
    )


def stored_table(scores, kind, task, form):
    """Return predictions of a kind that were made from scores, as they are stored."""
    make_one = {"votes": _votes, "confidences": _confidences}.get(kind, _numbers)
    return make_one(scores, kind, form, {"task": task})[0]


def _numbers(scores, kind, form, options):
    values = _values(scores, kind, options["task"])
    if kind != "scores":
        scores = getattr(predictions, f"from_{kind}")(values, **options)
    return _table(values, form), scores


def _values(scores, kind, task):
    if kind == "probabilities":
        return expit(scores) if task == MULTI else softmax(scores, axis=1)
    return _labels(scores, task) if kind == "labels" else scores


def _labels(scores, task):
    """Return the labels of scores as a matrix: of all that are positive, or of the largest."""
    return scores >= 0 if task == MULTI else np.eye(M, dtype=bool)[scores.argmax(axis=1)]


def _table(values, form):
    ids = ids_of(len(values))
    if form == "wide":
        return pa.table({"document": ids, **dict(zip(NAMES, values.T, strict=True))})
    if form == "label":
        return pa.table({"document": ids, "label": NAMES[values.argmax(axis=1)]})
    if form in ("labels", "joined"):
        lists = _names(values)
        if form == "joined":
            return pa.table({"document": ids, "labels": list(map(" | ".join, lists))})
        return pa.table({"document": ids, "labels": pa.array(lists, pa.list_(pa.string()))})
    column = "probability" if values.max() <= 1 and values.min() >= 0 else "logit"
    pairs = {"document": np.repeat(ids, M), "class": np.tile(NAMES, len(ids))}
    return pa.table({**pairs, column: values.ravel()})


def _names(labels):
    return [NAMES[row].tolist() for row in labels]


def _votes(scores, kind, form, options):
    """Let three voters see the scores with noise of their own; some have not seen a document."""
    rng, task = np.random.default_rng(1), options["task"]
    votes = []
    for k, _ in enumerate(VOTERS):
        names = _names(_labels(scores + rng.normal(0, 1, scores.shape), task))
        unseen = rng.random(len(names)) < (0.3 if k else 0)
        votes.append([None if away else one for away, one in zip(unseen, names, strict=True)])
    table = _wide_votes(votes, form) if form.endswith("_") else _long_votes(votes, form)
    return table, predictions.from_votes(votes, classes_of(M), task=task)


def _wide_votes(votes, form):
    if form == "label_":
        votes = [[one and one[0] for one in voter] for voter in votes]
    kind = pa.string() if form == "label_" else pa.list_(pa.string())
    columns = {
        f"{form}{name}": pa.array(one, kind) for name, one in zip(VOTERS, votes, strict=True)
    }
    return pa.table({"document": ids_of(len(votes[0])), **columns})


def _long_votes(votes, form):
    rows = [
        {"document": identity, "voter": voter, form: one}
        for voter, given in zip(VOTERS, votes, strict=True)
        for identity, names in zip(ids_of(len(given)), given, strict=True)
        if names is not None
        for one in {"labels": [names], "label": names, "class": names or [None]}[form]
    ]
    kind = pa.list_(pa.string()) if form == "labels" else pa.string()
    fields = [("document", pa.string()), ("voter", pa.string()), (form, kind)]
    return pa.Table.from_pylist(rows, pa.schema(fields))


def _confidences(scores, kind, form, options):
    """Give every label, or every document, a confidence that has nothing to do with the scores."""
    rng, task = np.random.default_rng(2), options["task"]
    labels = _names(_labels(scores, task))
    if form in ("record", "map", "outputs"):
        return _by_class(labels, form, task, rng)
    each = form in ("lists", "joined", "class")  # a confidence for each label
    given = [rng.choice(WORDS, max(len(one), 1)).tolist() for one in labels]
    if form == "lists":
        given = [
            [_meaning(one) for one in some[: len(names)]]
            for some, names in zip(given, labels, strict=True)
        ]
    if not each:
        given = [some[:1] for some in given]
    table = _table_of_confidences(labels, given, form)
    return table, predictions.from_confidences(
        labels,
        [_in_memory(names, some, each) for names, some in zip(labels, given, strict=True)],
        classes_of(M),
        task=task,
    )


def _by_class(labels, form, task, rng):
    """Give some classes a probability, which are labels or not; in a single-label task, up to 1."""
    p = rng.random((len(labels), M)).round(3)
    if task == SINGLE:
        p = p / p.sum(axis=1, keepdims=True)
    unnamed = rng.random(p.shape) < 0.4
    unnamed[0] = False
    given = [
        {name: float(one) for name, one, out in zip(NAMES, *row, strict=True) if not out}
        for row in zip(p, unnamed, strict=True)
    ]
    scores = predictions.from_confidences(labels, given, classes_of(M), task=task)
    kinds = {
        "record": pa.struct([(name, pa.float64()) for name in NAMES]),
        "map": pa.map_(pa.string(), pa.float64()),
        "outputs": pa.list_(pa.struct([("label", pa.string()), ("score", pa.float64())])),
    }
    cells = {
        "record": given,
        "map": [list(one.items()) for one in given],
        "outputs": [[{"label": k, "score": v} for k, v in one.items()] for one in given],
    }
    columns = {
        "labels": pa.array(labels, pa.list_(pa.string())),
        "probabilities": pa.array(cells[form], kinds[form]),
    }
    return pa.table({"document": ids_of(len(labels)), **columns}), scores


def _meaning(text):
    """Return the number that a text means."""
    text = text.strip().lower()
    if text in predictions.WORDS:
        return predictions.WORDS[text]
    return float(text[:-1]) / 100 if text.endswith("%") else float(text)


def _in_memory(names, given, each):
    """Return the confidence of one document, as `from_confidences` takes it."""
    numbers = [one if isinstance(one, float) else _meaning(one) for one in given]
    if each and (names or not numbers):
        return dict(zip(names, numbers, strict=True))
    return numbers[0]


def _table_of_confidences(labels, given, form):
    ids = ids_of(len(labels))
    lists = pa.array(labels, pa.list_(pa.string()))
    if form == "class":
        rows = [
            {"document": identity, "class": name, "confidence": one}
            for identity, names, some in zip(ids, labels, given, strict=True)
            for name, one in zip(names or [None], some, strict=True)
        ]
        return pa.Table.from_pylist(rows)
    if form == "lists":
        confidences = pa.array(given, pa.list_(pa.float64()))
        return pa.table({"document": ids, "labels": lists, "confidences": confidences})
    if form == "joined":
        texts = {"labels": map("|".join, labels), "confidence": map("|".join, given)}
        return pa.table({"document": ids, **{name: list(one) for name, one in texts.items()}})
    first = [one[0] for one in given]
    if form == "labels":
        return pa.table({"document": ids, "labels": lists, "confidence": first})
    return pa.table({"document": ids, "label": [one[0] for one in labels], "confidence": first})
