"""What is published holds what it should, installs, and runs with each extra alone."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import numpy as np
import pytest

from closures import EXTRAS, ROOT, closure, link, requirements
from satc import __version__
from satc.files.score_parts import write_block

pytestmark = pytest.mark.slow

BUILD = "import sys; from setuptools import build_meta; build_meta.build_sdist(sys.argv[1])"
USERS = sorted(set(EXTRAS) - {"dev", "docs"})


def call(*command, **more):
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, **more)
    assert done.returncode == 0, done.stderr[-2000:]
    return done


@pytest.fixture(scope="module")
def sdist(tmp_path_factory):
    """The source distribution, built from a copy of the tree with all that lies about in it."""
    tree = tmp_path_factory.mktemp("built") / "tree"
    shutil.copytree(ROOT / "src", tree / "src", ignore=shutil.ignore_patterns("*.egg-info"))
    for name in ("pyproject.toml", "MANIFEST.in", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, tree)
    (tree / "tests").mkdir()
    (tree / "tests" / "test_it.py").touch()
    (tree / "src/satc/ranking/__pycache__").mkdir(exist_ok=True)
    (tree / "src/satc/ranking/__pycache__/kernels.f-1.py311.nbi").touch()
    call(sys.executable, "-c", BUILD, tree.parent, cwd=tree)
    return next(tree.parent.glob("*.tar.gz"))


@pytest.fixture(scope="module")
def wheel(sdist):
    """The wheel, built from the source distribution alone."""
    options = ["--no-deps", "--no-index", "--no-build-isolation", "-w", sdist.parent]
    call(sys.executable, "-m", "pip", "wheel", *options, sdist)
    return next(sdist.parent.glob("*.whl"))


def sources():
    """Every file of the package, as it is in the tree."""
    files = (ROOT / "src" / "satc").rglob("*")
    kept = (f for f in files if f.is_file() and "__pycache__" not in f.parts)
    return {file.relative_to(ROOT / "src").as_posix() for file in kept}


def test_the_wheel_holds_the_package_and_nothing_else(wheel):
    names = set(zipfile.ZipFile(wheel).namelist())
    information = {name for name in names if name.startswith(f"satc-{__version__}.dist-info/")}
    assert names - information == sources()
    assert any(name.endswith("licenses/LICENSE") for name in information)
    for needed in ("py.typed", "datasets/mesh_c14.tsv", "workbench/web/templates/base.html"):
        assert f"satc/{needed}" in names
    assert "satc/workbench/store/migrations/versions/0001_first_tables.py" in names


def test_the_source_distribution_holds_the_package_and_what_builds_it(sdist):
    with tarfile.open(sdist) as archive:
        names = {m.name.partition("/")[2] for m in archive.getmembers() if m.isfile()}
    names = {name for name in names if ".egg-info/" not in name}
    beside = {"pyproject.toml", "MANIFEST.in", "README.md", "LICENSE", "PKG-INFO", "setup.cfg"}
    assert names == beside | {f"src/{name}" for name in sources()}


@pytest.fixture(scope="module")
def installed(wheel):
    """A fresh environment in which pip has installed the wheel; it has no dependencies yet."""
    place = wheel.parent / "environment"
    call(sys.executable, "-m", "venv", "--without-pip", place)
    options = ["--no-deps", "--no-index", "--no-compile"]
    clean = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    call(sys.executable, "-m", "pip", f"--python={place}", "install", *options, wheel, env=clean)
    return place


@pytest.fixture(scope="module")
def given(tmp_path_factory):
    """Tiny files for the commands."""
    folder = tmp_path_factory.mktemp("given")
    rng = np.random.default_rng(0)
    for name, n in (("s", 9), ("o", 30)):
        scores = rng.normal(size=(n, 2))
        np.save(folder / f"{name}.npy", scores)
        write_block(folder / f"{name}.parquet", [f"d{i}" for i in range(n)], ["x", "y"], scores)
    np.save(folder / "t.npy", rng.integers(0, 2, (30, 2)))
    np.save(folder / "l.npy", rng.integers(0, 2, (9, 2)))
    rows = "".join(f"d{i},text {i}\n" for i in range(9))
    (folder / "d.csv").write_text("id,text\n" + rows)
    return folder


SCORES = ["--scores=s.npy", "--oof-scores=o.npy", "--train-labels=t.npy", "--method=u-theoretic"]
STORED = ["--scores=s.parquet", "--oof-scores=o.parquet", "--train-labels=t.npy"]
COMMANDS = {
    "version": ["--version"],
    "rank": ["rank", *SCORES, "-o", "ranked.csv"],
    "simulate": ["simulate", *SCORES, "--labels=l.npy", "--plot=curve.svg"],
    "engine": ["rank", *STORED, "--method=u-theoretic", "--engine=duckdb"],
    "medline": ["datasets", "info", "medline", "--json"],
    "fetch": ["datasets", "fetch", "medline", "--data-home=."],
    "create": ["create", "made.satc", "--documents=d.csv", *SCORES],
    "export": ["export", "made.satc", "-o", "labels.jsonl"],
    "dataset": ["export", "made.satc", "--format=hugging-face", "-o", "dataset"],
    "serve": ["serve", "missing.satc"],
}
# Commands run one after the other in one process, as each would in its own.
SCRIPT = """
import contextlib, io, json, sys
from satc.__main__ import main
found = {}
for name, command in json.loads(sys.argv[1]).items():
    sys.argv = ["satc", *command]
    out, err = io.StringIO(), io.StringIO()
    code = 0
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            main()
        except SystemExit as end:
            code = end.code or 0
        except BaseException as error:
            code = f"{type(error).__name__}: {error}"
    found[name] = [code, out.getvalue(), err.getvalue()]
print(json.dumps(found))
"""


@pytest.fixture(scope="module")
def outcomes(installed, given, tmp_path_factory):
    """What each command says with core dependencies and one extra alone, by the extra."""
    cache = {}

    def run(extra):
        if extra not in cache:
            extras = [extra] if extra else []
            folder = tmp_path_factory.mktemp(extra or "core")
            link(closure(requirements(*extras)).values(), folder / "closure")
            site = next(installed.glob("lib/python*/site-packages"))
            (site / "closure.pth").write_text(f"{folder / 'closure'}\n")
            shutil.copytree(given, folder / "work")
            python = installed / "bin" / "python"
            commands = dict(COMMANDS)
            if extra == "demo":  # all of it would be read
                del commands["fetch"]
            done = call(
                *(python, "-I", "-c", SCRIPT, json.dumps(commands)),
                cwd=folder / "work",
                env={"OMP_NUM_THREADS": "1", "HOME": str(folder), "PATH": ""},
            )
            cache[extra] = json.loads(done.stdout.splitlines()[-1])
        return cache[extra]

    return run


NEEDS = {
    "simulate": ("drawing a curve", "plots"),
    "engine": ("ranking at scale", "scale"),
    "fetch": ("the dataset medline", "demo"),
    "create": ("the workbench", "workbench"),
    "export": ("the workbench", "workbench"),
    "serve": ("the workbench", "workbench"),
}


@pytest.mark.parametrize("extra", [None, *USERS])
def test_the_library_runs_with_each_extra_alone(extra, outcomes):
    found = outcomes(extra)
    assert found["version"][:2] == [0, f"{__version__}\n"]
    assert found["rank"][0] == 0, found["rank"][2]


@pytest.mark.parametrize("extra", [None, *USERS])
def test_a_command_without_its_extra_says_in_one_line_what_to_install(extra, outcomes):
    found = outcomes(extra)
    for name, (purpose, needed) in NEEDS.items():
        if needed != extra:
            code, _, said = found[name]
            wanted = f"satc: {purpose} needs the extra '{needed}': pip install 'satc[{needed}]'\n"
            assert (code, said) == (1, wanted), name


@pytest.mark.parametrize(
    ("extra", "names"),
    [
        ("plots", ["simulate"]),
        ("scale", ["engine"]),
        ("workbench", ["create", "export"]),
    ],
)
def test_a_command_runs_with_its_extra_alone(extra, names, outcomes):
    for name in names:
        code, _, said = outcomes(extra)[name]
        assert code == 0, said


@pytest.mark.data
def test_the_file_of_a_dataset_is_found_with_its_extra_alone(outcomes):
    assert not json.loads(outcomes(None)["medline"][1])["files"]
    (file,) = json.loads(outcomes("demo")["medline"][1])["files"]
    assert file.endswith("pubmed20n0014.xml.gz")


def test_a_dataset_of_hugging_face_is_another_extra(outcomes):
    code, _, said = outcomes("workbench")["dataset"]
    assert code == 1
    assert said.endswith("needs the extra 'exchange': pip install 'satc[exchange]'\n")


def test_pip_finds_every_core_dependency_in_the_closure(installed, outcomes):
    outcomes(None)
    site = next(installed.glob("lib/python*/site-packages"))
    core = Path((site / "closure.pth").read_text().strip()).parent.with_name("core0")
    names = {path.name.partition("-")[0].lower() for path in (core / "closure").glob("*.dist-info")}
    assert {"numpy", "scipy", "scikit_learn", "typer", "pyarrow"} <= names
    assert not names & {"fastapi", "sqlalchemy", "altair", "duckdb", "pandas", "pytest"}
