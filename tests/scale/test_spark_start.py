"""The checks before Spark starts: its master, and Java."""

import pytest

from satc import scale
from satc.errors import EngineError
from satc.scale.engines.spark_session import check_master


def test_a_master_that_does_not_answer_is_one_line():
    with pytest.raises(
        EngineError, match=r"master spark://127.0.0.1:9 cannot be reached: .*refused"
    ):
        scale.connect("spark", master="spark://127.0.0.1:9")
    with pytest.raises(EngineError, match="master spark://nowhere cannot be reached"):
        check_master("spark://nowhere")


@pytest.mark.parametrize(
    ("master", "message"),
    [
        ("nonsense", "the master must be local.* but is 'nonsense'"),
        ("yarn", "yarn needs HADOOP_CONF_DIR or YARN_CONF_DIR, but neither is set"),
        ("k8s://https://127.0.0.1:9", "the master k8s://https://127.0.0.1:9 cannot be reached"),
        ("spark://127.0.0.1:9,127.0.0.1:10", "cannot be reached"),
    ],
)
def test_a_master_of_any_kind_that_is_not_there_is_one_line(monkeypatch, master, message):
    for name in ("HADOOP_CONF_DIR", "YARN_CONF_DIR"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(EngineError, match=message) as raised:
        check_master(master)
    assert "\n" not in str(raised.value)


def test_masters_that_need_no_answer_pass():
    for master in ("local", "local[*]", "local[4]", "local-cluster[2,1,1024]"):
        check_master(master)


def test_a_java_that_is_missing_is_one_line(monkeypatch, tmp_path):
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(
        EngineError, match="needs Java 17 or later, but there is no java on the PATH"
    ):
        scale.connect("spark", master="local[1]")
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(EngineError, match="there is no java in JAVA_HOME"):
        scale.connect("spark", master="local[1]")


def test_a_master_is_for_spark_alone():
    with pytest.raises(ValueError, match="master must be given with engine 'spark' only"):
        scale.connect("duckdb", master="local[1]")
