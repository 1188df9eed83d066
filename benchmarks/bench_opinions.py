"""Second opinions: neighbours by meaning, a classifier on embeddings, labels of a language model.

For every dataset, the learner on words, chosen labels and `contextual-dynamic`: macro-F1 before
anybody has read a document, and the documents that must be checked until it is .8, .9 and .95, for

* neighbours by words, and by embeddings;
* with a linear classifier on the embeddings as an opinion;
* the same with a further opinion by chance, which must not hurt;
* labels of a language model (simulated: the true labels with 20% errors, unevenly over the
  classes, no scores, nothing known of training documents), alone and beside the learner.

Vectors of texts are kept in a folder, because long texts take minutes.

    python bench_opinions.py [DATASET ...] [--learner svm] [--cache DIRECTORY] [--vectors DIRECTORY]
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

import satc
from satc.datasets.loading import load
from satc.experiments.scores import scores_of
from satc.learners.embedding_classifier import EmbeddingOpinion
from satc.learners.presets import LEARNERS
from satc.learners.text import LogTfidfTransformer

DATASETS = ("banking77", "reuters21578", "ohsumed20k", "medline")
SINGLE = ("banking77", "r52", "r8")
TARGETS = (0.8, 0.9, 0.95)
ERRORS = 0.2
SEEDS = (0, 1, 2)


def vectors_of(dataset, folder: Path):
    """Return the vectors of training and test documents; those that are missing are computed."""
    folder.mkdir(parents=True, exist_ok=True)
    found = []
    for name, part in (("train", dataset.train), ("test", dataset.test)):
        path = folder / f"{dataset.name}-{name}.npy"
        if not path.exists():
            np.save(path, satc.embed(part.texts, cache=False))
        found.append(np.load(path))
    return found


def words_of(dataset, learner):
    """Return the features of the learner, as the command `satc rank` uses them."""
    counts = learner.vectorizer()
    train, test = counts.fit_transform(dataset.train.texts), counts.transform(dataset.test.texts)
    if learner.name != "svm":
        return train, test
    weights = LogTfidfTransformer().fit(train)
    return weights.transform(train), weights.transform(test)


def language_model(truth, task, seed):
    """Return true labels with errors; how many a class has differs from class to class."""
    rng = np.random.default_rng(seed)
    n, m = truth.shape
    rate = rng.beta(2, 8, m) * ERRORS / 0.2
    if task == "single-label":
        label = truth.argmax(axis=1)
        wrong = rng.random(n) < rate[label]
        label = np.where(wrong, (label + rng.integers(1, m, n)) % m, label)
        return np.eye(m, dtype=bool)[label]
    prior = truth.mean(axis=0)
    added = rng.random(truth.shape) < rate * prior / (1 - prior)  # as many as are missed
    return np.where(truth, rng.random(truth.shape) >= rate, added)


def row(name, simulations):
    figures = [[s.value[0], *map(s.documents_for, TARGETS), s.ener(0.1)] for s in simulations]
    start, *until, ener = np.mean(figures, axis=0)
    documents = " | ".join(f"{n:,.0f}" for n in until)
    print(f"| {name} | {start:.3f} | {documents} | {ener:.3f} |", flush=True)


def study(dataset, learner, cache, folder):
    task = "single-label" if dataset.name in SINGLE else "multi-label"
    truth, known = dataset.test.labels, dataset.train.labels
    scores = scores_of(dataset, learner, cache, n_jobs=2)
    train_vectors, vectors = vectors_of(dataset, folder)
    train_words, words = words_of(dataset, learner)
    opinion = EmbeddingOpinion(task).fit(train_vectors, known)
    told = {"embeddings": (opinion.scores(vectors), opinion.oof_scores_)}
    rng = np.random.default_rng(0)
    chance = {"chance": tuple(rng.normal(size=one.shape) for one in (truth, known))}
    by_words = {"features": words, "train_features": train_words}
    by_meaning = {"features": vectors, "train_features": train_vectors}
    options = {"task": task, "method": "contextual-dynamic", "decide": "measure"}
    training = {"oof_scores": scores.oof, "y_train": known}

    def run(**given):
        return satc.simulate(scores.test, truth, **options, **training, **given)

    print(f"\n{dataset.name}, {learner.title}: {len(truth):,} documents\n")
    print(
        "| | macro-F1 at the start | until .8 | .9 | .95 | ENER(.10) |\n|:--|--:|--:|--:|--:|--:|"
    )
    row("neighbours by words", [run(**by_words)])
    row("neighbours by embeddings", [run(**by_meaning)])
    row("words, and embeddings as an opinion", [run(**by_words, opinions=told)])
    row("embeddings for both", [run(**by_meaning, opinions=told)])
    row("and an opinion by chance", [run(**by_meaning, opinions={**chance, **told})])
    models = [language_model(truth, task, seed) for seed in SEEDS]
    alone = [satc.predictions.from_labels(one) for one in models]
    cold = [satc.simulate(one, truth, **options, features=words) for one in alone]
    row("a language model's labels alone", cold)
    row("beside the learner on words", [run(**by_words, opinions={"llm": one}) for one in models])
    everything = [run(**by_meaning, opinions={**told, "llm": one}) for one in models]
    row("beside words and embeddings", everything)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("datasets", nargs="*", default=DATASETS)
    parser.add_argument("--learner", default="svm", choices=sorted(LEARNERS))
    parser.add_argument("--cache", type=Path, default=Path("build/scores"))
    parser.add_argument("--vectors", type=Path, default=Path("build/vectors"))
    given = parser.parse_args()
    for name in given.datasets:
        study(load(name), LEARNERS[given.learner], given.cache, given.vectors)
