"""All methods, and the packages of others, on every set at hand: the tables of docs/comparison.md.

    python bench_compare.py CACHE --peers PYTHON [--peers PYTHON] [--seeds 3] SET:LEARNER ...
    python bench_compare.py CACHE --write docs/research [--name comparison]

The first form computes; its result for each set and learner is a JSON file in CACHE. The second
form writes the tables from all these files into a folder: NAME_summary_tables.md and
NAME_tables.md. With a name of their own, the tables of some sets can be written without the files
of all others. The learner is one of the paper, or `auto`, that of the commands. `--peers` names
the Python of an environment that has some of cleanlab, small-text, modAL-python and qualle;
`peer_orders.py` runs there. All contenders get the same scores; the packages get the
probabilities of the calibrated sigma, and the classifier's own labels. Scores and orders are
kept in CACHE, so a run that was interrupted continues.
"""

from __future__ import annotations

import argparse
import json
import subprocess
from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np

from peer_orders import PACKAGES
from satc.cli.compared_sets import from_texts
from satc.datasets import load
from satc.experiments.comparison.comparison import compare
from satc.experiments.comparison.contenders import Case, Contender, SeedRun, all_cases, run_methods
from satc.experiments.comparison.sets import dataset_sets
from satc.files import write_table
from satc.inputs import SINGLE_LABEL
from satc.learners.presets import LEARNERS
from satc.ranking.preparation import prepare
from satc.texts.learner_source import LearnerSource

SCRIPT = Path(__file__).with_name("peer_orders.py")


def peer_orders(dataset, given, folder, pythons):
    """Return the orders of other packages, which keep the classifier's own labels."""
    source = folder / "peers.npz"
    probability, out_of_fold = sigma_probabilities(given)
    single = given.task == SINGLE_LABEL
    np.savez(
        source,
        probability=probability,
        labels=given.own_labels,
        train_probability=out_of_fold,
        train_labels=own(given.known["oof_scores"], single),
        y_train=given.known["y_train"],
        texts=np.array(dataset.test.texts),
        train_texts=np.array(dataset.train.texts),
        one_label=single,
    )
    found = {}
    for python, package in product(pythons, PACKAGES):
        target = folder / f"{Path(python).parents[1].name}-{package}.json"
        if not target.exists():
            subprocess.run([python, SCRIPT, source, folder / "new.json", package], check=True)
            (folder / "new.json").rename(target)
        found |= json.loads(target.read_text(encoding="utf-8"))
    source.unlink()
    return found | {"Label Studio": {"prediction score": prediction_score(probability, given)}}


def sigma_probabilities(given):
    """Return P(document belongs to class) under the paper's sigma, of documents and out of fold."""
    options = {"method": "baseline", "task": given.task, "random_state": given.seed}
    side = {name: given.known[name] for name in ("oof_scores", "y_train")}
    model = prepare(given.scores, **side, **options).model
    return [model.probability(scores) for scores in (given.scores, side["oof_scores"])]


def own(scores, single):
    return scores == scores.max(axis=1, keepdims=True) if single else scores >= 0


def prediction_score(probability, given):
    """Label Studio sorts tasks by the score of their prediction, lowest first.

    A backend gives one score to a prediction; here it is the mean probability of its labels, and 0
    if there are none.
    """
    labels = given.own_labels
    sums = np.where(labels, probability, 0.0).sum(axis=1)
    return np.argsort(sums / np.maximum(labels.sum(axis=1), 1), kind="stable").tolist()


def contenders_of(dataset, given, folder, pythons):
    """Return all contenders of a seed; those that an earlier run has computed are read."""
    folder.mkdir(parents=True, exist_ok=True)
    cases = all_cases(given.task)
    left = [case for case in cases if not (folder / f"{case}.npz").exists()]
    for one in run_methods(given, left):
        order = np.arange(0) if one.order is None else one.order
        np.savez(folder / f"{one.case}.npz", order=order, labels=one.labels)
    peers = folder / "peers.json"
    if not peers.exists():
        found = peer_orders(dataset, given, folder, pythons)
        peers.write_text(json.dumps(found), encoding="utf-8")
    found = json.loads(peers.read_text(encoding="utf-8"))
    return [read_contender(case, folder) for case in cases] + [
        Contender(Case(f"{package}, {name}", "sign"), given.own_labels, np.array(order))
        for package, orders in found.items()
        for name, order in orders.items()
    ]


def read_contender(case, folder):
    with np.load(folder / f"{case}.npz") as held:
        order = held["order"]
        return Contender(case, held["labels"], order if len(order) else None)


def sets_of(dataset, learner, cache, seeds):
    """Return the test documents with scores, for each seed; `auto` is trained as by a command."""
    if learner != "auto":
        return dataset_sets(dataset, LEARNERS[learner], cache / "scores", seeds, n_jobs=1)
    train, test = (
        documents_file(cache / f"{dataset.name.replace('/', '_')}-{part}.jsonl", documents)
        for part, documents in (("train", dataset.train), ("test", dataset.test))
    )
    return list(map(with_arrays, from_texts(LearnerSource(train, test), test, seeds).sets))


def with_arrays(given):
    """Return a set whose training side is given as arrays, as `dataset_sets` gives it."""
    training = given.known["training"]
    arrays = {"oof_scores": training.oof_scores, "y_train": training.labels}
    arrays |= {"features": given.known["features"], "train_features": training.features}
    return replace(given, known=arrays)


def documents_file(path, documents):
    labels = [list(documents.label_names(i)) for i in range(len(documents))]
    columns = {"id": list(documents.ids), "text": list(documents.texts), "labels": labels}
    path.parent.mkdir(parents=True, exist_ok=True)
    write_table(path, columns)
    return path


def run(name, learner, cache, seeds, resamples, pythons):
    dataset, title = load(name), f"{name.replace('/', '_')}-{learner}"
    runs = []
    for given in sets_of(dataset, learner, cache, range(seeds)):
        folder = cache / "contenders" / f"{title}-{given.seed}"
        runs.append(SeedRun(given, contenders_of(dataset, given, folder, pythons)))
        print(name, learner, "seed", given.seed, flush=True)
    found = compare(runs, n_resamples=resamples)
    result = {"set": name, "learner": learner, "task": runs[0].given.task, **found.as_dict()}
    target = cache / f"comparison-{title}.json"
    target.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cache", type=Path)
    parser.add_argument("sets", nargs="*", metavar="SET:LEARNER")
    parser.add_argument("--peers", action="append", default=[], metavar="PYTHON")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--resamples", type=int, default=1000)
    parser.add_argument("--write", type=Path)
    parser.add_argument("--name", default="comparison")
    given = parser.parse_intermixed_args()
    for one in given.sets:
        name, _, learner = one.partition(":")
        run(name, learner, given.cache, given.seeds, given.resamples, given.peers)
    if given.write:
        from comparison_tables import tables

        for name, text in tables(given.cache.glob("comparison-*.json"), given.name).items():
            (given.write / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
