"""The tables of the paper, with our figures, as data; `report` turns them into text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from satc.experiments import published
from satc.experiments.protocol import Outcome
from satc.learners.presets import LEARNERS

NAMES = {
    "baseline": "Baseline",
    "u-theoretic": "U-Theoretic(s)",
    "u-theoretic-dynamic": "U-Theoretic(d)",
    "oracle1": "Oracle1(s)",
    "oracle1-dynamic": "Oracle1(d)",
    "oracle2": "Oracle2(s)",
    "oracle2-dynamic": "Oracle2(d)",
}


class Table(NamedTuple):
    """One table of the report."""

    title: str
    note: str
    header: list[str]
    rows: list[list[str]]


class Missing(NamedTuple):
    """A dataset that could not be used, and the reason."""

    dataset: str
    reason: str


def all_tables(outcomes: Sequence[Outcome], missing: Sequence[Missing]) -> list[Table]:
    """Return the tables in the order of the paper."""
    by_key = {(outcome.dataset, outcome.learner): outcome for outcome in outcomes}
    datasets = list(
        dict.fromkeys([o.dataset for o in outcomes] + [absent.dataset for absent in missing])
    )
    reasons = {absent.dataset: absent.reason for absent in missing}
    return [
        _characteristics(datasets, by_key, reasons),
        _ener("macro", "M", "Table 2", datasets, by_key, reasons),
        _significance(outcomes),
        _seconds(datasets, by_key, reasons),
        _ener("micro", "μ", "Table 5", datasets, by_key, reasons),
    ]


Outcomes = dict[tuple[str, str], Outcome]


def _learners(by_key: Outcomes) -> list[str]:
    """Return the learners of the paper, and the others that were run."""
    return list(dict.fromkeys([*published.LEARNERS, *(learner for _, learner in by_key)]))


def _characteristics(datasets: list[str], by_key: Outcomes, reasons: dict[str, str]) -> Table:
    header = ["dataset", "learner", "test sets", "Tr", "Te", "classes", "labels/doc"]
    header += ["E1^M", "paper", "E1^μ", "paper", "sigma", "paper"]
    rows = []
    for dataset in datasets:
        facts = published.CHARACTERISTICS.get(dataset)
        for k, learner in enumerate(_learners(by_key)):
            outcome = by_key.get((dataset, learner))
            is_known = learner in published.LEARNERS
            paper: list[float | None] = [None, None]
            if facts is not None and is_known:
                paper = [facts.macro_error[k], facts.micro_error[k]]
            sigma = published.SIGMA.get((dataset, learner))
            if outcome is None:
                if dataset not in reasons or not is_known:
                    continue
                sizes = [f"{x:,}" for x in facts[:5]] if facts else [""] * 5
                ours: list[float | None] = [None, None, None]
            else:
                sizes = [
                    str(outcome.n_tests),
                    f"{outcome.n_train:,}",
                    f"{outcome.n_test:,.0f}",
                    str(outcome.n_classes),
                    f"{outcome.labels_per_document:.3f}",
                ]
                ours = [outcome.error["macro"], outcome.error["micro"], outcome.sigma["macro"]]
            pairs = zip(ours, [*paper, sigma], strict=True)
            cells = [_figure(value) for pair in pairs for value in pair]
            rows.append([dataset, LEARNERS[learner].title, *sizes, *cells])
    return Table("Datasets and initial error (Table 1)", _why(reasons), header, rows)


def _ener(
    average: str,
    symbol: str,
    table: str,
    datasets: list[str],
    by_key: Outcomes,
    reasons: dict[str, str],
) -> Table:
    header = ["dataset", "learner", "method"]
    for xi in published.XIS:
        header += [f"ξ={xi:.2f}", "paper", "Δ"]
    rows = []
    for dataset in datasets:
        for learner in _learners(by_key):
            outcome = by_key.get((dataset, learner))
            if outcome is None and (dataset not in reasons or learner not in published.LEARNERS):
                continue
            for method in outcome.ener[average] if outcome else published.METHODS:
                if method == "random":
                    continue
                row = [dataset, LEARNERS[learner].title, NAMES.get(method, method)]
                for k, xi in enumerate(published.XIS):
                    ours = outcome.ener[average][method][k] if outcome else None
                    paper = published.ENER[average].get((dataset, learner, method, xi))
                    row += [_figure(ours), _figure(paper), _difference(ours, paper)]
                rows.append(row)
    title = f"Expected normalised error reduction, ENER^{symbol} ({table})"
    return Table(title, _why(reasons), header, rows)


def _significance(outcomes: Sequence[Outcome]) -> Table:
    header = ["dataset", "learner", "pairs", "as the paper", "differ from it"]
    rows = []
    for outcome in outcomes:
        ours = {_pair(key): value for key, value in outcome.significant.items()}
        paper = {
            pair: published.SIGNIFICANT.get((outcome.dataset, outcome.learner, pair[0], pair[1]))
            for pair in ours
        }
        agreeing = [pair for pair in ours if paper[pair] == ours[pair]]
        others = [
            f"{NAMES.get(a, a)} / {NAMES.get(b, b)}: {_yes(ours[a, b])}"
            for a, b in ours
            if paper[a, b] is not None and paper[a, b] != ours[a, b]
        ]
        known = any(value is not None for value in paper.values())
        yes = sum(ours.values())
        rows.append(
            [
                outcome.dataset,
                LEARNERS[outcome.learner].title,
                f"{yes} of {len(ours)} differ",
                f"{len(agreeing)} of {len(ours)}" if known else "",
                "; ".join(others),
            ]
        )
    note = "Paired t-test on ENER^M(0.10) at the 5% level, over classes or over test sets."
    return Table("Significance (Table 3)", note, header, rows)


def _seconds(datasets: list[str], by_key: Outcomes, reasons: dict[str, str]) -> Table:
    header = ["dataset", "learner"]
    header += ["U-Theoretic(s)", "paper", "U-Theoretic(d)", "paper", "(d)/(s)", "paper"]
    rows = []
    for dataset in datasets:
        for learner in _learners(by_key):
            outcome = by_key.get((dataset, learner))
            if outcome is None and (dataset not in reasons or learner not in published.LEARNERS):
                continue
            ours = [outcome.seconds[m] if outcome else None for m in published.METHODS[1:3]]
            paper = [published.SECONDS.get((dataset, learner, m)) for m in published.METHODS[1:3]]
            cells = [_figure(value) for pair in zip(ours, paper, strict=True) for value in pair]
            ratios = [_ratio(ours), _ratio(paper)]
            rows.append([dataset, LEARNERS[learner].title, *cells, *ratios])
    note = "Seconds to rank, validate and evaluate a whole test set; other machines, other years."
    return Table("Computation times (Table 4)", note, header, rows)


def _pair(key: str) -> tuple[str, str]:
    first, second = key.split("|")
    return first, second


def _ratio(pair: Sequence[float | None]) -> str:
    static, dynamic = pair
    return f"{dynamic / static:.1f}" if static and dynamic else ""


def _figure(value: float | None) -> str:
    return "" if value is None else f"{value:.3f}"


def _difference(ours: float | None, paper: float | None) -> str:
    return "" if ours is None or paper is None else f"{ours - paper:+.3f}"


def _yes(value: bool) -> str:
    return "differ" if value else "do not differ"


def _why(reasons: dict[str, str]) -> str:
    return "; ".join(f"{dataset}: {reason}" for dataset, reason in reasons.items())
