"""A self-contained HTML page about the savings of ranking: counts, curves, and the data used."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from satc.evaluation.plot import drawn_for_page
from satc.evaluation.value_plot import value_chart
from satc.experiments.savings import accuracy_at, savings
from satc.printed.figure import figure
from satc.printed.page import html_page, section
from satc.printed.table import table
from satc.simulation import Simulation

_NAMES = "Labels and order"
_XI = (0.05, 0.10, 0.20)
_TASK = (
    "People check documents in the order of each method and correct the labels that are wrong. "
    "The table shows macro-F1 before anyone has read a document, and how many documents people "
    "check until macro-F1 reaches a target."
)
_ENER = (
    "Expected normalised error reduction (ENER) says how much more of the classifier's error is "
    "removed than in a random order, if people are expected to check 5%, 10% or 20% of the "
    "documents. The classifier's labels in a random order have an ENER of 0."
)


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
    start = accuracy_at(first, 0.0)
    main = [
        section("Documents to check", f"<p>{_TASK}</p>{_counts(shown, targets)}"),
        section("Macro-F1 while people check", _picture(shown)),
        section("Error reduction", f"<p>{_ENER}</p>{_ener(shown)}"),
        section("Data", table("The documents and the classifier", (), about.items())),
    ]
    lead = (
        f"The classifier alone has a macro-F1 of {start:.3f}. This page shows how many documents "
        "people must check to raise it."
    )
    title = "How many documents must be checked?"
    return html_page(title, kind="Demonstration", lead=lead, main="".join(main))


def _counts(shown: Mapping[str, Simulation], targets: Sequence[float]) -> str:
    first = next(iter(shown.values()))
    header = [_NAMES, "Macro-F1 at the start"]
    header += [
        f"Documents until macro-F1 is {accuracy_at(first, target):.3f}" for target in targets
    ]
    columns = [savings(shown, target) for target in targets]
    cells = [[f"{one.documents:,} ({one.share:.1%})" for one in column] for column in columns]
    starts = [f"{sim.value[0]:.3f}" for sim in shown.values()]
    rows = list(zip(shown, starts, *cells, strict=True))
    return table("Documents that people check until a target is reached", header, rows)


def _ener(shown: Mapping[str, Simulation]) -> str:
    header = [_NAMES, *(f"ENER({xi:.2f})" for xi in _XI)]
    rows = [[name, *(f"{sim.ener(xi):.3f}" for xi in _XI)] for name, sim in shown.items()]
    return table("Expected normalised error reduction", header, rows)


def _picture(shown: Mapping[str, Simulation]) -> str:
    curves = {name: sim.value for name, sim in shown.items()}
    drawn = drawn_for_page(value_chart(curves, "macro-F1", legend="bottom"))
    ends = "; ".join(
        f"{name}: from {value[0]:.3f} to {value[-1]:.3f}" for name, value in curves.items()
    )
    caption = (
        "Macro-F1 of all documents, by the number of documents that people have checked. "
        "Each line is one choice of labels and of their order."
    )
    return figure(drawn, f"Macro-F1 by the number of documents checked. {ends}.", caption)
