"""Options for the settings of a project, and how their values become `Settings`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from satc.cli.options import Method, RankingOptions
from satc.workbench.model.new_project.setting_values import read_costs, read_rule, read_share
from satc.workbench.model.settings import Settings


@dataclass(frozen=True, kw_only=True)
class ProjectRankingOptions(RankingOptions):
    """Options of the ranking, for a project."""

    method: Method = Settings.method
    top: Annotated[
        int | None,
        typer.Option(
            help="Hold this many of the best documents of --scores; fetch as many when needed.",
            min=1,
        ),
    ] = None


@dataclass(frozen=True, kw_only=True)
class LabellingOptions:
    """How people label."""

    title: Annotated[str | None, typer.Option(help="Title that people see; else the name.")] = None
    guidelines: Annotated[
        Path | None, typer.Option(help="A text file with the rules for labelling.")
    ] = None
    overlap: Annotated[
        str,
        typer.Option(help="Share of documents that a second person checks too, as in 10%."),
    ] = f"{Settings.overlap:g}"
    blind: Annotated[
        str, typer.Option(help="Share of documents whose predictions are hidden, as in 5%.")
    ] = f"{Settings.blind:g}"


@dataclass(frozen=True, kw_only=True)
class AssuranceOptions:
    """How good the labels must be, and what the work may cost."""

    audit: Annotated[
        str, typer.Option(help="Share of the work that is a random audit, for 'satc certify'.")
    ] = f"{Settings.audit:g}"
    cap: Annotated[
        int, typer.Option(help="Most labels that a document can lack; for 'satc certify'.", min=1)
    ] = Settings.cap
    stop: Annotated[
        str,
        typer.Option(
            help="Rule for the end of the work, as in 'any(target(0.95,0.9),budget(hours=8))'."
        ),
    ] = Settings.stop
    price: Annotated[float | None, typer.Option(help="Price of an hour of work.", min=0)] = (
        Settings.price
    )


@dataclass(frozen=True, kw_only=True)
class WeightOptions:
    """What reading a document and an error cost, and how much classes matter."""

    reading_time: Annotated[
        str,
        typer.Option(
            help="Rank by gain per minute: 'length', or the name of a column with minutes."
        ),
    ] = Settings.reading
    class_weights: Annotated[
        Path | None, typer.Option(help="JSON file with the weight of each class, by name.")
    ] = None
    error_costs: Annotated[
        str | None, typer.Option(help="Costs of a false positive and a false negative: 1,5.")
    ] = None


@dataclass(frozen=True, kw_only=True)
class ProjectOptions(WeightOptions, AssuranceOptions, LabellingOptions):
    """Options of a new project, apart from those of its ranking."""

    lease: Annotated[
        int, typer.Option(help="Minutes that an opened document is kept for a person.", min=1)
    ] = Settings.lease_seconds // 60

    def read_class_weights(self) -> dict[str, float] | None:
        """Read the weights of classes, by name; None if no file was given."""
        from satc.files import read_class_weights

        return None if self.class_weights is None else read_class_weights(self.class_weights)


def read_settings(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of `Settings` for the values of options; None means not given."""
    fields = {}
    for option, value in given.items():
        if value is not None:
            field, read = _FIELDS.get(option, (option, _unchanged))
            fields[field] = read(value)
    return fields


def _reader(read: Callable[[str, str], Any], option: str) -> Callable[[str], Any]:
    """Return a reader of the values of an option; an error becomes one about the option."""

    def checked(text: str) -> Any:
        try:
            return read(text, option)
        except ValueError as error:
            raise typer.BadParameter(str(error)) from None

    return checked


def _read_guidelines(path: Path) -> str:
    from satc.files import read_text

    return read_text(path)


def _unchanged(value: Any) -> Any:
    return value


_FIELDS: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "guidelines": ("guidelines", _read_guidelines),
    "overlap": ("overlap", _reader(read_share, "--overlap")),
    "blind": ("blind", _reader(read_share, "--blind")),
    "audit": ("audit", _reader(read_share, "--audit")),
    "stop": ("stop", _reader(read_rule, "--stop")),
    "reading_time": ("reading", _unchanged),
    "error_costs": ("error_costs", _reader(read_costs, "--error-costs")),
    "lease": ("lease_seconds", lambda minutes: 60 * minutes),
}
