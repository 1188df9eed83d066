"""Draw the picture of the README: the error removed against the documents checked.

Run it as ``python docs/curves.py``; it needs Reuters-21578 (``satc datasets fetch reuters21578``).
"""

from __future__ import annotations

from pathlib import Path

from satc.classifier import SemiAutomatedClassifier
from satc.datasets import load
from satc.evaluation.plot import error_reduction_chart, rendered
from satc.experiments.savings import accuracy_at, savings
from satc.learners.presets import LEARNERS

IMAGE = Path(__file__).parent / "images" / "error-reduction.svg"
METHODS = {
    "contextual": "satc",
    "u-theoretic": "the paper's method",
    "baseline": "by confidence",
    "random": "random",
}


def main() -> None:
    data = load("reuters21578")
    learner = LEARNERS["svm"]
    vectorizer = learner.vectorizer()
    train, test = vectorizer.fit_transform(data.train.texts), vectorizer.transform(data.test.texts)
    classifier = SemiAutomatedClassifier(learner.estimator(), n_jobs=-1)
    classifier.fit(train, data.train.labels)
    simulations = {
        name: classifier.simulate(test, data.test.labels, method=method)
        for method, name in METHODS.items()
    }
    first = simulations["satc"]
    print(f"macro-F1 {accuracy_at(first, 0):.3f}; to reach {accuracy_at(first, 0.8):.3f}:")
    for one in savings(simulations, 0.8):
        print(f"{one.method}: {one.documents:,} documents, ENER(.10) ", end="")
        print(f"{simulations[one.method].ener(0.10):.3f}")
    curves = {name: simulation.error_reduction for name, simulation in simulations.items()}
    IMAGE.write_bytes(rendered(error_reduction_chart(curves), ".svg"))


if __name__ == "__main__":
    main()
