import numpy as np
import pytest
from projects_made import make, make_project

from satc.workbench.model.record import is_copy
from satc.workbench.project.history import read_history
from satc.workbench.reports.report import make_report
from satc.workbench.review.desk import open_desk
from satc.workbench.review.leases import ConflictError
from satc.workbench.review.near_duplicates import background, offers
from satc.workbench.review.near_duplicates.background import NearDuplicates
from satc.workbench.review.near_duplicates.changes import changes
from satc.workbench.review.near_duplicates.index import make_index
from satc.workbench.review.near_duplicates.offers import decide_same, offers_after
from satc.workbench.review.near_duplicates.shingles import NEAR, shingles, similarity, words
from satc.workbench.store import open_store

LONG = " ".join(f"word{i}" for i in range(60))
TEXTS = [
    LONG,
    LONG.upper().replace(" ", ",  ") + "!",  # the same words
    LONG.replace("word30", "another"),
    LONG.replace("word59", ""),
    " ".join(f"other{i}" for i in range(60)),
    "yes",
    "Yes!",
    "no",
    "",
    "...",
    "这件衣服的质量非常好我很喜欢下次还会再来买的",
    "这件衣服的质量非常好，我很喜欢。下次还会再来买的！",
]


def near_pairs(texts):
    """Compare all pairs: the slow and obvious way."""
    sets = [shingles(words(text)) for text in texts]
    pairs = ((i, j) for i in range(len(sets)) for j in range(len(sets)) if i != j)
    return {(i, j) for i, j in pairs if similarity(sets[i], sets[j]) >= NEAR}


def found_pairs(texts):
    index, near = make_index(texts), near_pairs(texts)
    found = {(i, int(j)) for i in range(len(texts)) for j in index.candidates(i)}
    return found & near, near


def test_the_index_finds_what_a_comparison_of_all_pairs_finds():
    found, near = found_pairs(TEXTS)
    assert found == near
    assert {(0, 1), (0, 2), (0, 3), (5, 6), (10, 11)} <= near
    assert not any(4 in pair or 7 in pair or 8 in pair or 9 in pair for pair in near)


def test_the_index_finds_nearly_all_pairs_of_many_texts():
    rng = np.random.default_rng(5)
    vocabulary = [f"w{i}" for i in range(400)]
    texts = [" ".join(rng.choice(vocabulary, int(rng.integers(20, 120)))) for _ in range(300)]
    for i in range(100):
        several = texts[i].split()
        several[int(rng.integers(len(several)))] = "changed"
        texts.append(" ".join(several))
    found, near = found_pairs(texts)
    assert len(near) > 100
    assert len(found) >= 0.99 * len(near)


def test_the_differing_words_are_marked_and_the_text_stays_whole():
    text = "The  red House, and (a) GARDEN. 😀"
    pieces = changes(text, "the blue house and a garden with trees")
    assert "".join(piece.text for piece in pieces if piece.kind != "missing") == text
    assert [piece.text.strip() for piece in pieces if piece.kind == "added"] == ["red"]
    missing = [piece.text.strip() for piece in pieces if piece.kind == "missing"]
    assert missing == ["blue", "with trees"]
    assert changes("", "a") == [("missing", "a")]


def test_long_texts_are_whole_and_marked_where_they_differ():
    some = [f"w{i % 50}" for i in range(5000)]
    other = [*some[:2000], "new", *some[2001:]]
    marked = [piece for piece in changes(" ".join(other), " ".join(some)) if piece.kind != "same"]
    assert [tuple(piece) for piece in marked] == [("missing", "w0 "), ("added", "new ")]
    far = ["first", *some[1:-1], "last"]
    pieces = changes(" ".join(far), " ".join(some))
    assert "".join(piece.text for piece in pieces) == " ".join(far)


@pytest.fixture
def opened(location):
    """Make a project with near-duplicates, and open its desk with the index."""
    stores = []

    def opening(**settings):
        make_project(make(n=len(TEXTS), texts=TEXTS), location, **settings)
        store = open_store(location)
        stores.append(store)
        desk = open_desk(store)
        index = NearDuplicates(desk)
        index.wait()
        assert index.error is None
        return desk, index

    yield opening
    for store in stores:
        store.close()


def decide(desk, who, document, labels):
    lease = desk.open_chosen(document, who)
    desk.submit(lease.lease, who, labels, 1.0)


def offered(desk, index, of, who):
    return [one.document for one in offers_after(desk, index, of, who).offers]


def test_undecided_near_duplicates_are_offered_to_the_person_who_decided(opened):
    desk, index = opened()
    assert offered(desk, index, 0, "ann") == []
    decide(desk, "ann", 0, [1])
    found = offers_after(desk, index, 0, "ann")
    assert [one.document for one in found.offers] == [1, 3, 2]
    assert [one.must_read for one in found.offers] == [False, True, True]
    assert offered(desk, index, 0, "ben") == []


def test_documents_that_somebody_else_has_open_are_left_out(opened):
    desk, index = opened()
    decide(desk, "ann", 0, [1])
    desk.open_chosen(1, "ben")
    desk.open_chosen(3, "ann")
    assert offered(desk, index, 0, "ann") == [3, 2]
    with pytest.raises(ConflictError, match="ben has this document open"):
        decide_same(desk, 1, 0, "ann", is_read=True)


def test_same_as_that_one_is_a_decision_of_its_own_that_can_be_undone(opened):
    desk, _ = opened()
    decide(desk, "ann", 0, [1, 2])
    number = decide_same(desk, 2, 0, "ann", is_read=True)
    assert decide_same(desk, 2, 0, "ann", is_read=True) == number
    given = desk.record.current_decision(2)
    assert (given.labels, given.number, given.details["same_as"]) == ((1, 2), number, 0)
    assert is_copy(given)
    assert desk.validation.n_validated == 2
    assert desk.leases.of("ann") == []
    desk.undo("ann")
    assert desk.record.current_decision(2) is None
    assert [held.document for held in desk.leases.of("ann")] == [2]
    assert desk.record.current_decision(0).labels == (1, 2)


def test_an_open_document_of_the_same_person_is_closed_by_it(opened):
    desk, _ = opened()
    decide(desk, "ann", 0, [1])
    desk.open_chosen(1, "ann")
    decide_same(desk, 1, 0, "ann", is_read=False)
    assert desk.leases.of("ann") == []
    assert opened_record(desk).current_decision(1).labels == (1,)


def opened_record(desk):
    return read_history(desk.store, desk.project).record


def test_a_second_reading_is_never_a_copy(opened):
    desk, _ = opened(overlap=1.0)
    decide(desk, "ben", 1, [2])
    decide(desk, "ann", 0, [1])
    second, _ = desk.next("ann")
    assert second.document == 1
    with pytest.raises(ConflictError, match="decided already"):
        decide_same(desk, 1, 0, "ann", is_read=True)
    assert not desk.record.second_opinions.get(1)


def test_only_documents_that_are_nearly_the_same_can_be_copied_and_only_from_your_own(opened):
    desk, _ = opened()
    decide(desk, "ann", 0, [1])
    for document in (4, 8, 0):
        with pytest.raises(ConflictError):
            decide_same(desk, document, 0, "ann", is_read=True)
    with pytest.raises(ConflictError, match="decided on yourself"):
        decide_same(desk, 1, 0, "ben", is_read=True)
    decide(desk, "ben", 1, [2])
    with pytest.raises(ConflictError, match="already"):
        decide_same(desk, 1, 0, "ann", is_read=True)


def test_a_document_with_other_words_or_for_the_audit_must_be_read(opened):
    desk, index = opened()
    decide(desk, "ann", 0, [1])
    with pytest.raises(ConflictError, match="Read this document"):
        decide_same(desk, 2, 0, "ann", is_read=False)
    desk.record.drawn_for_audit.append(1)
    assert offers_after(desk, index, 0, "ann").offers[0].must_read
    with pytest.raises(ConflictError, match="Read this document"):
        decide_same(desk, 1, 0, "ann", is_read=False)
    decide_same(desk, 1, 0, "ann", is_read=True)
    assert desk.record.current_decision(1).shown.source == "audit"


def test_blind_documents_are_copied_only_from_blind_ones(opened, monkeypatch):
    desk, index = opened(blind=0.5)
    decide(desk, "ann", 0, [1])
    monkeypatch.setattr(offers, "in_share", lambda document, *_: document == 1)
    assert offered(desk, index, 0, "ann") == [3, 2]
    with pytest.raises(ConflictError):
        decide_same(desk, 1, 0, "ann", is_read=True)
    monkeypatch.setattr(offers, "in_share", lambda document, *_: document in (0, 1))
    assert offered(desk, index, 0, "ann") == [1, 3, 2]


def test_copies_do_not_count_where_shown_and_hidden_predictions_are_compared(opened):
    desk, _ = opened()
    decide(desk, "ann", 0, [1])
    decide_same(desk, 1, 0, "ann", is_read=True)
    report = make_report(desk.store, desk.project, read_history(desk.store, desk.project))
    assert report.n_validated == 2
    assert report.shown.documents + report.blind.documents == 1


def test_a_large_project_is_indexed_by_a_process(opened, monkeypatch):
    monkeypatch.setattr(background, "_FEW", 0)
    desk, index = opened()
    decide(desk, "ann", 0, [1])
    assert offered(desk, index, 0, "ann") == [1, 3, 2]


def test_a_failed_index_says_why_and_nobody_waits(opened, monkeypatch):
    desk, _ = opened()

    def fail(*_):
        raise OSError("no memory")

    monkeypatch.setattr(background, "index_project", fail)
    index = NearDuplicates(desk)
    index.wait()
    assert index.error == "no memory"
    decide(desk, "ann", 0, [1])
    assert offered(desk, index, 0, "ann") == []


def test_answers_without_words_are_the_same_if_their_signs_are():
    found, near = found_pairs(["-", " - ", "?", "", "  ", "no"])
    assert found == near == {(0, 1), (1, 0), (3, 4), (4, 3)}
