"""Rank 10^7 to 10^9 pairs with DuckDB: the time of `contextual` over that of `u-theoretic`.

The scores, of 100 classes, are generated and written to Parquet, document by document; that is not
counted. They are *sparse*, as those of real classifiers, with about one label per document, or
*uniform*, with 35 labels per document. Uniform scores are the worst case of `contextual`, which
looks closely only at pairs that are near a decision.

Each size runs in a separate process: first a ranking of ten documents by each method as a warm-up,
then the methods in alternation. The model of `contextual` is fitted before, and its time is
printed; `u-theoretic` has its estimates, too. The peak is the largest resident size of the process
so far. `contextual` keeps 8 bytes per pair in files; that is printed as "on disk".

    python benchmarks/bench_scale.py [--form long|wide] [--largest 1000000000] [--folder DIR]
        [--classes 100] [--order document|class] [--scores sparse|uniform]
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from unittest import mock

import duckdb
import numpy as np

from memory import resident
from satc import scale
from satc.contingency import ContingencyTables
from satc.ranking.preparation import fit_calibrator
from satc.training import Training
from timing import report

CLASSES = 100
TOP = 10_000
N_TRAIN = 2_000  # documents
METHODS = ("u-theoretic", "contextual")
REPEAT = 3  # the best of this many runs counts, because other jobs may run
MEMORY = "2500MB"  # of DuckDB; Python, Arrow and the buffers of the readers need more
# Of each pair. `sparse`: normal, nearly, and higher for one class of each document.
SCORES = {
    "uniform": "((hash({document} * 1000 + {label}) % 2000003) / 1000001.5 - 1.3)::FLOAT",
    "sparse": """(0.285 * 1.732 * (
        (hash({document} * 1000 + {label}) & 65535)::DOUBLE
        + ((hash({document} * 1000 + {label}) >> 16) & 65535)
        + ((hash({document} * 1000 + {label}) >> 32) & 65535)
        + (hash({document} * 1000 + {label}) >> 48) - 131070) / 65535.0 - 1.0
        + CASE WHEN hash({document} + 7) % {m} = {label}
          THEN (hash({document} + 13) % 1000003) / 500001.5 ELSE 0 END)::FLOAT""",
}


def names(m: int) -> tuple[str, ...]:
    return tuple(f"c{j:04d}" for j in range(m))


def make(
    folder: Path,
    n: int,
    form: str,
    m: int = CLASSES,
    order: str = "document",
    scores: str = "uniform",
) -> None:
    """Write the scores of n documents, one million per file.

    The order "class" of the long form has the pairs of 2,048 documents class by class.
    """
    settings = {"memory_limit": "2GB", "preserve_insertion_order": order == "document"}
    connection = duckdb.connect(config=settings)
    connection.execute("SET enable_progress_bar = false")
    for part, start in enumerate(range(0, n, 1_000_000)):
        query = _query(start, min(n, start + 1_000_000), form, m, order, SCORES[scores])
        connection.execute(f"COPY ({query}) TO '{folder}/{part:03d}.parquet'")


def _query(start: int, end: int, form: str, m: int, order: str, score: str) -> str:
    if form == "wide":
        columns = (
            f"{score.format(document='range', label=j, m=m)} AS {name}"
            for j, name in enumerate(names(m))
        )
        return f"SELECT range AS document, {', '.join(columns)} FROM range({start}, {end})"
    label, table = "c.range", f"range({start}, {end}) d, range({m}) c"
    document = "d.range"
    if order == "document":
        document, label = f"(range // {m})", f"(range % {m})"
        table = f"range({start * m}, {end * m})"
    return f"""SELECT {document} AS document, 'c' || lpad({label}::VARCHAR, 4, '0') AS class,
               {score.format(document=document, label=label, m=m)} AS score FROM {table}"""


def training(
    method: str, m: int = CLASSES, scores: str = "uniform", n: int = N_TRAIN
) -> dict[str, object]:
    """Return the arguments of `scale.rank` that describe n training documents."""
    rng = np.random.default_rng(0)
    if method != "contextual":
        cells = rng.integers(5, 500, (4, m)).astype(float)
        return {"estimates": scale.Estimates(names(m), 2.5, ContingencyTables(*cells), n)}
    if scores == "uniform":
        oof_scores, steep = rng.uniform(-1.3, 0.7, (n, m)), 4
    else:
        oof_scores, steep = rng.normal(-1.0, 0.285, (n, m)), 6
        oof_scores[np.arange(n), rng.integers(0, m, n)] += rng.uniform(0, 2, n)
    return {
        "oof_scores": oof_scores,
        "y_train": rng.random(oof_scores.shape) < 1 / (1 + np.exp(-steep * oof_scores)),
    }


@contextmanager
def fitted_before(m: int, scores: str = "uniform") -> Iterator[float]:
    """Fit the contextual model once, for all rankings inside the block; return its seconds."""
    known = training("contextual", m, scores)
    with fitted_to(Training(known["oof_scores"], known["y_train"])) as seconds:
        yield seconds


@contextmanager
def fitted_to(known: Training) -> Iterator[float]:
    """Fit the contextual model to these documents, as `fitted_before` does."""
    started = time.perf_counter()
    calibrator = fit_calibrator(known, 0)
    seconds = time.perf_counter() - started
    with mock.patch("satc.scale.ranking.fit_calibrator", return_value=calibrator):
        yield seconds


def measure(folder: str, m: int, repeat: int, scores: str) -> dict[str, object]:
    """Rank the scores in the folder; return seconds, peak memory and the size of files."""
    runs: dict[str, list[float]] = {method: [] for method in METHODS}
    peaks, on_disk = {}, 0
    with (
        fitted_before(m, scores) as fit,
        scale.connect("duckdb", memory=MEMORY, threads=2, spill=folder) as engine,
    ):

        def ranked(table: object, method: str) -> scale.StoredRanking:
            stored = scale.stored_scores(engine, table, classes=names(m))
            return scale.rank(stored, **training(method, m, scores), method=method)

        table = engine.open(f"{folder}/*.parquet")
        for method in METHODS:
            ranked(table.filter(table.document < 10), method).top(10)  # warm-up
        for _ in range(repeat):
            for method in METHODS:
                started = time.perf_counter()
                ranking = ranked(table, method)
                top = ranking.top(TOP)
                runs[method].append(time.perf_counter() - started)
                assert 0 < len(top) <= TOP
                peaks.setdefault(method, resident().peak / 2**30)
                files = Path(folder).glob("satc-*/*.parquet")
                on_disk = max(on_disk, sum(file.stat().st_size for file in files))
    best = {method: min(seconds) for method, seconds in runs.items()}
    return {"seconds": best, "peaks": peaks, "fit": fit, "on_disk": on_disk}


def run_size(given: argparse.Namespace, form: str, pairs: int) -> dict[str, float]:
    """Measure one size in a process of its own; print and return the nanoseconds per pair."""
    with tempfile.TemporaryDirectory(dir=given.folder) as folder:
        make(Path(folder), pairs // given.classes, form, given.classes, given.order, given.scores)
        size = sum(f.stat().st_size for f in Path(folder).glob("*.parquet"))
        command = [sys.executable, __file__, "--measure", folder]
        command += ["--classes", str(given.classes), "--repeat", str(given.repeat)]
        command += ["--scores", given.scores]
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    found = json.loads(done.stdout)
    per_pair = {name: 1e9 * seconds / pairs for name, seconds in found["seconds"].items()}
    print(f"{form}, {given.scores}: {pairs:,} pairs, {size / 1e9:.2f} GB; fit {found['fit']:.1f} s")
    for name, nanoseconds in per_pair.items():
        kept = f", {found['on_disk'] / 1e9:.2f} GB on disk" if name == "contextual" else ""
        print(
            f"  {name:<12} {found['seconds'][name]:8.1f} s, {nanoseconds:6.1f} ns per pair, "
            f"peak {found['peaks'][name]:.2f} GiB{kept}",
            flush=True,
        )
    ratio = per_pair["contextual"] / per_pair["u-theoretic"]
    report(f"{form}, {pairs:,} pairs: contextual / u-theoretic", ratio, "at most 5")
    return per_pair


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--form", choices=["long", "wide"])
    parser.add_argument("--smallest", type=int, default=10**7)
    parser.add_argument("--largest", type=int, default=10**9)
    parser.add_argument("--folder", help="where the files are written")
    parser.add_argument("--classes", type=int, default=CLASSES)
    parser.add_argument("--order", choices=["document", "class"], default="document")
    parser.add_argument("--scores", choices=list(SCORES), default="sparse")
    parser.add_argument("--repeat", type=int, default=REPEAT)
    parser.add_argument("--measure", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.measure:
        print(json.dumps(measure(given.measure, given.classes, given.repeat, given.scores)))
        return
    for form in [given.form] if given.form else ["wide", "long"]:
        sizes = [10**k for k in (7, 8, 9) if given.smallest <= 10**k <= given.largest]
        found = [run_size(given, form, pairs) for pairs in sizes]
        for method in METHODS:
            times = [one[method] for one in found]
            report(f"{form}, {method}: slowest / fastest size", max(times) / min(times), "1.5")


if __name__ == "__main__":
    main()
