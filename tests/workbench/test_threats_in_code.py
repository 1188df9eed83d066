"""What the code must not hold, so that hostile data finds no way to run or to stall it."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

from satc.texts.learner_names import learner_names

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "satc"


@cache
def trees():
    """Every file of the package, and what it says."""
    files = sorted(PACKAGE.rglob("*.py"))
    return [(path, ast.parse(path.read_text(encoding="utf-8"))) for path in files]


def test_nothing_that_runs_code_from_data_is_imported_or_called():
    forbidden = {"pickle", "cPickle", "dill", "marshal", "shelve", "yaml", "cloudpickle"}
    for path, tree in trees():
        for node in ast.walk(tree):
            if isinstance(node, ast.Import | ast.ImportFrom):
                names = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
                names += [alias.name for alias in node.names]
                assert not forbidden & {name.split(".")[0] for name in names}, path
            if isinstance(node, ast.Call):
                called = ast.unparse(node.func)
                assert called not in ("eval", "exec", "joblib.load", "os.system"), path
                assert not any(k.arg == "shell" for k in node.keywords), path
                for keyword in node.keywords:
                    if keyword.arg == "allow_pickle":
                        assert ast.unparse(keyword.value) == "False", path


def test_only_the_command_line_loads_a_learner_by_its_module():
    users = [path for path, _ in trees() if "load_learner(" in path.read_text(encoding="utf-8")]
    assert [path.name for path in users] == ["learner.py"]
    api = "".join(p.read_text() for p in (PACKAGE / "workbench" / "web" / "api").rglob("*.py"))
    assert "if self.learner not in (names := learner_names())" in api
    assert not [name for name in learner_names() if ":" in name]


def patterns():
    for path, tree in trees():
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and ast.unparse(node.func).startswith("re."):
                first = node.args[0] if node.args else None
                if isinstance(first, ast.Constant) and isinstance(first.value, str):
                    yield path.name, first.value


def test_no_pattern_repeats_what_repeats():
    found = list(patterns())
    assert len(found) > 10
    for name, pattern in found:
        assert not _nested(re._parser.parse(pattern), False), (name, pattern)


def _nested(parsed, inside):
    """Whether something without bound stands in something without bound: slow on hostile texts."""
    for kind, value in parsed:
        unbound = str(kind) == "MAX_REPEAT" and value[1] == re._constants.MAXREPEAT
        if unbound and inside:
            return True
        parts = value if isinstance(value, tuple | list) else ()
        for part in parts:
            inner = part if isinstance(part, list) else [part]
            for one in inner:
                if isinstance(one, re._parser.SubPattern) and _nested(one, inside or unbound):
                    return True
    return False
