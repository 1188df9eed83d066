import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from exported_made import CLASSES, decisions, exported, human, returned
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from satc.errors import DataError, MissingExtraError
from satc.files.exchange import iter_dataset_documents, read, write

datasets = pytest.importorskip("datasets")


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(given_=st.lists(exported(), max_size=4), classes=st.sampled_from([None, CLASSES]))
def test_decisions_come_back_from_hostile_datasets(given_, classes):
    with TemporaryDirectory() as directory:
        path = Path(directory) / "out"
        assert write(iter(given_), path, "hugging-face", classes=classes) == len(given_)
        assert [one.name for one in Path(directory).iterdir()] == ["out"]
        assert returned(read(path, "hugging-face")) == decisions(given_)


def test_labels_are_numbered_by_the_classes(tmp_path):
    record = human(labels=("wheat",), predicted=("corn",), columns={"year": 1987})
    write([record], tmp_path / "out", "hugging-face", classes=["corn", "wheat"])
    dataset = datasets.load_from_disk(str(tmp_path / "out"))
    assert dataset.features["satc_labels"].feature.names == ["corn", "wheat"]
    assert (dataset[0]["satc_labels"], dataset[0]["satc_predicted"]) == ([1], [0])
    assert dataset[0]["year"] == 1987


def test_a_label_beyond_the_classes_is_named_and_nothing_stays_behind(tmp_path):
    with pytest.raises(ValueError, match="classes must hold every label, but lack 'oat'"):
        write([human(labels=("oat",))], tmp_path / "out", "hugging-face", classes=["corn"])
    assert not list(tmp_path.iterdir())


def test_a_directory_that_is_there_is_not_touched(tmp_path):
    (tmp_path / "mine").write_text("mine")
    with pytest.raises(DataError, match="must not exist yet, but does"):
        write([human()], tmp_path, "hugging-face")
    assert (tmp_path / "mine").read_text() == "mine"


def saved(tmp_path, values, **features):
    dataset = datasets.Dataset.from_dict(values)
    for name, kind in features.items():
        dataset = dataset.cast_column(name, kind)
    datasets.DatasetDict({"train": dataset}).save_to_disk(str(tmp_path / "saved"))
    return tmp_path / "saved"


def test_documents_are_read_with_the_names_of_their_labels(tmp_path):
    kind = datasets.ClassLabel(names=["corn", "wheat"])
    values = {"id": ["1", "2"], "text": ["a", "b"], "labels": [1, 0], "year": [1987, None]}
    path = saved(tmp_path, values, labels=kind)
    (documents,) = iter_dataset_documents(path)
    assert documents.ids == ("1", "2")
    assert documents.labels == (("wheat",), ("corn",))
    assert documents.extra == {"year": (1987, None)}
    assert [len(batch) for batch in iter_dataset_documents(path, batch_size=1)] == [1, 1]


def test_the_names_of_the_columns_are_options(tmp_path):
    path = saved(tmp_path, {"doc": [1], "body": ["a"]})
    (documents,) = iter_dataset_documents(path, id_column="doc", text_column="body")
    assert (documents.ids, documents.texts, documents.labels) == (("1",), ("a",), None)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"id": ["1"]}, "split train, row 1 must have 'text', but has 'id'"),
        ({"id": ["1"], "text": [3]}, "row 1: 'text' must be a string, but is 3"),
        ({"id": ["1", "1"], "text": ["a", "b"]}, "row 2: 'id' must differ from all others"),
        ({"id": ["1"], "text": ["a"], "labels": [[7]]}, "row 1: 'labels' must be a list of labels"),
    ],
)
def test_rows_that_are_not_documents_are_named(values, message, tmp_path):
    path = saved(tmp_path, values)
    with pytest.raises(DataError, match=message):
        list(iter_dataset_documents(path))


def test_an_empty_dataset_and_a_batch_size_of_zero_are_refused(tmp_path):
    write([], tmp_path / "out", "hugging-face")
    with pytest.raises(DataError, match="must hold at least one document, but holds none"):
        list(iter_dataset_documents(tmp_path / "out"))
    with pytest.raises(ValueError, match="batch_size must be at least 1, but is 0"):
        iter_dataset_documents(tmp_path / "out", batch_size=0)


def test_a_label_without_a_name_is_an_error(tmp_path):
    kind = datasets.ClassLabel(names=["corn"])
    path = saved(tmp_path, {"id": ["1"], "labels": [-1]}, labels=kind)
    with pytest.raises(DataError, match=r"row 1: 'labels' must be a list of labels .* is \[-1\]"):
        list(read(path, "hugging-face"))


def test_a_directory_that_is_not_a_saved_dataset_is_named(tmp_path):
    with pytest.raises(DataError, match="must be a directory that `datasets` saved, but is none"):
        list(read(tmp_path / "none", "hugging-face"))
    with pytest.raises(DataError, match="must be a saved dataset, but is damaged"):
        list(read(tmp_path, "hugging-face"))


@pytest.mark.parametrize("file", ["state.json", "dataset_info.json", "data-00000-of-00001.arrow"])
def test_a_damaged_dataset_is_named(file, tmp_path):
    write([human()], tmp_path / "out", "hugging-face")
    (tmp_path / "out" / file).write_bytes(b"\xff{")
    with pytest.raises(DataError, match="must be a saved dataset, but is damaged"):
        list(read(tmp_path / "out", "hugging-face"))


@pytest.mark.parametrize("place", [1 << 30, 10**6, -5])
@pytest.mark.parametrize("column", ["text", "labels"])
def test_a_dataset_with_a_text_or_a_list_at_an_impossible_place_is_refused(column, place, tmp_path):
    values = {"id": list("abcde"), "text": ["word" * k for k in range(5)], "labels": [["corn"]] * 5}
    path = saved(tmp_path, values)
    sizes = [len(value) for value in values[column]]
    places = np.cumsum([0, *sizes], dtype="<i4")
    (file,) = path.glob("train/*.arrow")
    changed = places.copy()
    changed[3] = place
    assert places.tobytes() in file.read_bytes()
    file.write_bytes(file.read_bytes().replace(places.tobytes(), changed.tobytes()))
    with pytest.raises(DataError, match=r"must be a saved dataset, but is damaged: .*offset"):
        list(iter_dataset_documents(path))


def test_without_the_library_the_extra_is_named(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "datasets", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'satc\[exchange\]'"):
        write([human()], tmp_path / "out", "hugging-face")
    assert not list(tmp_path.iterdir())


def test_the_library_is_left_as_it_was(tmp_path, capfd):
    before = (datasets.config.HF_DATASETS_CACHE, datasets.are_progress_bars_disabled())
    write([human()], tmp_path / "out", "hugging-face")
    assert (datasets.config.HF_DATASETS_CACHE, datasets.are_progress_bars_disabled()) == before
    assert capfd.readouterr() == ("", "")
