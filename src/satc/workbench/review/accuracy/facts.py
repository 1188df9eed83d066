"""Gathers the facts about an open project that the headline is chosen by."""

from __future__ import annotations

from satc.workbench.model.audit import AuditCounts, audit_counts
from satc.workbench.review.accuracy.headline import Estimated, Facts
from satc.workbench.review.accuracy.live import LiveAccuracy, Point
from satc.workbench.review.accuracy.stopping import needs_estimate, target_of
from satc.workbench.review.desk import Desk


def gather_facts(desk: Desk, live: LiveAccuracy) -> Facts:
    """Return the facts about a project now; slow computations are not waited for."""
    settings, latest, unknown = desk.project.settings, live.latest(), live.why_unknown()
    target, probability = target_of(settings.stop)
    met, left = live.met_rule(), _documents_left(live, target, probability)
    with desk.reading():
        n_documents, n_validated = desk.project.n_whole, desk.validation.n_validated
        audit, left_behind = drawn_so_far(desk), n_left_behind(desk)
    return Facts(
        n_documents,
        n_validated,
        settings.measure_name,
        target,
        estimate=None if latest is None else _estimated(latest, settings.average),
        unknown=unknown,
        documents_left=0 if n_validated == n_documents else left,
        rule=settings.stop,
        met=met,
        rule_needs_estimate=needs_estimate(settings.stop),
        audit=audit,
        n_left_behind=left_behind,
    )


def drawn_so_far(desk: Desk) -> AuditCounts | None:
    """Count the documents drawn for the audit; None if none are drawn."""
    counts = audit_counts(desk.record)
    return counts if counts.n_drawn or desk.project.settings.audit else None


def n_left_behind(desk: Desk) -> int:
    """Count the drawn documents that are neither decided nor being read.

    A page renews its leases every third of their time. A lease with less than half of it left
    belongs to a page that is closed or not used.
    """
    half, left = desk.project.settings.lease_seconds / 2, desk.leases.seconds_left
    read = {lease.document for lease in desk.leases if left(lease) >= half}
    return sum(i not in read for i in desk.record.undecided_draws)


def _documents_left(live: LiveAccuracy, target: float, probability: float) -> int | None:
    outlook = live.known_outlook()
    return None if outlook is None else outlook.plan(target, probability).documents


def _estimated(latest: Point, average: str) -> Estimated:
    chosen = latest.micro if average == "micro" else latest.macro
    is_reliable = latest.macro.assumption.holds
    return Estimated(chosen.value, chosen.low, chosen.high, is_reliable)
