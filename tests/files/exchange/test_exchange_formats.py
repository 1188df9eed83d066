import pytest
from exported_made import human

from satc.files.exchange import FORMATS, format_of, read, write


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("a.csv", "csv"),
        ("a.TSV", "tsv"),
        ("a.b.jsonl", "jsonl"),
        ("a.jsonl.gz", "jsonl"),
        ("a.parquet", "parquet"),
        ("a.json", "label-studio"),
    ],
)
def test_the_file_ending_names_the_format(path, name):
    assert format_of(path) is FORMATS[name]


def test_a_given_format_overrides_the_file_ending():
    assert format_of("a.jsonl", "doccano") is FORMATS["doccano"]


def test_an_unknown_name_is_answered_with_those_that_exist():
    with pytest.raises(ValueError, match=r"one of 'csv', .*'hugging-face', but is 'excel'"):
        read("a.csv", "excel")


def test_an_ending_of_no_format_is_answered_with_the_formats():
    with pytest.raises(ValueError, match=r"format must be given for 'a.xls': one of 'csv'"):
        format_of("a.xls")


def test_a_file_is_not_written_under_an_ending_of_another_format(tmp_path):
    with pytest.raises(ValueError, match=r"path must end with '\.json', but is"):
        write([human()], tmp_path / "a.csv", "label-studio")
    assert not list(tmp_path.iterdir())
