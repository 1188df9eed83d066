import json

from commanding import command as run


def test_data_that_is_not_at_hand_leaves_cells_empty_and_says_why(tmp_path):
    done = run(
        "reproduce", "ohsumed", "--data-home", tmp_path, "-o", tmp_path / "report", cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr
    assert "ohsumed is left out" in done.stderr
    markdown = (tmp_path / "report" / "reproduction.md").read_text()
    assert "| ohsumed | SVMs | U-Theoretic(s) |  | 0.623 |" in markdown
    missing = json.loads((tmp_path / "report" / "reproduction.json").read_text())["missing"]
    assert missing[0]["dataset"] == "ohsumed"
    assert "<table>" in (tmp_path / "report" / "reproduction.html").read_text()


def test_an_unknown_dataset_or_learner_is_answered_with_those_that_exist(tmp_path):
    done = run("reproduce", "reuters", cwd=tmp_path)
    assert done.returncode == 1
    assert "dataset must be one of 'reuters21578'" in done.stderr
    done = run("reproduce", "ohsumed", "--learner", "bayes", cwd=tmp_path)
    assert (
        "learner must be one of 'mpboost', 'svm', 'tsvm', 'self-training', but is 'bayes'"
        in done.stderr
    )
    assert len(done.stderr.strip().splitlines()) == 1
