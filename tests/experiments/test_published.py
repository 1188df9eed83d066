from satc.experiments import published


def test_every_cell_of_the_paper_is_there():
    cells = len(published.DATASETS) * len(published.LEARNERS) * len(published.METHODS)
    for average in ("macro", "micro"):
        assert len(published.ENER[average]) == cells * len(published.XIS)
    assert len(published.SIGNIFICANT) == len(published.DATASETS) * len(published.LEARNERS) * 21
    assert len(published.SECONDS) == len(published.DATASETS) * len(published.LEARNERS) * 2


def test_cells_stand_where_the_paper_has_them():
    macro, micro = published.ENER["macro"], published.ENER["micro"]
    assert macro["reuters21578", "svm", "u-theoretic", 0.10] == 0.531
    assert macro["reuters21578", "mpboost", "u-theoretic", 0.10] == 0.226
    assert macro["ohsumed-s", "svm", "oracle2-dynamic", 0.20] == 0.536
    assert micro["reuters21578/100", "mpboost", "oracle1", 0.05] == 0.115
    assert micro["ohsumed", "svm", "baseline", 0.20] == 0.620
    assert published.SECONDS["ohsumed", "svm", "u-theoretic-dynamic"] == 577.864
    assert published.SIGNIFICANT["reuters21578", "mpboost", "u-theoretic", "oracle1-dynamic"]
    assert not published.SIGNIFICANT["ohsumed", "svm", "u-theoretic", "oracle1"]
