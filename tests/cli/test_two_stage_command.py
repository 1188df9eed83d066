"""`satc two-stage`: the plan of a review as a file that reviewers fill in."""

import csv
import json

import numpy as np
import pytest
from commanding import command as satc

import satc as library
from satc.files.review.costs import ACTIONS as ROWS
from satc.review_stages.costs import ACTIONS, ERRORS

QUESTIONS = ("responsive", "privileged")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Predictions of 60 documents, and 100 further ones whose labels are known."""
    folder, rng = tmp_path_factory.mktemp("review"), np.random.default_rng(0)
    with (
        (folder / "predicted.csv").open("w") as new,
        (folder / "gold.csv").open("w") as known,
    ):
        new.write("id,text,responsive,privileged\n")
        known.write("id,true_labels,responsive,privileged\n")
        for i in range(160):
            labels = rng.random(2) < (0.5, 0.3)
            numbers = 1 / (1 + np.exp(-rng.normal(np.where(labels, 1.5, -1.5), 1.0)))
            shown = ",".join(f"{p:.4f}" for p in numbers)
            if i < 60:
                new.write(f"d{i},text {i},{shown}\n")
            else:
                names = "|".join(np.array(QUESTIONS)[labels])
                known.write(f"k{i},{names},{shown}\n")
    return folder


def rows_of(path):
    return list(csv.DictReader(path.read_text().splitlines()))


def planned(folder, *options):
    given = ["--predictions", folder / "predicted.csv", "--known", folder / "gold.csv"]
    done = satc("two-stage", *given, *options)
    assert done.returncode == 0, done.stderr
    return done


def test_the_file_is_the_plan_of_the_function(folder, tmp_path):
    done = planned(folder, "-o", tmp_path / "review.csv", "--prices", "2,7")
    rows = rows_of(tmp_path / "review.csv")
    assert len(rows) == 60
    p = {name: [float(row[f"p_{name}"]) for row in rows] for name in QUESTIONS}
    review = library.two_stage(p["responsive"], p["privileged"], prices=(2, 7))
    assert [row["action"] for row in rows] == review.action.tolist()
    readers = np.where(
        review.to_responsiveness, "responsiveness", np.where(review.to_privilege, "privilege", "")
    )
    assert [row["reader"] for row in rows] == readers.tolist()
    assert [float(row["saved"]) for row in rows] == pytest.approx(review.saved)
    assert (np.diff(review.saved) <= 1e-12).all()
    assert f"{review.after.total:,.1f} with this plan" in done.stderr


def test_reviewers_fill_in_the_file_and_the_rest_is_planned(folder, tmp_path):
    first, second = tmp_path / "first.csv", tmp_path / "second.csv"
    planned(folder, "-o", first)
    rows = rows_of(first)
    for row in rows:
        if row["reader"] == "responsiveness":
            row["responsive"] = "yes" if row["id"] < "d3" else "no"
    with first.open("w", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)
    planned(folder, "--answers", first, "-o", second)
    after = {row["id"]: row for row in rows_of(second)}
    read = [row for row in rows if row["reader"] == "responsiveness"]
    assert read
    for row in read:
        assert after[row["id"]]["responsive"] == row["responsive"]
        assert after[row["id"]]["reader"] in ("", "privilege")
        if row["responsive"] == "no":
            assert after[row["id"]]["action"] == "withhold"


def test_the_end_of_a_review_is_said(folder):
    done = planned(folder, "--prices", "1000,1000")
    assert "no further reading saves more than it costs" in done.stderr
    assert "0.0 for reviewers" in done.stderr


def test_costs_come_from_a_table(folder, tmp_path):
    assert ROWS == ACTIONS
    lines = ["action,produce,log,withhold"]
    lines += [f"{name},0,0,0" for name in ("withhold", "log", "produce")]
    (tmp_path / "costs.csv").write_text("\n".join(lines))
    found = json.loads(planned(folder, "--costs", tmp_path / "costs.csv", "--json").stdout)
    assert found["before"] == {"annotation": 0, "misclassification": 0, "total": 0}
    lines[1:] = [
        ",".join([name, *map(str, row)]) for name, row in zip(ACTIONS, ERRORS, strict=True)
    ]
    (tmp_path / "costs.csv").write_text("\n".join(lines))
    same = [
        planned(folder, *options, "--json").stdout
        for options in ([], ["--costs", tmp_path / "costs.csv"])
    ]
    assert same[0] == same[1]


def test_the_screen_shows_the_first_documents(folder):
    done = planned(folder, "--stage-by-stage", "--prior-shift")
    assert "p_responsive" in done.stdout
    assert "and 40 more: -o FILE writes all" in done.stderr
    assert "to be read for responsiveness:" in done.stderr


@pytest.mark.parametrize(
    ("options", "code", "message"),
    [
        (["--responsive", "wheat"], 1, "--responsive must be one of the classes"),
        (["--responsive", "privileged"], 2, "must be two classes"),
        (["--responsive", "text"], 2, "a class must not be called 'text'"),
        (["--prices", "cheap"], 2, "--prices must be two numbers such as 1,5, but is 'cheap'"),
        (["--prices", "1,-5"], 1, "prices must be finite numbers from 0 up"),
        (["--train", "coded.csv"], 2, "either --train and --documents are needed, or"),
    ],
)
def test_wrong_options_are_named(folder, options, code, message):
    given = ["--predictions", folder / "predicted.csv", "--known", folder / "gold.csv"]
    done = satc("two-stage", *given, *options)
    assert done.returncode == code
    assert message in " ".join(done.stderr.split())


@pytest.mark.parametrize(
    ("option", "text", "message"),
    [
        ("answers", "id,responsive\nd1,maybe\n", "'responsive' must be yes, no, 1, 0"),
        ("answers", "id,responsive\nd1,x\n", "'responsive' must be yes, no, 1, 0"),
        ("answers", "id,responsive\nd99,yes\n", "'id' must be the id of a document, but is 'd99'"),
        ("answers", "id,responsive\nd1,yes\nd1,no\n", "ids must differ, but 'd1' comes twice"),
        ("costs", "action,produce\nburn,1\n", "'action' must be each of produce, log, withhold"),
        ("costs", "action,produce,log,withhold\nlog,1,0,a\n", "'withhold' must be a number"),
        ("costs", "action,produce,log,withhold\nlog,1,0,1\n", "a row for the action 'produce'"),
    ],
)
def test_faults_in_files_are_named(folder, tmp_path, option, text, message):
    (tmp_path / "given.csv").write_text(text)
    given = ["--predictions", folder / "predicted.csv", "--known", folder / "gold.csv"]
    done = satc("two-stage", *given, f"--{option}", tmp_path / "given.csv")
    assert done.returncode == 1
    assert message in " ".join(done.stderr.split())


def test_texts_or_predictions_are_needed(folder):
    for options in (["--known", "a.csv"], ["--documents", "a.csv"], []):
        assert satc("two-stage", *options).returncode == 2


@pytest.mark.parametrize(
    ("options", "files", "message"),
    [
        (["--prices=-1,5"], {}, "prices must be finite numbers from 0 up"),
        (["--responsive", "wheat"], {}, "--responsive must be one of the classes"),
        (
            ["--costs", "costs.csv"],
            {"costs.csv": "action,produce,log,withhold\nproduce,9,1,1\nlog,1,0,1\nwithhold,1,1,0"},
            "costs must be 0 on the diagonal",
        ),
        (
            ["--answers", "answers.csv"],
            {"answers.csv": "id,responsive\nother,yes\n"},
            "'id' must be the id of a document, but is 'other'",
        ),
    ],
)
def test_faults_are_found_before_training(tmp_path, options, files, message):
    labels = ["responsive", "privileged", "responsive|privileged", ""]
    rows = [f"t{i},word{i % 4} and more,{labels[i % 4]}\n" for i in range(40)]
    (tmp_path / "train.csv").write_text("id,text,labels\n" + "".join(rows))
    (tmp_path / "new.csv").write_text("id,text\nd1,word1 and more\n")
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    done = satc("two-stage", "--train=train.csv", "--documents=new.csv", *options, cwd=tmp_path)
    assert done.returncode == 1
    assert message in " ".join(done.stderr.split())
    assert "training" not in done.stderr
