"""The digests: SHA-256 over the JSON of some values.

No digest covers the key of a project, because that changes when a backup is restored.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from hashlib import sha256
from typing import Any

BEFORE_FIRST = ""  # the digest that the first event of a chain covers


def digest_of(*values: Any) -> str:
    """Return the digest of values that JSON can hold.

    >>> digest_of("a", [1])[:16], digest_of("a", 1) == digest_of("a", "1")
    ('536316bea2646f43', False)
    """
    return sha256(json.dumps(values, separators=(",", ":")).encode()).hexdigest()


def document_digest(position: int, identity: str, text: str, columns: dict[str, Any]) -> str:
    """Return the digest of a document as it was imported."""
    return digest_of("document", position, identity, text, columns)


def rank_digest(position: int, rank: int, utility: float | None) -> str:
    """Return the digest of the rank of a document, which comes later than the document."""
    known = None if utility is None or math.isnan(utility) else repr(float(utility))
    return digest_of("rank", position, rank, known)


def array_digest(name: str, part: int, data: bytes) -> str:
    """Return the digest of a part of an array."""
    digest = sha256(digest_of("array", name, part).encode())
    digest.update(data)
    return digest.hexdigest()


def classes_digest(names: Sequence[str]) -> str:
    """Return the digest of the names of all classes, in order."""
    return digest_of("classes", list(names))


def project_digest(
    name: str, settings: dict[str, Any], n_documents: int, created_at: str, classes: str
) -> str:
    """Return the digest of a project's row; `classes` is the digest of the classes."""
    return digest_of("project", name, settings, n_documents, created_at, classes)
