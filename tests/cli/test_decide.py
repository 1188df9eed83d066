"""`satc create --decide`, and the line that says what choosing would bring."""

import csv
import json

import numpy as np
import pytest
from commanding import command as satc
from projects_made import make, write_files

import satc as library
from satc.cli.decide_hint import hint
from satc.decisions import by_sign, choose, expected_value
from satc.measures import parse
from satc.ranking.documents import RankedDocuments
from satc.ranking.preparation import prepare
from satc.ranking.ranking import ranked


@pytest.fixture(scope="module")
def made():
    return make(n=60, m=5, n_train=500, seed=3)


@pytest.fixture
def options(made, tmp_path):
    files = write_files(made, tmp_path / "in")
    return [f"--{name.replace('_', '-')}={path}" for name, path in files.items()]


def settings_of(project):
    return json.loads(satc("configure", project, "--json").stdout)


def exported(project, folder):
    assert satc("export", project, "-o", folder / "labels.csv").returncode == 0
    return list(csv.DictReader((folder / "labels.csv").read_text().splitlines()))


def test_own_scores_keep_their_signs_and_one_line_says_what_choosing_would_bring(
    made, options, tmp_path
):
    done = satc("create", tmp_path / "a.satc", *options)
    assert done.returncode == 0, done.stderr
    assert settings_of(tmp_path / "a.satc")["decide"] == "sign"
    p = library.rank(made.scores, **made.training, method="contextual-dynamic").probability
    now = expected_value(p, made.scores >= 0, parse("f1"))
    then = choose(p, parse("f1")).expected
    (line,) = [one for one in done.stderr.splitlines() if "--decide measure" in one]
    assert line == (
        f"satc: macro-F1 is about {now:.2f}; choosing labels for it would give about {then:.2f} "
        "before anyone reads a document: --decide measure"
    )


def test_own_scores_may_be_chosen_from(made, options, tmp_path):
    done = satc("create", tmp_path / "a.satc", *options, "--decide=measure")
    assert done.returncode == 0, done.stderr
    assert "--decide" not in done.stderr
    assert settings_of(tmp_path / "a.satc")["decide"] == "measure"
    labels = library.decide(made.scores, **made.training).labels
    rows = exported(tmp_path / "a.satc", tmp_path)
    for i, row in enumerate(rows):
        chosen, signs = (
            "|".join(f"class {j + 1}" for j in np.flatnonzero(given))
            for given in (labels[i], made.scores[i] >= 0)
        )
        assert (row["satc_labels"], row["satc_classifier_labels"]) == (chosen, signs)


def write_texts(path, n, seed, labelled):
    rng = np.random.default_rng(seed)
    with path.open("w") as file:
        for i in range(n):
            names = [name for name in ("wheat", "gold") if rng.random() < 0.4]
            words = [*names, *rng.choice(["price", "market", "said", "bank"], 5)]
            row = {"id": f"x{i}", "text": " ".join(words)} | ({"labels": names} if labelled else {})
            file.write(json.dumps(row) + "\n")
    return path


@pytest.mark.parametrize(("given", "decide"), [([], "measure"), (["--decide=sign"], "sign")])
def test_labels_of_texts_are_chosen_unless_the_signs_are_wanted(tmp_path, given, decide):
    train = write_texts(tmp_path / "train.jsonl", 60, 0, labelled=True)
    documents = write_texts(tmp_path / "docs.jsonl", 20, 1, labelled=False)
    project = tmp_path / "a.satc"
    done = satc("create", project, "--train", train, "--documents", documents, "--folds=3", *given)
    assert done.returncode == 0, done.stderr
    assert "--decide" not in done.stderr
    assert settings_of(project)["decide"] == decide
    rows = exported(project, tmp_path)
    assert ("satc_classifier_labels" in rows[0]) == (decide == "measure")


def test_an_unknown_way_to_decide_is_refused(options, tmp_path):
    done = satc("create", tmp_path / "a.satc", *options, "--decide=vote")
    assert (done.returncode, (tmp_path / "a.satc").exists()) == (2, False)
    message = " ".join(done.stderr.replace("│", " ").split())
    assert "decide must be one of 'sign', 'measure', but is 'vote'" in message


def test_certify_says_that_the_labels_were_fixed(options, tmp_path):
    project = tmp_path / "a.satc"
    assert satc("create", project, *options, "--decide=measure", "--audit=100%").returncode == 0
    finished = tmp_path / "done.jsonl"
    finished.write_text(
        "".join(json.dumps({"id": f"d{i}", "labels": []}) + "\n" for i in range(60))
    )
    assert satc("import", project, finished).returncode == 0
    fixed = "The labels were fixed when the project was made: chosen for macro-F1."
    done = satc("certify", project, "-o", tmp_path / "c.html")
    assert done.returncode == 0, done.stderr
    assert fixed in done.stdout
    assert fixed in (tmp_path / "c.html").read_text()
    assert json.loads((tmp_path / "c.json").read_text())["about"]["labels"] == fixed


@pytest.mark.parametrize("average", ["macro", "micro"])
@pytest.mark.parametrize(("measure", "name"), [("f1", "F1"), ("f2", "F2"), ("kappa", "kappa")])
def test_the_hint_names_the_measure_and_both_values(made, measure, name, average):
    options = {"method": "u-theoretic", "measure": measure, "average": average, **made.training}
    documents = prepare(made.scores, **options)
    decided = library.decide(made.scores, **options)
    p = library.rank(made.scores, **options).probability
    now = expected_value(p, by_sign(made.scores), parse(measure), average)
    assert decided.expected - now >= 0.005
    assert hint(documents).startswith(
        f"{average}-{name} is about {now:.2f}; choosing labels for it would give "
        f"about {decided.expected:.2f} "
    )


def test_the_hint_does_not_rank_again(made, monkeypatch):
    documents = prepare(made.scores, method="u-theoretic", **made.training)
    said = hint(documents)

    def utilities(self):
        raise AssertionError("the documents are ranked")

    monkeypatch.setattr(RankedDocuments, "columns", property(utilities))
    with pytest.raises(AssertionError, match="the documents are ranked"):
        ranked(documents)
    assert hint(documents) == said is not None


def test_there_is_no_hint_where_it_would_say_nothing(made):
    training = made.training
    assert hint(prepare(made.scores, method="u-theoretic", decide="measure", **training)) is None
    assert hint(prepare(made.scores, method="random", **training)) is None
    assert hint(prepare(made.scores, method="baseline", sigma=1.0)) is None
    certain = 40.0 * np.sign(made.scores)  # the signs are right: nothing can be gained
    assert hint(prepare(certain, method="baseline", sigma=1.0, **training)) is None
