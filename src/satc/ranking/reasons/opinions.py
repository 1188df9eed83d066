"""Who says what about a document: the classifier and the other opinions, and where they differ."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from satc.calibration.contextual.calibrator import ClassContext
from satc.inputs import SINGLE_LABEL
from satc.ranking.cold_start import SECOND_OPINION
from satc.ranking.documents import RankedDocuments

Classes = tuple[int, ...]

_MOST_NAMES = 3  # in a list of names; the others are counted
# The opinion that satc makes itself has a name that people could not understand.
_MADE_HERE = "a second classifier, trained on the predicted labels of the other documents,"


class Difference(NamedTuple):
    """How some opinions, which say the same, differ from the classifier.

    Attributes
    ----------
    who : tuple of str
        The names of the opinions; the one that satc makes itself stays alone.
    says : tuple of int
        The classes that they say and the classifier does not.
    absent : tuple of int
        The classes that the classifier says and they do not.
    """

    who: tuple[str, ...]
    says: Classes
    absent: Classes

    @property
    def is_made_here(self) -> bool:
        """Whether this is the opinion that satc makes itself."""
        return self.who == (SECOND_OPINION,)


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
        found = self.differences(among)
        if not found:
            return ""
        if self.task != SINGLE_LABEL:
            return " ".join(_many_labels(one, names) for one in found)
        own = f"The classifier says {_listed(_names(self.classifier, names))}"
        others = (
            f"{_subject(one)} {_say(one)} {_listed(_names(one.says, names))}" for one in found
        )
        return f"{'; '.join([own, *others])}."

    def differences(self, among: Collection[int] | None = None) -> list[Difference]:
        """Return how opinions differ from the classifier, in the order of the opinions.

        `among` is as for `sentence`.
        """
        wanted = None if self.task == SINGLE_LABEL or among is None else set(among)
        groups: dict[tuple[Classes, Classes, bool], list[str]] = {}
        for who, says in self.opinions.items():
            added = _without(says, self.classifier, wanted)
            absent = _without(self.classifier, says, wanted)
            if added or absent:
                groups.setdefault((added, absent, who == SECOND_OPINION), []).append(who)
        return [Difference(tuple(who), *key[:2]) for key, who in groups.items()]


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


def _without(some: Classes, others: Classes, among: set[int] | None) -> Classes:
    """Return the classes of `some` that are not in `others`, if they are wanted."""
    left = set(some) - set(others)
    return tuple(sorted(left if among is None else left & among))


def _many_labels(one: Difference, names: Sequence[str]) -> str:
    """Say which classes opinions add, and which they leave out."""
    return f"Unlike the classifier, {_subject(one)} {_different(one, names)}."


def _different(one: Difference, names: Sequence[str]) -> str:
    more, fewer = _listed(_names(one.says, names)), _listed(_names(one.absent, names))
    if not one.absent:
        return f"{_say(one)} {more}"
    if not one.says:
        return f"{'do' if len(one.who) > 1 else 'does'} not say {fewer}"
    return f"{_say(one)} {more}, but not {fewer}"


def _subject(one: Difference) -> str:
    if one.is_made_here:
        return _MADE_HERE
    return f"the opinion{'s' if len(one.who) > 1 else ''} {_listed(one.who)}"


def _say(one: Difference) -> str:
    return "say" if len(one.who) > 1 else "says"


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
