"""The hierarchy in a report: as rows of a table, as lines of text, and as data."""

from __future__ import annotations

from typing import Any, NamedTuple

from satc.files.values import jsonable
from satc.measures import display_name
from satc.workbench.reports.report import Report
from satc.workbench.reports.roll_up import NodeLine


class TreeRow(NamedTuple):
    """A line of the hierarchy, and how many lines are above it."""

    depth: int
    line: NodeLine


def tree_rows(report: Report) -> list[TreeRow]:
    """Return the lines from the top, each below its parents."""
    book = report.project.book
    if book is None or not report.nodes:
        return []
    return [TreeRow(depth, report.nodes[j]) for j, depth in book.hierarchy.walk()]


def tree_lines(report: Report) -> list[str]:
    """Return a sentence for each entry that has others below it, with its depth as spaces."""
    above = {code for line in report.nodes for code in line.parents}
    measure = display_name(report.project.settings.measure)
    return [
        f"{'  ' * depth}{line.name}: {_sentence(line, measure)}"
        for depth, line in tree_rows(report)
        if line.code in above
    ]


def _sentence(line: NodeLine, measure: str) -> str:
    documents = "document" if line.documents == 1 else "documents"
    said = f"{line.documents:,} {documents}, {line.removed:,} removed, {line.added:,} added"
    return said if line.expected is None else f"{said}, {measure} about {line.expected:.3f}"


def tree_data(report: Report) -> list[dict[str, Any]]:
    """Return JSON-serialisable data: each entry once, with the codes of its parents."""
    return [
        {name: jsonable(value) for name, value in line._asdict().items()} for line in report.nodes
    ]
