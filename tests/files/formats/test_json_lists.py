import json

import pytest
from exported_made import texts, values
from hypothesis import given, settings
from hypothesis import strategies as st

from satc.errors import DataError
from satc.files.formats import json_lists as module
from satc.files.formats.json_lists import read_json_list


def objects(path):
    return [row.values for row in read_json_list(path, "task")]


@settings(max_examples=60, deadline=None)
@given(
    given_=st.lists(
        st.dictionaries(texts, values.filter(lambda v: v == v), max_size=3), max_size=4
    ),
    chunk=st.integers(1, 40),
    indent=st.none() | st.integers(0, 2),
)
def test_a_list_is_read_as_json_reads_it_however_it_is_cut(tmp_path_factory, given_, chunk, indent):
    path = tmp_path_factory.mktemp("list") / "a.json"
    text = json.dumps(given_, indent=indent, ensure_ascii=bool(chunk % 2))
    path.write_text(text, encoding="utf-8-sig" if chunk % 3 else "utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "CHUNK", chunk)
        assert repr(objects(path)) == repr(json.loads(text))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "must be a JSON list of tasks, but the end of the file comes"),
        (b'{"a": 1}', "must be a JSON list of tasks, but '{' comes"),
        (b"[1]", "task 1 must be a JSON object, but begins with '1'"),
        (b'[{"a": 1}, ]', "task 2 must be a JSON object, but begins with ']'"),
        (b'[{"a": 1} {}]', "after task 1 a comma or the end of the list must come, but '{' comes"),
        (b'[{"a": 1}', "after task 1 .* but the end of the file comes"),
        (b'[{"a": ', "task 1 must be JSON, but is not"),
        (b"[] x", "must end with its list, but 'x' follows"),
        (b'[{"a": "\xff"}]', "must be UTF-8, but is not"),
        (b'[{"a": "\\ud800"}]', "task 1 must be text, but has half of a surrogate pair"),
        (b'[{"a": ' + b"[" * 100_000, "task 1 must be JSON, but is not"),
    ],
)
def test_a_file_that_is_not_a_list_of_objects_is_refused(content, message, tmp_path):
    (tmp_path / "a.json").write_bytes(content)
    with pytest.raises(DataError, match=message):
        objects(tmp_path / "a.json")


def test_an_object_without_end_is_not_read_for_ever(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "CHUNK", 10)
    monkeypatch.setattr(module, "OBJECT_LIMIT", 100)
    (tmp_path / "a.json").write_text('[{"a": "' + "x" * 10_000 + '"}]')
    with pytest.raises(DataError, match="task 1 must be JSON, but is not"):
        objects(tmp_path / "a.json")
