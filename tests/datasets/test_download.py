from __future__ import annotations

import json
import socket

import numpy as np
import pytest
from file_server import serving

from satc.datasets import download as module
from satc.datasets.download import UnreachableError, download, part_path, remove_part
from satc.errors import DataError

CONTENT = np.random.default_rng(0).bytes(300_000)
CUT = 100_000


@pytest.fixture(autouse=True)
def _no_proxy(monkeypatch):
    monkeypatch.setenv("no_proxy", "*")


@pytest.fixture
def target(tmp_path):
    return tmp_path / "file.tar.gz"


def cut_off(served, target):
    served.cut_after = CUT
    with pytest.raises(
        DataError, match=r"was cut off after 100,000 of 300,000 bytes .* fetch again"
    ):
        download(served.url, target)
    served.cut_after = None


def test_a_file_arrives_whole_with_progress(target):
    steps = []
    with serving(CONTENT) as served:
        part = download(served.url, target, lambda done, total: steps.append((done, total)))
    assert part.read_bytes() == CONTENT
    assert part == part_path(target)
    assert not target.exists()
    assert steps[-1] == (300_000, 300_000)
    assert [done for done, _ in steps] == sorted({done for done, _ in steps})
    assert len(steps) > 2


@pytest.mark.parametrize(
    "versions",
    [
        {"etag": '"v1"'},
        {"etag": None, "modified": "Mon, 01 Jan 2024 00:00:00 GMT"},
        {"etag": 'W/"v1"', "modified": "Mon, 01 Jan 2024 00:00:00 GMT"},
        {"etag": None},
    ],
    ids=["etag", "date", "weak etag", "size alone"],
)
def test_a_cut_download_goes_on_where_it_stopped(versions, target):
    steps = []
    with serving(CONTENT, **versions) as served:
        cut_off(served, target)
        assert part_path(target).read_bytes() == CONTENT[:CUT]
        part = download(served.url, target, lambda done, total: steps.append((done, total)))
        assert served.asked[1]["Range"] == "bytes=100000-"
    assert part.read_bytes() == CONTENT
    assert steps[0][0] > CUT
    assert steps[-1] == (300_000, 300_000)


def test_a_weak_etag_is_not_used_to_ask_for_a_part(target):
    date = "Mon, 01 Jan 2024 00:00:00 GMT"
    with serving(CONTENT, etag='W/"v1"', modified=date) as served:
        cut_off(served, target)
        download(served.url, target)
        assert served.asked[1]["If-Range"] == date


@pytest.mark.parametrize("honest", [True, False], ids=["If-Range", "no If-Range"])
def test_the_download_of_a_changed_file_starts_again(honest, target):
    with serving(CONTENT, honest_if_range=honest) as served:
        cut_off(served, target)
        served.content, served.etag = CONTENT[::-1] + b"more", '"v2"'
        assert download(served.url, target).read_bytes() == CONTENT[::-1] + b"more"


def test_the_download_of_a_file_shorter_than_its_part_starts_again(target):
    with serving(CONTENT, etag=None) as served:
        cut_off(served, target)
        served.content = b"short"
        assert download(served.url, target).read_bytes() == b"short"
        assert len(served.asked) == 3  # the whole, the rest (416), the whole


@pytest.mark.parametrize("answer", ["x", "bytes 5-9/300000", "bytes 100000-299999/*"])
def test_a_wrong_part_makes_the_download_start_again(answer, target):
    with serving(CONTENT, content_range=answer) as served:
        cut_off(served, target)
        assert download(served.url, target).read_bytes() == CONTENT


def test_a_server_without_parts_sends_everything_again(target):
    with serving(CONTENT, ranges=False) as served:
        cut_off(served, target)
        assert download(served.url, target).read_bytes() == CONTENT


def test_a_part_of_another_address_is_not_continued(target):
    with serving(CONTENT) as first, serving(CONTENT[::-1]) as second:
        cut_off(first, target)
        assert download(second.url, target).read_bytes() == CONTENT[::-1]
        assert "Range" not in second.asked[0]


@pytest.mark.parametrize("note", ["", "{}", "[1]", '{"url": 1}'])
def test_a_part_whose_note_is_damaged_is_not_continued(note, target):
    with serving(CONTENT) as served:
        cut_off(served, target)
        part_path(target).with_name("file.tar.gz.part.json").write_text(note)
        assert download(served.url, target).read_bytes() == CONTENT


def test_a_file_of_unknown_length_is_downloaded(target):
    steps = []
    with serving(CONTENT, send_length=False) as served:
        part = download(served.url, target, lambda done, total: steps.append(total))
    assert part.read_bytes() == CONTENT
    assert set(steps) == {None}


@pytest.mark.parametrize("status", [404, 500])
def test_a_server_that_does_not_have_it_is_unreachable(status, target):
    with (
        serving(CONTENT, status=status) as served,
        pytest.raises(UnreachableError, match=rf"reuters21578\.tar\.gz answers {status}"),
    ):
        download(served.url, target)
    assert list(target.parent.iterdir()) == []


def test_a_server_that_is_not_there_is_unreachable(target):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}/x"
        with pytest.raises(UnreachableError, match=r"does not answer: .*refused"):
            download(url, target)


def test_a_server_that_stops_answering_is_an_error(target, monkeypatch):
    monkeypatch.setattr(module, "TIMEOUT", 0.2)
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        url = f"http://127.0.0.1:{silent.getsockname()[1]}/x"
        with pytest.raises(DataError, match="timed out"):
            download(url, target)


@pytest.mark.parametrize("send_length", [True, False])
def test_a_download_without_end_is_refused(send_length, target, monkeypatch):
    monkeypatch.setattr(module, "SIZE_LIMIT", 200_000)
    with (
        serving(CONTENT, send_length=send_length) as served,
        pytest.raises(DataError, match="must have at most 200,000 bytes, but has"),
    ):
        download(served.url, target)


def test_only_http_addresses_are_downloaded(target, tmp_path):
    (tmp_path / "secret").write_text("x")
    with pytest.raises(ValueError, match=r"url must begin with http:// or https://"):
        download(f"file://{tmp_path}/secret", target)


def test_a_directory_that_cannot_be_written_is_named(tmp_path):
    with (
        serving(CONTENT) as served,
        pytest.raises(DataError, match=r"cannot be saved in .*missing"),
    ):
        download(served.url, tmp_path / "missing" / "file")


def test_removing_a_part_removes_its_version_too(target):
    with serving(CONTENT) as served:
        cut_off(served, target)
    assert json.loads((target.parent / "file.tar.gz.part.json").read_text())["size"] == 300_000
    remove_part(target)
    assert list(target.parent.iterdir()) == []
