"""Files of any bytes: all decisions are imported, or none and the error names the file."""

from __future__ import annotations

import json
import shutil
from contextlib import closing

import pytest
from exported_made import human
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from projects_made import make, make_project

from hostile import damaged, outcome
from satc.errors import DataError
from satc.files.exchange import read, write
from satc.workbench.reports.import_decisions import import_decisions
from satc.workbench.store import open_store
from satc.workbench.store.events import read_events
from satc.workbench.store.projects import get_project

pytestmark = pytest.mark.filterwarnings("ignore::satc.errors.GuessedFormatWarning")

RECORDS = [human("d1", labels=("class 1",)), human("d2", "Größer", ("class 2", "class 3"))]
SHORT = [{"annotation_id": 1, "satc_id": "d1", "labels": {"choices": ["class 1"]}, "annotator": 3}]
FORMS = {
    "d.csv": None,
    "d.tsv": None,
    "d.xlsx": None,
    "d.jsonl": None,
    "d.parquet": None,
    "d.json": "label-studio",
    "doccano.jsonl": "doccano",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("exchanged")


@pytest.fixture(scope="module")
def written(folder):
    """The same decisions in every format, as bytes."""
    contents = {}
    for name, form in FORMS.items():
        write(RECORDS, folder / name, form)
        contents[name] = (folder / name).read_bytes()
    contents["short.json"] = json.dumps(SHORT).encode()
    return contents


@pytest.mark.parametrize("name", [*FORMS, "short.json"])
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_a_damaged_file_of_decisions_is_read_or_refused_by_name(name, data, written, folder):
    path = folder / name
    path.write_bytes(data.draw(damaged(written[name])))
    outcome(lambda path: list(read(path, FORMS.get(name))), path)


# Any value of JSON, in place of any value of a task.
strange = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=4,
)


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_values_of_any_type_are_refused_by_name(data, folder):
    value = data.draw(strange)
    keys = ["id", "label", "labels", "satc_labels", "satc_id", "satc_predicted", "satc_source"]
    keys += ["satc_validated_by", "satc_validated_at", "data", "annotations", "annotation_id"]
    row = {"id": "d1", "label": ["x"], "labels": ["x"], "satc_predicted": ["x"]}
    row |= {"data": {"id": "d1"}, "annotations": [{"result": []}]}
    row |= {data.draw(st.sampled_from(keys)): value}
    row["annotations"] = data.draw(st.sampled_from([row["annotations"], [{"result": [value]}]]))
    for name, form in (("any.jsonl", None), ("any.jsonl", "doccano"), ("any.json", None)):
        path = folder / name
        path.write_text(json.dumps([row] if name == "any.json" else row) + "\n")
        outcome(lambda path, form=form: list(read(path, form)), path)


def test_predictions_that_are_not_strings_are_ignored(tmp_path):
    path = tmp_path / "d.jsonl"
    row = {"id": 1, "label": ["x"], "satc_predicted": [{}], "satc_source": "automatic"}
    path.write_text(json.dumps(row))
    assert [decision.labels for decision in read(path, "doccano")] == [("x",)]


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_a_damaged_dataset_is_read_or_refused_by_name(data, folder):
    sound, path = folder / "sound", folder / "damaged"
    if not sound.exists():
        write(RECORDS, sound, "hugging-face", classes=("class 1", "class 2", "class 3"))
    shutil.rmtree(path, ignore_errors=True)
    shutil.copytree(sound, path)
    victim = data.draw(st.sampled_from(sorted(path.iterdir())))
    victim.write_bytes(data.draw(damaged(victim.read_bytes())))
    outcome(lambda path: list(read(path, "hugging-face")), path)


def test_a_dataset_whose_state_is_nested_without_end_is_refused(tmp_path):
    write(RECORDS, tmp_path / "deep", "hugging-face")
    (tmp_path / "deep" / "state.json").write_text("[" * 100_000)
    with pytest.raises(DataError, match="deep must be a saved dataset, but is damaged"):
        list(read(tmp_path / "deep", "hugging-face"))


@pytest.fixture(scope="module")
def project(folder):
    return make_project(make(n=10), folder / "made.satc")


@pytest.mark.slow
@settings(max_examples=30, deadline=None)
@given(data=st.data())
def test_a_damaged_file_is_taken_in_whole_or_not_at_all(data, project, written, folder):
    name = data.draw(st.sampled_from(list(FORMS)))
    path = folder / name
    path.write_bytes(data.draw(damaged(written[name])))
    with closing(open_store(project)) as store:
        key = get_project(store).key
        before = len(list(read_events(store, key)))
        taken = outcome(lambda path: import_decisions(store, None, path, FORMS[name], "ann"), path)
        assert len(list(read_events(store, key))) == before + (taken or 0)


def test_a_name_that_no_database_holds_is_refused_with_its_line(location, tmp_path):
    path = tmp_path / "d.jsonl"
    row = {"id": "d1", "labels": [], "satc_validated_by": "a\0b"}
    path.write_text(json.dumps(row))
    with closing(open_store(make_project(make(n=10), location))) as store:
        with pytest.raises(DataError, match=r"d\.jsonl, line 1: .* NUL"):
            import_decisions(store, None, path, None, "ann")
        assert not list(read_events(store, get_project(store).key))
