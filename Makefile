# Every target sets up what it needs in .venv, once, and again when pyproject.toml changes.
# Needs only make and Python 3.11 or newer. To choose one: `make clean`, `make test PYTHON=python3.13`.
# ARGS reaches the program that the target runs: `make test-compiled ARGS="-k hex -x"`.

PYTHON ?= python3
ARGS ?=

VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
PYTEST := $(BIN)/python -m pytest
# The lanes use every core; what shares fixtures stays in one process. `tests/conftest.py` says in which order.
SPREAD := -n auto --dist loadfile --no-loadscope-reorder

.PHONY: help demo test test-compiled test-plain test-bounds test-train lint format coverage bench clean
.NOTPARALLEL:

help:
	@echo "make demo           install, then run examples/demo.py"
	@echo "make test           lint, then the tests in three lanes (no PyTorch)"
	@echo "make test-compiled  all tests, compiled"
	@echo "make test-plain     the tests marked 'lanes' but not 'slow', with the JIT off"
	@echo "make test-bounds    the tests marked 'lanes' with array bounds checked"
	@echo "make test-train     the tests marked 'train' (installs PyTorch)"
	@echo "make lint           ruff, pyright and import-linter, nothing rewritten"
	@echo "make format         rewrite the code in the house format"
	@echo "make coverage       line and branch coverage of what test-plain runs"
	@echo "make bench          run the benchmarks"
	@echo "make clean          remove .venv and everything the tools left"

# ---- what you run ----

demo: $(VENV)/.base
	$(BIN)/python examples/demo.py $(ARGS)

test: lint test-compiled test-plain test-bounds

test-compiled: $(VENV)/.dev
	@echo "== lane 1 of 3: compiled =="
	$(PYTEST) $(SPREAD) -m "not train" $(ARGS)

test-plain: $(VENV)/.dev
	@echo "== lane 2 of 3: JIT off =="
	NUMBA_DISABLE_JIT=1 $(PYTEST) $(SPREAD) -m "lanes and not slow and not train" $(ARGS)

# Numba's cache does not know this flag, so what is compiled under it lives in a folder of its own.
test-bounds: $(VENV)/.dev
	@echo "== lane 3 of 3: bounds checked =="
	NUMBA_BOUNDSCHECK=1 RINFORZA_CACHE_DIR="$(CURDIR)/.cache/boundscheck" \
		$(PYTEST) $(SPREAD) -m "lanes and not train" $(ARGS)

# Each of these tests is a program that learns: whoever is idle takes the next.
# pytest exits with 5 when it selects no test, which is no failure while none carries the mark.
test-train: $(VENV)/.train
	$(PYTEST) -n auto --dist worksteal -m train $(ARGS) || { code=$$?; [ $$code -eq 5 ] || exit $$code; \
		echo "no test is marked 'train': nothing was run"; }

lint: $(VENV)/.dev
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/pyright
	$(BIN)/lint-imports --no-logo

format: $(VENV)/.dev
	$(BIN)/ruff check --fix-only
	$(BIN)/ruff format

coverage: $(VENV)/.dev
	NUMBA_DISABLE_JIT=1 $(BIN)/coverage run -m pytest -m "lanes and not slow and not train" $(ARGS)
	$(BIN)/coverage report

bench: $(VENV)/.base
	$(BIN)/python -m benchmarks $(ARGS)

clean:
	rm -rf $(VENV) .cache build dist htmlcov .coverage .coverage.* .hypothesis \
		.import_linter_cache .pytest_cache .ruff_cache
	find src tests benchmarks examples -type d -name __pycache__ -prune -exec rm -rf {} + 2>/dev/null || true

# ---- what sets it up: each stamp is written only when its step succeeded ----

$(VENV)/.made:
	@$(PYTHON) -c "import sys" 2>/dev/null || { \
		echo "error: '$(PYTHON)' does not run. rinforza needs Python 3.11 or newer:" \
			"install it, or name it: make PYTHON=/path/to/python3.11" >&2; exit 1; }
	@$(PYTHON) -c "import sys; sys.exit(sys.version_info < (3, 11))" || { \
		echo "error: '$(PYTHON)' is `$(PYTHON) -V 2>&1`. rinforza needs Python 3.11 or newer:" \
			"name one: make PYTHON=/path/to/python3.11" >&2; exit 1; }
	@$(PYTHON) -m venv --clear $(VENV) || { \
		echo "error: '$(PYTHON)' cannot make a virtual environment" \
			"(on Debian and Ubuntu: install the package python3-venv)" >&2; exit 1; }
	@touch $@

$(VENV)/.base: $(VENV)/.made pyproject.toml
	@echo "installing rinforza into $(VENV)"
	@$(PIP) install --editable .
	@touch $@

$(VENV)/.dev: $(VENV)/.made pyproject.toml
	@echo "installing rinforza and the development tools into $(VENV)"
	@$(PIP) install --editable ".[dev]"
	@touch $@ $(VENV)/.base

$(VENV)/.train: $(VENV)/.made pyproject.toml
	@echo "installing rinforza, the development tools and PyTorch into $(VENV)"
	@$(PIP) install --editable ".[dev,train]"
	@touch $@ $(VENV)/.base $(VENV)/.dev
