"""Groups of options: a command takes a dataclass, and each field of it is an option.

Typer reads the options of a command from the parameters of its function. A list of options that
several commands share, or that is long, is written once, as a dataclass; `with_groups` shows Typer
the fields in the place of the dataclass.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import MISSING, Field, fields, is_dataclass
from functools import wraps
from inspect import Parameter, Signature, signature
from typing import Any, get_type_hints


def with_groups(command: Callable[..., None]) -> Callable[..., None]:
    """Replace each parameter of a command that is a dataclass by the fields of the dataclass.

    >>> from dataclasses import dataclass
    >>> @dataclass
    ... class Names:
    ...     first: str = "Ann"
    ...     last: str = "Li"
    >>> @with_groups
    ... def greet(*, names: Names, loud: bool = False) -> None:
    ...     print("Hello", names.first, names.last)
    >>> list(signature(greet).parameters)
    ['first', 'last', 'loud']
    >>> greet(first="Bo", last="Li", loud=False)
    Hello Bo Li
    """
    hints = get_type_hints(command, include_extras=True)
    groups: dict[str, Any] = {name: one for name, one in hints.items() if is_dataclass(one)}
    parameters = list(_flattened(command, hints, groups))

    @wraps(command)
    def run(**values: Any) -> None:
        for name, group in groups.items():
            values[name] = group(**{one.name: values.pop(one.name) for one in fields(group)})
        command(**values)

    run.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {one.name: one.annotation for one in parameters}
    return run


def _flattened(
    command: Callable[..., None], hints: dict[str, Any], groups: dict[str, Any]
) -> Iterator[Parameter]:
    for name, parameter in signature(command).parameters.items():
        if name in groups:
            yield from _parameters_of(groups[name])
        else:
            yield Parameter(
                name, Parameter.KEYWORD_ONLY, default=parameter.default, annotation=hints[name]
            )


def _parameters_of(group: Any) -> Iterator[Parameter]:
    hints = get_type_hints(group, include_extras=True)
    for one in fields(group):
        yield Parameter(
            one.name, Parameter.KEYWORD_ONLY, default=_default(one), annotation=hints[one.name]
        )


def _default(field: Field[Any]) -> Any:
    if field.default_factory is not MISSING:
        return field.default_factory()
    return Parameter.empty if field.default is MISSING else field.default
