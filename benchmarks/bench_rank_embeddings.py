"""Time of `satc rank --train` with and without ``--embeddings``, from CSV to CSV.

The texts are generated: 10,000 labelled and 10,000 new sentences of 8 to 20 ordinary words, with 77
classes, each with its own words among the common ones. The cache of vectors is new, so every text
is embedded, and the time includes all of it. Each command runs once in a process of its own.
"""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from satc.embeddings.models.finding import find_model
from timing import report

N_DOCUMENTS, N_CLASSES, N_WORDS = 10_000, 77, 3_000
OF_CLASS = 0.35  # share of a sentence's words that come from its class
MODEL = "all-MiniLM-L6-v2"
LIMIT = 4.0


def made_words(rng):
    """Return ordinary words: whole words of the model's vocabulary."""
    text = (find_model(MODEL).path / "tokenizer.json").read_text(encoding="utf-8")
    words = [one for one in json.loads(text)["model"]["vocab"] if one.isalpha() and one.isascii()]
    return rng.permutation(sorted(one for one in words if len(one) > 2))[:N_WORDS]


def sentences(words, rng):
    """Return sentences and the number of the class of each."""
    common = (np.arange(len(words)) + 5.0) ** -1.1
    common /= common.sum()
    classes = rng.integers(N_CLASSES, size=N_DOCUMENTS)
    texts = []
    for label in classes:
        places = rng.choice(len(words), rng.integers(8, 21), p=common)
        own = np.flatnonzero(rng.random(len(places)) < OF_CLASS)
        places[own] = (label * 31 + rng.integers(25, size=len(own))) % len(words)
        texts.append(" ".join(words[places]))
    return texts, classes


def write(path, texts, classes=None):
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["id", "text"] + ["label"] * (classes is not None))
        for i, text in enumerate(texts):
            writer.writerow([i, text] + ([] if classes is None else [f"class {classes[i]}"]))


def seconds_of(folder, *options):
    """Run the command in a new process, and return its time."""
    command = [sys.executable, "-m", "satc", "rank", "--train", "train.csv", "--documents"]
    command += ["new.csv", "-o", "ranked.csv", *options]
    environment = os.environ | {"SATC_EMBEDDINGS": str(folder / "cache")}
    start = time.perf_counter()
    subprocess.run(command, cwd=folder, env=environment, check=True)
    return time.perf_counter() - start


def main():
    rng = np.random.default_rng(0)
    words = made_words(rng)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write(folder / "train.csv", *sentences(words, rng))
        write(folder / "new.csv", sentences(words, rng)[0])
        without = seconds_of(folder)
        embedded = seconds_of(folder, "--embeddings", MODEL)
    print(f"without {without:.1f} s, with {embedded:.1f} s", flush=True)
    report("satc rank --embeddings / satc rank", embedded / without, f"at most {LIMIT:g}")


if __name__ == "__main__":
    main()
