"""Ranking from texts, for the command: a table that a person can work through in a spreadsheet.

Beside rank, document and utility, as where scores are ranked, it has the predicted labels; the
class that is most worth a look, because it adds most to the utility, with the probability that the
decision on it is wrong; the text, and whatever columns the documents came with.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from satc.datasets.files import Documents
    from satc.ranking import Ranking
    from satc.workbench.sources import LearnerSource

_SHORT = ("rank", "document", "utility", "predicted", "doubtful", "probability_wrong")
_OURS = (*_SHORT, "text")


def ranked_texts(source: LearnerSource, top: int | None, **options: Any) -> dict[str, list[Any]]:
    """Train, classify and rank, with progress; the options are those of `satc.rank`."""
    from satc.cli.show import steps
    from satc.datasets.files import read_documents

    with steps() as progress:
        progress("reading the documents", 0, None)  # first: a fault in them costs no training
        documents = read_documents(source.documents, **source.columns.as_dict())
        classes, _ = source.prepare(progress)
        progress(f"classifying and ranking {len(documents):,} documents", 0, None)
        ranking = source.ranked(documents, **options)
        return _columns(documents, classes, ranking, top)


def _columns(
    documents: Documents, classes: tuple[str, ...], ranking: Ranking, top: int | None
) -> dict[str, list[Any]]:
    from satc.workbench.exchange.columns import renamed

    order = ranking.order[:top].tolist()
    extra = {
        name: [values[i] for i in order] for name, values in renamed(documents.extra, _OURS).items()
    }
    return {
        "rank": list(range(1, len(order) + 1)),
        "document": [documents.ids[i] for i in order],
        "utility": ranking.utility[order].tolist(),
        "predicted": _predicted(ranking, classes, order),
        **_doubtful(ranking, classes, order),
        "text": [documents.texts[i] for i in order],
        **extra,
    }


def joined(columns: dict[str, list[Any]], separator: str) -> dict[str, list[Any]]:
    """Join the predicted labels, for cells of CSV and for the screen."""
    return columns | {"predicted": [separator.join(names) for names in columns["predicted"]]}


def on_screen(columns: dict[str, list[Any]]) -> dict[str, list[Any]]:
    """Leave out what is too wide: the texts, and what the documents came with."""
    return {name: columns[name] for name in _SHORT if name in columns}


def _predicted(ranking: Ranking, classes: tuple[str, ...], order: list[int]) -> list[list[str]]:
    decided = ranking.setting.scores >= 0
    return [[classes[j] for j in decided[i].nonzero()[0]] for i in order]


def _doubtful(ranking: Ranking, classes: tuple[str, ...], order: list[int]) -> dict[str, list[Any]]:
    """Name the class that adds most to each document's utility; the random ranker has none."""
    import numpy as np

    if ranking.setting.misclassification is None:
        return {}
    decided = ranking.setting.scores >= 0
    wrong = np.where(decided, 1.0 - ranking.probability, ranking.probability)
    first = (wrong * np.where(decided, *ranking.setting.gains)).argmax(axis=1)
    return {
        "doubtful": [classes[first[i]] for i in order],
        "probability_wrong": [round(float(wrong[i, first[i]]), 4) for i in order],
    }
