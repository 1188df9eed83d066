"""Explain in one sentence why a stored document cannot be ranked."""

from __future__ import annotations

from collections import Counter
from math import isfinite
from typing import Any

from satc.scale.stored import StoredScores


def explain_flaw(scores: StoredScores, document: Any) -> str:
    """Return what is wrong with the stored pairs of a document."""
    rows = scores.engine.run(scores.table.filter(scores.table.document == document)).to_pydict()
    if document is None:
        return "scores must name the document in every row, but a row has none"
    if scores.is_long:
        names = map(str, rows["class"])
        return _of_pairs(scores, document, list(zip(names, rows["score"], strict=True)))
    pairs = [(name, value) for name in scores.classes for value in rows[name]]
    return _of_pairs(scores, document, pairs)


def _of_pairs(scores: StoredScores, document: Any, pairs: list[tuple[str, Any]]) -> str:
    known = set(scores.classes)
    for name, _ in pairs:
        if name not in known:
            return f"class {name!r} has no gains: it is not among the training classes"
    for name, score in pairs:
        if score is None and scores.absent is None:
            return (
                f"scores must not be missing, but document {document!r} has none for class {name!r}"
            )
        if score is None or not isfinite(score):
            return (
                f"scores must be finite, but document {document!r} has {score} for class {name!r}"
            )
    often, times = Counter(name for name, _ in pairs).most_common(1)[0]
    if times > 1:
        return (
            f"scores must have every pair once, but have document {document!r} with class "
            f"{often!r} {times} times"
        )
    missing = sorted(known - {name for name, _ in pairs})
    return (
        f"scores must have every pair of a document and a class, but lack {document!r} with "
        f"{missing[0] if missing else '?'!r}; with absent=CONFIDENCE absent pairs are negative"
    )
