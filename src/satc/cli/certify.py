"""`satc certify`: a bound on the accuracy of the labels that does not rest on any model."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from satc.cli import options
from satc.cli.project import Database, ProjectArgument, name_in, opened


def certify(
    project: ProjectArgument,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Certificate to write: .html, .json, or both names."),
    ] = None,
    confidence: Annotated[float, typer.Option(help="With which each bound holds.")] = 0.95,
    cap: Annotated[
        int | None,
        typer.Option(help="Labels that a document lacks at most; else as declared at creation."),
    ] = None,
    check: Annotated[
        Path | None, typer.Option(help="Compute an earlier certificate (.json) anew instead.")
    ] = None,
    as_json: options.AsJson = False,
    database: Database = None,
) -> None:
    """Say how good the labels are at least, from a random audit, whatever the model.

    The audit is mixed into the work by 'satc create --audit 10%'. It is valid to look after every
    document and to stop at will.

    Example: satc certify claims.satc -o certificate.html
    """
    from satc.cli.show import print_json, print_rows, write_texts

    with opened(project, database) as store:
        from satc.assurance.certificate.page import certificate_html, certificate_json
        from satc.workbench.project.certificate import about, certify_project, check_certificate
        from satc.workbench.project.history import read_history
        from satc.workbench.store.projects import get_project

        found = get_project(store, name_in(project, database))
        history = read_history(store, found)
        if check is not None:
            typer.echo(check_certificate(store, found, history, check))
            return
        certificate = certify_project(store, found, history, confidence=confidence, cap=cap)
        facts = about(found)
    if output is not None:
        if output.suffix not in (".html", ".json"):
            raise typer.BadParameter(f"--output must end in .html or .json, but is {output.name!r}")
        write_texts(
            {
                output.with_suffix(".html"): certificate_html(certificate, facts),
                output.with_suffix(".json"): certificate_json(certificate, facts),
            }
        )
    if as_json:
        print_json({bound.measure: bound.low for bound in certificate.bounds})
    else:
        print_rows({"measure": b.measure, "at least": b.low} for b in certificate.bounds)
        typer.echo(
            f"each with {confidence:.0%} confidence, from {certificate.n_audited:,} audited of "
            f"{certificate.n_documents:,} documents; no document lacks more than "
            f"{certificate.cap} labels (declared)"
        )
