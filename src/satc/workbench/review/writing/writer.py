"""One writer per project: a thread that runs the actions of people in the order of their arrival.

The writer takes all actions that have arrived, runs them in one transaction, writes the changes of
all in a few statements, and commits once. So the disk is waited for once, however many people
work. A caller is told the result of an action after the commit. An action that is refused changes
nothing. If an action fails after it has changed something, or if the changes cannot be written,
nothing of its group is saved, and the actions run again, each in a transaction of its own. If the
commit fails, everybody in the group is told so.
"""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from itertools import groupby
from threading import Condition, RLock, Thread, current_thread, get_ident
from typing import Any, NamedTuple, TypeVar

from satc.workbench.review.journal import Journal
from satc.workbench.store import Store, StoreError

Result = TypeVar("Result")

_LOGGER = logging.getLogger(__name__)
_IDLE_SECONDS = 5.0  # then the thread ends; the next action starts another one


class Action(NamedTuple):
    """An action that waits for the writer.

    Attributes
    ----------
    run
        What is to be done; called once or, if its group fails, once more.
    future
        Where the caller waits for the result.
    is_durable
        Whether the result must survive a power cut; called just before the action.
    is_alone
        Whether the action commits by itself, outside of any group.
    """

    run: Callable[[], Any]
    future: Future[Any]
    is_durable: Callable[[], bool]
    is_alone: bool


class _HalfDoneError(Exception):
    """An action has failed after it had changed something, or what it changed cannot be stored."""

    def __init__(self, error: Exception) -> None:
        super().__init__(error)
        self.error = error


class Writer:
    """Runs the actions of one project.

    `on_commit` is called after each commit, before the callers are told.
    """

    def __init__(self, name: str, store: Store, journal: Journal) -> None:
        self.on_commit: Callable[[], None] = _nothing
        self._name = name
        self._store = store
        self._journal = journal
        self._actions: deque[Action] = deque()
        self._arrived = Condition()
        self._thread: Thread | None = None
        self._is_closing = False
        self._turn = RLock()
        self._owner: int | None = None  # the thread whose turn it is
        store.before_close(self.close)

    def put(
        self,
        run: Callable[[], Result],
        *,
        is_durable: Callable[[], bool],
        is_alone: bool = False,
    ) -> Future[Result]:
        """Let the writer run an action; return where its result will be."""
        future: Future[Result] = Future()
        action = Action(run, future, is_durable, is_alone)
        if self.is_my_turn:
            self._run([action])
            return future
        with self._arrived:
            self._actions.append(action)
            if self._thread is None:
                name = f"write {self._name}"
                self._thread = Thread(target=self._work, name=name, daemon=True)
                self._thread.start()
            self._arrived.notify()
        return future

    @property
    def is_my_turn(self) -> bool:
        """Whether this thread may change the project now."""
        return self._owner == get_ident()

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Wait until no action is being run, and let none run in other threads."""
        with self._turn:
            former, self._owner = self._owner, get_ident()
            try:
                yield
            finally:
                self._owner = former

    def make_sure(self) -> None:
        """Make the memory equal to the store after a failure, unless actions are being run.

        This never waits for an action: a thread may call it that holds the lock of the memory.
        """
        if self._turn.acquire(blocking=False):
            try:
                if not self._journal.has_transaction:
                    self._journal.make_sure()
            finally:
                self._turn.release()

    def close(self) -> None:
        """Run the actions that have arrived, and end the thread."""
        with self._arrived:
            thread, self._is_closing = self._thread, True
            self._arrived.notify()
        if thread is not None and thread is not current_thread():
            thread.join()
        self._is_closing = False

    def _work(self) -> None:
        while self._wait():
            with self.turn():
                for _, some in groupby(self._take(), key=_group_of):
                    self._run(list(some))
            self._store.shrink_log()

    def _wait(self) -> bool:
        """Wait for actions, but not for ever; return whether there are any."""
        with self._arrived:
            self._arrived.wait_for(lambda: self._actions or self._is_closing, _IDLE_SECONDS)
            if not self._actions:
                self._thread = None
            return bool(self._actions)

    def _take(self) -> list[Action]:
        """Return all actions that have arrived."""
        with self._arrived:
            taken = list(self._actions)
            self._actions.clear()
            return taken

    def _run(self, group: Sequence[Action]) -> None:
        """Run actions whose callers still wait, and tell them the results."""
        waiting = [one for one in group if one.future.set_running_or_notify_cancel()]
        if waiting:
            with self.turn():
                if waiting[0].is_alone or self._journal.has_transaction:
                    self._run_alone(waiting[0])
                else:
                    self._run_together(waiting)

    def _run_alone(self, action: Action) -> None:
        """Run an action that commits by itself, or that is a part of another one."""
        try:
            if not self._journal.has_transaction:
                self._journal.make_sure()
            result = action.run()
        except Exception as error:  # the caller gets it
            if isinstance(error, StoreError):
                self._journal.is_in_doubt = True
            action.future.set_exception(error)
        else:
            action.future.set_result(result)

    def _run_together(self, group: Sequence[Action]) -> None:
        try:
            outcomes = self._commit(group)
        except _HalfDoneError as failed:
            self._journal.try_to_make_sure()
            if len(group) > 1:
                for action in group:
                    self._run_together([action])
            else:
                group[0].future.set_exception(failed.error)
        except Exception as error:  # the callers get it
            self._journal.try_to_make_sure()
            for action in group:
                action.future.set_exception(error)
        else:
            self._tell_of_commit()
            for action, (result, refusal) in zip(group, outcomes, strict=True):
                if refusal is None:
                    action.future.set_result(result)
                else:
                    action.future.set_exception(refusal)

    def _tell_of_commit(self) -> None:
        try:
            self.on_commit()
        except Exception:  # what was committed is told in any case
            _LOGGER.exception("after a commit of %s", self._name)

    def _commit(self, group: Sequence[Action]) -> list[tuple[Any, Exception | None]]:
        """Run actions in one transaction; return the result of each, or why it was refused."""
        self._journal.make_sure()
        durable = any(action.is_durable() for action in group)
        with self._journal.transaction(durable=durable):
            outcomes = [self._outcome(action) for action in group]
            try:
                self._journal.write()
            except Exception as error:  # one of the actions may be the reason
                raise _HalfDoneError(error) from error
            return outcomes

    def _outcome(self, action: Action) -> tuple[Any, Exception | None]:
        before = self._journal.n_written
        with self._journal.memory:
            try:
                return action.run(), None
            except Exception as error:  # the caller gets it
                if self._journal.n_written != before:
                    raise _HalfDoneError(error) from error
                return None, error


def _group_of(action: Action) -> object:
    """Return a key that is the same for actions that may be committed together."""
    return action.future if action.is_alone else None


def _nothing() -> None:
    """Do nothing."""
