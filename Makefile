# Calls of the tools and nothing else; every target can be typed by hand.
CARGO ?= cargo
MBSBENCH = $(CARGO) run --quiet --release --package mbsbench-runner --bin mbsbench --

.PHONY: reproduce quick test bench lint setup

reproduce: ## all papers: runs, tables and plots into results/
	$(MBSBENCH) reproduce

quick: ## every method, model and renderer on shortened experiments, into target/quick/
	$(MBSBENCH) reproduce --quick

test: ## the fast set, in the same optimised profile as `reproduce`
	$(CARGO) test --release --workspace

bench: ## Criterion benches of steppers and right-hand sides
	$(CARGO) bench --workspace

lint: ## what the gate asks of the sources
	$(CARGO) fmt --all --check
	$(CARGO) clippy --release --workspace --all-targets -- --deny warnings

setup: ## system libraries that optional parts use: none so far
	./scripts/setup.sh
