"""A comparison as rows of text, for terminals, pages and documents."""

from __future__ import annotations

import math

from satc.experiments.comparison.comparison import Comparison, Figure
from satc.experiments.comparison.contenders import ORACLES, Case
from satc.experiments.comparison.figures import START
from satc.ranking.methods import METHODS

UNTIL = "until "  # figures that count documents


def sorted_cases(comparison: Comparison, name: str) -> list[Case]:
    """Return the reference, then the others by a figure that counts documents, fewest first."""
    first, *others = comparison.cases

    def by(case: Case) -> float:
        value = comparison.table[case][name].value
        return math.inf if math.isnan(value) else value

    return [first, *sorted(others, key=by)]


def main_figure(comparison: Comparison) -> str:
    """Return the figure that rows are sorted by: the target 0.9, or else the first target."""
    counts = [name for name in comparison.names if name.startswith(UNTIL)]
    return next((name for name in counts if name == "until 0.9"), (counts or ["start"])[0])


def value_text(name: str, figure: Figure) -> str:
    """Return a figure as text.

    >>> value_text("until 0.9", Figure(1112.0, 0, 0, 0, 0, 0))
    '1,112'
    >>> value_text("start", Figure(0.5, 0, 0, 0, 0, 0))
    '0.500'
    """
    return _number(name, figure.value, "")


def interval_text(name: str, figure: Figure) -> str:
    """Return a figure as text, with its interval.

    >>> interval_text("until 0.9", Figure(1112.0, 950.2, 1300.0, 0, 0, 0))
    '1,112 (950 to 1,300)'
    """
    low, high = (_number(name, one, "") for one in (figure.low, figure.high))
    return f"{value_text(name, figure)} ({low} to {high})"


def difference_text(name: str, figure: Figure) -> str:
    """Return the difference from the reference as text, with its interval.

    >>> difference_text("until 0.9", Figure(1112.0, 0, 0, 183.0, 20.0, 340.4))
    '+183 (+20 to +340)'
    """
    three = (figure.difference, figure.difference_low, figure.difference_high)
    value, low, high = (_number(name, one, "+") for one in three)
    return f"{value} ({low} to {high})"


def text_rows(comparison: Comparison) -> list[dict[str, str]]:
    """Return the rows of the table that is printed, sorted by the main figure.

    They have the start, the documents until each target, ENER for one fraction, and the difference
    of the main figure from the reference.
    """
    main, names = main_figure(comparison), comparison.names
    xi = next((name for name in names if name == "ENER(0.1)"), names[-1])
    shown = [name for name in names if name == START or _is_target(name)] + [xi]
    rows = []
    for case in sorted_cases(comparison, main):
        figures = comparison.table[case]
        row = {"method": case.method, "labels": case.decide}
        row |= {name: value_text(name, figures[name]) for name in shown}
        is_first = case == comparison.reference
        row[f"difference {main}"] = "" if is_first else difference_text(main, figures[main])
        rows.append(row)
    return rows


def _is_target(name: str) -> bool:
    return name.startswith(UNTIL) and not name.endswith("removed")


def kind_of(case: Case) -> str:
    """Say whose order this is: "satc", "paper", "others", "oracle", "random" or "program"."""
    if case.method not in METHODS:
        return "program"
    if case.method in ORACLES:
        return "oracle"
    method = METHODS[case.method]
    if method.is_rival:
        return "others"
    if case.method == "random":
        return "random"
    return "satc" if method.probability == "context" else "paper"


def _number(name: str, value: float, sign: str) -> str:
    if math.isnan(value):
        return "-"
    return f"{value:{sign},.0f}" if name.startswith(UNTIL) else f"{value:{sign}.3f}"
