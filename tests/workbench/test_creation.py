import json
import sqlite3
import tracemalloc

import numpy as np
import pytest
from projects_made import make, make_project, quiet, write_files

import satc
from satc.errors import DataError
from satc.files.faults import BadRowsError
from satc.texts.columns import Columns
from satc.texts.learner_source import LearnerSource
from satc.texts.scores_source import ScoresSource
from satc.workbench.model.settings import Settings
from satc.workbench.project.creation import create_file
from satc.workbench.project.history import read_history
from satc.workbench.reports.export import exported_documents
from satc.workbench.review.desk import open_desk
from satc.workbench.store import open_store
from satc.workbench.store.documents import iter_documents
from satc.workbench.store.projects import get_project

SETTINGS = Settings(title="Claims", method="u-theoretic-dynamic")
TRAINED = Settings(title="Claims")
TOPICS = {"wheat": "wheat grain bushel crop", "gold": "gold ounce mine bullion"}


def labelled_rows(n, seed=0):
    rng = np.random.default_rng(seed)
    for i in range(n):
        labels = [name for name in TOPICS if rng.random() < 0.4]
        words = [w for name in labels for w in rng.choice(TOPICS[name].split(), 3)]
        words += rng.choice(["price", "market", "week", "said", "rose", "fell", "bank"], 6).tolist()
        yield {"id": f"x{i}", "text": " ".join(words), "labels": labels, "batch": i % 3}


def write_rows(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


@pytest.fixture
def learner_files(tmp_path):
    train = write_rows(tmp_path / "train.jsonl", labelled_rows(120))
    rows = ({k: v for k, v in r.items() if k != "labels"} for r in labelled_rows(50, seed=1))
    return train, write_rows(tmp_path / "docs.jsonl", rows)


def opened(path):
    store = open_store(path)
    return store, get_project(store)


@pytest.mark.slow
@pytest.mark.parametrize(
    "learner", ["auto", "svm", "mpboost", "tsvm", "self-training", "own_learner:pipeline"]
)
def test_a_learner_trains_classifies_and_says_its_words(
    learner_files, tmp_path, learner, monkeypatch
):
    (tmp_path / "own_learner.py").write_text(
        "from sklearn.feature_extraction.text import TfidfVectorizer\n"
        "from sklearn.linear_model import LogisticRegression\n"
        "from sklearn.pipeline import make_pipeline\n"
        "pipeline = make_pipeline(TfidfVectorizer(), LogisticRegression())\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    train, documents = learner_files
    path = tmp_path / "claims.satc"
    source = LearnerSource(train, documents, learner, folds=4)
    assert len(create_file(path, source, TRAINED, documents, quiet).scores) == 50
    from satc.workbench.review.open_projects import OpenProjects

    store, project = opened(path)
    assert project.classes == ("gold", "wheat")
    truth = [row["labels"] for row in labelled_rows(50, seed=1)]
    exported = list(exported_documents(store, project, read_history(store, project)))
    right = sum(sorted(r.labels) == sorted(t) for r, t in zip(exported, truth, strict=True))
    assert right > 35
    assert [r.columns for r in exported[:3]] == [{"batch": 0}, {"batch": 1}, {"batch": 2}]
    marks = (
        OpenProjects(store, estimating=False).open("claims").marks("Wheat, gold and the weather", 1)
    )
    assert [(m.start, m.end) for m in marks][:1] == [(0, 5)]
    assert marks[0].weight == 1.0
    store.close()


def test_scores_of_an_unseen_classifier_are_ranked_as_rank_does(tmp_path):
    made = make(n=50)
    make_project(made, tmp_path / "claims.satc", method="u-theoretic")
    store, project = opened(tmp_path / "claims.satc")
    ranking = satc.rank(made.scores, **made.training, method="u-theoretic")
    ranks = {d.rank: d.position for d in iter_documents(store, project.key)}
    assert [ranks[i + 1] for i in range(50)] == ranking.order.tolist()
    store.close()


def test_every_bad_row_is_reported_and_nothing_is_left_behind(tmp_path):
    made = make(n=6)
    files = write_files(made, tmp_path / "in")
    rows = ["id,text", "a,one", "b,two,three", "a,again", ",four", "c,five"]
    documents = tmp_path / "docs.csv"
    documents.write_text("\n".join(rows) + "\n")
    source = ScoresSource(documents, files["scores"])
    with pytest.raises(BadRowsError) as raised:
        create_file(tmp_path / "claims.satc", source, SETTINGS, documents, quiet)
    lines = [
        fault.partition("line ")[2].partition(" ")[0].rstrip(":") for fault in raised.value.faults
    ]
    assert lines == ["3", "4", "5"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["docs.csv", "in"]


def test_an_import_that_fails_late_leaves_nothing_in_postgresql(postgresql):
    made = make(n=20)
    made.texts.append("one more than there are scores")
    with pytest.raises(DataError, match="must have a row for each document"):
        make_project(made, postgresql)
    store = open_store(postgresql)
    with store.reading() as connection:
        for table in ("projects", "documents", "classes", "arrays"):
            assert connection.exec_driver_sql(f"SELECT count(*) FROM {table}").scalar() == 0  # noqa: S608
    store.close()


def test_an_existing_file_is_never_overwritten(tmp_path):
    path = tmp_path / "claims.satc"
    path.write_text("precious")
    with pytest.raises(DataError, match="must be a new file"):
        make_project(make(n=10), path)
    assert path.read_text() == "precious"


def test_a_second_project_of_the_same_name_is_refused(postgresql):
    make_project(make(n=10), postgresql)
    with pytest.raises(DataError, match="has a project 'made' already"):
        make_project(make(n=10), postgresql)
    make_project(make(n=10), postgresql, name="other")


def test_nul_characters_and_odd_values_are_kept_as_far_as_databases_can(location):
    made = make(n=3, texts=["a\x00b", "\U0001f600 \u202e", "c"])
    columns = {"odd": [float("nan"), [1, None], {"k": "\x00"}], "plain": [1, True, None]}
    make_project(made, location, columns=columns)
    store, project = opened(location)
    found = list(iter_documents(store, project.key))
    assert [d.text for d in found] == ["a\ufffdb", "\U0001f600 \u202e", "c"]
    assert [d.columns["odd"] for d in found] == [None, [1, None], {"k": "\ufffd"}]
    assert [d.columns["plain"] for d in found] == [1, True, None]
    store.close()


def test_a_project_file_is_one_file(tmp_path):
    make_project(make(n=10), tmp_path / "claims.satc")
    assert [path.name for path in tmp_path.iterdir()] == ["claims.satc"]
    file = sqlite3.connect(tmp_path / "claims.satc")
    assert file.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    file.close()


def test_a_project_file_is_for_its_owner_and_inherits_nothing(tmp_path):
    (tmp_path / "claims.satc-wal").write_bytes(b"left by another file of that name")
    make_project(make(n=10), tmp_path / "claims.satc")
    assert (tmp_path / "claims.satc").stat().st_mode & 0o077 == 0
    assert not (tmp_path / "claims.satc-wal").exists()


def test_a_folder_that_is_not_there_is_named(tmp_path):
    with pytest.raises(DataError, match="must be in a folder that exists"):
        make_project(make(n=10), tmp_path / "nowhere" / "claims.satc")


@pytest.mark.slow
def test_documents_are_not_held_in_memory_twice(tmp_path):
    n, size = 12_000, 4000
    made = make(n=n, m=4, texts=["x" * size] * n)
    files = write_files(made, tmp_path / "in")
    made.texts.clear()
    source = ScoresSource(**files)
    tracemalloc.start()
    create_file(tmp_path / "big.satc", source, SETTINGS, files["documents"], quiet)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < n * size


def test_columns_may_have_other_names(tmp_path, learner_files):
    rows = ["key;body", "1;wheat grain", "2;gold ounce"]
    documents = tmp_path / "docs.tsv"
    documents.write_text("\n".join(rows).replace(";", "\t") + "\n")
    train = tmp_path / "train.tsv"
    lines = (f"{r['id']}\t{r['text']}\t{'|'.join(r['labels'])}" for r in labelled_rows(60))
    train.write_text("key\tbody\ttopics\n" + "\n".join(lines) + "\n")
    columns = Columns("key", "body", "topics")
    source = LearnerSource(train, documents, "svm", folds=3, columns=columns)
    path = tmp_path / "claims.satc"
    create_file(path, source, TRAINED, documents, quiet)
    store, project = opened(path)
    assert [r.labels for r in exported_documents(store, project, read_history(store, project))] == [
        ("wheat",),
        ("gold",),
    ]
    store.close()


@pytest.mark.parametrize(
    ("learner", "message"),
    [
        (
            "svn",
            "auto, embeddings, mpboost, self-training, svm, tsvm, words\\+embeddings, or module",
        ),
        ("nowhere:thing", "'nowhere:thing' cannot be loaded"),
    ],
)
def test_an_unknown_learner_is_answered_with_the_known_ones(learner_files, learner, message):
    source = LearnerSource(*learner_files, learner)
    with pytest.raises(ValueError, match=message):
        source.prepare(quiet)


def test_a_reopened_project_goes_on_with_the_dynamic_order(tmp_path):
    made = make(n=30)
    path = tmp_path / "claims.satc"
    make_project(made, path)
    sim = satc.simulate(made.scores, made.y_true, **made.training, method="u-theoretic-dynamic")
    order = []
    for _ in range(3):
        store = open_store(path)
        desk = open_desk(store)
        for _ in range(10):
            lease, _ = desk.next("ann")
            labels = np.flatnonzero(made.y_true[lease.document]).tolist()
            desk.submit(lease.lease, "ann", labels, None)
            order.append(lease.document)
        store.close()
    assert order == sim.order.tolist()


def test_reading_time_weights_and_costs_change_the_ranking(tmp_path):
    texts = ["long " * 400 if i % 2 else "short" for i in range(40)]
    made = make(n=40, texts=texts)
    options = {"class_weights": (1, 2, 1, 1, 0, 1), "error_costs": (1.0, 5.0), "reading": "length"}
    make_project(made, tmp_path / "a.satc", method="u-theoretic", **options)
    store, project = opened(tmp_path / "a.satc")
    minutes = [0.1 + len(text.split()) / 200 for text in texts]
    options.pop("reading")
    expected = satc.rank(
        made.scores, **made.training, method="u-theoretic", costs=minutes, **options
    )
    ranks = {d.rank: d.position for d in iter_documents(store, project.key)}
    assert [ranks[i + 1] for i in range(40)] == expected.order.tolist()
    lease, _ = open_desk(store).next("ann")
    assert lease.document == expected.order[0]
    store.close()


def test_minutes_may_stand_in_a_column(tmp_path):
    made = make(n=4)
    columns = {"minutes": ["1", "2.5", "3", "4"]}
    make_project(made, tmp_path / "a.satc", reading="minutes", columns=columns)
    with pytest.raises(DataError, match="'minutes' of document 'd1' must be a number of minutes"):
        make_project(
            made, tmp_path / "b.satc", reading="minutes", columns={"minutes": [1, "soon", 1, 1]}
        )
    with pytest.raises(DataError, match="must have the column 'hours' with minutes"):
        make_project(made, tmp_path / "b.satc", reading="hours", columns=columns)
