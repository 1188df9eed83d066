"""The default learner against the SVM of the paper: accuracy in five languages, and time.

Both learners are trained on the same files, one after the other, in one run. Printed are macro-F1
by the signs of the scores (where every document has one label: by the largest score), macro-F1 of
labels chosen for F1, and the processor time of `satc rank`, start included, as a ratio of auto to
svm. The data is in SATC_DATA or ../shared/data.

Options: names of sets, as in `python benchmarks/bench_languages.py hin banking77`.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

from sklearn.metrics import f1_score

from satc.datasets import load
from satc.files import read_documents
from satc.files.tables import write_table
from satc.inputs import indicator
from timing import report

EMOTIONS = "anger,disgust,fear,joy,sadness,surprise"
LANGUAGES = ("deu", "hin", "chn", "rus")
ENGLISH = ("banking77", "ohsumed20k", "reuters21578")
LIMIT = 2.0  # of the time on English texts
DATA = Path(os.environ.get("SATC_DATA", Path(__file__).parents[2] / "shared" / "data"))


def files_of(name, folder):
    """Return the training file, the test file, and options that name the columns of labels."""
    if name in LANGUAGES:
        paths = (DATA / "brighter" / f"{name}-{part}.csv.gz" for part in ("train", "test"))
        return *paths, ["--label-columns", EMOTIONS]
    dataset = load(name)
    for part, documents in (("train", dataset.train), ("test", dataset.test)):
        labels = [list(documents.label_names(i)) for i in range(len(documents.ids))]
        columns = {"id": list(map(str, documents.ids)), "text": list(documents.texts)}
        write_table(folder / f"{part}.jsonl", columns | {"labels": labels})
    return folder / "train.jsonl", folder / "test.jsonl", []


def rank(train, test, options, output):
    """Run the command; return the predicted labels by document, and the processor time."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [sys.executable, "-m", "satc", "rank", "--train", train, "--documents", test]
    arguments = [*map(str, command), *options, "-o", str(output)]
    subprocess.run(arguments, check=True, stderr=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    with output.open(encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return {row["document"]: row["predicted"] for row in rows}, used


def f1(predicted, truth, classes):
    """Return macro-F1 over the classes that occur in training."""
    names = [predicted[one] for one in truth]
    names = [[label] if isinstance(label, str) else label for label in names]
    found = indicator(names, classes)
    known = indicator(list(truth.values()), classes, drop_unknown=True)
    return f1_score(known, found, average="macro", zero_division=0)


def compare(name):
    with tempfile.TemporaryDirectory() as folder:
        train, test, options = files_of(name, Path(folder))
        where = {"label_columns": EMOTIONS} if options else {}
        classes, given = read_documents(train, **where).classes, read_documents(test, **where)
        truth = dict(zip(given.ids, given.labels, strict=True))
        figures, times = [], []
        for learner in ("svm", "auto"):
            for decide in ("sign", "measure"):
                chosen = [*options, "--learner", learner, "--decide", decide]
                labels, used = rank(train, test, chosen, Path(folder) / "ranked.jsonl")
                figures.append(f1(labels, truth, classes))
            times.append(used)
    print(
        f"{name:13} svm {figures[0]:.3f}/{figures[1]:.3f}, auto {figures[2]:.3f}/{figures[3]:.3f}"
    )
    wanted = f"at most {LIMIT:.0f}" if name in ENGLISH else "none"
    report(f"{name}: time of auto against svm", times[1] / times[0], wanted)


if __name__ == "__main__":
    for name in sys.argv[1:] or (*LANGUAGES, *ENGLISH):
        compare(name)
