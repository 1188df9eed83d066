"""Commands on labels of which every document has exactly one."""

import csv
import json

import numpy as np
import pyarrow.parquet as pq
import pytest
from commanding import command

import satc as library
from satc.files import read_documents, read_training
from satc.inputs import indicator
from satc.texts.learner_source import LearnerSource
from satc.texts.wanted_task import WantedTask

SAID = "every labelled document has exactly one label, so each document gets exactly one"
WORDS = {"refund | money": "money back", "delivery": "parcel late", "Ärger, groß": "bad rude"}
FILES = ("--train=labelled.csv", "--documents=new.csv", "--folds=3")


def write_rows(path, header, rows):
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([header, *rows])


def invented(n, seed):
    rng = np.random.default_rng(seed)
    every = " ".join(WORDS.values()).split()
    for i in range(n):
        name = list(WORDS)[rng.choice(3, p=[0.5, 0.35, 0.15])]
        words = [*rng.choice(WORDS[name].split(), 2), *rng.choice(every, 3)]
        yield f"d{i}", " ".join(words), name


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("one")
    write_rows(path / "labelled.csv", ["id", "text", "label"], invented(180, 0))
    write_rows(path / "truth.csv", ["id", "text", "label"], invented(60, 1))
    write_rows(path / "new.csv", ["id", "text"], [row[:2] for row in invented(60, 1)])
    return path


def run(folder, *arguments):
    done = command(*arguments, cwd=folder)
    assert done.returncode == 0, done.stderr
    return done


@pytest.fixture(scope="module")
def ranked(folder):
    done = run(folder, "rank", *FILES, "-o", "ranked.csv")
    assert done.stderr.count(SAID) == 1
    with (folder / "ranked.csv").open(newline="") as file:
        return list(csv.DictReader(file))


@pytest.fixture(scope="module")
def ranking(folder):
    source = LearnerSource(
        folder / "labelled.csv", folder / "new.csv", folds=3, wanted=WantedTask(None)
    )
    trained = source.prepare(lambda step, done=0: None)
    return trained.rank(read_documents(folder / "new.csv"), decide="measure"), trained


def test_ranked_documents_have_one_label_and_what_they_could_be_instead(ranked, ranking):
    names = ["rank", "document", "utility", "predicted", "instead", "probability_wrong", "text"]
    assert list(ranked[0]) == names
    found, trained = ranking
    assert found.documents.model.task == "single-label"
    assert [row["document"] for row in ranked] == [f"d{i}" for i in found.order]
    for row, i in zip(ranked, found.order, strict=True):
        p = dict(zip(trained.classes, found.probability[i], strict=True))
        assert row["predicted"] == trained.classes[found.documents.decided[i].argmax()]
        assert float(row["probability_wrong"]) == pytest.approx(
            1 - p.pop(row["predicted"]), abs=1e-4
        )
        assert row["instead"] == max(p, key=p.get)


def test_programs_get_one_string(folder):
    (first,) = json.loads(run(folder, "rank", *FILES, "--top", 1, "--json").stdout)
    assert first["predicted"] in WORDS
    assert first["instead"] in WORDS


def test_a_random_order_has_no_other_class(folder):
    (first,) = json.loads(
        run(folder, "rank", *FILES, "--method=random", "--top", 1, "--json").stdout
    )
    assert isinstance(first["predicted"], str)
    assert "instead" not in first


def test_the_user_can_have_it_otherwise(folder):
    done = run(folder, "rank", *FILES, "--multi-label", "--top", 1, "--json")
    assert SAID not in done.stderr
    assert isinstance(json.loads(done.stdout)[0]["predicted"], list)
    assert SAID not in run(folder, "rank", *FILES, "--single-label", "--top", 1).stderr


@pytest.mark.parametrize(
    ("options", "other"),
    [
        (("--multi-label", "--single-label"), "--single-label"),
        (("--multi-label", "--none-class=x"), "--none-class"),
    ],
)
@pytest.mark.parametrize("name", ["rank", "score", "create"])
def test_options_that_contradict_each_other_are_refused(folder, name, options, other):
    made = {"score": ["-o", "other"], "create": ["other.satc"], "rank": []}[name]
    done = command(name, *made, *FILES, *options, cwd=folder)
    assert done.returncode == 2
    message = " ".join(done.stderr.replace("│", " ").split())
    assert f"--multi-label and {other} must not be given together" in message


@pytest.fixture(scope="module")
def scores(folder, ranked):
    run(folder, "score", *FILES, "-o", "scores", "--oof-output=oof.parquet")
    pq.write_table(pq.read_table(folder / "scores"), folder / "all.parquet")
    return pq.read_table(folder / "scores").to_pandas()


def test_score_gives_the_labels_that_rank_gives(folder, ranked, scores):
    assert (scores.groupby("document").label.sum() == 1).all()
    assert scores.groupby("document").probability.sum().to_numpy() == pytest.approx(1)
    chosen = scores[scores.label].set_index("document")["class"].astype(str)
    assert chosen.to_dict() == {row["document"]: row["predicted"] for row in ranked}


def test_score_by_scores_takes_the_largest(folder):
    run(folder, "score", *FILES, "-o", "signs", "--decide=sign")
    table = pq.read_table(folder / "signs").to_pandas()
    for _, rows in table.groupby("document", observed=True):
        assert rows.label.sum() == 1
        assert rows.score[rows.label].item() == rows.score.max()


OWN = ("--scores=all.parquet", "--oof-scores=oof.parquet", "--train-labels=labelled.csv")


def test_scores_are_ranked_under_exactly_one_label(folder, scores):
    done = run(folder, "rank", *OWN, "--json")
    assert SAID in done.stderr
    table = library.files.read_scores(folder / "all.parquet")
    training = read_training(folder / "oof.parquet", folder / "labelled.csv", table.classes)
    order = np.argsort(table.ids)
    expected = library.rank(table.scores[order], training=training, task="single-label")
    found = [row["document"] for row in json.loads(done.stdout)]
    assert found == [table.ids[order[i]] for i in expected.order]


def test_simulate_has_the_task_of_both_files(folder, scores):
    done = run(folder, "simulate", *OWN, "--labels=truth.csv", "--method=contextual", "--json")
    assert done.stderr.count(SAID) == 1
    table = library.files.read_scores(folder / "all.parquet")
    training = read_training(folder / "oof.parquet", folder / "labelled.csv", table.classes)
    documents = read_documents(folder / "truth.csv")
    known = dict(zip(documents.ids, documents.labels, strict=True))
    truth = indicator([known[one] for one in table.ids], table.classes)
    expected = library.simulate(table.scores, truth, training=training, task="single-label")
    (row,) = json.loads(done.stdout)
    assert row["start"] == round(float(expected.value[0]), 6)
    assert row["until 0.95"] == expected.documents_for(0.95)


def test_simulate_names_rows_of_either_file(folder, scores):
    rows = list(invented(60, 1))
    rows[4] = (*rows[4][:2], "")
    write_rows(folder / "gap.csv", ["id", "text", "label"], rows)
    done = command("simulate", *OWN, "--labels=gap.csv", "--method=baseline", cwd=folder)
    assert done.returncode == 1
    assert "gap.csv, line 6 must have exactly one label, but has none" in done.stderr
    done = command("simulate", *OWN, "--labels=gap.csv", "--multi-label", "--json", cwd=folder)
    assert done.returncode == 0, done.stderr


def settings_of(folder, project):
    done = run(folder, "configure", project)
    return dict(line.strip().split(": ", 1) for line in done.stdout.splitlines() if ": " in line)


@pytest.mark.slow
@pytest.mark.parametrize("source", [FILES, ("--documents=new.csv", *OWN)])
def test_a_project_stores_the_task(folder, scores, source):
    project = f"{len(source)}.satc"
    assert SAID in run(folder, "create", project, *source).stderr
    assert settings_of(folder, project)["task"] == "single-label"
    run(folder, "create", f"several-{project}", *source, "--multi-label")
    assert settings_of(folder, f"several-{project}")["task"] == "multi-label"


def test_labels_of_a_project_go_out_and_come_back(folder):
    run(folder, "create", "trip.satc", *FILES)
    run(folder, "export", "trip.satc", "-o", "trip.csv")
    with (folder / "trip.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert {row["satc_label"] for row in rows} | {row["satc_classifier_label"] for row in rows} <= {
        *WORDS
    }
    done = [{"id": row["id"], "label": "refund | money"} for row in rows[:5]]
    write_rows(folder / "done.csv", ["id", "label"], [one.values() for one in done])
    assert "5 decisions were imported" in run(folder, "import", "trip.satc", "done.csv").stdout
    run(folder, "export", "trip.satc", "-o", "trip.jsonl")
    again = [json.loads(line) for line in (folder / "trip.jsonl").read_text().splitlines()]
    assert [row["satc_label"] for row in again[:5]] == ["refund | money"] * 5
    assert [row["satc_source"] for row in again[:6]] == ["human"] * 5 + ["automatic"]
    (folder / "bad.jsonl").write_text('{"id": "d7", "labels": ["delivery", "Ärger, groß"]}\n')
    refused = command("import", "trip.satc", "bad.jsonl", cwd=folder)
    assert refused.returncode == 1
    assert "bad.jsonl, line 1: labels must be exactly one class" in refused.stderr


@pytest.fixture
def gaps(tmp_path):
    """Labelled documents of which two have no label."""
    rows = list(invented(60, 0))
    for i in (3, 30):
        rows[i] = (*rows[i][:2], "")
    write_rows(tmp_path / "labelled.csv", ["id", "text", "label"], rows)
    write_rows(tmp_path / "new.csv", ["id", "text"], [row[:2] for row in invented(5, 1)])
    return tmp_path


@pytest.mark.parametrize("name", ["rank", "score", "create"])
def test_documents_without_a_label_are_listed_with_the_ways_out(gaps, name):
    made = {"score": ["-o", "scores"], "create": ["a.satc"], "rank": []}[name]
    done = command(name, *made, *FILES, cwd=gaps)
    assert done.returncode == 1
    lines = done.stderr.splitlines()
    for n in (5, 32):
        assert f"satc: labelled.csv, line {n} must have exactly one label, but has none" in lines
    assert "2 rows cannot be used" in lines[-1]
    assert "--none-class NAME" in lines[-1]
    assert "--multi-label" in lines[-1]
    assert {path.name for path in gaps.iterdir()} == {"labelled.csv", "new.csv"}


def test_no_label_can_be_a_class(gaps):
    run(gaps, "create", "a.satc", *FILES, "--none-class", "nothing")
    assert settings_of(gaps, "a.satc")["task"] == "single-label"
    run(gaps, "export", "a.satc", "-o", "a.json")
    done = run(gaps, "rank", *FILES, "--none-class", "nothing", "--json")
    assert {row["predicted"] for row in json.loads(done.stdout)} <= {*WORDS, "nothing"}


def test_two_classes_need_no_ceremony(tmp_path):
    rows = [
        (i, "win money now" if i % 3 else "see you at lunch", "sh"[i % 3 == 0]) for i in range(90)
    ]
    write_rows(tmp_path / "labelled.csv", ["id", "text", "label"], rows)
    write_rows(tmp_path / "new.csv", ["id", "text"], [row[:2] for row in rows[:9]])
    done = run(tmp_path, "rank", *FILES, "--json")
    assert SAID in done.stderr
    found = {row["document"]: (row["predicted"], row["instead"]) for row in json.loads(done.stdout)}
    assert found == {str(i): ("s", "h") if i % 3 else ("h", "s") for i in range(9)}
    run(tmp_path, "create", "spam.satc", *FILES)
    assert settings_of(tmp_path, "spam.satc")["task"] == "single-label"
    run(tmp_path, "score", *FILES, "-o", "scores")
