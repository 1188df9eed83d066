"""Labels of several people or classifiers as scores.

*A column for each voter*: ``document``, and columns whose names begin with ``label_``, ``labels_``,
``vote_`` or ``votes_``; null means that the voter has not seen the document. *A row for each vote*:
``document``, ``voter``, and ``label`` or ``labels``. *A row for each label of a vote*:
``document``, ``voter`` and ``class``; a voter who gives no label has one row, whose class is null.
The scores are those of `satc.predictions.from_votes`.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from operator import add, or_
from typing import Any

import ibis

from satc.errors import DataError
from satc.files.predictions.layout import VOTER
from satc.inputs import SINGLE_LABEL
from satc.predictions.votes import TIE
from satc.scale.engines import Engine
from satc.scale.exact import number
from satc.scale.predictions.cells import (
    LabelCells,
    label_cells,
    labels_in,
    not_a_class,
    not_one_label,
    refuse_first,
    two_rows,
)

_JOINED = ("labels_", "votes_")  # columns of voters whose texts may join several labels


def scores_of_votes(
    engine: Engine, table: Any, classes: tuple[str, ...], task: str, separator: str
) -> Any:
    """Expression: a wide table of scores."""
    counted = _count(engine, table, classes, task, separator)
    times = {name: counted[_place(j)] for j, name in enumerate(classes)}
    return counted.select(
        "document",
        **{name: _score(one, counted.voters, len(classes), task) for name, one in times.items()},
    )


def _place(j: int) -> str:
    """Return the name of a column: how many voters have given the label of class j."""
    return f"times{j}"


def _score(times: Any, voters: Any, n_classes: int, task: str) -> Any:
    """Expression: the score of a label that `times` of the voters have given; null without any."""
    times, n = times.cast("float64"), voters.nullif(0).cast("float64")
    if task == SINGLE_LABEL:
        return ((times + number(1.0 / n_classes)) / (n + 1.0)).ln()
    odds = ((times + 0.5) / (n - times + 0.5)).ln()
    return ibis.ifelse(2.0 * times == n, number(TIE), odds)


def _count(engine: Engine, table: Any, classes: tuple[str, ...], task: str, separator: str) -> Any:
    """Expression: document, number of voters, and how many of them have given each label."""
    columns = table.columns
    if "document" in columns and {"voter", "class"} <= set(columns):
        return _of_classes(engine, table, classes, task)
    labels = labels_in(table, separator)
    if "document" in columns and "voter" in columns and labels is not None:
        return _of_rows(engine, table, labels, classes, task)
    voters = voter_columns(columns)
    if "document" in columns and voters:
        return _of_columns(engine, table, voters, classes, task, separator)
    raise DataError(
        "votes must have the column document, and voter with label, labels or class, or a column "
        f"for each voter ({', '.join(VOTER)}...), but have {', '.join(columns)}"
    )


def is_joined(voter: str) -> bool:
    """Whether a text in the column of a voter may join several labels."""
    return voter.startswith(_JOINED)


def voter_columns(columns: Sequence[str]) -> list[str]:
    """Return the columns that hold the labels of one voter each."""
    return [name for name in columns if name.startswith(VOTER)]


def _of_classes(engine: Engine, table: Any, classes: tuple[str, ...], task: str) -> Any:
    """Expression: the counts, from a row for each label of a vote."""
    name = LabelCells(table["class"].cast("string"), False)
    rows = table.select("document", "voter", name=name.column, unknown=name.unknown(classes))
    found = rows.group_by("document", "voter").aggregate(
        n=rows.count(), labels=rows.name.nunique(), unknown=rows.unknown.max()
    )
    repeated = found.n > ibis.greatest(found.labels, 1)
    _check_votes(engine, found.mutate(repeated=repeated), task)
    times = {_place(j): (rows.name == one).sum().fill_null(0) for j, one in enumerate(classes)}
    return rows.group_by("document").aggregate(voters=rows.voter.nunique(), **times)


def _of_rows(
    engine: Engine, table: Any, labels: LabelCells, classes: tuple[str, ...], task: str
) -> Any:
    """Expression: the counts, from a row for each vote."""
    rows = table.select(
        "document", "voter", labels=labels.n_labels, unknown=labels.unknown(classes)
    )
    found = rows.group_by("document", "voter").aggregate(
        n=rows.count(), labels=rows.labels.max(), unknown=rows.unknown.max()
    )
    _check_votes(engine, found.mutate(repeated=found.n > 1), task)
    times = {_place(j): labels.has(one).sum().fill_null(0) for j, one in enumerate(classes)}
    return table.group_by("document").aggregate(voters=labels.is_given.sum(), **times)


def _check_votes(engine: Engine, found: Any, task: str) -> None:
    """Refuse votes without a voter, repeated ones, and those with unknown or several labels."""
    faulty = found.voter.isnull() | found.unknown.notnull() | found.repeated
    if task == SINGLE_LABEL:
        faulty |= found.labels != 1
    refuse_first(engine, found.filter(faulty), _explain_vote)


def _explain_vote(row: dict[str, Any]) -> str:
    document, voter = row["document"], row["voter"]
    if voter is None:
        return (
            f"votes must name the voter in every row, but a row of document {document!r} has none"
        )
    if row["unknown"] is not None:
        return not_a_class(row["unknown"], document)
    if row["repeated"]:
        return (
            f"votes must have every voter and label once for each document, but document "
            f"{document!r} has {row['n']} rows of voter {voter!r}"
        )
    return not_one_label("votes", document, f" by voter {voter!r}")


def _of_columns(
    engine: Engine,
    table: Any,
    voters: list[str],
    classes: tuple[str, ...],
    task: str,
    separator: str,
) -> Any:
    """Expression: the counts, from a column for each voter."""
    seen = table.mutate(**{name: table[name].nullif("") for name in _texts(table, voters)})
    cells = [label_cells(seen, name, separator, joined=is_joined(name)) for name in voters]
    _check_columns(engine, seen, cells, classes, task)
    times = {
        _place(j): reduce(add, [_one_if(cell.has(name)) for cell in cells])
        for j, name in enumerate(classes)
    }
    return seen.select(
        "document", voters=reduce(add, [_one_if(cell.is_given) for cell in cells]), **times
    )


def _texts(table: Any, names: list[str]) -> list[str]:
    return [name for name in names if table[name].type().is_string()]


def _one_if(condition: Any) -> Any:
    return ibis.ifelse(condition, 1, 0)


def _check_columns(
    engine: Engine, table: Any, cells: list[LabelCells], classes: tuple[str, ...], task: str
) -> None:
    """Refuse repeated documents, unknown labels, no vote, and several labels in one vote."""
    unknown = ibis.coalesce(*(cell.unknown(classes) for cell in cells))
    several = reduce(or_, [(cell.n_labels != 1).fill_null(False) for cell in cells])
    seen = reduce(or_, [cell.is_given for cell in cells])
    rows = table.select("document", unknown=unknown, several=several, seen=seen)
    found = rows.group_by("document").aggregate(
        n=rows.count(),
        unknown=rows.unknown.max(),
        several=rows.several.any(),
        seen=rows.seen.all(),
    )
    faulty = (found.n > 1) | found.unknown.notnull() | ~found.seen
    if task == SINGLE_LABEL:
        faulty |= found.several
    refuse_first(engine, found.filter(faulty), _explain_columns)


def _explain_columns(row: dict[str, Any]) -> str:
    document = row["document"]
    if row["unknown"] is not None:
        return not_a_class(row["unknown"], document)
    if row["n"] > 1:
        return two_rows("votes", document, row["n"])
    if not row["seen"]:
        return f"votes must have a vote on every document, but document {document!r} has none"
    return not_one_label("votes", document, " by one of the voters")
