"""Opens projects in the background, and says which step is running."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from threading import Event, Lock, Thread
from time import monotonic

import numpy as np

from satc.workbench.messages import Message
from satc.workbench.project.opening import Report
from satc.workbench.store.disclosure.outage import tell_error

_RETRY_SECONDS = 30.0  # after an attempt that failed


class Opening:
    """A project that is being opened.

    Attributes
    ----------
    step : Message
        What is being done now.
    error : Exception or None
        Why the project cannot be opened.
    """

    def __init__(self) -> None:
        self.step = Message("server.opening_begins")
        self.error: Exception | None = None
        self._failed_at = np.inf
        self._done = Event()

    def wait(self) -> None:
        """Wait until the project is open or has failed to open."""
        self._done.wait()

    def say(self) -> Message:
        """Say what is being done, or why the project cannot be opened."""
        if self.error is None:
            return self.step
        return Message("server.opening_failed", error=_reason(self.error))

    def tell(self) -> Message:
        """Say that the project is being opened, and what is being done, for other pages."""
        begins = Message("server.opening_begins")
        if self.error is not None or self.step == begins:
            return self.say()
        return Message("server.two_sentences", first=begins, second=self.step)

    @property
    def may_be_repeated(self) -> bool:
        """Whether the project failed to open a while ago."""
        return monotonic() - self._failed_at > _RETRY_SECONDS

    def run(self, work: Callable[[Report], object], on_step: Report) -> None:
        """Open the project by calling `work`, and note its steps and its error."""

        def report(step: Message) -> None:
            self.step = step
            on_step(step)

        try:
            work(report)
        except Exception as error:  # the server must go on, and the page says what is wrong
            self.error, self._failed_at = error, monotonic()
        finally:
            self._done.set()


class Openings:
    """The projects that are being opened, each by one thread.

    `on_step` is called with the name of a project and each step.
    """

    def __init__(self) -> None:
        self.on_step: Callable[[str, Message], None] = _tell_nobody
        self._openings: dict[str, Opening] = {}
        self._lock = Lock()

    def begin(self, name: str, work: Callable[[Report], object]) -> Opening:
        """Start to open a project, unless that has been started or has just failed."""
        with self._lock:
            known = self._openings.get(name)
            if known is not None and not known.may_be_repeated:
                return known
            opening = self._openings[name] = Opening()
        told = partial(self._tell, name)
        Thread(target=opening.run, args=(work, told), name=f"open {name}", daemon=True).start()
        return opening

    def _tell(self, name: str, step: Message) -> None:
        self.on_step(name, step)


def _tell_nobody(name: str, step: Message) -> None:
    """Do nothing."""


def _reason(error: Exception) -> Message | str:
    told = tell_error(error)
    return told if isinstance(told, Message) else told.splitlines()[0]
