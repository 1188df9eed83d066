from __future__ import annotations

import gzip

import pytest
from collections_made import ohsumed_files, ohsumed_record, tar, zipped

from satc.datasets import load
from satc.datasets.ohsumed import read
from satc.errors import DataError

TRAIN = ["87000001", "87000002", "88000001", "89000001", "90000001"]
TEST = ["91000001", "91000002", "91000003"]


def trec9(files: dict[str, bytes]) -> dict[str, bytes]:
    later = b"".join(files[f"ohsumed.{year}"] for year in (88, 89, 90, 91))
    return {
        "ohsu-trec/trec9-train/ohsumed.87": files["ohsumed.87"],
        "ohsu-trec/trec9-test/ohsumed.88-91": later,
        "ohsu-trec/README": b"about",
    }


def write(directory, files):
    for name, content in files.items():
        (directory / name).write_bytes(content)


FORMS = {
    "plain": ohsumed_files(),
    "gzip": {f"{name}.gz": gzip.compress(text) for name, text in ohsumed_files().items()},
    "trec-9": {"t9.filtering.tar.gz": tar(trec9(ohsumed_files()))},
    "zip": {"ohsumed.zip": zipped(ohsumed_files())},
}


@pytest.mark.parametrize("form", FORMS)
def test_all_forms_of_the_collection_give_the_same_dataset(form, tmp_path):
    write(tmp_path, FORMS[form])
    ohsumed = load("ohsumed", data_home=tmp_path)
    assert list(ohsumed.train.ids) == TRAIN
    assert list(ohsumed.test.ids) == TEST
    assert ohsumed.classes == ("Angina Pectoris", "Heart Arrest", "Heart Failure, Congestive")
    assert [ohsumed.train.label_names(i) for i in range(5)] == [
        ("Angina Pectoris", "Heart Arrest"),
        (),
        ("Heart Failure, Congestive",),
        (),
        ("Heart Arrest",),
    ]


def test_the_small_variant_keeps_documents_with_a_label_of_the_kept_classes(tmp_path):
    write(tmp_path, FORMS["plain"])
    small = load("ohsumed-s", data_home=tmp_path)
    assert small.train.ids == ("87000001", "88000001", "90000001")
    assert small.test.ids == ("91000001",)  # Myocarditis has no training example
    assert small.train.labels.any(axis=1).all()


def test_the_text_is_title_and_abstract(tmp_path):
    write(tmp_path, FORMS["plain"])
    assert load("ohsumed", data_home=tmp_path).train.texts[0] == "A title.\nAn abstract."


def test_a_value_may_go_on_over_several_lines(tmp_path):
    files = FORMS["plain"] | {
        "ohsumed.91": ohsumed_record(8, "91000001", "Human;\nHeart Arrest.").encode()
    }
    write(tmp_path, files)
    assert load("ohsumed", data_home=tmp_path).test.label_names(0) == ("Heart Arrest",)


def test_every_record_is_counted_also_those_without_abstract_or_terms(tmp_path):
    write(tmp_path, FORMS["trec-9"])
    assert read((tmp_path / "t9.filtering.tar.gz",)).records == 10


def test_a_missing_year_is_named(tmp_path):
    files = ohsumed_files()
    del files["ohsumed.89"]
    (tmp_path / "ohsumed.zip").write_bytes(zipped(files))
    with pytest.raises(DataError, match=r"ohsumed\.zip must hold the years 87 to 91, but lacks 89"):
        load("ohsumed", data_home=tmp_path)


def test_a_missing_file_beside_the_others_is_named(tmp_path):
    write(tmp_path, FORMS["plain"])
    (tmp_path / "ohsumed.90").unlink()
    with pytest.raises(DataError, match=r"ohsumed\.90 is missing"):
        load("ohsumed", data_home=tmp_path)


def test_a_file_in_another_format_is_refused_with_the_line(tmp_path):
    write(tmp_path, FORMS["plain"] | {"ohsumed.88": b"<html>\n"})
    with pytest.raises(DataError, match=r"ohsumed\.88, line 1 must begin a record with '\.I'"):
        load("ohsumed", data_home=tmp_path)


def test_a_record_of_the_joined_file_must_have_its_year(tmp_path):
    files = trec9(ohsumed_files())
    files["ohsu-trec/trec9-test/ohsumed.88-91"] += ohsumed_record(77, "99000001").encode()
    (tmp_path / "t9.filtering.tar.gz").write_bytes(tar(files))
    with pytest.raises(DataError, match=r"record 77 must have a MEDLINE identifier .* '99000001'"):
        load("ohsumed", data_home=tmp_path)
