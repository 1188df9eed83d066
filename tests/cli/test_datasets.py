from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

from satc.cli.datasets import app
from satc.datasets import names
from satc.datasets.registry import ENTRIES, SOURCES
from satc.errors import DataError

sys.path.append(str(Path(__file__).parents[1] / "datasets"))
from collections_made import REUTERS_COUNTS, reuters_archive
from file_server import serving


def run(*arguments: object):
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


@pytest.fixture
def small_reuters(monkeypatch):
    """The made-up archive is what the collection must be."""
    records, train, test, classes = REUTERS_COUNTS
    source = replace(SOURCES["reuters21578"], records=records)
    monkeypatch.setitem(SOURCES, "reuters21578", source)
    entry = replace(ENTRIES["reuters21578"], train=train, test=test, classes=classes)
    monkeypatch.setitem(ENTRIES, "reuters21578", entry)


def test_the_list_has_every_dataset(monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    output = run("list").output
    for name in names:
        assert f" {name} " in output
    assert "9,603" in output


def test_the_list_is_json_on_request_and_says_what_is_here(tmp_path):
    (tmp_path / "reuters21578.tar.gz").write_bytes(b"")
    facts = {
        fact["name"]: fact
        for fact in json.loads(run("list", "--json", "--data-home", tmp_path).output)
    }
    assert tuple(facts) == names
    assert facts["reuters21578/10"]["files"] == [str(tmp_path / "reuters21578.tar.gz")]
    assert facts["ohsumed"]["files"] == []
    assert facts["reuters21578"]["classes"] == 115


def test_info_shows_counts_licence_and_source(tmp_path):
    output = run("info", "reuters21578", "--data-home", tmp_path).output
    for part in ("9,603", "3,299", "115", "free for research purposes only", "daviddlewis.com"):
        assert part in output


@pytest.mark.parametrize("name", names)
def test_every_dataset_says_its_licence(name):
    assert len(json.loads(run("info", name, "--json").output)["licence"]) > 20


def test_counts_that_are_the_papers_are_said_to_be(tmp_path):
    output = run("info", "ohsumed", "--data-home", tmp_path).output
    assert "the paper's" in output


@pytest.mark.usefixtures("small_reuters")
def test_fetch_takes_an_archive_of_the_user_and_shows_the_licence(tmp_path):
    (tmp_path / "mine.tar.gz").write_bytes(reuters_archive())
    home = tmp_path / "home"
    result = run("fetch", "reuters21578", "--from", tmp_path / "mine.tar.gz", "--data-home", home)
    assert result.exit_code == 0
    assert f"reuters21578 is in {home / 'reuters21578.tar.gz'}" in result.output.replace("\n", "")
    assert "Licence: Copyright Reuters Ltd" in result.output
    assert [path.name for path in home.iterdir()] == ["reuters21578.tar.gz"]


@pytest.mark.usefixtures("small_reuters")
def test_fetch_downloads_with_progress(tmp_path, monkeypatch):
    monkeypatch.setenv("no_proxy", "*")
    archive = reuters_archive()  # once: it holds the time of its making
    with serving(archive) as served:
        source = replace(SOURCES["reuters21578"], urls=(served.url,))
        monkeypatch.setitem(SOURCES, "reuters21578", source)
        assert run("fetch", "reuters21578", "--data-home", tmp_path).exit_code == 0
    assert (tmp_path / "reuters21578.tar.gz").read_bytes() == archive


def test_a_damaged_archive_is_an_error_for_the_command_to_show(tmp_path):
    (tmp_path / "mine.tar.gz").write_bytes(reuters_archive()[:-9])
    home = tmp_path / "home"
    with pytest.raises(DataError, match=r"mine\.tar\.gz is damaged or cut off"):
        run("fetch", "reuters21578", "--from", tmp_path / "mine.tar.gz", "--data-home", home)
    assert not home.exists()


@pytest.mark.parametrize("command", ["info", "fetch"])
def test_an_unknown_name_is_answered_with_the_names_that_exist(command):
    with pytest.raises(ValueError, match="name must be one of 'reuters21578'"):
        run(command, "reuters")


@pytest.mark.parametrize("command", ["list", "info", "fetch"])
def test_the_help_of_each_command_has_an_example(command):
    result = run(command, "--help")
    assert result.exit_code == 0
    assert f"Example: satc datasets {command}" in result.output
