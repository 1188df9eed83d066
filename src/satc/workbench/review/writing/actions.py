"""Methods that a project's writer runs: a call waits for the result, or puts the action off.

`action` makes such a method. Called in another thread, it waits until the writer has run and
committed it; called by the writer itself, within another action, it runs at once.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from functools import partial, wraps
from typing import Any, Concatenate, ParamSpec, TypeVar, cast

from satc.workbench.review.writing.writer import Writer

Result = TypeVar("Result")
Arguments = ParamSpec("Arguments")


class Acting:
    """Something whose actions a writer runs."""

    writer: Writer

    def queue(
        self,
        function: Callable[Arguments, Result],
        *arguments: Arguments.args,
        **options: Arguments.kwargs,
    ) -> Future[Result]:
        """Let the writer call a function or a method as one action; do not wait for it."""
        return self.writer.put(
            partial(function, *arguments, **options),
            is_durable=partial(getattr(function, "is_durable", always), self),
            is_alone=getattr(function, "is_alone", False),
        )

    def act(
        self,
        function: Callable[Arguments, Result],
        *arguments: Arguments.args,
        **options: Arguments.kwargs,
    ) -> Result:
        """Let the writer call a function as one action, and wait for the result."""
        return self.queue(function, *arguments, **options).result()

    def act_alone(
        self,
        function: Callable[Arguments, Result],
        *arguments: Arguments.args,
        **options: Arguments.kwargs,
    ) -> Result:
        """Let the writer call a function between two groups, and wait for the result."""
        run = partial(function, *arguments, **options)
        return self.writer.put(run, is_durable=partial(always, self), is_alone=True).result()


Self = TypeVar("Self", bound=Acting)
_Method = Callable[Concatenate[Self, Arguments], Result]


def always(acting: Any) -> bool:
    """Whether an action must survive a power cut: yes."""
    return True


def never(acting: Any) -> bool:
    """Whether an action must survive a power cut: no."""
    return False


def action(
    *, is_durable: Callable[[Any], bool] = always, is_alone: bool = False
) -> Callable[[Callable[Concatenate[Self, Arguments], Result]], _Method[Self, Arguments, Result]]:
    """Make a method that the writer runs; see `Writer.put` for the options."""

    def decorate(
        method: Callable[Concatenate[Self, Arguments], Result],
    ) -> _Method[Self, Arguments, Result]:
        @wraps(method)
        def call(acting: Self, *arguments: Arguments.args, **options: Arguments.kwargs) -> Result:
            run = partial(method, acting, *arguments, **options)
            durable = partial(is_durable, acting)
            return acting.writer.put(run, is_durable=durable, is_alone=is_alone).result()

        call.is_durable, call.is_alone = is_durable, is_alone  # type: ignore[attr-defined]
        return cast(_Method[Self, Arguments, Result], call)

    return decorate
