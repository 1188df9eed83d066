"""Reports, certificates and other printed pages of made projects."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from calling import labels_of
from projects_made import make, make_project

from satc.assurance import certificate_html, certify
from satc.experiments.comparison.comparison import compare
from satc.experiments.comparison.contenders import KnownSet, all_cases, run_all
from satc.experiments.comparison.page import as_html as comparison_page
from satc.experiments.report import as_html as reproduction_page
from satc.experiments.savings_page import as_html as savings_page
from satc.experiments.tables import Table
from satc.simulation import simulate
from satc.workbench.project.history import read_history
from satc.workbench.reports.report import make_report
from satc.workbench.reports.report_page import as_html, past_points
from satc.workbench.review.desk import open_desk
from satc.workbench.store import open_store

NAMES = ("agricultural-commodities", "Consumer electronics", "gold", "oil", "ship", "x" * 70)
SHORTER = (*NAMES[:5], "telecommunications")


def report(folder: Path, names: tuple[str, ...] = NAMES, **settings: Any) -> str:
    """Return the report of a project on which two people have worked."""
    made, path = make(n=60), folder / "claims.satc"
    make_project(made, path, names=names, overlap=0.5, blind=0.3, **settings)
    store = open_store(path)
    desk = open_desk(store)
    for step in range(30):
        who = ("ann", "bartholomew-with-a-long-name")[step % 2]
        lease, _ = desk.next(who)
        desk.submit(lease.lease, who, labels_of(made, lease.document), 30.0)
    history = read_history(store, desk.project)
    points = past_points(store, desk.project, history)
    page = as_html(store, make_report(store, desk.project, history), history, points)
    store.close()
    return page


def certificate(folder: Path) -> str:
    """Return the certificate of single-label data, with long names of classes."""
    predicted = np.eye(6, dtype=bool)[np.random.default_rng(0).integers(0, 6, 80)]
    log = [(i, np.flatnonzero(predicted[i]).tolist(), i > 9) for i in range(40)]
    return certificate_html(certify(predicted, log, single_label=True), {"project": "a"}, NAMES)


def demonstration(folder: Path) -> str:
    """Return the page of the demonstration, for made documents."""
    made = make(n=80)
    simulations = {
        name: simulate(made.scores, made.y_true, method=name, **made.training)
        for name in ("u-theoretic", "random")
    }
    names = {"u-theoretic": "classifier's labels, order: the paper's", "random": "at random"}
    return savings_page(simulations, names, (0.5, 0.8), {"data": "made documents"})


def reproduction(folder: Path) -> str:
    """Return the page of the reproduction: a wide table."""
    header = ["dataset", "learner", *(f"figure {i}" for i in range(12))]
    return reproduction_page([Table("Table 2", "A note.", header, [["made"] * 14] * 3)], {})


def comparison(folder: Path) -> str:
    """Return the page of a comparison of all methods."""
    made = make(n=80)
    given = KnownSet(made.scores, made.y_true, made.training)
    runs = run_all([given], all_cases("multi-label", decides=["sign"]))
    return comparison_page(compare(runs, n_resamples=20), "macro-F1", {"data": "made documents"})


PRINTED = {
    "report": report,
    # The name of this measure is long and leaves little room for names of classes.
    "report in balance": lambda folder: report(folder, SHORTER, measure="balanced-accuracy"),
    "report of audit": lambda folder: report(folder, audit=0.5),
    "certificate": certificate,
    "demonstration": demonstration,
    "reproduction": reproduction,
    "comparison": comparison,
}
