"""`satc demo`: compare the orders on real records, and open the workbench on the result."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from satc.cli import options
from satc.cli.project import need_workbench, open_store_of
from satc.texts.learner_source import LearnerSource

if TYPE_CHECKING:
    from satc.simulation import Simulation
    from satc.workbench.reports.demonstration import Case

_DATASET = "medline"
_PROJECT = "demo.satc"
_TITLE = "Cardiovascular Diseases, MEDLINE 1979"
_TARGET = 0.8
_REPORT_TARGETS = (0.5, 0.8, 0.9)


def demo(
    output: Annotated[
        Path,
        typer.Option(
            "--output", "-o", help="The folder to write; that of an earlier demo is replaced."
        ),
    ] = Path("satc-demo"),
    documents: Annotated[
        int | None, typer.Option(help="Rank only this many, and train on fewer too.", min=100)
    ] = None,
    target: Annotated[
        float, typer.Option(help="Share of the error to remove.", min=0.01, max=1.0)
    ] = _TARGET,
    folds: options.Folds = LearnerSource.folds,
    seed: options.Seed = LearnerSource.seed,
    embeddings: Annotated[
        str | None,
        typer.Option(
            help="Also with embeddings: name or folder of a sentence model, such as "
            "all-MiniLM-L6-v2. Embedding all records takes some minutes, once."
        ),
    ] = None,
    serve: Annotated[bool, typer.Option(help="Open the workbench at the end.")] = True,
    port: Annotated[
        int, typer.Option(help="Port of the workbench; 0 takes a free one.", min=0, max=65535)
    ] = 0,
    browser: Annotated[bool, typer.Option(help="Open the workbench in a browser.")] = False,
) -> None:
    """Train, cross-validate, rank and simulate on MEDLINE records, and open the workbench.

    A linear SVM learns the headings under Cardiovascular Diseases from records up to 1978, and
    labels those of 1979. The demo prints how many of these must be checked until the target is
    reached: for the classifier's labels in several orders, and for the labels and the order of
    satc.

    Example: satc demo --no-serve
    """
    _check_extras()
    from satc.cli.progress import steps
    from satc.cli.show import say
    from satc.datasets import load
    from satc.datasets.mesh import code_book
    from satc.files.atomic import atomic_folder
    from satc.workbench.reports import demonstration

    _check_replaceable(output, set(demonstration.FILES))
    with atomic_folder(output) as folder, steps() as progress:
        progress("reading the MEDLINE records")
        dataset = load(_DATASET)
        if documents is not None and documents < len(dataset.test):
            dataset = demonstration.take_part(dataset, documents)
        simulations = demonstration.demonstrate(
            folder,
            dataset,
            progress,
            title=_TITLE,
            targets=sorted({*_REPORT_TARGETS, target}),
            folds=folds,
            seed=seed,
            embeddings=embeddings,
            book=code_book(),
        )
    _print_savings(simulations, demonstration.WITH_EMBEDDINGS, target)
    for name, holds in demonstration.FILES.items():
        typer.echo(f"{output / name}: {holds}")
    say("next, with your files: satc rank --train labelled.csv --documents new.csv -o out.csv")
    if not serve:
        say(f"to check documents: satc serve {output / _PROJECT}")
        return
    from satc.cli.serve import open_workbench

    open_workbench(str(output / _PROJECT), port=port, browser=browser)


def _check_extras() -> None:
    """Raise an error for a missing extra, before minutes are spent on training."""
    from importlib.util import find_spec

    from satc.datasets.home import find
    from satc.datasets.registry import ENTRIES, SOURCES
    from satc.errors import DataError, MissingExtraError

    try:
        find(SOURCES[ENTRIES[_DATASET].source])
    except DataError:
        raise MissingExtraError("the demo", "demo,plots,workbench") from None
    need_workbench()
    if any(find_spec(name) is None for name in ("altair", "vl_convert")):
        raise MissingExtraError("the report", "plots")


def _check_replaceable(output: Path, ours: set[str]) -> None:
    """Refuse a folder that holds other files than a demo, or decisions of people."""
    from satc.errors import DataError

    if output.exists() and not output.is_dir():
        raise DataError(f"{output} must be a folder, but is a file; --output names another")
    if Path.cwd().is_relative_to(output.resolve()):
        raise DataError(f"{output} must not be the folder you are in: it would be replaced")
    held = {path.name for path in output.iterdir()} if output.exists() else set()
    others = sorted(held - ours - {f"{_PROJECT}-{what}" for what in ("wal", "shm", "lock")})
    if held and _PROJECT not in held:
        others = sorted(held)
    if others:
        raise DataError(
            f"{output} must be a new folder or an earlier demo's, but holds {others[0]!r}; "
            "--output names another"
        )
    if held and (n := _decisions(output / _PROJECT)):
        raise DataError(
            f"{output / _PROJECT} would be replaced, so it must hold no decisions, but holds {n:,} "
            f"decision{'s' * (n > 1)}; name another folder with --output, or remove this one"
        )


def _decisions(project: Path) -> int:
    """Count the decisions in the project of an earlier demo."""
    from satc.workbench.store.events import read_events
    from satc.workbench.store.projects import list_projects

    with open_store_of(str(project), None) as store:
        events = (read_events(store, one.key) for one in list_projects(store))
        return sum(one.labels is not None for some in events for one in some)


def _print_savings(
    simulations: dict[str, Simulation], cases: dict[str, Case], target: float
) -> None:
    from satc.cli.show import print_rows
    from satc.experiments.savings import accuracy_at, savings

    first = next(iter(simulations.values()))
    n, m = first.documents.scores.shape
    typer.echo(
        f"{n:,} documents, {m:,} classes: the classifier alone has macro-F1 "
        f"{accuracy_at(first, 0):.3f}. To reach {accuracy_at(first, target):.3f}, check:"
    )
    print_rows(
        {
            "labels": cases[one.name].labels,
            "order": cases[one.name].order,
            "method": cases[one.name].method,
            "start": simulations[one.name].value[0],
            "documents": one.documents,
            "of all": f"{one.share:.1%}",
        }
        for one in savings(simulations, target)
    )
