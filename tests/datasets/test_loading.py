from __future__ import annotations

import subprocess
import sys

import pytest
from collections_made import reuters_archive, story

from satc import datasets
from satc.datasets import load, names
from satc.errors import DataError
from satc.inputs import SINGLE_LABEL, task_of


@pytest.fixture
def made(tmp_path):
    stories = [story(1, "TRAIN", ["corn"])]
    stories += [story(i, "TEST", ["corn"] if i % 2 else []) for i in range(2, 250)]
    (tmp_path / "reuters21578.tar.gz").write_bytes(reuters_archive(stories))
    return tmp_path


def test_a_dataset_has_its_name_licence_and_source(made):
    loaded = load("reuters21578", data_home=made)
    assert loaded.name == "reuters21578"
    assert "research" in loaded.licence
    assert loaded.source.startswith("https://www.daviddlewis.com/")
    assert loaded.tests == (loaded.test,)


@pytest.mark.parametrize("n_parts", [10, 100])
def test_the_random_parts_partition_the_test_set_and_stay_the_same(n_parts, made):
    first, again = (load(f"reuters21578/{n_parts}", data_home=made) for _ in range(2))
    assert len(first.tests) == n_parts
    assert sorted(i for part in first.tests for i in part.ids) == sorted(first.test.ids)
    assert [part.ids for part in first.tests] == [part.ids for part in again.tests]
    assert {len(part) for part in first.tests} <= {248 // n_parts, 248 // n_parts + 1}


def test_the_parts_of_reuters_have_the_papers_sizes(dataset):
    assert {len(part) for part in dataset("reuters21578/10").tests} == {329, 330}
    assert {len(part) for part in dataset("reuters21578/100").tests} == {32, 33}


@pytest.mark.slow
def test_stories_with_one_topic_are_the_published_ones(dataset):
    for name, counts in {"r52": (6_532, 2_568, 52), "r8": (5_485, 2_189, 8)}.items():
        loaded = dataset(name)
        assert (len(loaded.train), len(loaded.test), len(loaded.classes)) == counts
        assert task_of(loaded.train.labels) == task_of(loaded.test.labels) == SINGLE_LABEL


def test_a_class_without_a_test_story_or_with_another_topic_beside_it_is_left_out(tmp_path):
    stories = [
        story(1, "TRAIN", ["earn"]),
        story(2, "TRAIN", ["corn"]),  # no test story
        story(3, "TRAIN", ["earn", "acq"]),
        story(4, "TRAIN", ["gold"]),
        story(5, "TEST", ["earn"]),
        story(6, "TEST", ["earn", "earn"]),  # the published sets do not have such a story
        story(7, "TEST", ["gold"]),
        story(8, "TEST", []),
    ]
    (tmp_path / "reuters21578.tar.gz").write_bytes(reuters_archive(stories))
    loaded = load("r52", data_home=tmp_path)
    assert (loaded.classes, loaded.train.ids) == (("earn", "gold"), ("1", "4"))
    assert loaded.test.ids == ("5", "7")
    assert load("r8", data_home=tmp_path).test.ids == ("5",)


def test_an_unknown_name_is_answered_with_the_names_that_exist():
    with pytest.raises(
        ValueError, match=r"name must be one of 'reuters21578', .*, but is 'reuter'"
    ):
        load("reuter")


def test_missing_files_are_an_error_that_says_how_to_get_them(tmp_path):
    with pytest.raises(DataError, match="satc datasets fetch reuters21578"):
        load("reuters21578/10", data_home=tmp_path)


def test_the_environment_names_the_directory_of_the_files(made, monkeypatch):
    monkeypatch.setenv("SATC_DATA", str(made))
    assert len(load("reuters21578").train) == 1


def test_all_datasets_of_the_paper_and_of_the_documentation_are_there():
    assert set(names) == {
        *("reuters21578", "reuters21578/10", "reuters21578/100", "ohsumed", "ohsumed-s"),
        *("ohsumed20k", "medline", "medline-s", "banking77", "r52", "r8"),
        *("brighter-deu", "brighter-hin", "brighter-chn", "brighter-rus"),
    }


def test_importing_the_package_imports_nothing_heavy():
    code = "import sys, satc.datasets.registry as r; print(*sys.modules)"
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    heavy = {"pyarrow", "urllib.request", "tarfile", "satc.datasets.loading"}
    assert heavy & set(result.stdout.split()) == set()


def test_an_unknown_attribute_of_the_package_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'lode'"):
        _ = datasets.lode
