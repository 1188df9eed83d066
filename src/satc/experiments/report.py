"""The tables as Markdown and as an HTML page, and all results as JSON."""

from __future__ import annotations

import html
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict

from satc.experiments.protocol import Outcome
from satc.experiments.tables import Missing, Table
from satc.printed.figure import figure
from satc.printed.page import html_page, section
from satc.printed.table import table

_LEAD = (
    "Every table shows a figure of the paper next to the figure that this program computed, or "
    "says why it was not computed."
)


def as_markdown(tables: Sequence[Table]) -> str:
    """Return the tables as Markdown."""
    return "\n".join(_markdown_table(table) for table in tables)


def as_html(tables: Sequence[Table], pictures: Mapping[str, str]) -> str:
    """Return a page with the tables and the pictures (captions and SVG)."""
    parts = "".join(_html_table(table) for table in tables)
    drawn = "".join(figure(svg, caption, caption) for caption, svg in pictures.items())
    if drawn:
        parts += section("Charts", drawn)
    return html_page(
        "The figures of the paper, and ours", kind="Reproduction", lead=_LEAD, main=parts
    )


def as_json(outcomes: Sequence[Outcome], missing: Sequence[Missing]) -> str:
    """Return all results as JSON."""
    content = {
        "outcomes": [asdict(outcome) for outcome in outcomes],
        "missing": [absent._asdict() for absent in missing],
    }
    return json.dumps(content, indent=1)


def _markdown_table(table: Table) -> str:
    lines = [f"## {table.title}", ""]
    if table.note:
        lines += [table.note, ""]
    left = {"dataset", "learner", "method", "differ from it"}
    lines.append("| " + " | ".join(table.header) + " |")
    lines.append("|" + "|".join(":--" if name in left else "--:" for name in table.header) + "|")
    lines += ["| " + " | ".join(row) + " |" for row in table.rows]
    return "\n".join([*lines, ""])


def _html_table(shown: Table) -> str:
    note = f"<p>{html.escape(shown.note)}</p>" if shown.note else ""
    return section(shown.title, note + table(shown.title, shown.header, shown.rows))
