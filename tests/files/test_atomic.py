from pathlib import Path

import pytest

from satc.files.atomic import atomic_folder


def test_a_folder_takes_the_place_of_the_former_one(tmp_path):
    target = tmp_path / "out"
    for text in ("first", "second"):
        with atomic_folder(target) as folder:
            (folder / f"{text}.txt").write_text(text)
    assert [path.name for path in target.iterdir()] == ["second.txt"]
    assert list(tmp_path.iterdir()) == [target]


def test_a_block_that_fails_leaves_the_former_folder(tmp_path):
    target = tmp_path / "out"
    with atomic_folder(target) as folder:
        (folder / "kept.txt").write_text("kept")
    with pytest.raises(IsADirectoryError, match="half"), atomic_folder(target) as folder:
        folder.joinpath("half").mkdir() or folder.joinpath("half").write_text("fails")
    assert [path.name for path in target.iterdir()] == ["kept.txt"]
    assert list(tmp_path.iterdir()) == [target]


def test_a_signal_between_the_two_renames_leaves_the_former_folder(tmp_path, monkeypatch):
    target = tmp_path / "out"
    target.mkdir()
    (target / "kept.txt").write_text("kept")
    plain = Path.rename

    def stopped_after(path, to):
        moved = plain(path, to)
        if path == target:
            raise SystemExit(143)
        return moved

    monkeypatch.setattr(Path, "rename", stopped_after)
    with pytest.raises(SystemExit, match="143"), atomic_folder(target):
        pass
    assert [path.name for path in target.iterdir()] == ["kept.txt"]
    assert list(tmp_path.iterdir()) == [target]
