"""The orders that other packages give to documents; runs in a Python that has these packages.

    python peer_orders.py IN.npz OUT.json PACKAGE

The input holds the calibrated probabilities of the documents (`probability`) and the classifier's
labels (`labels`), the same of the training documents, out of fold (`train_probability`,
`train_labels`), their true labels (`y_train`), all texts (`texts`, `train_texts`), and whether
every document has exactly one label (`one_label`). The output has the version of the package and
its orders by name; it is empty if the package is not installed here. It needs nothing of satc.

* cleanlab: label quality scores, lowest first.
* small-text, modAL: query strategies of active learning. They get a classifier that returns the
  probabilities of the input.
* qualle: the predicted recall of the labels of each document, lowest first. It is trained on the
  training documents with their out-of-fold labels.
"""

from __future__ import annotations

import json
import sys
from importlib.metadata import PackageNotFoundError, version

import numpy as np


class Given:
    """The input, and a classifier that returns it, whatever it is asked."""

    def __init__(self, path):
        with np.load(path, allow_pickle=False) as held:
            self.__dict__.update({name: held[name] for name in held.files})
        self.one_label = bool(self.one_label)
        self.classes_ = np.arange(self.probability.shape[1])
        self.estimator = self

    def predict_proba(self, _, **__):
        return self.probability

    def predict(self, _, **__):
        return self.labels.astype(int)

    @property
    def n(self):
        return len(self.probability)


def ascending(values):
    return np.argsort(values, kind="stable").tolist()


def cleanlab(given):
    if given.one_label:
        from cleanlab.rank import get_label_quality_scores

        labels = given.labels.argmax(axis=1)
        # A class that is nobody's label is refused: its probability goes to nobody.
        used = np.unique(labels)
        p = given.probability[:, used]
        p = p / p.sum(axis=1, keepdims=True)
        labels = np.searchsorted(used, labels)
    else:
        from cleanlab.multilabel_classification import get_label_quality_scores

        p = given.probability
        labels = [np.flatnonzero(row).tolist() for row in given.labels]
    for method in ("self_confidence", "normalized_margin", "confidence_weighted_entropy"):
        yield method, ascending(get_label_quality_scores(labels, p, method=method))


def small_text(given):
    from scipy.sparse import csr_matrix
    from small_text.query_strategies.multi_label import CategoryVectorInconsistencyAndRanking
    from small_text.query_strategies.strategies import (
        BreakingTies,
        LeastConfidence,
        PredictionEntropy,
    )

    class Kept(CategoryVectorInconsistencyAndRanking):
        def _compute_scores(self, *arguments):
            self.kept = super()._compute_scores(*arguments)
            return self.kept

    everything, nothing = np.arange(given.n), np.arange(0)
    if given.one_label:
        for strategy in (LeastConfidence(), BreakingTies(), PredictionEntropy()):
            y = given.y_train.argmax(axis=1)
            strategy.query(given, everything, everything, nothing, y, n=given.n - 1)
            scores = strategy.scores_
            if strategy.lower_is_better:
                yield type(strategy).__name__, ascending(scores)
            else:
                yield type(strategy).__name__, ascending(-scores)
        return
    strategy = Kept(batch_size=256, pbar=None)
    y = csr_matrix(given.y_train.astype(int))
    strategy.query(given, everything, everything, nothing, y, n=given.n - 1)
    yield "CategoryVectorInconsistencyAndRanking", ascending(-strategy.kept)


def modal(given):
    from modAL import multilabel, uncertainty

    if given.one_label:
        p = given.probability
        yield "uncertainty", ascending(-uncertainty.classifier_uncertainty(given, p))
        yield "margin", ascending(uncertainty.classifier_margin(given, p))
        yield "entropy", ascending(-uncertainty.classifier_entropy(given, p))
        return
    pool = np.zeros((given.n, 1))
    chosen = {  # 1 if the smallest value comes first
        "min_confidence": 1,
        "avg_confidence": -1,
        "max_loss": -1,
        "mean_max_loss": -1,
        "max_score": -1,
        "avg_score": -1,
    }
    for name, sign in chosen.items():
        index, values = getattr(multilabel, name)(given, pool, n_instances=given.n)
        kept = np.empty(given.n)
        kept[index] = sign * values
        yield name, ascending(kept)


def qualle(given):
    from qualle.features.confidence import ConfidenceFeatures
    from qualle.features.label_calibration.simple_label_calibration import (
        SimpleLabelCalibrationFeatures,
        SimpleLabelCalibrator,
    )
    from qualle.features.text import TextFeatures
    from qualle.models import PredictData, TrainData
    from qualle.train import Trainer
    from sklearn.ensemble import GradientBoostingRegressor

    def named(labels):
        return [[str(j) for j in np.flatnonzero(row)] for row in labels]

    def data(texts, labels, probability):
        scores = [p[row].tolist() for p, row in zip(probability, labels, strict=True)]
        return PredictData(docs=texts.tolist(), predicted_labels=named(labels), scores=scores)

    train = TrainData(
        predict_data=data(given.train_texts, given.train_labels, given.train_probability),
        true_labels=named(given.y_train),
    )
    count = {"min_samples_leaf": 30, "max_depth": 5, "n_estimators": 10}  # qualle's defaults
    quality = {"n_estimators": 10, "max_depth": 8}
    trained = Trainer(
        train,
        SimpleLabelCalibrator(GradientBoostingRegressor(**count, random_state=0)),
        GradientBoostingRegressor(**quality, random_state=0),
        [ConfidenceFeatures(), TextFeatures(), SimpleLabelCalibrationFeatures()],
    ).train()
    recall = trained.predict(data(given.texts, given.labels, given.probability))
    yield "predicted recall", ascending(np.array(recall))


PACKAGES = {
    "cleanlab": cleanlab,
    "small-text": small_text,
    "modAL-python": modal,
    "qualle": qualle,
}


def main(source, target, package):
    try:
        title = f"{package} {version(package)}"
    except PackageNotFoundError:
        found = {}
    else:
        found = {title: dict(PACKAGES[package](Given(source)))}
    with open(target, "w", encoding="utf-8") as stream:
        json.dump(found, stream)


if __name__ == "__main__":
    main(*sys.argv[1:])
