"""MeSH headings of Cardiovascular Diseases (tree number C14), with their tree numbers.

``mesh_c14.tsv`` holds the headings of MeSH 2019, and ``mesh_former.tsv`` the former names of some
of them, from the years when OHSUMED was indexed (1987 to 1991). Both are facts of a public
vocabulary.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from satc.code_book import CodeBook, Entry

CARDIOVASCULAR_DISEASES = "C14"
HEART_DISEASES = "C14.280"


@cache
def subtree(tree_number: str) -> frozenset[str]:
    """Return the headings at and below a tree number, with their former names.

    >>> "Angina Pectoris" in subtree(HEART_DISEASES), "Varicose Veins" in subtree(HEART_DISEASES)
    (True, False)
    """
    headings = {
        heading
        for heading, number in _rows("mesh_c14.tsv")
        if f"{number}.".startswith(f"{tree_number}.")
    }
    former = {name for name, heading in _rows("mesh_former.tsv") if heading in headings}
    return frozenset(headings | former)


@cache
def code_book() -> CodeBook:
    """Return the headings as a code book, with their parents in the tree of MeSH.

    A heading with several tree numbers can have several parents. Its definition lists the tree
    numbers. A former name stands beside the heading that has replaced it.

    >>> book = code_book()
    >>> book.path(book.codes.index("Angina Pectoris"))[:2]
    ('Cardiovascular Diseases', 'Heart Diseases')
    """
    numbers: dict[str, list[str]] = {}
    for heading, number in _rows("mesh_c14.tsv"):
        numbers.setdefault(heading, []).append(number)
    heading_of = {number: heading for heading, some in numbers.items() for number in some}
    parents = {
        heading: tuple(dict.fromkeys(heading_of[up] for one in some if (up := _parent(one))))
        for heading, some in numbers.items()
    }
    entries = [
        Entry(heading, heading, ", ".join(some), parents[heading])
        for heading, some in numbers.items()
    ]
    for name, heading in _rows("mesh_former.tsv"):
        if name not in numbers:
            entries.append(Entry(name, name, f"Former name of {heading}.", parents[heading]))
    return CodeBook(tuple(entries), "MeSH C14")


def _parent(tree_number: str) -> str:
    """Return the tree number above one; "" at the top."""
    return tree_number.rpartition(".")[0]


def _rows(name: str) -> list[tuple[str, str]]:
    lines = files("satc.datasets").joinpath(name).read_text(encoding="utf-8").splitlines()
    pairs = (line.partition("\t") for line in lines[1:])
    return [(first, second) for first, _, second in pairs]
