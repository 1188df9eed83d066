"""Static and dynamic ranking at the size of OHSUMED, compared with plain NumPy."""

from __future__ import annotations

import tracemalloc

import numpy as np

import satc
from satc.contingency import ContingencyTables
from satc.gains import average_gains
from satc.measures import F1
from satc.smoothing import smooth
from scores import make
from timing import report, seconds

SIGMA = 6.5
scores, labels = make()
oof_scores, y_train = make(seed=1)
training = {"oof_scores": oof_scores, "y_train": y_train, "sigma": SIGMA}
tables = smooth(ContingencyTables.from_labels(y_train, oof_scores >= 0))
gains = average_gains(F1, tables)


def plain():
    wrong = 1 / (1 + np.exp(SIGMA * np.abs(scores)))
    utility = (wrong * np.where(scores >= 0, gains.fp, gains.fn)).sum(axis=1)
    return np.argsort(-utility, kind="stable")


def static():
    from satc.ranking.misclassification import LogisticMisclassification

    utility = LogisticMisclassification(scores, SIGMA).utilities(gains)
    return np.argsort(-utility, kind="stable")


def dynamic(average):
    from satc.ranking.live.dynamic import DynamicRanking
    from satc.ranking.preparation import prepare

    documents = prepare(
        scores, **training, method="u-theoretic-dynamic", measure="f1", average=average
    )
    return lambda: DynamicRanking(documents).run(scores >= 0, labels)


def peak(function):
    function()
    tracemalloc.start()
    function()
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return most / scores.nbytes


assert np.array_equal(plain(), static())
print(f"{scores.shape} scores, {np.count_nonzero((scores >= 0) != labels):,} wrong labels")
macro, micro = dynamic("macro"), dynamic("micro")
base, fast, slow_macro, slow_micro, whole = seconds(
    plain, static, macro, micro, lambda: satc.rank(scores, **training, method="u-theoretic")
)
report("static ranking / plain NumPy", fast / base, "at most 0.4")
report("static rank(), including all checks / plain NumPy", whole / base, "for information")
report("dynamic simulation, macro / plain NumPy static", slow_macro / base, "at most 2")
report("dynamic simulation, micro / plain NumPy static", slow_micro / base, "at most 2")
report("static: peak memory / scores", peak(static), "vectors only")
report("dynamic macro: peak memory / scores", peak(macro), "at most 1, plus vectors")
report("dynamic micro: peak memory / scores", peak(micro), "at most 1, plus vectors")
