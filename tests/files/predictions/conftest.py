"""Files of predictions for the tests of this folder."""

import json

import pytest


@pytest.fixture
def write(tmp_path, monkeypatch):
    """Write a file and return its name; errors then name it without its folder."""
    monkeypatch.chdir(tmp_path)

    def writes(content, name="p.csv"):
        if isinstance(content, list):
            content = "".join(json.dumps(row) + "\n" for row in content)
        (tmp_path / name).write_text(content, encoding="utf-8")
        return name

    return writes
