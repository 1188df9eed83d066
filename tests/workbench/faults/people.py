"""People who do everything that the API offers, and note what the server acknowledged."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Event, Lock, Thread
from typing import NamedTuple

from faults.wire import Wire


class Given(NamedTuple):
    """A decision that the server acknowledged."""

    number: int
    document: int
    labels: tuple[int, ...]
    lease: str | None


@dataclass
class Notes:
    """What the server acknowledged to one person."""

    given: list[Given] = field(default_factory=list)
    revised: list[Given] = field(default_factory=list)
    notes: list[tuple[int, str]] = field(default_factory=list)
    undone: int = 0
    undone_perhaps: int = 0
    done: dict[str, int] = field(default_factory=dict)
    wrong: list[str] = field(default_factory=list)


class Total:
    """How many decisions were acknowledged to all people together, and the last number."""

    def __init__(self) -> None:
        self.decisions = 0
        self.last_number = 0
        self._lock = Lock()

    def count(self, number: int) -> None:
        with self._lock:
            self.decisions += 1
            self.last_number = max(self.last_number, number)


class Person:
    """One person, whose choices follow from a seed."""

    def __init__(
        self, name: str, wire: Wire, n_documents: int, n_classes: int, seed: int, total: Total
    ) -> None:
        self.name = name
        self.notes = Notes()
        self._wire = wire
        self._n_documents, self._n_classes = n_documents, n_classes
        self._chance = random.Random(seed)  # noqa: S311
        self._total = total
        self._held: dict[str, int] = {}  # leases with their documents

    def work(self, ended: Event) -> None:
        """Act until the end."""
        actions = list(ACTIONS)
        weights = [ACTIONS[name] for name in actions]
        while not ended.is_set():
            name = self._chance.choices(actions, weights)[0]
            action: Callable[[], object] = getattr(self, name)
            action()
            self.notes.done[name] = self.notes.done.get(name, 0) + 1
        self._wire.close()

    def decide(self) -> None:
        lease = self._lease()
        if lease is None:
            return
        document, labels = self._held[lease], self._labels()
        if self._submit(lease, document, labels) and self._chance.random() < 0.1:
            self._submit(lease, document, labels)
            self._submit_others(lease, labels)
        self._held.pop(lease, None)

    def skip(self) -> None:
        if (lease := self._lease()) is not None:
            self._wire.once("POST", f"/leases/{lease}/skip")
            self._held.pop(lease, None)

    def renew(self) -> None:
        if (lease := self._lease()) is not None:
            self._wire.repeat("POST", f"/leases/{lease}/renew")

    def give_back(self) -> None:
        if (lease := self._lease()) is not None:
            self._wire.once("DELETE", f"/leases/{lease}")
            self._held.pop(lease, None)

    def undo(self) -> None:
        answer = self._wire.once("POST", "/undo")
        self.notes.undone += answer.is_good
        self.notes.undone_perhaps += answer.status is None or answer.status >= 500
        if answer.is_good and (again := answer.body["assignment"]) is not None:
            self._held[again["lease"]] = again["document"]["index"]

    def revise(self) -> None:
        mine = self._wire.repeat("GET", "/decisions?limit=5")
        if not mine.is_good or not mine.body["decisions"]:
            return
        document = self._chance.choice(mine.body["decisions"])["document"]["index"]
        labels = self._labels()
        answer = self._wire.once("PUT", f"/documents/{document}/decision", {"labels": labels})
        if answer.is_good:
            revised = Given(answer.body["decision"], document, tuple(labels), None)
            self.notes.revised.append(revised)

    def flag(self) -> None:
        flagged = self._chance.random() < 0.6
        self._wire.repeat("PUT", f"/documents/{self._document()}/flag", {"flagged": flagged})

    def note(self) -> None:
        document, text = self._document(), f"{self.name} {self._chance.random()}"
        answer = self._wire.repeat("PUT", f"/documents/{document}/note", {"note": text})
        if answer.is_good:
            self.notes.notes.append((document, text))

    def open_chosen(self) -> None:
        document = self._document()
        answer = self._wire.once("POST", f"/documents/{document}/lease")
        if answer.is_good:
            self._held[answer.body["lease"]] = document

    def settle(self) -> None:
        answer = self._wire.once("GET", "/disagreements")
        if answer.is_good and answer.body["disagreements"]:
            case = self._chance.choice(answer.body["disagreements"])
            sent = {"labels": self._labels()}
            sent |= {name: case[name]["decision"] for name in ("first", "second")}
            self._wire.once("POST", f"/disagreements/{case['document']['index']}/settle", sent)

    def copy(self) -> None:
        document = self._document()
        found = self._wire.once("GET", f"/documents/{document}/duplicates")
        if found.is_good and found.body["of"] is not None:
            for other in found.body["documents"][:2]:
                sent = {"of": document, "read": True}
                self._wire.once("POST", f"/documents/{other['index']}/same-as", sent)

    def look(self) -> None:
        paths = ("/status", "/documents?state=decided&page=2", "/documents?q=wheat", "/assignments")
        paths += ("/plan", "/agreement", f"/documents/{self._document()}", "/classes")
        self._wire.once("GET", self._chance.choice(paths))

    def manage(self) -> None:
        """What managers do; other people are refused."""
        leases = self._wire.once("GET", "/leases")
        if not leases.is_good:
            return
        if leases.body["leases"] and self._chance.random() < 0.3:
            held = self._chance.choice(leases.body["leases"])["lease"]
            if self._chance.random() < 0.5:
                self._wire.once("DELETE", f"/leases/{held}")
            else:
                self._wire.once("POST", f"/leases/{held}/assign", {"who": self.name})
        self._wire.once("GET", "/overview")
        self._wire.once("GET", "/export?format=csv")
        title = f"Title {self._chance.random()}"
        self._wire.once("PATCH", "", {"title": title})

    def _lease(self) -> str | None:
        """Return a lease that this person has, or asks for."""
        if not self._held:
            answer = self._wire.once("POST", "/next")
            if answer.status is None or answer.status == 409:  # perhaps it was leased
                answer = self._wire.repeat("GET", "/assignments")
                given = answer.body["assignments"] if answer.is_good else []
            else:
                one = answer.body["assignment"] if answer.is_good else None
                given = [] if one is None else [one]
            self._held = {one["lease"]: one["document"]["index"] for one in given}
        return self._chance.choice(list(self._held)) if self._held else None

    def _submit(self, lease: str, document: int, labels: list[int]) -> bool:
        """Send a decision until the server has answered; return whether it was taken."""
        sent = {"labels": labels, "seconds": 1.0}
        answer = self._wire.repeat("POST", f"/leases/{lease}/decision", sent)
        if not answer.is_good:
            return False
        given = Given(answer.body["decision"], document, tuple(labels), lease)
        known = [one for one in self.notes.given if one.lease == lease]
        if not known:
            self.notes.given.append(given)
            self._total.count(given.number)
        elif known[0] != given:
            self.notes.wrong.append(f"{given} was acknowledged before as {known[0]}")
        return True

    def _submit_others(self, lease: str, labels: list[int]) -> None:
        """Send other labels for a decided lease, which must be refused."""
        others = sorted(set(range(self._n_classes)) - set(labels))
        answer = self._wire.repeat("POST", f"/leases/{lease}/decision", {"labels": others})
        if answer.status not in (None, 409):
            self.notes.wrong.append(f"other labels for lease {lease} got {answer.status}")

    def _labels(self) -> list[int]:
        return sorted(self._chance.sample(range(self._n_classes), self._chance.randint(0, 2)))

    def _document(self) -> int:
        return self._chance.randrange(self._n_documents)


# How often people do what.
ACTIONS = {
    "decide": 100,
    "skip": 4,
    "renew": 4,
    "give_back": 4,
    "undo": 8,
    "revise": 6,
    "flag": 4,
    "note": 4,
    "open_chosen": 3,
    "settle": 2,
    "copy": 2,
    "look": 6,
    "manage": 2,
}


def begin(people: list[Person], ended: Event) -> list[Thread]:
    """Let everybody work; return the threads."""
    threads = [Thread(target=person.work, args=(ended,)) for person in people]
    for thread in threads:
        thread.start()
    return threads
