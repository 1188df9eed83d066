"""`satc datasets`: list the datasets, describe them, and fetch them."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from satc.datasets.home import find
from satc.datasets.registry import ENTRIES, SOURCES, Entry
from satc.errors import DataError
from satc.inputs import choice

app = typer.Typer(
    help="List the datasets, show their contents and licences, and fetch them.",
    no_args_is_help=True,
)

Name = Annotated[str, typer.Argument(help="Name of a dataset, as in 'satc datasets list'.")]
DataHome = Annotated[
    Path | None,
    typer.Option(help="Directory of the files, instead of $SATC_DATA or the user's cache."),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]


@app.command("list")
def list_(data_home: DataHome = None, as_json: AsJson = False) -> None:
    """List the datasets, and whether their files are on this machine.

    Example: satc datasets list
    """
    from satc.cli.show import print_rows

    facts = [_facts(entry, data_home) for entry in ENTRIES.values()]
    if as_json:
        typer.echo(json.dumps(facts, indent=2))
        return
    print_rows(
        {
            "name": fact["name"],
            **{key: fact[key] for key in ("train", "test", "classes")},
            "here": "yes" if fact["files"] else "no",
            "what": fact["description"],
        }
        for fact in facts
    )


@app.command()
def info(name: Name, data_home: DataHome = None, as_json: AsJson = False) -> None:
    """Show the contents of a dataset, its origin and its licence.

    Example: satc datasets info reuters21578
    """
    facts = _facts(choice(name, ENTRIES, "name"), data_home)
    if as_json:
        typer.echo(json.dumps(facts, indent=2))
        return
    for key, value in facts.items():
        shown = "\n".join(value) if isinstance(value, list) else value
        shown = f"{shown:,}" if isinstance(shown, int) else shown
        typer.echo(f"{key + ':':13}{str(shown or '-').replace(chr(10), chr(10) + ' ' * 13)}")


@app.command()
def fetch(
    name: Name,
    source: Annotated[
        Path | None, typer.Option("--from", help="An archive that you have, instead of a download.")
    ] = None,
    data_home: DataHome = None,
) -> None:
    """Fetch a dataset, from its public home or from an archive that you have.

    The documents are counted before the files are kept. An interrupted download continues where it
    stopped.

    Example: satc datasets fetch reuters21578 --from ~/Downloads/reuters21578.tar.gz
    """
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    from satc.datasets.fetching import fetch as fetch_files

    entry = choice(name, ENTRIES, "name")
    columns = (TextColumn("{task.description}"), BarColumn(), TimeRemainingColumn())
    console = Console(stderr=True)
    hidden = not console.is_terminal
    with Progress(*columns, console=console, transient=True, disable=hidden) as bar:
        task = bar.add_task("checking", total=None)

        def show(done: int, total: int | None) -> None:
            size = "?" if total is None else f"{total / 1e6:.1f}"
            what = "checking" if done == total else f"{done / 1e6:.1f} of {size} MB"
            bar.update(task, completed=done, total=total, description=what)

        path = fetch_files(name, data_home=data_home, source=source, progress=show)
    typer.echo(f"{name} is in {path}")
    typer.echo(f"Licence: {SOURCES[entry.source].licence}")


def _facts(entry: Entry, data_home: Path | None) -> dict[str, Any]:
    source = SOURCES[entry.source]
    counts = "measured" if entry.verified else "the paper's"
    keys = ("name", "description", "train", "test", "classes", "n_parts")
    facts = {key: value for key, value in asdict(entry).items() if key in keys}
    return facts | {
        "counts": counts,
        "collection": source.title,
        "homepage": source.homepage,
        "urls": list(source.urls),
        "licence": source.licence,
        "files": _files(entry, data_home),
    }


def _files(entry: Entry, data_home: Path | None) -> list[str]:
    try:
        return [str(path) for path in find(SOURCES[entry.source], data_home)]
    except DataError:
        return []
