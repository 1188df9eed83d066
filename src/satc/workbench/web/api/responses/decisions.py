"""Response bodies for lists of decisions."""

from __future__ import annotations

from satc.workbench.model.record import Decision
from satc.workbench.review.desk import Desk
from satc.workbench.store.documents import snippets
from satc.workbench.web.api.models.decisions import DecisionLine, Decisions, Saved
from satc.workbench.web.api.models.documents import DocumentLine

_SNIPPET_LENGTH = 120


def decisions_response(desk: Desk, decisions: list[Decision]) -> Decisions:
    """List decisions with the beginnings of their documents."""
    indices = [decision.document for decision in decisions]
    beginnings = snippets(desk.store, desk.project.key, indices, _SNIPPET_LENGTH)
    lines = [_decision_line(desk, one, *beginnings[one.document]) for one in decisions]
    return Decisions(decisions=lines)


def saved_response(desk: Desk, number: int, sent: list[int]) -> Saved:
    """Describe a saved decision, with the labels that those which were sent imply."""
    implied = sorted(set(desk.project.completed(sent)) - set(sent))
    return Saved(decision=number, n_validated=desk.validation.n_validated, implied=implied)


def _decision_line(desk: Desk, decision: Decision, identity: str, snippet: str) -> DecisionLine:
    return DecisionLine(
        decision=decision.number,
        document=DocumentLine(index=decision.document, id=identity, snippet=snippet),
        labels=list(decision.labels),
        predicted=list(desk.state.predicted(decision.document)),
        who=decision.who,
        when=decision.at,
        flagged=decision.document in desk.record.flagged,
        note=desk.record.notes.get(decision.document, ""),
    )
