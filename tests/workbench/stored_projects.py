"""Generated projects that hold the best part of a larger set."""

from __future__ import annotations

import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from projects_made import quiet
from stored_made import classes_of, ids_of, write_long, write_wide

from satc.workbench.model.settings import Settings
from satc.workbench.model.subset_origin import SubsetOrigin
from satc.workbench.project.best_part import BestPartSource
from satc.workbench.project.creation import create, create_file
from satc.workbench.store import open_store

SIZE = 15


def files_of(made, folder, form, size, absent=None):
    """Write the scores of a larger set, its training labels and its documents, in random order.

    Scores of -absent are not written; that is possible in wide form.
    """
    n, m = made.scores.shape
    ids = ids_of(n)
    with (folder / "documents.jsonl").open("w", encoding="utf-8") as file:
        for i in np.random.default_rng(1).permutation(n):
            file.write(json.dumps({"id": ids[i], "text": f"Text {i}.", "labels": []}) + "\n")
    target = folder / "stored.parquet"
    if absent is None:
        scores = {"long": write_long, "wide": write_wide}[form](target, made.scores)
    else:
        scores = write_known(target, made.scores, absent)
    labels = [
        {
            "id": f"d{i:05d}",
            "text": "-",
            "labels": [c for c, y in zip(classes_of(m), row, strict=True) if y],
        }
        for i, row in enumerate(made.y_train)
    ]
    (folder / "train.jsonl").write_text("".join(json.dumps(row) + "\n" for row in labels))
    return SubsetOrigin(str(folder / "documents.jsonl"), scores, size, absent=absent)


def write_known(path, scores, absent):
    """Write scores in wide form; those of -absent are null."""
    columns = dict(zip(classes_of(scores.shape[1]), scores.T, strict=True))
    known = {name: pa.array(column, mask=column == -absent) for name, column in columns.items()}
    pq.write_table(pa.table({"document": ids_of(len(scores)), **known}), path)
    return str(path)


def make_stored(
    made, folder, location, form="long", weights=None, size=SIZE, absent=None, **settings
):
    """Make a project of the best documents of a larger set, which is stored in the folder."""
    stored = files_of(made, folder, form, size, absent)
    chosen = Settings("Claims", **settings)
    write_long(folder / "oof", made.oof_scores, files=1, shuffled=False)
    source = BestPartSource(
        stored, folder / "oof" / "0.parquet", folder / "train.jsonl", chosen, weights
    )
    documents = folder / "documents.jsonl"
    if str(location).startswith("postgresql"):
        store = open_store(location, new=True)
        create(store, "claims", source, chosen, documents, quiet, weights)
        store.close()
    else:
        create_file(location, source, chosen, documents, quiet, weights)
    return location
