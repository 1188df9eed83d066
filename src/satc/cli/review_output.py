"""Write or print the plan of a two-stage review."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from satc.cli.ranked_output import SHOWN, Destination

if TYPE_CHECKING:
    from satc.cli.review_probabilities import Reviewed
    from satc.files.review.answers import Answers
    from satc.review_stages import CostOfReview, TwoStageReview


def write_review(
    review: TwoStageReview,
    found: Reviewed,
    known: Mapping[str, Answers],
    destination: Destination,
) -> None:
    """Write the documents, or print them; then say what the review is expected to cost."""
    from satc.cli.results import write_columns
    from satc.cli.show import print_json, print_rows, say

    columns = review_columns(review, found, known)
    if destination.path is not None:
        write_columns(destination.path, columns, excel=destination.excel)
    rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    if destination.as_json:
        print_json({**_summary(review), "documents": rows})
        return
    if destination.path is None:
        print_rows([{name: row[name] for name in _ON_SCREEN} for row in rows[:SHOWN]])
        if len(rows) > SHOWN:
            say(f"and {len(rows) - SHOWN:,} more: -o FILE writes all")
    for line in _said(review):
        say(line)


_ON_SCREEN = ("id", "action", "reader", "p_responsive", "p_privileged", "expected_cost", "saved")
COLUMNS = (*_ON_SCREEN, "text")  # besides those with the names of the two classes


def review_columns(
    review: TwoStageReview, found: Reviewed, known: Mapping[str, Answers]
) -> dict[str, list[Any]]:
    """Return the columns of the output; documents whose reading saves most come first."""
    order = sorted(range(len(found.ids)), key=lambda i: (-review.saved[i], i))
    answered = {
        name: ["" if i not in answers else "yes" if answers[i] else "no" for i in order]
        for name, answers in known.items()
    }
    return {
        "id": [found.ids[i] for i in order],
        "action": [str(review.action[i]) for i in order],
        "reader": [_reader(review, i) for i in order],
        **answered,
        "p_responsive": [float(found.responsive[i]) for i in order],
        "p_privileged": [float(found.privileged[i]) for i in order],
        "expected_cost": [float(review.expected_cost[i]) for i in order],
        "saved": [float(review.saved[i]) for i in order],
        "text": [found.texts[i] for i in order],
    }


def _reader(review: TwoStageReview, i: int) -> str:
    if review.to_responsiveness[i]:
        return "responsiveness"
    return "privilege" if review.to_privilege[i] else ""


def _summary(review: TwoStageReview) -> dict[str, Any]:
    return {
        "before": _parts(review.before),
        "after": _parts(review.after),
        "to_responsiveness": int(review.to_responsiveness.sum()),
        "to_privilege": int(review.to_privilege.sum()),
        "later_to_privilege": float(review.later_to_privilege.sum()),
    }


def _parts(cost: CostOfReview) -> dict[str, float]:
    return {**cost._asdict(), "total": cost.total}


def _said(review: TwoStageReview) -> list[str]:
    """Return the plan in sentences."""
    first, second = int(review.to_responsiveness.sum()), int(review.to_privilege.sum())
    later, after = float(review.later_to_privilege.sum()), review.after
    parts = f"{after.annotation:,.1f} for reviewers, {after.misclassification:,.1f} for errors"
    if not first + second:
        return [
            "no further reading saves more than it costs",
            f"expected cost: {after.total:,.1f}: {parts}",
        ]
    return [
        f"to be read for responsiveness: {first:,}; for privilege: {second:,} now, and about "
        f"{later:,.0f} of the first ones afterwards",
        f"expected cost: {review.before.total:,.1f} if nobody reads any more; "
        f"{after.total:,.1f} with this plan: {parts}",
    ]
