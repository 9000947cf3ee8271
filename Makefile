# Run, test and check QuizWriter. Each target first makes .venv ready, and installs no more than it needs: make run has
# nothing that trains. What an earlier target installed stays.
#
#   make run                  start the program;   make run ARGS="--help" passes arguments on
#   make test                 run the tests that each change needs; make test ARGS="-k buzz" passes arguments on
#   make test-all             run all tests, also those that only prove, such as trainings and a thousand kills
#   make check                format, lint, types and import rules, as CI checks them
#   make format               put the code into the format that make check wants
#   make test COVERAGE=yes    run the tests that each change needs, and say which lines they did not run
#   make fuzz SECONDS=600     read mutated files with every reader; make fuzz REPLAY=DIR runs a finding again
#   make kills N=1000         kill the window 1,000 times, and look at what is left
#   make mutants ROOMS=undo   see whether the tests of these rooms, or of all, notice changes of the code
#   make train ARGS="--bundle DIR"   train the players of a bundle
#   make starter              train the players that come with the program, into resources/starter/players
#   make titles TITLES=FILE   make the lists of titles that the judge needs, in resources/titles
#   make words WORDFREQ=FILE SLIPS=FILE   make the list of words that the rule on spelling needs, in resources/spelling
#   make synonyms WORDNET=DIR   make the list of synonyms that What if offers, in resources/synonyms
#   make strings              list every string of the program that a person may read, in build/strings.txt
#   make results DATA=DIR     make the pages of results anew, with the shared questions in that folder
#   make results CHECK=yes    say which pages of results are stale
#   make docs                 build the pages of docs as a site in build/docs
#   make pictures             make the pictures in those pages anew
#   make pins                 write the pinned versions and digests of all dependencies anew
#   make pins UPGRADE=yes     the same, with the newest versions
#   make release              build what a release publishes, in build/release
#
# Another Python than python3: make run PYTHON=python3.12
#
# On Linux, PyPI has PyTorch with CUDA, for graphics cards: 2.5 GB to load, 5 GB on the disk. TORCH=cpu make test takes
# it from PyTorch's own index instead, without CUDA. TORCH=no make test leaves PyTorch and the tests that need it out.

PYTHON ?= python3
BIN := .venv/bin
# Three processes share two cores, as one often waits for a timer, a disk, a server or a browser.
PYTEST_OPTIONS := -n 3 --dist loadscope --max-worker-restart 0

# Images of containers set it so that they stay small. Here each start of Python would compile all that it imports anew:
# a window would open half a second later, and the tests, which start hundreds of programs, would take half as long again.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: run test test-all train starter titles words synonyms strings results kills mutants check check-format check-lint check-types check-imports format fuzz docs pictures \
	pins release setup setup-run setup-develop

run: setup-run
	@$(BIN)/python -m quizwriter $(ARGS)

# The tests that only prove are declared in tests/helpers/scheduling.py. make test-all REST=yes runs them alone, after
# make test: .ci/run runs no test twice. Where a test does not say how many examples hypothesis draws, make test draws
# 20 and make test-all 100.
#
# With COVERAGE=yes every process is measured: those that run tests by probes in our own code, of the library
# slipcover, and the programs that tests start by coverage's own tracing. Those that only prove are not measured: most
# of them run many times what other tests run. fail_under in pyproject.toml is the least that is accepted.
test: setup
ifeq ($(COVERAGE),)
	@$(BIN)/python -m pytest $(PYTEST_OPTIONS) -m "not proof" $(ARGS)
else
	@rm -rf build/coverage
	@mkdir -p build/coverage
	@status=0; \
	$(BIN)/python -m pytest $(PYTEST_OPTIONS) -p tests.helpers.executed_lines -m "not proof" $(ARGS) || status=$$?; \
	$(BIN)/python -m coverage combine --quiet && $(BIN)/python -m coverage report || status=1; \
	exit $$status
endif

test-all: setup
	@$(BIN)/python -m pytest $(PYTEST_OPTIONS) --hypothesis-profile=thorough $(if $(REST),-m proof) $(ARGS)

train: setup
	@$(BIN)/python -m index_builder train $(ARGS)

# The same texts give the same bytes on one machine. A test says when the texts or the code moved on without this.
starter: setup
	@$(BIN)/python -m index_builder starter --texts resources/starter --examples resources/examples.jsonl

# TITLES is a file of JSON lines with a page each; resources/titles/README.md says which one the lists are of.
titles: setup-develop
	@$(BIN)/python -m index_builder titles $(TITLES) --out resources/titles

# WORDFREQ is large_en.msgpack.gz of the package wordfreq, SLIPS is dictionary.txt of the package codespell;
# resources/spelling/README.md says of which versions.
words: setup-develop
	@$(BIN)/python -m index_builder words $(WORDFREQ) --slips $(SLIPS) --out resources/spelling

# WORDNET is the folder with the files of WordNet; resources/synonyms/README.md says of which version.
synonyms: setup-develop
	@$(BIN)/python -m index_builder synonyms $(WORDNET) --out resources/synonyms

# PAGES names some of them. The bundle is built and trained where BUNDLE is not there yet, which takes hours.
DATA ?= ../shared/data
BUNDLE ?= build/held-out
results: setup
	@$(BIN)/python -m quizwriter results --docs docs/results --data $(DATA) $(if $(CHECK),--check,--bundle $(BUNDLE)) $(if $(SERVER),--with-server) $(PAGES)

check: check-format check-lint check-types check-imports

check-format: setup-develop
	$(BIN)/ruff format --check .

check-lint: setup-develop
	$(BIN)/ruff check .

check-types: setup
	$(BIN)/mypy

check-imports: setup-develop
	$(BIN)/lint-imports

format: setup-develop
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

# The seed is text; with the same seed, the same targets get the same cases.
SECONDS ?= 60
SEED ?=
fuzz: setup
	@$(BIN)/python -m tests.fuzz --seconds $(SECONDS) $(if $(SEED),--seed "$(SEED)") $(if $(REPLAY),--replay "$(REPLAY)") $(ARGS)

kills: setup
	@QT_QPA_PLATFORM=offscreen QUIZWRITER_KILLS=$(or $(N),100) QUIZWRITER_KILL_WINDOWS=$(or $(WINDOWS),3) nice -n 10 \
		$(BIN)/python -m pytest -q -s -o faulthandler_timeout=0 tests/scenarios/test_kill.py

mutants: setup
	@nice $(BIN)/python -m tests.mutants $(ROOMS) $(ARGS)

strings: setup-develop
	@$(BIN)/python -m tests.helpers.visible_strings build/strings.txt

docs: setup-develop
	@$(BIN)/python -m sphinx --builder html --fail-on-warning --keep-going --quiet docs build/docs
	@echo "The pages are in build/docs: open build/docs/index.html."

pictures: setup-develop
	@$(BIN)/python .ci/pictures.py

# One file for every need, and for Python 3.11 to 3.13 on Linux, macOS and Windows: names, versions and digests, no
# addresses. .ci/setup.py takes from it what the need at hand asks for in pyproject.toml.
PIN := $(BIN)/uv pip compile --quiet --universal --fork-strategy fewest --python-version 3.11 --generate-hashes --no-annotate
pins: setup-develop
	$(PIN) --all-extras --no-header $(if $(UPGRADE),--upgrade) --output-file .ci/requirements.txt pyproject.toml

# The wheel, the source, the pinned packages that it runs with, their list for security tools (a software bill of
# materials in CycloneDX's format), and the digests of these files.
release: setup-develop
	@rm -rf build/release && mkdir -p build/release
	@$(BIN)/python -m hatchling build -d build/release
	@$(PIN) --no-header --constraint .ci/requirements.txt --output-file build/release/requirements.txt pyproject.toml
	@$(BIN)/python -W ignore -m cyclonedx_py requirements --pyproject pyproject.toml --output-reproducible --mc-type application \
		--output-file build/release/sbom.cdx.json build/release/requirements.txt
	@cd build/release && sha256sum * > SHA256SUMS && cat SHA256SUMS

setup: NEED := train
setup-develop: NEED := develop
setup-run: NEED := run
setup setup-develop setup-run:
	@command -v $(PYTHON) >/dev/null || { echo "QuizWriter needs Python 3.11 to 3.13, and $(PYTHON) is not here: install it first."; exit 1; }
	@$(PYTHON) .ci/setup.py $(NEED)
