"""Which near-duplicates a person is offered, and "same as that one": a decision of its own each.

After a decision, a person is offered the undecided documents that are nearly the same. Documents
that somebody else has open are left out. So are documents whose predictions are to be hidden,
unless they were hidden for the decided one too: its labels may follow from predictions. A person
must have read a document that was drawn for the audit, and one whose words differ.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import islice
from typing import NamedTuple

from satc.workbench.messages import Message
from satc.workbench.model.record import SAME_AS, Decision
from satc.workbench.model.sampling import in_share
from satc.workbench.review.desk import Desk
from satc.workbench.review.leases import ConflictError
from satc.workbench.review.near_duplicates.background import NearDuplicates
from satc.workbench.review.near_duplicates.changes import TextPiece, changes
from satc.workbench.review.near_duplicates.shingles import NEAR, shingles, similarity, words
from satc.workbench.store.documents import texts_at

OFFERED = 20  # at a time
_COMPARED = 60  # candidates whose texts are compared


class Offer(NamedTuple):
    """An undecided document that is nearly the same as one that a person has decided on."""

    document: int
    id: str
    similarity: float
    pieces: list[TextPiece]  # the text, compared with that of the decided document
    must_read: bool  # False if the words are the same, and no random check needs the document


class Offers(NamedTuple):
    """The decision of a person, and the documents that are nearly the same as its document."""

    decision: Decision | None
    offers: list[Offer]


class Comparison(NamedTuple):
    """Whether the texts of two documents are nearly the same, and whether their words are."""

    is_near: bool
    is_same: bool


def offers_after(desk: Desk, index: NearDuplicates, of: int, who: str) -> Offers:
    """Return the undecided documents nearly the same as one that this person has decided on."""
    with desk.reading():
        decision = _own_decision(desk, of, who)
        if decision is None:
            return Offers(None, [])
        free = (i for i in index.candidates(of).tolist() if _is_free(desk, of, i, who))
        candidates = list(islice(free, _COMPARED))
        drawn = set(desk.record.drawn_for_audit)
    found = texts_at(desk.store, desk.project.key, [of, *candidates])
    text = found.pop(of)[1]
    own = words(text)
    ours = shingles(own)
    offers = []
    for document, (identity, other) in found.items():
        theirs = words(other)
        share = similarity(ours, shingles(theirs))
        if share >= NEAR:
            must_read = document in drawn or own != theirs
            offers.append(Offer(document, identity, share, changes(other, text), must_read))
    offers.sort(key=lambda one: (-one.similarity, one.document))
    return Offers(decision, offers[:OFFERED])


def compare(desk: Desk, document: int, of: int) -> Comparison:
    """Compare the texts of two documents."""
    texts = texts_at(desk.store, desk.project.key, [of, document])
    first, second = (words(texts[i][1]) for i in (of, document))
    is_near = of != document and similarity(shingles(first), shingles(second)) >= NEAR
    return Comparison(is_near, first == second)


def decide_same(desk: Desk, document: int, of: int, who: str, *, is_read: bool) -> int:
    """Give a document the labels of a near-duplicate that this person has decided on.

    The document gets a lease and a decision of its own. Repeating the call changes nothing.

    Parameters
    ----------
    document
        An undecided document.
    of
        The document whose labels are copied.
    is_read
        Whether the page has shown the text of the document to the person.
    """
    compared = compare(desk, document, of)
    return desk.act(decide_compared, desk, document, of, who, compared, is_read=is_read)


def decide_compared(
    desk: Desk, document: int, of: int, who: str, compared: Comparison, *, is_read: bool
) -> int:
    """Do as `decide_same`, for documents whose texts were compared; an action of the desk."""
    decision = _own_decision(desk, of, who)
    if decision is None:
        raise ConflictError(Message("server.decide_that_one_first"))
    current = desk.record.current_decision(document)
    if current is not None and current.who == who and current.details.get(SAME_AS) == of:
        return current.number
    if current is not None:
        raise ConflictError(Message("server.document_decided"))
    _check(desk, document, of, compared, is_read)
    lease = desk.open_chosen(document, who)
    shown = replace(lease.shown, predicted=(), suggested=())
    if document in desk.record.drawn_for_audit:
        shown = replace(shown, source="audit")
    more = {"shown": shown.as_json(), SAME_AS: of}
    return desk.submit(lease.lease, who, decision.labels, None, more)


def _own_decision(desk: Desk, document: int, who: str) -> Decision | None:
    """Return the decision that is in force, if this person has made it."""
    current = desk.record.current_decision(document)
    return current if current is not None and current.who == who else None


def _is_blind(desk: Desk, document: int) -> bool:
    settings = desk.project.settings
    return in_share(document, settings.blind, "blind", settings.seed)


def _is_free(desk: Desk, of: int, document: int, who: str) -> bool:
    """Whether a person may decide on a document as on another one."""
    if desk.record.current_decision(document) is not None:
        return False
    if _is_blind(desk, document) and not _is_blind(desk, of):
        return False
    return not any(
        held.document == document and held.who != who for held in desk.leases.unexpired()
    )


def _check(desk: Desk, document: int, of: int, compared: Comparison, is_read: bool) -> None:
    """Refuse documents that are not nearly the same, or that the person must read first."""
    may_copy = not _is_blind(desk, document) or _is_blind(desk, of)
    if not may_copy or not compared.is_near:
        raise ConflictError(Message("server.not_nearly_the_same"))
    if not is_read and (not compared.is_same or document in desk.record.drawn_for_audit):
        raise ConflictError(Message("server.read_it_first"))
