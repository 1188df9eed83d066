"""Make the pictures of the workbench: a project of invented survey answers, some of it worked on.

Run it as ``python docs/screenshots.py``; it needs Debian's Chromium.
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

import numpy as np

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT / "tests" / "workbench")]

from playwright.sync_api import sync_playwright
from serving import Site

from satc.files import write_table
from satc.texts.learner_source import LearnerSource
from satc.workbench.model.settings import Settings
from satc.workbench.project.creation import create_file

ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"]
ARGUMENTS += ["--disable-background-networking", "--disable-component-update", "--disable-sync"]
SAID = {
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
}
FILLER = (
    "All in all I am not sure yet.",
    "I have been a customer for years.",
    "My neighbour says the same.",
    "Otherwise fine.",
    "Please do something about it.",
)


def answers(n: int, seed: int) -> tuple[list[str], list[list[str]]]:
    """Invent answers, and what they are about; coders overlook something now and then."""
    rng = np.random.default_rng(seed)
    texts, labels = [], []
    for _ in range(n):
        chosen = [str(t) for t in rng.choice(list(SAID), rng.choice([1, 1, 2, 3]), replace=False)]
        parts = [str(rng.choice(SAID[topic])).capitalize() + "." for topic in chosen]
        parts.insert(int(rng.integers(len(parts) + 1)), str(rng.choice(FILLER)))
        texts.append(" ".join(parts))
        labels.append([topic for topic in chosen if rng.random() > 0.2])
    return texts, labels


def write(path: Path, n: int, seed: int, labelled: bool) -> list[list[str]]:
    texts, labels = answers(n, seed)
    columns = {"id": [f"answer-{i + 1}" for i in range(n)], "text": texts}
    columns["shop"] = ["Leeds" if i % 3 else "York" for i in range(n)]
    write_table(path, columns | ({"labels": labels} if labelled else {}))
    return labels


def main() -> None:
    folder = Path(tempfile.mkdtemp())
    write(folder / "train.jsonl", 110, 1, labelled=True)
    truth = write(folder / "answers.jsonl", 400, 2, labelled=False)
    source = LearnerSource(folder / "train.jsonl", folder / "answers.jsonl", folds=5)
    guidelines = "Code every topic that the answer speaks of, praise and complaint alike."
    settings = Settings(
        title="Customer survey 2026", guidelines=guidelines, decide="measure", price=30.0
    )
    path = folder / "survey.satc"
    create_file(path, source, settings, source.documents, lambda step, done=0: None)
    site = Site(path)
    try:
        client = site.client()
        site.wait_until(lambda: client.get("/status").json()["accuracy"], 120)
        names = client.get("/classes").json()["classes"]
        for step in range(60):
            given = client.post("/next").json()["assignment"]
            labels = [names.index(name) for name in truth[given["document"]["index"]]]
            sent = {"labels": labels, "seconds": 9.0}
            client.post(f"/leases/{given['lease']}/decision", json=sent)
            if step % 10 == 9:
                site.wait_until(lambda: client.get("/status").json()["accuracy"])
                client.get("/status")
                time.sleep(1.2)  # an estimate is made once a second
                client.get("/status")
        shoot(site, ROOT / "docs" / "images")
    finally:
        site.stop()


def shoot(site: Site, images: Path) -> None:
    sizes = {
        "": (1280, 1120, "light"),
        "-dark": (1280, 1120, "dark"),
        "-phone": (390, 844, "light"),
    }
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=ARGUMENTS)
        for name, (width, height, scheme) in sizes.items():
            context = browser.new_context(
                viewport={"width": width, "height": height}, color_scheme=scheme
            )
            page = context.new_page()
            page.goto(site.enter_url)
            page.wait_for_selector("#reading:not([hidden])")
            page.wait_for_selector("#plan-text:not(:empty)", state="attached")
            page.wait_for_timeout(1500)
            page.screenshot(path=images / f"workbench{name}.png")
            context.close()
        browser.close()


if __name__ == "__main__":
    main()
