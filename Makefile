# Fathom: `make help` lists what there is. Everything works from a fresh clone.
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
MAKEFLAGS += --no-builtin-rules

PYTHON ?= python3
PY := .venv/bin/python
STATIC_SOURCES := $(shell find static -type f -not -path 'static/vendor/*' -not -path 'static/bundles/*' 2>/dev/null)

.PHONY: help
help: ## list the targets
	@grep -hE '^[a-z0-9-]+:.*## ' $(MAKEFILE_LIST) | sort | awk -F ':.*## ' '{printf "  make %-12s %s\n", $$1, $$2}'

# --- set-up: stamps, so that a second call costs nothing -------------------------------------------

build/packages-%: tools/debian_packages.sh
	@mkdir -p build
	@tools/debian_packages.sh $*
	@touch $@

.venv/run.stamp: requirements/base.txt | build/packages-run
	@test -x $(PY) || $(PYTHON) -m venv .venv
	@echo "Installing Python packages …"
	@.venv/bin/pip install -qq --disable-pip-version-check --require-hashes -r requirements/base.txt
	@touch $@

.venv/dev.stamp: requirements/dev.txt .venv/run.stamp
	@echo "Installing Python packages for tests …"
	@.venv/bin/pip install -qq --disable-pip-version-check --require-hashes -r requirements/dev.txt
	@touch $@

.venv/bench.stamp: requirements/bench.txt .venv/run.stamp
	@.venv/bin/pip install -qq --disable-pip-version-check --require-hashes -r requirements/bench.txt
	@touch $@

node_modules/run.stamp: package.json package-lock.json | build/packages-run
	@echo "Installing browser packages …"
	@npm ci --silent --no-audit --no-fund --ignore-scripts
	@touch $@

build/bundles.stamp: node_modules/run.stamp tools/bundle.mjs $(filter static/js/%,$(STATIC_SOURCES))
	@node tools/bundle.mjs
	@touch $@

build/static.stamp: $(STATIC_SOURCES) build/bundles.stamp .venv/run.stamp config/staticfiles.py
	@$(PY) manage.py collectstatic --noinput --clear --verbosity 0
	@touch $@

.PHONY: setup
setup: .venv/run.stamp build/static.stamp ## install what running needs, nothing is started
	@$(PY) manage.py prepare_judge --quiet

.PHONY: setup-test
setup-test: build/packages-test .venv/dev.stamp setup ## install what the tests need, nothing is started

# --- running ---------------------------------------------------------------------------------------

.PHONY: run
run: setup ## serve the site (with the demo contest if it is empty) until Ctrl-C
	@$(PY) manage.py migrate --verbosity 0
	@FATHOM_DEMO=$${FATHOM_DEMO:-1} exec $(PY) manage.py serve

# --- checking --------------------------------------------------------------------------------------

.PHONY: check
check: .venv/dev.stamp node_modules/run.stamp ## lint, format, types, import rules, links
	@.venv/bin/ruff check .
	@.venv/bin/ruff format --check .
	@.venv/bin/mypy .
	@.venv/bin/lint-imports
	@node_modules/.bin/tsc -p tsconfig.json
	@$(PY) tools/check_links.py
	@$(PY) manage.py makemigrations --check --dry-run

.PHONY: format
format: .venv/dev.stamp ## let ruff mend format and what it can
	@.venv/bin/ruff check --fix .
	@.venv/bin/ruff format .

.PHONY: test
test: setup-test ## what must hold, in both shapes and in the browser, under 15 minutes
	@$(PY) tools/run_tests.py all

.PHONY: test-fast
test-fast: setup-test ## the quick part, under 60 s
	@$(PY) tools/run_tests.py fast

.PHONY: e2e
e2e: setup-test ## the browser suite alone
	@$(PY) tools/run_tests.py e2e

# --- measuring -------------------------------------------------------------------------------------

.PHONY: bench
bench: build/packages-test .venv/bench.stamp setup ## measure on this machine, 5 minutes; the report is in build/bench/
	@$(PY) -m bench

.PHONY: bench-full
bench-full: build/packages-test .venv/bench.stamp setup ## the same with more clients and rounds, 15 minutes
	@$(PY) -m bench --full

# --- maintenance -----------------------------------------------------------------------------------

.PHONY: lock
lock: .venv/dev.stamp ## write the lock files anew (names no registry host)
	@.venv/bin/pip install -qq --disable-pip-version-check uv
	@.venv/bin/uv pip compile -q pyproject.toml --generate-hashes --no-header --python-version 3.11 -o requirements/base.txt
	@.venv/bin/uv pip compile -q pyproject.toml --extra dev --generate-hashes --no-header --python-version 3.11 -o requirements/dev.txt
	@.venv/bin/uv pip compile -q pyproject.toml --extra bench --generate-hashes --no-header --python-version 3.11 -o requirements/bench.txt
	@npm install --package-lock-only --omit-lockfile-registry-resolved --ignore-scripts --silent

.PHONY: clean
clean: ## remove what was built; data in var/ stays
	@rm -rf build static/bundles static/vendor node_modules .venv
