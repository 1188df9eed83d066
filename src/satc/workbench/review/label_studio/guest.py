"""`LabelStudioGuest`: the answers of one open project to Label Studio."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from satc.errors import DataError
from satc.workbench.review.desk import Desk
from satc.workbench.review.label_studio.annotations import (
    CREATED,
    Annotated,
    annotations_of,
    author_of,
    number_of,
    seconds_of,
)
from satc.workbench.review.label_studio.control import Control, find_control
from satc.workbench.review.label_studio.order import OrderOfTasks
from satc.workbench.review.label_studio.tasks import Tasks

MOST_TASKS = 10_000  # of one request


class LabelStudioGuest:
    """Answers Label Studio about one project."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._tasks = Tasks(desk)
        self._order = OrderOfTasks(desk)
        self._control: Control | None = None  # of the configuration that was given last

    def version(self) -> str:
        """Return the version of the model."""
        return self._order.version()

    def set_up(self, config: Any) -> str:
        """Check a labelling configuration; return the version of the model."""
        self._find_control(config)
        return self.version()

    def predict(self, tasks: Any, config: Any) -> list[dict[str, Any] | list[Any]]:
        """Return the prediction of each task; an empty list for a task that is not known."""
        if not isinstance(tasks, list) or len(tasks) > MOST_TASKS:
            raise DataError(f"'tasks' must be a list of at most {MOST_TASKS:,} tasks, but is not")
        control = self._find_control(config)
        documents = [self._tasks.document_of(task, control) for task in tasks]
        version, scores = self._order.now()
        labels = self._labels(i for i in documents if i is not None)
        return [
            []
            if i is None
            else {
                "result": control.result(labels[i]),
                "score": float(scores[i]),
                "model_version": version,
            }
            for i in documents
        ]

    def annotated(self, sent: Mapping[str, Any]) -> list[Annotated]:
        """Return the decisions in a message about annotations.

        The labelling configuration is that of the message, or else the one that Label Studio sent
        last, with another request.

        Raises
        ------
        DataError
            If a task is not in the project, a choice is not one of its classes, or no labelling
            configuration is known.
        """
        project = sent.get("project")
        config = project.get("label_config") if isinstance(project, Mapping) else None
        control = self._control if config is None else self._find_control(config)
        if control is None:
            raise DataError(
                "the message must have the labelling configuration in 'project.label_config', but "
                "has none, and no request to /setup has brought one: let Label Studio validate the "
                "connection to this model again, or send the configuration"
            )
        given = [one for one in annotations_of(sent) if not one.get("was_cancelled")]
        is_new = sent.get("action") in CREATED
        return [self._annotated(one, sent, control, is_new=is_new) for one in given]

    def _find_control(self, config: Any) -> Control:
        """Return the control of the labels in a configuration, and remember it."""
        self._control = find_control(config, self._desk.project)
        return self._control

    def _annotated(
        self, given: Mapping[str, Any], sent: Mapping[str, Any], control: Control, *, is_new: bool
    ) -> Annotated:
        number = number_of(given)
        where = f"annotation {number}"
        labels = control.labels(given.get("result"), where)
        document = self._document(given.get("task"), sent, control)
        if document is None:
            raise DataError(f"{where}: its task must be a document of the project, but is not")
        seconds = seconds_of(given) if is_new else None
        return Annotated(document, author_of(given), labels, number, seconds)

    def _document(self, number: Any, sent: Mapping[str, Any], control: Control) -> int | None:
        """Return the document of a task: the task is in the message, or was seen before."""
        tasks = sent.get("task", sent.get("tasks"))
        for task in tasks if isinstance(tasks, list) else [tasks]:
            if isinstance(task, Mapping) and task.get("id") == number:
                return self._tasks.document_of(task, control)
        return self._tasks.remembered(number)

    def _labels(self, documents: Iterable[int]) -> dict[int, list[int]]:
        """Return the present labels of documents: a person's, or else the predicted ones."""
        found = {}
        with self._desk.reading():
            record, decided = self._desk.record, self._desk.validation.documents
            for i in documents:
                current = record.current_decision(i)
                if current is not None:
                    found[i] = list(current.labels)
                else:
                    found[i] = np.flatnonzero(decided.decided_on(i)).tolist()
        return found
