"""Whatever the README shows runs as it stands, in a folder with files of the names that it uses."""

import json
import re
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import httpx
import numpy as np
import pytest
from typer.testing import CliRunner

from made import make
from satc.cli import app
from texts_made import invented, write_texts

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
CONSOLE = re.findall(r"```console\n(.*?)```", README, re.DOTALL)
PYTHON = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
SECTIONS = re.split(r"^## ", README, flags=re.MULTILINE)[1:]


def commands(block):
    """Return the commands of a block, each as its words."""
    lines = block.replace("\\\n", " ").splitlines()
    assert all(line.startswith("$ ") for line in lines), f"not a command: {lines}"
    return [shlex.split(line[2:]) for line in lines]


@pytest.fixture(scope="module")
def made():
    return make(seed=1)


@pytest.fixture
def folder(tmp_path, monkeypatch, made):
    write_texts(tmp_path / "labelled.csv", 120, labelled=True)
    write_texts(tmp_path / "new.csv", 30, seed=1)
    write_texts(tmp_path / "questions.csv", 30, seed=1)
    rows = (f"{i},{word} please,{word}" for i, word in enumerate(["card", "pin", "rate"] * 30))
    (tmp_path / "tickets.csv").write_text("\n".join(["id,text,label", *rows]))
    predicted = [{"id": f"={i}", "label": "news" if i % 3 else "hoax"} for i in range(30)]
    (tmp_path / "predicted.jsonl").write_text("\n".join(map(json.dumps, predicted)))
    np.save(tmp_path / "scores.npy", made.scores)
    np.save(tmp_path / "oof.npy", made.oof_scores)
    np.save(tmp_path / "train.npy", made.y_train)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(words):
    """Run a command of the README; one that is not known here is an error."""
    if words[0] == "make":
        subprocess.run(["make", "-n", *words[1:]], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    elif words[:2] == ["satc", "serve"]:
        run_server(words[1:])
    elif words[0] == "satc":
        done = CliRunner().invoke(app, words[1:], input="a good password\n", catch_exceptions=False)
        assert done.exit_code == 0, done.output
        for option in ("-o", "--oof-output"):
            if option in words:
                assert Path(words[words.index(option) + 1]).exists()
    else:
        raise AssertionError(f"the README has a command that its test does not know: {words}")


def run_server(words):
    """Serve for real, on a free port, until it answers; Ctrl-C ends it."""
    command = [sys.executable, "-m", "satc", *words, "--port", "0"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as server:
        try:
            address = server.stdout.readline().split()[-1].replace("0.0.0.0", "127.0.0.1")  # noqa: S104
            assert server.stdout.readline() == "All projects are open.\n"
            assert httpx.get(address, follow_redirects=True).status_code == 200
        finally:
            server.send_signal(signal.SIGINT)
            server.communicate(timeout=30)


@pytest.mark.slow
@pytest.mark.parametrize("block", CONSOLE, ids=range(len(CONSOLE)))
def test_every_command_of_the_readme_runs(block, folder):
    for words in commands(block):
        run(words)


@pytest.mark.parametrize("command", re.findall(r"`(make [^`]+)`", README))
def test_every_target_named_in_passing_is_there(command):
    run(shlex.split(command))


def test_every_python_block_of_the_readme_runs(made):
    texts, labels = invented(120)
    names = {"texts": texts, "labels": labels, "new_texts": invented(30, seed=1)[0]}
    names |= {"scores": made.scores, "y_true": made.y_true, **made.training}
    for block in PYTHON:
        exec(compile(block, "README.md", "exec"), names)  # noqa: S102
    assert 0 <= names["first"] < 30
    assert names["v"].n_validated == 1


def test_a_command_that_is_not_known_is_not_passed_over():
    with pytest.raises(AssertionError, match="a command that its test does not know"):
        run(["curl", "https://example.com"])
    with pytest.raises(AssertionError, match="not a command"):
        commands("pip install satc\n")


def test_everything_that_looks_like_code_is_among_what_runs():
    assert README.count("```") == 2 * (len(CONSOLE) + len(PYTHON))
    assert not re.search(
        r"^( {4}|~~~|<pre)", re.sub(r"```.*?```", "", README, flags=re.DOTALL), re.M
    )


@pytest.mark.parametrize("path", re.findall(r"!\[.*?\]\((.*?)\)|`(docs/[\w.-]+)`", README))
def test_every_file_that_the_readme_names_is_there(path):
    assert (ROOT / "".join(path)).is_file()


@pytest.mark.parametrize("image", re.findall(r"!\[.*?\]\((.*?)\)", README))
def test_pictures_are_small(image):
    assert (ROOT / image).stat().st_size < 300_000


@pytest.mark.parametrize("section", SECTIONS, ids=[s.partition("\n")[0] for s in SECTIONS])
def test_a_section_is_at_most_ten_lines_long(section):
    assert len([line for line in section.splitlines()[1:] if line.strip()]) <= 10
