"""Response bodies for the classes of a project and its code book."""

from __future__ import annotations

import hashlib
import json

from satc.code_book import CodeBook
from satc.workbench.store.projects import Project
from satc.workbench.web.api.models.projects import BookEntry, Classes


def classes_response(project: Project) -> Classes:
    """List the classes, with the code book if there is one."""
    book = None if project.book is None else _entries(project.book)
    return Classes(classes=list(project.classes), book=book, closed=project.settings.closed)


def _entries(book: CodeBook) -> list[BookEntry]:
    return [
        BookEntry(
            code=entry.code,
            name=entry.name,
            definition=entry.definition,
            parents=list(parents),
            key=entry.key.lower(),
            synonyms=list(entry.synonyms),
            place=entry.place,
        )
        for entry, parents in zip(book.entries, book.hierarchy.parents, strict=True)
    ]


def book_tag(project: Project) -> str:
    """Return a text that changes with the code book; "" if there is none."""
    if project.book is None:
        return ""
    stored = json.dumps(project.book.as_json()).encode()
    return f"-{hashlib.sha256(stored).hexdigest()[:16]}"
