# The commands of this repository; `make help` lists them.

# The environment is kept in the checkout, everything else in TADORI_HOME.
PYTHON ?= $(shell command -v python3.11 || command -v python3)
VENV ?= .venv
BIN := $(VENV)/bin
INPUTS := pyproject.toml constraints.txt README.md
export PIP_ROOT_USER_ACTION := ignore

.DEFAULT_GOAL := help
.PHONY: help demo check test dev bench gate clean

help:  ## list the targets
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 10

demo: $(VENV)/.core  ## create the environment, ingest the sample, ask three questions
	@$(BIN)/python -m graphs.demo

check: $(VENV)/.dev  ## lint, types, floors, capabilities, the built wheel in a bare environment
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m tests.capabilities --check
	$(BIN)/python -m tests.wheel

test: $(VENV)/.dev  ## run every test
	$(BIN)/pytest

dev: $(VENV)/.dev  ## serve the graph API for Studio on 127.0.0.1:2024
	$(BIN)/tadori serve

bench: $(VENV)/.bench  ## measure quality and speed beside other systems, and write docs/benchmarks.md
	$(BIN)/python -m tests.bench

gate: $(VENV)/.dev  ## hold speed at 10,000 chunks and the golden cases to what a release asks for
	$(BIN)/python -m tests.bench.gate

clean:  ## remove the environment and what tools leave behind; stored documents stay
	rm -rf $(VENV) .venv-bootstrap build dist .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis .langgraph_api
	find graphs nodes retrievers tests -name __pycache__ -type d -prune -exec rm -rf {} +

# Debian splits venv from Python; where it is missing, virtualenv from the index does the same without touching the system.
$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] < (3, 13))' \
	  || { echo "tadori needs Python 3.11 or 3.12, $(PYTHON) is $$($(PYTHON) --version 2>&1): set PYTHON=/path/to/python3.11"; exit 1; }
	@$(PYTHON) -c 'import ensurepip' 2>/dev/null && $(PYTHON) -m venv $(VENV) \
	  || { $(PYTHON) -m pip install -q --target .venv-bootstrap virtualenv && PYTHONPATH=.venv-bootstrap $(PYTHON) -m virtualenv -q $(VENV); }

$(VENV)/.core: $(BIN)/python $(INPUTS)
	$(BIN)/python -m pip install -q --disable-pip-version-check -c constraints.txt -e .
	@touch $@

$(VENV)/.dev: $(BIN)/python $(INPUTS)
	$(BIN)/python -m pip install -q --disable-pip-version-check -c constraints.txt -e '.[dev,server,notebooks]'
	@touch $(VENV)/.core $@

$(VENV)/.bench: $(VENV)/.dev
	$(BIN)/python -m pip install -q --disable-pip-version-check -c constraints.txt -e '.[bench]'
	@touch $@
