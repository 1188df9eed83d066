"""The files of BRIGHTER, unchanged: a column of 0 and 1 for each of six emotions."""

import csv
import gzip
import io

import pytest
from commanding import command as run

from needs import absent

EMOTIONS = ["anger", "disgust", "fear", "joy", "sadness", "surprise"]
LANGUAGES = ["deu", "hin", "chn", "rus"]


@pytest.fixture(scope="module")
def brighter(data_home):
    if not (data_home / "brighter").is_dir():
        absent(f"no data: {data_home / 'brighter'} is not a directory")
    return data_home / "brighter"


def rows_of(text):
    return list(csv.DictReader(io.StringIO(text, newline="")))


def unpacked(path):
    return gzip.decompress(path.read_bytes()).decode()


def part_of(source, target, n):
    rows = rows_of(unpacked(source))[:n]
    with target.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)
    return rows


def macro_f1(pairs):
    """Return macro-F1 of pairs of predicted and true labels."""
    values = []
    for name in EMOTIONS:
        both = sum(name in found and name in true for found, true in pairs)
        either = sum((name in found) + (name in true) for found, true in pairs)
        values.append(2 * both / either if either else 1.0)
    return sum(values) / len(values)


@pytest.mark.slow
def test_the_unchanged_files_are_ranked(brighter, tmp_path):
    train, documents = brighter / "deu-train.csv.gz", brighter / "deu-test.csv.gz"
    files = ("--train", train, "--documents", documents, "--folds", 3)
    done = run("rank", *files, "--label-columns", ",".join(EMOTIONS), "-o", tmp_path / "r.csv")
    assert done.returncode == 0, done.stderr
    ranked = rows_of((tmp_path / "r.csv").read_text(encoding="utf-8"))
    true = {row["id"]: row for row in rows_of(unpacked(documents))}
    assert sorted(row["document"] for row in ranked) == sorted(true)
    assert all(row[name] == true[row["document"]][name] for row in ranked for name in EMOTIONS)
    pairs = [
        (set(row["predicted"].split("|")), {name for name in EMOTIONS if row[name] == "1"})
        for row in ranked
    ]
    assert macro_f1(pairs) > 0.45  # with all labels everywhere, it is .32


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_is_read_packed_and_unpacked(brighter, tmp_path, language):
    from satc.files import read_documents

    for part in ("train", "test"):
        path = brighter / f"{language}-{part}.csv.gz"
        (tmp_path / f"{part}.csv").write_text(unpacked(path), encoding="utf-8", newline="")
        documents = read_documents(path, label_columns=EMOTIONS)
        assert (
            read_documents(tmp_path / f"{part}.csv", label_columns="anger,d*,f*,j?y,s*")
            == documents
        )
        rows = rows_of(unpacked(path))
        assert documents.ids == tuple(row["id"] for row in rows)
        assert documents.labels == tuple(
            tuple(name for name in EMOTIONS if row[name] == "1") for row in rows
        )


@pytest.fixture(scope="module")
def small(brighter, tmp_path_factory):
    """A project of parts of the files, with the gold labels of its documents."""
    folder = tmp_path_factory.mktemp("brighter")
    part_of(brighter / "deu-train.csv.gz", folder / "train.csv", 300)
    part_of(brighter / "deu-test.csv.gz", folder / "test.csv", 60)
    files = ("--train", "train.csv", "--documents", "test.csv", "--folds", 3)
    columns = ("--label-columns", "anger,disgust,fear,j?y,s*")
    done = run("create", "p.satc", *files, *columns, "--method", "u-theoretic", cwd=folder)
    assert done.returncode == 0, done.stderr
    return folder


@pytest.mark.slow
def test_the_gold_labels_are_imported_and_exported_in_their_shape(small):
    names = ("--label-columns", ",".join(EMOTIONS))
    done = run("import", "p.satc", "test.csv", *names, cwd=small)
    assert done.stdout.startswith("60 decisions"), done.stderr
    run("export", "p.satc", "-o", "out.csv", *names, cwd=small)
    gold = rows_of((small / "test.csv").read_text(encoding="utf-8"))
    found = rows_of((small / "out.csv").read_text(encoding="utf-8"))
    for row, one in zip(gold, found, strict=True):
        assert [row[name] for name in ("id", "text", *EMOTIONS)] == [
            one[name] for name in ("id", "text", *EMOTIONS)
        ]


def test_without_the_option_it_is_suggested(brighter):
    files = ("--train", brighter / "deu-train.csv.gz", "--documents", brighter / "deu-test.csv.gz")
    done = run("rank", *files)
    assert done.returncode == 1
    assert done.stderr.rstrip().endswith(f"--label-columns {','.join(EMOTIONS)}")
