"""Play the people of a project, so that a page of the documentation can be followed to its end.

    python play_people.py survey.satc ann bob --documents 60

lets the people check 60 documents in turn, in the order of the workbench, with the labels of
`truth.csv`. If there are several people, the last one forgets one label in twenty, or takes the
first class where there must be a label.
"""

from __future__ import annotations

import argparse
import csv
import random
from pathlib import Path

from satc.workbench.review.desk import open_desk
from satc.workbench.review.open_projects import OpenProject
from satc.workbench.store import open_store
from satc.workbench.store.documents import positions_of


def play(project: Path, people: list[str], n: int) -> None:
    store = open_store(project)
    store.lock()  # as a server does
    project = OpenProject(open_desk(store))
    desk = project.desk
    numbers = {name: j for j, name in enumerate(desk.project.classes)}
    positions = positions_of(store, desk.project.key)
    with Path("truth.csv").open(encoding="utf-8") as file:
        rows = csv.DictReader(file)
        truth = {positions[row["id"]]: row[rows.fieldnames[-1]].split("|") for row in rows}
    rng = random.Random(1)
    for turn in range(n):
        who = people[turn % len(people)]
        lease, _ = desk.next(who)
        if lease is None:
            break
        labels = [numbers[name] for name in truth[lease.document] if name]
        if who == people[-1] and len(people) > 1:
            labels = [label for label in labels if rng.random() > 0.05]
            labels = labels or [0] * (desk.project.settings.task == "single-label")
        desk.submit(lease.lease, who, labels, seconds=rng.uniform(4, 12))
        if project.learning is not None:
            project.learning.wait()
    store.close()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("project", type=Path)
    parser.add_argument("people", nargs="+")
    parser.add_argument("--documents", type=int, default=60)
    given = parser.parse_args()
    play(given.project, given.people, given.documents)
