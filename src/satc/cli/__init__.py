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
    backup,
    certify,
    compare,
    configure,
    create,
    datasets,
    demo,
    embed,
    erase,
    export,
    plan,
    plugins,
    rank,
    report,
    reproduce,
    restore,
    score,
    serve,
    shares,
    simulate,
    two_stage,
    users,
    verify,
    webhooks,
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
app.command()(compare.compare)
app.command()(demo.demo)
app.command()(reproduce.reproduce)
app.command()(score.score)
app.command("two-stage")(two_stage.two_stage)
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
app.command()(backup.backup)
app.command()(restore.restore)
app.command()(verify.verify)
app.command()(erase.erase)
app.command()(plugins.plugins)
app.add_typer(users.app, name="users")
app.add_typer(webhooks.app, name="webhooks")
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
    except Exception as error:
        end = _exit_behind(error)
        if end is not None:
            raise end from None
        if not isinstance(error, (SatcError, ValueError, TypeError, OSError, MemoryError)):
            raise
        _report(error)
        sys.exit(1)


def _exit_behind(error: BaseException | None) -> SystemExit | None:
    """Return the SystemExit that led to this error, or None.

    A signal raises SystemExit wherever the program is. Python replaces it by a RuntimeError in the
    body of a class, by a SystemError in compiled code, and by any error that cleaning up raises.
    """
    while error is not None and not isinstance(error, SystemExit):
        error = error.__cause__ or error.__context__
    return error


def _report(error: Exception) -> None:
    """Print an error: on one line, or all rows of a file that cannot be used."""
    from satc.files.faults import BadRowsError  # loads NumPy

    if isinstance(error, BadRowsError):
        say_faults(error)
    else:
        say_error(str(error) or type(error).__name__)
