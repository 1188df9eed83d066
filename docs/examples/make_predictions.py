"""Write invented predictions of the documents in `new.csv`, as other programs would give them.

    python make_predictions.py language-model

writes `predicted.jsonl`; `transformer` writes `outputs.jsonl` and `logits.npy`; `coders` writes
`votes.csv`; `opinion` writes `llm.csv`, labels and nothing else; `gold 200` writes `gold.csv`, the
true labels of 200 documents. The predictions are the labels of `truth.csv` with errors (see
`make_documents.py`).
"""

from __future__ import annotations

import csv
import json
import random
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


class Document(NamedTuple):
    id: str
    text: str
    labels: list[str]


def read() -> tuple[list[Document], list[str], bool]:
    """Return the documents with their true labels, the classes, and whether each has one label."""
    with Path("truth.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    single = "label" in rows[0]
    column = "label" if single else "labels"
    found = [Document(row["id"], row["text"], row[column].split("|")) for row in rows]
    return found, sorted({name for one in found for name in one.labels}), single


def logits_of(documents: Sequence[Document], classes: list[str], seed: int) -> Array:
    """Return logits: about 2 for a true label, about -2 for the others."""
    rng = np.random.default_rng(seed)
    truth = np.array([[name in one.labels for name in classes] for one in documents])
    hard = rng.gamma(1.0, 1.0, (len(documents), 1))  # some documents are harder than others
    return np.where(truth, 2.0, -2.0) + rng.normal(0.0, 1.2, truth.shape) * (0.5 + hard)


def probabilities_of(logits: Array, single: bool) -> Array:
    if not single:
        return 1.0 / (1.0 + np.exp(-logits))
    powers = np.exp(logits - logits.max(axis=1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=1, keepdims=True))


def labels_of(p: Array, classes: list[str], single: bool) -> list[str]:
    if single:
        return [classes[int(p.argmax())]]
    return [name for name, one in zip(classes, p, strict=True) if one >= 0.5]


def write_lines(path: str, rows: list[dict[str, object]]) -> None:
    lines = (json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    Path(path).write_text("".join(lines), encoding="utf-8")


def language_model() -> None:
    documents, classes, single = read()
    rows: list[dict[str, object]] = []
    logits = logits_of(documents, classes, 1)
    for one, p in zip(documents, probabilities_of(logits, single), strict=True):
        names = labels_of(p, classes, single)
        sure = {name: round(float(p[classes.index(name)]), 2) for name in names}
        given: dict[str, object] = {"label": names[0]} if single else {"labels": names}
        rows.append({"id": one.id, "text": one.text, **given, "probabilities": sure})
    write_lines("predicted.jsonl", rows)


def transformer() -> None:
    documents, classes, single = read()
    logits = logits_of(documents, classes, 2)
    np.save("logits.npy", logits)
    Path("classes.txt").write_text("\n".join(classes) + "\n", encoding="utf-8")
    rows: list[dict[str, object]] = []
    for one, p in zip(documents, probabilities_of(logits, single), strict=True):
        outputs = [{"label": c, "score": float(x)} for c, x in zip(classes, p, strict=True)]
        rows.append({"id": one.id, "text": one.text, "predictions": outputs})
    write_lines("outputs.jsonl", rows)


def coders() -> None:
    documents, classes, single = read()
    column = "label" if single else "labels"
    every = [probabilities_of(logits_of(documents, classes, seed), single) for seed in (3, 4, 5)]
    with Path("votes.csv").open("w", newline="", encoding="utf-8") as file:
        table = csv.writer(file)
        table.writerow(["id", "text", *(f"{column}_{name}" for name in ("anna", "ben", "cem"))])
        for i, one in enumerate(documents):
            votes = ["|".join(labels_of(p[i], classes, single)) or "|" for p in every]
            if i % 4 == 0:
                votes[2] = ""  # cem has not seen this document
            table.writerow([one.id, one.text, *votes])


def opinion() -> None:
    documents, classes, _ = read()
    rng = random.Random(4)
    with Path("llm.csv").open("w", newline="", encoding="utf-8") as file:
        table = csv.writer(file)
        table.writerow(["id", "label"])
        for one in documents:
            wrong = rng.random() < 0.2
            table.writerow([one.id, rng.choice(classes) if wrong else one.labels[0]])


def gold(n: int = 200) -> None:
    documents, _, single = read()
    with Path("gold.csv").open("w", newline="", encoding="utf-8") as file:
        table = csv.writer(file)
        table.writerow(["id", "true_label" if single else "true_labels"])
        for one in random.Random(3).sample(documents, n):
            table.writerow([one.id, "|".join(one.labels)])


if __name__ == "__main__":
    if sys.argv[1] == "gold":
        gold(int(sys.argv[2]))
    else:
        {
            "language-model": language_model,
            "transformer": transformer,
            "coders": coders,
            "opinion": opinion,
        }[sys.argv[1]]()
