"""Read code books: codes of classes with names, definitions, parents and keys."""

from __future__ import annotations

from satc.files.code_book.reading import read_code_book

__all__ = ["read_code_book"]
