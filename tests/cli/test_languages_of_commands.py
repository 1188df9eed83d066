"""`--language`, `--analyzer` and `--digits`, and what the commands say about them."""

from __future__ import annotations

import csv
import json

import pytest
from typer.testing import CliRunner

from satc.cli import app

HINDI = {"happy": "मैं आज बहुत खुश हूँ", "sad": "वह कल से बहुत दुखी है"}
CHINESE = {"happy": "今天大家都很开心", "sad": "他昨天非常难过"}
GERMAN = {"happy": "Das ist ein sehr schöner Tag", "sad": "Wir sind traurig über das Haus"}
BOTH = "counted: words and characters (language: "


def write(path, topics, n, labelled):
    with path.open("w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file)
        rows.writerow(["id", "text", "labels"] if labelled else ["id", "text"])
        for i in range(n):
            label = ("happy", "sad")[i % 2]
            rows.writerow([i, f"{topics[label]} {i % 5}", label][: 3 if labelled else 2])


@pytest.fixture
def run(tmp_path):
    def run(topics, command, *options):
        train, new = tmp_path / "train.csv", tmp_path / "new.csv"
        write(train, topics, 60, True)
        write(new, topics, 12, False)
        files = ["--train", str(train), "--documents", str(new), "--folds", "3", "--multi-label"]
        return CliRunner().invoke(app, [command, *files, *map(str, options)])

    return run


@pytest.mark.parametrize(
    ("topics", "options", "said"),
    [
        (
            HINDI,
            [],
            BOTH + "hi; stop words kept); --analyzer words",
        ),
        (CHINESE, [], "counted: characters; --analyzer words is faster"),
        (GERMAN, ["--analyzer", "words"], "counted: words (language: de; stop words kept)\n"),
        (GERMAN, ["--language", "none"], "language not known, so words are not stemmed"),
        (
            GERMAN,
            ["--learner", "svm", "--language", "de"],
            BOTH + "de",
        ),
        (
            GERMAN,
            ["--learner", "mpboost", "--digits"],
            BOTH + "de",
        ),
    ],
)
def test_one_line_says_what_is_counted(run, tmp_path, topics, options, said):
    done = run(topics, "rank", "-o", tmp_path / "ranked.jsonl", *options)
    assert done.exit_code == 0, done.output
    assert said in done.stderr
    lines = (tmp_path / "ranked.jsonl").read_text(encoding="utf-8").splitlines()
    ranked = [json.loads(line) for line in lines]
    assert all(row["predicted"] == [("happy", "sad")[int(row["document"]) % 2]] for row in ranked)


def test_the_presets_of_the_paper_say_nothing_and_stay_as_they_are(run, tmp_path):
    done = run(GERMAN, "rank", "--learner", "svm", "-o", tmp_path / "ranked.csv")
    assert done.exit_code == 0, done.output
    assert "counted" not in done.stderr


def test_create_says_it_and_the_page_marks_the_words(run, tmp_path):
    from satc.workbench.review.open_projects import OpenProjects
    from satc.workbench.store import open_store

    done = run(HINDI, "create", tmp_path / "feelings.satc")
    assert done.exit_code == 0, done.output
    assert "counted: words and characters (language: hi" in done.stderr
    store = open_store(tmp_path / "feelings.satc")
    text = HINDI["happy"]
    found = OpenProjects(store, estimating=False).open("feelings").marks(text, 0)
    assert "खुश" in {text[mark.start : mark.end] for mark in found if mark.weight > 0}
    store.close()


def test_score_says_it(run, tmp_path):
    done = run(CHINESE, "score", "-o", tmp_path / "scores")
    assert done.exit_code == 0, done.output
    assert "counted: characters" in done.stderr


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--language", "xx"], "language must be 'auto', 'none' or one of af, ar"),
        (["--analyzer", "chars"], "analyzer must be one of 'auto', 'words', 'characters', 'both'"),
        (
            ["--learner", "os:path", "--digits"],
            "language, analyzer and digits must be left out",
        ),
    ],
)
def test_wrong_values_are_refused(run, options, message):
    done = run(GERMAN, "rank", *options)
    assert done.exit_code in (1, 2)
    assert message in " ".join(f"{done.output} {done.exception}".replace("│", " ").split())


def test_they_need_texts_to_train_on(tmp_path):
    done = CliRunner().invoke(app, ["rank", "--scores", "s.npy", "--language", "de"])
    assert done.exit_code == 2
    assert "needs --train and --documents" in done.output
