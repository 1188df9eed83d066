"""A comparison as one HTML page: a picture, figures, differences, and the data used."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from satc.evaluation.interval_plot import Interval, interval_chart
from satc.evaluation.plot import drawn_for_page
from satc.experiments.comparison.comparison import LEVEL, Comparison
from satc.experiments.comparison.figures import START
from satc.experiments.comparison.rows import (
    UNTIL,
    difference_text,
    interval_text,
    kind_of,
    main_figure,
    sorted_cases,
    value_text,
)
from satc.printed.figure import figure
from satc.printed.page import html_page, section
from satc.printed.table import table

_NAMES = "Order, labels"
_ROW = 18  # the height of a row of the picture


def as_html(comparison: Comparison, measure: str, about: Mapping[str, str]) -> str:
    """Return the page; `measure` is its name for people, `about` holds facts about the data."""
    names = comparison.names
    counts = [name for name in names if name.startswith(UNTIL)]
    ener = [name for name in names if name not in (START, *counts)]
    more = f"More than {comparison.reference}"
    sections = [
        section("Intervals", _picture(comparison, measure)),
        section(
            "Figures",
            f"<p>{_explained(measure)}</p>"
            f"{_figures(comparison, [START, *counts], 'Documents that people check')}"
            f"{_figures(comparison, ener, 'Expected normalised error reduction')}",
        ),
        section(
            "Differences from the first row",
            f"<p>{_differing(comparison)}</p>"
            f"{_differences(comparison, [START, *counts], f'{more}: start, documents')}"
            f"{_differences(comparison, ener, f'{more}: ENER')}",
        ),
        section("Data", table("The documents", (), _about(comparison, about).items())),
    ]
    lead = (
        f"People check documents in the order of each method and correct wrong labels. This page "
        f"shows how many documents they check until {measure} reaches a target."
    )
    return html_page("Methods compared", kind="Comparison", lead=lead, main="".join(sections))


def comparison_chart(comparison: Comparison, measure: str) -> Any:
    """Draw the main figure of all contenders with intervals, as an Altair chart."""
    name = main_figure(comparison)
    rows = [
        Interval(
            str(case),
            *comparison.table[case][name][:3],
            is_ours=kind_of(case) == "satc",
        )
        for case in sorted_cases(comparison, name)
    ]
    return interval_chart(rows, _axis(name, measure))


def _explained(measure: str) -> str:
    return (
        "The labels that people check are those of the classifier (<i>sign</i>), or labels that "
        "are chosen for the measure under the probabilities of the method (<i>measure</i>). The "
        f"tables show {measure} before anyone has read a document (<i>start</i>), how many "
        "documents people check until it reaches each target or until a share of the classifier's "
        "own error is removed, and the expected normalised error reduction (ENER): how much more "
        "of that error is removed than in a random order, for an expected share of documents that "
        "people check. The oracles know the true labels. After each figure comes its "
        f"{LEVEL:.0%} interval over resampled documents."
    )


def _differing(comparison: Comparison) -> str:
    return (
        f"Each row minus <i>{comparison.reference}</i>, with a paired {LEVEL:.0%} interval: all "
        f"methods are evaluated on the same {comparison.n_resamples:,} resamples of the documents. "
        "If an interval contains 0, the difference can be chance."
    )


def _figures(comparison: Comparison, names: Sequence[str], caption: str) -> str:
    rows = [
        [str(case), *(_lines(interval_text(name, comparison.table[case][name])) for name in names)]
        for case in sorted_cases(comparison, main_figure(comparison))
    ]
    return table(caption, [_NAMES, *names], rows)


def _differences(comparison: Comparison, names: Sequence[str], caption: str) -> str:
    rows = [
        [
            str(case),
            *(_lines(difference_text(name, comparison.table[case][name])) for name in names),
        ]
        for case in sorted_cases(comparison, main_figure(comparison))[1:]
    ]
    return table(caption, [_NAMES, *names], rows)


def _lines(text: str) -> str:
    """Put the interval below its figure."""
    return text.replace(" (", "\n(", 1)


def _picture(comparison: Comparison, measure: str) -> str:
    chart, name = comparison_chart(comparison, measure), main_figure(comparison)
    drawn = drawn_for_page(chart, height=_ROW * len(comparison.cases))
    first = sorted_cases(comparison, name)[:10]
    ends = "; ".join(f"{case}: {value_text(name, comparison.table[case][name])}" for case in first)
    axis = _axis(name, measure)
    caption = (
        f"{axis[0].upper()}{axis[1:]}, with {LEVEL:.0%} intervals over resampled documents. The "
        "contextual methods of satc have a colour of their own."
    )
    return figure(drawn, f"{axis}. {ends}.", caption)


def _axis(name: str, measure: str) -> str:
    """Return the name of a figure for an axis.

    >>> _axis("until 0.9", "macro-F1")
    'documents checked until macro-F1 is 0.9'
    """
    if not name.startswith(UNTIL):
        return measure
    goal = name.removeprefix(UNTIL)
    what = f"{goal.removesuffix(' removed')} of the error is removed"
    return f"documents checked until {what if 'removed' in goal else f'{measure} is {goal}'}"


def _about(comparison: Comparison, about: Mapping[str, str]) -> dict[str, str]:
    return {
        **about,
        "documents": f"{comparison.n_documents:,}",
        "seeds": f"{comparison.n_seeds}",
        "resamples": f"{comparison.n_resamples:,}",
    }
