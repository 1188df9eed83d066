"""The tables as Markdown and as an HTML page, and all results as JSON."""

from __future__ import annotations

import html
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict

from satc.experiments.protocol import Outcome
from satc.experiments.tables import Missing, Table

_STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; max-width: 70rem; margin: 2rem auto; padding: 0 1rem }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; margin: 1rem 0 2rem }
th, td { padding: .2rem .6rem; text-align: right; border-bottom: 1px solid #8884 }
th:nth-child(-n+3), td:nth-child(-n+3) { text-align: left }
figure { display: inline-block; margin: 1rem 1rem 1rem 0 }
.scroll { overflow-x: auto }
:root { color-scheme: light dark }
"""


def as_markdown(tables: Sequence[Table]) -> str:
    """Return the tables as Markdown."""
    return "\n".join(_markdown_table(table) for table in tables)


def as_html(tables: Sequence[Table], pictures: Mapping[str, str]) -> str:
    """Return a page with the tables and the pictures (captions and SVG)."""
    body = "".join(_html_table(table) for table in tables)
    figures = "".join(
        f"<figure>{svg}<figcaption>{html.escape(caption)}</figcaption></figure>"
        for caption, svg in pictures.items()
    )
    return (
        '<!doctype html><html lang="en"><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width">'
        f"<title>satc reproduce</title><style>{_STYLE}</style>"
        f"<h1>The figures of the paper, and ours</h1>{body}{figures}</html>"
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


def _html_table(table: Table) -> str:
    head = "".join(f"<th>{html.escape(name)}</th>" for name in table.header)
    rows = "".join(
        "<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in row) + "</tr>"
        for row in table.rows
    )
    return (
        f"<h2>{html.escape(table.title)}</h2><p>{html.escape(table.note)}</p>"
        f'<div class="scroll"><table><tr>{head}</tr>{rows}</table></div>'
    )
