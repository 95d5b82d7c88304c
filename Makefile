# Every target in one line: make help
SHELL := bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help

.PHONY: help run test build lint format clean

help: ## this list
	@sed -nE 's/^([a-z-]+):.*## (.*)/\1\t\2/p' $(MAKEFILE_LIST) | expand -t 16

node_modules/.installed: package.json package-lock.json
	npm ci --no-fund --no-audit --loglevel=error
	@touch $@

build: node_modules/.installed ## dist/, from a clean state, with dependencies
	rm -rf dist
	node_modules/.bin/tsc -p tsconfig.json

run: build ## import the sample tables where there is no snapshot yet, then serve http://127.0.0.1:8080
	node dist/main.js serve

test: build ## all tests; the last line is `N passed, N failed`
	node --import tsx test/run.ts $(FILES)

lint: node_modules/.installed ## formatting, lint rules and types
	node_modules/.bin/biome ci --error-on-warnings .
	node_modules/.bin/tsc -p tsconfig.json --noEmit
	node_modules/.bin/tsc -p test/tsconfig.json

format: node_modules/.installed ## rewrite the sources in the house's format
	node_modules/.bin/biome check --write .

clean: ## remove what build and install made; data stays
	rm -rf dist node_modules
