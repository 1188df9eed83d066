"""Many people who work at once, each in a thread, and record the answers of the server."""

from __future__ import annotations

import json
import time
from collections import Counter
from dataclasses import dataclass, field
from http.client import HTTPConnection, HTTPException
from threading import Event, Thread


@dataclass
class Worker:
    """The record of one person: documents, acknowledged decisions, and times."""

    given: list[int] = field(default_factory=list)
    acknowledged: dict[int, tuple[int, list[int]]] = field(default_factory=dict)
    seconds: list[float] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)


class Wire:
    """The connection of one person; it is simple because twenty of them share this process."""

    def __init__(self, site, token: str) -> None:
        self._connection = HTTPConnection("127.0.0.1", site.port, timeout=60)
        self._base = f"/api/v1/projects/{site.name}"
        self._headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}

    def post(self, path: str, sent=None) -> dict:
        body = b"" if sent is None else json.dumps(sent).encode()
        self._connection.request("POST", self._base + path, body, self._headers)
        answer = self._connection.getresponse()
        content = answer.read().decode()
        if answer.status != 200:
            raise RefusedError(content)
        return json.loads(content)

    def close(self) -> None:
        self._connection.close()


class RefusedError(Exception):
    """The server answered with an error."""


def work(wire: Wire, worker: Worker, labels_of, rounds: int, ended: Event, pause=0.0):
    """Ask for documents and decide on them, until the server is gone."""
    try:
        for _ in range(rounds):
            if ended.is_set():
                return
            start = time.perf_counter()
            assignment = wire.post("/next")["assignment"]
            if assignment is None:
                return
            document = assignment["document"]["index"]
            worker.given.append(document)
            thinking = time.perf_counter()
            time.sleep(pause)
            thought = time.perf_counter() - thinking
            labels = labels_of(document)
            sent = {"labels": labels, "seconds": 1.0}
            saved = wire.post(f"/leases/{assignment['lease']}/decision", sent)
            worker.acknowledged[document] = (saved["decision"], labels)
            worker.seconds.append(time.perf_counter() - start - thought)
    except RefusedError as error:
        worker.refused.append(str(error))
    except (OSError, HTTPException):
        pass  # the server was killed
    finally:
        wire.close()


def crowd(site, tokens, labels_of, rounds, ended=None, pause=0.0) -> list[Worker]:
    """Let everybody work at once; return their records."""
    ended = ended or Event()
    workers = [Worker() for _ in tokens]
    threads = [
        Thread(target=work, args=(Wire(site, token), worker, labels_of, rounds, ended, pause))
        for token, worker in zip(tokens, workers, strict=True)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return workers


def given_twice(workers: list[Worker]) -> list[int]:
    """Return the documents that were given to more than one person, or twice to one."""
    counts = Counter(document for worker in workers for document in worker.given)
    return [document for document, count in counts.items() if count > 1]
