"""`--prior-shift` of `satc rank`, `simulate` and `create`."""

import json

import numpy as np
import pytest
from commanding import command as satc
from projects_made import make, write_files

import satc as library
from satc.workbench.model.settings import Settings
from satc.workbench.model.subset_origin import SubsetOrigin


@pytest.fixture(scope="module")
def made():
    return make(n=80, m=4, n_train=200, seed=5)


@pytest.fixture
def files(made, tmp_path):
    return write_files(made, tmp_path / "in")


def given(files, *names):
    return [f"--{name.replace('_', '-')}={files[name]}" for name in names]


SCORES = ("scores", "oof_scores", "train_labels")


def test_rank_has_the_utilities_of_the_option(made, files):
    done = satc("rank", *given(files, *SCORES), "--prior-shift", "--json")
    assert done.returncode == 0, done.stderr
    printed = sorted(row["utility"] for row in json.loads(done.stdout))
    expected = library.rank(made.scores, **made.training, prior_shift=True).utility
    plain = library.rank(made.scores, **made.training).utility
    assert printed == pytest.approx(sorted(expected))
    assert printed != pytest.approx(sorted(plain))


def test_simulate_starts_with_the_labels_that_the_option_chooses(made, files, tmp_path):
    np.save(tmp_path / "truth.npy", made.y_true.astype(int))
    options = ["--labels", tmp_path / "truth.npy", "--method=contextual", "--decide=measure"]
    done = satc("simulate", *given(files, *SCORES), *options, "--prior-shift", "--json")
    assert done.returncode == 0, done.stderr
    (row,) = json.loads(done.stdout)
    options = {**made.training, "decide": "measure", "prior_shift": True}
    expected = library.simulate(made.scores, made.y_true, **options).value[0]
    assert row["start"] == pytest.approx(expected, abs=1e-6)


def test_a_project_stores_the_setting(files, tmp_path):
    done = satc("create", tmp_path / "a.satc", *given(files, *files), "--prior-shift")
    assert done.returncode == 0, done.stderr
    settings = json.loads(satc("configure", tmp_path / "a.satc", "--json").stdout)
    assert settings["prior_shift"] is True


def test_stored_scores_have_no_such_option(files):
    done = satc("rank", *given(files, *SCORES), "--engine=duckdb", "--prior-shift")
    assert done.returncode == 2
    assert "--prior-shift needs scores in memory: no --engine" in done.stderr
    done = satc("create", "a.satc", *given(files, *files), "--top=3", "--prior-shift")
    assert done.returncode == 2
    assert "--prior-shift needs all documents: leave --top out" in done.stderr


def test_settings_refuse_it_for_a_part_of_a_larger_set():
    origin = SubsetOrigin("documents.csv", "scores.parquet", 10)
    with pytest.raises(ValueError, match="prior_shift must be false if a project holds a part"):
        Settings("Claims", prior_shift=True, stored=origin)
    with pytest.raises(ValueError, match="prior_shift must be True or False, but is 'yes'"):
        Settings("Claims", prior_shift="yes")


@pytest.mark.parametrize(
    ("options", "note"),
    [
        ([], ""),
        (["--method=entropy"], "has no effect on entropy: it corrects"),
        (["--method=random"], "has no effect on random: it corrects"),
        (["--method=random", "--decide=measure"], ""),
    ],
)
def test_rank_says_where_the_option_has_no_effect(files, options, note):
    done = satc("rank", *given(files, *SCORES), *options, "--prior-shift")
    assert done.returncode == 0, done.stderr
    assert note in done.stderr
    assert bool(note) == ("has no effect" in done.stderr)
    if note:
        assert done.stdout == satc("rank", *given(files, *SCORES), *options).stdout


def test_rank_says_that_the_option_needs_training_documents(files):
    done = satc("rank", *given(files, "scores"), "--prior-shift")
    assert done.returncode == 0, done.stderr
    assert "--prior-shift has no effect, because no training documents are known" in done.stderr
    assert done.stdout == satc("rank", *given(files, "scores")).stdout


def test_create_says_where_the_option_has_no_effect(files, tmp_path):
    options = ["--method=u-theoretic", "--prior-shift"]
    done = satc("create", tmp_path / "a.satc", *given(files, *files), *options)
    assert done.returncode == 0, done.stderr
    assert "--prior-shift has no effect on u-theoretic" in done.stderr
