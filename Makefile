# Every target in one line: make help
SHELL := bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
# What is installed and built stands in files that the same run looks at again.
.NOTPARALLEL:

.PHONY: help run test test-all build lint fuzz format clean bench bench-micro bench-smoke bench-report bench-compare soak

help: ## this list
	@sed -nE 's/^([a-z-]+):.*## (.*)/\1\t\2/p' $(MAKEFILE_LIST) | expand -t 16

# What building and serving need: some 155 MB. Tests, lint and benchmarks need 330 MB more (test/package.json), which
# stay where they are installed already.
node_modules/.installed: package.json package-lock.json
	npm ci $(if $(wildcard node_modules/.contributors),,--workspaces=false) --no-fund --no-audit --loglevel=error
	@touch $(wildcard node_modules/.contributors) $@

node_modules/.contributors: package.json package-lock.json test/package.json
	npm ci --no-fund --no-audit --loglevel=error
	@touch node_modules/.installed $@

define BUILD
rm -rf dist
node_modules/.bin/tsc -p tsconfig.json
node --import tsx src/console/build.ts
node dist/cli/settings-types.js
node dist/base/build-info-write.js
endef

build: node_modules/.installed ## dist/, from a clean state, with dependencies
	$(BUILD)

# The same where something changed: a source, or the commit that it tells of. Folders count too, for what is removed.
dist/build-info.json: $(shell find src 2>/dev/null) tsconfig.json $(wildcard .git/logs/HEAD) | node_modules/.installed
	$(BUILD)

run: dist/build-info.json ## import the sample tables where there is no snapshot yet, then serve http://127.0.0.1:8080
	@ls data/snapshots/*/manifest.json >/dev/null 2>&1 || { \
	  node dist/main.js import data/samples/validator.db && \
	  node dist/main.js import data/samples/flights_31337_4.parquet --table flights_31337_4; }
	node dist/main.js serve

test: node_modules/.contributors dist/build-info.json ## the quick ring, about 5 minutes on two cores; the last line is `N passed, N failed`
	node --import tsx test/run.ts $(if $(AGAIN),--again) $(FILES)

test-all: node_modules/.contributors dist/build-info.json ## the quick ring and the long one (soak, more of all that is random); QUICK=done leaves out the quick one
	node --import tsx test/run.ts $(if $(AGAIN),--again) --ring $(if $(filter done,$(QUICK)),long,all)

fuzz: node_modules/.contributors ## fuzz statements, HTTP and parameters for longer than the tests do: MINUTES=10 SEED=1
	FUZZ_SECONDS=$$(( $(or $(MINUTES),10) * 60 / 2 )) FUZZ_SEED=$(SEED) TEST_FILE_TIMEOUT_MS=$$(( $(or $(MINUTES),10) * 240000 )) \
	  node --import tsx test/run.ts fuzz/

lint: node_modules/.contributors ## formatting, lint rules and types
	node_modules/.bin/biome ci --colors=off --error-on-warnings .
	node_modules/.bin/tsc -p tsconfig.json --noEmit
	node_modules/.bin/tsc -p test/tsconfig.json
	node_modules/.bin/tsc -p src/console/tsconfig.json

format: node_modules/.contributors ## rewrite the sources in the house's format
	node_modules/.bin/biome check --write .

bench: node_modules/.contributors build ## measure every workload against the reference, a naive peer and bare node:http (BENCH='--only hot')
	node --import tsx bench/run.ts $(BENCH)

bench-micro: node_modules/.contributors ## measure the parts alone: tokenizer, plans, encoding, limiter, cache, frames
	node --import tsx bench/micro.ts

bench-smoke: node_modules/.contributors build ## show in seconds that the benchmarks work, on tiny data; asserts no times
	node --import tsx bench/run.ts --smoke $(BENCH)

bench-report: node_modules/.contributors ## one HTML page with charts of the newest results
	node --import tsx bench/report.ts

bench-compare: node_modules/.contributors ## this commit against another, each in a work tree of its own: REF=HEAD~1
	node --import tsx bench/compare.ts $(REF) $(BENCH)

soak: node_modules/.contributors build ## readers, exports that meet the deadline, strangers and changing data at once: MINUTES=10
	node --import tsx bench/soak.ts --minutes $(or $(MINUTES),10) $(SOAK)

clean: ## remove what build and install made; data stays
	rm -rf dist node_modules
