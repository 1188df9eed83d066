"""Time to update the live estimate after a decision, compared with computing it from scratch."""

from __future__ import annotations

import time
import tracemalloc

import numpy as np

from satc.assurance.live.accuracy import AccuracyModel
from satc.assurance.live.uncertainty import cross_fit, signed_errors
from satc.calibration.platt import PlattCalibrator, expit
from satc.decisions import by_sign
from satc.measures import F1
from satc.training import Training
from scores import make
from timing import report

SHAPE = (50_000, 97)


def calibrate(scores, _features, oof, labels, _train_features):
    return np.clip(expit(PlattCalibrator().fit(oof, labels).logits(scores)), 1e-6, 1 - 1e-6)


scores, labels = make(SHAPE)
oof, y_train = make((5_000, 97), seed=1)
training = Training(oof, y_train)
uncertainty = cross_fit(calibrate, lambda scores, p: by_sign(scores), training, None, 0)
decided = scores >= 0
signed = signed_errors(calibrate(scores, None, oof, y_train, None), decided)
order = np.argsort(-np.abs(signed).sum(axis=1), kind="stable")

tracemalloc.start()
model = AccuracyModel(signed, decided, uncertainty)
model.accuracy(F1, "macro", 0.95)
memory = tracemalloc.get_traced_memory()[1] / 1e6
tracemalloc.stop()

updates, processor = [], []
for i in order[:60].tolist():
    start, used = time.perf_counter(), time.process_time()
    model.validate(i, labels[i])
    model.accuracy(F1, "macro", 0.95)
    updates.append(time.perf_counter() - start)
    processor.append(time.process_time() - used)
start = time.perf_counter()
fresh = AccuracyModel(signed, decided, uncertainty)
fresh.accuracy(F1, "macro", 0.95)
whole = time.perf_counter() - start

median, worst = 1000 * np.median(updates), 1000 * max(updates)
print(f"update after a decision: median {median:.1f} ms, worst {worst:.1f} ms (wanted: at most 50)")
print(f"processor time of an update: median {1000 * np.median(processor):.1f} ms")
print(f"peak memory of the model {memory:.0f} MB, without the probabilities")
report("update after a decision / from scratch", float(np.median(updates)) / whole, "small")
