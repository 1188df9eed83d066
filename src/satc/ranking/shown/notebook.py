"""The first documents of a ranking as a table, for notebooks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from satc.measures import display_name
from satc.printed.notebook import notebook_table
from satc.ranking.shown.doubts import column_of, doubts
from satc.ranking.shown.frame import class_names, predicted

if TYPE_CHECKING:
    from satc.ranking.ranking import Ranking

SHOWN = 10  # documents


def ranking_html(ranking: Ranking) -> str:
    """Return the table of the first documents; probabilities of the others are not computed."""
    documents, model = ranking.documents, ranking.documents.model
    names, rows = class_names(documents, None), []
    has_doubts = documents.misclassification is not None
    for rank, i in enumerate(ranking.order[:SHOWN].tolist(), start=1):
        labels = predicted(documents, documents.decided_on(i), names)
        row = [str(rank), str(i), f"{ranking.utility[i]:.4g}"]
        row.append(", ".join(map(str, labels)) if isinstance(labels, list) else str(labels))
        if (found := doubts(documents, slice(i, i + 1))) is not None:
            row += [str(names[found.classes[0]]), f"{found.wrong[0]:.3f}"]
        rows.append(row)
    header = ["rank", "document", "utility", "predicted"]
    header += [column_of(documents), "probability_wrong"] if has_doubts else []
    measure = display_name(model.measure, model.average, model.task)
    first = f", the first {len(rows)}" if len(rows) < len(ranking.order) else ""
    caption = f"{len(ranking.order):,} documents by {model.method.name} for {measure}{first}"
    return notebook_table(caption, header, rows)
