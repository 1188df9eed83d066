"""`satc create` and `satc rank` with a folder in which Annif has indexed texts."""

import csv

import pytest
from commanding import command as run

SUBJECTS = {"wheat": "grain field flour", "ship": "port sea captain"}


@pytest.fixture
def folder(tmp_path):
    """80 texts with suggestions; people have checked the subjects of the first 60."""
    (tmp_path / "docs").mkdir()
    gold = ["id,true_labels"]
    for i in range(80):
        true = ("wheat", "ship")[i % 2]
        lines = []
        for number, name in enumerate(SUBJECTS):
            score = (0.9 if name == true else 0.2) - i % 7 / 10
            if score > 0:
                lines.append(f"<http://example.org/{number}>\t{name}\t{score:.4f}\n")
        (tmp_path / "docs" / f"d{i:02}.txt").write_text(f"{SUBJECTS[true]} {i}", encoding="utf-8")
        (tmp_path / "docs" / f"d{i:02}.annif").write_text("".join(lines), encoding="utf-8")
        if i < 60:
            gold.append(f"d{i:02},{true}")
    (tmp_path / "gold.csv").write_text("\n".join(gold) + "\n", encoding="utf-8")
    return tmp_path


def test_the_folder_alone_is_a_project_with_its_texts(folder):
    given = ("--predictions", "docs", "--known", "gold.csv", "--method", "u-theoretic")
    done = run("create", "index.satc", *given, cwd=folder)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("index.satc: 20 documents are ready.")
    assert run("export", "index.satc", "-o", "out.csv", cwd=folder).returncode == 0
    with (folder / "out.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [row["id"] for row in rows] == [f"d{i}" for i in range(60, 80)]
    assert rows[0]["text"] == "grain field flour 60"


def test_texts_may_be_in_a_folder_of_their_own(folder):
    (folder / "texts").mkdir()
    for path in (folder / "docs").glob("*.txt"):
        path.rename(folder / "texts" / path.name)
    given = ("--predictions", "docs", "--known", "gold.csv", "--documents", "texts")
    done = run("rank", *given, "--method", "u-theoretic", "-o", "ranked.csv", cwd=folder)
    assert done.returncode == 0, done.stderr
    with (folder / "ranked.csv").open(newline="", encoding="utf-8") as file:
        texts = {row["document"]: row["text"] for row in csv.DictReader(file)}
    assert texts["d61"] == "port sea captain 61"


def test_without_documents_a_project_is_refused(folder):
    done = run("create", "index.satc", "--predictions", "gold.csv", cwd=folder)
    assert (done.returncode, "--documents is needed" in done.stderr) == (2, True)


def test_a_folder_without_texts_is_refused_with_what_would_work(folder):
    (folder / "empty").mkdir()
    given = ("--predictions", "docs", "--known", "gold.csv", "--documents", "empty")
    done = run("create", "index.satc", *given, "--method", "u-theoretic", cwd=folder)
    assert done.returncode == 1
    assert "empty must hold texts, *.txt, but holds none" in done.stderr
