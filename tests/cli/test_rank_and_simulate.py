import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from commanding import command as run

import satc
from made import make


@pytest.fixture
def files(tmp_path):
    made = make(seed=1)
    np.save(tmp_path / "scores.npy", made.scores)
    np.save(tmp_path / "labels.npy", made.y_true)
    np.savez(tmp_path / "oof.npz", scores=made.oof_scores)
    np.savez(tmp_path / "train.npz", labels=made.y_train)
    return tmp_path, made


TRAINING = ("--oof-scores", "oof.npz", "--train-labels", "train.npz")


def test_rank_writes_the_order_of_the_library(files):
    path, made = files
    done = run("rank", "--scores", "scores.npy", *TRAINING, "-o", "ranked.csv", cwd=path)
    assert done.returncode == 0, done.stderr
    lines = (path / "ranked.csv").read_text().split()
    assert lines[0] == "rank,document,utility"
    expected = satc.rank(made.scores, **made.training)
    assert [int(line.split(",")[1]) for line in lines[1:]] == expected.order.tolist()
    first = expected.order[0]
    assert float(lines[1].split(",")[2]) == pytest.approx(expected.utility[first])


def test_rank_and_simulate_take_the_rankings_of_others(files):
    path, made = files
    others = ("--method", "entropy", "--method", "cleanlab-self-confidence")
    done = run(*SIMULATE, *TRAINING, *others, "--json", cwd=path)
    assert done.returncode == 0, done.stderr
    assert [row["method"] for row in json.loads(done.stdout)] == list(others[1::2])
    done = run("rank", "--scores", "scores.npy", *TRAINING, *others[:2], cwd=path)
    first = satc.rank(made.scores, **made.training, method="entropy").order[0]
    assert done.stdout.splitlines()[1].split()[1] == str(first)


@pytest.mark.parametrize("ending", ["json", "jsonl", "parquet", "tsv"])
def test_rank_writes_every_format(files, ending):
    path, _ = files
    done = run(
        "rank", "--scores", "scores.npy", *TRAINING, "--top", 7, "-o", f"r.{ending}", cwd=path
    )
    assert done.returncode == 0, done.stderr
    if ending == "json":
        assert len(json.loads((path / "r.json").read_text())) == 7
    elif ending == "parquet":
        assert pq.read_table(path / "r.parquet").num_rows == 7
    else:
        assert len((path / f"r.{ending}").read_text().splitlines()) == (8 if ending == "tsv" else 7)


def test_rank_takes_long_scores_and_speaks_of_documents_by_name(files):
    path, made = files
    n, m = made.scores.shape
    table = pa.table(
        {
            "document": np.repeat([f"doc{i}" for i in range(n)], m),
            "class": np.tile([f"c{j}" for j in range(m)], n),
            "score": made.scores.ravel(),
        }
    )
    pq.write_table(table, path / "scores.parquet")
    done = run("rank", "--scores", "scores.parquet", *TRAINING, "--top", 1, "--json", cwd=path)
    first = satc.rank(made.scores, **made.training).order[0]
    assert json.loads(done.stdout)[0]["document"] == f"doc{first}"


def test_rank_prints_a_table_and_says_that_there_is_more(files):
    path, _ = files
    done = run("rank", "--scores", "scores.npy", *TRAINING, cwd=path)
    assert len(done.stdout.splitlines()) == 21
    assert "and 40 more" in done.stderr


@pytest.mark.slow
def test_simulate_compares_methods_and_draws_them(files):
    path, made = files
    done = run(
        *("simulate", "--scores", "scores.npy", "--labels", "labels.npy", *TRAINING),
        *("--method", "u-theoretic", "--method", "oracle2", "--xi", 0.2, "--json"),
        *("--plot", "curve.svg", "--curves", "curves.csv"),
        cwd=path,
    )
    assert done.returncode == 0, done.stderr
    rows = {row["method"]: row["ENER(0.2)"] for row in json.loads(done.stdout)}
    sim = satc.simulate(made.scores, made.y_true, **made.training, method="u-theoretic")
    assert rows["u-theoretic"] == pytest.approx(sim.ener(0.2), abs=1e-6)
    assert rows["oracle2"] > rows["u-theoretic"]
    assert "<svg" in (path / "curve.svg").read_text()
    assert len((path / "curves.csv").read_text().split()) == 2 * 61 + 1


@pytest.mark.slow
@pytest.mark.parametrize("ending", ["png", "html"])
def test_simulate_draws_every_format(files, ending):
    path, _ = files
    done = run(
        *("simulate", "--scores", "scores.npy", "--labels", "labels.npy", *TRAINING),
        *("--plot", f"curve.{ending}", "-o", "ener.csv"),
        cwd=path,
    )
    assert done.returncode == 0, done.stderr
    drawn = (path / f"curve.{ending}").read_bytes()
    assert drawn.startswith(b"\x89PNG") if ending == "png" else b"<html" in drawn
    if ending == "html":
        assert b'src="http' not in drawn
    assert (path / "ener.csv").read_text().startswith("method,labels,start,until 0.8,")


SCORES = ("rank", "--scores", "scores.npy")
SIMULATE = ("simulate", "--scores", "scores.npy", "--labels", "labels.npy")


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        ((*SCORES, *TRAINING, "--method", "best"), 2, "method must be one of"),
        ((*SCORES, *TRAINING, "--measure", "f-one"), 2, "measure must be one of"),
        ((*SCORES, *TRAINING, "--average", "both"), 2, "average must be one of"),
        ((*SCORES, *TRAINING, "-o", "ranked.xls"), 2, "a table must end in one of"),
        ((*SCORES, "--oof-scores", "oof.npz"), 2, "must be given together"),
        (("rank",), 2, "either --train and --documents are needed, or --predictions"),
        ((*SCORES, *TRAINING, "--absent", "1"), 2, "--absent needs --engine"),
        ((*SCORES, *TRAINING, "--master", "local"), 2, "--master needs --engine spark"),
        ((*SCORES, *TRAINING, "--learner", "svm"), 2, "--learner needs --train and --documents"),
        ((*SCORES, *TRAINING, "--method", "oracle1"), 2, "'oracle1' needs the true labels"),
        ((*SCORES, *TRAINING, "--json", "-o", "r.json"), 2, "--json prints: leave --output out"),
        ((*SIMULATE, *TRAINING, "--json", "-o", "r.json"), 2, "--json prints: leave --output out"),
        ((*SCORES, *TRAINING, "--engine", "duckdb", "-o", "r.csv"), 2, "for the complete order"),
        (("simulate", "--scores", "scores.npy"), 2, "--labels is needed"),
        ((*SIMULATE, *TRAINING, "--xi", "1.5"), 2, "xi must be a fraction"),
        ((*SIMULATE, *TRAINING, "--plot", "curve.gif"), 2, "a plot must end in one of"),
        (
            (*SCORES, "--method", "u-theoretic"),
            1,
            "satc: method 'u-theoretic' needs oof_scores and y_train",
        ),
        (("rank", "--scores", "none.npy"), 1, "satc: .*none.npy"),
        (("rank", "--scores", "bad.npy"), 1, "satc: .*bad.npy"),
        (
            (*SCORES, "--oof-scores", "oof.npz", "--train-labels", "labels.npy"),
            1,
            "labels.npy must have the shape of oof.npz",
        ),
        ((*SCORES, *TRAINING, "-o", "missing/ranked.csv"), 1, "satc: .*missing"),
    ],
)
def test_errors_are_one_line_with_the_right_code(files, arguments, code, message):
    path, _ = files
    (path / "bad.npy").write_bytes(b"not an array")
    before = sorted(path.iterdir())
    done = run(*arguments, cwd=path)
    assert done.returncode == code
    assert "Traceback" not in done.stderr
    words = " ".join(done.stderr.replace("│", " ").split())
    import re

    assert re.search(message, words), words
    if code == 1:
        assert len(done.stderr.strip().splitlines()) == 1
    assert sorted(path.iterdir()) == before


def test_version_and_help_are_there(tmp_path):
    assert run("--version", cwd=tmp_path).stdout.strip() == satc.__version__
    for command in ("rank", "simulate", "demo"):
        assert "Example: satc" in run(command, "--help", cwd=tmp_path).stdout


def test_simulate_compares_labels_and_counts_the_documents_until_a_value(files):
    path, made = files
    done = run(
        *("simulate", "--scores", "scores.npy", "--labels", "labels.npy", *TRAINING),
        *("--decide", "sign", "--decide", "measure", "--method", "contextual"),
        *("--target", 0.9, "--curves", "curves.csv", "--plot-value", "value.svg", "--json"),
        cwd=path,
    )
    assert done.returncode == 0, done.stderr
    rows = json.loads(done.stdout)
    assert [row["labels"] for row in rows] == ["sign", "measure"]
    for row in rows:
        sim = satc.simulate(made.scores, made.y_true, **made.training, decide=row["labels"])
        assert row["start"] == pytest.approx(sim.value[0], abs=1e-6)
        assert row["until 0.9"] == sim.documents_for(0.9)
    header, *lines = (path / "curves.csv").read_text().split()
    assert header == "method,labels,validated,error_reduction,value"
    assert len(lines) == 2 * (len(made.scores) + 1)
    assert "contextual, measure" in (path / "value.svg").read_text()


@pytest.mark.parametrize(
    ("option", "value", "message"),
    [("--decide", "score", "decide must be one of"), ("--target", "1.5", "up to 1, but is 1.5")],
)
def test_simulate_refuses_values_that_mean_nothing(files, option, value, message):
    path, _ = files
    given = ("--scores", "scores.npy", "--labels", "labels.npy")
    done = run("simulate", *given, option, value, cwd=path)
    assert done.returncode == 2
    assert message in " ".join(done.stderr.replace("│", " ").split())


def test_rank_says_what_choosing_labels_would_bring(files):
    path, made = files
    done = run("rank", "--scores", "scores.npy", *TRAINING, "--top", 3, cwd=path)
    signs = satc.decide(made.scores, **made.training, decide="sign").expected
    chosen = satc.decide(made.scores, **made.training).expected
    assert f"macro-F1 is about {signs:.2f}; " in done.stderr
    assert f"would give about {chosen:.2f} before anyone reads a document" in done.stderr
    done = run(
        "rank", "--scores", "scores.npy", *TRAINING, "--decide", "measure", "--json", cwd=path
    )
    assert "would give" not in done.stderr
    ranked = satc.rank(made.scores, **made.training, decide="measure").order.tolist()
    assert [row["document"] for row in json.loads(done.stdout)] == ranked
