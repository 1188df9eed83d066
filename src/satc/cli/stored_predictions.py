"""Open predictions of any kind where they are stored, and read the documents with known labels."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import typer

from satc.cli.option_checks import required
from satc.cli.options import ColumnOptions, RankingOptions
from satc.cli.score_files import check_training_files
from satc.cli.stored import StoredSide, files_of, vector_files
from satc.errors import DataError
from satc.inputs import MULTI_LABEL, SINGLE_LABEL, Labels, Scores, indicator
from satc.texts.wanted_task import WantedTask

if TYPE_CHECKING:
    from satc.files.predictions.raw import RawPredictions
    from satc.scale import Engine
    from satc.texts.source import Progress

_LABELS, _CONFIDENCES = "labels", "confidences"  # kinds; in files, both are labels
_OF_LABELS = (_LABELS, _CONFIDENCES, "votes")


@contextmanager
def open_stored_predictions(
    ranking: RankingOptions, columns: ColumnOptions, wanted: WantedTask, progress: Progress
) -> Iterator[StoredSide]:
    """Start an engine, and open stored predictions on it as scores."""
    from satc import scale
    from satc.cli.rank_predictions import say_found_task
    from satc.cli.show import say
    from satc.scale.predictions.known import fetch_known, without_documents
    from satc.training import Training

    _check_known_side(ranking)
    vectors = vector_files(ranking)
    progress("opening the predictions")
    with scale.connect(ranking.engine or "duckdb", master=ranking.master) as engine:
        stored = _open(engine, ranking, columns, wanted)
        progress("reading the documents with known labels")
        known = stored.read_known() if ranking.known is not None else stored.read_training()
        say(stored.describe(len(known.classes)))
        say_found_task(known.task, wanted)
        scores = scale.stored_predictions(
            engine,
            stored.table,
            kind=stored.kind,
            classes=known.classes,
            task=known.task,
            threshold=0.5 if stored.threshold is None else stored.threshold,
            absent=ranking.absent,
            vectors=vectors,
            separator=columns.separator,
        )
        own = fetch_known(scores, known.ids or ()) if known.scores is None else known.scores
        if ranking.known is not None and known.ids is not None:
            scores = without_documents(scores, known.ids)
        yield StoredSide(scores, Training(own, known.labels), known.ids, known.task)


def _check_known_side(ranking: RankingOptions) -> None:
    """Refuse predictions whose errors nobody knows, and two sources of known labels."""
    check_training_files(ranking.oof_scores, ranking.train_labels)
    if ranking.known is not None and ranking.oof_scores is not None:
        raise typer.BadParameter("--known and --oof-scores must not be given together")
    if ranking.known is None and ranking.oof_scores is None:
        raise typer.BadParameter(
            "stored predictions need --known, or --oof-scores and --train-labels"
        )


class _KnownDocuments(NamedTuple):
    """Documents with true labels; `scores` are None if they are among the stored predictions."""

    classes: tuple[str, ...]
    task: str
    scores: Scores | None
    labels: Labels
    ids: tuple[str, ...] | None


def _open(
    engine: Engine, ranking: RankingOptions, columns: ColumnOptions, wanted: WantedTask
) -> _StoredTable:
    """Open the table of predictions, and find their kind."""
    from satc.files.predictions import read_classes

    files = files_of(required(ranking.predictions, "--predictions"))
    table = _with_documents(engine.open(files), columns, files)
    kind = _kind(ranking.kind, table.columns, files)
    classes = None if ranking.classes is None else read_classes(ranking.classes)
    if wanted.none_class is not None and kind in _OF_LABELS:
        raise typer.BadParameter("--none-class needs predictions in memory: no --engine")
    if classes is not None and kind not in _OF_LABELS and "class" not in table.columns:
        table = table.select("document", *(name for name in classes if name in table.columns))
    return _StoredTable(engine, table, kind, files, classes, ranking, columns, wanted)


def _with_documents(table: Any, columns: ColumnOptions, files: str) -> Any:
    """Expression: the table with its ids in the column ``document``, and without texts."""
    there = table.columns
    if columns.text_column in there:
        table = table.drop(columns.text_column)
    if "document" in there:
        return table
    name = next((one for one in (columns.id_column, "id") if one in there), None)
    if name is None:
        raise DataError(
            f"{files} must have ids in the column 'document' or 'id', or in that of --id-column, "
            f"but has {', '.join(there)}"
        )
    return table.rename(document=name)


def _kind(given: str | None, columns: Sequence[str], files: str) -> str:
    """Return the kind of stored predictions, as given or as the columns tell."""
    from satc.scale.predictions.columns import kind_of_columns

    told = kind_of_columns(columns)
    if given is None and told is None:
        raise DataError(
            f"{files} has a column for each class, which may be scores, probabilities or logits: "
            "say --kind scores, --kind probabilities or --kind logits"
        )
    return told if told is not None and given in (None, _LABELS) else str(given)


@dataclass(frozen=True)
class _StoredTable:
    """A table of stored predictions, and the options that say what belongs to it."""

    engine: Engine
    table: Any
    kind: str
    files: str
    named: tuple[str, ...] | None  # the classes that the user has named
    ranking: RankingOptions
    columns: ColumnOptions
    wanted: WantedTask

    @property
    def threshold(self) -> Any:
        """The threshold, the thresholds by class, or None."""
        return self.ranking.read_threshold()

    def describe(self, n_classes: int) -> str:
        """Say in one line what is stored."""
        what = "labels with confidences" if self.kind == _CONFIDENCES else self.kind
        return f"{self.files}: {what} of {n_classes:,} classes"

    def read_known(self) -> _KnownDocuments:
        """Read documents with true labels, with their predictions or the ids of stored ones."""
        from satc.files.predictions.known import read_known
        from satc.files.predictions.table import labels_of

        path, stored = required(self.ranking.known, "--known"), self._classes()
        found = read_known(
            path, self._template(stored), self.named, stored=True, **self.columns.names().as_dict()
        )
        none = self.wanted.none_class
        truth = [names or (() if none is None else (none,)) for names in found.truth]
        every = self._with_others(stored, {*found.classes, *(one for few in truth for one in few)})
        own = None if found.predictions is None else found.predictions.with_none_class(none)
        task = self._task(own, indicator(truth, every, drop_unknown=True))
        labels = labels_of(truth, found.where, every, task)
        return _KnownDocuments(every, task, self._scores(own, task, every), labels, found.ids)

    def read_training(self) -> _KnownDocuments:
        """Read out-of-fold predictions of the same kind, and the true labels of their documents."""
        from satc.files import read_labels
        from satc.files.predictions.reading import read_raw

        oof = required(self.ranking.oof_scores, "--oof-scores")
        train_labels = required(self.ranking.train_labels, "--train-labels")
        names = self.columns.names().as_dict()
        raw = self._same_kind(read_raw(oof, self._kind_in_files, self.named, **names))
        every = self._with_others(self._classes(raw), raw.classes)
        none = self.wanted.none_class
        labels = read_labels(train_labels, every, ids=raw.ids, none_class=none, **names)
        if len(labels) != len(raw):
            raise DataError(
                f"{train_labels} must have the {len(raw):,} documents of {oof}, but has "
                f"{len(labels):,}"
            )
        task = self._task(raw, labels)
        return _KnownDocuments(every, task, self._scores(raw, task, every), labels, raw.ids)

    @property
    def _kind_in_files(self) -> str:
        return _LABELS if self.kind == _CONFIDENCES else self.kind

    def _template(self, classes: tuple[str, ...]) -> RawPredictions:
        """Return what `read_known` must know about the stored predictions."""
        from satc.files.predictions.raw import RawPredictions

        given: list[Any] | None = [] if self.kind == _CONFIDENCES else None
        return RawPredictions(
            Path(self.files), "stored", self._kind_in_files, classes, (), (), confidences=given
        )

    def _classes(self, raw: RawPredictions | None = None) -> tuple[str, ...]:
        """Return the classes of the stored predictions; of many pairs, those that `raw` names."""
        from satc.scale.predictions.columns import classes_of_predictions

        if self.named is not None:
            return self.named
        if raw is not None and self.kind not in _OF_LABELS and "class" in self.table.columns:
            return raw.classes
        return classes_of_predictions(self.engine, self.table, self.kind, self.columns.separator)

    def _with_others(self, classes: tuple[str, ...], more: Iterable[str]) -> tuple[str, ...]:
        """Return the classes, then those that only documents with true labels name."""
        return classes if self.named is not None else (*classes, *sorted(set(more) - set(classes)))

    def _same_kind(self, raw: RawPredictions) -> RawPredictions:
        """Refuse out-of-fold predictions of another kind; give the columns of a matrix names."""
        from satc.files.predictions.matrices import MATRIX

        same = raw.kind == self._kind_in_files
        if not same or (raw.confidences is not None) != (self.kind == _CONFIDENCES):
            raise DataError(
                f"{raw.path} must have predictions as {self.files} has them, {self.kind}, but has "
                f"{raw.kind} in {raw.form}"
            )
        if raw.form != MATRIX or self.named is not None:
            return raw.with_none_class(self.wanted.none_class)
        names = [name for name in self.table.columns if name != "document"]
        if "class" in names or len(names) != len(raw.classes):
            raise DataError(
                f"{raw.path} must name its classes, or have the columns of {self.files}, but is a "
                f"matrix of {len(raw.classes)} columns"
            )
        return replace(raw, classes=tuple(names))

    def _task(self, raw: RawPredictions | None, labels: Labels) -> str:
        """Return the task: as the user wants, or as true labels and predictions suggest it."""
        from satc.files.tasks import suggested_task

        if self.wanted.is_named:
            return self.wanted.without_labels
        told = {suggested_task(labels), SINGLE_LABEL}
        if raw is not None:
            told.add(raw.suggested_task or SINGLE_LABEL)
        return SINGLE_LABEL if told == {SINGLE_LABEL} else MULTI_LABEL

    def _scores(
        self, raw: RawPredictions | None, task: str, classes: tuple[str, ...]
    ) -> Scores | None:
        """Return the scores of predictions; None if they are looked up."""
        from satc.files.predictions.table import table_of

        return None if raw is None else table_of(raw, task, classes, self.threshold).scores
