import pytest
from hypothesis import given
from hypothesis import strategies as st

from satc.errors import DataError
from satc.files import id_index as module
from satc.files import read_documents
from satc.files.id_index import IdIndex


@pytest.fixture(scope="module", autouse=True)
def few():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "LATEST", 4)
        yield


@pytest.mark.slow
@given(st.lists(st.text(max_size=3), max_size=40))
def test_the_index_returns_the_same_lines_as_a_dictionary(ids):
    index, known = IdIndex(), {}
    for line, identity in enumerate(ids):
        assert index.line(identity) == known.get(identity)
        if identity not in known:
            index.add(identity, line)
            known[identity] = line
    assert len(index) == len(known)
    assert len(index._latest) < 4
    assert all(index.line(identity) == line for identity, line in known.items())


def test_digests_that_agree_in_one_half_are_told_apart(monkeypatch):
    halves = {"a": (7, 1), "b": (7, 2), "c": (7, 3), "d": (5, 1), "e": (7, 4), "f": (8, 1)}
    monkeypatch.setattr(module, "_digest", lambda name: module.np.uint64(halves[name]))
    index = IdIndex()
    for line, name in enumerate("abcd"):
        index.add(name, line)
    assert [index.line(name) for name in "abcdef"] == [0, 1, 2, 3, None, None]


def test_an_id_that_comes_again_much_later_is_named_with_both_lines(tmp_path):
    rows = [f"d{i},x" for i in range(20)]
    (tmp_path / "d.csv").write_text("\n".join(["id,text", *rows, "d3,y"]))
    with pytest.raises(
        DataError, match=r"line 22: 'id' must differ .* 'd3' stands in line 5 as well"
    ):
        read_documents(tmp_path / "d.csv")
