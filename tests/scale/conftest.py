"""The engines: DuckDB for a file of tests, and Spark, started once. Calibrators are fitted once."""

from __future__ import annotations

import os
import sys

import pytest
from standalone import StandaloneCluster

from needs import absent
from satc import scale
from satc.errors import EngineError
from satc.inputs import MULTI_LABEL
from satc.ranking.preparation import fit_calibrator
from satc.scale.engines.spark_session import check_java


@pytest.fixture(scope="module", autouse=True)
def fitted_once():
    """Fit the contextual calibrator once for equal training documents, seeds and tasks.

    Most tests of a file have the same training documents, and compare an engine with memory.
    """
    fitted = {}

    def fit(training, random_state, task=MULTI_LABEL):
        if training.features is not None or not isinstance(random_state, int):
            return fit_calibrator(training, random_state, task)
        arrays = (training.oof_scores, training.labels)
        key = (random_state, task, *((a.shape, a.dtype, a.tobytes()) for a in arrays))
        if key not in fitted:
            fitted[key] = fit_calibrator(training, random_state, task)
        return fitted[key]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("satc.ranking.preparation.fit_calibrator", fit)
        patch.setattr("satc.scale.ranking.fit_calibrator", fit)
        yield


@pytest.fixture(scope="module")
def engine():
    with scale.connect("duckdb", memory="1GB", threads=2) as engine:
        yield engine


# Spark's Java processes live for a minute: optimising and verifying their code takes longer than
# it saves.
JAVA_OPTIONS = (
    "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC "
    "-XX:+UnlockDiagnosticVMOptions -XX:-BytecodeVerificationRemote"
)
SETTINGS = {"spark.ui.enabled": "false", "spark.sql.shuffle.partitions": "2"}


@pytest.fixture(scope="module")
def java():
    """Set what all Java processes of Spark use; skip the test where there is no Java."""
    try:
        check_java()
    except EngineError as error:
        absent(str(error))
    settings = " ".join(f"--conf {name}={value}" for name, value in SETTINGS.items())
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SPARK_LOCAL_IP", "127.0.0.1")
        patch.setenv("JDK_JAVA_OPTIONS", JAVA_OPTIONS)
        patch.setenv("PYSPARK_SUBMIT_ARGS", f"{settings} pyspark-shell")
        patch.setenv("PYSPARK_PYTHON", sys.executable)
        yield


@pytest.fixture(scope="module")
def spark(java):
    """Start Spark. A process can have one session at a time."""
    master = os.environ.get("SATC_TEST_SPARK", "local[2]")
    with scale.connect("spark", master=master) as engine:
        yield engine


@pytest.fixture(scope="module")
def standalone(java, tmp_path_factory):
    """Start a master and two workers of Spark."""
    cluster = StandaloneCluster(tmp_path_factory.mktemp("cluster"))
    yield cluster
    cluster.stop()
