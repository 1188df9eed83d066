"""A sentence for a person that is not yet in a language."""

from __future__ import annotations

from typing import Any


class Message:
    """A key of the catalogue, with the values of its placeholders.

    The parts of the workbench that do not know who reads a sentence return a `Message`; the web
    layer renders it in the language of the reader. As a string, it is English. Values may be
    messages, too.

    >>> str(Message("common.checked", n=1200, total=3000))
    '1,200 of 3,000 checked'
    """

    def __init__(self, key: str, /, **values: Any) -> None:
        self.key = key
        self.values = values

    def __str__(self) -> str:
        from satc.workbench.messages.rendering import Messages  # which renders messages

        return Messages("en")(self)

    def __repr__(self) -> str:
        given = "".join(f", {name}={value!r}" for name, value in self.values.items())
        return f"Message({self.key!r}{given})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Message):
            return NotImplemented
        return (self.key, self.values) == (other.key, other.values)

    __hash__ = None  # type: ignore[assignment]
