"""Labels chosen for the measure at scale: the time of decide="measure" over that of "sign".

10^7 generated pairs, 100 classes, DuckDB. Both rankings alternate in one process; the best time of
each counts. For u-theoretic one more pass over the scores is needed, for the cuts. The contextual
method computes its probabilities once in both cases, and keeps them. For chosen labels it needs one
more pass over those, also for the cuts. Its time includes the fit of the model in each ranking.

With --single-label, the time of a single-label task over that of a multi-label one is measured, for
both ways to decide; the scores, the training documents and sigma are the same.

    python benchmarks/bench_scale_decide.py [--pairs 10000000] [--form long|wide]
        [--method u-theoretic|contextual] [--single-label]
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

import numpy as np

from bench_scale import CLASSES, MEMORY, TOP, make, names, training
from satc import scale
from timing import report, seconds

WANTED = {"u-theoretic": "at most 4", "contextual": "for information"}
SINGLE_WANTED = {
    ("u-theoretic", "sign"): "at most 5",
    ("u-theoretic", "measure"): "at most 12",
    ("contextual", "sign"): "at most 1.5",
    ("contextual", "measure"): "at most 2",
}


def compare(folder: str, form: str, method: str) -> None:
    """Rank the scores in the folder in both ways."""
    known = training("contextual")  # labelled documents, from which sigma is calibrated too
    with scale.connect("duckdb", memory=MEMORY, threads=2, spill=folder) as engine:

        def ranked(decide: str) -> object:
            stored = scale.stored_scores(engine, f"{folder}/*.parquet", classes=names(CLASSES))
            return scale.rank(stored, **known, method=method, decide=decide).top(TOP)

        repeat = 1 if method == "contextual" else 5
        sign, chosen = seconds(lambda: ranked("sign"), lambda: ranked("measure"), repeat=repeat)
    name = f'{form}, {method}: decide="measure" / "sign"'
    report(name, chosen / sign, WANTED[method])
    print(f"  sign {sign:.2f} s, measure {chosen:.2f} s", flush=True)


def compare_tasks(folder: str, form: str, method: str) -> None:
    """Rank the scores in the folder as a multi-label and as a single-label task."""
    scores = training("contextual")["oof_scores"]
    known = {"oof_scores": scores, "y_train": np.eye(CLASSES, dtype=bool)[scores.argmax(axis=1)]}
    with scale.connect("duckdb", memory=MEMORY, threads=2, spill=folder) as engine:

        def ranked(task: str, decide: str) -> object:
            stored = scale.stored_scores(engine, f"{folder}/*.parquet", classes=names(CLASSES))
            options = {"method": method, "decide": decide, "sigma": 2.5, "task": task}
            return scale.rank(stored, **known, **options).top(TOP)

        repeat = 1 if method == "contextual" else 3
        for decide in ("sign", "measure"):
            multi, single = seconds(
                lambda decide=decide: ranked("multi-label", decide),
                lambda decide=decide: ranked("single-label", decide),
                repeat=repeat,
            )
            name = f'{form}, {method}, decide="{decide}": single-label / multi-label'
            report(name, single / multi, SINGLE_WANTED[method, decide])
            print(f"  multi-label {multi:.2f} s, single-label {single:.2f} s", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--pairs", type=int, default=10**7)
    parser.add_argument("--form", choices=["long", "wide"])
    parser.add_argument("--method", choices=list(WANTED))
    parser.add_argument("--single-label", action="store_true")
    given = parser.parse_args()
    run = compare_tasks if given.single_label else compare
    for form in [given.form] if given.form else ["long", "wide"]:
        with tempfile.TemporaryDirectory() as folder:
            make(Path(folder), given.pairs // CLASSES, form)
            for method in [given.method] if given.method else list(WANTED):
                run(folder, form, method)


if __name__ == "__main__":
    main()
