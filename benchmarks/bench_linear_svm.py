"""The SVM preset compared with Liblinear, on 10,000 generated texts and ten classes of all sizes.

Both are measured as CPU time of one fit for each class, in alternation. The precision of each is
the largest difference of its scores from those of a much more exact descent.
"""

from __future__ import annotations

import time

import numpy as np

from generated_texts import random_sets
from satc.learners.linear_svm import LinearSVM, svm
from satc.learners.text import tfidf_vectorizer
from timing import report

N_DOCUMENTS, N_CLASSES = 10_000, 100


def problem():
    texts, labels = next(random_sets(N_DOCUMENTS, N_CLASSES))
    Y = np.zeros((N_DOCUMENTS, N_CLASSES), dtype=int)
    for row, chosen in zip(Y, labels, strict=True):
        row[chosen] = 1
    return tfidf_vectorizer().fit_transform(texts), Y


def timed(classifier, X, y):
    start = time.process_time()
    scores = classifier.fit(X, y).decision_function(X)
    return time.process_time() - start, scores


if __name__ == "__main__":
    svm().fit([[0.0], [1.0]], [0, 1])  # compile
    X, Y = problem()
    spent, away = np.zeros(2), np.zeros(2)
    for j in range(0, N_CLASSES, 10):
        exact = LinearSVM(tol=1e-6, random_state=1).fit(X, Y[:, j]).decision_function(X)
        for k, name in enumerate(("descent", "liblinear")):
            seconds, scores = timed(svm(name), X, Y[:, j])
            spent[k] += seconds
            away[k] = max(away[k], np.abs(scores - exact).max())
    print(f"ten classes: {spent[0]:.2f} s and, by Liblinear, {spent[1]:.2f} s of CPU; ", end="")
    print(f"scores at most {away[0]:.4f} and {away[1]:.4f} from the solution")
    report("SVM preset / Liblinear, CPU of a fit", spent[0] / spent[1], "at most 0.33")
