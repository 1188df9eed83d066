"""Make a review for responsiveness and privilege from topics of Reuters-21578, and play reviewers.

    python make_review.py

writes three files into the current folder: `coded.csv` (labelled documents), `new.csv` (documents
to review) and `truth.csv` (correct labels of the new documents; a real review has no such file).
The topic money-fx stands for responsive documents, and interest for privileged ones. The files of
Reuters-21578 must be on this machine: `satc datasets fetch reuters21578`.

    python make_review.py answer review.csv

fills in the answers of the reviewers, as `truth.csv` has them, for the documents that the column
`reader` gives to somebody. With `cost`, in the place of `answer`, it prints what the actions in the
file cost really.
"""

from __future__ import annotations

import csv
import random
import sys
from pathlib import Path

from satc.datasets import load
from satc.review_stages.costs import ACTIONS, ERRORS

TOPICS = {"money-fx": "responsive", "interest": "privileged"}
COLUMNS = {"responsiveness": "responsive", "privilege": "privileged"}  # by reader
N_CODED, N_NEW = 1000, 600


def sample(part, n):
    """Return rows of documents that are drawn at random, with the labels of the review."""
    rows = sorted(random.Random(0).sample(range(len(part.ids)), n))
    places = {part.classes.index(topic): name for topic, name in TOPICS.items()}
    for i in rows:
        names = [name for j, name in places.items() if part.labels[i, j]]
        yield part.ids[i], part.texts[i], "|".join(names)


def write(path, header, rows):
    with Path(path).open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([header, *rows])


def read(path):
    with Path(path).open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def make():
    dataset = load("reuters21578")
    write("coded.csv", ["id", "text", "labels"], sample(dataset.train, N_CODED))
    new = list(sample(dataset.test, N_NEW))
    write("new.csv", ["id", "text"], [row[:2] for row in new])
    write("truth.csv", ["id", "labels"], [(row[0], row[2]) for row in new])


def answer(path):
    truth = {row["id"]: row["labels"].split("|") for row in read("truth.csv")}
    rows = read(path)
    for row in rows:
        if row["reader"]:
            column = COLUMNS[row["reader"]]
            row[column] = "yes" if column in truth[row["id"]] else "no"
    write(path, rows[0], [row.values() for row in rows])


def cost(path):
    truth = {row["id"]: row["labels"].split("|") for row in read("truth.csv")}
    wrong = 0.0
    for row in read(path):
        labels = truth[row["id"]]
        right = "log" if "privileged" in labels else "produce"
        right = right if "responsive" in labels else "withhold"
        wrong += ERRORS[ACTIONS.index(row["action"])][ACTIONS.index(right)]
    print(f"wrong actions cost {wrong:,.0f}")


if __name__ == "__main__":
    if len(sys.argv) == 1:
        make()
    else:
        {"answer": answer, "cost": cost}[sys.argv[1]](sys.argv[2])
