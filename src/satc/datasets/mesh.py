"""MeSH headings of Cardiovascular Diseases (tree number C14), with their tree numbers.

``mesh_c14.tsv`` holds the headings of MeSH 2019, and ``mesh_former.tsv`` the former names of some
of them, from the years when OHSUMED was indexed (1987 to 1991). Both are facts of a public
vocabulary.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files

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


def _rows(name: str) -> list[tuple[str, str]]:
    lines = files("satc.datasets").joinpath(name).read_text(encoding="utf-8").splitlines()
    pairs = (line.partition("\t") for line in lines[1:])
    return [(first, second) for first, _, second in pairs]
