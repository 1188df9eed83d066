"""Keys of classes: one key of the keyboard each, which the page does not use otherwise."""

from __future__ import annotations

DIGITS = "1234567890"
# The keys of workbench/web/static/workbench/keys.js that are one character.
TAKEN = frozenset({*DIGITS, " ", "/", "u", "s", "f", "n", "?"})


def key_error(key: str) -> str | None:
    """Return why a key cannot be that of a class; None if it can.

    >>> key_error("w"), key_error("S")
    (None, "must not be a key that the page uses (0-9 / ? f n s u), but is 'S'")
    """
    if len(key) != 1 or not key.isprintable():
        return f"must be one character, but is {key!r:.40}"
    if key.lower() in TAKEN:
        shown = " ".join(sorted(TAKEN - set(DIGITS) - {" "}))
        return f"must not be a key that the page uses (0-9 {shown}), but is {key!r}"
    return None
