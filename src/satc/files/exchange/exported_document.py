"""`ExportedDocument`: a document with its labels, as it is given to another program."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Literal, get_args

Source = Literal["human", "automatic"]
SOURCES: tuple[str, ...] = get_args(Source)


@dataclass(frozen=True)
class ExportedDocument:
    """A document with its labels at the time of the export.

    Attributes
    ----------
    id, text
        The document.
    columns
        The other columns of the input, in its order.
    predicted
        The labels before anyone read the document: the classifier's, or chosen for a measure.
    probabilities
        P(document belongs to class), for the predicted and the suggested classes.
    labels
        The final labels: a person's if a person has decided, else the predicted ones.
    source
        Who chose the final labels.
    rank
        The position in the validation order, from 1; None without one.
    place
        The same as a share: from 0 (check first) to almost 1.
    who, when
        The person who validated the document, and the time, with its time zone.
    flagged, note
        The flag and the note that the person left.
    classifier_labels
        The classifier's own labels, where the predicted ones were chosen for a measure; else None.

    Examples
    --------
    >>> document = ExportedDocument("7", "Wheat rose.", predicted=("wheat",), labels=("wheat",))
    >>> document.source
    'automatic'
    """

    id: str
    text: str
    columns: Mapping[str, Any] = field(default_factory=dict)
    predicted: tuple[str, ...] = ()
    probabilities: Mapping[str, float] = field(default_factory=dict)
    labels: tuple[str, ...] = ()
    source: Source = "automatic"
    rank: int | None = None
    who: str | None = None
    when: datetime | None = None
    flagged: bool = False
    note: str = ""
    classifier_labels: tuple[str, ...] | None = None
    place: float | None = None

    def __post_init__(self) -> None:
        if self.source not in SOURCES:
            raise ValueError(
                f"source must be one of {', '.join(map(repr, SOURCES))}, but is {self.source!r}"
            )
        if self.rank is not None and self.rank < 1:
            raise ValueError(f"rank must be 1 or more, or None, but is {self.rank}")
        if self.when is not None and self.when.tzinfo is None:
            raise ValueError(f"when must have a time zone, but is {self.when}")


def iso_time(when: datetime | None) -> str | None:
    """Write a time as ISO 8601 in UTC.

    >>> from datetime import timedelta, timezone
    >>> iso_time(datetime(2024, 5, 1, 14, 30, tzinfo=timezone(timedelta(hours=2))))
    '2024-05-01T12:30:00Z'
    """
    return None if when is None else when.astimezone(UTC).isoformat().replace("+00:00", "Z")
