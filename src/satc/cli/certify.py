"""`satc certify`: a lower bound of the accuracy of the labels that needs no model."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from satc.cli import options
from satc.cli.project import Database, ProjectArgument, name_in, open_store_of

if TYPE_CHECKING:
    from satc.assurance import Certificate


def certify(
    project: ProjectArgument,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", help="Certificate to write: .html or .json; both are written."
        ),
    ] = None,
    confidence: Annotated[
        float, typer.Option(help="Probability with which each bound holds.")
    ] = 0.95,
    cap: Annotated[
        int | None,
        typer.Option(help="Most labels that a document can lack; else the project's cap."),
    ] = None,
    check: Annotated[
        Path | None,
        typer.Option(help="Check an earlier certificate (.json) instead: recompute it."),
    ] = None,
    as_json: options.AsJson = False,
    database: Database = None,
) -> None:
    """Compute a lower bound of the accuracy of the labels from a random audit, without a model.

    'satc create --audit 10%' mixes the audit into the work. The bound holds no matter when you look
    or stop.

    Example: satc certify claims.satc -o certificate.html
    """
    with open_store_of(project, database) as store:
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
        _write(output, certificate, facts, found.classes)
    _print(certificate, facts["labels"], as_json)


def _write(
    output: Path, certificate: Certificate, facts: dict[str, Any], classes: tuple[str, ...]
) -> None:
    from satc.assurance import certificate_html, certificate_json
    from satc.cli.results import write_texts

    if output.suffix not in (".html", ".json"):
        raise typer.BadParameter(f"--output must end in .html or .json, but is {output.name!r}")
    write_texts(
        {
            output.with_suffix(".html"): certificate_html(certificate, facts, classes),
            output.with_suffix(".json"): certificate_json(certificate, facts),
        }
    )


def _declared(certificate: Certificate) -> str:
    if certificate.single_label:
        return "every document has exactly one label"
    return f"no document lacks more than {certificate.cap} labels"


def _print(certificate: Certificate, fixed: str, as_json: bool) -> None:
    from satc.cli.show import print_json, print_rows

    if as_json:
        print_json({bound.measure: bound.low for bound in certificate.bounds})
        return
    print_rows({"measure": b.measure, "at least": b.low} for b in certificate.bounds)
    typer.echo(
        f"each with {certificate.confidence:.0%} confidence, from {certificate.n_audited:,} "
        f"audited of {certificate.n_documents:,} documents; {_declared(certificate)} (declared)"
    )
    typer.echo(fixed)
