"""Many people at once, each in a thread of their own, who remember what they were told."""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import dataclass, field
from threading import Event, Thread

import httpx


@dataclass
class Worker:
    """One person's memory: documents given, decisions acknowledged, how long it took."""

    given: list[int] = field(default_factory=list)
    acknowledged: dict[int, tuple[int, list[int]]] = field(default_factory=dict)
    seconds: list[float] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)


def work(client: httpx.Client, worker: Worker, labels_of, rounds: int, ended: Event, pause=0.0):
    """Ask for documents and decide on them; stop when the server has gone."""
    try:
        for _ in range(rounds):
            if ended.is_set():
                return
            start = time.perf_counter()
            answer = client.post("/next")
            answer.raise_for_status()
            assignment = answer.json()["assignment"]
            if assignment is None:
                return
            document = assignment["document"]["index"]
            worker.given.append(document)
            thinking = time.perf_counter()
            time.sleep(pause)
            thought = time.perf_counter() - thinking
            labels = labels_of(document)
            sent = {"labels": labels, "seconds": 1.0}
            answer = client.post(f"/leases/{assignment['lease']}/decision", json=sent)
            answer.raise_for_status()
            worker.acknowledged[document] = (answer.json()["decision"], labels)
            worker.seconds.append(time.perf_counter() - start - thought)
    except httpx.HTTPStatusError as error:
        worker.refused.append(error.response.text)
    except httpx.TransportError:
        pass  # the server was killed


def crowd(clients, labels_of, rounds, ended=None, pause=0.0) -> list[Worker]:
    """Let everybody work at once; return what they remember."""
    ended = ended or Event()
    workers = [Worker() for _ in clients]
    threads = [
        Thread(target=work, args=(client, worker, labels_of, rounds, ended, pause))
        for client, worker in zip(clients, workers, strict=True)
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
