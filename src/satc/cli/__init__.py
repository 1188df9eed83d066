"""The command `satc`: one file per command, and the only package that prints.

The exit code is 0 if the work is done, 1 if it cannot be done, and 2 if the call is wrong. An error
is one line on standard error; rows of a file that cannot be used have a line each. A signal ends
the command with 128 plus its number (`__main__.py`).
"""

from __future__ import annotations

import os
import sys
import warnings

import typer

from satc.cli import (
    certify,
    configure,
    create,
    datasets,
    demo,
    embed,
    export,
    plan,
    rank,
    report,
    reproduce,
    score,
    serve,
    shares,
    simulate,
    users,
)
from satc.cli.show import say_error, say_faults, say_warning
from satc.errors import SatcError

app = typer.Typer(
    name="satc",
    help="Semi-automated text classification: check first what raises accuracy fastest.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command()(rank.rank)
app.command()(simulate.simulate)
app.command()(demo.demo)
app.command()(reproduce.reproduce)
app.command()(score.score)
app.command()(embed.embed)
app.command()(create.create)
app.command()(serve.serve)
app.command()(configure.configure)
app.command()(export.export)
app.command()(report.report)
app.command()(plan.plan)
app.command()(certify.certify)
app.command()(shares.shares)
app.command("import")(export.import_)
app.add_typer(users.app, name="users")
app.add_typer(datasets.app, name="datasets")


@app.callback(invoke_without_command=True)
def _root(version: bool = typer.Option(False, "--version", help="Print the version.")) -> None:
    if version:
        from satc import __version__

        typer.echo(__version__)
        raise typer.Exit


def main() -> None:
    """Run the command line."""
    warnings.showwarning = say_warning
    try:
        app()
    except BrokenPipeError:  # the reader of the output has closed it, as `head` does
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
    except (SatcError, ValueError, TypeError, OSError, MemoryError) as error:
        _report(error)
        sys.exit(1)
    except RuntimeError as error:  # Python 3.11 wraps a SystemExit raised inside a class body
        if isinstance(error.__cause__, SystemExit):
            raise error.__cause__ from None
        raise


def _report(error: Exception) -> None:
    """Print an error: on one line, or all rows of a file that cannot be used."""
    from satc.files.faults import BadRowsError  # loads NumPy

    if isinstance(error, BadRowsError):
        say_faults(error)
    else:
        say_error(str(error) or type(error).__name__)
