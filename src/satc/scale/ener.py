"""ENER of a stored ranking, if the true labels are stored too (Equation 11).

The correction of a wrong decision lowers the error of its class. How much, the *drop*, depends on
how many decisions on the class were corrected before. The engine counts these with a window
function along the ranking. The measure computes the drops in Python, and they are summed batch by
batch.
"""

from __future__ import annotations

from typing import Any

import ibis
import numpy as np
import pyarrow as pa

from satc.contingency import ContingencyTables
from satc.errors import DataError
from satc.evaluation.stopping import persistence
from satc.inputs import SINGLE_LABEL
from satc.measures import Measure, evaluate, parse
from satc.scale.one_label.training import check_one_label_each
from satc.scale.ranking import StoredRanking
from satc.scale.stored import StoredScores


def ener(
    ranking: StoredRanking,
    labels: Any,
    xi: float = 0.10,
    *,
    measure: str | Measure = "f1",
    average: str = "macro",
) -> float:
    """Return the expected normalised error reduction of a stored ranking.

    Parameters
    ----------
    ranking : StoredRanking
        From `rank`.
    labels : Ibis table
        The true labels: one row (``document``, ``class``) for each label.
    xi : float
        The fraction of the documents that the annotator is expected to validate.
    measure, average
        The measure and the average to evaluate.
    """
    if missing := [name for name in ("document", "class") if name not in labels.columns]:
        raise DataError(f"labels must have the column {missing[0]!r}, but do not have it")
    scores, n = ranking.scores, ranking.scores.n_documents
    ranking.top(1)  # raises an error if a document cannot be ranked
    if ranking.model.task == SINGLE_LABEL:
        check_one_label_each(scores.engine, labels, scores.table)
    p = persistence(xi, n)
    decisions = _decisions(ranking, labels)
    tables = _tables(scores, decisions, n, average)
    total = reached = 0.0
    for batch in scores.engine.batches(_corrections(ranking, decisions, average)):
        drop = _drops(batch, tables, parse(measure))
        total += float(drop.sum())
        reached += float(np.dot(drop, np.power(p, np.asarray(batch["place"], dtype=float))))
    if total == 0.0:
        return 0.0
    mean = 1.0 if p == 1.0 else (1.0 - p**n) / (n * (1.0 - p))
    return reached / total - mean


def _decisions(ranking: StoredRanking, labels: Any) -> Any:
    """Expression: document, column of the class, decided, label; for pairs with either label."""
    names = list(ranking.scores.classes)
    places = ranking.scores.engine.temporary_table(
        pa.table({"name": names, "column": list(range(len(names)))})
    )
    both = _marked(ranking.labels, 1, 0).union(_marked(labels, 0, 1))
    both = both.group_by("document", "name").aggregate(
        decided=both.decided.max() == 1, label=both.label.max() == 1
    )
    return both.join(places, "name").select("document", "column", "decided", "label")


def _marked(labels: Any, decided: int, label: int) -> Any:
    return labels.select(
        "document",
        name=labels["class"].cast("string"),
        decided=ibis.literal(decided, "int64"),
        label=ibis.literal(label, "int64"),
    )


def _tables(scores: StoredScores, decisions: Any, n: int, average: str) -> ContingencyTables:
    decided, label = decisions.decided, decisions.label
    counts = scores.engine.run(
        decisions.group_by("column").aggregate(
            tp=(decided & label).cast("int64").sum(),
            fp=(decided & ~label).cast("int64").sum(),
            fn=(~decided & label).cast("int64").sum(),
        )
    ).to_pydict()
    cells = np.zeros((4, len(scores.classes)))
    cells[:3, counts["column"]] = [counts[name] for name in ("tp", "fp", "fn")]
    cells[3] = n - cells[:3].sum(axis=0)
    tables = ContingencyTables(*cells)
    return tables.pooled() if average == "micro" else tables


def _corrections(ranking: StoredRanking, decisions: Any, average: str) -> Any:
    """Expression: the wrong decisions, the rank of their document, and the corrections before."""
    order = ranking.expression
    window = ibis.window(order_by=[ibis.desc(order.utility), order.document])
    order = order.select("document", place=ibis.row_number().over(window))
    wrong = decisions.filter(decisions.decided != decisions.label).join(order, "document")
    wrong = wrong.mutate(is_fp=wrong.decided.cast("int64"))
    wrong = wrong.mutate(group=ibis.literal(0) if average == "micro" else wrong["column"])
    before = ibis.cumulative_window(group_by="group", order_by=[wrong.place, wrong["column"]])
    return wrong.select(
        "place",
        "group",
        "is_fp",
        fp_before=wrong.is_fp.sum().over(before) - wrong.is_fp,
        fn_before=(1 - wrong.is_fp).sum().over(before) - (1 - wrong.is_fp),
    )


def _drops(batch: Any, tables: ContingencyTables, measure: Measure) -> Any:
    group = np.asarray(batch["group"], dtype=int)
    is_fp, fp, fn = (
        np.asarray(batch[name], dtype=np.float64) for name in ("is_fp", "fp_before", "fn_before")
    )
    cells = [cell[group] for cell in tables]
    before = [cells[0] + fn, cells[1] - fp, cells[2] - fn, cells[3] + fp]
    is_fn = 1.0 - is_fp
    after = [before[0] + is_fn, before[1] - is_fp, before[2] - is_fn, before[3] + is_fp]
    return evaluate(measure, *after) - evaluate(measure, *before)
