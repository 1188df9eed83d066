"""Predictions with their documents: rows are matched, known documents are left out."""

import numpy as np
import pytest
from sklearn.feature_extraction.text import CountVectorizer

from satc.errors import DataError, SatcWarning
from satc.files import read_documents
from satc.files.faults import BadRowsError, Faults
from satc.learners.text import LogTfidfTransformer
from satc.texts.predictions_source import PredictionsSource

TEXTS = {"a": "wheat corn wheat", "b": "ship port", "c": "corn ship", "d": "rate bank bank"}
P = {"a": (0.9, 0.2), "b": (0.4, 0.7), "c": (0.6, 0.1), "d": (0.2, 0.3)}


def quiet(step, done=0):
    pass


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write("p.csv", "id,x,y", *(f"{i},{x},{y}" for i, (x, y) in P.items()))
    write("d.csv", "id,text", *(f"{i},{TEXTS[i]}" for i in "dbca"))
    return tmp_path


def write(name, *lines):
    with open(name, "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")


def prepared(**options):
    return PredictionsSource("p.csv", **options).prepare(quiet)


def tfidf(texts):
    """The language of these texts cannot be known, so their words are not stemmed."""
    counts = CountVectorizer().fit_transform(texts)
    return LogTfidfTransformer().fit_transform(counts).toarray()


def words(*ids):
    return tfidf([TEXTS[i] for i in ids])


def log_odds(ids):
    p = np.array([P[i] for i in ids])
    return np.log(p / (1 - p))


def test_documents_get_the_scores_and_the_words_of_their_ids(folder):
    found = prepared(documents=folder / "d.csv")
    (block,) = found.blocks(Faults(folder / "d.csv"))
    assert block.documents.ids == tuple("dbca")
    np.testing.assert_allclose(block.scores, log_odds("dbca"))
    np.testing.assert_allclose(block.features.toarray(), words(*"dbca"))
    assert (found.training, found.new_lexicon(), found.task) == (None, None, "multi-label")


def test_known_documents_are_left_out_and_have_features(folder):
    write("k.csv", "id,true_labels", "c,y", "a,x")
    found = prepared(documents=folder / "d.csv", known=folder / "k.csv")
    (block,) = found.blocks(Faults(folder / "d.csv"))
    assert block.documents.ids == ("d", "b")
    every = words(*"dbca")
    np.testing.assert_allclose(block.features.toarray(), every[:2])
    np.testing.assert_allclose(found.training.features.toarray(), every[2:])
    np.testing.assert_allclose(found.training.oof_scores, log_odds("ca"))


def test_known_documents_of_another_file_need_texts_for_features(folder):
    write("d.csv", "id,text", f"b,{TEXTS['b']}", f"d,{TEXTS['d']}")
    write("k.csv", "id,text,true_labels,x,y", "k,corn wheat,x,0.7,0.2", "l,port bank,,0.1,0.3")
    found = prepared(documents=folder / "d.csv", known=folder / "k.csv")
    texts = [TEXTS["b"], TEXTS["d"], "corn wheat", "port bank"]
    every = tfidf(texts)
    np.testing.assert_allclose(found.training.features.toarray(), every[2:])
    with pytest.warns(SatcWarning, match=r"2 of 4 predictions in p\.csv have no document in"):
        (block,) = found.blocks(Faults(folder / "d.csv"))
    np.testing.assert_allclose(block.features.toarray(), every[:2])
    write("k.csv", "id,true_labels,x,y", "k,x,0.7,0.2", "l,,0.1,0.3")
    found = prepared(documents=folder / "d.csv", known=folder / "k.csv")
    assert (found.features, found.training.features) == (None, None)


def test_texts_without_words_give_no_features(folder):
    write("d.csv", "id,text", *(f"{i},12 34" for i in P))
    assert prepared(documents=folder / "d.csv").features is None


def test_texts_in_the_predictions_are_enough(folder):
    write("p.csv", "id,text,x,y", *(f"{i},{TEXTS[i]},{x},{y}" for i, (x, y) in P.items()))
    np.testing.assert_allclose(prepared().features.toarray(), words(*"abcd"))


def test_one_file_can_be_both(folder):
    write("p.csv", "id,text,x,y", *(f"{i},{TEXTS[i]},{x},{y}" for i, (x, y) in P.items()))
    (block,) = prepared(documents=folder / "p.csv").blocks(Faults(folder / "p.csv"))
    np.testing.assert_allclose(block.scores, log_odds("abcd"))


def test_features_of_files_are_matched(folder):
    np.save("f.npy", np.arange(8.0).reshape(4, 2))
    write("k.csv", "id,true_labels", "c,y", "a,x")
    found = prepared(documents=folder / "d.csv", known=folder / "k.csv", features="f.npy")
    assert found.training.features.tolist() == [[4, 5], [0, 1]]
    block = found.block(read_documents("d.csv"))
    assert block.features.tolist() == [[6, 7], [2, 3]]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"features": "f.npy", "known": "own.csv"}, "--train-features has them"),
        ({"features": "f.npy", "known": "own.csv", "train_features": "one.npy"}, "the 2 features"),
        ({"train_features": "f.npy"}, "needs --features"),
    ],
)
def test_features_that_do_not_fit_are_refused(folder, options, message):
    np.save("f.npy", np.ones((4, 2)))
    np.save("one.npy", np.ones((1, 1)))
    write("own.csv", "id,true_labels,x,y", "k,x,0.7,0.2")
    with pytest.raises(DataError, match=message):
        prepared(**options)


def test_matrices_follow_the_order_of_the_documents(folder):
    np.save("p.npy", [P[i] for i in "dbca"])
    found = PredictionsSource(folder / "p.npy", folder / "d.csv").prepare(quiet)
    (block,) = found.blocks(Faults(folder / "d.csv"))
    np.testing.assert_allclose(block.scores, log_odds("dbca"))
    np.save("p.npy", [P[i] for i in "dbc"])
    found = PredictionsSource(folder / "p.npy", folder / "d.csv").prepare(quiet)
    with pytest.raises(DataError, match="must have a row for each document"):
        list(found.blocks(Faults(folder / "d.csv")))


def test_rows_of_documents_that_cannot_be_used_are_listed(folder):
    write("d.csv", "id,text", "a,one", "a,two", "b,three")
    with pytest.raises(BadRowsError, match=r"d\.csv, line 3: 'id' must differ"):
        prepared(documents=folder / "d.csv")


def test_blocks_need_a_file_of_documents(folder):
    with pytest.raises(ValueError, match="documents must be given"):
        list(prepared().blocks(Faults(folder / "p.csv")))
