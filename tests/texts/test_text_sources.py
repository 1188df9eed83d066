"""Sources are descriptions; `prepare` returns classes, training side and documents with scores."""

import dataclasses

import numpy as np
import pytest

from satc.errors import DataError
from satc.files.faults import Faults
from satc.texts.learner_source import LearnerSource
from satc.texts.scores_source import ScoresSource
from satc.texts.source import ReadySource, training_arguments
from satc.training import Training
from texts_made import TOPICS, write_texts


def quiet(step, done=0):
    """Show no progress."""


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    folder = tmp_path_factory.mktemp("texts")
    write_texts(folder / "labelled.csv", 60, labelled=True)
    write_texts(folder / "new.csv", 10, seed=1)
    return LearnerSource(folder / "labelled.csv", folder / "new.csv", folds=3)


def test_preparing_leaves_the_source_as_it_is_and_may_be_repeated(source):
    before = dataclasses.asdict(source)
    first, second = source.prepare(quiet), source.prepare(quiet)
    assert dataclasses.asdict(source) == before
    np.testing.assert_array_equal(first.training.oof_scores, second.training.oof_scores)
    with pytest.raises(dataclasses.FrozenInstanceError):
        first.classes = ()


def test_a_trained_learner_classifies_the_documents_of_its_source(source):
    trained = source.prepare(quiet)
    assert trained.classes == tuple(sorted(TOPICS))
    assert len(trained.train_ids) == trained.training.n_documents == 60
    (block,) = trained.blocks(Faults(source.documents))
    assert block.scores.shape == (10, len(TOPICS))
    np.testing.assert_array_equal(block.scores, trained.classify(block.documents).scores)


def test_a_ready_source_is_not_prepared_again(source):
    trained = source.prepare(quiet)
    assert ReadySource(trained).prepare(quiet) is trained


def test_scores_without_names_number_their_classes(tmp_path):
    write_texts(tmp_path / "new.csv", 4)
    np.save(tmp_path / "scores.npy", np.full((4, 2), -1.0))
    prepared = ScoresSource(tmp_path / "new.csv", tmp_path / "scores.npy").prepare(quiet)
    assert prepared.classes == ("class 1", "class 2")
    assert (prepared.training, prepared.new_lexicon()) == (None, None)


@pytest.mark.parametrize(("n", "said"), [(3, "3 rows for more than 3"), (5, "5 rows for 4")])
def test_scores_must_have_a_row_for_each_document(tmp_path, n, said):
    write_texts(tmp_path / "new.csv", 4)
    np.save(tmp_path / "scores.npy", np.full((n, 2), -1.0))
    prepared = ScoresSource(tmp_path / "new.csv", tmp_path / "scores.npy").prepare(quiet)
    with pytest.raises(DataError, match=f"but has {said} documents"):
        list(prepared.blocks(Faults(tmp_path / "new.csv")))


def test_scores_from_0_to_1_are_refused_with_the_way_out(tmp_path):
    write_texts(tmp_path / "new.csv", 4)
    np.save(tmp_path / "scores.npy", np.full((4, 2), 0.5))
    np.save(tmp_path / "real.npy", np.full((4, 2), -0.5))
    np.save(tmp_path / "labels.npy", np.ones((4, 2)))
    source = ScoresSource(tmp_path / "new.csv", tmp_path / "scores.npy")
    with pytest.raises(DataError, match=r"--predictions .*scores\.npy --kind probabilities"):
        source.prepare(quiet)
    training = (tmp_path / "scores.npy", tmp_path / "labels.npy")
    with pytest.raises(DataError, match=r"scores\.npy must have scores below 0"):
        ScoresSource(tmp_path / "new.csv", tmp_path / "real.npy", *training).prepare(quiet)


def test_features_are_passed_only_if_both_sides_have_them():
    labels = [[1], [0]]
    without = Training([[1.0], [-1.0]], labels)
    features = np.eye(2)
    assert training_arguments(None, None) == {}
    assert training_arguments(None, features) == {"features": features}
    assert set(training_arguments(without, features)) == {"training"}
    both = training_arguments(Training([[1.0], [-1.0]], labels, features), features)
    assert set(both) == {"training", "features"}
    assert both["training"].features is features
    alone = training_arguments(Training([[1.0], [-1.0]], labels, features), None)
    assert alone["training"].features is None
