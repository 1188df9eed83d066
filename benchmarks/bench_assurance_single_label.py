"""The certificate of single-label data: how often it is wrong at any time, and how tight it is.

Every FILE.npz holds the arrays `test` (scores, documents x classes) and `yte` (one true label per
document, as 0/1); the label of the classifier is the class with the largest score. The work is as
in `bench_assurance_certificate`: 5% of the documents are validated, smallest margin between the
two best classes first; then validations and audits alternate until 800 documents are audited. The
classifier is the trained one, a drifted one, or the trained one with the reversed order. In each
of `N_SIMULATIONS` simulations, the true number of wrong documents is refuted at some moment or
not; for each class, likewise the true numbers of its wrong and of its missing labels, in the first
`N_CLASS` simulations.

    python bench_assurance_single_label.py FILE.npz ...
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

from bench_assurance_certificate import (
    ERROR,
    N_SIMULATIONS,
    N_TIGHT,
    SIZES,
    drifted,
    refuted,
    schedule,
    truth_of,
)
from satc.assurance import certify

N_CLASS = 200
NAMES = ("accuracy", "cap 1", "macro-F1", "precision", "recall", "F1")


def class_failures(predicted, truth, documents, audits, failures):
    """Add the classes of which a true number of errors is refuted at any moment."""
    for k in np.unique(np.concatenate([predicted, truth])):
        assigned, is_true = predicted == k, truth == k
        wrong = group_refuted(assigned, ~is_true, documents, audits)
        failures[k] += wrong or group_refuted(~assigned, is_true, documents, audits)


def group_refuted(members, has_error, documents, audits):
    """Whether the number of errors in a set of documents is refuted at any moment."""
    place = np.cumsum(members) - 1
    chosen = members[documents]
    value = has_error[members].astype(float)
    inside = place[documents[chosen]]
    return refuted(value, inside, audits[chosen], 1.0, value.sum(), error=ERROR / 2)


def medians(rows):
    return np.median(np.array(rows), axis=0)


def class_truth(labels, truth, m):
    """Precision, recall and F1 of the classes, 0 where undefined."""
    table = np.zeros((m, m))
    np.add.at(table, (truth, labels), 1)
    tp, assigned, true = np.diag(table), table.sum(axis=0), table.sum(axis=1)
    return np.column_stack(
        [tp / np.maximum(assigned, 1), tp / np.maximum(true, 1), 2 * tp / (assigned + true + 1e-9)]
    )


def look(predicted, truth, documents, audits, m):
    """Return true values and bounds of one certificate, in the order of NAMES."""
    one_hot = np.eye(m, dtype=bool)
    log = [(int(i), [int(truth[i])], bool(a)) for i, a in zip(documents, audits, strict=True)]
    single = certify(one_hot[predicted], log, single_label=True)
    multi = certify(one_hot[predicted], log, cap=1)
    labels = predicted.copy()
    labels[documents] = truth[documents]
    values = truth_of(one_hot[predicted], one_hot[truth], documents)
    accuracy = float(np.mean(labels == truth))
    true = [accuracy, accuracy, values["macro-F1"]]
    true += medians(class_truth(labels, truth, m)).tolist()
    bound = [single.accuracy, multi.low("micro-F1"), single.low("macro-F1")]
    bound += medians([(one.precision, one.recall, one.f1) for one in single.classes]).tolist()
    return true, bound


def study(scores, y_true, order):
    predicted, truth, m = scores.argmax(axis=1), y_true.argmax(axis=1), scores.shape[1]
    has_error = (predicted != truth).astype(float)
    failed, class_failed, looks, above = 0, np.zeros(m), {}, 0
    for seed in range(N_SIMULATIONS):
        queue = np.random.default_rng(seed).permutation(len(order))
        documents, audits = schedule(order, queue)
        failed += refuted(has_error, documents, audits, 1.0, has_error.sum())
        if seed < N_CLASS:
            class_failures(predicted, truth, documents, audits, class_failed)
        for size in SIZES if seed < N_TIGHT else ():
            if audits.sum() >= size:
                stop = int(np.flatnonzero(np.cumsum(audits) == size)[0]) + 1
                true, bound = look(predicted, truth, documents[:stop], audits[:stop], m)
                above += bound[0] > true[0] or bound[2] > true[2]
                looks.setdefault(size, []).append((true, bound))
    return failed, class_failed, looks, above


def cells(looks):
    for column in range(len(NAMES)):
        pairs = [np.mean(looks[size], axis=0)[:, column] for size in SIZES if size in looks]
        yield ", ".join("{:.3f} {:.3f}".format(*pair) for pair in pairs)


def main(files):
    print(
        "| file | classifier | accuracy at the start | ever refuted, %: accuracy | one class, mean "
        "| one class, largest | truth and bound after "
        + ", ".join(map(str, SIZES))
        + " audited: "
        + " | ".join(NAMES)
        + " |"
    )
    print("|:--|:--|" + "--:|" * (4 + len(NAMES)))
    for file in files:
        held = np.load(file)
        rng = np.random.default_rng(0)
        for kind in ("trained", "drifted", "reversed order"):
            scores = drifted(held["test"], rng) if kind == "drifted" else held["test"]
            best = np.sort(scores, axis=1)
            order = np.argsort(best[:, -1] - best[:, -2], kind="stable")
            order = order[::-1] if kind == "reversed order" else order
            failed, class_failed, looks, above = study(scores, held["yte"], order)
            start = np.mean(scores.argmax(axis=1) == held["yte"].argmax(axis=1))
            per_class = class_failed / N_CLASS
            shares = [failed / N_SIMULATIONS, per_class.mean(), per_class.max()]
            note = f" ({above} of the checked bounds were above the truth)" if above else ""
            print(
                f"| {Path(file).stem} | {kind} | {start:.3f} | "
                + " | ".join(f"{100 * share:.1f}" for share in shares)
                + f"{note} | "
                + " | ".join(cells(looks))
                + " |",
                flush=True,
            )


if __name__ == "__main__":
    main(sys.argv[1:])
