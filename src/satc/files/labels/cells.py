"""Labels in one cell of a CSV, TSV or XLSX file: their names, with a separator between them."""

from __future__ import annotations

from collections.abc import Iterable

SEPARATOR = "|"


def join_labels(labels: Iterable[str], separator: str = SEPARATOR) -> str:
    """Join labels by a separator.

    Raises
    ------
    ValueError
        If `split_labels` would not return a label as it is: one that contains the separator, has
        spaces around it, or is empty.

    Examples
    --------
    >>> join_labels(["corn", "wheat"])
    'corn|wheat'
    """
    names = list(labels)
    for name in names:
        if separator in name or not name or name != name.strip():
            raise ValueError(
                f"labels must be free of {separator!r} and of spaces around them to be written as "
                f"CSV, TSV or XLSX, but one is {name!r}; JSON lines and Parquet take it"
            )
    return separator.join(names)


def split_labels(text: str, separator: str = SEPARATOR) -> tuple[str, ...]:
    """Split a cell into its labels.

    >>> split_labels("wheat| corn||corn")
    ('wheat', 'corn')
    """
    return distinct_labels(text.split(separator))


def distinct_labels(names: Iterable[str]) -> tuple[str, ...]:
    """Remove the spaces around names, then empty names, then repetitions.

    >>> distinct_labels(["wheat", " corn", "", "corn"])
    ('wheat', 'corn')
    """
    stripped = (name.strip() for name in names)
    return tuple(dict.fromkeys(name for name in stripped if name))
