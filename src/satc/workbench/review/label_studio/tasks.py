"""Which document of a project a task of Label Studio is: by its id, or else by its text.

An export of satc has the id of the document in ``data.satc_id``. Other tasks are found by
``data.id``, or by these names in ``meta``, or by the text, if only one document has it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from hashlib import blake2b
from threading import Lock
from typing import Any

from satc.errors import DataError
from satc.workbench.review.desk import Desk
from satc.workbench.review.label_studio.control import Control
from satc.workbench.store.documents import iter_texts, positions_of

_IDS = ("satc_id", "id")
_SEVERAL = -1  # documents have this text
_MOST_REMEMBERED = 1_000_000


class Tasks:
    """Finds the documents of tasks; it remembers them by the numbers of the tasks."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._lock = Lock()
        self._ids: dict[str, int] = {}
        self._texts: dict[bytes, int] = {}
        self._n_indexed = {"ids": 0, "texts": 0}
        self._remembered: dict[int, int] = {}

    def document_of(self, task: Any, control: Control) -> int | None:
        """Return the document of a task; None if it is not in the project."""
        if not isinstance(task, Mapping) or not isinstance(task.get("data"), Mapping):
            raise DataError(f"a task must be an object with 'data', but is {task!r:.80}")
        found = self._by_id(task)
        if found is None:
            found = self._by_text(task["data"], control)
        number = task.get("id")
        if found is not None and isinstance(number, int):
            if len(self._remembered) >= _MOST_REMEMBERED:
                self._remembered.clear()
            self._remembered[number] = found
        return found

    def remembered(self, number: Any) -> int | None:
        """Return the document of a task that was seen before, by the number of the task."""
        return self._remembered.get(number) if isinstance(number, int) else None

    def _by_id(self, task: Mapping[str, Any]) -> int | None:
        ids = self._index_of_ids()
        for given in _given_ids(task):
            if given in ids:
                return ids[given]
        return None

    def _by_text(self, data: Mapping[str, Any], control: Control) -> int | None:
        text = data.get(control.text_field or "text")
        if not isinstance(text, str):
            return None
        found = self._index_of_texts().get(_digest(text))
        return None if found == _SEVERAL else found

    def _index_of_ids(self) -> dict[str, int]:
        with self._lock:
            if self._must_index("ids"):
                self._ids = positions_of(self._desk.store, self._desk.project.key)
            return self._ids

    def _index_of_texts(self) -> dict[bytes, int]:
        with self._lock:
            if self._must_index("texts"):
                found: dict[bytes, int] = {}
                texts = iter_texts(self._desk.store, self._desk.project.key)
                for i, text in enumerate(texts):
                    key = _digest(text)
                    found[key] = _SEVERAL if key in found else i
                self._texts = found
            return self._texts

    def _must_index(self, what: str) -> bool:
        """Whether documents were added since an index was made."""
        n_documents = self._desk.project.n_documents
        is_behind = self._n_indexed[what] != n_documents
        self._n_indexed[what] = n_documents
        return is_behind


def _given_ids(task: Mapping[str, Any]) -> Iterator[str]:
    for place in ("data", "meta"):
        values = task.get(place)
        for name in _IDS:
            value = values.get(name) if isinstance(values, Mapping) else None
            if isinstance(value, str) or (isinstance(value, int) and not isinstance(value, bool)):
                yield str(value)


def _digest(text: str) -> bytes:
    return blake2b(text.strip().encode("utf-8", "replace"), digest_size=16).digest()
