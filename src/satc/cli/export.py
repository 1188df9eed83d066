"""`satc export` and `satc import`: write labels, and read decisions made elsewhere."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from satc.cli import options
from satc.cli.option_checks import check_excel, check_format, checked
from satc.cli.project import Database, ProjectArgument, name_in, open_store_of

Format = Annotated[
    str | None,
    typer.Option(
        "--format",
        help="csv, csv-excel, tsv, xlsx, jsonl, parquet, label-studio, doccano, hugging-face, or "
        "the name of a plugin; else by the ending.",
        callback=checked(check_format),
    ),
]


def export(
    project: ProjectArgument,
    output: Annotated[Path, typer.Option("--output", "-o", help="The file to write.")],
    form: Format = None,
    label_columns: Annotated[
        str | None,
        typer.Option(
            help="Write a column of 0 and 1 for each class, in the place of 'satc_labels': '*', or "
            "the names of all classes."
        ),
    ] = None,
    labels_column: Annotated[
        str | None,
        typer.Option(
            help="Write several columns with one label each, in the place of 'satc_labels': "
            "'code*' for code1, code2, ..."
        ),
    ] = None,
    names: Annotated[
        bool,
        typer.Option("--names", help="Add a column with the names of the labels, beside codes."),
    ] = False,
    excel: options.Excel = False,
    database: Database = None,
) -> None:
    """Write all documents with their present labels, and who decided on them and when.

    All columns of the input are kept; the columns of satc begin with 'satc_'. Where every document
    has exactly one label, it is in 'satc_label'.

    Labels are the codes of the code book; --names adds 'satc_label_names', for people.

    Example: satc export claims.satc -o labels.xlsx

    Example: satc export claims.satc -o codes.csv --label-columns '*'
    """
    _check_one_shape(label_columns, labels_column)
    from satc.cli.show import say

    check_excel(excel, output)
    if excel and form not in (None, "csv", "csv-excel"):
        raise typer.BadParameter(f"--excel needs --format csv, but it is {form}")
    with open_store_of(project, database) as store:
        from satc.files.exchange import write
        from satc.workbench.project.verification.checked import read_checked
        from satc.workbench.reports.export import exported_documents, label_shape

        found, history = read_checked(store, name_in(project, database))
        shape = label_shape(store, found, history, label_columns, labels_column)
        exported = exported_documents(store, found, history, names=names)
        task = found.settings.task
        form = "csv-excel" if excel else form
        n = write(exported, output, form, classes=found.classes, task=task, shape=shape)
    say(f"wrote {n:,} documents to {output}")


def import_(
    project: ProjectArgument,
    decisions: Annotated[Path, typer.Argument(metavar="FILE", help="File of decisions.")],
    form: Format = None,
    who: Annotated[
        str | None, typer.Option(help="Name of the person who decided, if the file has none.")
    ] = None,
    label_columns: Annotated[
        str | None,
        typer.Option(
            help="Columns that stand for a class each, with 0/1, yes/no or x/empty: '*', or the "
            "names of all classes."
        ),
    ] = None,
    labels_column: Annotated[
        str | None,
        typer.Option(
            help="Name of the column of labels; several columns that hold one label each: "
            "code1,code2 or 'code*'."
        ),
    ] = None,
    database: Database = None,
) -> None:
    """Import decisions that were made elsewhere: in Label Studio, in doccano, or in a table.

    Documents are found by their ids. A decision that is already there is not imported again. A
    different decision on the same document replaces the former one, which stays in the record.

    Example: satc import claims.satc annotations.json --format label-studio

    Example: satc import claims.satc codes.csv --label-columns '*'
    """
    _check_one_shape(label_columns, labels_column)
    with open_store_of(project, database) as store:
        from satc.workbench.reports.import_decisions import import_decisions

        n = import_decisions(
            store,
            name_in(project, database),
            decisions,
            form,
            who or "import",
            label_columns=label_columns,
            labels_column=labels_column,
        )
    typer.echo(f"{n:,} decisions were imported")


def _check_one_shape(label_columns: str | None, labels_column: str | None) -> None:
    if label_columns is not None and labels_column is not None:
        raise typer.BadParameter("--label-columns and --labels-column must not be given together")
