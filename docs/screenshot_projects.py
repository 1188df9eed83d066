"""The projects of the pictures: invented texts, on which invented people have worked.

A survey with few classes, notes of a hospital with the 125 classes of MeSH C14 and their tree, and
tickets that have exactly one class each.
"""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import httpx
import numpy as np
from serving import Site

from satc.datasets.mesh import code_book
from satc.files import write_table
from satc.texts.coded.completing import complete
from satc.texts.labelled import read_labelled
from satc.texts.learner_source import LearnerSource
from satc.workbench.model.settings import Settings
from satc.workbench.project.creation import create
from satc.workbench.store.new_file import new_file
from satc.workbench.web.access.accounts import add_user, new_token

PASSWORD = "correct horse"  # noqa: S105 (of a server that runs for the pictures)
PEOPLE = {"ann": "annotator", "ben": "annotator", "max": "manager"}
SURVEY = {
    "delivery": (
        "the parcel came two weeks late",
        "delivery was quick this time",
        "nobody told me when the driver would come",
        "it was left in the rain by the door",
    ),
    "price": (
        "far too expensive for what you get",
        "I found it cheaper elsewhere",
        "the discount at the checkout did not work",
        "good value for the money",
    ),
    "quality": (
        "the handle broke after one week",
        "the fabric feels cheap and thin",
        "solid and well made",
        "the colour faded in the first wash",
    ),
    "staff": (
        "the lady on the phone was patient and kind",
        "your assistant could not answer a single question",
        "I was passed from one desk to the next",
        "the team in the shop knew what they were talking about",
    ),
    "returns": (
        "sending it back cost me half a day",
        "the refund took a month",
        "I could exchange it without any fuss",
        "no label for the way back was in the box",
    ),
    "website": (
        "the page froze when I wanted to pay",
        "search never finds what I type",
        "ordering on the phone was easy",
        "I had to enter my address three times",
    ),
    "choice": (
        "my size is always sold out",
        "you have more colours than anyone else",
        "the new range is much smaller than the old one",
        "I could not find a left-handed one",
    ),
    "packaging": (
        "three boxes for one cup is too much",
        "the paper wrapping is a good idea",
        "the box was open when it came",
        "too much plastic around everything",
    ),
}
FILLER = (
    "All in all I am not sure yet.",
    "I have been a customer for years.",
    "My neighbour says the same.",
    "Otherwise fine.",
    "Please do something about it.",
)
TICKETS = {
    "refund": ("I want my money back for the lamp", "when will the refund reach my account"),
    "delivery": ("my order has not arrived", "the tracking page shows no news since Monday"),
    "account": ("I cannot log in any more", "please change the e-mail address of my account"),
    "invoice": ("the invoice shows the wrong amount", "I need an invoice with our tax number"),
    "defect": ("the screen stays black", "the hinge is broken after two days"),
    "spare part": ("where can I buy a new battery", "do you sell the glass cover on its own"),
    "praise": ("thank you for the quick help", "your repair team did a great job"),
}
OPENINGS = ("Hello,", "Dear team,", "Good morning,", "Hi,")
CLOSINGS = (
    "Please let me know what to do.",
    "I have written to you twice already.",
    "Many thanks and kind regards.",
    "I bought it three weeks ago in your shop.",
)
CASES = (
    "A patient aged {age} was admitted with {first}. {rest}The symptoms had begun {days} days ago.",
    "Follow-up after treatment of {first} in a patient aged {age}. {rest}Discharge on day {days}.",
    "We report on {first} in a person aged {age}. {rest}Medication was changed after {days} days.",
)
REST = ("The history includes {}. ", "An examination showed {}. ", "There is a suspicion of {}. ")


class Texts(NamedTuple):
    """Invented texts with their labels."""

    texts: list[str]
    labels: list[list[str]]


def survey(n: int, seed: int) -> Texts:
    """Invent answers with one to three topics; coders overlook something now and then."""
    rng, texts, labels = np.random.default_rng(seed), [], []
    for _ in range(n):
        chosen = rng.choice(list(SURVEY), rng.choice([1, 1, 2, 3]), replace=False).tolist()
        parts = [str(rng.choice(SURVEY[topic])).capitalize() + "." for topic in chosen]
        parts.insert(int(rng.integers(len(parts) + 1)), str(rng.choice(FILLER)))
        texts.append(" ".join(parts))
        labels.append([topic for topic in chosen if rng.random() > 0.2])
    return Texts(texts, labels)


def tickets(n: int, seed: int) -> Texts:
    """Invent tickets; some mention something of another class."""
    rng, texts, labels = np.random.default_rng(seed), [], []
    for _ in range(n):
        one, other = rng.choice(list(TICKETS), 2, replace=False).tolist()
        parts = [str(rng.choice(OPENINGS)), str(rng.choice(TICKETS[one])) + "."]
        if rng.random() < 0.35:
            parts.append(f"Also, {rng.choice(TICKETS[other])}.")
        texts.append(" ".join([*parts, str(rng.choice(CLOSINGS))]))
        labels.append([one])
    return Texts(texts, labels)


def hospital(n: int, seed: int) -> Texts:
    """Invent notes about diseases of MeSH C14; each names one to three of them."""
    rng, texts, labels = np.random.default_rng(seed), [], []
    entries = [one for one in code_book().entries if one.parents]
    for _ in range(n):
        places = rng.choice(len(entries), rng.choice([1, 2, 2, 3]), replace=False).tolist()
        first, *rest = (entries[place].name.split(",")[0].lower() for place in places)
        said = "".join(str(rng.choice(REST)).format(name) for name in rest)
        case, numbers = str(rng.choice(CASES)), rng.integers((40, 2), (89, 14)).tolist()
        texts.append(case.format(age=numbers[0], days=numbers[1], first=first, rest=said))
        labels.append([entries[place].code for place in places])
    return Texts(texts, labels)


class Case(NamedTuple):
    """A project: who invents its texts, how many there are, and its settings."""

    invented: object
    n_train: int
    n: int
    settings: Settings


GUIDELINES = "Code every topic that the answer speaks of, praise and complaint alike."
PROJECTS = {
    "survey": Case(
        survey,
        130,
        400,
        Settings(
            "Customer survey 2026",
            guidelines=GUIDELINES,
            decide="measure",
            price=30.0,
            overlap=0.25,
            audit=0.2,
        ),
    ),
    "tickets": Case(
        tickets,
        120,
        160,
        Settings("Support tickets", task="single-label", decide="measure", audit=0.7),
    ),
    "hospital": Case(
        hospital, 500, 150, Settings("Cardiology notes", decide="measure", closed=True)
    ),
}


def _quiet(step: str, done: int = 0) -> None:
    pass


def make(folder: Path) -> tuple[Path, dict[str, list[list[str]]], dict[str, str]]:
    """Make a file with the projects; return it, the true labels, and a token of each person."""
    path, truth, tokens = folder / "survey.satc", {}, {}
    with new_file(path) as store:
        for name, case in PROJECTS.items():
            train, new = case.invented(case.n_train, 1), case.invented(case.n, 2)
            truth[name] = new.labels
            source = LearnerSource(
                _write(folder / f"{name}-train.jsonl", train, True),
                _write(folder / f"{name}.jsonl", new, False),
                folds=5,
            )
            book = code_book() if name == "hospital" else None
            if book is not None:
                labelled, _ = complete(read_labelled(source), book)
                source = replace(source, labelled=labelled)
            create(store, name, source, case.settings, source.documents, _quiet, book=book)
        for name, role in PEOPLE.items():
            add_user(store, name, role, PASSWORD)
            tokens[name] = new_token(store, name)
    return path, truth, tokens


def _write(path: Path, made: Texts, labelled: bool) -> Path:
    n = len(made.texts)
    columns = {"id": [f"{path.stem}-{i + 1}" for i in range(n)], "text": made.texts}
    columns["region"] = ["North" if i % 3 else "South" for i in range(n)]
    write_table(path, columns | ({"labels": made.labels} if labelled else {}))
    return path


def work(site: Site, truth: dict[str, list[list[str]]], tokens: dict[str, str]) -> None:
    """Let ann and ben check documents, with a mistake now and then, and wait for estimates."""
    rng = np.random.default_rng(3)
    for project, steps in {"survey": 90, "tickets": 90, "hospital": 6}.items():
        clients = [_client(site, project, tokens[name]) for name in ("ann", "ben")]
        site.wait_until(lambda one=clients[0]: one.get("/status").json()["accuracy"], 180)
        codes = clients[0].get("/classes").json()["classes"]
        for step in range(steps):
            given = clients[step % 2].post("/next").json()["assignment"]
            if given is None:
                break
            index = given["document"]["index"]
            labels = [codes.index(name) for name in truth[project][index] if name in codes]
            if project == "survey" and rng.random() < 0.2:
                labels = sorted({*labels, int(rng.integers(len(codes)))})
            sent = {"labels": labels, "seconds": float(rng.uniform(5, 14))}
            clients[step % 2].post(f"/leases/{given['lease']}/decision", json=sent)
            if step % 15 == 7:
                clients[0].put(f"/documents/{index}/flag", json={"flagged": True})
            if step % 10 == 9:
                _wait_for_estimate(clients[0])


def _client(site: Site, project: str, token: str) -> httpx.Client:
    url = f"{site.url}/api/v1/projects/{project}"
    client = httpx.Client(base_url=url, headers={"Authorization": f"Bearer {token}"}, timeout=60)
    site.clients.append(client)
    return client


def _wait_for_estimate(client: httpx.Client) -> None:
    time.sleep(1.2)  # an estimate is made once a second
    client.get("/status")
