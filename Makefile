# Two commands do it all: `make demo` sets up and runs the main job, `make test` passes the tests.
PYTHON ?= python3
BIN = .venv/bin

.PHONY: demo test test-slow lab lint release

demo: .venv/installed
	$(BIN)/python tests/demo.py

test: .venv/installed
	$(BIN)/python -m pytest -m "not slow"

test-slow: .venv/installed
	$(BIN)/python -m pytest -m slow

lab: .venv/installed
	$(BIN)/jupyter lab

lint: .venv/installed
	$(BIN)/ruff check
	$(BIN)/ruff format --check

release: .venv/installed
	$(BIN)/course release

.venv/installed: pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --disable-pip-version-check -e '.[dev]'
	touch $@
