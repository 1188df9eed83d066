"""The preview of a file: its format, first rows, guessed columns, and what is understood."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

from satc.errors import DataError
from satc.files.code_book import read_code_book
from satc.files.labels.column_names import names_several, wanted_names
from satc.files.predictions.kinds import LABELS
from satc.files.predictions.layout import CONFIDENCES
from satc.files.preview.file_format import MATRIX, FileFormat, find_format
from satc.files.preview.guess import Guess, guess_columns
from satc.files.preview.predicted import summarise_predictions
from satc.files.preview.sample import Sample, read_sample, shown_cell
from satc.files.preview.summary import Summary, summarise
from satc.workbench.web.api.kept_files import KeptFile
from satc.workbench.web.api.models.previews import (
    ClassCount,
    ColumnMapping,
    Format,
    Preview,
    Understood,
)
from satc.workbench.web.api.responses.projects import task_response

ROWS = 8  # that a person sees
COLUMNS = 60
CLASSES = 200
_NOTHING = Guess(None, None)


def preview_response(kept: KeptFile, fields: Any) -> Preview:
    """Read the beginning of a file, and say what it holds; `fields` are `MappingFields`."""
    found, path, sheet = FileFormat(""), kept.path, fields.sheet or None
    sample, guess, understood, error = Sample((), ()), _NOTHING, None, None
    try:
        found = find_format(path)
        if found.sheets:
            sheet = sheet if sheet in found.sheets else found.sheets[0]
            path = path.with_name(f"{path.name}#{sheet}")
        if fields.part == "classes":
            understood = _code_book(path, kept)
        elif found.kind != MATRIX and fields.part != "other":
            sample = read_sample(path)
            guess = guess_columns(sample)
        mapping = fields.mapping(guess)
        understood = understood or _understood(kept, path, found, mapping, fields, sample)
    except (DataError, ValueError) as problem:
        mapping, error = fields.mapping(guess), _named(str(problem), kept)
    return Preview(
        token=kept.token,
        name=kept.name,
        n_bytes=kept.n_bytes,
        format=Format(**(found._asdict() | {"sheets": list(found.sheets)})),
        sheet=sheet if found.sheets else None,
        columns=list(sample.columns[: COLUMNS * 10]),
        n_columns=len(sample.columns),
        rows=[_shown(row.values, sample) for row in sample.rows[:ROWS]],
        guess=_mapping(guess, sample, fields),
        mapping=_mapping(mapping, sample, fields),
        understood=understood,
        error=error,
    )


def _mapping(guess: Guess, sample: Sample, fields: Any) -> ColumnMapping:
    several = guess.label_columns
    column = guess.labels_column
    if column is not None and column not in sample.columns and names_several(column):
        several = column
    names = wanted_names(several, "label_columns") if several else ()
    return ColumnMapping(**guess._asdict(), columns=list(names), kind=_kind(guess, sample, fields))


def _kind(mapping: Guess, sample: Sample, fields: Any) -> str | None:
    """Return the kind of predictions: named, or labels if they have columns and no confidences."""
    if fields.kind is not None or fields.part != "predictions" or mapping.labels_column is None:
        return fields.kind
    return None if set(CONFIDENCES) & set(sample.columns) else LABELS


def _shown(values: dict[str, Any], sample: Sample) -> list[str]:
    return [shown_cell(values.get(name)) for name in sample.columns[:COLUMNS]]


def _understood(
    kept: KeptFile, path: Path, found: FileFormat, mapping: Guess, fields: Any, sample: Sample
) -> Understood | None:
    if fields.part == "predictions":
        kind = _kind(mapping, sample, fields)
        return _predicted(kept, path, mapping, kind, fields.task)
    if fields.part in ("known", "classes", "other") or found.kind == MATRIX:
        return None
    if mapping.id_column is None or mapping.text_column is None:
        return None
    _check_columns(mapping, sample)
    labels: dict[str, Any] = {
        "labels_column": mapping.labels_column,
        "separator": mapping.separator,
    }
    if mapping.label_columns is not None:
        labels |= {"label_columns": mapping.label_columns}
    if fields.part == "documents":
        labels = {"labels_column": None}
    summary = summarise(
        path, id_column=mapping.id_column, text_column=mapping.text_column, **labels
    )
    return _response(summary, kept)


def _code_book(path: Path, kept: KeptFile) -> Understood:
    """Count the codes of a code book; a book that cannot be used is an error."""
    names = read_code_book(path).names
    return _response(Summary(classes=Counter(dict.fromkeys(names, 0))), kept)


def _check_columns(mapping: Guess, sample: Sample) -> None:
    """Refuse a column that the file does not have, and one column for two things."""
    if mapping.id_column == mapping.text_column:
        raise DataError("the ids and the texts must be in different columns")
    for name in (mapping.id_column, mapping.text_column):
        if name not in sample.columns:
            raise DataError(f"the file must have the column {name!r}, but has none of this name")


def _predicted(
    kept: KeptFile, path: Path, mapping: Guess, kind: str | None, task: str | None
) -> Understood:
    columns: dict[str, Any] = {
        "id_column": mapping.id_column or "id",
        "text_column": mapping.text_column or "text",
        "labels_column": mapping.labels_column or "labels",
        "separator": mapping.separator,
    }
    classes = None
    if mapping.label_columns is not None:
        classes = wanted_names(mapping.label_columns, "label_columns")
    found = summarise_predictions(
        path,
        n_bytes=kept.n_bytes,
        kind=kind,
        task=task,
        classes=classes,
        **columns,
    )
    return _response(found.summary, kept, found.kind, found.task)


def _response(
    summary: Summary, kept: KeptFile, kind: str = "", task: str | None = None
) -> Understood:
    task = task or summary.task
    return Understood(
        n_documents=summary.n_documents,
        complete=summary.complete,
        n_classes=len(summary.classes),
        classes=[ClassCount(name=name, n=n) for name, n in summary.classes.most_common(CLASSES)],
        n_labels=dict(sorted(summary.n_labels.items())[:20]),
        task=None if task is None else task_response(task),
        kind=kind,
        faults=[_named(fault, kept) for fault in summary.faults],
    )


def _named(sentence: str, kept: KeptFile) -> str:
    """Replace the path on the server by the name of the user's file."""
    return sentence.replace(str(kept.path), kept.name).replace(kept.path.name, kept.name)
