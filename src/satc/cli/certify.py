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
    classes: Annotated[
        bool, typer.Option("--classes", help="Print bounds of single classes, too.")
    ] = False,
    as_json: options.AsJson = False,
    database: Database = None,
) -> None:
    """Compute a lower bound of the accuracy of the labels from a random audit, without a model.

    'satc create --audit 10%' mixes the audit into the work. The bound holds no matter when you look
    or stop.

    Example: satc certify claims.satc -o certificate.html
    """
    with open_store_of(project, database) as store:
        from satc.workbench.project.certificate import (
            about,
            certify_project,
            check_certificate,
            with_undecided_draws,
        )
        from satc.workbench.project.verification.checked import read_checked

        found, history = read_checked(store, name_in(project, database))
        if check is not None:
            typer.echo(check_certificate(store, found, history, check))
            return
        certificate = certify_project(store, found, history, confidence=confidence, cap=cap)
        certificate = with_undecided_draws(certificate, history)
        facts = about(found, history)
    if output is not None:
        _write(output, certificate, facts, found.names)
    shown = _class_rows(certificate, found.names) if classes else []
    if as_json:
        _print_json(certificate, shown if classes else None)
    else:
        _print(certificate, facts["labels"])
        _print_classes(certificate, shown, classes)


def _write(
    output: Path, certificate: Certificate, facts: dict[str, Any], names: tuple[str, ...]
) -> None:
    from satc.assurance import certificate_html, certificate_json
    from satc.cli.results import write_texts

    if output.suffix not in (".html", ".json"):
        raise typer.BadParameter(f"--output must end in .html or .json, but is {output.name!r}")
    write_texts(
        {
            output.with_suffix(".html"): certificate_html(certificate, facts, names),
            output.with_suffix(".json"): certificate_json(certificate, facts),
        }
    )


def _declared(certificate: Certificate) -> str:
    if certificate.single_label:
        return "every document has exactly one label"
    return f"no document lacks more than {certificate.cap} labels"


def _print(certificate: Certificate, fixed: str) -> None:
    from satc.cli.show import print_rows

    print_rows({"measure": b.measure, "at least": b.low} for b in certificate.bounds)
    typer.echo(
        f"each with {certificate.confidence:.0%} confidence, from {certificate.n_audited:,} "
        f"audited of {certificate.n_documents:,} documents; {_declared(certificate)} (declared)"
    )
    typer.echo(fixed)
    if certificate.undecided is not None:
        typer.echo(certificate.undecided.sentence())


def _print_json(certificate: Certificate, classes: list[dict[str, Any]] | None) -> None:
    from satc.cli.show import print_json

    bounds: dict[str, Any] = {bound.measure: bound.low for bound in certificate.bounds}
    print_json(bounds if classes is None else bounds | {"classes": classes})


def _class_rows(certificate: Certificate, names: tuple[str, ...]) -> list[dict[str, Any]]:
    return [
        {
            "class": names[one.column],
            "labels": one.n_labels,
            "audited": one.n_audited,
            "precision": one.precision,
            "recall": one.recall,
            "F1": one.f1,
        }
        for one in certificate.classes
    ]


def _print_classes(certificate: Certificate, rows: list[dict[str, Any]], wanted: bool) -> None:
    from satc.cli.show import print_rows

    if not wanted:
        return
    if not rows:
        typer.echo("no bounds of classes: no audited document has a predicted label")
        return
    print_rows(rows)
    typer.echo(
        f"at least so much; the three bounds of one class hold together with "
        f"{certificate.confidence:.0%} confidence, those of different classes need not"
    )
