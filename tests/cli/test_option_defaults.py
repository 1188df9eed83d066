"""Options have the defaults of the library, also where importing the library takes too long."""

import inspect
from dataclasses import MISSING, fields

import pytest
import typer

import satc
from satc.assurance import certify
from satc.cli import app
from satc.cli.reproduce import LEARNERS
from satc.experiments import published
from satc.files import read_documents
from satc.learners import presets
from satc.texts.columns import Columns
from satc.workbench.model.settings import Settings

COMMANDS = typer.main.get_command(app).commands


def default(command, name):
    (found,) = [one.default for one in COMMANDS[command].params if one.name == name]
    return found


def in_library(function, name):
    return inspect.signature(function).parameters[name].default


@pytest.mark.parametrize("name", ["method", "measure", "average"])
def test_rank_has_the_defaults_of_the_function(name):
    assert default("rank", name) == in_library(satc.rank, name)


@pytest.mark.parametrize("command", ["rank", "create", "score", "demo"])
def test_the_folds_are_those_of_the_classifier(command):
    assert default(command, "folds") == in_library(satc.SemiAutomatedClassifier, "cv")


def test_certify_has_the_confidence_of_the_function():
    assert default("certify", "confidence") == in_library(certify, "confidence")


def test_reproduce_runs_the_learners_of_the_paper():
    assert set(LEARNERS) == set(published.LEARNERS) <= set(presets.LEARNERS)


@pytest.mark.parametrize("command", ["rank", "create", "score"])
def test_columns_have_the_names_that_the_readers_expect(command):
    for one in fields(Columns):
        assert default(command, one.name) == in_library(read_documents, one.name)


def test_create_fills_the_settings_with_their_own_defaults():
    kept = {"method", "measure", "average", "prior_shift", "seed", "cap", "stop", "price"}
    kept |= {"error_costs"}
    owned = {one.name: one.default for one in fields(Settings) if one.default is not MISSING}
    assert {name: default("create", name) for name in kept} == {name: owned[name] for name in kept}
    assert 60 * default("create", "lease") == owned["lease_seconds"]
