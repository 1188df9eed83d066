"""Training through joblib on a Dask cluster of two worker processes."""

import joblib
import numpy as np
import pytest
from sklearn.datasets import make_multilabel_classification
from sklearn.svm import LinearSVC

from satc import out_of_fold_scores
from satc.learners import MPBoostClassifier

distributed = pytest.importorskip("distributed")

pytestmark = [
    pytest.mark.slow,
    # Dask leaves sockets and event loops to the garbage collector
    pytest.mark.filterwarnings(
        "ignore::ResourceWarning",
        "ignore::DeprecationWarning",
        "ignore::pytest.PytestUnraisableExceptionWarning",
    ),
]


@pytest.fixture(scope="module")
def client():
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0"
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        client.wait_for_workers(2)
        yield client


def on_workers(client, compute):
    """Compute on the cluster until both workers have run tasks; short tasks may all go to one."""
    workers = set()
    for _ in range(10):
        with (
            distributed.get_task_stream(client) as stream,
            joblib.parallel_config("dask", n_jobs=2),
        ):
            found = compute()
        workers |= {task["worker"] for task in stream.data}
        if len(workers) == 2:
            break
    assert len(workers) == 2
    return found


@pytest.fixture(scope="module")
def documents():
    return make_multilabel_classification(200, n_features=30, n_classes=4, random_state=0)


@pytest.mark.parametrize("learner", [LinearSVC(random_state=0), MPBoostClassifier(n_rounds=8)])
def test_the_folds_are_scored_by_both_workers_as_they_are_here(client, documents, learner):
    X, Y = documents
    here = out_of_fold_scores(learner, X, Y, cv=6)
    there = on_workers(client, lambda: out_of_fold_scores(learner, X, Y, cv=6, n_jobs=2))
    np.testing.assert_array_equal(there, here)


def test_mp_boost_is_trained_by_both_workers_as_it_is_here(client, documents):
    X, Y = documents
    here = MPBoostClassifier(n_rounds=8).fit(X, Y).decision_function(X)
    learner = MPBoostClassifier(n_rounds=8, n_jobs=2)
    there = on_workers(client, lambda: learner.fit(X, Y).decision_function(X))
    np.testing.assert_array_equal(there, here)
