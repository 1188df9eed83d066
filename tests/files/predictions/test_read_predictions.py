"""Every form of predictions is read, and every malformed one is one line with file and row."""

import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from satc.errors import DataError
from satc.files.predictions import read_classes, read_predictions, read_thresholds

SINGLE, MULTI = "single-label", "multi-label"


def log_odds(p):
    return np.log(np.asarray(p) / (1 - np.asarray(p)))


WIDE = "id,refund,fee\na,0.8,0.1\nb,0.2,0.6\n"
LONG = "document,class,probability\na,refund,0.8\na,fee,0.1\nb,refund,0.2\nb,fee,0.6\n"


def test_wide_form_keeps_the_order_of_the_columns(write):
    table = read_predictions(write(WIDE))
    assert (table.ids, table.classes, table.kind) == (
        ("a", "b"),
        ("refund", "fee"),
        "probabilities",
    )
    np.testing.assert_allclose(table.scores, log_odds([[0.8, 0.1], [0.2, 0.6]]))
    assert table.describe() == "p.csv: probabilities of 2 classes, wide form, 2 documents"


def test_long_form_says_the_same(write):
    long = read_predictions(write(LONG))
    np.testing.assert_allclose(long.scores[:, ::-1], log_odds([[0.8, 0.1], [0.2, 0.6]]))
    assert long.classes == ("fee", "refund")


@pytest.mark.parametrize("ending", ["tsv", "jsonl", "json", "parquet"])
def test_every_format_gives_the_same(write, tmp_path, ending):
    expected = read_predictions(write(WIDE)).scores
    rows = [{"id": "a", "refund": 0.8, "fee": 0.1}, {"id": "b", "refund": 0.2, "fee": 0.6}]
    if ending == "tsv":
        write(WIDE.replace(",", "\t"), "p.tsv")
    elif ending == "jsonl":
        write(rows, "p.jsonl")
    elif ending == "json":
        write(json.dumps(rows), "p.json")
    else:
        pq.write_table(pa.Table.from_pylist(rows), tmp_path / "p.parquet")
    np.testing.assert_array_equal(read_predictions(f"p.{ending}").scores, expected)


def test_pairs_that_are_not_in_long_form_are_unlikely(write):
    path = write("id,class,probability\na,x,0.8\nb,y,0.7\nb,x,0.6\n")
    table = read_predictions(path)
    assert table.task == MULTI
    np.testing.assert_allclose(table.scores, log_odds([[0.8, 0.01], [0.6, 0.7]]))


def test_the_first_probabilities_of_a_softmax_leave_the_rest_to_the_others(write):
    path = write("id,class,probability\na,x,0.8\nb,y,0.7\nb,z,0.3\n")
    table = read_predictions(path, task=SINGLE)
    np.testing.assert_allclose(np.exp(table.scores[0]), [0.8, 0.1, 0.1])


def test_percent_signs_are_understood(write):
    table = read_predictions(write("id,refund,fee\na,80%,10 %\n"))
    np.testing.assert_allclose(table.scores, log_odds([[0.8, 0.1]]))


@pytest.mark.parametrize(
    ("header", "numbers", "kind"),
    [("probability", (0.3, 0.9), "probabilities"), ("logit", (-3, 2), "logits"),
     ("score", (-3, 2), "scores")],
)  # fmt: skip
def test_a_column_of_long_form_names_its_kind(write, header, numbers, kind):
    low, high = numbers
    table = read_predictions(write(f"id,class,{header}\na,x,{low}\na,y,{high}\n"))
    assert table.kind == kind
    assert (table.scores >= 0).tolist() == [[False, True]]


def test_the_output_of_satc_score_needs_to_know_which(write):
    path = write("document,class,score,label,probability\na,x,-1,false,0.4\n")
    with pytest.raises(DataError, match="--kind scores or probabilities"):
        read_predictions(path)
    assert read_predictions(path, "scores").scores.tolist() == [[-1.0]]


def test_rows_that_sum_to_one_are_single_label(write):
    table = read_predictions(write("id,x,y\na,0.3,0.7\nb,1,0\n"))
    assert table.task == SINGLE
    np.testing.assert_allclose(np.exp(table.scores), [[0.3, 0.7], [1, 0]], atol=1e-8)
    assert read_predictions("p.csv", task=MULTI).task == MULTI


@pytest.mark.parametrize(
    ("threshold", "decided"),
    [(0.5, [True, False]), (0.05, [True, True]), ({"fee": 0.1}, [True, True])],
)
def test_a_threshold_is_a_number_or_one_per_class(write, threshold, decided):
    path = write("id,refund,fee\na,0.8,0.1\n")
    assert (read_predictions(path, threshold=threshold).scores >= 0).tolist() == [decided]


def test_labels_are_plus_and_minus_one(write):
    table = read_predictions(write("id,labels\na,x|y\nb,\n"))
    assert (table.scores.tolist(), table.task) == ([[1, 1], [-1, -1]], MULTI)
    assert table.describe() == "p.csv: labels, 2 classes, 2 documents"


def test_the_column_of_labels_may_have_another_name(write):
    table = read_predictions(write("id,predicted\na,x|y\nb,x\n"), labels_column="predicted")
    assert table.scores.tolist() == [[1, 1], [1, -1]]


def test_one_label_is_taken_whole(write):
    table = read_predictions(write("id,label\na,x|y\nb,z\n"))
    assert (table.classes, table.task) == (("x|y", "z"), SINGLE)


@pytest.mark.parametrize("confidence", ["0.9", "high", "90%", '"{""x"": 0.9}"'])
def test_labels_have_confidences_in_many_spellings(write, confidence):
    table = read_predictions(write(f"id,labels,confidence\na,x,{confidence}\nb,x|y,0.7\n"))
    np.testing.assert_allclose(table.scores, log_odds([[0.9, 0.01], [0.7, 0.7]]))


def test_each_label_may_have_a_confidence_of_its_own(write):
    rows = [{"id": 1, "labels": ["x", "y"], "confidences": [0.9, 0.6]}]
    np.testing.assert_allclose(
        read_predictions(write(rows, "p.jsonl")).scores, log_odds([[0.9, 0.6]])
    )
    np.testing.assert_allclose(
        read_predictions(write("id,labels,confidence\n1,x|y,0.9|60%\n")).scores,
        log_odds([[0.9, 0.6]]),
    )


@pytest.mark.parametrize("column", ["probabilities", "predictions", "outputs", "scores"])
@pytest.mark.parametrize("as_list", [True, False])
def test_json_of_language_models_and_of_hugging_face(write, column, as_list):
    given = [{"refund": 0.7, "fee": 0.3}, {"fee": 0.9, "refund": 0.1}]
    if as_list:
        given = [[{"label": k, "score": p} for k, p in one.items()] for one in given]
    rows = [{"id": i, column: one} for i, one in enumerate(given)]
    in_json = read_predictions(write(rows, "p.jsonl"))
    quoted = ['"' + json.dumps(one).replace('"', '""') + '"' for one in given]
    in_csv = read_predictions(
        write(f"id,{column}\n" + "".join(f"{i},{q}\n" for i, q in enumerate(quoted)))
    )
    for table in (in_json, in_csv):
        assert (table.classes, table.task) == (("fee", "refund"), SINGLE)
        np.testing.assert_allclose(np.exp(table.scores), [[0.3, 0.7], [0.9, 0.1]])


def test_the_best_output_of_hugging_face_is_a_label_with_a_score(write):
    rows = [{"label": "pos", "score": 0.9}, {"label": "neg", "score": 0.8}]
    table = read_predictions(write(rows, "p.jsonl"))
    assert table.ids is None
    np.testing.assert_allclose(np.exp(table.scores), [[0.1, 0.9], [0.8, 0.2]])


VOTES = "id,label_1,label_2,label_3\na,x,x,y\nb,y,,y\n"


def test_several_columns_of_labels_are_votes(write):
    table = read_predictions(write(VOTES))
    assert (table.kind, table.task, table.classes) == ("votes", SINGLE, ("x", "y"))
    assert table.scores.argmax(axis=1).tolist() == [0, 1]
    assert "3 columns of labels" in table.describe()


def test_with_kind_votes_any_columns_are_voters(write):
    table = read_predictions(write("id,text,anna,ben\na,hello,x|y,x\nb,bye,|,x\n"), "votes")
    assert table.texts == ("hello", "bye")
    assert (table.task, table.classes) == (MULTI, ("x", "y"))  # cells are split by the separator
    assert (table.scores >= 0).tolist() == [[True, False], [False, False]]


@pytest.mark.parametrize("ending", ["npy", "npz"])
def test_matrices_are_read(tmp_path, ending):
    values = np.array([[0.2, 0.9], [0.6, 0.1]])
    (np.save if ending == "npy" else np.savez)(tmp_path / f"p.{ending}", values)
    table = read_predictions(tmp_path / f"p.{ending}")
    assert (table.kind, table.ids, table.classes) == ("probabilities", None, ("class 1", "class 2"))
    np.testing.assert_allclose(table.scores, log_odds(values))


def test_an_array_may_have_the_name_of_its_kind(tmp_path):
    np.savez(tmp_path / "p.npz", logits=[[2.0, -1.0]], other=[1])
    assert read_predictions(tmp_path / "p.npz").kind == "logits"


def test_classes_that_were_never_predicted_are_kept(write):
    table = read_predictions(write(WIDE), classes=["fee", "refund", "closing"])
    assert table.classes == ("fee", "refund", "closing")
    np.testing.assert_allclose(table.scores, log_odds([[0.1, 0.8, 0.01], [0.6, 0.2, 0.01]]))
    path = write("id,refund,fee\na,2,-1\nb,0.5,3\n")
    logits = read_predictions(path, "logits", classes=["fee", "refund", "closing"])
    assert (logits.scores[:, 2] < 0).all()


def test_named_classes_say_which_columns_are_classes(write):
    path = write("id,year,refund,fee\na,1999,0.8,0.1\n")
    with pytest.raises(DataError, match="--kind scores or --kind logits"):
        read_predictions(path)
    table = read_predictions(path, classes=["fee", "refund"])
    assert table.describe().endswith("columns that are no classes: year")


REFUSED = {
    "sums": ("id,x,y\na,0.3,0.7\nb,0.9,0.4\n", {"task": SINGLE},
             "p.csv, line 3: probabilities must sum to 1 in a single-label task, but sum to 1.3"),
    "sum of confidences": ('id,label,probabilities\na,x,"{""x"": 0.9, ""y"": 0.4}"\nb,y,1\n',
                           {"task": SINGLE}, "p.csv, line 2: probabilities must sum to 1"),
    "nan": ("id,x\na,0.1\nb,nan\n", {}, "p.csv, line 3: 'x' must be a number, but is 'nan'"),
    "infinite": ("id,x\na,inf\n", {}, "p.csv, line 2: 'x' must be a number, but is 'inf'"),
    "empty cell": ("id,x\na,\n", {}, "p.csv, line 2: 'x' must be a number, but is ''"),
    "a word": ("id,x\na,abc\n", {}, "p.csv, line 2: 'x' must be a number, but is 'abc'; if 'x' is "
               "no class, --classes lists those that are; if it holds labels, --labels-column 'x'"),
    "commas": ('id,x\na,"1,234,8"\n', {}, "p.csv, line 2: 'x' must be a number, but is '1,234,8'"),
    "two columns": ("id,x,x\na,0.1,0.2\n", {}, "column names must differ, but 'x' comes twice"),
    "twice": ("id,class,probability\na,x,0.1\na,x,0.2\n", {},
              "p.csv, line 3: every pair of a document and a class must come once, but 'a' "
              "with 'x'"),
    "percent of scores": ("id,class,score\na,x,-1\na,y,80%\n", {},
                          "p.csv, line 3: scores must be without percent signs"),
    "too large": ("id,class,probability\na,x,80\n", {},
                  "p.csv, line 2: probabilities must be from 0 to 1 (80 percent is 0.8 or 80%), "
                  "but one is 80"),
    "too large confidence": ("id,label,confidence\na,x,80\n", {},
                             "p.csv, line 2: 'confidence' must be from 0 to 1 (80 percent is 0.8"),
    "cut": ('id,labels,probabilities\na,x,"{""x"": 0.8"\n', {},
            "p.csv, line 2: 'probabilities' must be JSON, but is not"),
    "class twice in JSON": ('id,probabilities\na,"{""x"": 0.8, ""x"": 0.1}"\n', {},
                            "p.csv, line 2: 'probabilities' must be JSON, but is not: a name "
                            "comes"),
    "half a character": ('id,probabilities\na,"{""\\ud83d"": 0.8}"\n', {},
                         "p.csv, line 2: 'probabilities' must be JSON, but is not"),
    "empty id": ("id,x\n ,0.1\n", {}, "p.csv, line 2: 'id' must be a string that is not empty"),
    "document twice": ("id,x\na,0.1\nb,0.2\na,0.3\n", {},
                       "p.csv, line 4: 'id' must differ from all others, but 'a' stands in line 2"),
    "empty class": ("id,class,probability\na,,0.1\n", {},
                    "p.csv, line 2: 'class' must name a class, but is empty"),
    "unknown class": ("id,class,probability\na,z,0.1\n", {"classes": ["x"]},
                      "p.csv, line 2: 'z' must be among the classes, but is not"),
    "unknown label": ("id,label\na,x\nb,z\n", {"classes": ["x", "y"]},
                      "p.csv, line 3: 'z' must be among the classes, but is not"),
    "ambiguous": ("id,x\na,-3\n", {}, "--kind scores or --kind logits"),
    "scores from 0 to 1": ("id,class,score\na,x,0.4\n", {}, "--kind probabilities"),
    "wide scores from 0 to 1": ("id,x\na,0.4\n", {"kind": "scores"}, "--kind probabilities"),
    "labels and columns": ("id,label,x\na,x,0.4\n", {}, "say --kind labels, --kind probabilities"),
    "two values": ("id,class,score,probability\na,x,-1,0.4\n", {}, "say which with --kind"),
    "no value": ("id,class\na,x\n", {}, "must have, beside 'class', the column 'probability'"),
    "no columns": ("id,text\na,x\n", {}, "must have predictions"),
    "no rows": ("id,x\n", {}, "must hold at least one document"),
    "no vote": ("id,label_1,label_2\na,,\n", {}, "p.csv, line 2 must have at least one vote"),
    "one voter": ("id,anna\na,x\n", {"kind": "votes"}, "two columns of labels or more"),
    "two labels": ("id,labels\na,x\nb,x|y\n", {"task": SINGLE},
                   "p.csv, line 3 must have exactly one label, but has 2; --multi-label"),
    "no label": ("id,labels\na,x\nb,\nc,y\n", {"task": SINGLE},
                 "p.csv, line 3 must have exactly one label, but has none"),
    "no labels": ("id,labels\na,\n", {}, "must hold at least one label"),
    "one class": ("id,labels\na,x\n", {"task": SINGLE}, "two classes or more"),
    "lengths": ("id,labels,confidence\na,x|y,0.9|0.8|0.7\n", {},
                "p.csv, line 2: 'confidence' must have one number for each of the 2 labels"),
    "threshold of labels": ("id,labels\na,x\n", {"threshold": 0.3}, "a threshold is for prob"),
    "threshold of one label": ("id,x,y\na,0.3,0.7\n", {"threshold": 0.3}, "takes no threshold"),
    "threshold of unknown": ("id,x\na,0.3\n", {"threshold": {"z": 0.3}}, "one is of 'z'"),
    "missing score": ("id,class,score\na,x,-1\na,y,2\nb,x,1\n", {},
                      "scores must be given for every class"),
    "numbers as votes": ("id,class,score\na,x,-1\n", {"kind": "votes"},
                         "p.csv, line 2: votes must be labels"),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_a_malformed_file_is_one_line_with_its_row(write, case):
    content, options, message = REFUSED[case]
    with pytest.raises(DataError) as caught:
        read_predictions(write(content), **options)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
    assert str(caught.value).startswith(("p.csv", "thresholds"))


REFUSED_JSON = {
    "boolean": ([{"id": 1, "x": True}], "p.jsonl, line 1: 'x' must be a number, but is True"),
    "huge": ([{"id": 1, "x": 10**400}], "p.jsonl, line 1: 'x' must be a number, but is 1000"),
    "nan": ([{"id": 1, "x": float("nan")}], "p.jsonl, line 1: 'x' must be a number, but is nan"),
    "null": ([{"id": 1, "x": None}], "p.jsonl, line 1: 'x' must be a number, but is None"),
    "list": ([{"id": 1, "x": [1]}], "p.jsonl, line 1: 'x' must be a number"),
    "lacks": ([{"id": 1, "x": 0.1}, {"id": 2}], "p.jsonl, line 2 must have 'x'"),
    "has more": ([{"id": 1, "x": 0.1}, {"id": 2, "x": 0.1, "y": 1}],
                 "p.jsonl, line 2 has the column 'y', which the first row lacks"),
    "no score": ([{"id": 1, "outputs": [{"label": "x"}]}], "p.jsonl, line 1: 'outputs' must hold"),
    "label twice": ([{"id": 1, "outputs": [{"label": "x", "score": 0.1}] * 2}],
                    "p.jsonl, line 1: 'outputs' must name every class once"),
    "no object": ([{"id": 1, "probabilities": 0.4}],
                  "p.jsonl, line 1: 'probabilities' must be JSON"),
    "nothing": ([{"id": 1, "probabilities": {}}], "must name at least one class"),
    "boolean id": ([{"id": True, "x": 0.4}], "p.jsonl, line 1: 'id' must be a string"),
    "numbers as labels": ([{"id": 1, "labels": [1, 2]}],
                          "p.jsonl, line 1: 'labels' must be a list"),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED_JSON)
def test_a_malformed_json_line_is_one_line_with_its_row(write, case):
    rows, message = REFUSED_JSON[case]
    with pytest.raises(DataError) as caught:
        read_predictions(write(rows, "p.jsonl"))
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_json_that_is_cut_off_names_the_line(write):
    with pytest.raises(DataError, match=r"p\.jsonl, line 2 must be JSON"):
        read_predictions(write('{"id": 1, "x": 0.5}\n{"id": 2, "x": 0.', "p.jsonl"))
    with pytest.raises(DataError, match=r"p\.json, item 2 must be JSON"):
        read_predictions(write('[{"id": 1, "x": 0.5}, {"id": 2, "x": 0.', "p.json"))


@pytest.mark.parametrize(
    ("array", "options", "message"),
    [
        ([[0.2, np.nan]], {}, "must be finite"),
        ([[3.0, -2.0]], {}, "--kind scores or --kind logits"),
        ([[0.2, 0.4]], {"kind": "scores"}, "--kind probabilities"),
        ([[0.2, 0.4]], {"kind": "votes"}, "a column for each voter"),
        ([[0.2, 0.4]], {"kind": "labels"}, "row 1: labels must be 0 or 1, but one is 0.2"),
        ([[0.2, 0.4]], {"classes": ["x"]}, "a column for each of the 1 classes"),
    ],
)  # fmt: skip
def test_a_malformed_matrix_is_refused(tmp_path, array, options, message):
    np.save(tmp_path / "p.npy", array)
    with pytest.raises(DataError, match=message):
        read_predictions(tmp_path / "p.npy", **options)


def test_a_row_that_does_not_sum_to_1_among_rows_that_do_is_named(write):
    path = write("id,x,y\n" + "".join(f"{i},0.3,0.7\n" for i in range(10)) + "z,0.3,0.6\n")
    with pytest.raises(DataError, match=r"p\.csv, line 12: probabilities sum to 0\.9"):
        read_predictions(path)
    assert read_predictions(path, task=MULTI).task == MULTI
    with pytest.raises(DataError, match=r"p\.csv, line 12: probabilities must sum to 1"):
        read_predictions(path, task=SINGLE)


def test_the_separator_divides_confidences_too(write):
    table = read_predictions(write("id,labels,confidence\na,x;y,0.9;0.6\n"), separator=";")
    np.testing.assert_allclose(table.scores, log_odds([[0.9, 0.6]]))


def test_an_unknown_kind_is_a_value_error(write):
    with pytest.raises(ValueError, match="kind must be one of 'scores', 'probabilities'"):
        read_predictions(write(WIDE), "probs")


@pytest.mark.parametrize("content", ["x\n\n y \n", '["x", "y"]'])
def test_names_of_classes_are_lines_or_json(write, content):
    assert read_classes(write(content, "c.txt")) == ("x", "y")


@pytest.mark.parametrize(
    ("content", "message"),
    [("x\nx\n", "'x' twice"), ("\n", "names none"), ('["x", 1]', "a name per line"),
     ('["x"', "must be JSON"), (r'["\ud83d"]', "must be JSON")],
)  # fmt: skip
def test_names_of_classes_that_cannot_be_used(write, content, message):
    with pytest.raises(DataError, match=message):
        read_classes(write(content, "c.txt"))


def test_thresholds_are_numbers_by_class(write):
    assert read_thresholds(write('{"x": 0.3}', "t.json")) == {"x": 0.3}
    for wrong in ('{"x": 0}', '{"x": true}', '{"x": "0.3"}', "[1]", '{"x": 0.', '{"x": NaN}'):
        with pytest.raises(DataError, match=r"t\.json"):
            read_thresholds(write(wrong, "t.json"))


def test_a_list_of_several_labels_is_not_taken_for_one_label(write):
    """Warnings are errors here: only a label that holds the separator is worth a warning."""
    table = read_predictions(write('{"label": ["a", "0"]}\n{"label": ["a"]}\n', "list.jsonl"))
    assert set(table.classes) == {"a", "0"}
