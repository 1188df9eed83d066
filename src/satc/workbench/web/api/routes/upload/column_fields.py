"""The fields of an upload that say which column holds what, and which sheet is read."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

from fastapi import Form, HTTPException

from satc.files.formats.xlsx.positions import is_xlsx
from satc.files.labels.readers import check_one_shape
from satc.texts.columns import Columns
from satc.workbench.web.api.models.common import StorableText

_SHEET = r"^[^\[\]:*?/\\\x00-\x1f]+$"
ColumnName = Annotated[StorableText, Form(min_length=1, max_length=500)]
OtherName = Annotated[StorableText | None, Form(min_length=1, max_length=500)]


@dataclass(frozen=True)
class ColumnFields:
    """Names of columns and sheets.

    The names are those of all files, as in `satc create`; `train_id_column` and `train_text_column`
    are for labelled documents or predictions whose columns have other names.
    """

    id_column: ColumnName = Columns.id_column
    text_column: ColumnName = Columns.text_column
    labels_column: Annotated[
        StorableText,
        Form(max_length=20_000, description="One column of labels, or several: code1,code2."),
    ] = Columns.labels_column
    label_columns: Annotated[
        StorableText | None,
        Form(max_length=200_000, description="Columns that stand for a class each: anger,fear."),
    ] = None
    separator: Annotated[StorableText, Form(min_length=1, max_length=10)] = Columns.separator
    train_id_column: OtherName = None
    train_text_column: OtherName = None
    sheet: Annotated[
        str | None,
        Form(
            min_length=1,
            max_length=31,
            pattern=_SHEET,
            description="The sheet of all .xlsx files; needed if they have several.",
        ),
    ] = None
    sheets: Annotated[
        str | None,
        Form(max_length=2_000, description='Sheets by file, as in {"train": "Coded"}.'),
    ] = None

    def of_documents(self) -> Columns:
        """Return the columns of the documents."""
        check_one_shape(self.labels_column, self.label_columns)
        return Columns(
            self.id_column,
            self.text_column,
            self.labels_column,
            self.separator,
            self.label_columns,
        )

    def of_others(self) -> Columns:
        """Return the columns of labelled documents and predictions."""
        return replace(
            self.of_documents(),
            id_column=self.train_id_column or self.id_column,
            text_column=self.train_text_column or self.text_column,
        )

    def in_sheet(self, part: str, path: Path) -> Path:
        """Add the name of the sheet to the path of a workbook."""
        sheet = json_object(self.sheets, "sheets").get(part, self.sheet)
        if not sheet or not is_xlsx(path):
            return path
        if len(sheet) > 31 or not re.fullmatch(_SHEET, sheet):
            raise HTTPException(422, f"sheets must be names of sheets, but one is {sheet!r:.80}")
        return path.with_name(f"{path.name}#{sheet}")


def json_object(text: str | None, field: str) -> dict[str, str]:
    """Read a field that is a JSON object of strings; None is an empty one."""
    try:
        found = json.loads(text or "{}")
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict) or not all(isinstance(one, str) for one in found.values()):
        raise HTTPException(422, f"{field} must be a JSON object of strings, but is {text!r:.80}")
    return found
