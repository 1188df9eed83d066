"""Code books and hierarchies in the commands."""

import csv
import json
from contextlib import closing

import pytest
from commanding import command as satc
from projects_made import make, write_files

from satc.workbench.store import open_store
from satc.workbench.store.predictions import read_decided, read_training
from satc.workbench.store.projects import get_project

pytestmark = pytest.mark.slow

WORDS = {"1": "market trade", "1.1": "wheat field", "1.2": "copper mine", "2": "ship port"}
BOOK = (
    "code,name,definition,parent,key\n"
    "1,Goods,,,g\n1.1,Grain,Wheat and maize.,1,w\n1.2,Metal,,1,\n2,Ships,,,\n3,Unknown,,1,\n"
)


def row(i):
    codes = [code for k, code in enumerate(WORDS) if (i >> k) & 1 and code != "1"] or ["2"]
    return f"d{i}", " ".join(f"{WORDS[code]} {i}" for code in codes), "|".join(codes)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("coded")
    with (folder / "train.csv").open("w", newline="") as train:
        csv.writer(train).writerows([("id", "text", "labels"), *(row(i) for i in range(60))])
    with (folder / "new.csv").open("w", newline="") as new:
        csv.writer(new).writerows([("id", "text"), *(row(i)[:2] for i in range(60, 90))])
    (folder / "book.csv").write_text(BOOK)
    return folder


TEXTS = ["--train=train.csv", "--documents=new.csv", "--method=u-theoretic", "--folds=3"]


@pytest.fixture(scope="module")
def created(folder):
    """Make a closed project, once; return what the command said."""
    done = satc("create", "coded.satc", *TEXTS, "--classes=book.csv", "--closed", cwd=folder)
    assert done.returncode == 0, done.stderr
    return done


def project_in(path):
    with closing(open_store(path)) as store:
        project = get_project(store)
        return project, read_decided(store, project), read_training(store, project)


def test_a_closed_project_has_the_parents_of_all_labels(folder, created):
    project, decided, training = project_in(folder / "coded.satc")
    assert project.classes == ("1", "1.1", "1.2", "2")
    assert project.names == ("Goods", "Grain", "Metal", "Ships")
    assert project.settings.closed
    for labels in (decided, training.labels):
        below = labels[:, 1] | labels[:, 2]
        assert below.any()
        assert (labels[:, 0] >= below).all()
    n = int(training.labels[:, 0].sum())
    assert f"{n} of 60 labelled documents got the parents of their labels" in created.stderr
    assert "1 code has no labelled document, so people cannot choose it: 3" in created.stderr


def test_notation_makes_a_hierarchy_with_headings_that_are_no_classes(folder, tmp_path):
    (tmp_path / "names.txt").write_text("1\n1.1\n1.2\n2\n")
    given = [*TEXTS, f"--classes={tmp_path / 'names.txt'}", "--hierarchy=."]
    done = satc("create", tmp_path / "coded.satc", *given, cwd=folder)
    assert done.returncode == 0, done.stderr
    found, _, _ = project_in(tmp_path / "coded.satc")
    assert found.classes == ("1.1", "1.2", "2")  # no document has 1, and labels are not closed
    assert found.book.codes == ("1.1", "1.2", "2", "1")
    assert found.book.hierarchy.parents == ((3,), (3,), (), ())
    assert found.hierarchy is None


def test_names_can_be_changed_and_classes_cannot(folder, created, tmp_path):
    project = tmp_path / "coded.satc"
    project.write_bytes((folder / "coded.satc").read_bytes())
    (tmp_path / "other.csv").write_text(BOOK.replace("Grain", "Cereals").replace("3,", "4,"))
    done = satc("configure", project, f"--classes={tmp_path / 'other.csv'}")
    assert done.returncode == 0, done.stderr
    assert "has the 4 classes of the project" in done.stderr
    assert "1 other code is left out" in done.stderr
    assert project_in(project)[0].names == ("Goods", "Cereals", "Metal", "Ships")
    (tmp_path / "less.csv").write_text("code,parent\n1,\n1.1,1\n")
    done = satc("configure", project, f"--classes={tmp_path / 'less.csv'}")
    assert done.returncode == 1
    assert "must have all codes of the project 'coded', but lacks '1.2', '2'; add" in done.stderr
    (tmp_path / "flat.csv").write_text("1\n1.1\n1.2\n2\n")
    done = satc("configure", project, f"--classes={tmp_path / 'flat.csv'}")
    assert "must have parents, because a label implies its parents" in done.stderr
    done = satc("configure", project, f"--classes={tmp_path / 'flat.csv'}", "--hierarchy=.")
    assert done.returncode == 0, done.stderr
    assert project_in(project)[0].book.hierarchy.parents == ((), (0,), (0,), ())


def test_an_export_has_codes_and_on_request_names(folder, created, tmp_path):
    output = tmp_path / "labels.csv"
    assert satc("export", folder / "coded.satc", "-o", output, "--names").returncode == 0
    rows = list(csv.DictReader(output.read_text().splitlines()))
    name = {"1": "Goods", "1.1": "Grain", "1.2": "Metal", "2": "Ships"}
    for one in rows:
        codes = [code for code in one["satc_labels"].split("|") if code]
        assert one["satc_label_names"] == " | ".join(name[code] for code in codes)
    assert satc("export", folder / "coded.satc", "-o", output).returncode == 0
    assert "satc_label_names" not in output.read_text().splitlines()[0]


def test_the_report_has_names_and_the_tree(folder, created):
    printed = satc("report", folder / "coded.satc", "--no-estimate").stdout
    assert "Goods: " in printed
    data = json.loads(satc("report", folder / "coded.satc", "--no-estimate", "--json").stdout)
    assert [line["name"] for line in data["tree"]] == ["Goods", "Grain", "Metal", "Ships"]


def test_ranked_documents_have_codes_in_files_and_names_on_the_screen(folder, tmp_path):
    output = tmp_path / "ranked.csv"
    given = ["rank", *TEXTS, "--classes=book.csv", "--closed", "--decide=sign"]
    done = satc(*given, "-o", output, cwd=folder)
    assert done.returncode == 0, done.stderr
    rows = list(csv.DictReader(output.read_text().splitlines()))
    assert list(rows[0])[3:7] == ["predicted", "predicted_names", "doubtful", "doubtful_names"]
    names = {"1": "Goods", "1.1": "Grain", "1.2": "Metal", "2": "Ships"}
    for one in rows:
        codes = [code for code in one["predicted"].split("|") if code]
        assert "1" in codes or not {"1.1", "1.2"} & set(codes)
        assert one["predicted_names"] == " | ".join(names[code] for code in codes)
        assert one["doubtful_names"] == names[one["doubtful"]]
    shown = satc(*given, cwd=folder, COLUMNS="200").stdout
    assert "Grain" in shown
    assert "1.1" not in shown


def test_scores_without_names_get_the_codes(tmp_path):
    files = write_files(make(n=12, m=4), tmp_path / "in")
    options = [f"--{name.replace('_', '-')}={path}" for name, path in files.items()]
    options += ["--method=u-theoretic", "--multi-label"]
    book = tmp_path / "book.csv"
    book.write_text("code,parent\na,\nb,a\nc,a\nd,\n")
    done = satc("create", tmp_path / "s.satc", *options, f"--classes={book}", "--closed")
    assert done.returncode == 0, done.stderr
    assert "labelled documents got the parents of their labels" in done.stderr
    project, decided, training = project_in(tmp_path / "s.satc")
    assert project.classes == ("a", "b", "c", "d")
    for labels in (decided, training.labels):
        assert (labels[:, 0] >= labels[:, 1] | labels[:, 2]).all()
    book.write_text("code,parent\na,\nb,a\n")
    done = satc("create", tmp_path / "t.satc", *options, f"--classes={book}")
    assert done.returncode == 1
    assert "must have a code for each of the 4 columns of the scores" in done.stderr


def test_predictions_have_the_classes_of_the_book(tmp_path):
    (tmp_path / "p.csv").write_text("id,text,labels\n1,a b,1.1\n2,c d,2\n3,e f,1.2|2\n")
    (tmp_path / "book.csv").write_text(BOOK)
    done = satc(
        *("create", "p.satc", "--predictions=p.csv", "--documents=p.csv"),
        *("--classes=book.csv", "--closed", "--multi-label"),
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stderr
    project, decided, _ = project_in(tmp_path / "p.satc")
    assert project.classes == ("1", "1.1", "1.2", "2", "3")
    assert decided.astype(int).tolist() == [[1, 1, 0, 0, 0], [0, 0, 0, 1, 0], [1, 0, 1, 1, 0]]


@pytest.mark.parametrize(
    ("options", "message"),
    [(["--closed"], "--closed needs parents: --classes FILE with the column 'parent'"),
     (["--closed", "--classes=names.txt"], "--closed needs parents, but names.txt has none"),
     (["--hierarchy=-"], "hierarchy must be one of / : . "),
     (["--classes=less.csv"],
      "less.csv must have all codes of train.csv, but lacks '1.2', '2'; add rows for them"),
     (["--classes=broken.csv"], "broken.csv, line 3: 'parent' must be a code of the book")],
)  # fmt: skip
@pytest.mark.parametrize("command", ["create", "rank"])
def test_what_is_wrong_is_said_in_one_line(folder, tmp_path, command, options, message):
    (folder / "names.txt").write_text("1\n1.1\n1.2\n2\n")
    (folder / "less.csv").write_text("code,parent\n1,\n1.1,1\n")
    (folder / "broken.csv").write_text("code,parent\n1,\n1.1,7\n")
    where = [tmp_path / "x.satc"] if command == "create" else []
    done = satc(command, *where, *TEXTS, *options, cwd=folder)
    assert done.returncode in (1, 2)
    assert message in " ".join(done.stderr.replace("│", " ").split())
    assert not (tmp_path / "x.satc").exists()


def test_one_label_for_each_document_cannot_be_closed(folder, tmp_path):
    text = "".join(f"{i},{WORDS['1.1']},{('1.1', '2')[i % 2]}\n" for i in range(20))
    (tmp_path / "one.csv").write_text("id,text,label\n" + text)
    given = [f"--train={tmp_path / 'one.csv'}", "--documents=new.csv", "--classes=book.csv"]
    done = satc("create", tmp_path / "x.satc", *given, "--closed", cwd=folder)
    assert done.returncode == 1
    assert "--closed needs a task with any number of labels" in done.stderr
    assert "--multi-label says that documents can have several" in done.stderr


def test_scores_alone_have_no_names_to_show():
    done = satc("rank", "--scores=x.npy", "--classes=book.csv")
    assert done.returncode == 2
    assert "--classes needs --train or --predictions" in " ".join(done.stderr.split())
