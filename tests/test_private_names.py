"""Private names of other libraries: each is on docs/dependencies.md, with a test that guards it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "dependencies.md").read_text(encoding="utf-8")
NAMED_TUPLE = {"_asdict", "_fields", "_make", "_replace"}  # documented, in spite of their names


@cache
def nodes() -> list[ast.AST]:
    """Everything in the package."""
    files = (ROOT / "src" / "satc").rglob("*.py")
    return [n for f in files for n in ast.walk(ast.parse(f.read_text(encoding="utf-8")))]


def is_private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__") and name != "_"


def ours() -> Iterator[str]:
    """Private names that the package defines itself."""
    for node in nodes():
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield node.id if isinstance(node, ast.Name) else node.attr


def foreign() -> set[str]:
    """Private names of other libraries that the package uses."""
    imported = [n for n in nodes() if isinstance(n, ast.ImportFrom | ast.Import)]
    others = [n for n in imported if not (getattr(n, "module", None) or "").startswith("satc")]
    parts = [n.module.split(".") for n in others if isinstance(n, ast.ImportFrom) and n.module]
    parts += [alias.name.split(".") for n in others for alias in n.names]
    used = {n.attr for n in nodes() if isinstance(n, ast.Attribute)} - set(ours())
    names = used | {part for one in parts for part in one}
    return {name for name in names if is_private(name)} - NAMED_TUPLE


@pytest.mark.slow
def test_every_private_name_of_another_library_is_on_the_page():
    found = foreign()
    assert "_predictors" in found
    listed = set(re.findall(r"^\| `(_\w+)` of ", PAGE, re.MULTILINE))
    assert found == listed


def test_the_tests_that_the_page_names_exist():
    written = "".join(path.read_text(encoding="utf-8") for path in ROOT.glob("tests/**/test_*.py"))
    known = set(re.findall(r"^def (test_\w+)", written, re.MULTILINE))
    named = set(re.findall(r"`(test_\w+)`", PAGE))
    assert len(named) > 5
    assert not named - known
