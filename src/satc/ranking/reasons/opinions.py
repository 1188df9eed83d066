"""Who says what about a document: the classifier and the other opinions, and where they differ."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from satc.calibration.contextual.calibrator import ClassContext
from satc.inputs import SINGLE_LABEL
from satc.ranking.cold_start import SECOND_OPINION
from satc.ranking.documents import RankedDocuments

Classes = tuple[int, ...]

_MOST_NAMES = 3  # in a list of names; the others are counted
# The opinion that satc makes itself has a name that people could not understand.
_MADE_HERE = "a second classifier, trained on the predicted labels of the other documents,"


class Said(NamedTuple):
    """The labels that the classifier and the other opinions give to one document.

    Attributes
    ----------
    task : str
        ``"multi-label"`` or ``"single-label"``.
    classifier : tuple of int
        The classes that the scores say, before labels are chosen for the measure.
    opinions : mapping from a name to a tuple of int
        The classes that each opinion says. Opinions that do not know the document are left out.

    Examples
    --------
    >>> said = Said("single-label", (0,), {"embeddings": (1,), "llm": (1,)})
    >>> said.sentence(["refund", "chargeback"])
    'The classifier says “refund”; the opinions “embeddings” and “llm” say “chargeback”.'
    >>> Said("multi-label", (0, 1), {"llm": (1, 2)}).sentence(["grain", "oil", "wheat"])
    'Unlike the classifier, the opinion “llm” says “wheat”, but not “grain”.'
    """

    task: str
    classifier: Classes
    opinions: Mapping[str, Classes]

    def sentence(self, names: Sequence[str], among: Collection[int] | None = None) -> str:
        """Say where opinions differ from the classifier; "" if they do not.

        Parameters
        ----------
        names : sequence of str
            The names of the classes.
        among : collection of int, optional
            Only differences in these classes count; by default, all do. It has no effect in a
            single-label task.
        """
        if self.task == SINGLE_LABEL:
            return self._one_label(names)
        wanted = range(len(names)) if among is None else among
        return self._many_labels(names, set(wanted))

    def _one_label(self, names: Sequence[str]) -> str:
        others = self._grouped(lambda says: None if says == self.classifier else says)
        if not others:
            return ""
        parts = [f"The classifier says {_listed(_names(self.classifier, names))}"]
        for (says, _), who in others.items():
            parts.append(f"{_subject(who)} {_say(who)} {_listed(_names(says, names))}")
        return f"{'; '.join(parts)}."

    def _many_labels(self, names: Sequence[str], among: set[int]) -> str:
        def difference(says: Classes) -> tuple[Classes, Classes] | None:
            added = tuple(sorted((set(says) - set(self.classifier)) & among))
            absent = tuple(sorted((set(self.classifier) - set(says)) & among))
            return (added, absent) if added or absent else None

        return " ".join(
            f"Unlike the classifier, {_subject(who)} {_different(who, added, absent, names)}."
            for ((added, absent), _), who in self._grouped(difference).items()
        )

    def _grouped(self, difference: Callable[[Classes], Any]) -> dict[Any, list[str]]:
        """Return the names of opinions by their difference; the one made here stays alone."""
        groups: dict[Any, list[str]] = {}
        for who, says in self.opinions.items():
            if (key := difference(says)) is not None:
                groups.setdefault((key, who == SECOND_OPINION), []).append(who)
        return groups


def said_about(documents: RankedDocuments, i: int, contexts: Iterable[ClassContext | None]) -> Said:
    """Return what the classifier and the opinions say about document i.

    `contexts` are those of its classes, in any order; None where there is no context.
    """
    task = documents.model.task
    own = documents.model.own_labels(documents.scores[i : i + 1])[0]
    told: dict[str, dict[int, float]] = {}
    for context in contexts:
        if context is not None:
            for name, number in context.opinions.items():
                told.setdefault(name, {})[context.class_index] = number
    said = {name: _classes(numbers, task) for name, numbers in told.items()}
    return Said(task, tuple(own.nonzero()[0].tolist()), said)


def _classes(numbers: Mapping[int, float], task: str) -> Classes:
    """Return the classes that an opinion says, given one number for each class."""
    in_order = sorted(numbers)
    if task == SINGLE_LABEL:
        return (max(in_order, key=lambda j: numbers[j]),)
    return tuple(j for j in in_order if numbers[j] > 0)


def _different(who: list[str], added: Classes, absent: Classes, names: Sequence[str]) -> str:
    """Say which classes opinions add, and which they leave out."""
    more, fewer = _listed(_names(added, names)), _listed(_names(absent, names))
    if not absent:
        return f"{_say(who)} {more}"
    if not added:
        return f"{'do' if len(who) > 1 else 'does'} not say {fewer}"
    return f"{_say(who)} {more}, but not {fewer}"


def _subject(who: list[str]) -> str:
    if who == [SECOND_OPINION]:
        return _MADE_HERE
    return f"the opinion{'s' if len(who) > 1 else ''} {_listed(who)}"


def _say(who: list[str]) -> str:
    return "say" if len(who) > 1 else "says"


def _names(classes: Classes, names: Sequence[str]) -> list[str]:
    return [names[j] for j in classes]


def _listed(names: Sequence[str]) -> str:
    """Return a list of names in quotation marks.

    >>> _listed(["a"]), _listed(["a", "b"]), _listed("abcde")
    ('“a”', '“a” and “b”', '“a”, “b”, “c” and 2 more')
    """
    parts = [f"“{name}”" for name in names[:_MOST_NAMES]]
    if len(names) > _MOST_NAMES:
        parts.append(f"{len(names) - _MOST_NAMES} more")
    return " and ".join([", ".join(parts[:-1]), parts[-1]] if len(parts) > 1 else parts)
