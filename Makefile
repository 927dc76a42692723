# Two commands matter: `make demo` and `make test`. Both install what is missing and work from a clean clone.
SHELL := /bin/sh
FLAGS := --explicit-target-dependency-import-check error

.PHONY: bootstrap build demo test bench docs format lint fuzz clean

bootstrap: ## install missing Debian packages
	@.ci/bootstrap

build: ## build everything, as the tests do
	@.ci/bootstrap test
	swift build --build-tests $(FLAGS)

demo: bootstrap ## bind this device in a journey and sign in with it, printing and checking each step
	@.ci/demo

test: ## lint, build and run every test, outside judges included
	@.ci/test

bench: ## measure against floors taken in the same run; writes .build/bench.json (BENCH_QUICK=1: a short run)
	@.ci/bootstrap bench
	@.ci/bench

docs: bootstrap ## build the documentation into .build/docs; a warning or an undocumented symbol fails
	@.ci/docs

format: ## rewrite the sources in the project's format
	swift format --in-place --recursive Package.swift Sources Tests $(wildcard Examples)

lint: ## check format and the repository's own rules
	@.ci/lint

fuzz: bootstrap ## run every fuzz target (FUZZ_SECONDS=60 each) on top of its corpus
	@.ci/fuzz

clean: ## remove everything that was built
	rm -rf .build Tests/Fuzz/.build
