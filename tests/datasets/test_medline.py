from __future__ import annotations

import gzip

import pytest
from collections_made import medline_file, medline_record

from satc.datasets import load, medline
from satc.errors import DataError

NAME = "pubmed20n0014.xml.gz"


def loaded(content: bytes, tmp_path, name="medline"):
    (tmp_path / NAME).write_bytes(content)
    return load(name, data_home=tmp_path)


@pytest.mark.slow
def test_the_set_has_its_published_counts(dataset):
    whole = dataset("medline")
    assert (len(whole.train), len(whole.test), len(whole.classes)) == (9_334, 5_498, 125)
    assert "Hypertension" in whole.classes
    assert whole.train.labels.any(axis=1).sum() == 712
    assert whole.test.labels.any(axis=1).sum() == 526


def test_the_pubmed_year_splits_and_records_without_abstract_or_headings_are_left_out(tmp_path):
    made = loaded(
        medline_file(
            medline_record(1, 1977, ["Humans", "Heart Arrest"]),
            medline_record(2, 1978),
            medline_record(3, 1979, ["Heart Arrest", "Varicose Veins"]),
            medline_record(4, 1980),
            medline_record(5, 1978, abstract=None),
            medline_record(6, 1978, headings=()),
        ),
        tmp_path,
    )
    assert (made.train.ids, made.test.ids) == (("1", "2"), ("3",))
    assert made.classes == ("Heart Arrest",)
    assert made.test.label_names(0) == ("Heart Arrest",)


def test_the_small_variant_keeps_the_labelled_documents(tmp_path):
    content = medline_file(
        medline_record(1, 1977, ["Humans", "Heart Arrest"]),
        medline_record(2, 1978),
        medline_record(3, 1979, ["Heart Arrest"]),
        medline_record(4, 1979),
    )
    small = loaded(content, tmp_path, "medline-s")
    assert (small.train.ids, small.test.ids) == (("1",), ("3",))


def test_the_text_is_title_and_abstract_without_markup(tmp_path):
    made = loaded(
        medline_file(
            medline_record(1, 1977, abstract="H<sub>2</sub>O &amp;\n   more", title="A <i>b</i>")
        ),
        tmp_path,
    )
    assert made.train.texts == ("A b\nH2O & more",)


def test_records_that_span_the_chunks_of_reading_stay_whole(tmp_path, monkeypatch):
    monkeypatch.setattr(medline, "_CHUNK", 13)
    made = loaded(medline_file(medline_record(1, 1977), medline_record(2, 1978)), tmp_path)
    assert made.train.ids == ("1", "2")


def test_an_entity_that_the_file_defines_is_not_expanded(tmp_path):
    prolog = '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>\n'
    content = medline_file(medline_record(1, 1977, abstract="&b;"), prolog=prolog)
    with pytest.raises(
        DataError, match=rf"{NAME}: a record is not well-formed XML: undefined entity"
    ):
        loaded(content, tmp_path)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (medline_file(medline_record(1, 1977))[:-9], "is damaged or cut off"),
        (b"no gzip", "is damaged or cut off: it does not end with </PubmedArticleSet>"),
        (medline_file(), "must hold MEDLINE records"),
        (medline_file(medline_record(7, "")), "record 7 must have a PubMed date, but has none"),
        (medline_file(medline_record(1, 1977, title="<i>")), "a record is not well-formed XML"),
        (
            gzip.compress(b"<PubmedArticleSet>" + medline_record(1, 1977).encode()),
            "is damaged or cut off: it does not end with </PubmedArticleSet>",
        ),
    ],
    ids=["cut off", "no gzip", "no records", "no date", "not well-formed", "no end"],
)
def test_a_damaged_file_is_named(content, message, tmp_path):
    with pytest.raises(DataError, match=rf"{NAME}:? {message}"):
        loaded(content, tmp_path)


def test_a_record_without_end_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(medline, "_RECORD_LIMIT", 1000)
    content = gzip.compress(b"<PubmedArticle>" + b"x" * 10_000)
    with pytest.raises(DataError, match="a record is larger than 1,000 bytes"):
        loaded(content, tmp_path)
