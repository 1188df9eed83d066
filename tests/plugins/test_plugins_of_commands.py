"""Plugins of the command line: listed, checked, loaded lazily, never in the way of others."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest
from commanding import command
from packages_made import install
from typer.testing import CliRunner

from made import make
from satc import measures
from satc.cli import app
from satc.errors import PluginError, PluginWarning
from satc.files import exchange
from satc.learners import presets
from satc.ranking import methods
from texts_made import write_texts

GOOD = """
def hits(tp, fp, fn, tn):
    return tp / (tp + fp + fn) if tp + fp + fn else 1.0
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder on the search path."""
    monkeypatch.syspath_prepend(tmp_path)
    yield tmp_path
    for table in (measures.PLUGINS, presets.PLUGINS, exchange.PLUGINS, methods.PLUGINS):
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


FAILING = """
import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin


class Failing(ClassifierMixin, BaseEstimator):
    def __init__(self, fails="fit"):
        self.fails = fails

    def fit(self, X, y):
        if self.fails == "fit":
            raise RuntimeError("no\\nmemory on the device")
        self.classes_ = np.unique(y)
        return self

    def decision_function(self, X):
        if len(X) != 40:  # the documents that are to be labelled
            return np.arange(len(X)) % 3 - 1.0
        raise RuntimeError("no model")


def in_fit():
    return Failing()


def in_use():
    return Failing("use")


def small_only(predicted):
    if len(predicted.decided) > 3:
        raise RuntimeError("too many documents")
    return predicted.wrong.sum(axis=1)
"""


@pytest.mark.parametrize(
    ("name", "error"),
    [("in-fit", "RuntimeError: no memory on the device"), ("in-use", "RuntimeError: no model")],
)
def test_a_learner_that_fails_at_work_is_one_line(folder, name, error):
    entries = {f"satc.learners: {name}": f"satc_failing:{name.replace('-', '_')}"}
    install(folder, "satc-failing", entries, FAILING)
    sys.modules.pop("satc_failing", None)
    write_texts(folder / "train.csv", 90, labelled=True)
    write_texts(folder / "new.csv", 40, seed=1)
    files = ("--train", "train.csv", "--documents", "new.csv")
    done = command("rank", *files, "--learner", name, "--folds", 2, cwd=folder)
    assert done.returncode == 1
    said = f"satc: learner '{name}' of the package 'satc-failing' 0.1 failed: {error}"
    assert done.stderr.splitlines()[-1] == said
    assert "Traceback" not in done.stderr


def test_compare_leaves_out_the_row_of_a_plugin_that_fails(folder):
    install(folder, "satc-failing", {"satc.methods: small": "satc_failing:small_only"}, FAILING)
    sys.modules.pop("satc_failing", None)
    made = make(n=60, n_train=200, seed=1)
    arrays = (made.scores, made.y_true, made.oof_scores, made.y_train)
    given = ["compare", "--seeds", 2, "--resamples", 20]
    options = ("--scores", "--labels", "--oof-scores", "--train-labels")
    for option, array in zip(options, arrays, strict=True):
        np.save(folder / f"{option[2:]}.npy", array)
        given += [option, f"{option[2:]}.npy"]
    done = command(*given, cwd=folder)
    assert done.returncode == 0, done.stderr
    rows = [line.split()[0] for line in done.stdout.splitlines()[1:]]
    assert "contextual" in rows
    assert "small" not in rows
    notes = [line for line in done.stderr.splitlines() if "small" in line]
    assert len(notes) == 1
    assert "a row is left out: method 'small' of the package 'satc-failing' 0.1 failed" in notes[0]
    named = command(*given, "--method", "small", cwd=folder)
    assert named.returncode == 1
    assert "failed: RuntimeError: too many documents" in named.stderr
