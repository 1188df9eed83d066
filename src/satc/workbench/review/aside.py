"""Run long computations beside the server, so that nobody waits for them.

A computation on many documents takes seconds of a processor, and a thread of the server would take
them from the people who work. So it runs in a process of its own with a low priority, which reads
what it needs from the store. A short computation runs where it is called.

Where somebody waits for the answer, the process should begin at once. So it is forked from a
process that has loaded all libraries and does nothing else (`forkserver`), and which is started
when it is needed first. Work in the background, and all work on Windows, loads the libraries anew.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Sequence
from contextlib import closing
from functools import cache
from multiprocessing import get_all_start_methods, get_context
from multiprocessing.connection import Connection
from multiprocessing.context import ForkServerContext, SpawnContext
from threading import Thread
from typing import Any, Concatenate, ParamSpec, TypeVar

from threadpoolctl import threadpool_limits

from satc.errors import DataError, SatcError
from satc.workbench.store import Store, open_store
from satc.workbench.store.disclosure.outage import tell_error
from satc.workbench.store.projects import Project, get_project

Result = TypeVar("Result")
Arguments = ParamSpec("Arguments")

_SHORT = 250_000  # pairs of document and class; so many take about a fifth of a second
_SHORT_DOCUMENTS = 2_000
_AWAITED, _UNHURRIED = 10, 19  # niceness: a low priority, and the lowest one
_PRELOADED = ("satc.workbench.project.creation", "satc.texts.learner", "sklearn.ensemble")


class ProcessEndedError(RuntimeError):
    """A process beside the server ended without an answer; `code` is its exit code."""

    def __init__(self, code: int | None) -> None:
        self.code = code
        super().__init__(f"the process that computes ended with {code}")


def run_aside(
    store: Store,
    project: Project,
    function: Callable[Concatenate[Store, Project, Arguments], Result],
    *arguments: Arguments.args,
    **options: Arguments.kwargs,
) -> Result:
    """Return ``function(store, project, *arguments)``; if the project is large, from a process.

    The function is one of a module, and its arguments and its result can be sent to a process.
    """
    if project.n_documents * len(project.classes) <= _SHORT:
        return function(store, project, *arguments, **options)
    return run_in_process(store, project, function, *arguments, **options)


def answer_aside(
    store: Store,
    project: Project,
    function: Callable[Concatenate[Store, Project, Arguments], Result],
    *arguments: Arguments.args,
    **options: Arguments.kwargs,
) -> Result:
    """Do the same for somebody who waits for the answer, and for whom texts are read."""
    pairs = project.n_documents * len(project.classes)
    if pairs <= _SHORT and project.n_documents <= _SHORT_DOCUMENTS:
        return function(store, project, *arguments, **options)
    asked = store.address, project.name, function, arguments, options
    return call_in_process(_on_project, *asked)


def run_in_process(
    store: Store,
    project: Project,
    function: Callable[Concatenate[Store, Project, Arguments], Result],
    *arguments: Arguments.args,
    **options: Arguments.kwargs,
) -> Result:
    """Return ``function(store, project, *arguments)`` from a process of low priority."""
    asked = store.address, project.name, function, arguments, options
    return call_in_process(_on_project, *asked, is_awaited=False)


def call_in_process(
    function: Callable[..., Result],
    *arguments: Any,
    tell: Callable[..., None] | None = None,
    is_low: bool = True,
    is_awaited: bool = True,
) -> Result:
    """Return ``function(*arguments)`` from a process, by default of low priority.

    With `tell`, the function gets the argument `tell` as well: what it is called with is sent here,
    and the `tell` of this call is called with it. `is_awaited` says that somebody waits.

    Raises
    ------
    ProcessEndedError
        If the process ends without an answer.
    """
    context = _forking() if is_awaited else get_context("spawn")
    ours, theirs = context.Pipe()
    child = context.Process(target=_answer, args=(theirs,), daemon=True)
    child.start()
    theirs.close()
    try:
        ours.send((function, arguments, tell is not None, is_low, is_awaited))
        while (said := ours.recv())[0] == _SAID:
            if tell is not None:
                tell(*said[1])
    except (EOFError, OSError) as error:
        child.join()
        raise ProcessEndedError(child.exitcode) from error
    finally:
        ours.close()
    if said[0] == _FAILED:
        raise said[1]
    return said[1]


_SAID, _FAILED, _DONE = range(3)


def lower_priority(*, is_awaited: bool = True) -> None:
    """Give this thread, and the threads that it starts, a low priority."""
    if hasattr(os, "nice"):
        os.nice(_AWAITED if is_awaited else _UNHURRIED)


def first_line(error: Exception) -> str:
    """Return the first line of an error's message, for people."""
    return str(tell_error(error)).splitlines()[0]


def preload(modules: Sequence[str]) -> None:
    """Name further modules that a process beside the server needs; before the first one starts."""
    _preloaded.extend(set(modules) - set(_preloaded))


_preloaded = [*_PRELOADED]


@cache
def _forking() -> ForkServerContext | SpawnContext:
    """Return what starts processes fast; a plain fork would copy locks that other threads hold."""
    if "forkserver" not in get_all_start_methods():
        return get_context("spawn")
    context = get_context("forkserver")
    context.set_forkserver_preload(_preloaded)
    return context


def _answer(connection: Connection) -> None:
    """Compute what another process asks for, on one processor."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the server ends this process when it ends
    function, arguments, tells, is_low, is_awaited = connection.recv()
    if is_low:
        lower_priority(is_awaited=is_awaited)
    Thread(target=_end_with_server, args=(connection,), daemon=True).start()
    options = {"tell": lambda *said: connection.send((_SAID, said))} if tells else {}
    try:
        with threadpool_limits(1):
            answer = _DONE, function(*arguments, **options)
    except Exception as error:  # the other process raises it
        answer = _FAILED, _sendable(error)
    try:
        connection.send(answer)
    except (TypeError, ValueError, AttributeError) as error:  # it cannot be sent
        connection.send((_FAILED, RuntimeError(f"{type(error).__name__}: {error}")))


def _on_project(
    address: str,
    name: str,
    function: Callable[..., Result],
    arguments: Sequence[Any],
    options: dict[str, Any],
) -> Result:
    """Call a function on a stored project."""
    with closing(open_store(address)) as store:
        return function(store, get_project(store, name), *arguments, **options)


def _sendable(error: Exception) -> Exception:
    """Return an error that can be made again from its arguments, as another process does."""
    try:
        type(error)(*error.args)
    except Exception:  # its class wants others
        if isinstance(error, SatcError):
            return DataError(str(error))
        return RuntimeError(f"{type(error).__name__}: {error}")
    return error


def _end_with_server(connection: Connection) -> None:
    """Wait until the other end is closed, which happens when the server was killed, and end."""
    connection.poll(None)
    os._exit(1)
