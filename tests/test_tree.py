"""The tree stays in order: small folders, and no long list of parameters written twice."""

import ast
from collections import Counter
from itertools import combinations
from pathlib import Path

HOME = Path(__file__).parents[1] / "src" / "satc"
MOST_MODULES = 14
MOST_SHARED = 8


def modules():
    """All modules of the package, without migrations."""
    return [path for path in HOME.rglob("*.py") if "migrations" not in path.parts]


def test_no_folder_has_more_than_14_modules():
    count = Counter(path.parent for path in modules() if path.name != "__init__.py")
    del count[HOME / "cli"]  # one file per command
    assert {str(folder): n for folder, n in count.items() if n > MOST_MODULES} == {}


def parameters(node):
    """The names of a function's parameters, or of a class's fields."""
    if isinstance(node, ast.ClassDef):
        fields = (one for one in node.body if isinstance(one, ast.AnnAssign))
        return {one.target.id for one in fields if isinstance(one.target, ast.Name)}
    arguments = node.args
    return {one.arg for one in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)}


def test_no_long_list_of_parameters_is_written_twice():
    found = {}
    for path in modules():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                found[f"{path.relative_to(HOME)}: {node.name}"] = parameters(node) - {"self", "cls"}
    found = {name: names for name, names in found.items() if len(names) > MOST_SHARED}
    assert len(found) > 10
    shared = [
        (first, second)
        for first, second in combinations(found, 2)
        if len(found[first] & found[second]) > MOST_SHARED
    ]
    assert shared == []
