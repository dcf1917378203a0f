# Calls of the tools and nothing else; every target can be typed by hand.
CARGO ?= cargo
# The package for Python is built by `make python`, which needs Python.
WITHOUT_PYTHON = --exclude mbsbench-python
MBSBENCH = $(CARGO) run --release --

# Folders of experiments that are sets of benchmark problems.
SETS = $(notdir $(patsubst %/paper.yaml,%,$(shell grep -l '^kind: set' experiments/*/paper.yaml)))

.PHONY: reproduce times quick report guide pages sets study test fuzz attack bench instructions performance growth python lint setup

reproduce: setup ## all papers: runs, tables, plots, verdicts and report into results/
	$(MBSBENCH) reproduce

times: setup ## the same, and records the times of this machine in results/times/; run it on an idle machine
	$(MBSBENCH) reproduce --record-times

quick: setup ## every method, model and renderer on shortened experiments, into target/quick/
	$(MBSBENCH) reproduce --quick

report: setup ## the report in results/report/, from the committed results, in seconds
	$(MBSBENCH) render --to html

guide: setup ## the guide with search, API docs and report beside it, into target/site/; needs Python
	./scripts/guide.sh all

pages: report ## the report's pages in Chromium: WCAG level AA, nothing fetched, no small text; needs node, npm and Chromium
	./scripts/pages.sh

sets: setup ## the sets of benchmark problems, into results/
	$(MBSBENCH) reproduce $(SETS)

study: setup ## set-ups that agree with what the papers print; all methods on all models
	$(MBSBENCH) reconstruct $(filter-out %/claims.yaml %/anchors.yaml %/paper.yaml experiments/comparison/%, $(wildcard experiments/*/*.yaml))
	$(MBSBENCH) reproduce comparison
	$(MBSBENCH) render --to html

test: setup ## the fast set, in the same optimised profile as `reproduce`
	$(CARGO) test --release --workspace $(WITHOUT_PYTHON) --no-fail-fast

fuzz: setup ## ten minutes of mutated input of each kind; FUZZ_TARGET selects a kind, FUZZ_INPUTS a number, FUZZ_SEED other inputs
	TMPDIR=$(firstword $(wildcard /dev/shm) /tmp) FUZZ_SECONDS=600 $(CARGO) test --release -p mbsbench --test fuzz $(FUZZ_TARGET) -- --nocapture

attack: setup ## mutated files, extreme runs, kills, full disks (as root), errors of the disk, and wrong answers, as in docs/trust.md
	$(CARGO) build --release
	./scripts/attack.py files 30000
	./scripts/attack.py runs 11000
	./scripts/attack.py kills 200
	./scripts/attack.py disks 40
	FAULTS=all $(CARGO) test --release -p mbsbench --test faults -- --nocapture
	./scripts/attack.py events 1000
	./scripts/attack.py mechanisms 60
	./scripts/attack.py results 100

bench: setup ## Criterion benches of steppers and right-hand sides
	$(CARGO) bench --workspace $(WITHOUT_PYTHON)

instructions: setup ## instructions of two methods on Andrews' squeezer against their bounds; needs valgrind
	./scripts/instructions.sh

growth: setup ## exponents of the time of a step in the number of bodies, for every method; fails if one is too large
	$(CARGO) run --release --package mbsbench-runs --example growth

performance: setup ## measure step costs against their bars, on an idle machine, into docs/performance.md
	MBSBENCH_PINOCCHIO=$$(./scripts/peers.sh articulated) $(CARGO) run --release --package mbsbench-runs --example performance -- docs/performance.md
	-MBSBENCH_KLU=$$(./scripts/peers.sh klu) $(CARGO) run --release --package mbsbench-runs --example growth >> docs/performance.md
	printf '\n## Comparison with diffsol, ode_solvers and Boost.odeint\n\nInstructions for the same equations, counted by callgrind.\n\n' >> docs/performance.md
	./scripts/peers.sh >> docs/performance.md
	./scripts/first_minutes.py table

python: setup ## the package for Python, built into an environment in target/python, with its tests, types and notebooks
	./scripts/python.sh

lint: setup ## what the gate asks of the sources
	$(CARGO) fmt --all --check
	$(CARGO) clippy --release --workspace $(WITHOUT_PYTHON) --all-targets -- --deny warnings
	RUSTDOCFLAGS="--deny warnings" $(CARGO) doc --release --no-deps --workspace $(WITHOUT_PYTHON) --lib
	./scripts/features.sh
	./scripts/lint-tools.sh
	./scripts/language.py

setup: ## check the tools, and install the system library SUNDIALS if that is allowed; every target that builds calls it
	@./scripts/setup.sh
