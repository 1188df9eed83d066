# Every target works from a fresh clone: it makes .venv, installs, and runs.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
DEMO_STAMP := $(VENV)/.installed-demo
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet

# What the tests need besides Python: a browser and a database, from Debian's packages.
SYSTEM := chromium postgresql

# What follows -- is for the command: to make, --no-serve is one more goal, --target=0.9 a variable.
GOALS := $(filter --%,$(MAKECMDGOALS))
FLAGS := $(GOALS) $(filter-out $(ARGS),$(filter --%,$(MAKEOVERRIDES)))

.PHONY: help demo test lint unit bench docs clean system $(GOALS)

$(GOALS):
	@:

help: ## this list
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*##/\t/'

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

$(STAMP): pyproject.toml constraints.txt | $(BIN)/python
	$(PIP) install -c constraints.txt -e '.[dev]'
	touch $@

$(DEMO_STAMP): pyproject.toml constraints.txt | $(BIN)/python
	$(PIP) install -c constraints.txt -e '.[demo,plots,workbench]'
	touch $@

system: ## what the tests need besides Python, with apt-get where one may (as root)
	@if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
		missing=; \
		for package in $(SYSTEM); do dpkg -s $$package >/dev/null 2>&1 || missing="$$missing $$package"; done; \
		if [ -n "$$missing" ]; then \
			apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq $$missing >/dev/null; \
		fi; \
	fi

demo: $(DEMO_STAMP) ## see what ranking saves, on real records: make demo -- --no-serve
	$(BIN)/satc demo $(FLAGS) $(ARGS)

test: lint unit ## all checks

lint: $(STAMP) ## style, types, layers
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

unit: $(STAMP) system ## the tests alone: make unit ARGS='-k sigma'
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest -n 2 --dist loadgroup $(ARGS)

bench: $(STAMP) ## the benchmarks: ratios, each measured in one run
	for file in benchmarks/bench_*.py; do $(BIN)/python $$file || exit 1; done

docs: $(STAMP) ## the documentation site, into site/
	OMP_NUM_THREADS=1 $(BIN)/mkdocs build --strict

clean: ## remove what the targets made
	rm -rf $(VENV) site build dist satc-demo
