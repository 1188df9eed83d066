"""Labelled pairs in a table of the engine, where every document has exactly one label."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import ibis
import numpy as np
import pyarrow as pa

from satc.decisions import OneLabelRule
from satc.errors import DataError
from satc.scale.engines import Engine
from satc.scale.exact import number
from satc.scale.one_label.documents import alone_probability, is_likely, value_by_rule


def check_one_label_each(engine: Engine, labels: Any, documents: Any) -> None:
    """Raise an error if a document does not have exactly one row in the table of true labels."""
    counts = labels.group_by("document").aggregate(n=labels.count())
    known = documents.select("document").distinct()
    table = known.left_join(counts, known.document == counts.document)
    table = table.select("document", n=table.n.fill_null(0))
    wrong = engine.run(table.filter(table.n != 1).order_by("document").limit(1)).to_pylist()
    if wrong:
        raise DataError(
            "labels must have exactly one label for every document in a single-label task, but "
            f"document {wrong[0]['document']!r} has {wrong[0]['n']}"
        )


def one_label_pairs(
    engine: Engine,
    pairs: Any,
    classes: Sequence[str],
    sigma: float | None = None,
    rule: OneLabelRule | None = None,
) -> Any:
    """Expression: the pairs with the column ``decided``: by the largest score, or by a rule."""
    columns: dict[str, Any] = {"name": list(classes), "place": list(range(len(classes)))}
    if rule is not None:
        columns |= {"slope": rule.slope, "offset": rule.offset}
    places = engine.temporary_table(pa.table(columns))
    table = pairs.join(places, pairs["class"].cast("string") == places.name)
    value = table.score.cast("float64")
    if rule is not None and sigma is not None:
        table = _with_probabilities(table, sigma)
        value = ibis.ifelse(is_likely(table), value_by_rule(table), number(-np.inf))
    table = table.mutate(value=value).view()
    best = ibis.window(group_by="document", order_by=[ibis.desc(table.value), table.place])
    return table.mutate(decided=ibis.row_number().over(best) == 0).view()


def _with_probabilities(pairs: Any, sigma: float) -> Any:
    """Add the probability of each class alone; its sum and its largest value in the document."""
    document = ibis.window(group_by="document")
    score = pairs.score.cast("float64")
    alone = alone_probability(score, sigma, score.max().over(document))
    table = pairs.mutate(alone=alone).view()
    total, best = table.alone.sum().over(document), table.alone.max().over(document)
    return table.mutate(total=total, best_alone=best).view()
