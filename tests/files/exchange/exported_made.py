"""Exported documents with hostile texts, for the round trips."""

from __future__ import annotations

from datetime import UTC, datetime

from hypothesis import strategies as st

from satc.files.exchange import ExportedDocument

CLASSES = ("corn", "wheat", "=cmd|' /C calc'!A0", "+1", "@x", 'a "b", c', "<b>&'", "Ω\nω", "a|b")
CSV_CLASSES = tuple(name for name in CLASSES if "|" not in name)
HOSTILE = ("=1+1", "'=1+1", " =1", "＝1", "+cmd", "-x", "@SUM(A1)", "\tx", "\r", "\n=1", 'a"b,c|d')

characters = st.characters(exclude_categories=["Cs"], exclude_characters="\0")
texts = st.sampled_from(HOSTILE) | st.text(characters, max_size=20)
ids = texts.filter(str.strip)
scalars = st.none() | st.booleans() | st.integers() | st.floats() | texts
values = scalars | st.lists(scalars, max_size=3) | st.dictionaries(texts, scalars, max_size=2)
names = st.sampled_from(["year", "labels", "id", "satc_labels", "satc_labels_input", "=1", "ü b"])
moments = st.datetimes(
    min_value=datetime(2000, 1, 1), max_value=datetime(2100, 1, 1), timezones=st.just(UTC)
)


def exported(classes=CLASSES, columns=values):
    labels = st.lists(st.sampled_from(classes), unique=True, max_size=3).map(tuple)
    return st.builds(
        ExportedDocument,
        id=ids,
        text=texts,
        columns=st.dictionaries(names, columns, max_size=4),
        predicted=labels,
        probabilities=st.dictionaries(st.sampled_from(classes), st.floats(0, 1), max_size=3),
        labels=labels,
        source=st.sampled_from(["human", "automatic"]),
        rank=st.none() | st.integers(1, 10**9),
        who=st.none() | ids,
        when=st.none() | moments,
        flagged=st.booleans(),
        note=texts,
    )


def human(identity="1", text="Wheat rose.", labels=("wheat",), **more):
    when = datetime(2024, 5, 1, 12, 30, tzinfo=UTC)
    more = {"who": "ann@example.org", "when": when, "source": "human", **more}
    return ExportedDocument(identity, text, labels=labels, **more)


def decisions(given):
    """The decisions of these documents, as they must come back."""
    return [(one.id, one.labels, one.who, one.when) for one in given if one.source == "human"]


def returned(imported):
    return [decision[:4] for decision in imported]
