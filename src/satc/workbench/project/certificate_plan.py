"""What the audit of a project still needs for a given bound of its certificate."""

from __future__ import annotations

from typing import Any, NamedTuple

from satc.assurance.certificate.planning import documents_for_bound
from satc.workbench.project.certificate import certify_project
from satc.workbench.project.history import History
from satc.workbench.store import Store
from satc.workbench.store.projects import Project


class BoundPlan(NamedTuple):
    """How many more random documents the bound of a measure needs; None if all would not do."""

    measure: str
    target: float
    now: float
    n_more: int | None

    def __str__(self) -> str:
        start = f"{self.measure} is certified to be at least {self.now:.3f} now"
        if self.n_more == 0:
            return f"{start}, which reaches {self.target:g}"
        if self.n_more is None:
            return f"{start}; random documents alone do not reach {self.target:g}"
        documents = "document" if self.n_more == 1 else "documents"
        return f"{start}; {self.target:g} needs about {self.n_more:,} more random {documents}"

    def as_dict(self) -> dict[str, Any]:
        """Return JSON-serialisable data."""
        return self._asdict()


def plan_certificate(
    store: Store, project: Project, history: History, target: float, confidence: float = 0.95
) -> list[BoundPlan]:
    """Plan the audit: for the first measure of the certificate and for macro-F1."""
    certificate = certify_project(
        store, project, history, confidence=confidence, with_classes=False
    )
    measures = (certificate.bounds[0].measure, "macro-F1")
    return [
        BoundPlan(
            measure,
            target,
            certificate.low(measure),
            documents_for_bound(certificate, measure, target),
        )
        for measure in measures
    ]
