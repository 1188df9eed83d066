"""Names of the columns in users' files of documents."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Columns:
    """Names of the columns of ids, texts and labels; `separator` divides labels in a CSV cell.

    `label_columns` names the columns that stand for a class each, in the place of `labels_column`.
    """

    id_column: str = "id"
    text_column: str = "text"
    labels_column: str = "labels"
    separator: str = "|"
    label_columns: str | None = None

    def as_dict(self) -> dict[str, Any]:
        """Return the names as keyword arguments of `satc.files.read_documents`."""
        return dict(vars(self))
