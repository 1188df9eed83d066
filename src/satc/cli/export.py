"""`satc export` and `satc import`: labels out, decisions made elsewhere in."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from satc.cli.project import Database, ProjectArgument, name_in, opened

Format = Annotated[
    str | None,
    typer.Option(
        "--format",
        help="csv, tsv, jsonl, parquet, label-studio, doccano or hugging-face; else by the ending.",
    ),
]


def export(
    project: ProjectArgument,
    output: Annotated[Path, typer.Option("--output", "-o", help="Where to.")],
    form: Format = None,
    database: Database = None,
) -> None:
    """Write all documents with their labels at this moment, and who decided on them when.

    All columns of the input come back; ours begin with 'satc_'.

    Example: satc export claims.satc -o labels.csv
    """
    from satc.cli.show import complain

    with opened(project, database) as store:
        from satc.files.exchange import write
        from satc.workbench.project.history import read_history
        from satc.workbench.reports.export import exported_documents
        from satc.workbench.store.projects import get_project

        found = get_project(store, name_in(project, database))
        exported = exported_documents(store, found, read_history(store, found))
        n = write(exported, output, form, classes=found.classes)
    complain(f"wrote {n:,} documents to {output}")


def import_(
    project: ProjectArgument,
    decisions: Annotated[Path, typer.Argument(metavar="FILE", help="The decisions.")],
    form: Format = None,
    who: Annotated[
        str | None, typer.Option(help="Who decided, where the file does not say.")
    ] = None,
    database: Database = None,
) -> None:
    """Take in decisions that were made elsewhere: in Label Studio, doccano, or a table.

    Documents are found by their ids. A decision that is already there is left as it is; another
    one on the same document replaces it, and the former one stays in the record.

    Example: satc import claims.satc annotations.json --format label-studio
    """
    with opened(project, database) as store:
        from satc.workbench.reports.import_decisions import import_decisions

        n = import_decisions(store, name_in(project, database), decisions, form, who or "import")
    typer.echo(f"{n:,} decisions were taken in")
