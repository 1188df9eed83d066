from __future__ import annotations

import pytest

from satc.datasets.mesh import CARDIOVASCULAR_DISEASES, HEART_DISEASES, subtree


@pytest.mark.parametrize("name", ["Heart Diseases", "Angina Pectoris", "Heart Failure, Congestive"])
def test_heart_diseases_holds_its_headings_and_their_former_names(name):
    assert name in subtree(HEART_DISEASES)


def test_the_heart_is_a_proper_part_of_the_cardiovascular_subtree():
    heart, all_of_it = subtree(HEART_DISEASES), subtree(CARDIOVASCULAR_DISEASES)
    assert heart < all_of_it
    assert "Hypertension" in all_of_it - heart


def test_the_package_has_the_headings_of_the_published_table(data_home):
    lines = (data_home / "mesh_c14.tsv").read_text(encoding="utf-8").splitlines()[1:]
    names = {line.split("\t")[0] for line in lines}
    heart = {line.split("\t")[0] for line in lines if line.split("\t")[1].startswith("C14.280")}
    assert names <= subtree(CARDIOVASCULAR_DISEASES)
    assert len(heart) == 180
    assert len(subtree(HEART_DISEASES) - heart) == 11  # former names


def test_a_tree_number_is_matched_by_its_levels_and_not_by_its_digits():
    assert subtree("C14.28") == frozenset()
