"""Generated events of a project."""

from __future__ import annotations

import numpy as np

from satc.workbench.model import events
from satc.workbench.model.events import Event
from satc.workbench.model.record import Record

KINDS = ("decide", "undo", *(kind for kind in events.KINDS if kind != events.LEARN))


def random_events(rng, n, n_documents=12):
    """Events as people cause them: decisions, draws, skips, flags and notes, and undone ones."""
    record, made = Record(), []
    while len(made) < n:
        kind = str(rng.choice(KINDS))
        document, who = int(rng.integers(n_documents)), str(rng.choice(["ann", "bob"]))
        labels, details = tuple(np.flatnonzero(rng.random(3) < 0.5).tolist()), {}
        if kind == events.UNDO:
            if (last := record.actions.last(who)) is None:
                continue
            document, details, labels = last.document, {"of": last.number}, None
        elif kind == events.NOTE:
            details = {"note": str(rng.choice(["", "odd", "long"]))}
        elif not is_possible(record, kind, document):
            continue
        made.append(Event(len(made) + 1, "now", who, kind, document, labels, None, details))
        record.apply(made[-1])
    return made


def is_possible(record, kind, document):
    is_decided = record.current_decision(document) is not None
    if kind == events.AUDIT:
        return not is_decided and document not in record.drawn_for_audit
    is_anytime = kind in (events.SKIP, events.FLAG, events.UNFLAG)
    return is_anytime or is_decided == (kind != events.DECIDE)
