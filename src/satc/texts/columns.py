"""Names of the columns in users' files of documents."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Columns:
    """Names of the columns of ids, texts and labels; `separator` divides labels in a CSV cell."""

    id_column: str = "id"
    text_column: str = "text"
    labels_column: str = "labels"
    separator: str = "|"

    def as_dict(self) -> dict[str, str]:
        """Return the names as keyword arguments of `satc.files.read_documents`."""
        return dict(vars(self))
