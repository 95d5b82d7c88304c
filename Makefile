# Every target in one line: make help
SHELL := bash
NODE_OPTIONS_TEST := --import tsx
PORT ?= 8080

.PHONY: help run test build lint format bench clean

help: ## this list
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## (.*)/\1\t\2/' | expand -t 16

node_modules/.installed: package.json package-lock.json
	npm ci --no-fund --no-audit --loglevel=error
	@touch $@

build: node_modules/.installed ## dist/, from a clean state, with dependencies
	rm -rf dist
	node_modules/.bin/tsc -p tsconfig.json

lint: node_modules/.installed ## formatting, lint rules and types
	node_modules/.bin/biome ci --error-on-warnings .
	node_modules/.bin/tsc -p test/tsconfig.json

format: node_modules/.installed ## rewrite sources in the house's format
	node_modules/.bin/biome check --write .
