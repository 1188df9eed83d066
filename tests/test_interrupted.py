"""A command that is interrupted, or runs out of disk, leaves the old output or the new one."""

from __future__ import annotations

import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import time
from contextlib import closing, contextmanager
from pathlib import Path

import numpy as np
import pytest
from projects_made import make, make_project, write_files

from satc.cli import main
from satc.cli.results import write_texts
from satc.errors import DataError
from satc.workbench.review.desk import open_desk
from satc.workbench.store import open_store
from satc.workbench.store.events import read_events
from satc.workbench.store.projects import get_project, list_projects

pytestmark = pytest.mark.slow

OLD = "as it was"


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """What the commands are given: scores, labels, documents, a project, decisions."""
    folder = tmp_path_factory.mktemp("given")
    made = make(n=300, n_train=300, texts=[f"Wheat and corn {i} " * 40 for i in range(300)])
    write_files(made, folder)
    np.save(folder / "labels.npy", made.y_true)
    labels = ["|".join(f"class {j}" for j in np.flatnonzero(row)) for row in made.y_train]
    rows = [f"t{i},grain {i % 7} and {names},{names}\n" for i, names in enumerate(labels)]
    (folder / "train.csv").write_text("id,text,labels\n" + "".join(rows))
    lines = [json.dumps({"id": f"d{i}", "labels": ["class 1"]}) + "\n" for i in range(300)]
    (folder / "done.jsonl").write_text("".join(lines))
    make_project(made, folder / "claims.satc", audit=1.0)
    shutil.copy(folder / "claims.satc", folder / "fresh.satc")
    with closing(open_store(folder / "claims.satc")) as store:
        desk = open_desk(store)
        for _ in range(3):
            lease, _ = desk.next("ann")
            desk.submit(lease.lease, "ann", [0], 1.0)
    return folder


def scored(folder):
    names = ("scores", "oof-scores", "train-labels")
    paths = ("scores.npy", "oof.npy", "train.npy")
    return [f"--{name}={folder / path}" for name, path in zip(names, paths, strict=True)]


def command(name, folder, output):
    """The arguments of a command that writes to `output`."""
    truth = f"--labels={folder / 'labels.npy'}"
    plain = ["--method=u-theoretic"]
    documents = f"--documents={folder / 'documents.jsonl'}"
    train = f"--train={folder / 'train.csv'}"
    project = folder / "claims.satc"
    arguments = {
        "rank": ["rank", *scored(folder), *plain, "-o", output],
        "texts": ["rank", train, documents, "--folds=3", *plain, "-o", output],
        "simulate": ["simulate", *scored(folder), truth, *plain, "-o", output],
        "curves": ["simulate", *scored(folder), truth, *plain, "--curves", output],
        "plot": ["simulate", *scored(folder), truth, *plain, "--plot", output],
        "score": ["score", train, documents, "--folds=3", "-o", output],
        "create": ["create", output, documents, *scored(folder), *plain],
        "export": ["export", project, "-o", output],
        "hugging-face": ["export", project, "--format=hugging-face", "-o", output],
        "report": ["report", project, "--no-estimate", "-o", output],
        "certify": ["certify", project, "-o", output],
        "plan": ["plan", project, "--plot", output],
        "reproduce": ["reproduce", "ohsumed", "--data-home", folder, "-o", output.parent],
    }
    return list(map(str, arguments[name]))


REPLACED = {
    "rank": "ranked.csv",
    "texts": "ranked.jsonl",
    "simulate": "ener.parquet",
    "curves": "curves.jsonl",
    "plot": "curves.svg",
    "export": "labels.csv",
    "report": "report.html",
    "certify": "certificate.json",
    "plan": "plan.png",
    "reproduce": "reproduction.json",
}
NEW = {"score": "scores", "create": "new.satc", "hugging-face": "dataset"}


@pytest.fixture
def satc(monkeypatch, capsys):
    """Run a command in this process; return its exit code and what it says."""

    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["satc", *arguments])
        monkeypatch.setattr("warnings.showwarning", None)
        capsys.readouterr()
        try:
            main()
        except SystemExit as end:
            return end.code or 0, capsys.readouterr().err
        return 0, capsys.readouterr().err

    return run


@contextmanager
def largest_file(size):
    """Files of this process must not grow beyond `size`: the system says EFBIG then."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@contextmanager
def small_disk(folder, size):
    """A disk of so many bytes, where one may mount it."""
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder)]
    if os.geteuid() != 0 or subprocess.run(mount, capture_output=True).returncode:
        pytest.skip("a small disk can be mounted by root only")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


def fill(folder):
    """Leave no space."""
    with (folder / "ballast").open("wb", buffering=0) as file:
        for size in (1 << 16, 1 << 12, 1):
            try:
                while file.write(b"x" * size):
                    pass
            except OSError:
                pass


@pytest.mark.parametrize("name", ["rank", "simulate", "curves", "plot", "reproduce"])
def test_a_file_that_cannot_grow_leaves_the_old_one(name, files, tmp_path, satc):
    (tmp_path / "before").mkdir()
    before = tmp_path / "before" / REPLACED[name]
    assert satc(*command(name, files, before))[0] == 0  # what is compiled is kept, in files
    shutil.rmtree(before.parent)
    output = tmp_path / REPLACED[name]
    output.write_text(OLD)
    with largest_file(100):
        code, said = satc(*command(name, files, output))
    assert (code, output.read_text()) == (1, OLD)
    assert f"{output} cannot be written" in said or "reproduction" in said
    assert [path.name for path in tmp_path.iterdir()] == [output.name]


@pytest.mark.parametrize("name", ["score", "create"])
def test_what_cannot_grow_is_not_begun(name, files, tmp_path, satc):
    (tmp_path / "before").mkdir()
    assert satc(*command(name, files, tmp_path / "before" / NEW[name]))[0] == 0
    shutil.rmtree(tmp_path / "before")
    with largest_file(50_000 if name == "create" else 1000):
        code, said = satc(*command(name, files, tmp_path / NEW[name]))
    assert code == 1
    assert "Traceback" not in said
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", REPLACED)
def test_a_full_disk_leaves_the_old_output(name, files, tmp_path, satc):
    with small_disk(tmp_path / "disk", "16k") as disk:
        output = disk / REPLACED[name]
        output.write_text(OLD)
        fill(disk)
        code, said = satc(*command(name, files, output))
        assert (code, output.read_text()) == (1, OLD)
        assert "No space left" in said.splitlines()[-1]
        assert {path.name for path in disk.iterdir()} == {output.name, "ballast"}


@pytest.mark.parametrize("name", NEW)
def test_a_full_disk_leaves_nothing_that_is_not_complete(name, files, tmp_path, satc):
    with small_disk(tmp_path / "disk", "128k") as disk:
        if name == "score":  # which writes little
            fill(disk)
        code, said = satc(*command(name, files, disk / NEW[name]))
        assert code == 1
        assert "Traceback" not in said
        assert not [path.name for path in disk.iterdir() if path.name != "ballast"]


def test_decisions_for_which_there_is_no_space_are_not_taken_in_by_half(files, tmp_path, satc):
    size = (files / "fresh.satc").stat().st_size
    with small_disk(tmp_path / "disk", size + (200 << 10)) as disk:
        project = disk / "claims.satc"
        shutil.copy(files / "fresh.satc", project)
        fill(disk)
        code, said = satc("import", str(project), str(files / "done.jsonl"))
        assert code == 1, said
        (disk / "ballast").unlink()
        with closing(open_store(project)) as store:
            assert not list(read_events(store, get_project(store).key))
        assert satc("import", str(project), str(files / "done.jsonl"))[0] == 0


def test_texts_that_belong_together_change_together(tmp_path):
    for name in ("a.html", "b.json"):
        (tmp_path / name).write_text(OLD)
    with pytest.raises(DataError, match=r"b\.json cannot be written: texts must be Unicode"):
        write_texts({tmp_path / "a.html": "new", tmp_path / "b.json": "\ud800"})
    assert [path.read_text() for path in sorted(tmp_path.iterdir())] == [OLD, OLD]


@pytest.fixture(scope="module")
def runs(files, tmp_path_factory):
    """Runs that were interrupted, by the command."""
    places = REPLACED | NEW
    chosen = {"curves": 5, "export": 8, "create": 12, "score": 5}
    jobs = []
    for name, n in chosen.items():
        output = tmp_path_factory.mktemp("interrupted") / "out" / places[name]
        jobs.append((command(name, files, output), str(output), name in REPLACED, n))
    done = subprocess.run(
        [sys.executable, Path(__file__).with_name("interrupting.py")],
        input=json.dumps(jobs),
        stdout=subprocess.PIPE,
        text=True,
        check=True,
        env=os.environ | {"OMP_NUM_THREADS": "1"},
    )
    return dict(zip(chosen, json.loads(done.stdout), strict=True))


@pytest.mark.parametrize("name", ["curves", "export", "create", "score"])
def test_a_signal_at_any_moment_leaves_the_old_output_or_the_new(name, runs):
    whole, *interrupted = runs[name]
    assert whole["code"] == 0, whole["said"]
    assert whole["after"] not in (None, whole["before"])
    for run in interrupted:
        assert run["after"] in (run["before"], whole["after"]), run
    assert any(run["after"] == run["before"] for run in interrupted)


@pytest.mark.parametrize("name", ["curves", "export", "create", "score"])
def test_a_signal_is_answered_by_one_line_its_code_and_nothing_left_behind(name, runs):
    answered = [run for run in runs[name][1:] if run["signal"] != signal.SIGKILL and run["code"]]
    assert {run["code"] - run["signal"] for run in answered} == {128}
    for run in answered:
        assert run["said"].splitlines()[-1] == "satc: interrupted", run["said"]
        assert "Traceback" not in run["said"]
        assert run["left"] == []


LOGGING = """
import logging, os, signal, satc.cli
from satc.__main__ import main


def run():
    try:
        os.kill(os.getpid(), signal.SIGTERM)
    except SystemExit:
        logging.getLogger("library").exception("the connection is not reset")
        raise


satc.cli.main = run
main()
"""


def test_libraries_do_not_log_what_a_signal_interrupts():
    done = subprocess.run([sys.executable, "-c", LOGGING], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (143, "satc: interrupted\n")


def in_the_body_of_a_class():
    class Interrupted:
        def __set_name__(self, owner, name):
            raise SystemExit(143)

    type("Made", (), {"value": Interrupted()})


def in_compiled_code():
    try:
        raise SystemExit(143)
    except SystemExit as end:
        raise SystemError("returned a result with an exception set") from end


def while_cleaning_up():
    try:
        raise SystemExit(143)
    finally:
        raise OSError("the file cannot be closed")


@pytest.mark.parametrize("place", [in_the_body_of_a_class, in_compiled_code, while_cleaning_up])
def test_a_signal_that_another_error_replaces_ends_the_command_all_the_same(
    place, satc, monkeypatch
):
    monkeypatch.setattr("satc.cli.app", place)
    assert satc("rank") == (143, "")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_change_of_mind_at_once_is_answered_quietly(number):
    begin = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); "
    code = f"{begin}from satc.__main__ import main; print(flush=True); main()"
    process = subprocess.Popen(
        [sys.executable, "-c", f"import sys; sys.argv = ['satc', 'datasets', 'list']; {code}"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    process.stdout.readline()
    time.sleep(0.1)
    process.send_signal(number)
    _, said = process.communicate(timeout=60)
    assert (process.returncode, said) == (128 + number, "satc: interrupted\n")


ENDING = """
import atexit, sys, threading, satc.cli
from satc.__main__ import main


class Part:
    def __del__(self):
        print("taken apart")


part = Part()
atexit.register(print, "registered")


def run():
    if {left}:
        threading.Thread(target=threading.Event().wait, daemon=True).start()
    raise SystemExit(3)


satc.cli.main = run
main()
"""


@pytest.mark.parametrize("left", [True, False])
def test_a_command_that_leaves_a_thread_at_work_is_not_taken_apart(left):
    done = subprocess.run(
        [sys.executable, "-c", ENDING.format(left=left)],
        capture_output=True,
        text=True,
        timeout=60,
    )
    said = ["registered"] if left else ["registered", "taken apart"]
    assert (done.returncode, done.stdout.split("\n")[:-1], done.stderr) == (3, said, "")


WORKERS = """
import atexit, os, signal, time, satc.cli
from joblib import Parallel, delayed
from satc.__main__ import main

atexit.register(print, "registered")


def run():
    Parallel(n_jobs=2)(delayed(time.sleep)(0.5) for _ in range(8))
    if {interrupted}:
        signal.raise_signal(signal.SIGTERM)
    raise SystemExit(3)


satc.cli.main = run
main()
"""


@pytest.mark.parametrize(
    ("interrupted", "code", "said"), [(False, 3, ""), (True, 143, "satc: interrupted\n")]
)
def test_a_command_does_not_wait_for_idle_worker_processes_at_its_end(interrupted, code, said):
    done = subprocess.run(
        [sys.executable, "-c", WORKERS.format(interrupted=interrupted)],
        capture_output=True,
        text=True,
        timeout=90,  # the workers wait for 300 seconds
    )
    assert (done.returncode, done.stdout, done.stderr) == (code, "registered\n", said)


def test_a_command_that_trains_in_worker_processes_ends_after_its_output(tmp_path):
    rows = [f"t{i},word{i % 7} of topic{i % 2},c{i % 2}\n" for i in range(1_000)]
    (tmp_path / "train.csv").write_text("id,text,labels\n" + "".join(rows))
    (tmp_path / "documents.csv").write_text("id,text\n" + "d1,word1 of topic1\n")
    files = ["--train", tmp_path / "train.csv", "--documents", tmp_path / "documents.csv"]
    chosen = ["--folds=2", "--learner=tsvm", "--method=u-theoretic"]
    subprocess.run(
        [sys.executable, "-m", "satc", "rank", *files, *chosen, "-o", tmp_path / "ranked.csv"],
        capture_output=True,
        check=True,
        timeout=90,
    )
    assert (tmp_path / "ranked.csv").exists()


def test_a_project_that_is_interrupted_in_postgresql_is_not_there(files, postgresql):
    arguments = command("create", files, Path("claims"))
    script = Path(__file__).with_name("interrupting.py")
    code = (
        f"import sys, json; sys.path.insert(0, {str(script.parent)!r}); import interrupting\n"
        "arguments = json.load(sys.stdin)\n"
        "whole = interrupting.run(arguments)['seconds']\n"
        "arguments[1] = 'other'\n"
        "for share in (0.3, 0.5, 0.7, 0.9):\n"
        "    number = interrupting.signal.SIGTERM if share < 0.8 else interrupting.signal.SIGKILL\n"
        "    print(interrupting.run(arguments, number, share * whole)['code'])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        input=json.dumps([*arguments, "--database", postgresql]),
        stdout=subprocess.PIPE,
        text=True,
        check=True,
        env=os.environ | {"OMP_NUM_THREADS": "1"},
    )
    codes = [int(line) for line in done.stdout.split()]
    with closing(open_store(postgresql)) as store:
        names = [project.name for project in list_projects(store)]
        assert names in (["claims"], ["claims", "other"])
        assert {project.n_documents for project in list_projects(store)} == {300}
    assert any(code in (143, -9) for code in codes)
