"""The engines: DuckDB for a file of tests, and Spark, started once."""

from __future__ import annotations

import pytest

from needs import absent
from satc import scale
from satc.errors import EngineError
from satc.scale.spark import check_java, start_spark


@pytest.fixture(scope="module")
def engine():
    with scale.connect("duckdb", memory="1GB", threads=2) as engine:
        yield engine


# Spark's Java processes live for a minute: optimising their code takes longer than it saves.
JAVA_OPTIONS = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"


@pytest.fixture(scope="session")
def spark():
    """Start a Spark cluster of two worker processes."""
    try:
        check_java()
    except EngineError as error:
        absent(str(error))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SPARK_LOCAL_IP", "127.0.0.1")
        patch.setenv("JDK_JAVA_OPTIONS", JAVA_OPTIONS)
        session = start_spark("local-cluster[2,1,1024]")
        session.conf.set("spark.sql.shuffle.partitions", 4)
        try:
            yield scale.SparkEngine(session=session)
        finally:
            session.stop()
