"""What a plugin of each kind must do is checked when it is loaded."""

import pickle
import sys
from types import SimpleNamespace

import numpy as np
import pytest
from packages_made import install
from sklearn.linear_model import LinearRegression

import satc
from made import make
from satc import measures
from satc.errors import PluginError
from satc.experiments.comparison.contenders import Case, KnownSet, all_cases, run_methods
from satc.files import exchange
from satc.files.exchange import ExportedDocument, ImportedDecision
from satc.learners import presets
from satc.measures import MeasureOfTables, NamedMeasure, evaluate
from satc.plugins.contracts.format import check_format
from satc.plugins.contracts.learner import make_classifier
from satc.plugins.contracts.measure import check_measure
from satc.ranking import methods
from satc.texts.learner import make_learner
from satc.texts.words.wanted import WantedAnalysis


@pytest.fixture
def offer(tmp_path, monkeypatch):
    """Install a package with one plugin: ``offer("satc.measures: taste", value)``."""
    monkeypatch.syspath_prepend(tmp_path)

    def install_one(place, value):
        install(tmp_path, "satc-offered", {place: "satc_offered:value"})
        monkeypatch.setitem(sys.modules, "satc_offered", SimpleNamespace(value=value))

    yield install_one
    for table in (measures.PLUGINS, presets.PLUGINS, methods.PLUGINS, exchange.PLUGINS):
        table._loaded.clear()


def hit_rate(tp, fp, fn, tn):
    return tp / (tp + fp + fn) if tp + fp + fn else 1.0


def test_a_measure_of_numbers_is_called_once_for_each_table(offer):
    offer("satc.measures: hit-rate", hit_rate)
    measure = measures.parse("hit_rate")
    assert type(measure) is MeasureOfTables
    cells = np.array([[3.0, 0.0], [1.0, 0.0], [2.0, 0.0], [4.0, 9.0]])
    assert evaluate(measure, *cells).tolist() == [0.5, 1.0]
    assert measures.display_name("hit-rate", "macro") == "macro-hit-rate"
    assert repr(measure) == "hit-rate"


def test_a_measure_of_arrays_is_as_fast_as_ours(offer):
    offer("satc.measures: same-as-f1", measures.F1)
    measure = measures.parse("same-as-f1")
    assert type(measure) is NamedMeasure
    assert pickle.loads(pickle.dumps(measure)) == measure  # noqa: S301


@pytest.mark.parametrize(
    ("function", "said"),
    [
        (3, "must be a function of"),
        (lambda tp, fp: 1.0, "must be a number for tp=3, fp=1, fn=2, tn=4, but fails"),
        (lambda tp, fp, fn, tn: tp / (tp + fp), "must be a number for tp=0, .* division by zero"),
        (lambda tp, fp, fn, tn: float("nan"), "must be finite, but is nan for tp=3"),
        (lambda tp, fp, fn, tn: 0.5, "must be 1 for a table without errors, but is 0.5 for tp=5"),
        (lambda tp, fp, fn, tn: 1.0 + fp, "must be at most 1, but is 2 for tp=3"),
    ],
)
def test_a_function_that_is_no_measure_is_refused(function, said):
    with pytest.raises(ValueError, match=said):
        check_measure(function)


def test_a_measure_must_not_be_called_like_f_beta(offer):
    offer("satc.measures: f7", hit_rate)
    assert repr(measures.parse("f7")) == "f7"
    assert isinstance(measures.parse("f7"), measures.FBeta)
    [(_, problem)] = measures.PLUGINS.problems()
    assert "must not be f with a number" in problem


@pytest.mark.parametrize(
    ("function", "said"),
    [
        ("svm", "it must be a function, but is 'svm'"),
        (lambda size: None, "it must be a function without arguments"),
        (lambda: LinearRegression, "it must return a scikit-learn classifier with 'fit'"),
        (lambda: None, "it must return a scikit-learn classifier with 'fit', but returns None"),
        (LinearRegression, "must have 'decision_function' or 'predict_proba'"),
    ],
)
def test_a_function_that_makes_no_classifier_is_refused(function, said):
    with pytest.raises(ValueError, match=said):
        make_classifier(function)


def test_a_learner_of_a_package_takes_the_texts(offer):
    offer("satc.learners: linear", presets.LEARNERS["svm"].estimator)
    vectorizer, classifier = make_learner("linear", WantedAnalysis())
    assert vectorizer is None
    assert hasattr(classifier, "decision_function")
    with pytest.raises(ValueError, match="language, analyzer and digits must be left out"):
        make_learner("linear", WantedAnalysis(language="de"))


def test_an_unknown_learner_is_answered_with_all_names(offer):
    offer("satc.learners: linear", presets.LEARNERS["svm"].estimator)
    with pytest.raises(
        ValueError, match=r"one of auto, embeddings, linear, mpboost, self-training, svm, .*, or"
    ):
        make_learner("bayes", WantedAnalysis())


@pytest.mark.parametrize("name", ["auto", "svm", "embeddings"])
def test_a_learner_cannot_replace_one_of_ours(offer, name):
    offer(f"satc.learners: {name}", presets.LEARNERS["svm"].estimator)
    [(_, problem)] = presets.PLUGINS.problems()
    assert f"satc itself has a learner {name!r}" in problem


def doubtful(predicted):
    return (predicted.wrong >= 0.2).sum(axis=1)


def test_a_method_of_a_package_ranks_by_its_formula(offer):
    offer("satc.methods: doubtful", doubtful)
    rng = np.random.default_rng(0)
    scores, oof = rng.normal(size=(30, 4)), rng.normal(size=(60, 4))
    known = {"oof_scores": oof, "y_train": rng.random(oof.shape) < 1 / (1 + np.exp(-2 * oof))}
    ranking = satc.rank(scores, method="doubtful", **known)
    errors = satc.rank(scores, method="baseline", **known).documents.misclassification
    expected = (errors.of_documents(slice(None)) >= 0.2).sum(axis=1)
    np.testing.assert_array_equal(ranking.utility, expected)
    np.testing.assert_array_equal(ranking.order, np.argsort(-expected, kind="stable"))
    sim = satc.simulate(scores, scores > 0, method="doubtful", **known)
    np.testing.assert_array_equal(sim.order, ranking.order)


def test_a_method_of_a_package_is_compared_with_all_others(offer):
    offer("satc.methods: doubtful", doubtful)
    case = Case("doubtful", "sign")
    assert case in all_cases("multi-label")
    made = make(n=30)
    (found,) = run_methods(KnownSet(made.scores, made.y_true, made.training), [case])
    sim = satc.simulate(made.scores, made.y_true, method="doubtful", **made.training)
    np.testing.assert_array_equal(found.order, sim.order)


@pytest.mark.parametrize(
    ("function", "said"),
    [
        ("x", "it must be a function of what is predicted, but is 'x'"),
        (lambda predicted: predicted.colour, "failed: AttributeError"),
        (lambda predicted: predicted.wrong, r"one number for each of 3 documents, .* \(3, 3\)"),
        (lambda predicted: predicted.wrong[:, 0] / 0.0, "must return finite numbers, but one is"),
        (lambda predicted: ["a", "b", "c"], "failed: ValueError"),
    ],
)
@pytest.mark.filterwarnings("ignore:divide by zero:RuntimeWarning")
def test_a_function_that_is_no_method_is_refused(offer, function, said):
    offer("satc.methods: odd", function)
    with pytest.raises(PluginError, match=said):
        methods.parse_method("odd")


def test_an_unknown_method_is_answered_with_all_names(offer):
    offer("satc.methods: doubtful", doubtful)
    with pytest.raises(ValueError, match=r"method must be one of .*'doubtful', but is 'no'"):
        methods.parse_method("no")


class Lines:
    """A format for tests: a line for each document."""

    suffix, media_type = ".lines", "text/x-lines"

    def write(self, documents, path, classes, layout):
        path.write_text("".join(f"{d.id}={','.join(d.labels)}\n" for d in documents))

    def read(self, path):
        for number, line in enumerate(path.read_text().splitlines(), start=1):
            key, _, labels = line.partition("=")
            yield ImportedDecision(
                key, tuple(labels.split(",")), None, None, f"{path}, line {number}"
            )


DOCUMENTS = [
    ExportedDocument("a", "x", labels=("p", "q")),
    ExportedDocument("b", "y", labels=("q",)),
]


def test_a_format_is_written_and_read_by_its_ending(offer, tmp_path):
    offer("satc.formats: lines", Lines())
    path = tmp_path / "labels.lines"
    assert exchange.write(DOCUMENTS, path) == 2
    assert exchange.write(DOCUMENTS, path, "lines") == 2
    found = [(one.id, one.labels) for one in exchange.read(path)]
    assert found == [("a", ("p", "q")), ("b", ("q",))]
    assert sorted(p.name for p in tmp_path.glob("*lines*")) == ["labels.lines"]


class Failing(Lines):
    def write(self, documents, path, classes, layout):
        path.write_text(next(iter(documents)).id)
        raise KeyError("colour")


class Stopping(Lines):
    def write(self, documents, path, classes, layout):
        path.write_text(next(iter(documents)).id)


class Silent(Lines):
    def write(self, documents, path, classes, layout):
        list(documents)

    def read(self, path):
        return [("a", ("p",))]


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (
            Failing(),
            "'lines' of the package 'satc-offered' 0.1 failed while writing labels.lines: ",
        ),
        (Stopping(), "it must write all documents, but stopped after 1"),
        (Silent(), "must write the file that it is given, but wrote none"),
    ],
)
def test_a_file_that_a_package_does_not_complete_is_not_there(offer, tmp_path, value, said):
    offer("satc.formats: lines", value)
    path = tmp_path / "labels.lines"
    path.write_text("before")
    with pytest.raises(PluginError, match=said):
        exchange.write(DOCUMENTS, path)
    assert path.read_text() == "before"
    assert not list(tmp_path.glob(".*.tmp"))


def test_what_a_package_reads_is_checked(offer, tmp_path):
    offer("satc.formats: lines", Silent())
    with pytest.raises(PluginError, match="must yield decisions as ImportedDecision"):
        list(exchange.read(tmp_path / "labels.lines"))


def test_labels_in_several_columns_need_a_table(offer, tmp_path):
    offer("satc.formats: lines", Lines())
    with pytest.raises(ValueError, match="for labels in several columns, but is that of a plugin"):
        list(exchange.read(tmp_path / "labels.lines", labels_column="code*"))


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"write": None}, "must have the function 'write'"),
        ({"read": 3}, "must have the function 'read'"),
        ({"suffix": "lines"}, "'suffix' must be the ending of a file, such as '.toml', but is 'l"),
        ({"suffix": "../x"}, "'suffix' must be the ending of a file"),
        ({"media_type": "a\nb/c"}, "'media_type' must be a media type"),
    ],
)
def test_an_object_that_is_no_format_is_refused(changes, said):
    given = {"write": print, "read": print, "suffix": ".x", "media_type": "a/b"}
    check_format(SimpleNamespace(**given))
    with pytest.raises(ValueError, match=said):
        check_format(SimpleNamespace(**{**given, **changes}))
