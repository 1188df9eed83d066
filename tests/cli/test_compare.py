"""`satc compare`: one set, all methods, with intervals."""

import json

import numpy as np
import pytest
from collections_made import reuters_archive, story
from commanding import command as run

from made import make
from satc.experiments.comparison.contenders import all_cases
from texts_made import TOPICS, invented, write_texts

TWO = ("--method", "contextual", "--method", "entropy")
QUICK = ("--seeds", 1, "--resamples", 20)
SCORES = ("--scores", "scores.npy", "--labels", "labels.npy")
TRAINING = ("--oof-scores", "oof.npy", "--train-labels", "train.npy")


@pytest.fixture
def folder(tmp_path):
    made = make(n=80, n_train=300, seed=1)
    arrays = (made.scores, made.y_true, made.oof_scores, made.y_train)
    for name, array in zip(("scores", "labels", "oof", "train"), arrays, strict=True):
        np.save(tmp_path / f"{name}.npy", array)
    return tmp_path


def test_scores_are_compared_and_the_page_the_picture_and_the_figures_are_written(folder):
    done = run("compare", *SCORES, *TRAINING, *QUICK, *TWO, "-o", "out", cwd=folder)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0].split()[:3] == ["method", "labels", "start"]
    assert [line.split()[:2] for line in lines[1:2]] == [["contextual", "measure"]]
    assert len(lines) == 5
    assert " to " in lines[2]
    page = (folder / "out" / "comparison.html").read_text()
    assert "entropy, sign" in page
    assert (folder / "out" / "comparison.svg").read_text().startswith("<svg")
    figures = json.loads((folder / "out" / "comparison.json").read_text())
    assert figures["reference"] == "contextual, measure"
    assert {row["method"] for row in figures["rows"]} == {"contextual", "entropy"}


def test_json_has_all_methods_with_the_intervals_of_all_figures(folder):
    options = ("--decide", "sign", "--target", 0.9, "--xi", 0.1)
    done = run("compare", *SCORES, *TRAINING, *QUICK, *options, "--json", cwd=folder)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    cases = all_cases("multi-label", decides=["sign"])
    assert [row["method"] for row in found["rows"]] == [case.method for case in cases]
    figure = found["rows"][1]["until 0.9"]
    assert figure["difference_low"] <= figure["difference_high"]
    assert set(found["rows"][0]) - {"method", "labels"} == {
        "start",
        "until 0.9",
        "until 90% removed",
        "ENER(0.1)",
    }


def test_labelled_texts_are_divided_anew_for_each_seed(tmp_path):
    write_texts(tmp_path / "labelled.csv", 150, labelled=True)
    options = ("--folds", 3, "--seeds", 2, "--resamples", 20, "--json")
    done = run("compare", "--train", "labelled.csv", *TWO, *options, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert (json.loads(done.stdout)["documents"], json.loads(done.stdout)["seeds"]) == (50, 2)


def test_texts_with_a_second_labelled_file_are_compared_on_it(tmp_path):
    write_texts(tmp_path / "labelled.csv", 90, labelled=True)
    write_texts(tmp_path / "more.csv", 40, seed=1, labelled=True)
    write_texts(tmp_path / "new.csv", 40, seed=1)
    given = ("compare", "--train", "labelled.csv", *TWO, *QUICK, "--folds", 3, "--documents")
    done = run(*given, "more.csv", "--json", cwd=tmp_path)
    assert json.loads(done.stdout)["documents"] == 40
    done = run(*given, "new.csv", cwd=tmp_path)
    assert done.returncode == 1
    assert "new.csv must have the column 'labels' with true labels" in done.stderr


def test_a_dataset_is_compared_with_scores_that_a_second_run_reads(tmp_path):
    texts, labels = invented(150)
    stories = [
        story(
            i,
            "TEST" if i % 3 == 0 else "TRAIN",
            np.array(list(TOPICS))[row],
            f"<BODY>{text}</BODY>",
        )
        for i, (text, row) in enumerate(zip(texts, labels, strict=True))
    ]
    (tmp_path / "reuters21578.tar.gz").write_bytes(reuters_archive(stories))
    given = ("--dataset", "reuters21578", "--data-home", ".", "--cache", "scores", "--jobs", 1)
    done = run("compare", *given, *TWO, *QUICK, "-o", "out", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "note: with --dataset the learner is one of the paper, here svm" in done.stderr
    kept = sorted((tmp_path / "scores").iterdir())
    assert len(kept) == 11
    assert "SVMs" in (tmp_path / "out" / "comparison.html").read_text()
    times = [path.stat().st_mtime_ns for path in kept]
    again = run("compare", *given, *TWO, *QUICK, cwd=tmp_path)
    assert again.stdout == done.stdout
    assert [path.stat().st_mtime_ns for path in kept] == times
    in_parts = ("--dataset", "reuters21578/10", *given[2:])
    parts = run("compare", *in_parts, *TWO, *QUICK, cwd=tmp_path)
    assert parts.stdout == done.stdout
    assert "test documents of reuters21578/10 are compared as one set" in parts.stderr


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        ((), 2, "exactly one of --dataset, --train, --predictions, --scores is needed"),
        ((*SCORES, "--dataset", "r8"), 2, "is needed, but got 2"),
        ((*SCORES,), 2, "training documents are needed: --oof-scores with --train-labels"),
        (("--dataset", "r8", "--labels", "labels.npy"), 2, "--labels needs --scores or"),
        (("--dataset", "reuters"), 1, "dataset must be one of"),
        (("--dataset", "r8", "--learner", "a"), 1, "with --dataset, learner must be one of"),
        ((*SCORES, *TRAINING, "-o", "labels.npy/out"), 2, "must be a directory that can be made"),
        ((*SCORES, *TRAINING, "--method", "best"), 2, "method must be one of"),
        ((*SCORES, *TRAINING, "--resamples", 2), 2, "greater than or equal to 20"),
    ],
)
def test_calls_that_cannot_work_are_refused(folder, arguments, code, message):
    done = run("compare", *arguments, cwd=folder)
    assert done.returncode == code
    assert message in " ".join(done.stderr.replace("│", " ").split())


def test_a_method_that_is_given_twice_has_one_row(folder):
    twice = ("--method", "entropy", "--method", "random", "--method", "entropy")
    once = ("--decide", "sign", "--decide", "sign")
    done = run("compare", *SCORES, *TRAINING, *QUICK, *twice, *once, cwd=folder)
    assert [line.split()[0] for line in done.stdout.splitlines()[1:]] == ["entropy", "random"]
