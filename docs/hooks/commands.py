"""The command reference, written from the commands themselves when the site is built."""

from __future__ import annotations

import re
from collections.abc import Iterator
from inspect import cleandoc
from typing import Any

import typer
from mkdocs.structure.files import File

from satc.cli import app

PAGE = "commands.md"
INTRODUCTION = """# Commands

`satc` ends with 0 when the work is done, 1 when it cannot be done, and 2 when the call is wrong;
errors are one line on standard error. `satc COMMAND --help` says what this page says.
"""
# What every command has, and what the shell alone needs.
SKIPPED = ("help", "install_completion", "show_completion")


def on_files(files: Any, config: Any) -> Any:
    """Add the page."""
    files.append(File.generated(config, PAGE, content=command_reference()))
    return files


def command_reference() -> str:
    """Return the page: every command with its arguments and options."""
    root, *commands = walk(typer.main.get_command(app), "satc")
    return "\n".join([INTRODUCTION, _parameters(root[1]), *(_section(*one) for one in commands)])


def walk(command: Any, name: str) -> Iterator[tuple[str, Any]]:
    """Give a command and all below it, with the words that call them."""
    yield name, command
    for child, below in sorted(getattr(command, "commands", {}).items()):
        yield from walk(below, f"{name} {child}")


def parameters(command: Any) -> list[Any]:
    """Return the arguments and options that are a command's own."""
    return [one for one in command.params if one.name not in SKIPPED]


def spelling(parameter: Any) -> str:
    """Return how a parameter is written: PROJECT, or -o, --output."""
    if parameter.param_type_name == "argument":
        return (parameter.metavar or parameter.name.upper()).strip("[].")
    return ", ".join([*parameter.opts, *parameter.secondary_opts])


def _section(name: str, command: Any) -> str:
    description, examples = _described(command.help or "")
    level = "#" * (1 + name.count(" "))
    parts = [f"{level} {name}\n", description, *(f"```sh\n{one}\n```\n" for one in examples)]
    return "\n".join([*parts, _parameters(command)])


def _described(text: str) -> tuple[str, list[str]]:
    """Split a help text into what it says and its examples, each on one line."""
    said, examples = [], []
    for paragraph in cleandoc(text).split("\n\n"):
        one = " ".join(paragraph.split())
        if one.startswith("Example: "):
            examples.append(one.removeprefix("Example: "))
        else:
            said.append(_marked(one) + "\n")
    return "\n".join(said), examples


def _parameters(command: Any) -> str:
    own = parameters(command)
    if not own:
        return ""
    rows = [f"| `{spelling(one)}` | {_help(one)} | {_default(one)} |" for one in own]
    return "\n".join(["| option | what it does | default |", "|:--|:--|:--|", *rows, ""])


def _help(parameter: Any) -> str:
    said = _marked(parameter.help or "")
    return said + (f" Also from `${parameter.envvar}`." if parameter.envvar else "")


def _default(parameter: Any) -> str:
    if parameter.required:
        return "needed"
    if isinstance(parameter.show_default, str):
        return _marked(parameter.show_default)
    value = parameter.default
    if value is None or value is False or value in ("", []):
        return ""
    values = value if isinstance(value, list | tuple) else [value]
    return ", ".join(f"`{one}`" for one in values).replace("`True`", "yes")


def _marked(text: str) -> str:
    """Mark what is typed as code: options, quoted words, names with endings."""
    code = re.compile(r"'([^']+)'|(?<![\w`])(--[a-z][a-z-]+)")
    return code.sub(lambda found: f"`{found[1] or found[2]}`", text).replace("|", "\\|")
