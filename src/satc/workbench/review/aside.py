"""Run long computations on a stored project beside the server, so that nobody waits for them.

A computation on many documents takes seconds of a processor, and a thread of the server would take
them from the people who work. So it runs in a process of its own with a low priority, which reads
what it needs from the store. A short computation runs where it is called, because starting a
process would take longer.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from contextlib import closing
from multiprocessing import get_context
from multiprocessing.connection import Connection
from threading import Thread
from typing import Any, Concatenate, ParamSpec, TypeVar

from threadpoolctl import threadpool_limits

from satc.workbench.store import Store, open_store
from satc.workbench.store.projects import Project, get_project

Result = TypeVar("Result")
Arguments = ParamSpec("Arguments")

_SHORT = 250_000  # pairs of document and class; so many take about a fifth of a second
_NICENESS = 19  # the lowest priority


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
    context = get_context("spawn")  # a fork would copy locks that other threads hold
    ours, theirs = context.Pipe()
    child = context.Process(target=_answer, args=(theirs,), daemon=True)
    child.start()
    theirs.close()
    try:
        ours.send((store.address, project.name, function, arguments, options))
        is_done, result = ours.recv()
    except (EOFError, OSError) as error:
        child.join()
        raise RuntimeError(f"the process that computes ended with {child.exitcode}") from error
    finally:
        ours.close()
    if not is_done:
        raise result
    return result


def first_line(error: Exception) -> str:
    """Return the first line of an error's message, for people."""
    return (str(error).strip() or type(error).__name__).splitlines()[0]


def _answer(connection: Connection) -> None:
    """Compute what another process asks for, on one processor, with a low priority."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the server ends this process when it ends
    if hasattr(os, "nice"):
        os.nice(_NICENESS)
    address, name, function, arguments, options = connection.recv()
    Thread(target=_end_with_server, args=(connection,), daemon=True).start()
    try:
        with closing(open_store(address)) as store, threadpool_limits(1):
            project = get_project(store, name)
            answer: tuple[bool, Any] = True, function(store, project, *arguments, **options)
    except Exception as error:  # the other process raises it
        answer = False, error
    connection.send(answer)


def _end_with_server(connection: Connection) -> None:
    """Wait until the other end is closed, which happens when the server was killed, and end."""
    connection.poll(None)
    os._exit(1)
