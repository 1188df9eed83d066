from __future__ import annotations

import pytest

from satc.datasets.mesh import CARDIOVASCULAR_DISEASES, HEART_DISEASES, code_book, subtree


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


def test_the_parents_of_a_heading_are_those_of_its_tree_numbers(data_home):
    lines = (data_home / "mesh_c14.tsv").read_text(encoding="utf-8").splitlines()[1:]
    pairs = [line.split("\t")[:2] for line in lines]
    heading_of = {number: heading for heading, number in pairs}
    book = code_book()
    entry = {one.code: one for one in book.entries}
    for heading, _ in pairs:
        numbers = [number for other, number in pairs if other == heading]
        above = {heading_of[n.rpartition(".")[0]] for n in numbers if "." in n}
        assert set(entry[heading].parents) == above
        assert entry[heading].definition == ", ".join(numbers)
    assert sum(len(one.parents) > 1 for one in book.entries) > 70
    assert book.hierarchy.roots == (book.codes.index("Cardiovascular Diseases"),)


def test_a_former_name_stands_beside_its_heading():
    entry = {one.code: one for one in code_book().entries}
    assert set(entry) == subtree(CARDIOVASCULAR_DISEASES)
    former = entry["Heart Failure, Congestive"]
    assert former.parents == entry["Heart Failure"].parents
    assert former.definition == "Former name of Heart Failure."
