"""Sentences about opinions that differ from the classifier."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from satc.inputs import SINGLE_LABEL
from satc.ranking.reasons.opinions import Difference, Said
from satc.workbench.messages import Message

_MOST_NAMES = 3  # in a list of names; the others are counted


def say_differences(said: Said, names: Sequence[str], among: Collection[int]) -> list[Message]:
    """Return a sentence for each group of opinions that differ from the classifier.

    `names` are those of the classes; only differences in the classes `among` count.
    """
    return [_sentence(said, one, names) for one in said.differences(among)]


def _sentence(said: Said, one: Difference, names: Sequence[str]) -> Message:
    is_single = said.task == SINGLE_LABEL
    how = "single" if is_single else "added" if not one.absent else "both" if one.says else "absent"
    key = f"server.opinion_{how}" + ("_here" if one.is_made_here else "")
    lists = {"says": one.says, "absent": one.absent, "classifier": said.classifier}
    values = {name: _quoted(names[j] for j in classes) for name, classes in lists.items()}
    return Message(key, n=len(one.who), who=_quoted(one.who), **values)


def _quoted(names: Iterable[str]) -> list[Message]:
    every = list(names)
    quoted = [Message("server.quoted", name=name) for name in every[:_MOST_NAMES]]
    more = len(every) - _MOST_NAMES
    return [*quoted, Message("server.more_names", n=more)] if more > 0 else quoted
