"""The site builds without a warning, and nothing that people can name is missing from it."""

import importlib
import os
import pkgutil
import re
import subprocess
import sys
from dataclasses import fields
from html import unescape
from pathlib import Path

import pytest
import typer

import satc
from satc.cli import app
from satc.workbench.model.settings import Settings

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The built site, notebooks included, which are run for it."""
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)]
    environment = os.environ | {"OMP_NUM_THREADS": "1", "NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


@pytest.fixture(scope="module")
def page(site):
    """Read a page: ``page("commands")``."""
    return lambda name: (site / name / "index.html").read_text(encoding="utf-8")


def commands(command, name="satc"):
    yield name, command
    for child, below in getattr(command, "commands", {}).items():
        yield from commands(below, f"{name} {child}")


COMMANDS = dict(commands(typer.main.get_command(app)))


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_and_option_is_in_the_command_reference(name, page):
    section = section_of(name, page("commands"))
    assert COMMANDS[name].help, f"{name} must have a help text, but has none"
    for one in COMMANDS[name].params:
        if one.name in ("help", "install_completion", "show_completion"):
            continue
        assert one.help, f"{name}: {one.name} must have a help text, but has none"
        assert words(one.help) in section, f"{name}: the help of {one.name} must be there"
        written = one.opts if one.param_type_name == "option" else []
        missing = [option for option in written if option not in section]
        assert not missing, f"{name} {missing} must be in the reference, but is not"


def section_of(name, html):
    text = words(unescape(re.sub(r"<[^>]+>", "", html)))
    _, heading, rest = text.rpartition(f" {name}¶" if name != "satc" else "Commands¶")
    assert heading, f"{name} must have a section, but has none"
    return rest.partition("¶")[0]


def words(text):
    """A text without its quotation marks, which the page shows as code."""
    return " ".join(text.replace("'", "").split())


def packages():
    for found in pkgutil.walk_packages(satc.__path__, "satc."):
        if found.ispkg and "migrations" not in found.name:
            yield importlib.import_module(found.name)


def public_names():
    """What packages export, and what the modules of measures and errors define."""
    for module in [satc, *packages()]:
        yield from ((module, name) for name in getattr(module, "__all__", []))
    for module in (satc.measures, importlib.import_module("satc.errors")):
        for name, value in vars(module).items():
            if not name.startswith("_") and getattr(value, "__module__", "") == module.__name__:
                yield module, name


def resolved(name):
    """The object that a dotted name stands for; the name itself where it stands for none."""
    module, _, attribute = name.rpartition(".")
    try:
        return getattr(importlib.import_module(module), attribute)
    except (ImportError, AttributeError):
        return name


def test_every_public_name_is_in_the_python_reference(page):
    text = page("reference")
    named = re.findall(r'id="(satc\.[\w.]+)"', text)
    named += re.findall(r">(satc\.[\w.]+)<", text)
    documented = {id(resolved(name)) for name in named}
    missing = [
        f"{module.__name__}.{name}"
        for module, name in public_names()
        if id(getattr(module, name)) not in documented
    ]
    assert not missing


def test_every_setting_of_a_project_is_documented(page):
    text = page("settings")
    missing = [one.name for one in fields(Settings) if f"<code>{one.name}</code>" not in text]
    assert not missing


def test_every_environment_variable_that_is_read_is_documented(page):
    reading = re.compile(r'(?:environ(?:\.get\(|\[)|getenv\(|envvar=)\s*"(\w+)"')
    source = "".join(path.read_text(encoding="utf-8") for path in ROOT.glob("src/**/*.py"))
    variables = set(reading.findall(source))
    assert {"SATC_DATA", "SATC_DATABASE"} <= variables
    text = page("settings")
    assert not [name for name in variables if f"<code>{name}</code>" not in text]


def test_pages_load_nothing_from_elsewhere(site):
    loading = re.compile(r'<(?:script|img|iframe)[^>]*\ssrc="?http|<link[^>]*stylesheet[^>]*"?http')
    pages = list(site.rglob("*.html"))
    assert len(pages) > 20
    assert not [path for path in pages if loading.search(path.read_text(encoding="utf-8"))]


def test_formulas_are_laid_out_by_the_browser_alone(page):
    text = page("method")
    assert text.count("<math") > 10
    assert "arithmatex" not in text


@pytest.mark.parametrize("name", ["ranking", "one_label", "comparing", "assurance"])
def test_notebooks_are_shown_with_what_they_print(name, page):
    assert "Output" in page(f"notebooks/{name}")
    source = (ROOT / "docs" / "notebooks" / f"{name}.ipynb").read_text(encoding="utf-8")
    assert '"outputs": []' in source
    assert not re.search(r'"outputs": \[\s*\{', source)
