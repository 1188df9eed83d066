"""`satc report`: the work done so far, and the accuracy of the labels."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from satc.cli import options
from satc.cli.project import Database, ProjectArgument, name_in, open_store_of


def report(
    project: ProjectArgument,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="A self-contained .html file.")
    ] = None,
    estimate: Annotated[
        bool, typer.Option(help="Estimate the accuracy too (takes as long as a calibration).")
    ] = True,
    as_json: options.AsJson = False,
    database: Database = None,
) -> None:
    """Report who decided how much, whether people agree, and how accurate the labels are now.

    Example: satc report claims.satc -o report.html
    """
    from satc.cli.results import write_text
    from satc.cli.show import print_json, say

    if output is not None and output.suffix != ".html":
        raise typer.BadParameter(f"--output must end in .html, but is {output.name!r}")
    with open_store_of(project, database) as store:
        from satc.workbench.project.verification.checked import read_checked
        from satc.workbench.reports.report import make_report
        from satc.workbench.reports.report_page import Estimated, as_dict, as_html, as_lines

        stored_project, history = read_checked(store, name_in(project, database))
        found = make_report(store, stored_project, history)
        known = Estimated()
        if estimate:
            from satc.workbench.reports.report_page import estimated

            say("estimating the accuracy")
            known = estimated(store, found.project, history)
        if output is not None:
            write_text(output, as_html(store, found, history, *known))
    if as_json:
        print_json(as_dict(found, *known))
    elif output is None:
        for line in as_lines(found, *known):
            typer.echo(line)
