"""`satc demo`: what ranking saves, on real records, and the workbench on the result."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from satc.cli import options
from satc.cli.project import need_workbench, opened

if TYPE_CHECKING:
    from satc.simulation import Simulation

_DATASET = "medline"
_PROJECT = "demo.satc"
_TITLE = "Cardiovascular Diseases, MEDLINE 1979"
_TARGETS = (0.5, 0.8, 0.9)  # of the report


def demo(
    output: Annotated[
        Path,
        typer.Option("--output", "-o", help="The folder to write; an earlier demo's is replaced."),
    ] = Path("satc-demo"),
    documents: Annotated[
        int | None, typer.Option(help="Rank only so many, and train on fewer too.", min=100)
    ] = None,
    target: Annotated[
        float, typer.Option(help="Which share of the error is to go.", min=0.01, max=1.0)
    ] = 0.8,
    folds: options.Folds = 10,
    seed: options.Seed = 0,
    serve: Annotated[bool, typer.Option(help="Open the workbench in the end.")] = True,
    port: Annotated[int, typer.Option(help="Its port; 0 takes a free one.", min=0, max=65535)] = 0,
    browser: Annotated[bool, typer.Option(help="Open it in a browser.")] = False,
) -> None:
    """Train, cross-validate, rank and simulate on MEDLINE records, and open the workbench.

    A linear SVM learns the headings under Cardiovascular Diseases from records up to 1978, and
    labels those of 1979. How many of these must be checked, in which order, until F1 is good?

    Example: satc demo --no-serve
    """
    _check_extras()
    from satc.cli.show import complain, steps
    from satc.datasets import load
    from satc.files.atomic import atomic_folder
    from satc.workbench.reports import demonstration

    _check_replaceable(output, set(demonstration.FILES))
    with atomic_folder(output) as folder, steps() as progress:
        progress("reading the MEDLINE records", 0, None)
        dataset = load(_DATASET)
        if documents is not None and documents < len(dataset.test):
            dataset = demonstration.some(dataset, documents)
        simulations = demonstration.demonstrate(
            folder,
            dataset,
            progress,
            title=_TITLE,
            targets=sorted({*_TARGETS, target}),
            folds=folds,
            seed=seed,
        )
    _print_savings(simulations, demonstration.METHODS, target)
    for name, holds in demonstration.FILES.items():
        typer.echo(f"{output / name}: {holds}")
    complain("next, with your files: satc rank --train labelled.csv --documents new.csv -o out.csv")
    if not serve:
        complain(f"to check documents: satc serve {output / _PROJECT}")
        return
    from satc.cli.serve import serve as open_workbench

    open_workbench(str(output / _PROJECT), port=port, browser=browser)


def _check_extras() -> None:
    """Say what is missing before minutes are spent."""
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
    """Refuse a folder that holds anything but a demo, or the work of people."""
    from satc.errors import DataError

    if output.exists() and not output.is_dir():
        raise DataError(f"{output} must be a folder, but is a file; --output names another")
    if Path.cwd().is_relative_to(output.resolve()):
        raise DataError(f"{output} must not be the folder you are in: it would be replaced")
    held = {path.name for path in output.iterdir()} if output.exists() else set()
    strange = sorted(held - ours - {f"{_PROJECT}-{what}" for what in ("wal", "shm", "lock")})
    if held and _PROJECT not in held:
        strange = sorted(held)
    if strange:
        raise DataError(
            f"{output} must be a new folder or an earlier demo's, but holds {strange[0]!r}; "
            "--output names another"
        )
    if held and (n := _decisions(output / _PROJECT)):
        raise DataError(
            f"{output / _PROJECT} must hold no work to be replaced, but holds {n:,} "
            f"decision{'s' * (n > 1)}; name another folder with --output, or remove this one"
        )


def _decisions(project: Path) -> int:
    """Count what people decided in an earlier demo."""
    from satc.workbench.store.events import read_events
    from satc.workbench.store.projects import list_projects

    with opened(str(project), None) as store:
        events = (read_events(store, one.key) for one in list_projects(store))
        return sum(one.labels is not None for some in events for one in some)


def _print_savings(
    simulations: dict[str, Simulation], methods: dict[str, str], target: float
) -> None:
    from satc.cli.show import print_rows
    from satc.experiments.savings import accuracy_at, savings

    first = next(iter(simulations.values()))
    n, m = first.setting.scores.shape
    typer.echo(
        f"{n:,} documents, {m:,} classes: the classifier alone has macro-F1 "
        f"{accuracy_at(first, 0):.3f}. To reach {accuracy_at(first, target):.3f}, check:"
    )
    print_rows(
        {
            "order": methods[one.method],
            "method": one.method,
            "documents": one.documents,
            "of all": f"{one.share:.1%}",
            "ENER(.10)": simulations[one.method].ener(0.10),
        }
        for one in savings(simulations, target)
    )
