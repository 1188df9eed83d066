"""Small projects for a browser, each served by its own thread."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import replace
from pathlib import Path
from statistics import NormalDist
from typing import Any

import header_login
import nginx
import numpy as np
from joblib import parallel_config
from projects_made import Made, add_empty_project, make, make_project, make_single
from serving_in_thread import running

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
from satc.workbench.store.people.members import grant
from satc.workbench.web.access.accounts import add_user
from satc.workbench.web.access.authentication import Authenticator
from satc.workbench.web.access.company.settings import LoginSettings
from satc.workbench.web.app import make_app
from satc.workbench.web.proxy.settings import ProxySettings
from satc.workbench.web.proxy.trusted import TrustedProxies

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


INTENTS = [
    f"{what} {how}"
    for what in ("card", "transfer", "top up", "cash", "account", "exchange", "fee")
    for how in ("pending", "declined", "limit", "lost", "new", "abroad", "by cheque", "twice")
]


def intents(path: Path) -> Path:
    """Make a project in which every document has exactly one of the `INTENTS`, which are many."""
    made = make_single(12, len(INTENTS), n_train=1200, seed=3, texts=QUESTIONS[:12])
    settings = {"title": "Intents", "decide": "measure"}
    make_project(made, path, names=tuple(INTENTS), task="single-label", **settings)
    return path


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


THEMES = ("staff", "waiting", "food", "rooms", "costs", "discharge")
ANSWERS = (
    "The nurses were kind, but nobody told us when the doctor would come.",
    "The food was cold every evening. 护士很好。",
    "Parking is far too expensive for visitors who come every day.",
    "I was discharged without a letter for my family doctor.",
)


def surveyed(path: Path, n: int = 120, **settings: Any) -> Path:
    """Make a project of answers to a survey; ann and ben have decided, skipped and flagged."""
    texts = [f"Answer {i}. {ANSWERS[i % len(ANSWERS)]}" for i in range(n)]
    settings = {"overlap": 0.5, "audit": 0.2, "seed": 2, "title": "Patients"} | settings
    make_project(make(n, len(THEMES), seed=4, texts=texts), path, names=THEMES, **settings)
    with closing(open_store(path)) as store:
        desk = open_desk(store)
        for k in range(24):
            who = ("ann", "ben")[k % 2]
            lease, _ = desk.next(who)
            if k % 9 == 4:
                desk.skip(lease.lease, who)
                continue
            labels = [k % 6] if k % 3 == 0 else desk.state.predicted(lease.document)
            desk.submit(lease.lease, who, labels, 4.0)
            if k % 8 == 0:
                desk.flag(lease.document, who, True)
                desk.note(lease.document, who, f"Is this {THEMES[k % 6]}? {HOSTILE}")
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


def coded(
    path: Path,
    entries: list[Entry],
    n_classes: int,
    names: tuple[str, ...] | None = None,
    **settings: Any,
) -> Path:
    """Make a project of random scores whose first entries are the classes, in an order."""
    names = names or tuple(one.code for one in entries[:n_classes])
    rng = np.random.default_rng(7)
    level = NormalDist().inv_cdf(2 / n_classes)
    scores, oof = (rng.normal(level, 1.0, (n, n_classes)) for n in (6, 40))
    texts = [f"Text {i}: a sentence." for i in range(6)]
    made = Made(scores, scores > 0, oof, oof + rng.normal(0.0, 0.7, oof.shape) > 0, texts)
    make_project(made, path, names=names, book=CodeBook(tuple(entries)), **settings)
    return path


def used(path: Path) -> Path:
    """Make a project on which ann and ben have worked: they agree once, and disagree twice."""
    texts = [f"Text {i}: a sentence of some length. " * 4 for i in range(12)]
    scored(path, texts, 6, overlap=0.999, audit=0.3)
    with closing(open_store(path)) as store:
        desk = open_desk(store)
        for second in ([0, 1], [1, 2], [0]):
            for who, labels in (("ann", [0, 1]), ("ben", second)):
                lease, _ = desk.next(who)
                desk.submit(lease.lease, who, labels, 5.0)
        lease, _ = desk.next("ann")
        desk.flag(lease.document, "ann", True)
        desk.note(lease.document, "ann", "Ask the client.")
    return path


def disputed(path: Path, **people: str) -> Path:
    """Make a project in which ann and ben disagree on three documents and agree on one."""
    texts = [f"Text {i}: a sentence. {HOSTILE if i == 0 else ''}" for i in range(12)]
    scored(path, texts, 6, overlap=0.999)
    with closing(open_store(path)) as store:
        desk = open_desk(store)
        for labels in ([0, 1], [1, 2], [0], [0, 3]):
            for who, given in (("ann", [0, 1]), ("ben", labels)):
                lease, _ = desk.next(who)
                desk.submit(lease.lease, who, given, 1.0)
        for name, role in people.items():
            add_user(store, name, role, PASSWORD)
    return path


def team(path: Path) -> Path:
    """Make the same project for people who log in: ann, ben, and max, a manager."""
    used(path)
    with closing(open_store(path)) as store:
        for name, role in (("ann", "annotator"), ("ben", "annotator"), ("max", "manager")):
            add_user(store, name, role, PASSWORD)
    return path


def two_projects(path: Path) -> Path:
    """Make the same project beside another one, of which ann is a member, too."""
    team(path)
    with closing(open_store(path)) as store:
        add_empty_project(store, "other", Settings(f"Letters {HOSTILE}"), ["a", "b"])
        grant(store, "ann", "other", "manager")
    return path


NEARLY = " ".join(f"word{i}" for i in range(40))
NEARLY_THE_SAME = (NEARLY, NEARLY.upper(), f"{NEARLY}.", NEARLY.replace("word20", "elsewhere"))


def repeated(path: Path) -> Path:
    """Make a project whose first four documents are nearly the same."""
    others = [f"Text {i}: quite another sentence about {HOSTILE}" for i in range(3)]
    others += [" ".join(f"other{i}x{j}" for j in range(30)) for i in range(5)]
    return scored(path, [*NEARLY_THE_SAME, *others], 6)


class Site:
    """The addresses of a running server; `host` is its name and port, `url` may have a path."""

    def __init__(self, url: str, enter_url: str) -> None:
        self.url = url
        self.enter_url = enter_url
        self.host = url.split("/")[2]


def with_people(project: Path, copy: Path, *people: str, manager: str) -> Path:
    """Copy a project, and add annotators and a manager to the copy."""
    shutil.copy(project, copy)
    with closing(open_store(copy)) as store:
        for name in people:
            add_user(store, name, "annotator", PASSWORD)
        add_user(store, manager, "manager", PASSWORD)
    return copy


def is_behind_proxy() -> bool:
    """Whether all tests shall run behind nginx, below a path: ``SATC_TEST_PROXY=1``."""
    return os.environ.get("SATC_TEST_PROXY", "") not in ("", "0")


def is_header_login() -> bool:
    """Whether nginx shall log people in by a header, too: ``SATC_TEST_PROXY=header``."""
    return os.environ.get("SATC_TEST_PROXY", "") == "header"


@contextmanager
def serving(
    project: Path,
    folder: Path,
    *,
    behind_proxy: bool | None = None,
    by_header: bool | None = None,
    login: LoginSettings | None = None,
    **options: Any,
) -> Iterator[Site]:
    """Serve a copy of a project, so that each test begins with a fresh one.

    With `behind_proxy`, nginx with the configuration of `deploy/` is in front of it; with
    `by_header`, it logs people in, unless `login` says another way.
    """
    behind_proxy = is_behind_proxy() if behind_proxy is None else behind_proxy
    by_header = (is_header_login() and login is None) if by_header is None else by_header
    store = open_store(shutil.copy(project, folder / "project.satc"))
    changes = None
    options["authenticator"] = Authenticator(store, login)
    if behind_proxy and by_header:
        changes = header_login.changes(store)
        options["authenticator"] = header_login.authenticator(store)
    app = make_app(store, estimating=False, **options)
    here = ProxySettings(trusted=TrustedProxies(["127.0.0.1"]))
    with running(app, here) as port, ExitStack() as stack:
        url, path = f"http://127.0.0.1:{port}", f"enter?key={app.state.authenticator.link_key}"
        if behind_proxy:
            front = nginx.in_front_of(f"127.0.0.1:{port}", folder / "nginx", changes)
            url = stack.enter_context(front)
        yield Site(url, f"{url}/{path if changes is None else ''}")
    store.close()
