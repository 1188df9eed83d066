"""`satc compare`: all methods on one set of documents, with intervals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from satc.cli import options
from satc.cli.option_checks import check_method, checked, option_name, refuse, required
from satc.cli.option_groups import with_groups
from satc.cli.options import FigureOptions, LearnerOptions
from satc.cli.results import make_folder
from satc.cli.simulated_options import SimulatedOptions
from satc.cli.simulated_predictions import read_simulated_predictions
from satc.cli.simulated_scores import read_simulated_scores
from satc.workbench.model.settings import Settings

if TYPE_CHECKING:
    from satc.cli.compared_sets import ComparedSets
    from satc.experiments.comparison.comparison import Comparison

_VECTORS = ["embeddings", "train_embeddings"]
_FEATURES = ["features", "train_features"]
# Options that only some of the ways to give documents take.
_ONLY_WITH = {
    ("dataset",): ["data_home", "cache", "jobs"],
    ("dataset", "train"): ["learner"],
    ("train",): ["documents", "folds", "language", "analyzer", "digits", *_VECTORS],
    ("scores", "predictions"): ["labels", "oof_scores", "train_labels", *_FEATURES],
    ("predictions",): ["kind", "threshold", "known", "classes"],
    ("train", "scores", "predictions"): ["opinion"],
}


@dataclass(frozen=True, kw_only=True)
class DatasetOptions:
    """A dataset that satc knows, with the scores of a learner of the paper."""

    dataset: Annotated[
        str | None,
        typer.Option(
            help="Name of a dataset, as 'satc datasets list' prints it; its test documents are one "
            "set. The learner is then svm (the default), mpboost, tsvm or self-training."
        ),
    ] = None
    data_home: Annotated[
        Path | None, typer.Option(help="Directory of the datasets' files.", file_okay=False)
    ] = None
    cache: Annotated[
        Path | None,
        typer.Option(help="Directory for the scores of datasets, which a second run reads."),
    ] = None
    jobs: Annotated[int, typer.Option(help="Folds trained in parallel; -1 for all cores.")] = -1


@dataclass(frozen=True, kw_only=True)
class TextOptions:
    """Files of labelled texts."""

    train: Annotated[
        Path | None,
        typer.Option(
            help="Labelled documents to learn from: id, text, and labels or label. Without "
            "--documents, a random third of them is held out."
        ),
    ] = None
    documents: Annotated[
        Path | None, typer.Option(help="Documents to classify, with their true labels.")
    ] = None


def _check_method(name: str | None) -> None:
    if name is not None:
        check_method(name)


@with_groups
def compare(
    context: typer.Context,
    *,
    sets: DatasetOptions,
    texts: TextOptions,
    learning: LearnerOptions,
    given: SimulatedOptions,
    method: Annotated[
        list[str] | None,
        typer.Option(
            help="A ranking method; repeat for several. The first is the reference.",
            show_default="all, with contextual as the reference",
            callback=checked(_check_method),
        ),
    ] = None,
    decide: options.Decisions = ["measure", "sign"],  # noqa: B006
    figures: FigureOptions,
    seeds: Annotated[
        int,
        typer.Option(
            help="Number of seeds: of the folds of a dataset, of the documents that are held out, "
            "and of the probabilities.",
            min=1,
        ),
    ] = 3,
    resamples: Annotated[
        int, typer.Option(help="Resamples of the documents, for the intervals.", min=20)
    ] = 500,
    seed: options.Seed = Settings.seed,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="Directory for comparison.html, comparison.svg and comparison.json.",
            file_okay=False,
        ),
    ] = None,
    as_json: options.AsJson = False,
) -> None:
    """Compare all methods on documents whose true labels are known, with intervals.

    For each method, and for labels that are chosen for the measure or by the sign of the score, it
    prints the measure before anyone reads a document, how many documents must be checked until it
    reaches each target, and the expected normalised error reduction (ENER). The first row is the
    reference; the last column says how many documents more than the reference each method needs,
    with a 95% interval over resampled documents. The methods include the rankings of others, such
    as entropy, and the oracles, which know the true labels. The page of --output, and --json, have
    the intervals of all figures and of all differences.

    Example: satc compare --dataset reuters21578 -o comparison/

    Example: satc compare --train labelled.csv --method contextual --method entropy

    Example: satc compare --train labelled.csv --documents more_labelled.csv --seeds 5

    Example: satc compare --scores test.npy --labels test.npz --oof-scores oof.npy
    --train-labels train.npz --json
    """
    from satc.cli.progress import counted
    from satc.experiments.comparison.comparison import compare as run
    from satc.experiments.comparison.contenders import all_cases, run_all
    from satc.experiments.comparison.figures import Figures
    from satc.measures import display_name

    if output is not None:
        make_folder(output)
    wanted = _Wanted(context, sets, texts, learning, given, range(seed, seed + seeds))
    compared = wanted.read()
    kind = compared.sets[0].task
    cases = all_cases(kind, list(dict.fromkeys(method or ())), list(dict.fromkeys(decide)))
    measured = {"measure": figures.measure, "average": figures.average}
    with counted("ranking by each method") as progress:
        runs = run_all(
            compared.sets, cases, **measured, progress=progress, leave_out_failed=not method
        )
    with counted("resampling the documents") as progress:
        found = run(
            runs,
            **measured,
            figures=Figures(figures.target, xis=figures.xi),
            n_resamples=resamples,
            random_state=seed,
            progress=progress,
        )
    _show(found, as_json)
    if output is not None:
        _write(output, found, display_name(**measured, task=kind), compared.about)


@dataclass(frozen=True)
class _Wanted:
    """The documents that are asked for: one of the four ways to give them."""

    context: typer.Context
    sets: DatasetOptions
    texts: TextOptions
    learning: LearnerOptions
    given: SimulatedOptions
    seeds: Sequence[int]

    def read(self) -> ComparedSets:
        """Read the documents, and train a learner on them where there are no scores."""
        from satc.cli.compared_sets import from_dataset, from_scores

        way = self._way()
        for other, names in _ONLY_WITH.items():
            if way not in other:
                refuse(self.context, names, f"needs {' or '.join(map(option_name, other))}")
        if way == "dataset":
            home, cache, jobs = self.sets.data_home, self.sets.cache, self.sets.jobs
            name = required(self.sets.dataset, "--dataset")
            return from_dataset(name, self.learning.learner, self.seeds, home, cache, jobs)
        if way == "train":
            return self._from_texts()
        if way == "scores":
            path, read = self.given.scores, read_simulated_scores(self.given)
        else:
            path, read = self.given.prediction_file, read_simulated_predictions(self.given)
        return from_scores(*read, self.seeds, required(path, option_name(way)))

    def _way(self) -> str:
        ways = {
            "dataset": self.sets.dataset,
            "train": self.texts.train,
            "predictions": self.given.predictions,
            "scores": self.given.scores,
        }
        given = [way for way, value in ways.items() if value is not None]
        if len(given) != 1:
            names = ", ".join(map(option_name, ways))
            raise typer.BadParameter(f"exactly one of {names} is needed, but got {len(given)}")
        return given[0]

    def _from_texts(self) -> ComparedSets:
        from satc.cli.compared_sets import from_texts

        train, held_out = required(self.texts.train, "--train"), self.texts.documents
        wanted, seed = self.given.wanted(), self.seeds[0]
        source = self.learning.source(train, held_out or train, seed, self.given, wanted)
        return from_texts(replace(source, opinions=self.given.opinions()), held_out, self.seeds)


def _show(found: Comparison, as_json: bool) -> None:
    """Print the table: the start, the documents until each target, and ENER."""
    from satc.cli.show import print_json, print_rows
    from satc.experiments.comparison.rows import text_rows

    if as_json:
        print_json(found.as_dict())
    else:
        print_rows(text_rows(found), texts=("method", "labels"))


def _write(folder: Path, found: Comparison, measure: str, about: dict[str, str]) -> None:
    import json

    from satc.cli.results import write_texts
    from satc.evaluation.plot import rendered
    from satc.experiments.comparison.page import as_html, comparison_chart

    svg = rendered(comparison_chart(found, measure), ".svg").decode()
    write_texts(
        {
            folder / "comparison.html": as_html(found, measure, about),
            folder / "comparison.svg": svg,
            folder / "comparison.json": json.dumps(found.as_dict(), indent=2) + "\n",
        }
    )
