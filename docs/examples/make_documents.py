"""Write invented documents for the tutorial and the how-to pages.

    python make_documents.py survey

writes three files into the current folder: `coded.csv` (labelled documents), `new.csv` (documents
to label) and `truth.csv` (correct labels of the new documents; a real project has no such file).
The themes are survey, mails, abstracts, posts and tickets; a ticket has exactly one label.
"""

from __future__ import annotations

import csv
import random
import sys
from itertools import accumulate
from pathlib import Path
from typing import NamedTuple


class Theme(NamedTuple):
    classes: dict[str, str]  # name: words that are typical of the class
    filler: str  # words that are typical of no class
    n_coded: int
    n_new: int
    labels: int  # most labels that a document has


SURVEY = {
    "price": "expensive cheap price cost fee money afford bill",
    "delivery": "late parcel courier delay arrived waiting shipped lost",
    "staff": "rude friendly helpful clerk polite manager smile ignored",
    "website": "login page crash slow button password search checkout",
    "quality": "broken sturdy scratch fabric tear durable worn solid",
    "returns": "refund return exchange receipt voucher label sent back",
    "nothing": "nothing fine none happy satisfied good okay nope",
}
MAILS = {
    "responsive": "pipeline contract valve clause pressure inspection supplier liability",
    "privileged": "counsel attorney advice privileged draft opinion legal confidential",
}
POSTS = {
    "insult": "idiot stupid loser clown pathetic moron",
    "threat": "hurt burn regret watch coming find",
    "spam": "click winner offer free prize subscribe",
    "self-harm": "hopeless alone worthless ending nobody tired",
}
TICKETS = {
    "card lost": "lost stolen block card wallet replace",
    "card arrival": "card arrive arrived waiting delivery post",
    "transfer failed": "transfer failed declined beneficiary rejected money",
    "transfer fee": "transfer fee charged extra cost percent",
    "exchange rate": "exchange rate currency abroad euro wrong",
    "top-up failed": "top up failed reverted balance pending",
    "pin blocked": "pin blocked attempts unlock forgot code",
    "refund": "refund merchant return reversed back money",
}
HEADINGS = [
    a + b
    for a in ("cardi", "haemat", "neur", "derm", "oste")
    for b in ("algia", "itis", "oma", "opathy", "osclerosis", "ectasia", "omalacia", "orrhage")
]
ABSTRACTS = {
    name.capitalize(): f"{name} {name[:-1]}ic {name[:5]}{name[-4:]}ous" for name in HEADINGS
}
TALK = (
    "the was and I it to my with they this very when again after really just some first people "
    "thing time day week would could about because from there then much more while still shop"
)
THEMES = {
    "survey": Theme(SURVEY, TALK, 400, 300, 2),
    "mails": Theme(MAILS, TALK, 300, 400, 2),
    "abstracts": Theme(ABSTRACTS, TALK, 600, 400, 4),
    "posts": Theme(POSTS, TALK, 300, 300, 2),
    "tickets": Theme(TICKETS, TALK, 600, 400, 1),
}


def documents(theme: Theme, n: int, rng: random.Random) -> list[tuple[str, list[str]]]:
    """Return texts with their labels; the first classes are frequent, the last ones rare."""
    names = list(theme.classes)
    shares = list(accumulate(1 / (1 + place) for place in range(len(names))))
    made = []
    for _ in range(n):
        some = rng.choices(names, cum_weights=shares, k=rng.randint(1, theme.labels))
        labels = sorted(set(some) if rng.random() < 0.9 or theme is not THEMES["mails"] else [])
        words = rng.choices(theme.filler.split(), k=rng.randint(8, 30))
        for label in labels:
            words += rng.choices(theme.classes[label].split(), k=rng.randint(1, 3))
        words += rng.choices(theme.classes[rng.choice(names)].split(), k=rng.randint(0, 1))
        rng.shuffle(words)
        made.append((" ".join(words), labels))
    return made


def write(path: Path, header: tuple[str, ...], rows: list[tuple[str, ...]]) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([header, *rows])


def main(name: str, folder: Path) -> None:
    theme, rng = THEMES[name], random.Random(7)
    coded, new = (documents(theme, n, rng) for n in (theme.n_coded, theme.n_new))
    column = "label" if theme.labels == 1 else "labels"
    labelled = [(f"t{i}", text, "|".join(labels)) for i, (text, labels) in enumerate(coded)]
    write(folder / "coded.csv", ("id", "text", column), labelled)
    write(folder / "new.csv", ("id", "text"), [(f"d{i}", text) for i, (text, _) in enumerate(new)])
    truth = [(f"d{i}", text, "|".join(labels)) for i, (text, labels) in enumerate(new)]
    write(folder / "truth.csv", ("id", "text", column), truth)


if __name__ == "__main__":
    main(sys.argv[1], Path.cwd())
