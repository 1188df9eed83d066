"""`--opinion`: further opinions from files, beside texts, scores and predictions."""

import csv
import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from commanding import command

import satc
from intents_made import CLASSES, names_of, open_project, requests, write_table

N_TRAIN, N_NEW = 120, 60
IDS, TRAIN_IDS = [f"n{i}" for i in range(N_NEW)], [f"t{i}" for i in range(N_TRAIN)]
TASK = {"task": "single-label", "random_state": 0}

pytestmark = pytest.mark.slow


def scores_of(labels, seed, noise=1.2):
    rng = np.random.default_rng(seed)
    return np.where(labels, 0.7, -0.7) + noise * rng.normal(size=labels.shape)


def wrong(labels, seed, share=0.2):
    """Labels of which some are wrong, as names."""
    rng = np.random.default_rng(seed)
    names = names_of(labels)
    return [str(rng.choice(CLASSES)) if rng.random() < share else one for one in names]


def write_long(path, ids, scores, order=(0, 1, 2), column="score"):
    """Write scores in long form, with the classes in another order."""
    rows = [(one, CLASSES[j], float(scores[i, j])) for i, one in enumerate(ids) for j in order]
    document, name, score = zip(*rows, strict=True)
    pq.write_table(pa.table({"document": document, "class": name, column: score}), path)


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("opinions")
    texts, labels = requests(N_TRAIN, 0)
    write_table(folder / "train.csv", id=TRAIN_IDS, text=texts, label=names_of(labels))
    new, truth = requests(N_NEW, 1)
    write_table(folder / "new.csv", id=IDS, text=new)
    write_table(folder / "truth.csv", id=IDS, label=names_of(truth))
    llm = wrong(truth, 5)
    shuffled = np.random.default_rng(0).permutation(N_NEW)[:50]  # ten documents have no row
    write_table(folder / "llm.csv", id=[IDS[i] for i in shuffled], label=[llm[i] for i in shuffled])
    opinion = np.where(np.array(llm)[:, None] == np.array(CLASSES), 1.0, 0.0)
    opinion[np.setdiff1d(np.arange(N_NEW), shuffled)] = np.nan
    arrays = {
        "scores": scores_of(truth, 2),
        "oof": scores_of(labels, 3),
        "second": scores_of(truth, 4),
        "second_oof": scores_of(labels, 6),
    }
    for name, ids in (("scores", IDS), ("second", IDS), ("oof", TRAIN_IDS)):
        write_long(folder / f"{name}.parquet", ids, arrays[name])
    write_long(folder / "second.parquet", IDS[::-1], arrays["second"][::-1], (2, 0, 1))
    write_long(folder / "second_oof.parquet", TRAIN_IDS, arrays["second_oof"], (1, 2, 0))
    for name, array in arrays.items():
        np.save(folder / f"{name}.npy", array)
    np.save(folder / "labels.npy", labels)
    np.save(folder / "truth.npy", truth)
    return folder, arrays | {"labels": labels, "truth": truth, "llm": opinion}


def run(folder, *arguments):
    return command(*arguments, cwd=folder)


def ranked(folder, *arguments):
    done = run(folder, "rank", *arguments, "-o", "ranked.csv")
    assert done.returncode == 0, done.stderr
    with (folder / "ranked.csv").open(newline="") as file:
        return {row["document"]: float(row["utility"]) for row in csv.DictReader(file)}


def by_id(ranking, ids=IDS):
    return pytest.approx(dict(zip(ids, ranking.utility.tolist(), strict=True)), rel=1e-6)


SCORES = ("--scores", "scores.parquet", "--oof-scores", "oof.parquet", "--train-labels")
MATRICES = ("--scores", "scores.npy", "--oof-scores", "oof.npy", "--train-labels", "labels.npy")
TEXTS = ("--train", "train.csv", "--documents", "new.csv")
PAIR = "--opinion", "second=second.parquet,second_oof.parquet"
LLM = "--opinion", "llm=llm.csv"


def test_beside_scores_rows_and_classes_are_matched_by_name(made):
    folder, known = made
    opinions = {"second": (known["second"], known["second_oof"]), "llm": known["llm"]}
    side = {"oof_scores": known["oof"], "y_train": known["labels"]}
    expected = satc.rank(known["scores"], **side, opinions=opinions, **TASK)
    assert ranked(folder, *SCORES, "train.csv", *PAIR, *LLM) == by_id(expected)
    without = satc.rank(known["scores"], **side, **TASK)
    assert ranked(folder, *SCORES, "train.csv") == by_id(without)
    assert np.abs(expected.utility - without.utility).max() > 1e-3


def test_matrices_without_names_are_matched_in_order(made):
    folder, known = made
    found = ranked(folder, *MATRICES, "--opinion", "second=second.npy,second_oof.npy")
    expected = satc.rank(
        known["scores"],
        oof_scores=known["oof"],
        y_train=known["labels"],
        opinions={"second": (known["second"], known["second_oof"])},
        **TASK,
    )
    assert found == by_id(expected, [str(i) for i in range(N_NEW)])


def test_beside_a_learner_on_texts_labels_need_no_training_side(made):
    from satc.texts.learner_source import LearnerSource
    from satc.texts.wanted_task import WantedTask

    folder, known = made
    found = ranked(folder, *TEXTS, "--folds", 3, *LLM, *PAIR)
    source = LearnerSource(
        folder / "train.csv", folder / "new.csv", folds=3, wanted=WantedTask(None)
    )
    trained = source.prepare(lambda step, done=0: None)
    from satc.texts.unlabelled import read_unlabelled

    block = trained.classify(read_unlabelled(source.documents, source.columns))
    expected = satc.rank(
        block.scores,
        training=trained.training,
        features=block.features,
        opinions={"llm": known["llm"], "second": (known["second"], known["second_oof"])},
        decide="measure",
        **TASK,
    )
    assert found == by_id(expected)


def test_beside_predictions_one_file_may_have_all_documents(made):
    folder, known = made
    both = np.concatenate([known["scores"], known["oof"]])
    write_long(folder / "all.parquet", IDS + TRAIN_IDS, both)
    second = np.concatenate([known["second"], known["second_oof"]])
    write_long(folder / "all_second.parquet", IDS + TRAIN_IDS, second)
    write_table(folder / "gold.csv", id=TRAIN_IDS, true_label=names_of(known["labels"]))
    files = ("--predictions", "all.parquet", "--known", "gold.csv", "--single-label")
    found = ranked(folder, *files, "--opinion", "second=all_second.parquet,all_second.parquet")
    expected = satc.rank(
        known["scores"],
        oof_scores=known["oof"],
        y_train=known["labels"],
        opinions={"second": (known["second"], known["second_oof"])},
        **TASK,
    )
    assert found == by_id(expected)
    files = ("--predictions", "scores.parquet", *SCORES[2:], "train.csv", "--single-label")
    assert ranked(folder, *files, *PAIR) == by_id(expected)


def test_an_opinion_without_known_labels_serves_a_cold_start(made):
    folder, known = made
    files = ("--predictions", "scores.parquet", "--single-label")
    expected = satc.rank(known["scores"], opinions={"llm": known["llm"]}, **TASK)
    assert ranked(folder, *files, *LLM) == by_id(expected)


def test_votes_and_probabilities_are_opinions(made):
    folder, known = made
    voters = {f"vote_{k}": wrong(known["truth"], 10 + k) for k in range(3)}
    voters["vote_2"][:5] = [""] * 5
    write_table(folder / "votes.csv", id=IDS, **voters)
    without = ranked(folder, *SCORES, "train.csv")
    with_votes = ranked(folder, *SCORES, "train.csv", "--opinion", "people=votes.csv")
    assert max(abs(with_votes[one] - without[one]) for one in IDS) > 1e-3
    probability = 1 / (1 + np.exp(-known["second"]))
    of_training = 1 / (1 + np.exp(-known["second_oof"]))
    write_long(folder / "p.parquet", IDS, probability, column="probability")
    write_long(folder / "p_oof.parquet", TRAIN_IDS, of_training, column="probability")
    expected = satc.rank(
        known["scores"],
        oof_scores=known["oof"],
        y_train=known["labels"],
        opinions={"p": (probability, of_training)},
        **TASK,
    )
    found = ranked(folder, *SCORES, "train.csv", "--opinion", "p=p.parquet,p_oof.parquet")
    assert found == by_id(expected)


def test_a_row_without_a_label_is_no_opinion_where_each_document_has_one(made):
    folder, known = made
    labels = ["".join(np.array(CLASSES)[row == 1.0]) for row in known["llm"]]
    write_table(folder / "gaps.csv", id=IDS, label=labels)
    assert labels.count("") == 10
    gaps = ranked(folder, *SCORES, "train.csv", "--opinion", "llm=gaps.csv")
    assert gaps == pytest.approx(ranked(folder, *SCORES, "train.csv", *LLM), rel=1e-9)


def test_simulate_compares_with_and_without(made):
    folder, known = made
    options = ("--method", "contextual", "--decide", "measure", "--json")
    rows = []
    for further in ((), (*PAIR, *LLM)):
        done = run(
            folder, "simulate", *SCORES, "train.csv", "--labels", "truth.csv", *options, *further
        )
        assert done.returncode == 0, done.stderr
        rows += json.loads(done.stdout)
    side = {"oof_scores": known["oof"], "y_train": known["labels"]}
    expected = satc.simulate(
        known["scores"],
        known["truth"],
        **side,
        opinions={"second": (known["second"], known["second_oof"]), "llm": known["llm"]},
        decide="measure",
        **TASK,
    )
    assert rows[1]["start"] == pytest.approx(float(expected.value[0]), abs=1e-6)
    assert rows[1]["start"] > rows[0]["start"] + 0.05
    files = ("--predictions", "scores.parquet", *SCORES[2:], "train.csv", "--single-label")
    done = run(folder, "simulate", *files, "--labels", "truth.csv", *options, *PAIR, *LLM)
    assert json.loads(done.stdout)[0]["start"] == rows[1]["start"]


@pytest.mark.parametrize("given", ["scores", "predictions"])
def test_a_project_keeps_its_opinions(made, given):
    folder, _ = made
    files = SCORES if given == "scores" else ("--predictions", "scores.parquet", *SCORES[2:])
    options = (*files, "train.csv", *PAIR, *LLM, "--decide", "measure", "--single-label")
    done = run(folder, "create", f"{given}.satc", "--documents", "new.csv", *options)
    assert done.returncode == 0, done.stderr
    opened = open_project(folder / f"{given}.satc")
    np.testing.assert_allclose(opened.documents.probability(), opened.probability, atol=1e-6)
    assert list(opened.documents.features.opinions) == ["second", "llm"]
    assert list(opened.documents.model.training.opinions) == ["second"]
    utility = ranked(folder, *options)
    in_project = [utility[one] for one in opened.ids_by_rank]
    np.testing.assert_allclose(in_project, sorted(utility.values(), reverse=True), rtol=1e-6)


@pytest.mark.parametrize(
    ("opinion", "code", "message"),
    [
        ("llm.csv", 2, "as in llm=labels.csv, or other=scores.parquet,oof.parquet"),
        ("=llm.csv", 2, "--opinion must be NAME=FILE"),
        ("x=", 2, "--opinion must be NAME=FILE"),
        ("x=a.csv,b.csv,c.csv", 2, "--opinion must be NAME=FILE"),
        ("x=none.csv", 1, "none.csv"),
        ("x=unknown.csv", 1, "unknown.csv, line 2: 'loan' must be among the classes"),
        ("x=second.npy,short.npy", 1, "must have a row for each of the 120 documents"),
        ("x=short.npy", 1, "must have a row for each of the 60 documents of scores.parquet"),
        ("x=others.csv", 1, "must have ids of scores.parquet, such as 'n0'"),
        ("x=wide.csv", 1, "must have a column for each class, but has none of 'transfer'"),
    ],
)
def test_opinions_that_do_not_fit_are_refused(made, opinion, code, message):
    folder, _ = made
    write_table(folder / "unknown.csv", id=["n0"], label=["loan"])
    write_table(folder / "others.csv", id=["a"], label=["card"])
    write_table(folder / "wide.csv", id=IDS, card=[0.5] * 60, refund=[0.1] * 60, loan=[0.4] * 60)
    np.save(folder / "short.npy", np.ones((7, 3)))
    done = run(folder, "rank", *SCORES, "train.csv", "--opinion", opinion, "-o", "wrong.csv")
    assert done.returncode == code
    said = " ".join(done.stderr.replace("│", " ").split())
    assert message in said
    assert "--opinion" in said
    assert not (folder / "wrong.csv").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((*SCORES, "train.csv", *LLM, *LLM), "two are called 'llm'"),
        ((*SCORES, "train.csv", *LLM, "--engine", "duckdb"), "--opinion needs scores in memory"),
        (("--predictions", "scores.parquet", "--single-label", *PAIR), "but there are none"),
        (
            (*TEXTS, "--learner", "embeddings", "--opinion", "embeddings=llm.csv"),
            "choose another name",
        ),
        (
            (*MATRICES, *LLM),
            "scores.npy does not name its classes",
        ),
    ],
)
def test_options_that_do_not_go_together_are_refused(made, arguments, message):
    done = run(made[0], "rank", *arguments, "-o", "wrong.csv")
    assert done.returncode in (1, 2)
    assert message in " ".join(done.stderr.replace("│", " ").split())
