"""`satc rank` and `satc create` with predictions, known documents and features."""

import csv
import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from commanding import command as run
from scipy import sparse

import satc
from made import make
from satc.learners.text import tfidf_vectorizer
from satc.predictions import from_probabilities

WORDS = ("wheat corn", "corn soy rain", "ship port", "port sea ship", "bank rate")


@pytest.fixture
def folder(tmp_path):
    """400 documents with probabilities; the true labels of the first 300 are known."""
    made = make(100, n_train=300, seed=4)
    odds = np.vstack([made.oof_scores, made.scores])
    p = (1 / (1 + np.exp(-2 * odds))).round(6)
    ids = [f"d{i:03}" for i in range(400)]
    names = [f"c{j}" for j in range(5)]
    rows = [dict(zip(names, map(float, row), strict=True)) for row in p]
    texts = [f"{WORDS[i % 5]} {WORDS[i * 7 % 5]} number" for i in range(400)]
    with open(tmp_path / "wide.csv", "w", newline="") as file:
        table = csv.writer(file)
        table.writerow(["id", *names])
        table.writerows([one, *row] for one, row in zip(ids, p, strict=True))
    with open(tmp_path / "model.jsonl", "w") as file:
        for one, text, row in zip(ids, texts, rows, strict=True):
            file.write(json.dumps({"id": one, "text": text, "probabilities": row}) + "\n")
    with open(tmp_path / "documents.csv", "w", newline="") as file:
        csv.writer(file).writerows([("id", "text"), *zip(ids, texts, strict=True)])
    with open(tmp_path / "gold.jsonl", "w") as file:
        for one, labels in zip(ids, made.y_train, strict=False):
            found = [names[j] for j in np.flatnonzero(labels)]
            file.write(json.dumps({"id": one, "true_labels": found}) + "\n")
    return tmp_path, made, p, ids


def order(done):
    assert done.returncode == 0, done.stderr
    return [row["document"] for row in json.loads(done.stdout)]


def test_rank_gives_the_order_of_the_library(folder):
    path, made, p, ids = folder
    done = run("rank", "--predictions", "wide.csv", "--known", "gold.jsonl", "--json", cwd=path)
    scores = from_probabilities(p)
    found = satc.rank(scores[300:], oof_scores=scores[:300], y_train=made.y_train)
    assert order(done) == [ids[300 + i] for i in found.order]
    assert "wide.csv: probabilities of 5 classes, wide form, 400 documents" in done.stderr
    assert list(json.loads(done.stdout)[0]) == ["rank", "document", "utility", "predicted"]
    predicted = {row["document"]: row["predicted"] for row in json.loads(done.stdout)}
    assert predicted["d300"] == [f"c{j}" for j in np.flatnonzero(p[300] >= 0.5)]


def test_every_form_gives_the_same_order(folder):
    path, _, p, ids = folder
    names = [f"c{j}" for j in range(5)]
    long = {
        "document": np.repeat(ids, 5),
        "class": np.tile(names, 400),
        "logit": np.log(p / (1 - p)).ravel(),
    }
    pq.write_table(pa.table(long), path / "long.parquet")
    known = ("--known", "gold.jsonl", "--json", "--method", "u-theoretic")
    wide = order(run("rank", "--predictions", "wide.csv", *known, cwd=path))
    assert order(run("rank", "--predictions", "long.parquet", *known, cwd=path)) == wide
    assert len(wide) == 100
    assert order(run("rank", "--predictions", "model.jsonl", *known, cwd=path)) == wide


def test_texts_in_the_file_give_features_and_a_table_for_a_spreadsheet(folder):
    path, made, p, ids = folder
    known = ("--known", "gold.jsonl")
    done = run("rank", "--predictions", "model.jsonl", *known, "-o", "ranked.csv", cwd=path)
    assert done.returncode == 0, done.stderr
    with open(path / "ranked.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0])[:6] == [
        "rank",
        "document",
        "utility",
        "predicted",
        "doubtful",
        "probability_wrong",
    ]
    lines = (path / "model.jsonl").read_text().splitlines()
    texts = [json.loads(line)["text"] for line in lines]
    words, scores = tfidf_vectorizer().fit_transform(texts), from_probabilities(p)
    found = satc.rank(
        scores[300:],
        oof_scores=scores[:300],
        y_train=made.y_train,
        features=words[300:],
        train_features=words[:300],
    )
    assert [row["document"] for row in rows] == [ids[300 + i] for i in found.order]
    assert rows[0]["text"] == texts[300 + found.order[0]]


def test_texts_come_from_the_documents_too(folder):
    path, *_ = folder
    inside = run(
        "rank", "--predictions", "model.jsonl", "--known", "gold.jsonl", "--json", cwd=path
    )
    beside = ("--documents", "documents.csv", "--known", "gold.jsonl", "--json")
    assert order(run("rank", "--predictions", "wide.csv", *beside, cwd=path)) == order(inside)


@pytest.mark.parametrize("ending", ["npy", "npz", "parquet", "columns.parquet"])
def test_features_are_read_in_every_format(folder, ending):
    path, made, p, ids = folder
    vectors = np.random.default_rng(0).normal(size=(400, 3)).astype(np.float32)
    shuffled = np.random.default_rng(1).permutation(400)
    names = [ids[i] for i in shuffled]
    if ending == "npy":
        np.save(path / "f.npy", vectors)
    elif ending == "npz":
        sparse.save_npz(path / "f.npz", sparse.csr_matrix(vectors))
    elif ending == "parquet":
        table = {"id": names, "embedding": vectors[shuffled].tolist()}
        pq.write_table(pa.table(table), path / "f.parquet")
    else:
        table = {"id": names} | {f"f{k}": vectors[shuffled, k] for k in range(3)}
        pq.write_table(pa.table(table), path / "f.columns.parquet")
    given = ("--features", f"f.{ending}", "--known", "gold.jsonl", "--json")
    done = run("rank", "--predictions", "wide.csv", *given, cwd=path)
    scores = from_probabilities(p)
    found = satc.rank(
        scores[300:],
        oof_scores=scores[:300],
        y_train=made.y_train,
        features=vectors[300:],
        train_features=vectors[:300],
    )
    assert order(done) == [ids[300 + i] for i in found.order]


def test_scores_take_features_too(folder):
    path, made, *_ = folder
    rng = np.random.default_rng(2)
    own, known = rng.normal(size=(100, 3)), rng.normal(size=(300, 3))
    for name, array in (("s", made.scores), ("o", made.oof_scores), ("y", made.y_train)):
        np.save(path / f"{name}.npy", array)
    np.save(path / "f.npy", own)
    np.save(path / "t.npy", known)
    side = ("--scores", "s.npy", "--oof-scores", "o.npy", "--train-labels", "y.npy", "--json")
    done = run("rank", *side, "--features", "f.npy", "--train-features", "t.npy", cwd=path)
    found = satc.rank(made.scores, **made.training, features=own, train_features=known)
    assert order(done) == found.order.tolist()
    assert order(run("rank", *side, cwd=path)) != found.order.tolist()
    done = run("rank", *side, "--features", "f.npy", cwd=path)
    assert (done.returncode, "--features needs --train-features" in done.stderr) == (2, True)


def test_outputs_of_a_softmax_out_of_fold_have_a_way(tmp_path):
    rng = np.random.default_rng(0)
    y = np.eye(3)[rng.integers(0, 3, 400)]
    logits = 2 * y + rng.normal(size=y.shape)
    p = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    np.save(tmp_path / "p.npy", p[300:])
    np.save(tmp_path / "oof.npy", p[:300])
    np.save(tmp_path / "y.npy", y[:300])
    side = ("--oof-scores", "oof.npy", "--train-labels", "y.npy", "--json")
    refused = run("rank", "--scores", "p.npy", *side, cwd=tmp_path)
    assert refused.returncode == 1
    assert "--predictions p.npy --kind probabilities" in refused.stderr
    done = run("rank", "--predictions", "p.npy", "--kind", "probabilities", *side, cwd=tmp_path)
    found = satc.rank(p[300:], oof_scores=p[:300], y_train=y[:300], task="single-label")
    assert order(done) == found.order.tolist()
    assert "each document gets exactly one" in done.stderr


@pytest.mark.parametrize("command", ["rank", "simulate", "create"])
def test_scores_from_0_to_1_are_refused_by_every_command(folder, command):
    path, made, p, _ = folder
    np.save(path / "p.npy", p[300:])
    np.save(path / "y.npy", made.y_true)
    given = {
        "rank": ("rank", "--scores", "p.npy"),
        "simulate": ("simulate", "--scores", "p.npy", "--labels", "y.npy"),
        "create": ("create", "x.satc", "--documents", "documents.csv", "--scores", "p.npy"),
    }[command]
    done = run(*given, cwd=path)
    assert done.returncode == 1
    assert "p.npy must have scores below 0" in done.stderr
    assert "--predictions p.npy --kind probabilities" in done.stderr
    assert done.stderr.count("\n") <= 2


def test_stored_scores_whose_training_side_is_probabilities_are_refused(folder):
    path, made, p, _ = folder
    np.save(path / "oof.npy", p[:300])
    np.save(path / "y.npy", made.y_train)
    wide = {"document": np.arange(100)} | {f"c{j}": p[300:, j] for j in range(5)}
    pq.write_table(pa.table(wide), path / "stored.parquet")
    side = ("--oof-scores", "oof.npy", "--train-labels", "y.npy", "--engine", "duckdb")
    done = run("rank", "--scores", "stored.parquet", *side, cwd=path)
    assert done.returncode == 1
    assert "--predictions stored.parquet --kind probabilities" in done.stderr
    kind = ("--predictions", "stored.parquet", "--kind", "probabilities")
    assert run("rank", *kind, *side, cwd=path).returncode == 0


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("--predictions", "wide.csv", "--scores", "x.npy"), 2, "either --train and --documents"),
        (("--predictions", "wide.csv", "--learner", "svm"), 2, "--learner needs --train"),
        (("--predictions", "wide.csv", "--engine", "duckdb"), 2, "need --known, or --oof-scores"),
        (("--predictions", "wide.csv", "--absent", "2"), 2, "--absent needs --engine"),
        (("--predictions", "wide.csv", "--master", "yarn"), 2, "--master needs --engine spark"),
        (("--scores", "x.npy", "--kind", "logits"), 2, "--kind needs --predictions"),
        (("--predictions", "wide.csv", "--kind", "probs"), 2, "kind must be one of 'scores'"),
        (("--predictions", "wide.csv", "--threshold", "1.5"), 2, "above 0 and below 1"),
        (("--predictions", "wide.csv", "--threshold", "none.json"), 1, "none.json"),
        (("--predictions", "none.csv"), 1, "none.csv"),
        (("--predictions", "wide.csv", "--known", "documents.csv"), 1, "must have the true labels"),
        (("--predictions", "wide.csv", "--oof-scores", "o.npy"), 2, "must be given together"),
        (("--predictions", "wide.csv", "--train-features", "f.npy"), 1, "needs --features"),
    ],
)
def test_a_wrong_call_is_one_line(folder, arguments, code, message):
    done = run("rank", *arguments, cwd=folder[0])
    assert done.returncode == code
    assert message in " ".join(done.stderr.replace("│", " ").split())


def test_a_threshold_per_class_changes_the_labels(folder):
    path, _, p, _ = folder
    (path / "t.json").write_text('{"c0": 0.9}')
    given = ("--known", "gold.jsonl", "--json", "--threshold", "t.json", "--top", 100)
    done = run("rank", "--predictions", "wide.csv", *given, cwd=path)
    rows = {row["document"]: row["predicted"] for row in json.loads(done.stdout)}
    assert {one for one, names in rows.items() if "c0" in names} == {
        f"d{i}" for i in range(300, 400) if p[i, 0] >= 0.9
    }


def test_simulate_takes_predictions_and_known_documents(folder):
    path, made, p, ids = folder
    with open(path / "truth.jsonl", "w") as file:
        for one, labels in zip(ids[300:], made.y_true, strict=True):
            found = [f"c{j}" for j in np.flatnonzero(labels)]
            file.write(json.dumps({"id": one, "text": "", "labels": found}) + "\n")
    given = ("--predictions", "wide.csv", "--known", "gold.jsonl", "--labels", "truth.jsonl")
    done = run("simulate", *given, "--method", "u-theoretic", "--json", cwd=path)
    assert done.returncode == 0, done.stderr
    scores = from_probabilities(p)
    expected = satc.simulate(
        scores[300:],
        made.y_true,
        oof_scores=scores[:300],
        y_train=made.y_train,
        method="u-theoretic",
    )
    assert json.loads(done.stdout)[0]["ENER(0.1)"] == pytest.approx(expected.ener(0.1), abs=1e-6)
    both = run("simulate", "--scores", "x.npy", *given, cwd=path)
    assert (both.returncode, "must not be given together" in both.stderr) == (2, True)


def test_simulate_finds_that_documents_have_several_labels(tmp_path):
    (tmp_path / "p.csv").write_text("id,label\na,x\nb,y\nc,x\nd,y\n")
    (tmp_path / "t.csv").write_text("id,text,labels\na,,x|y\nb,,y\nc,,x\nd,,\n")
    given = ("--predictions", "p.csv", "--labels", "t.csv", "--method", "random", "--json")
    done = run("simulate", *given, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "each document gets exactly one" not in done.stderr
    refused = run("simulate", *given, "--single-label", cwd=tmp_path)
    assert (refused.returncode, "exactly one label" in refused.stderr) == (1, True)


def test_a_project_needs_documents_that_are_not_known(folder):
    path, *_ = folder
    (path / "few.csv").write_text("id,text\nd000,one\nd001,two\n")
    given = ("--predictions", "wide.csv", "--known", "gold.jsonl", "--documents", "few.csv")
    done = run("create", "p.satc", *given, cwd=path)
    assert done.returncode == 1
    assert "few.csv must have documents to check" in done.stderr
    assert not (path / "p.satc").exists()


def test_a_document_without_a_prediction_is_named(folder):
    path, *_ = folder
    (path / "more.csv").write_text("id,text\nd399,one\nzz,two\n")
    given = ("--predictions", "wide.csv", "--known", "gold.jsonl", "--documents", "more.csv")
    for command in (("create", "p.satc"), ("rank",)):
        done = run(*command, *given, cwd=path)
        assert done.returncode == 1
        assert "wide.csv must have a prediction of 'zz', but has none" in done.stderr


def test_a_project_from_scores_keeps_features(folder):
    from satc.workbench.store import open_store
    from satc.workbench.store.predictions import read_features, read_training
    from satc.workbench.store.projects import get_project

    path, made, *_ = folder
    rng = np.random.default_rng(2)
    own, known = rng.normal(size=(100, 3)), rng.normal(size=(300, 3))
    arrays = {"s": made.scores, "o": made.oof_scores, "y": made.y_train, "f": own, "t": known}
    for name, array in arrays.items():
        np.save(path / f"{name}.npy", array)
    lines = (path / "documents.csv").read_text().splitlines()
    (path / "new.csv").write_text("\n".join(lines[:101]))
    side = ("--scores", "s.npy", "--oof-scores", "o.npy", "--train-labels", "y.npy")
    both = ("--features", "f.npy", "--train-features", "t.npy")
    done = run("create", "p.satc", "--documents", "new.csv", *side, *both, cwd=path)
    assert done.returncode == 0, done.stderr
    store = open_store(path / "p.satc")
    try:
        project = get_project(store, "p")
        np.testing.assert_allclose(read_features(store, project), own, rtol=1e-6)
        np.testing.assert_allclose(read_training(store, project).features, known, rtol=1e-6)
    finally:
        store.close()


def test_a_project_has_the_ranking_of_the_command(folder):
    pytest.importorskip("sqlalchemy")
    from satc.workbench.store import open_store
    from satc.workbench.store.predictions import read_features, read_training
    from satc.workbench.store.projects import get_project

    path, made, *_ = folder
    given = ("--predictions", "wide.csv", "--known", "gold.jsonl", "--documents", "documents.csv")
    done = run("create", "p.satc", *given, "--method", "contextual", cwd=path)
    assert done.returncode == 0, done.stderr
    assert "p.satc: 100 documents are ready" in done.stdout
    assert done.stderr.count("probabilities of 5 classes") == 1
    ranked = order(run("rank", *given, "--json", cwd=path))
    store = open_store(path / "p.satc")
    try:
        project = get_project(store, "p")
        np.testing.assert_array_equal(read_training(store, project).labels, made.y_train)
        assert read_features(store, project).shape[0] == 100
        assert project.settings.decide == "sign"
        assert project.classes == tuple(f"c{j}" for j in range(5))
    finally:
        store.close()
    exported = run("export", "p.satc", "-o", "out.csv", cwd=path)
    assert exported.returncode == 0, exported.stderr
    with open(path / "out.csv", newline="") as file:
        rows = {row["id"]: int(row["satc_rank"]) for row in csv.DictReader(file)}
    assert sorted(rows, key=rows.get) == ranked


def test_simulate_takes_features_with_scores_and_with_predictions(tmp_path):
    rng = np.random.default_rng(0)
    truth = np.eye(3, dtype=bool)[rng.integers(0, 3, 90)]
    features = truth + rng.normal(0, 0.2, truth.shape)
    labels = truth.copy()
    labels[:9] = np.roll(truth[:9], 1, axis=1)
    np.save(tmp_path / "x.npy", features)
    np.save(tmp_path / "y.npy", truth.astype(int))
    np.save(tmp_path / "s.npy", np.where(labels, 1.0, -1.0))
    np.save(tmp_path / "labels.npy", labels.astype(int))
    expected = satc.simulate(
        np.where(labels, 1.0, -1.0), truth, features=features, task="single-label"
    )
    shared = ("--labels", "y.npy", "--single-label", "--json", "--method", "contextual")
    for given in (
        ("--scores", "s.npy"),
        ("--predictions", "labels.npy", "--kind", "labels"),
    ):
        done = run("simulate", *given, *shared, "--features", "x.npy", cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        row = json.loads(done.stdout)[0]
        assert row["ENER(0.1)"] == pytest.approx(expected.ener(0.1), abs=1e-6)
        plain = run("simulate", *given, *shared, cwd=tmp_path)
        assert json.loads(plain.stdout)[0]["ENER(0.1)"] < row["ENER(0.1)"]
