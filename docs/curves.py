"""Draw the picture of the README: macro-F1 against the documents checked.

Run it as ``python docs/curves.py``; it needs Reuters-21578 (``satc datasets fetch reuters21578``).
"""

from __future__ import annotations

from pathlib import Path

from satc.classifier import SemiAutomatedClassifier
from satc.datasets import load
from satc.evaluation.plot import rendered
from satc.evaluation.value_plot import value_chart
from satc.experiments.savings import accuracy_at, savings
from satc.learners.presets import LEARNERS

IMAGE = Path(__file__).parent / "images" / "value.svg"
CASES = {
    "satc's labels and order": ("contextual", "measure"),
    "the classifier's labels, satc's order": ("contextual", "sign"),
    "the classifier's labels, the paper's order": ("u-theoretic", "sign"),
    "the classifier's labels, by confidence": ("baseline", "sign"),
    "the classifier's labels, at random": ("random", "sign"),
}


def main() -> None:
    data = load("reuters21578")
    learner = LEARNERS["svm"]
    vectorizer = learner.vectorizer()
    train, test = vectorizer.fit_transform(data.train.texts), vectorizer.transform(data.test.texts)
    classifier = SemiAutomatedClassifier(learner.estimator(), n_jobs=-1)
    classifier.fit(train, data.train.labels)
    simulations = {
        name: classifier.simulate(test, data.test.labels, method=method, decide=decide)
        for name, (method, decide) in CASES.items()
    }
    first = next(iter(simulations.values()))
    print(f"macro-F1 {accuracy_at(first, 0):.3f}; to reach {accuracy_at(first, 0.8):.3f}:")
    for one in savings(simulations, 0.8):
        sim = simulations[one.name]
        until = ", ".join(f"{sim.documents_for(value):,}" for value in (0.7, 0.8, 0.9, 0.95))
        print(f"{one.name}: {one.documents:,} documents, start {sim.value[0]:.3f}, ", end="")
        print(f"until .7, .8, .9, .95: {until}, ENER(.10) {sim.ener(0.10):.3f}")
    curves = {name: simulation.value for name, simulation in simulations.items()}
    IMAGE.write_bytes(rendered(value_chart(curves, "macro-F1", most=1_000), ".svg"))


if __name__ == "__main__":
    main()
