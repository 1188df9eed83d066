"""Decimal commas in files of predictions: read where they are clear, and said."""

import numpy as np
import pytest

from satc.errors import DataError, GuessedFormatWarning
from satc.files.predictions import read_prediction_set, read_predictions

POINTS = {
    "wide": "id,x,y\na,0.25,0.75\nb,1.000,0\n",
    "long": "id,class,score\na,x,-1.234\na,y,0.5\nb,x,12.5\nb,y,-2\n",
    "labels": "id,label,confidence\na,x,0.85\nb,y,1.000\n",
    "several": "id,labels,confidence\na,x|y,0.85|0.7\nb,y,0.5\n",
    "percent": "id,x,y\na,12.5%,80%\nb,1%,2%\n",
    "small": "id,class,logit\na,x,1.5e-05\nb,x,-.5\n",
}


@pytest.mark.parametrize("name", POINTS)
def test_decimal_commas_mean_decimal_points(name, write):
    points = POINTS[name]
    expected = read_predictions(write(points, "points.csv"))
    commas = points.replace(",", ";").replace(".", ",")
    with pytest.warns(GuessedFormatWarning) as said:
        found = read_predictions(write(commas, "commas.csv"))
    assert found.classes == expected.classes
    np.testing.assert_array_equal(found.scores, expected.scores)
    (line,) = (str(one.message) for one in said if "decimal commas" in str(one.message))
    assert line.startswith("commas.csv was read with decimal commas, as in '")


def test_a_quoted_cell_of_a_file_with_commas_may_have_a_decimal_comma(write):
    with pytest.warns(
        GuessedFormatWarning, match=r"p\.csv .* decimal commas, as in '0,8' in line 2"
    ):
        found = read_predictions(write('id,x\na,"0,8"\nb,1\n'))
    np.testing.assert_allclose(1 / (1 + np.exp(-found.scores[0, 0])), 0.8)


def test_known_documents_may_have_decimal_commas(write):
    rows = "".join(f"d{i};0,{i}5;x\n" for i in range(10))
    known = write(f"id;x;true_label\n{rows}", "known.csv")
    with pytest.warns(GuessedFormatWarning) as said:
        found = read_prediction_set(write("id;x\nnew;0,5\n"), known=known)
    assert found.training.n_documents == 10
    assert any("known.csv was read with decimal commas" in str(one.message) for one in said)


REFUSED = {
    "thousands or decimals": ("id;class;score\na;x;1,234\nb;x;-2\n",
                              "line 2: '1,234' may mean 1.234 or 1234: write numbers with a "),
    "both signs": ("id;class;score\na;x;1,5\nb;x;-2.5\n",
                   "line 2: numbers must all have decimal points, or all decimal commas, but the "
                   "file has '1,5' here and '-2.5' in line 3"),
    "both signs in one": ("id;class;score\na;x;1.234,5\n", "must be a number, but is '1.234,5'"),
    "two commas": ("id;class;score\na;x;1,234,567\n", "must be a number, but is '1,234,567'"),
}  # fmt: skip


@pytest.mark.filterwarnings("ignore::satc.errors.GuessedFormatWarning")
@pytest.mark.parametrize("name", REFUSED)
def test_a_comma_in_doubt_is_refused(name, write):
    content, message = REFUSED[name]
    with pytest.raises(DataError) as caught:
        read_predictions(write(content))
    assert message in str(caught.value)
