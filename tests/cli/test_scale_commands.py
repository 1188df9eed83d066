import csv
import json
from contextlib import closing

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from commanding import command as run
from commanding import refused
from scipy import sparse

import satc
from made import make
from satc.workbench.review.desk import open_desk
from satc.workbench.store import arrays, open_store
from satc.workbench.store.projects import get_project
from texts_made import TOPICS, write_texts


def _long(scores, prefix="d"):
    n, m = scores.shape
    return pa.table(
        {
            "document": np.repeat([f"{prefix}{i:03d}" for i in range(n)], m),
            "class": np.tile([f"class {j}" for j in range(m)], n),
            "score": scores.ravel(),
        }
    )


@pytest.fixture
def files(tmp_path):
    made = make(seed=1, tied=True)
    table = _long(made.scores)
    (tmp_path / "scores").mkdir()
    pq.write_table(table[:100], tmp_path / "scores" / "a.parquet")
    pq.write_table(table[100:], tmp_path / "scores" / "b.parquet")
    pq.write_table(table, tmp_path / "all.parquet")
    pq.write_table(_long(made.oof_scores, "t"), tmp_path / "oof.parquet")
    np.savez(tmp_path / "train.npz", labels=made.y_train)
    return tmp_path


TRAINING = ("--oof-scores", "oof.parquet", "--train-labels", "train.npz")
RANK = ("rank", *TRAINING, "--method", "u-theoretic")


def _rows(path):
    return list(csv.DictReader(path.read_text().splitlines()))


def test_stored_scores_are_ranked_as_in_memory(files):
    here = run(*RANK, "--scores", "all.parquet", "--top", 9, "-o", "m.csv", cwd=files)
    there = run(*RANK, "--scores", "scores/*.parquet", "--top", 9, "-o", "s.csv", cwd=files)
    assert (here.returncode, there.returncode) == (0, 0), here.stderr + there.stderr
    ours, theirs = _rows(files / "m.csv"), _rows(files / "s.csv")
    assert [row["document"] for row in ours] == [row["document"] for row in theirs]
    for one, other in zip(ours, theirs, strict=True):
        assert float(one["utility"]) == pytest.approx(float(other["utility"]), rel=1e-9)


def test_stored_scores_are_a_single_label_task_if_the_training_labels_are(files):
    made = make(seed=1, tied=True)
    labels = np.eye(5, dtype=bool)[made.oof_scores.argmax(axis=1)]
    np.savez(files / "train.npz", labels=labels)
    done = run(*RANK, "--scores", "scores/*.parquet", "--top", 60, "-o", "s.csv", cwd=files)
    assert done.returncode == 0, done.stderr
    utility = {row["document"]: float(row["utility"]) for row in _rows(files / "s.csv")}
    training = {"oof_scores": made.oof_scores, "y_train": labels, "method": "u-theoretic"}
    single, multi = (
        satc.rank(made.scores, task=task, **training).utility
        for task in ("single-label", "multi-label")
    )
    np.testing.assert_allclose([utility[d] for d in sorted(utility)], single, rtol=1e-9)
    assert not np.allclose(single, multi, rtol=0.1)


def test_the_whole_order_of_stored_scores_is_written(files):
    done = run(*RANK, "--scores", "scores", "--engine", "duckdb", "-o", "s.parquet", cwd=files)
    assert done.returncode == 0, done.stderr
    table = pq.read_table(files / "s.parquet")
    assert table["rank"].to_pylist() == list(range(1, 61))
    assert len(set(table["document"].to_pylist())) == 60


@pytest.mark.parametrize("method", ["u-theoretic", "contextual"])
def test_stored_scores_are_ranked_with_chosen_labels_as_in_memory(files, method):
    made = make(seed=1, tied=True)
    shifted = made._replace(scores=made.scores - 0.3, oof_scores=made.oof_scores - 0.3)
    pq.write_table(_long(shifted.scores), files / "all.parquet")
    pq.write_table(_long(shifted.oof_scores, "t"), files / "oof.parquet")
    rank = ("rank", *TRAINING, "--method", method, "--scores", "all.parquet", "--top", 60)
    chosen = ("--decide", "measure", "-o")
    here = run(*rank, *chosen, "m.csv", cwd=files)
    there = run(*rank, "--engine", "duckdb", *chosen, "s.csv", cwd=files)
    signs = run(*rank, "--engine", "duckdb", "-o", "signs.csv", cwd=files)
    for done in (here, there, signs):
        assert done.returncode == 0, done.stderr
    ours, theirs, other = (
        {row["document"]: float(row["utility"]) for row in _rows(files / name)}
        for name in ("m.csv", "s.csv", "signs.csv")
    )
    assert theirs == pytest.approx(ours, rel=1e-9)
    assert theirs != pytest.approx(other, rel=1e-2)


def test_the_top_of_stored_scores_is_shown(files):
    done = run(*RANK, "--scores", "scores/*.parquet", cwd=files)
    assert done.returncode == 0
    assert "and 40 more" in done.stderr


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda t: t.drop_columns(["score"]), "but lack score"),
        (lambda t: t.set_column(2, "score", pa.array([float("nan")] * len(t))), "must be finite"),
        (lambda t: t.set_column(1, "class", pa.array(["odd"] * len(t))), "'odd' has no gains"),
    ],
)
@pytest.mark.parametrize("whole", [True, False])
def test_what_cannot_be_ranked_is_one_line_and_no_output(files, change, message, whole):
    pq.write_table(change(_long(make(seed=1).scores)), files / "bad.parquet")
    top = () if whole else ("--top", 5)
    done = run(
        *RANK, "--scores", "bad.parquet", "--engine", "duckdb", *top, "-o", "s.parquet", cwd=files
    )
    refused(done, message)
    assert not list(files.glob("*s.parquet*"))


def test_scores_that_are_not_there_are_one_line(files):
    refused(run(*RANK, "--scores", "no/*.parquet", cwd=files), "no/*.parquet cannot be read")


def test_a_master_that_does_not_answer_is_one_line(files):
    master = ("--engine", "spark", "--master", "spark://127.0.0.1:9")
    done = run(*RANK, "--scores", "scores/*.parquet", *master, cwd=files)
    refused(done, "the master spark://127.0.0.1:9 cannot be reached")


def test_a_java_that_is_missing_is_one_line(files):
    spark = ("--engine", "spark", "--master", "local[1]")
    done = run(*RANK, "--scores", "scores/*.parquet", *spark, cwd=files, JAVA_HOME=str(files))
    refused(done, "spark needs Java 17 or later")


def test_scores_of_the_training_side_must_name_their_classes(files):
    np.save(files / "oof.npy", make(seed=1).oof_scores)
    training = ("--oof-scores", "oof.npy", "--train-labels", "train.npz")
    done = run("rank", *training, "--scores", "scores/*.parquet", cwd=files)
    refused(done, "oof.npy must name its classes")


def _texts(path, n, *, labelled):
    rng = np.random.default_rng(0)
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["id", "text", "labels"] if labelled else ["id", "text"])
        for i in range(n):
            topic = rng.choice(["wheat", "oil"])
            row = [f"d{i:03d}", f"{topic} prices {rng.choice(['rise', 'fall', topic])}"]
            writer.writerow([*row, topic] if labelled else row)


def test_documents_are_scored_in_blocks_ranked_and_the_top_becomes_a_project(tmp_path):
    _texts(tmp_path / "train.csv", 60, labelled=True)
    _texts(tmp_path / "new.csv", 40, labelled=False)
    done = run(
        *("score", "--train", "train.csv", "--documents", "new.csv", "-o", "scores"),
        *("--oof-output", "oof.parquet", "--folds", 3),
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stderr
    stored = pq.read_table(tmp_path / "scores")
    assert stored.num_rows == 40 * 2
    stored_side = (
        *("--scores", "scores/*.parquet", "--oof-scores", "oof.parquet"),
        *("--train-labels", "train.csv"),
    )
    ranked = run("rank", *stored_side, "--top", 10, "-o", "top.csv", cwd=tmp_path)
    assert ranked.returncode == 0, ranked.stderr
    created = run(
        *("create", "p.satc", "--documents", "new.csv", *stored_side, "--top", 10),
        *("--method", "contextual"),
        cwd=tmp_path,
    )
    assert created.returncode == 0, created.stderr
    assert "10 documents are ready" in created.stdout
    exported = run("export", "p.satc", "-o", "out.csv", cwd=tmp_path)
    assert exported.returncode == 0, exported.stderr
    chosen = {row["document"] for row in _rows(tmp_path / "top.csv")}
    assert {row["id"] for row in _rows(tmp_path / "out.csv")} == chosen
    store = open_store(tmp_path / "p.satc")
    assert open_desk(store).validation.n_documents == 10
    store.close()


def test_scores_are_not_written_where_something_is(tmp_path):
    _texts(tmp_path / "train.csv", 20, labelled=True)
    (tmp_path / "scores").mkdir()
    done = run(
        *("score", "--train", "train.csv", "--documents", "train.csv", "-o", "scores"), cwd=tmp_path
    )
    refused(done, "scores must be a new directory")


def test_a_document_that_cannot_be_scored_leaves_nothing_behind(tmp_path):
    _texts(tmp_path / "train.csv", 30, labelled=True)
    (tmp_path / "new.csv").write_text("id,text\na,wheat\na,oil\n")
    done = run(
        *("score", "--train", "train.csv", "--documents", "new.csv", "-o", "scores"), cwd=tmp_path
    )
    assert done.returncode == 1
    assert "must differ from all others" in done.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["new.csv", "train.csv"]


def test_classes_in_another_order_change_nothing(files):
    made = make(seed=1, tied=True)
    order = [3, 0, 4, 2, 1]
    names = np.array([f"class {j}" for j in order])
    table = _long(made.oof_scores[:, order], "t")
    shuffled = table.set_column(1, "class", pa.array(np.tile(names, len(made.oof_scores))))
    pq.write_table(shuffled, files / "shuffled.parquet")
    np.save(files / "shuffled.npy", made.y_train[:, order])
    _documents(files / "new.csv", len(made.scores))
    training = ("--oof-scores", "shuffled.parquet", "--train-labels", "shuffled.npy")
    orders, probabilities = [], []
    for k, side in enumerate((TRAINING, training)):
        ranked = run("rank", *side, "--scores", "all.parquet", "-o", f"{k}.csv", cwd=files)
        assert ranked.returncode == 0, ranked.stderr
        orders.append([row["document"] for row in _rows(files / f"{k}.csv")])
        arguments = ("create", f"{k}.satc", "--documents", "new.csv", *side)
        created = run(*arguments, "--scores", "all.parquet", cwd=files)
        assert created.returncode == 0, created.stderr
        with closing(open_store(files / f"{k}.satc")) as store:
            key = get_project(store).key
            probabilities.append(arrays.get_dense(store, key, "probability"))
    assert orders[0] == orders[1]
    np.testing.assert_allclose(*probabilities, rtol=1e-6)


def _documents(path, n, header="id,text"):
    rows = [f"d{i:03d},text {i}\n" for i in range(n)]
    path.write_text(f"{header}\n" + "".join(rows))


def test_an_address_arrives_as_it_was_given(files):
    address = "hdfs://127.0.0.1:9/b/*.parquet"
    ranked = run(*RANK, "--scores", address, cwd=files)
    refused(ranked, f"{address} cannot be read")
    _documents(files / "new.csv", 3)
    created = run(
        *("create", "p.satc", "--documents", "new.csv", *TRAINING, "--scores", address),
        *("--top", 2, "--method", "u-theoretic"),
        cwd=files,
    )
    assert f"{address} cannot be read" in created.stderr


def test_labels_of_documents_have_the_users_columns(files):
    labels = make(seed=1, tied=True).y_train
    rows = [
        f"t{i:03d},-,{';'.join(f'class {j}' for j in np.flatnonzero(row))}\n"
        for i, row in enumerate(labels)
    ]
    (files / "codes.csv").write_text("key,said,codes\n" + "".join(rows))
    _documents(files / "new.csv", 60, header="key,said")
    names = ("--id-column", "key", "--text-column", "said", "--labels-column", "codes")
    side = ("--oof-scores", "oof.parquet", "--train-labels", "codes.csv", *names, "--separator=;")
    plain = ("--method", "u-theoretic")
    create = ("create", "--documents", "new.csv", *side, *plain)
    for arguments in (
        ("rank", *side, *plain, "--scores", "all.parquet"),
        ("rank", *side, *plain, "--scores", "scores"),
        (*create, "a.satc", "--scores", "all.parquet"),
        (*create, "b.satc", "--scores", "scores", "--top", 5),
    ):
        done = run(*arguments, cwd=files)
        assert done.returncode == 0, done.stderr


def test_ids_that_are_numbers_go_by_their_size(files):
    table = pa.table({"document": [10, 9, 8], "class": ["class 0"] * 3, "score": [-0.5] * 3})
    pq.write_table(table, files / "numbers.parquet")
    oof = pa.table({"document": ["a", "b"], "class": ["class 0"] * 2, "score": [1.0, -1.0]})
    pq.write_table(oof, files / "one.parquet")
    np.save(files / "one.npy", np.array([[1], [0]]))
    side = ("--oof-scores", "one.parquet", "--train-labels", "one.npy", "--method", "u-theoretic")
    for engine in ((), ("--engine", "duckdb")):
        done = run("rank", *side, "--scores", "numbers.parquet", "--json", *engine, cwd=files)
        assert [row["document"] for row in json.loads(done.stdout)] == [8, 9, 10], done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("average", ["macro", "micro"])
def test_score_writes_the_labels_that_rank_chooses(tmp_path, average):
    write_texts(tmp_path / "train.csv", 300, labelled=True)
    write_texts(tmp_path / "new.csv", 120, seed=1)
    texts = ("--train", "train.csv", "--documents", "new.csv", "--average", average)
    done = run("score", *texts, "-o", "scores", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    rows = pq.read_table(tmp_path / "scores").to_pylist()
    assert list(rows[0]) == ["document", "class", "score", "probability", "label"]
    scored = {row["document"]: set() for row in rows}
    for row in rows:
        if row["label"]:
            scored[row["document"]].add(row["class"])
    run("rank", *texts, "-o", "ranked.jsonl", cwd=tmp_path)
    lines = (tmp_path / "ranked.jsonl").read_text().splitlines()
    ranked = {row["document"]: set(row["predicted"]) for row in map(json.loads, lines)}
    assert scored == ranked
    for name in TOPICS:
        given, not_given = (
            [row["probability"] for row in rows if row["class"] == name and row["label"] is label]
            for label in (True, False)
        )
        assert min(given) > max(not_given)


@pytest.mark.slow
def test_score_writes_the_signs_where_they_are_asked_for_or_little_is_known(tmp_path):
    write_texts(tmp_path / "train.csv", 100, labelled=True)
    write_texts(tmp_path / "few.csv", 30, labelled=True)
    write_texts(tmp_path / "new.csv", 50, seed=1)
    for train, options in (("train.csv", ("--decide", "sign")), ("few.csv", ())):
        given = ("--train", train, "--documents", "new.csv", "-o", f"{train}-scores")
        done = run("score", *given, *options, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        rows = pq.read_table(tmp_path / f"{train}-scores").to_pylist()
        assert list(rows[0]) == ["document", "class", "score", "label"]
        assert all(row["label"] == (row["score"] >= 0) for row in rows)


def _write_terms(path, ids, labels, rng, n_terms=30):
    """Write terms, as lists of indices and values; documents with the same labels share some."""
    themes = np.random.default_rng(7).random((labels.shape[1], n_terms)) < 0.2
    counts = sparse.csr_array(rng.poisson(0.05 + 1.5 * labels @ themes).astype(float))
    rows = [counts[[i]] for i in range(len(ids))]
    columns = {"indices": [row.indices for row in rows], "values": [row.data for row in rows]}
    pq.write_table(pa.table({"id": ids, **columns}), path)
    return counts


@pytest.fixture
def terms(files):
    """Terms of the documents and of the training documents, which have fewer terms."""
    made, rng = make(200, 5, n_train=200, seed=1), np.random.default_rng(0)
    pq.write_table(_long(made.scores), files / "all.parquet")
    pq.write_table(_long(made.oof_scores, "t"), files / "oof.parquet")
    np.savez(files / "train.npz", labels=made.y_train)
    ids = [f"d{i:03d}" for i in range(200)]
    _write_terms(files / "new.parquet", ids, made.y_true, rng)
    _write_terms(files / "known.parquet", [f"t{i[1:]}" for i in ids], made.y_train, rng, 20)
    return files


WITH_TERMS = ("--features", "new.parquet", "--train-features", "known.parquet")


@pytest.mark.slow
def test_terms_of_the_training_documents_are_read_from_parquet(terms):
    given = ("rank", *TRAINING, "--scores", "all.parquet", "--top", 200)
    found = {}
    for name, options in (
        ("memory", WITH_TERMS),
        ("stored", (*WITH_TERMS, "--engine", "duckdb")),
        ("plain", ("--engine", "duckdb")),
    ):
        done = run(*given, *options, "-o", f"{name}.csv", cwd=terms)
        assert done.returncode == 0, done.stderr
        rows = _rows(terms / f"{name}.csv")
        found[name] = {row["document"]: float(row["utility"]) for row in rows}
    assert found["stored"] == pytest.approx(found["memory"], rel=1e-2)
    assert found["plain"] != pytest.approx(found["memory"], rel=1e-2)


@pytest.mark.parametrize(
    ("features", "message"),
    [
        ("v.npz", "must be Parquet files with the column 'id' and one column of lists"),
        ("hdfs://127.0.0.1:9/v/*.parquet", "hdfs://127.0.0.1:9/v/*.parquet cannot be read"),
        ("other.parquet", "none of them is one: ids are such as 'x' there, and such as 'd0"),
        ("twice.parquet", "a different id in every row, but 'd001' comes 2 times"),
    ],
)
def test_features_that_cannot_be_used_beside_stored_scores_are_one_line(terms, features, message):
    rows = {"indices": [[0], [1]], "values": [[1.0], [1.0]]}
    np.savez(terms / "v.npz", features=np.ones((2, 2)))
    pq.write_table(pa.table({"id": ["x", "y"], **rows}), terms / "other.parquet")
    pq.write_table(pa.table({"id": ["d001", "d001"], **rows}), terms / "twice.parquet")
    vectors = ("--features", features, "--train-features", "known.parquet")
    done = run(*RANK, "--scores", "all.parquet", "--engine", "duckdb", *vectors, cwd=terms)
    refused(done, message)


@pytest.mark.slow
def test_vectors_beside_stored_scores_are_used(files):
    made = make(200, 5, n_train=200, seed=1)
    pq.write_table(_long(made.scores), files / "all.parquet")
    pq.write_table(_long(made.oof_scores, "t"), files / "oof.parquet")
    np.savez(files / "train.npz", labels=made.y_train)
    rng = np.random.default_rng(0)
    themes = rng.normal(size=(5, 8))
    for name, labels, prefix in (("new", made.y_true, "d"), ("known", made.y_train, "t")):
        vectors = labels @ themes + 0.5 * rng.normal(size=(len(labels), 8))
        ids = [f"{prefix}{i:03d}" for i in range(len(labels))]
        table = pa.table({"id": ids, "embedding": vectors.astype(np.float32).tolist()})
        pq.write_table(table, files / f"{name}.parquet")
    given = ("rank", *TRAINING, "--scores", "all.parquet", "--top", 200)
    similar = ("--features", "new.parquet", "--train-features", "known.parquet")
    found = {}
    for name, options in (
        ("memory", similar),
        ("stored", (*similar, "--engine", "duckdb")),
        ("plain", ("--engine", "duckdb")),
    ):
        done = run(*given, *options, "-o", f"{name}.csv", cwd=files)
        assert done.returncode == 0, done.stderr
        rows = _rows(files / f"{name}.csv")
        found[name] = {row["document"]: float(row["utility"]) for row in rows}
    assert found["stored"] == pytest.approx(found["memory"], rel=1e-2)
    assert found["plain"] != pytest.approx(found["memory"], rel=1e-2)
    done = run(*given, *similar[:2], "--engine", "duckdb", cwd=files)
    assert done.returncode == 2
    assert "--features and --train-features must be given together" in done.stderr
