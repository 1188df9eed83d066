"""Small projects for a browser, each served by its own thread."""

from __future__ import annotations

import json
import shutil
import socket
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from statistics import NormalDist
from threading import Thread
from typing import Any

import numpy as np
import uvicorn
from joblib import parallel_config
from projects_made import Made, make, make_project, make_single

from satc.code_book import CodeBook, Entry
from satc.datasets import load
from satc.datasets.mesh import code_book
from satc.texts.coded.completing import complete
from satc.texts.labelled import read_labelled
from satc.texts.learner_source import LearnerSource
from satc.workbench.model.settings import Settings
from satc.workbench.project.creation import create_file
from satc.workbench.review.desk import open_desk
from satc.workbench.review.open_projects import OpenProject
from satc.workbench.store import open_store
from satc.workbench.web.accounts import add_user
from satc.workbench.web.app import make_app

PASSWORD = "correct horse"  # noqa: S105 (of a server that runs for one test)
SUBJECTS = {
    "grain": "wheat maize harvest bushels",
    "metal": "copper zinc smelter ore",
    "money": "currency bank rates deposit",
    "ship": "vessel port cargo freight",
}
HOSTILE = (
    '<script>window.hacked = 1; alert("x")</script><img src=x onerror="window.hacked = 2">'
    '<b class="hostile">{{ 7 * 7 }}</b> "><svg onload=alert(2)> '
    f"\U0001f600 \u0645\u0631\u062d\u0628\u0627 {'verylongword' * 40}"
)


def _quiet(step: str, done: int = 0) -> None:
    pass


def _write(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def scored(path: Path, texts: list[str], n_classes: int, **settings: Any) -> Path:
    """Make a project of texts with random scores."""
    rng = np.random.default_rng(7)
    level = NormalDist().inv_cdf(2 / n_classes)  # about two labels for each document
    scores, oof = (rng.normal(level, 1.0, (n, n_classes)) for n in (len(texts), 40))
    truth, y_train = (s + rng.normal(0.0, 0.7, s.shape) > 0 for s in (scores, oof))
    make_project(Made(scores, truth, oof, y_train, texts), path, **settings)
    return path


TICKETS = ("refund", "delivery", "account", "invoice", "address", "opening hours", "complaint")
TICKETS += ("warranty", "spare part", "voucher", "newsletter", "careers", "praise", "spam")
QUESTIONS = [
    f"Ticket {i}: I ordered a lamp three weeks ago and it has not arrived. Can I have my money "
    "back, or will you send another one? I have written to you twice already."
    for i in range(20)
]


def single(path: Path, n: int = 20, n_classes: int = 14, **settings: Any) -> Path:
    """Make a project in which every document has exactly one of the `TICKETS`."""
    made = make_single(n, n_classes, n_train=400, seed=3, texts=QUESTIONS[:n])
    names = TICKETS[:n_classes]
    settings = {"title": "Tickets", "decide": "measure"} | settings
    make_project(made, path, names=names, task="single-label", **settings)
    return path


def cold(path: Path, n_decided: int = 0, **settings: Any) -> Path:
    """Make a project of which no label was known at first; people have decided on some of it."""
    made = make(120, 6, seed=5)
    make_project(made, path, cold=True, **settings)
    with closing(open_store(path)) as store:
        project = OpenProject(open_desk(store))
        for _ in range(n_decided):
            lease, _ = project.desk.next("ann")
            labels = np.flatnonzero(made.y_true[lease.document]).tolist()
            project.desk.submit(lease.lease, "ann", labels, 3.0)
        project.learning.wait()
    return path


def learned(path: Path) -> Path:
    """Make a project with a learner; we know the words of each class."""
    rng = np.random.default_rng(8)
    names = list(SUBJECTS)

    def row(i: int) -> dict[str, Any]:
        labels = [name for name in names if rng.random() < 0.4] or [names[i % 4]]
        words = " ".join(SUBJECTS[name] for name in labels).split()
        text = " ".join(rng.choice([*words, "market", "said", "report"], 12))
        return {"id": f"w{i}", "text": f"\U0001f600 {text}", "labels": labels}

    rows = [row(i) for i in range(60)]
    train = _write(path.with_name("train.jsonl"), rows[:40])
    unlabelled = [
        {"id": r["id"], "text": r["text"], "title": f"Title {r['id']}"} for r in rows[40:]
    ]
    documents = _write(path.with_suffix(".jsonl"), unlabelled)
    source = LearnerSource(train, documents, "svm", folds=3)
    settings = Settings("Learned", method="u-theoretic-dynamic")
    with parallel_config(backend="threading"):
        create_file(path, source, settings, documents, _quiet)
    return path


def mesh(path: Path, n_train: int = 150, n: int = 20, **settings: Any) -> Path:
    """Make a closed project of MEDLINE records under the hierarchy of MeSH C14."""
    dataset = load("medline")
    parts = [
        part.take(np.flatnonzero(part.labels.any(axis=1))[:size])
        for part, size in ((dataset.train, n_train), (dataset.test, n))
    ]
    rows = [
        [
            {"id": part.ids[i], "text": part.texts[i], "labels": list(part.label_names(i))}
            for i in range(len(part))
        ]
        for part in parts
    ]
    train = _write(path.with_name("train.jsonl"), rows[0])
    documents = _write(path.with_name("new.jsonl"), rows[1])
    source, book = LearnerSource(train, documents, "svm", folds=3), code_book()
    labelled, _ = complete(read_labelled(source), book)
    settings = {"method": "u-theoretic-dynamic", "decide": "measure"} | settings
    chosen = Settings("Cardiovascular Diseases", closed=True, **settings)
    with parallel_config(backend="threading"):
        ready = replace(source, labelled=labelled)
        create_file(path, ready, chosen, documents, _quiet, book=book)
    return path


def coded(path: Path, entries: list[Entry], n_classes: int, **settings: Any) -> Path:
    """Make a project of random scores whose first entries are the classes."""
    names = tuple(one.code for one in entries[:n_classes])
    rng = np.random.default_rng(7)
    level = NormalDist().inv_cdf(2 / n_classes)
    scores, oof = (rng.normal(level, 1.0, (n, n_classes)) for n in (6, 40))
    texts = [f"Text {i}: a sentence." for i in range(6)]
    made = Made(scores, scores > 0, oof, oof + rng.normal(0.0, 0.7, oof.shape) > 0, texts)
    make_project(made, path, names=names, book=CodeBook(tuple(entries)), **settings)
    return path


class Site:
    """The addresses of a running server."""

    def __init__(self, url: str, enter_url: str) -> None:
        self.url = url
        self.enter_url = enter_url


def with_people(project: Path, copy: Path, *people: str) -> Path:
    """Copy a project, and add annotators to the copy."""
    shutil.copy(project, copy)
    with closing(open_store(copy)) as store:
        for name in people:
            add_user(store, name, "annotator", PASSWORD)
    return copy


@contextmanager
def serving(project: Path, folder: Path) -> Iterator[Site]:
    """Serve a copy of a project, so that each test begins with a fresh one."""
    store = open_store(shutil.copy(project, folder / "project.satc"))
    app = make_app(store, estimating=False)
    listener = socket.create_server(("127.0.0.1", 0))
    config = uvicorn.Config(app, log_level="error", lifespan="off", timeout_graceful_shutdown=1)
    server = uvicorn.Server(config)
    thread = Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    url = f"http://127.0.0.1:{listener.getsockname()[1]}"
    try:
        yield Site(url, f"{url}/enter?key={app.state.authenticator.link_key}")
    finally:
        server.should_exit = server.force_exit = True
        thread.join(10)
        listener.close()
        store.close()
