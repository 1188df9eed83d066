"""Projects with a learner, similar training documents, and an opinion beside the classifier."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
from joblib import parallel_config
from projects_made import quiet

from satc.texts.learner_source import LearnerSource
from satc.workbench.model.settings import Settings
from satc.workbench.project.creation import create_file
from satc.workbench.store import open_store
from satc.workbench.store.arrays import put_parts
from satc.workbench.store.predictions import opinion_parts
from satc.workbench.store.projects import get_project

SUBJECTS = {
    "refund": "money back return order cancel lamp broken never arrived",
    "chargeback": "card bank dispute charged twice statement money payment",
    "delivery": "parcel late courier tracking street door arrived order",
    "account": "password login email blocked profile change name",
}
FILLER = "I have written to you before please help me with this today thank you"
N_TRAIN, N = 160, 30


def row_of(i: int, rng: np.random.Generator, more: str, several: bool) -> dict[str, Any]:
    names = list(SUBJECTS)
    labels = [names[i % 4]]
    if several and rng.random() < 0.4:
        labels.append(names[(i + 1) % 4])
    words = [word for name in labels for word in SUBJECTS[name].split()]
    text = " ".join([*rng.choice(words, 6), *rng.choice(FILLER.split(), 14)])
    return {"id": f"t{i}", "text": f"{text.capitalize()}. {more}", "labels": sorted(labels)}


def explained(
    path: Path,
    more: str = "",
    opinion: str = "embeddings",
    task: str = "single-label",
    **settings: Any,
) -> list[dict[str, Any]]:
    """Make a project with an opinion; return the rows of all documents, training ones first.

    `more` is added to every text. The opinion knows the labels of all documents but the last one,
    and errs on every fifth.
    """
    rng = np.random.default_rng(3)
    rows = [row_of(i, rng, more, task == "multi-label") for i in range(N_TRAIN + N)]
    files = {
        "train": rows[:N_TRAIN],
        "new": [{k: r[k] for k in ("id", "text")} for r in rows[N_TRAIN:]],
    }
    for name, some in files.items():
        text = "".join(json.dumps(row) + "\n" for row in some)
        path.with_name(f"{name}.jsonl").write_text(text, encoding="utf-8")
    documents = path.with_name("new.jsonl")
    source = LearnerSource(path.with_name("train.jsonl"), documents, "svm", folds=4)
    settings = {"title": "Tickets", "method": "contextual-dynamic", "decide": "measure"} | settings
    with parallel_config(backend="threading"):
        create_file(path, source, Settings(task=task, **settings), documents, quiet)
    add_opinion(path, opinion, opinion_on(rows[N_TRAIN:]))
    return rows


def opinion_on(rows: list[dict[str, Any]]) -> np.ndarray:
    """Return labels as +1 and -1; every fifth document has those of the next class."""
    names = sorted(SUBJECTS)
    labels = np.array([[name in row["labels"] for name in names] for row in rows])
    labels[::5] = np.roll(labels[::5], 1, axis=1)
    said = np.where(labels, 1.0, -1.0)
    said[-1] = np.nan
    return said


def add_opinion(path: Path, name: str, said: np.ndarray) -> None:
    """Store an opinion on the documents of a project."""
    with closing(open_store(path)) as store:
        project = get_project(store)
        with store.writing() as connection:
            put_parts(connection, project.key, opinion_parts({name: said}, None))
