"""Rank with features beside the scores: the time of `contextual` over that without features.

The features are embeddings of 64 and of 384 dimensions, and sparse terms (`generated_features`).
Scores, of 100 classes, and features are generated and written to Parquet; that is not counted. The
scores are those that `bench_scale` calls sparse.

Every ranking runs in a process of its own, in turns with and without features, and the least time
of each counts. The process first fits the model, whose time is printed, and ranks ten documents as
a warm-up. On DuckDB, the peak is the largest resident size of the process; "before" is the peak
before the ranking, after the fit. On Spark (`local[2]`), it is the largest sum of the sizes of all
processes, and of those of each kind, while the ranking runs.

    python benchmarks/bench_scale_features.py [--pairs 1000000] [--engine duckdb|spark]
        [--form long|wide] [--features 64 384 terms] [--train 2000] [--repeat 2] [--folder DIR]
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
from scipy import sparse

from bench_scale import CLASSES, MEMORY, N_TRAIN, TOP, fitted_to, make, names, training
from generated_features import make_features, write_features
from memory import MIB, MemoryWatch, resident
from satc import Training, scale
from spark_processes import kind_of
from timing import report

NONE = "no features"
WANTED = "for information"
WATCH_EVERY = 0.25  # seconds


def title(kind: str) -> str:
    """Name features of a kind: those of `make_features`."""
    return f"embeddings of {kind}" if kind.isdigit() else kind


def write_all(folder: Path, pairs: int, form: str, kinds: list[str], n_train: int) -> None:
    """Write the scores of the documents, their features, and those of the training documents."""
    n = pairs // CLASSES
    (folder / "scores").mkdir()
    make(folder / "scores", n, form, scores="sparse")
    query = f"SELECT (hash(range + 7) % {CLASSES})::BIGINT AS label FROM range({n})"
    likely = duckdb.sql(query).fetchnumpy()["label"]  # the class whose score is raised
    known = training("contextual", scores="sparse", n=n_train)["oof_scores"].argmax(axis=1)
    for kind in kinds:
        write_features(folder / kind, kind, likely, CLASSES)
        features = make_features(kind, known, CLASSES, seed=0)
        if kind == "terms":
            sparse.save_npz(folder / "train-terms.npz", features)
        else:
            np.save(folder / f"train-{kind}.npy", features)


def training_with(folder: Path, kind: str, n_train: int) -> Training:
    """Return the training documents, with features of a kind."""
    known = training("contextual", scores="sparse", n=n_train)
    features = None
    if kind == "terms":
        features = sparse.load_npz(folder / "train-terms.npz")
    elif kind != NONE:
        features = np.load(folder / f"train-{kind}.npy")
    return Training(known["oof_scores"], known["y_train"], features)


def connect(engine: str, folder: Path) -> Any:
    if engine == "spark":
        return scale.connect("spark", master="local[2]")
    return scale.connect("duckdb", memory=MEMORY, threads=2, spill=str(folder))


def measure(folder: Path, kind: str, engine: str, n_train: int) -> dict[str, Any]:
    """Rank the documents; return the seconds of fit and ranking, and peaks in bytes."""
    known = training_with(folder, kind, n_train)
    with fitted_to(known) as fit, connect(engine, folder) as running:
        vectors = None if kind == NONE else running.open(f"{folder}/{kind}/*.parquet")
        table = running.open(f"{folder}/scores/*.parquet")

        def ranked(documents: Any) -> Any:
            stored = scale.stored_scores(
                running, documents, classes=names(CLASSES), vectors=vectors
            )
            return scale.rank(stored, training=known, method="contextual").top(TOP)

        ranked(table.filter(table.document < 10))  # warm-up
        seconds, peaks = watched(lambda: ranked(table), engine)
    return {"seconds": seconds, "fit": fit, "peaks": peaks}


def watched(run: Callable[[], Any], engine: str) -> tuple[float, dict[str, int]]:
    """Run a ranking; return its seconds, and peaks in bytes."""
    if engine == "duckdb":
        before = resident().peak
        return timed(run), {"before": before, "peak": resident().peak}
    with MemoryWatch(kind=kind_of, every=WATCH_EVERY) as watch:
        seconds = timed(run)
    return seconds, {name: peaks.together for name, peaks in watch.peaks.items()}


def timed(run: Callable[[], Any]) -> float:
    started = time.perf_counter()
    assert 0 < len(run()) <= TOP
    return time.perf_counter() - started


def measured(folder: Path, kind: str, given: argparse.Namespace) -> dict[str, Any]:
    """Run `measure` in a process of its own."""
    command = [sys.executable, __file__, "--measure", str(folder), "--features", kind]
    command += ["--engine", given.engine, "--train", str(given.train)]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(done.stdout.splitlines()[-1])


def compare(folder: Path, form: str, given: argparse.Namespace) -> None:
    """Rank without features and with each kind, in turns; print times, peaks and ratios."""
    runs: dict[str, list[dict[str, Any]]] = {kind: [] for kind in (NONE, *given.features)}
    for _ in range(given.repeat):
        for kind, found in runs.items():
            found.append(measured(folder, kind, given))
    best = {kind: min(found, key=lambda one: one["seconds"]) for kind, found in runs.items()}
    for kind, one in best.items():
        each = 1e9 * one["seconds"] / given.pairs
        peaks = (f"{name} {size / MIB:,.0f} MiB" for name, size in one["peaks"].items())
        print(
            f"{form}, {title(kind)}: {one['seconds']:.2f} s, {each:.0f} ns per pair, fit "
            f"{one['fit']:.1f} s; memory: {', '.join(peaks)}",
            flush=True,
        )
    for kind in given.features:
        times, peaks = (
            best[kind]["seconds"] / best[NONE]["seconds"],
            max(best[kind]["peaks"].values()) / max(best[NONE]["peaks"].values()),
        )
        report(f"{form}, {title(kind)} / {NONE}", times, WANTED)
        report(f"{form}, {title(kind)} / {NONE}, peak memory", peaks, WANTED)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--pairs", type=int, default=10**6)
    parser.add_argument("--engine", choices=["duckdb", "spark"], default="duckdb")
    parser.add_argument("--form", choices=["long", "wide"], default="wide")
    parser.add_argument("--features", nargs="+", default=["64", "384", "terms"])
    parser.add_argument("--train", type=int, default=N_TRAIN)
    parser.add_argument("--repeat", type=int, default=2)
    parser.add_argument("--folder", help="where the files are written")
    parser.add_argument("--measure", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.measure:
        found = measure(given.measure, given.features[0], given.engine, given.train)
        print(json.dumps(found))
        return
    with tempfile.TemporaryDirectory(dir=given.folder) as name:
        folder = Path(name)
        write_all(folder, given.pairs, given.form, given.features, given.train)
        print(f"{given.engine}: {given.pairs:,} pairs, {given.train:,} training documents")
        compare(folder, given.form, given)


if __name__ == "__main__":
    main()
