"""Plugins of the command line: listed, checked, loaded lazily, never in the way of others."""

import json
import os
import subprocess
import sys

import pytest
from packages_made import install
from typer.testing import CliRunner

from satc import measures
from satc.cli import app
from satc.errors import PluginError, PluginWarning
from satc.files import exchange
from satc.learners import presets

GOOD = """
def hits(tp, fp, fn, tn):
    return tp / (tp + fp + fn) if tp + fp + fn else 1.0
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder on the search path."""
    monkeypatch.syspath_prepend(tmp_path)
    yield tmp_path
    for table in (measures.PLUGINS, presets.PLUGINS, exchange.PLUGINS):
        table._loaded.clear()


def run(*arguments):
    return CliRunner().invoke(app, arguments)


def test_plugins_are_listed_and_checked(folder):
    install(folder, "satc-good", {"satc.measures: hits": "satc_good:hits"}, GOOD)
    install(folder, "satc-bad", {"satc.learners: bad": "no_such_module:f"})
    done = run("plugins", "--json")
    assert done.exit_code == 1
    found = {one["name"]: one for one in json.loads(done.stdout)}
    assert found["hits"]["usable"] == "yes"
    assert found["hits"]["problem"] is None
    assert "No module named 'no_such_module'" in found["bad"]["problem"]
    lines = [line for line in done.stderr.splitlines() if "satc-bad" in line]
    assert len(lines) == 1


def test_without_plugins_the_command_says_so():
    done = run("plugins")
    assert done.exit_code == 0
    assert "no installed package offers a plugin" in done.stderr


def test_a_broken_plugin_does_not_break_another_option(folder):
    install(folder, "satc-bad", {"satc.measures: bad": "no_such_module:f"})
    measures.parse("jaccard")
    exchange.format_of("a.csv")
    with pytest.raises(PluginError, match="measure 'bad' of the package 'satc-bad'"):
        measures.parse("bad")


def test_a_name_of_satc_that_a_package_offers_too_is_said(folder):
    install(folder, "satc-evil", {"satc.measures: jaccard": "satc_evil:hits"}, GOOD)
    with pytest.warns(PluginWarning, match="'satc-evil' 0.1 is refused, because satc itself has a"):
        run("simulate", "--measure", "jaccard", "--scores", "no.npy", "--labels", "no.npy")


@pytest.mark.slow
def test_nothing_of_a_package_is_imported_before_its_name_is_used(folder):
    install(
        folder, "satc-loud", {"satc.measures: loud": "satc_loud:hits"}, "print('loaded')" + GOOD
    )
    code = """if True:
        import sys, satc
        heavy = ("numpy", "importlib.metadata", "satc.plugins")
        print([name for name in heavy if name in sys.modules])
        satc.measures.parse("f2")
        print("importlib.metadata" in sys.modules, "satc_loud" in sys.modules)
        satc.measures.names()
        print("satc_loud" in sys.modules)
        print(satc.measures.parse("loud"))
    """
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(folder), *sys.path])}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=environment, check=True
    )
    lines = done.stdout.splitlines()
    assert lines[0] == "[]"
    assert lines[1].endswith("False")
    assert lines[2:] == ["False", "loaded", "loud"]
