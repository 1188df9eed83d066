"""A ranking as a data frame, and rankings, simulations and estimates in notebooks."""

import builtins

import numpy as np
import pandas as pd
import pytest

import satc
from satc.assurance.live.accuracy import Accuracy, ClassAccuracy
from satc.assurance.live.drift import Assumption
from satc.errors import MissingExtraError


def scored(n=40, m=3, seed=0):
    rng = np.random.default_rng(seed)
    scores = rng.normal(-0.5, 1, (n, m))
    return scores, rng.random(scores.shape) < 1 / (1 + np.exp(-3 * scores))


def ranked(**options):
    scores, _ = scored()
    known, labels = scored(n=80, seed=1)
    return satc.rank(scores, oof_scores=known, y_train=labels, method="u-theoretic", **options)


def test_a_frame_has_the_documents_in_the_order_to_check():
    ranking = ranked()
    frame = ranking.to_frame()
    assert list(frame) == ["rank", "utility", "predicted", "doubtful", "probability_wrong"]
    assert frame.index.name == "document"
    assert frame.index.tolist() == ranking.order.tolist()
    assert frame["rank"].tolist() == list(range(1, 41))
    assert frame["utility"].is_monotonic_decreasing
    assert frame["utility"].sort_index().to_numpy().tolist() == ranking.utility.tolist()


def test_the_doubtful_class_is_the_first_of_the_explanation():
    ranking = ranked()
    frame = ranking.to_frame()
    for i in range(40):
        first = ranking.explain(i)[0]
        assert frame.loc[i, "doubtful"] == first.class_index
        assert frame.loc[i, "probability_wrong"] == pytest.approx(first.error_probability)
        assert frame.loc[i, "predicted"] == np.flatnonzero(ranking.documents.decided[i]).tolist()


def test_a_frame_has_the_ids_and_the_names_that_are_given():
    ids = [f"doc-{i}" for i in range(40)]
    frame = ranked().to_frame(ids=np.array(ids), classes=["corn", "wheat", "rye"])
    assert sorted(frame.index) == sorted(ids)
    assert set(frame["doubtful"]) <= {"corn", "wheat", "rye"}
    assert frame.loc["doc-7", "utility"] == ranked().utility[7]


def test_names_come_from_the_frame_that_was_ranked():
    scores, _ = scored()
    known, labels = scored(n=80, seed=1)
    named = pd.DataFrame(scores, columns=["corn", "wheat", "rye"])
    ranking = satc.rank(named, oof_scores=known, y_train=labels, method="u-theoretic")
    assert set(ranking.to_frame()["doubtful"]) <= {"corn", "wheat", "rye"}
    assert "wheat" in ranking._repr_html_()


def test_where_every_document_has_one_label_the_frame_names_it_and_another():
    scores, _ = scored()
    known, _ = scored(n=80, seed=1)
    labels = np.eye(3, dtype=bool)[known.argmax(axis=1)]
    ranking = satc.rank(
        scores, oof_scores=known, y_train=labels, method="u-theoretic", task="single-label"
    )
    frame = ranking.to_frame(classes=["corn", "wheat", "rye"]).sort_index()
    assert "doubtful" not in frame
    names = np.array(["corn", "wheat", "rye"])
    assert frame["predicted"].tolist() == names[scores.argmax(axis=1)].tolist()
    assert (frame["predicted"] != frame["instead"]).all()
    right = ranking.probability[np.arange(40), scores.argmax(axis=1)]
    np.testing.assert_allclose(frame["probability_wrong"], 1 - right)


def test_a_random_order_has_no_doubtful_class():
    ranking = satc.rank(scored()[0], method="random")
    assert list(ranking.to_frame()) == ["rank", "utility", "predicted"]
    assert "doubtful" not in ranking._repr_html_()


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"ids": ["a"]}, "ids must be the ids of the 40 documents, but are 1"),
        ({"classes": ["a"]}, "classes must be the 3 names of the classes, but are 1"),
    ],
)
def test_a_wrong_number_of_names_is_refused(given, said):
    with pytest.raises(ValueError, match=said):
        ranked().to_frame(**given)


def test_without_pandas_the_error_says_what_to_install(monkeypatch):
    real = builtins.__import__

    def refuse(name, *args, **kwargs):
        if name == "pandas":
            raise ImportError(name)
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", refuse)
    with pytest.raises(MissingExtraError, match=r"pip install 'satc\[frames\]'"):
        ranked().to_frame()


def test_a_notebook_shows_the_first_documents():
    ranking = ranked()
    html = ranking._repr_html_()
    assert "<caption>40 documents by u-theoretic for macro-F1, the first 10</caption>" in html
    assert html.count("<tr>") == 11
    assert f"<td>1</td><td>{ranking.order[0]}</td>" in html


def test_names_are_escaped_in_notebooks():
    hostile = ["<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "a&b\"'"]
    scores, _ = scored()
    known, labels = scored(n=80, seed=1)
    named = pd.DataFrame(scores, columns=hostile)
    html = satc.rank(named, oof_scores=known, y_train=labels, method="u-theoretic")._repr_html_()
    assert "<script" not in html
    assert "<img" not in html
    assert "&lt;script&gt;" in html


def test_a_simulation_shows_how_the_measure_rises():
    scores, truth = scored()
    known, labels = scored(n=80, seed=1)
    sim = satc.simulate(scores, truth, oof_scores=known, y_train=labels, method="u-theoretic")
    html = sim._repr_html_()
    assert "<th>checked</th><th>macro-F1</th><th>error reduction</th>" in html
    assert f"<tr><td>0</td><td>{sim.value[0]:.3f}</td><td>0.000</td></tr>" in html
    assert "<tr><td>40</td><td>1.000</td><td>1.000</td></tr>" in html


def test_an_estimate_shows_its_interval():
    classes = ClassAccuracy(np.zeros(2), np.zeros(2), np.zeros(2))
    assumption = Assumption(holds=True, message="")
    found = Accuracy(0.8612, 0.8271, 0.8949, 0.95, "macro", classes, assumption, np.zeros(2))
    shown = "<p>macro-averaged: <b>0.861</b>, 95% interval 0.827 to 0.895</p>"
    assert found._repr_html_() == shown
