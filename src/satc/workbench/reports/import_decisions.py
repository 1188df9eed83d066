"""Import decisions that were made elsewhere: all of a file, or none."""

from __future__ import annotations

from pathlib import Path

from satc.calibration.cold.calibrator import due
from satc.errors import DataError
from satc.files.exchange import ImportedDecision, read
from satc.files.labels.shapes import named_classes
from satc.workbench.model import events
from satc.workbench.model.clock import now, stamp
from satc.workbench.model.events import Event, Learnt
from satc.workbench.model.label_count import label_count_error
from satc.workbench.model.record import Record
from satc.workbench.project.history import read_history
from satc.workbench.project.opening import is_cold
from satc.workbench.store import Store
from satc.workbench.store.documents import positions_of
from satc.workbench.store.events import append
from satc.workbench.store.projects import get_project
from satc.workbench.store.webhooks.enqueuing import enqueue


def import_decisions(
    store: Store,
    name: str | None,
    path: Path,
    form: str | None,
    who: str,
    *,
    label_columns: str | None = None,
    labels_column: str | None = None,
) -> int:
    """Save the decisions of a file as events; return how many were new.

    Parameters
    ----------
    who
        The author of decisions for which the file names none.
    label_columns, labels_column
        Where the labels are in a table: a column for each class of the project, or answer columns.
    """
    store.lock()  # a running server would not see the new events
    project = get_project(store, name)
    positions = positions_of(store, project.key)
    numbers = {label: j for j, label in enumerate(project.classes)}
    record = read_history(store, project).record
    learns = is_cold(store, project)
    columns = None if label_columns is None else named_classes(project.classes, label_columns)
    n_new = 0
    with store.writing() as transaction:
        for done in read(path, form, labels_column=labels_column, label_columns=columns):
            document, labels = _resolved(done, positions, numbers)
            labels = project.completed(labels)
            if error := label_count_error(project.settings.task, labels):
                raise DataError(f"{done.where}: {error}")
            current = record.current_decision(document)
            if current is not None and current.labels == labels:
                continue
            event = Event(
                0,
                now() if done.when is None else stamp(done.when),
                done.who or who,
                events.DECIDE if current is None else events.REVISE,
                document,
                labels,
                details={"imported": path.name},
            )
            event = append(transaction, project.key, event)
            enqueue(transaction, project.key, [event])
            record.apply(event)
            n_new += 1
        if n_new and learns and (learnt := _to_learn(record)) is not None:
            append(transaction, project.key, learnt.event(now()))
    return n_new


def _to_learn(record: Record) -> Learnt | None:
    """Return the decisions that a project can learn from now; None if they are too few."""
    n_decisions = len(record.current_decisions())
    known = 0 if record.learnt is None else record.learnt.n_decisions
    return Learnt(record.last_number, n_decisions) if due(n_decisions) > known else None


def _resolved(
    done: ImportedDecision, positions: dict[str, int], numbers: dict[str, int]
) -> tuple[int, tuple[int, ...]]:
    if done.id not in positions:
        raise DataError(
            f"{done.where}: the document {done.id!r} must be in the project, but is not"
        )
    unknown = [label for label in done.labels if label not in numbers]
    if unknown:
        raise DataError(
            f"{done.where}: {unknown[0]!r} must be a class of the project, but is not; it has "
            f"{', '.join(map(repr, list(numbers)[:5]))}{', ...' if len(numbers) > 5 else ''}"
        )
    return positions[done.id], tuple(sorted({numbers[label] for label in done.labels}))
