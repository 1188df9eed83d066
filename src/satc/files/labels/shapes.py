"""The shapes in which labels are written: a 0/1 column for each class, or answer columns.

They are the shapes that `readers` reads: what is written in a shape is read again as the same
labels.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import lru_cache
from typing import NamedTuple

from satc.files.labels.column_names import (
    LABEL_COLUMNS,
    LABELS_COLUMN,
    Wanted,
    joined_names,
    matches,
    select_columns,
    wanted_names,
)

Cell = int | str | None


class ClassColumns(NamedTuple):
    """A column for each class: 1 where a document has the label, else 0.

    >>> ClassColumns(("price", "staff")).cells(("staff",), "r7")
    {'price': 0, 'staff': 1}
    """

    classes: tuple[str, ...]

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns."""
        return self.classes

    @property
    def has_numbers(self) -> bool:
        """Whether cells are numbers."""
        return True

    def cells(self, labels: Collection[str], document: str) -> dict[str, Cell]:
        """Return the cells of a document with these labels; errors name the document."""
        if unknown := next((name for name in labels if name not in self.classes), None):
            raise ValueError(
                f"labels must be among the {len(self.classes):,} classes that have a column, but "
                f"document {document!r} has {unknown!r}"
            )
        return {name: int(name in labels) for name in self.classes}


class AnswerColumns(NamedTuple):
    """Columns with one label each: ``code*`` stands for code1, code2, ...

    >>> AnswerColumns("code*", 3).cells(("staff", "price"), "r7")
    {'code1': 'staff', 'code2': 'price', 'code3': None}
    """

    pattern: str
    number: int

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns; there is at least one."""
        numbers = range(1, max(self.number, 1) + 1)
        return tuple(self.pattern.replace("*", str(k)) for k in numbers)

    @property
    def has_numbers(self) -> bool:
        """Whether cells are numbers."""
        return False

    def cells(self, labels: Sequence[str], document: str) -> dict[str, Cell]:
        """Return the cells of a document with these labels; errors name the document."""
        if len(labels) > len(self.columns):
            raise ValueError(
                f"number must be at least the number of labels of any document, but is "
                f"{self.number}, and document {document!r} has {len(labels)} labels"
            )
        for name in labels:
            _check_name(name, "labels")
        return dict(zip(self.columns, [*labels, *[None] * len(self.columns)], strict=False))


Shape = ClassColumns | AnswerColumns


def named_classes(classes: Sequence[str], wanted: Wanted) -> tuple[str, ...]:
    """Return the classes that ``--label-columns`` names; these must be all classes.

    >>> named_classes(["price", "staff"], "*")
    ('price', 'staff')
    """
    own = {name: name for name in classes}
    names = wanted_names(wanted, LABEL_COLUMNS)
    found = select_columns(own, names, LABEL_COLUMNS, "the classes of the project")
    if lacking := next((name for name in classes if name not in found), None):
        raise ValueError(
            f"{LABEL_COLUMNS} must name all classes, so that no label is lost, but lacks "
            f"{lacking!r}; '*' names all"
        )
    return found


def check_answer_pattern(pattern: str) -> str:
    """Return a pattern of answer columns; refuse one in which no number can be put."""
    if pattern.count("*") != 1 or "?" in pattern or pattern != pattern.strip():
        raise ValueError(
            f"{LABELS_COLUMN} must hold one *, which stands for the number of the column, as in "
            f"'code*', but is {pattern!r}"
        )
    return pattern


def check_columns(shape: Shape, taken: Collection[str]) -> None:
    """Refuse label columns that have the name of another column, or that cannot be read again."""
    if isinstance(shape, AnswerColumns):
        _check_pattern(shape, taken, "another column")
    for name in shape.columns:
        _check_name(name, "names of label columns")
        if name in taken:
            what = f"class {name!r}" if isinstance(shape, ClassColumns) else f"column {name!r}"
            raise ValueError(
                f"names of label columns must differ from those of the other columns, "
                f"{joined_names(sorted(taken))}, but the {what} has one of them; "
                "labels in one column have no such limit"
            )


@lru_cache(maxsize=64)
def check_input(shape: Shape, columns: tuple[str, ...]) -> None:
    """Refuse answer columns whose pattern would also match a column of the input."""
    if isinstance(shape, AnswerColumns):
        _check_pattern(shape, set(columns).difference(shape.columns), "a column of the input")


def _check_pattern(shape: AnswerColumns, others: Collection[str], what: str) -> None:
    if wrong := next((name for name in others if matches(shape.pattern, name)), None):
        raise ValueError(
            f"{LABELS_COLUMN} {shape.pattern!r} must match columns of labels only, but matches "
            f"{wrong!r}, {what}: choose another pattern, as in 'final_code*'"
        )


def _check_name(name: str, what: str) -> None:
    if not name or name != name.strip():
        raise ValueError(
            f"{what} must be without spaces around them and not empty, but one is {name!r}"
        )
