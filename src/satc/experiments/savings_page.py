"""A self-contained HTML page about the savings of ranking: counts, curves, and the data used."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape

from satc.evaluation.plot import rendered
from satc.evaluation.value_plot import value_chart
from satc.experiments.savings import accuracy_at, savings
from satc.simulation import Simulation

_STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 52rem; margin: 2rem auto; padding: 0 1rem }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; margin: 1rem 0 }
th, td { padding: .2rem .8rem; text-align: right; border-bottom: 1px solid #8884 }
th:first-child, td:first-child { text-align: left; padding-left: 0 }
.about td { text-align: left }
svg { max-width: 100%; height: auto; background: white }
.scroll { overflow-x: auto }
:root { color-scheme: light dark }
"""
_XI = (0.05, 0.10, 0.20)


def as_html(
    simulations: Mapping[str, Simulation],
    names: Mapping[str, str],
    targets: Sequence[float],
    about: Mapping[str, str],
) -> str:
    """Return the page.

    `names` holds the name to print for each simulation, and `about` the facts about the data.
    """
    first = next(iter(simulations.values()))
    shown = {names[method]: sim for method, sim in simulations.items()}
    title = "How many documents must be checked?"
    start = f"The classifier alone has a macro-F1 of {accuracy_at(first, 0.0):.3f}. "
    return (
        '<!doctype html><html lang="en"><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width">'
        f"<title>{title}</title><style>{_STYLE}</style><h1>{title}</h1>"
        f"<p>{start}People check labels in the order of each method, and correct wrong ones. "
        "The table shows macro-F1 before anyone reads a document, and how many documents people "
        "check until it reaches a target:</p>"
        f"{_table(*_counts(shown, targets))}<h2>Macro-F1 while people check</h2>{_picture(shown)}"
        "<p>Expected normalised error reduction (ENER) against the classifier's own error, if "
        "people are expected to check 5, 10 or 20% of the documents; the classifier's labels in a "
        f"random order have 0:</p>{_table(*_ener(shown))}"
        "<h2>Data</h2>"
        f'<div class="about">{_table((), about.items())}</div></html>\n'
    )


def _counts(
    shown: Mapping[str, Simulation], targets: Sequence[float]
) -> tuple[list[str], list[list[str]]]:
    first = next(iter(shown.values()))
    header = ["labels and order", "at the start"]
    header += [f"macro-F1 {accuracy_at(first, target):.3f}" for target in targets]
    columns = [savings(shown, target) for target in targets]
    cells = [[f"{one.documents:,} ({one.share:.1%})" for one in column] for column in columns]
    starts = [f"{sim.value[0]:.3f}" for sim in shown.values()]
    return header, [[name, *row] for name, *row in zip(shown, starts, *cells, strict=True)]


def _ener(shown: Mapping[str, Simulation]) -> tuple[list[str], list[list[str]]]:
    header = ["labels and order", *(f"ENER({xi:.2f})" for xi in _XI)]
    return header, [[name, *(f"{sim.ener(xi):.3f}" for xi in _XI)] for name, sim in shown.items()]


def _picture(shown: Mapping[str, Simulation]) -> str:
    curves = {name: sim.value for name, sim in shown.items()}
    return rendered(value_chart(curves, "macro-F1"), ".svg").decode()


def _table(header: Sequence[str], rows: Iterable[Iterable[str]]) -> str:
    head = "".join(f"<th>{escape(name)}</th>" for name in header)
    body = "".join(
        f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in rows
    )
    return f'<div class="scroll"><table><tr>{head}</tr>{body}</table></div>'
