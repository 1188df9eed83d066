"""Formats of installed packages: checked, and written complete or not at all (`satc.plugins`)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from satc.errors import PluginError, SatcError
from satc.files import fields
from satc.files.atomic import atomic_named_file, writing_errors
from satc.files.exchange.columns import Layout
from satc.files.exchange.exported_document import ExportedDocument
from satc.files.exchange.format import Classes, Format
from satc.files.exchange.imported_decision import ImportedDecision
from satc.plugins.contracts.format import check_format
from satc.plugins.installed import Plugin
from satc.plugins.kinds import FORMATS
from satc.plugins.table import PluginTable, described


def plugin_table(built_in: Callable[[], Collection[str]]) -> PluginTable[Format]:
    """Return the table of the formats of installed packages."""
    return PluginTable(FORMATS, built_in, _adapt)


def _adapt(plugin: Plugin, value: Any) -> Format:
    """Return the format of a package, checked; so are the results of its functions."""
    check_format(value)

    def write(
        documents: Iterable[ExportedDocument], path: Path, classes: Classes, layout: Layout
    ) -> int:
        return _write(plugin, value, documents, path, classes, layout)

    return Format(
        write, lambda path: _read(plugin, value, path), value.suffix.lower(), value.media_type
    )


def _write(
    plugin: Plugin,
    value: Any,
    documents: Iterable[ExportedDocument],
    path: Path,
    classes: Classes,
    layout: Layout,
) -> int:
    """Let a package write a file; return the number of documents."""
    given, n = iter(documents), 0

    def counted() -> Iterator[ExportedDocument]:
        nonlocal n
        for document in given:
            n += 1
            yield document

    with writing_errors(path), atomic_named_file(path) as temporary:
        with _naming(plugin, f"writing {path.name}"):
            value.write(counted(), temporary, classes, layout)
            if next(given, None) is not None:
                raise ValueError(f"it must write all documents, but stopped after {n:,}")
        if not temporary.is_file():
            raise PluginError(f"{plugin} must write the file that it is given, but wrote none")
    return n


def _read(plugin: Plugin, value: Any, path: Path) -> Iterator[ImportedDecision]:
    """Yield the decisions that a package reads from a file."""
    with _naming(plugin, f"reading {path.name}"):
        for number, decision in enumerate(value.read(path), start=1):
            where = f"{path}, decision {number}"
            if not isinstance(decision, ImportedDecision):
                raise ValueError(
                    f"it must yield decisions as ImportedDecision, but one is {decision!r:.80}"
                )
            yield decision._replace(
                id=fields.document_id(decision.id, "id", where),
                labels=fields.label_names(list(decision.labels), "labels", where),
                who=fields.person(decision.who, "who", where),
                where=str(decision.where),
            )


@contextmanager
def _naming(plugin: Plugin, doing: str) -> Iterator[None]:
    """Turn an error of a package into one that names the package."""
    try:
        yield
    except (SatcError, OSError):
        raise
    except Exception as error:  # the code of the package may raise any error
        raise PluginError(f"{plugin} failed while {doing}: {described(error)}") from error
