"""Free texts in the details of events, such as notes: a person's name can be in them.

The chain covers a commitment to each free text, under a salt of its own, and everything else as it
is. If a name is erased from a text, the column `free_texts` keeps the commitment without its salt,
and a digest of the text as it is then.
"""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha256
from typing import Any

from satc.workbench.store.digests.persons import commitment, new_salt

KEYS = ("note", "imported")  # a note; the name of the file that decisions came from

Seals = dict[str, dict[str, str]]  # for each key a salt; or, once erased, commitment and digest


def sealed_texts(details: dict[str, Any]) -> Seals | None:
    """Return new salts for the free texts of an event; None if it has none."""
    return {key: {"salt": new_salt()} for key in _keys_in(details)} or None


def covered_details(details: dict[str, Any], seals: Seals | None) -> dict[str, Any]:
    """Return the details as the chain covers them: with commitments in the place of free texts."""
    known = seals or {}
    texts = {key: _covered(details[key], known.get(key, {})) for key in _keys_in(details)}
    return {**details, **texts}


def with_text(seals: Seals | None, key: str, former: str, text: str) -> Seals:
    """Return the seals after a free text was replaced; the salt of the former text is gone."""
    known = seals or {}
    kept = _covered(former, known.get(key, {}))
    return {**known, key: {"commitment": kept, "digest": _digest(text)}}


def _keys_in(details: dict[str, Any]) -> Iterator[str]:
    return (key for key in KEYS if key in details)


def _covered(text: Any, seal: dict[str, str]) -> str:
    if "salt" in seal:
        return commitment(seal["salt"], str(text))
    is_whole = seal.get("digest") == _digest(str(text))
    return seal.get("commitment", "") if is_whole else ""


def _digest(text: str) -> str:
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
