"""The cache gives back what was put in, survives damage and other processes, and holds no text."""

import warnings

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from satc.embeddings import cache as cache_module
from satc.embeddings.cache import VectorCache, default_folder, text_keys
from satc.embeddings.encoder import Encoded
from satc.errors import SatcWarning


def encoded(keys, n_dimensions=5):
    """Vectors that can be computed from the digests again."""
    seeds = [int.from_bytes(key.ljust(16, b"\0")[:8]) for key in keys.tolist()]
    vectors = [np.random.default_rng(seed).normal(size=n_dimensions) for seed in seeds]
    n_passages = np.array([seed % 7 for seed in seeds], dtype=np.int64)
    return Encoded(np.array(vectors, dtype=np.float32), n_passages)


def keys_of(first, n):
    return text_keys([f"text {i}" for i in range(first, first + n)])


def check_all_found(cache, keys):
    known, found = cache.find(keys)
    assert known.all()
    expected = encoded(keys)
    np.testing.assert_array_equal(found.vectors, expected.vectors)
    np.testing.assert_array_equal(found.n_passages, expected.n_passages)


def opened_with_a_warning(folder, lost):
    """Open a cache and look for digests that are lost; one of the two warns."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        cache = VectorCache(folder)
        known, _ = cache.find(lost)
    assert not known.any()
    assert [(one.category, "damaged" in str(one.message)) for one in said] == [(SatcWarning, True)]
    return cache


def segments(folder):
    return sorted(folder.glob("*.vectors"))


def test_what_was_added_is_found_at_once_and_by_others_in_any_order(tmp_path):
    cache = VectorCache(tmp_path / "new")
    assert cache.n_dimensions is None
    for first in (0, 100, 200):
        keys = keys_of(first, 100)
        assert not cache.has(keys).any()
        cache.add(keys, encoded(keys))
    mixed = keys_of(0, 300)[np.random.default_rng(0).permutation(300)]
    check_all_found(cache, mixed)
    other = VectorCache(tmp_path / "new")
    assert other.n_dimensions == 5
    check_all_found(other, mixed)
    assert not other.has(keys_of(300, 5)).any()


def test_the_index_is_sorted_again_after_many_additions(tmp_path, monkeypatch):
    monkeypatch.setattr(cache_module, "MOST_RECENT", 25)
    cache = VectorCache(tmp_path)
    for first in range(0, 200, 10):
        keys = keys_of(first, 10)
        cache.add(keys, encoded(keys))
        check_all_found(cache, keys_of(0, first + 10))
    assert len(cache._recent) <= 25


def test_two_processes_add_to_one_folder(tmp_path):
    one, two = VectorCache(tmp_path), VectorCache(tmp_path)
    one.add(keys_of(0, 20), encoded(keys_of(0, 20)))
    two.add(keys_of(10, 20), encoded(keys_of(10, 20)))  # 10 of them a second time
    check_all_found(VectorCache(tmp_path), keys_of(0, 30))


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(place=st.floats(0, 1, exclude_max=True), change=st.integers(1, 255), cut=st.booleans())
def test_a_damaged_byte_is_noticed_wherever_it_is(tmp_path, place, change, cut):
    for path in segments(tmp_path):
        path.unlink()
    keys = keys_of(0, 9)
    VectorCache(tmp_path).add(keys, encoded(keys))
    other = keys_of(50, 3)
    VectorCache(tmp_path).add(other, encoded(other))
    (path,) = (one for one in segments(tmp_path) if one.stat().st_size > 300)
    content = bytearray(path.read_bytes())
    at = int(place * len(content))
    content = (
        content[:at] if cut else content[:at] + bytes([content[at] ^ change]) + content[at + 1 :]
    )
    path.write_bytes(content)
    cache = opened_with_a_warning(tmp_path, keys)
    check_all_found(cache, other)
    cache.add(keys, encoded(keys))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_all_found(VectorCache(tmp_path), keys)


def test_a_segment_that_disappears_is_computed_anew(tmp_path):
    keys = keys_of(0, 5)
    cache = VectorCache(tmp_path)
    cache.add(keys, encoded(keys))
    segments(tmp_path)[0].unlink()
    with pytest.warns(SatcWarning):
        assert not cache.find(keys)[0].any()


def test_a_disk_that_refuses_is_a_warning(tmp_path):
    (tmp_path / "file").write_text("")
    cache = VectorCache(tmp_path / "file" / "folder")
    with pytest.warns(SatcWarning, match="cannot be kept"):
        cache.add(keys_of(0, 3), encoded(keys_of(0, 3)))


def test_no_text_is_in_the_cache(tmp_path):
    private = "the patient of room 7"
    keys = text_keys([private])
    VectorCache(tmp_path).add(keys, encoded(keys))
    content = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    assert content
    assert not [word for word in private.split() if len(word) > 3 and word.encode() in content]


def test_digests_tell_all_texts_apart():
    texts = ["", " ", "a", "a\0", "\ud800", "\udfff", "ä", "a" * 10**6]
    assert len(set(text_keys(texts).tolist())) == len(texts)


def test_the_variable_moves_the_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("SATC_EMBEDDINGS", str(tmp_path / "x"))
    assert default_folder() == tmp_path / "x"
    monkeypatch.delenv("SATC_EMBEDDINGS")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "y"))
    assert default_folder() == tmp_path / "y" / "satc" / "embeddings"
