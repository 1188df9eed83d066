"""`satc demo`: what ranking saves, shown on documents made on the spot."""

from __future__ import annotations

from typing import Annotated

import typer

from satc.cli import options

METHODS = ["contextual", "u-theoretic", "baseline", "random"]


def demo(
    documents: Annotated[int, typer.Option(help="How many documents.", min=100)] = 2000,
    target: Annotated[
        float, typer.Option(help="Which share of the error is to go.", min=0.01, max=1.0)
    ] = 0.8,
    seed: options.Seed = 0,
    plot: options.Plot = None,
) -> None:
    """Train a classifier, rank what it has labelled, and count the checks that each method needs.

    Example: satc demo --plot demo.svg
    """
    import numpy as np
    from sklearn.datasets import make_multilabel_classification
    from sklearn.linear_model import LogisticRegression

    from satc.classifier import SemiAutomatedClassifier
    from satc.cli import show
    from satc.evaluation.plot import error_reduction_chart

    X, Y = make_multilabel_classification(
        2 * documents, n_features=60, n_classes=25, n_labels=2, random_state=seed
    )
    show.complain("training and cross-validating a classifier on documents made on the spot")
    clf = SemiAutomatedClassifier(LogisticRegression(C=0.1, max_iter=1000), cv=10)
    clf.fit(X[:documents], Y[:documents])
    simulations = {
        name: clf.simulate(X[documents:], Y[documents:], method=name)
        for name in show.progress(METHODS, "simulating")
    }
    error = simulations["baseline"].reduction.residual_error[0]
    typer.echo(
        f"{documents:,} documents, 25 classes, macro-F1 {1 - error:.3f}. "
        f"To reach macro-F1 {1 - error * (1 - target):.3f}, check:"
    )
    show.print_rows(
        {
            "method": name,
            "documents": int(np.argmax(sim.error_reduction >= target)),
            "ENER(.10)": sim.ener(0.10),
        }
        for name, sim in simulations.items()
    )
    if plot is not None:
        curves = {name: sim.error_reduction for name, sim in simulations.items()}
        show.write_picture(plot, error_reduction_chart(curves, title="Error reduction"))
