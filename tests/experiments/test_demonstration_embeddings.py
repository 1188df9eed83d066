"""The demonstration with embeddings: a further curve, and a project that uses them."""

import pytest
from test_protocol import small

from satc.workbench.reports.demonstration import EMBEDDED, OURS, demonstrate
from satc.workbench.store import open_store
from satc.workbench.store.predictions import read_opinions
from satc.workbench.store.projects import get_project


@pytest.mark.slow
def test_the_report_compares_with_and_without_embeddings(tmp_path):
    steps = []
    found = demonstrate(
        tmp_path,
        small(),
        lambda step, done=0: steps.append(step),
        title="Small",
        targets=[0.8],
        folds=3,
        embeddings="all-MiniLM-L6-v2",
    )
    assert list(found)[:2] == [EMBEDDED, OURS]
    assert "by meaning" in (tmp_path / "report.html").read_text(encoding="utf-8")
    store = open_store(tmp_path / "demo.satc")
    assert list(read_opinions(store, get_project(store, None))) == ["embeddings"]
    store.close()
    assert any("embedding" in step for step in steps)
