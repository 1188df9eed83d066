"""Names of users: which are allowed, and which look alike.

A person must not be able to pass for somebody else. So a new name is written in one alphabet, in
its usual form (Unicode's NFKC), and does not look like the name of another user. The table of
look-alikes holds the letters that differ in no common font; it is not complete, and need not be,
because alphabets do not mix. Names that were added before these rules stay valid.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from unicodedata import normalize

import regex

from satc.workbench.messages import Message

_NAME = re.compile(r"[\w@.+-]{1,100}")
_INVISIBLE = regex.compile(r"\p{Default_Ignorable_Code_Point}")
_SIGNS = r"0-9_@.+\-"
# Unicode's recommended scripts (UTS 39). Those of East Asia are written together, also with Latin.
_ALPHABETS = (
    "Latn Cyrl Grek Armn Hebr Arab Thaa Deva Beng Guru Gujr Orya Taml Telu Knda Mlym Sinh Thai "
    "Laoo Tibt Mymr Geor Ethi Khmr"
)
_TOGETHER = ("Latn Hani Hira Kana", "Latn Hani Bopo", "Latn Hani Hang")
_ONE_ALPHABET = [
    regex.compile("".join(["[", _SIGNS, *(rf"\p{{scx={one}}}" for one in scripts.split()), "]+"]))
    for scripts in (*_ALPHABETS.split(), *_TOGETHER)
]
# Letters that look like a Latin letter or like another sign.
_LOOK_LIKE = {
    "a": "аАɑαΑ",
    "b": "ЬВΒ",
    "c": "сСϲ",
    "d": "ԁ",
    "e": "еЕΕҽ",
    "g": "ɡց",
    "h": "һНΗհ",
    "i": "іıι",
    "j": "јЈϳյ",
    "k": "кКκΚ",
    "l": "1IІΙӏ|ւ",
    "m": "мМΜ",
    "n": "Νոη",
    "o": "0оОοΟօσ",
    "p": "рРρΡ",
    "q": "ԛգ",
    "r": "гɾ",
    "s": "ѕЅ",
    "t": "тТτΤ",
    "u": "υսʋ",
    "v": "νѵ",
    "w": "ԝա",
    "x": "хХχΧ",
    "y": "уУγΥү",
    "z": "Ζ",
}
_SKELETON = str.maketrans({sign: latin for latin, signs in _LOOK_LIKE.items() for sign in signs})


def check_name(name: str) -> None:
    """Refuse a name of a new user that is not allowed.

    >>> check_name("ann@example.org"), check_name("Анна"), check_name("山田さん")
    (None, None, None)

    Raises
    ------
    ValueError
        If the name has other signs than those that are allowed, or mixes alphabets.
    """
    if not _NAME.fullmatch(name) or _INVISIBLE.search(name):
        raise ValueError(
            f"name must be up to 100 letters, digits, or any of _ @ . + -, but is {name!r}"
        )
    if (usual := normalize("NFKC", name)) != name:
        raise ValueError(Message("manage.name_usual_signs", name=name, usual=usual))
    if not any(pattern.fullmatch(name) for pattern in _ONE_ALPHABET):
        raise ValueError(Message("manage.name_one_alphabet", name=name))


def find_alike(name: str, others: Iterable[str]) -> str | None:
    """Return the first of other names that a reader can take for this one, or None.

    >>> find_alike("Ann", ["bob", "ann"]), find_alike("сор", ["cop"]), find_alike("bob1", ["bobl"])
    ('ann', 'cop', 'bobl')
    >>> find_alike("ann", ["anna", "bob"])
    """
    looks = _looks(name)
    return next((other for other in others if other != name and looks & _looks(other)), None)


def _looks(name: str) -> set[str]:
    """Return what a name looks like: without capital letters, and with Latin letters only."""
    usual = normalize("NFKC", name)
    folded = normalize("NFKC", usual.casefold())
    return {folded, *(_skeleton(one) for one in (usual, folded))}


def _skeleton(name: str) -> str:
    return name.translate(_SKELETON).casefold().replace("rn", "m").replace("vv", "w")
