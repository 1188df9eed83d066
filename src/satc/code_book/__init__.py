"""Code books: codes of classes with names, definitions, keys and parents."""

from __future__ import annotations

from satc.code_book.book import CodeBook, Entry
from satc.code_book.hierarchy import Hierarchy

__all__ = ["CodeBook", "Entry", "Hierarchy"]
