"""A code book: the codes of classes, with names and definitions for people.

Labels in files, exports and decisions are codes. People see names. Entries can have parents, which
make a hierarchy, and keys of the keyboard.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

from satc.code_book.hierarchy import Hierarchy, find_cycle
from satc.code_book.keys import key_error
from satc.code_book.notation import parents_by_notation
from satc.errors import DataError

_SHOWN = 5  # codes that an error names


class Entry(NamedTuple):
    """One class of a code book; `place` is its position in the file, for lists in that order."""

    code: str
    name: str
    definition: str = ""
    parents: tuple[str, ...] = ()
    key: str = ""
    synonyms: tuple[str, ...] = ()
    place: int = 0


@dataclass(frozen=True)
class CodeBook:
    """The entries of a code book.

    Parameters
    ----------
    entries
        One for each code; codes and keys differ, and parents are codes of the book.
    source
        The file that the book comes from, for messages.
    places
        The position of each entry in the file, for messages.

    Raises
    ------
    satc.errors.DataError
        If two entries have the same code or key, if a parent is not in the book, or if an entry is
        above itself. The message names the row.

    Examples
    --------
    >>> book = CodeBook((Entry("1", "Sport"), Entry("2", "Football", parents=("1",))))
    >>> book.codes, book.names, book.path(1)
    (('1', '2'), ('Sport', 'Football'), ('Sport', 'Football'))
    """

    entries: tuple[Entry, ...]
    source: str = field(default="the code book", compare=False)
    places: tuple[str, ...] = field(default=(), compare=False, repr=False)

    def __post_init__(self) -> None:
        self._check_codes()
        self._check_keys()
        self._check_parents()

    def __len__(self) -> int:
        return len(self.entries)

    @classmethod
    def of_codes(cls, codes: Iterable[str]) -> CodeBook:
        """Return a book in which the names are the codes."""
        return cls(tuple(Entry(code, code) for code in codes))

    @cached_property
    def codes(self) -> tuple[str, ...]:
        """The codes, in the order of the book."""
        return tuple(entry.code for entry in self.entries)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The names, in the order of the book."""
        return tuple(entry.name for entry in self.entries)

    @cached_property
    def hierarchy(self) -> Hierarchy:
        """The parents of the entries, by their positions in the book."""
        number = {code: j for j, code in enumerate(self.codes)}
        return Hierarchy([number[code] for code in entry.parents] for entry in self.entries)

    @property
    def has_parents(self) -> bool:
        """Whether the book is a hierarchy."""
        return any(entry.parents for entry in self.entries)

    def path(self, j: int) -> tuple[str, ...]:
        """Return the name of an entry after the names of those above it."""
        return tuple(self.names[k] for k in self.hierarchy.path(j))

    def with_notation(self, separator: str | None) -> CodeBook:
        """Return the book with the parents that the notation of the codes says; None: as it is."""
        if separator is None:
            return self
        if self.has_parents:
            raise DataError(
                f"{self.source} must not have parents if they follow from the codes, but has some; "
                f"leave out the column, or the notation {separator!r}"
            )
        found = parents_by_notation(self.codes, separator)
        pairs = zip(self.entries, found, strict=True)
        return replace(self, entries=tuple(one._replace(parents=some) for one, some in pairs))

    def lacking(self, codes: Iterable[str]) -> list[str]:
        """Return the codes that the book does not have."""
        known = set(self.codes)
        return [code for code in codes if code not in known]

    def check_has(self, codes: Iterable[str], where: object = "the labels") -> None:
        """Refuse codes that the book does not have; `where` names the file that has them."""
        if missing := self.lacking(codes):
            raise DataError(
                f"{self.source} must have all codes of {where}, but lacks {_listed(missing)}; add "
                "rows for them, or correct the labels"
            )

    def for_classes(self, classes: Sequence[str]) -> CodeBook:
        """Return the entries of these classes, in their order, then the entries above them.

        So the number of a class is its position. The entries above are there for the hierarchy.
        `place` keeps the order of this book.
        """
        self.check_has(classes)
        number = {code: j for j, code in enumerate(self.codes)}
        own = [number[code] for code in classes]
        above = {k for j in own for k in self.hierarchy.ancestors(j)} - set(own)
        kept = tuple(self.entries[j]._replace(place=j) for j in (*own, *sorted(above)))
        return CodeBook(kept, self.source)

    def class_hierarchy(self, n_classes: int) -> Hierarchy:
        """Return the hierarchy of the first entries; entries after them only connect these."""
        above = (self.hierarchy.ancestors(j) for j in range(n_classes))
        return Hierarchy([k for k in some if k < n_classes] for some in above)

    def unused(self, classes: Collection[str]) -> list[str]:
        """Return the codes that are not classes."""
        known = set(classes)
        return [code for code in self.codes if code not in known]

    def as_json(self) -> list[dict[str, Any]]:
        """Return the entries as they are stored."""
        lists = ("parents", "synonyms")
        return [
            {**entry._asdict(), **{name: list(getattr(entry, name)) for name in lists}}
            for entry in self.entries
        ]

    @classmethod
    def from_json(cls, rows: Iterable[dict[str, Any]]) -> CodeBook:
        """Return a stored book; those of earlier versions have neither synonyms nor places."""
        return cls(
            tuple(
                Entry(
                    **{
                        **row,
                        "parents": tuple(row["parents"]),
                        "synonyms": tuple(row.get("synonyms", ())),
                    }
                )
                for row in rows
            )
        )

    def _place(self, j: int) -> str:
        return self.places[j] if j < len(self.places) else f"{self.source}, entry {j + 1}"

    def _check_codes(self) -> None:
        if not self.entries:
            raise DataError(f"{self.source} must name at least one class, but names none")
        first: dict[str, int] = {}
        for j, entry in enumerate(self.entries):
            if not entry.code:
                raise DataError(f"{self._place(j)}: 'code' must not be empty, but is")
            if (other := first.setdefault(entry.code, j)) != j:
                raise DataError(
                    f"{self._place(j)}: 'code' must differ from all others, but {entry.code!r} "
                    f"stands in {self._place(other)} as well"
                )

    def _check_keys(self) -> None:
        first: dict[str, int] = {}
        for j, entry in enumerate(self.entries):
            if not entry.key:
                continue
            if (error := key_error(entry.key)) is not None:
                raise DataError(f"{self._place(j)}: 'key' {error}")
            if (other := first.setdefault(entry.key.lower(), j)) != j:
                raise DataError(
                    f"{self._place(j)}: 'key' must differ from all others, but {entry.key!r} "
                    f"stands in {self._place(other)} as well"
                )

    def _check_parents(self) -> None:
        number = {code: j for j, code in enumerate(self.codes)}
        for j, entry in enumerate(self.entries):
            for code in entry.parents:
                if code not in number:
                    raise DataError(
                        f"{self._place(j)}: 'parent' must be a code of the book, but is {code!r}"
                    )
        parents = [[number[code] for code in entry.parents] for entry in self.entries]
        if (cycle := find_cycle(parents)) is not None:
            trail = " > ".join(repr(self.codes[j]) for j in cycle)
            raise DataError(
                f"{self._place(cycle[0])}: 'parent' must not form a cycle, but does: {trail}"
            )


def _listed(codes: Sequence[str]) -> str:
    """Return the first codes, and how many more there are.

    >>> _listed(["a", "b"]), _listed(list("abcdefg"))
    ("'a', 'b'", "'a', 'b', 'c', 'd', 'e' and 2 more")
    """
    shown = ", ".join(map(repr, codes[:_SHOWN]))
    more = len(codes) - _SHOWN
    return f"{shown} and {more:,} more" if more > 0 else shown
