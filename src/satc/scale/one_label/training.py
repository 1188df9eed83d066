"""Labelled pairs in a table of the engine, where every document has exactly one label."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import ibis
import numpy as np
import pyarrow as pa

from satc.decisions import LEAST_SHARE, OneLabelRule
from satc.errors import DataError
from satc.scale.decisions import membership_probability
from satc.scale.engines import Engine
from satc.scale.exact import number


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
        table = table.mutate(alone=membership_probability(table.score, sigma)).view()
        total = table.alone.sum().over(ibis.window(group_by="document"))
        table = table.mutate(p=table.alone / total).view()
        most = table.p.max().over(ibis.window(group_by="document"))
        chosen = table.slope * table.p + table.offset
        value = ibis.ifelse(table.p >= number(LEAST_SHARE) * most, chosen, number(-np.inf))
    table = table.mutate(value=value).view()
    best = ibis.window(group_by="document", order_by=[ibis.desc(table.value), table.place])
    return table.mutate(decided=ibis.row_number().over(best) == 0).view()
