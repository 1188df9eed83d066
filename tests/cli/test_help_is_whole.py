"""The help of every command shows the whole text of each option."""

from __future__ import annotations

import re

import pytest
import typer
from typer.testing import CliRunner

from satc.cli import app


def walk(command, words=()):
    """Give every command with the words that call it."""
    yield words, command
    for name, child in getattr(command, "commands", {}).items():
        yield from walk(child, (*words, name))


COMMANDS = dict(walk(typer.main.get_command(app)))


def plain(text):
    """Leave out frames and all spaces: lines are folded anywhere."""
    return re.sub(r"[\s│]", "", text)


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_the_help_shows_the_texts_of_all_options(words, monkeypatch):
    monkeypatch.setenv("COLUMNS", "400")  # a wide terminal: no text is beside another one
    shown = plain(CliRunner().invoke(app, [*words, "--help"]).output)
    for option in COMMANDS[words].params:
        assert plain(option.help or "") in shown
        if isinstance(getattr(option, "show_default", None), str):
            assert plain(f"[default: ({option.show_default})]") in shown


def test_texts_in_square_brackets_would_vanish():
    bracketed = typer.Typer()

    @bracketed.command()
    def run(kind: str = typer.Option("a", help="The kind. [default: found]")) -> None:
        """Run."""

    shown = CliRunner().invoke(bracketed, ["--help"], env={"COLUMNS": "400"}).output
    assert "The kind." in shown
    assert "found" not in shown  # so descriptions of defaults belong into show_default
