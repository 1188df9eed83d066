"""The sender: takes messages from the outbox and sends them, in order for each webhook.

One thread looks which webhooks have messages, and a few others send. A receiver that is slow or
down keeps the messages to itself waiting, nobody else. After a failure the sender waits, twice as
long each time and with some randomness. All of this is in the store, so a restart loses nothing.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable
from contextlib import suppress
from threading import Event, Lock, Thread
from typing import NamedTuple

from satc.workbench.model.webhooks.messages import TEST, new_id, written
from satc.workbench.model.webhooks.signature import signed_headers
from satc.workbench.store import Store, StoreError
from satc.workbench.store.webhooks.addresses import Webhook
from satc.workbench.store.webhooks.outbox import (
    Outcome,
    due_webhooks,
    first_waiting,
    note_failure,
    note_success,
    retry_all,
)

_MOST_THREADS = 8  # so many webhooks are sent to at the same time
_random = secrets.SystemRandom()
SendRequest = Callable[[str, bytes, dict[str, str]], Outcome]


class Pace(NamedTuple):
    """How often the sender looks for messages and how long it waits after a failure, in seconds."""

    look: float = 0.5
    first_wait: float = 5.0
    longest_wait: float = 3600.0
    give_up_after: float = 3 * 24 * 3600.0

    def wait_after(self, n_failed: int) -> float:
        """Return how long to wait after so many failures in a row."""
        longest = min(self.first_wait * 2.0 ** min(n_failed - 1, 30), self.longest_wait)
        return _random.uniform(0.5, 1.0) * longest


class Sender:
    """Sends the messages of a store in the background, from `start` until `stop`."""

    def __init__(self, store: Store, post: SendRequest, pace: Pace | None = None) -> None:
        self._store = store
        self._post = post
        self._pace = pace or Pace()
        self._stopped = Event()
        self._busy: set[int] = set()
        self._n_unnoted: dict[int, int] = {}  # failures of the database, by webhook
        self._lock = Lock()
        self._thread = Thread(target=self._run, name="webhooks", daemon=True)

    def start(self) -> None:
        """Begin to send; messages that wait for another attempt are tried at once."""
        with suppress(StoreError):
            retry_all(self._store)
        self._thread.start()

    def stop(self) -> None:
        """End, without waiting for receivers."""
        self._stopped.set()

    def _run(self) -> None:
        while not self._stopped.wait(self._pace.look):
            with suppress(StoreError):  # the database is away; the next look may find it
                for webhook in due_webhooks(self._store, self._pace.longest_wait):
                    self._begin(webhook)

    def _begin(self, webhook: Webhook) -> None:
        """Let a thread send the messages of a webhook, unless one is at it or all are busy."""
        with self._lock:
            if webhook.key in self._busy or len(self._busy) >= _MOST_THREADS:
                return
            self._busy.add(webhook.key)
        name = f"webhook {webhook.key}"
        Thread(target=self._send_all, args=(webhook,), name=name, daemon=True).start()

    def _send_all(self, webhook: Webhook) -> None:
        """Send the messages of a webhook, one after the other, until one fails."""
        try:
            # It may have failed since it was found: another thread may have been at it.
            for still_due in due_webhooks(self._store, self._pace.longest_wait, webhook.key):
                n_failed = still_due.n_failed
                while not self._stopped.is_set() and self._send_first(webhook, n_failed):
                    n_failed = 0
            self._n_unnoted.pop(webhook.key, None)
        except StoreError:  # what was sent could not be noted: do not send it again at once
            self._n_unnoted[webhook.key] = n_unnoted = self._n_unnoted.get(webhook.key, 0) + 1
            self._stopped.wait(self._pace.wait_after(n_unnoted))
        finally:
            with self._lock:
                self._busy.discard(webhook.key)

    def _send_first(self, webhook: Webhook, n_failed: int) -> bool:
        """Send the oldest message of a webhook; False if there is none, or if it failed."""
        delivery = first_waiting(self._store, webhook.key)
        if delivery is None:
            return False
        outcome = send(self._post, webhook, delivery.id, delivery.body)
        if outcome.is_success:
            note_success(self._store, delivery, outcome)
            return True
        wait = self._pace.wait_after(n_failed + 1)
        note_failure(self._store, delivery, outcome, wait, self._pace.give_up_after)
        return False


def send(post: SendRequest, webhook: Webhook, message: str, body: str) -> Outcome:
    """Sign a message and send it now."""
    data = body.encode()
    headers = signed_headers(webhook.secret, message, int(time.time()), data)
    return post(webhook.url, data, headers)


def send_test(post: SendRequest, webhook: Webhook, project: str) -> Outcome:
    """Send a message of the kind `test` now; it is not repeated if it fails."""
    message = new_id()
    return send(post, webhook, message, written(message, TEST, project, {}))
