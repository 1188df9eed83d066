"""Generated projects: short texts, imperfect scores, true labels."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from satc.texts.scores_source import ScoresSource
from satc.workbench.model.settings import Settings
from satc.workbench.project.creation import create, create_file
from satc.workbench.store import open_store
from satc.workbench.store.creating.unfinished import begin_project, complete_project
from satc.workbench.store.people.users import add_user
from satc.workbench.store.projects import add_classes
from satc.workbench.web.access.accounts import new_token

WORDS = ["wheat", "corn", "gold", "oil", "trade", "ship", "money", "grain", "sugar", "coffee"]


class Made(NamedTuple):
    scores: np.ndarray
    y_true: np.ndarray
    oof_scores: np.ndarray
    y_train: np.ndarray
    texts: list[str]

    @property
    def training(self):
        return {"oof_scores": self.oof_scores, "y_train": self.y_train}


def make(n=60, m=6, n_train=200, seed=0, texts=None) -> Made:
    rng = np.random.default_rng(seed)
    scores = rng.normal(rng.uniform(-1.5, 0.0, m), 1.2, (n_train + n, m))
    truth = rng.random(scores.shape) < 1.0 / (1.0 + np.exp(-2.0 * scores))
    if texts is None:
        texts = [" ".join(rng.choice(WORDS, 12)).capitalize() + f". Text {i}." for i in range(n)]
    return Made(scores[n_train:], truth[n_train:], scores[:n_train], truth[:n_train], texts)


def make_single(n=40, m=4, n_train=200, seed=0, texts=None) -> Made:
    """Make documents that have exactly one label each."""
    rng = np.random.default_rng(seed)
    truth = np.eye(m, dtype=bool)[rng.choice(m, n_train + n, p=_falling(m))]
    scores = truth * 1.6 - 1.4 + rng.normal(0.0, 0.7, truth.shape)
    if texts is None:
        texts = [" ".join(rng.choice(WORDS, 12)).capitalize() + f". Text {i}." for i in range(n)]
    return Made(scores[n_train:], truth[n_train:], scores[:n_train], truth[:n_train], texts)


def _falling(m):
    """Return probabilities of classes: each is less frequent than the one before it."""
    weights = 1.0 / np.arange(1, m + 1)
    return weights / weights.sum()


def write_files(made: Made, folder: Path, names=None, **columns) -> dict[str, Path]:
    """Write the files that `satc create --scores` reads."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "documents.jsonl").open("w", encoding="utf-8") as file:
        for i, text in enumerate(made.texts):
            row = {"id": f"d{i}", "text": text}
            row |= {name: values[i] for name, values in columns.items()}
            file.write(json.dumps(row) + "\n")
    np.save(folder / "scores.npy", made.scores)
    np.save(folder / "oof.npy", made.oof_scores)
    np.save(folder / "train.npy", made.y_train)
    return {
        "documents": folder / "documents.jsonl",
        "scores": folder / "scores.npy",
        "oof_scores": folder / "oof.npy",
        "train_labels": folder / "train.npy",
    }


@dataclass(frozen=True)
class NamedScores(ScoresSource):
    """Scores whose classes have names."""

    names: tuple[str, ...] | None = None

    def prepare(self, progress):
        prepared = super().prepare(progress)
        return replace(prepared, classes=self.names or prepared.classes)


def make_project(
    made: Made,
    path: Path | str,
    names=None,
    name=None,
    columns=None,
    cold=False,
    book=None,
    **settings,
):
    """Make a project in a file, or in the database at this address; `cold`: no label is known."""
    import tempfile

    folder = Path(tempfile.mkdtemp())
    files = write_files(made, folder, **(columns or {}))
    if cold:
        del files["oof_scores"], files["train_labels"]
        settings.setdefault("method", "contextual-dynamic")
    source = NamedScores(**files, names=names)
    settings.setdefault("method", "u-theoretic-dynamic")
    settings.setdefault("title", "Commodities")
    settings.setdefault("audit_seed", 0)  # else each run of a test draws other documents
    chosen = Settings(**settings)
    if str(path).startswith("postgresql"):
        store = open_store(path, new=True)
        try:
            create(store, name or "made", source, chosen, files["documents"], quiet, book=book)
        finally:
            store.close()
    else:
        create_file(Path(path), source, chosen, files["documents"], quiet, book=book)
    return path


def add_empty_project(store, name, settings, classes):
    """Add a project without documents."""
    with begin_project(store, name) as key, store.writing() as connection:
        add_classes(connection, key, 0, classes)
        complete_project(connection, key, name, settings, 0)


def add_people(location, n):
    """Add n users; return a token of each. They have no passwords, because hashing is slow."""
    store = open_store(location)
    tokens = []
    for i in range(n):
        add_user(store, f"person{i}", "annotator", "no password fits this")
        tokens.append(new_token(store, f"person{i}"))
    store.close()
    return tokens


def quiet(step, done=0):
    """Show no progress."""
