"""`satc reproduce`: repeat the paper's experiments, and print its tables beside ours."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from satc.cli import options, results, show
from satc.cli.progress import counted

if TYPE_CHECKING:
    from satc.experiments.protocol import Outcome

LEARNERS = ["svm", "mpboost"]


def reproduce(
    datasets: Annotated[
        list[str] | None,
        typer.Argument(metavar="[DATASET]...", help="Names of datasets; all if none is given."),
    ] = None,
    learner: Annotated[
        list[str],
        typer.Option(
            "--learner",
            help="svm or mpboost (those of the paper), tsvm (transductive SVMs) or self-training; "
            "repeat for several.",
        ),
    ] = LEARNERS,
    figures: Annotated[bool, typer.Option("--figures", help="Draw the ER curves as well.")] = False,
    ablation: Annotated[
        bool,
        typer.Option("--ablation", help="Also add the parts of the contextual method one by one."),
    ] = False,
    embeddings: Annotated[
        str | None,
        typer.Option(
            help="With --ablation, also embeddings: a sentence-transformers model, name or folder."
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Directory for the report: HTML, Markdown, JSON."),
    ] = None,
    data_home: Annotated[
        Path | None, typer.Option(help="Directory of the datasets' files.", file_okay=False)
    ] = None,
    cache: Annotated[
        Path | None, typer.Option(help="Directory for the scores, which a second run reads.")
    ] = None,
    seed: options.Seed = 0,
    jobs: Annotated[int, typer.Option(help="Folds trained in parallel; -1 for all cores.")] = -1,
) -> None:
    """Repeat the paper's experiments: 10 folds, all methods, macro and micro, all depths.

    Scores are saved, so a second run only ranks, and an interrupted run continues.

    Example: satc reproduce reuters21578 --learner svm --figures -o reproduction/
    """
    from satc.datasets.home import user_cache
    from satc.datasets.registry import ENTRIES
    from satc.errors import DataError
    from satc.experiments.report import as_markdown
    from satc.experiments.tables import Missing, all_tables
    from satc.inputs import choice
    from satc.learners.presets import LEARNERS as KNOWN

    names = datasets or list(ENTRIES)
    for name in names:
        choice(name, ENTRIES, "dataset")
    chosen = [choice(name, KNOWN, "learner") for name in learner]
    if output is not None:
        results.make_folder(output)
    cache = cache or user_cache() / "scores"
    outcomes: list[Outcome] = []
    missing = []
    for name in names:
        try:
            outcomes += [_run(name, one, data_home, cache, seed, jobs) for one in chosen]
        except DataError as error:
            reason = f"not at hand; 'satc datasets fetch {name}' brings it"
            missing.append(Missing(name, reason))
            show.say(f"note: {name} is left out: {error}")
    tables = all_tables(outcomes, missing)
    if ablation:
        whole = {o.dataset for o in outcomes if "/" not in o.dataset}
        steps = _ablate(sorted(whole), chosen, data_home, cache, seed, output, embeddings)
        tables.append(steps)
    if output is None:
        for table in tables:
            show.print_table(table.title, table.note, table.header, table.rows)
    else:
        _write(output, outcomes, missing, tables, figures, as_markdown(tables))


def _run(name: str, learner: Any, data_home: Path | None, cache: Path, seed: int, jobs: int) -> Any:
    from satc.datasets.loading import load
    from satc.experiments.protocol import evaluate
    from satc.experiments.scores import scores_of

    dataset = load(name, data_home=data_home)
    with counted(f"{name}, {learner.title}: training") as progress:
        scores = scores_of(dataset, learner, cache, seed=seed, n_jobs=jobs, progress=progress)
    with counted(f"{name}, {learner.title}: ranking") as progress:
        return evaluate(dataset, learner.name, scores, progress=progress)


def _ablate(
    names: list[str],
    learners: Any,
    data_home: Path | None,
    cache: Path,
    seed: int,
    output: Path | None,
    embeddings: str | None,
) -> Any:
    """Add one part at a time, and draw how reliable the probabilities are."""
    from satc.datasets.loading import load
    from satc.evaluation.plot import reliability_chart
    from satc.experiments.ablation import ablate, as_table, reliability
    from satc.experiments.scores import scores_of

    outcomes = {}
    for name in names:
        dataset = load(name, data_home=data_home)
        vectors = None if embeddings is None else _embed(dataset, embeddings)
        for learner in learners:
            show.say(f"{name}, {learner.title}: ablation")
            steps = ablate(dataset, scores_of(dataset, learner, cache, seed=seed), vectors)
            outcomes[f"{name}, {learner.title}"] = steps
            if output is None:
                continue
            bins = {
                step.name: reliability(step.probability, dataset.test.labels)
                for step in (steps[0], steps[3], steps[4])
            }
            chart = reliability_chart(bins, title=f"{name}, {learner.title}")
            results.write_picture(output / f"reliability-{name}-{learner.name}.svg", chart)
    return as_table(outcomes)


def _embed(dataset: Any, model: str) -> Any:
    """Return the vectors of training and test documents, which are kept in the user's cache."""
    from satc.cli.progress import paced
    from satc.embeddings import embed

    parts = []
    for part in (dataset.train, dataset.test):
        with paced(f"{dataset.name}: embedding", "text") as progress:
            parts.append(embed(part.texts, model, progress=progress))
    return tuple(parts)


def _write(
    output: Path, outcomes: Any, missing: Any, tables: Any, figures: bool, markdown: str
) -> None:
    from satc.evaluation.plot import error_reduction_chart, rendered
    from satc.experiments.report import as_html, as_json

    pictures = {}
    files = {output / "reproduction.md": markdown}
    if figures:
        import numpy as np

        for outcome in outcomes:
            caption = f"{outcome.dataset}, {outcome.learner}"
            curves = {method: np.array(curve) for method, curve in outcome.curves.items()}
            svg = rendered(error_reduction_chart(curves, title=caption), ".svg").decode()
            pictures[caption] = svg
            file = f"{outcome.dataset.replace('/', '_')}-{outcome.learner}.svg"
            files[output / file] = svg
    files[output / "reproduction.html"] = as_html(tables, pictures)
    files[output / "reproduction.json"] = as_json(outcomes, missing)
    results.write_texts(files)
