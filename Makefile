# Every target works from a fresh clone: it makes .venv, installs, and runs.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
DEMO_STAMP := $(VENV)/.installed-demo
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet

# What the tests need besides Python: a browser and a database, from Debian's packages.
SYSTEM := chromium postgresql

# What `make pythons` runs, and with what: nothing that needs a browser, a database or Spark.
PYTHONS ?= $(wildcard $(addsuffix /python3.1[1-9],$(subst :, ,$(PATH))))
QUICK := tests/assurance tests/calibration tests/datasets tests/evaluation tests/ranking tests/test_measures.py tests/test_validation.py src/satc/datasets src/satc/ranking
QUICK_NEEDS := pytest pytest-xdist hypothesis httpx krippendorff pandas playwright polars
RELEASE := build/release

# What follows -- is for the command: to make, --no-serve is one more goal, --target=0.9 a variable.
GOALS := $(filter --%,$(MAKECMDGOALS))
FLAGS := $(GOALS) $(filter-out $(ARGS),$(filter --%,$(MAKEOVERRIDES)))

.PHONY: help demo test lint unit bench docs clean system pythons audit release-check $(GOALS)

$(GOALS):
	@:

help: ## this list
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*##/\t/'

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
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest -n 2 --dist loadfile $(ARGS)

bench: $(STAMP) ## the benchmarks: ratios, each measured in one run
	for file in benchmarks/bench_*.py; do $(BIN)/python $$file || exit 1; done

docs: $(STAMP) ## the documentation site, into site/
	OMP_NUM_THREADS=1 $(BIN)/mkdocs build --strict

pythons: ## a quick part of the tests under each Python from 3.11 on that is here: make pythons PYTHONS='python3.12 ...'
	seen=; for python in $(PYTHONS); do \
		$$python -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || continue; \
		venv=build/pythons/$$($$python -c 'import sys; print("%d.%d" % sys.version_info[:2])'); \
		case " $$seen " in *" $$venv "*) continue;; esac; seen="$$seen $$venv"; \
		test -x $$venv/bin/python || $$python -m venv $$venv || exit 1; \
		$$venv/bin/python -m pip install --quiet -c constraints.txt -e '.[plots,workbench,exchange]' $(QUICK_NEEDS) || exit 1; \
		$$venv/bin/python --version; \
		OMP_NUM_THREADS=1 $$venv/bin/python -W error -m compileall -q -f src/satc || exit 1; \
		OMP_NUM_THREADS=1 $$venv/bin/python -m pytest -q -n 2 $(QUICK) || exit 1; \
	done

audit: $(STAMP) ## dependencies: declared, used, pinned, licensed; known faults where the network allows
	$(BIN)/python -m pytest -q tests/test_dependencies.py
	-$(PIP) install pip-audit && $(BIN)/python -m pip_audit --requirement constraints.txt --no-deps

release-check: $(STAMP) ## what is published, installed by pip with each extra alone
	rm -rf $(RELEASE) && mkdir -p $(RELEASE)
	$(BIN)/python -c 'from setuptools import build_meta; build_meta.build_sdist("$(RELEASE)")' >/dev/null
	$(PIP) wheel --no-deps --no-build-isolation -w $(RELEASE) $(RELEASE)/*.tar.gz
	for extra in '' plots demo workbench exchange scale; do \
		rm -rf $(RELEASE)/venv && $(PYTHON) -m venv $(RELEASE)/venv || exit 1; \
		$(RELEASE)/venv/bin/python -m pip install --quiet -c constraints.txt "$$(ls $(RELEASE)/*.whl)$${extra:+[$$extra]}" || exit 1; \
		$(RELEASE)/venv/bin/python -m pip check || exit 1; \
		echo "satc[$$extra] $$($(RELEASE)/venv/bin/satc --version)" || exit 1; \
	done

clean: ## remove what the targets made
	rm -rf $(VENV) site build dist satc-demo
