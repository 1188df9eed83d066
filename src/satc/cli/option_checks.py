"""Checks of option values: a wrong value ends the command with one line and exit code 2."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeVar

import typer

from satc.errors import MissingExtraError
from satc.inputs import choice
from satc.texts.words.wanted import AUTO
from satc.workbench.model.new_project.source_parts import check_method as check_method_of_parts
from satc.workbench.model.new_project.source_parts import needs_training
from satc.workbench.model.settings import Settings

P = TypeVar("P", bound=str | Path)

_METHOD = "contextual"  # the default of `satc.rank`; importing that takes seconds
_ENGINES = {"duckdb": None, "spark": None}
_TABLES = (".csv", ".tsv", ".xlsx", ".json", ".jsonl", ".parquet")


def checked(check: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Return a callback for Typer: an error of the check becomes a message about the option."""

    def callback(value: Any) -> Any:
        try:
            for one in value if isinstance(value, list) else [value]:
                check(one)
        except (TypeError, ValueError) as error:
            raise typer.BadParameter(str(error)) from None
        return value

    return callback


def check_method(name: str) -> None:
    """Refuse an unknown method."""
    from satc.ranking.methods import PLUGINS, parse_method

    parse_method(name)
    if name != _METHOD:
        PLUGINS.warn_if_taken(name)


def check_learner(name: str) -> None:
    """Warn if an installed package offers a learner of this name, which satc has itself."""
    if name != AUTO:
        from satc.learners.presets import PLUGINS

        PLUGINS.warn_if_taken(name)


def check_format(name: str | None) -> None:
    """Refuse an unknown format, before a project is opened."""
    if name is not None:
        from satc.files.exchange import PLUGINS, format_of

        format_of("", name)
        PLUGINS.warn_if_taken(name)


def check_measure(name: str) -> None:
    """Refuse an unknown measure."""
    from satc.measures import PLUGINS, parse

    parse(name)
    if name != Settings.measure:
        PLUGINS.warn_if_taken(name)


def check_decide(decide: str | None) -> None:
    """Refuse an unknown way to decide on labels."""
    from satc.ranking.options import check_decide as check

    if decide is not None:
        check(decide)


def check_language(language: str) -> None:
    """Refuse an unknown language."""
    if language != AUTO:  # spares the commands without a learner an import that takes long
        from satc.learners.text.languages import check_language as check

        check(language)


def check_analyzer(analyzer: str) -> None:
    """Refuse an unknown analyzer."""
    if analyzer != AUTO:
        from satc.learners.text.analysis import ANALYZERS

        choice(analyzer, dict.fromkeys((AUTO, *ANALYZERS)), "analyzer")


def check_engine(name: str | None) -> None:
    """Refuse an unknown engine."""
    if name is not None:
        choice(name, _ENGINES, "engine")


def check_target(target: float) -> None:
    """Refuse a number that a measure cannot reach."""
    if not 0 < target <= 1:
        raise ValueError(f"target must be above 0 and up to 1, but is {target}")


def check_fraction(xi: float) -> None:
    """Refuse a number that is not a fraction of the documents."""
    if not 0 < xi <= 1:
        raise ValueError(f"xi must be a fraction above 0 and up to 1, but is {xi}")


def check_picture(path: Path | None) -> None:
    """Refuse a picture that cannot be drawn, before the results are computed."""
    from satc.evaluation.plot import FORMATS

    if path is not None and path.suffix.lower() not in FORMATS:
        raise ValueError(f"a plot must end in one of {', '.join(FORMATS)}, but is {path.name!r}")
    if path is not None and not (find_spec("altair") and find_spec("vl_convert")):
        raise MissingExtraError("drawing a curve", "plots")


def check_table(path: Path | None) -> None:
    """Refuse a table of an unknown format."""
    if path is not None and path.suffix.lower() not in _TABLES:
        raise ValueError(f"a table must end in one of {', '.join(_TABLES)}, but is {path.name!r}")


def check_excel(excel: bool, output: Path | None) -> None:
    """Refuse --excel without a CSV file."""
    if excel and (output is None or output.suffix.lower() != ".csv"):
        raise typer.BadParameter("--excel needs -o FILE.csv; an .xlsx file needs no option")


def required(value: P | None, option: str) -> P:
    """Return the value of an option that must be given."""
    if value is None:
        raise typer.BadParameter(f"{option} is needed")
    return value


def refuse(context: typer.Context, names: Iterable[str], why: str) -> None:
    """Refuse options that were given but would have no effect."""
    options = {one.name: one.opts[0] for one in context.command.params}
    for name in names:
        if is_given(context, name):
            raise typer.BadParameter(f"{options[name]} {why}")


def is_given(context: typer.Context, name: str) -> bool:
    """Whether an option stands on the command line."""
    source = context.get_parameter_source(name)
    return source is not None and source.name == "COMMANDLINE"


def check_trained(method: str, trained: bool, *, predictions: bool) -> None:
    """Refuse a method that needs true labels of training documents where there are none."""
    given = ["predictions"] if predictions else []
    check_method_of_parts(method, [*given, "known"] if trained else given, option_name)


def without_training(methods: list[str]) -> tuple[list[str], list[str]]:
    """Divide methods into those that need no training documents, and the others."""
    others = [name for name in methods if needs_training(name)]
    return [name for name in methods if name not in others], others


def say_prior_shift(wanted: bool, methods: list[str], decides: list[str], *, trained: bool) -> None:
    """Say where --prior-shift has no effect: it corrects what the contextual calibrator learnt."""
    from satc.cli.show import say
    from satc.ranking.methods import parse_method
    from satc.ranking.options import FOR_MEASURE

    if not wanted:
        return
    if not trained:
        say("note: --prior-shift has no effect, because no training documents are known")
        return
    # labels chosen for the measure come from the calibrator, unless the method has probabilities
    shifted = {"context"} if FOR_MEASURE not in decides else {"context", "truth", "none"}
    others = [name for name in methods if parse_method(name).probability not in shifted]
    if others:
        say(
            f"note: --prior-shift has no effect on {', '.join(others)}: it corrects the "
            "probabilities of the contextual methods"
        )


def option_name(part: str) -> str:
    """Return the option of a file or a setting.

    >>> option_name("oof_scores")
    '--oof-scores'
    """
    return f"--{part.replace('_', '-')}"


def refuse_oracle(method: str) -> None:
    """Refuse a method that needs the true labels, before a learner is trained."""
    from satc.ranking.methods import parse_method

    if parse_method(method).needs_truth:
        raise typer.BadParameter(
            f"method {method!r} needs the true labels of the documents, as 'satc simulate' has them"
        )
