# Two commands do everything on a machine with Python 3.11+, git and make: make deploy, make test.
# Set-up itself is scripts/tools/setup/bootstrap.py; the stamps below only decide whether to call it.

PROFILE ?= p6-b200
ORCHESTRATOR ?=
CONFIRM ?=
AWS ?=
ARGS ?=
SEED ?= 1

SHELL := /bin/sh
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory

# without bytecode every import is four times slower
unexport PYTHONDONTWRITEBYTECODE

VENV := .venv
BIN := $(VENV)/bin
# a process for each core, up to four; one that has no tests left takes over half of another's
WORKERS := --numprocesses logical --maxprocesses 4 --dist worksteal
# one more where many tests wait for daemons and for the CDK CLI
MORE_WORKERS := --numprocesses auto --dist worksteal
CDK_CONTEXT := --context "profile=$(PROFILE)" $(if $(ORCHESTRATOR),--context orchestrator=$(ORCHESTRATOR))
REHEARSAL := --profile "$(PROFILE)" $(if $(ORCHESTRATOR),--orchestrator $(ORCHESTRATOR)) $(if $(CONFIRM),--confirm $(CONFIRM)) $(if $(AWS),--aws)

RUN := $(VENV)/.setup/run
DEV := $(VENV)/.setup/dev
SETUP := $(wildcard scripts/tools/setup/*.py) scripts/tools/setup/cdk-wrapper.sh pyproject.toml requirements.txt package.json package-lock.json
# something that a stamp promises is gone, by hand or by an update of the system's Python
LOST := $(shell test -x $(BIN)/python -a -e node_modules/aws-cdk/bin/cdk || echo FORCE)
bootstrap = python=$$(sh scripts/tools/setup/find-python.sh) && "$$python" -m scripts.tools.setup.bootstrap

$(RUN): $(SETUP) $(LOST)
	@$(bootstrap) run

$(DEV): $(RUN) requirements-dev.txt
	@$(bootstrap) dev

FORCE:

.PHONY: FORCE help deploy synth diff destroy test test-all fuzz kubernetes mutants snapshots bench lint docs prose prose-sample lock clean setup
.PHONY: lint-style lint-format lint-types lint-imports lint-shell lint-locks lint-prose

help: ## List the targets
	@echo 'make TARGET [PROFILE=$(PROFILE)] [ORCHESTRATOR=...] [ARGS="..."]'
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-12s %s\n", $$1, $$2 }' Makefile

deploy: $(RUN) ## Deploy a profile with the CDK CLI to the embedded cloud (AWS=1: to your account)
	@$(BIN)/python -m scripts.cli.rehearsal deploy $(REHEARSAL) $(ARGS)

synth: $(RUN) ## Print the CloudFormation template of a profile
	@$(BIN)/cdk synth $(CDK_CONTEXT) $(ARGS)

diff: $(RUN) ## Compare a profile with the stack on the embedded cloud
	@$(BIN)/python -m scripts.cli.rehearsal diff $(REHEARSAL) $(ARGS)

destroy: $(RUN) ## Destroy a profile's stack on the embedded cloud (CONFIRM=name: no prompt, AWS=1: in your account)
	@$(BIN)/python -m scripts.cli.rehearsal destroy $(REHEARSAL) $(ARGS)

test: $(DEV) ## Run the tests to pass before a commit, in three minutes (ARGS=tests/storage: those of a room)
	@$(BIN)/pytest $(WORKERS) $(ARGS)

test-all: $(DEV) ## Run every test: each row of the tables, every edit of every template, a hundred deployments
	@$(BIN)/pytest $(MORE_WORKERS) -m "" $(ARGS)

fuzz: $(DEV) ## Generate valid and invalid profiles: 10,000 validations and 300 syntheses for each seed (ARGS="--seed 1 --synths 20")
	@$(BIN)/python -m scripts.tools.fuzz $(ARGS)

kubernetes: $(DEV) ## Build the programs of the tests with a real Kubernetes, once (six minutes on two cores)
	@command -v go >/dev/null || $(BIN)/pip install --quiet --require-hashes -r scripts/tools/kubernetes/requirements.txt
	@PATH="$$PATH:$(CURDIR)/$(BIN)" $(BIN)/python -m scripts.tools.kubernetes

mutants: $(DEV) ## Plant faults in a copy of the tree, one at a time, and report which tests find each (ARGS=alert chooses)
	@$(BIN)/python -m tests.tools.mutants $(ARGS)

snapshots: $(DEV) ## Write the reviewed snapshots of the templates anew
	@$(BIN)/pytest tests/stack --update-snapshots $(ARGS)

bench: $(DEV) ## Measure synthesis, validate and plan; writes docs/reference/benchmark.md
	@$(BIN)/python -m scripts.tools.bench $(ARGS)

lint: lint-style lint-format lint-types lint-imports lint-shell lint-locks lint-prose ## Check style, types, import rules, shell scripts, lock files and texts

lint-style: $(DEV)
	@$(BIN)/ruff check .

lint-format: $(DEV)
	@$(BIN)/ruff format --check .

lint-types: $(DEV)
	@$(BIN)/mypy

lint-imports: $(DEV)
	@$(BIN)/lint-imports --no-logo

lint-shell: $(DEV)
	@sh scripts/tools/setup/lint-shell.sh $(BIN)/shellcheck

lint-locks: $(DEV)
	@$(BIN)/python -m scripts.tools.setup.lock --check

lint-prose: $(DEV)
	@$(BIN)/python -m scripts.tools.prose
	@$(BIN)/node node_modules/textlint/bin/textlint.js --format unix --cache --cache-location .cache/textlint \
		README.md CONTRIBUTING.md CHANGELOG.md docs/*.md docs/guides docs/adr docs/reference/messages.md

prose: $(DEV) ## List the words to replace in texts (ARGS=docs/plan.md), or lower the counts that lint compares
	@$(BIN)/python -m scripts.tools.prose $(or $(ARGS),--write)

prose-sample: $(DEV) ## Print ten sentences of each type of text (SEED=text chooses them)
	@$(BIN)/python -m scripts.tools.prose.sample "$(SEED)"

docs: $(DEV) ## Write the generated pages of docs/ anew
	@$(BIN)/python -m scripts.tools.docs $(ARGS)

lock: $(RUN) ## Compile the lock files from pyproject.toml and package.json (UPGRADE=1: newest versions)
	@$(BIN)/python -m scripts.tools.setup.lock $(if $(UPGRADE),--upgrade)

setup: $(DEV) ## Only make the environment, with the development tools
	@echo 'the environment is ready: source .venv/bin/activate'

clean: ## Remove the environment, caches and build output
	@rm -rf $(VENV) .cache node_modules cdk.out .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis .setup.log
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +
