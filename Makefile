# Everything runs in a virtual environment below the repository; Python 3.11+, git, make and pip are enough.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile --constraint constraints.txt
# Twice the cores of a small machine: many tests wait for processes, disks and browsers.
JOBS ?= 4
DATA ?= ../shared/data

# Whatever the shell says, Python keeps what it has compiled, as the tests start hundreds of processes; and it compiles
# what is imported, not all that is installed.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo test check lint kernels browser interpreted versions bench wheel study papers documents docs clean

demo: $(VENV)/installed ## podium at its main job
	$(BIN)/podium demo

PYTEST := $(BIN)/python -m pytest --numprocesses $(JOBS) --dist worksteal
# Where kernels are: what they compute has to come out the same without the compiler.
KERNELS := tests/checks tests/numerics tests/systems
KERNELS += $(addprefix tests/evaluation/test_,metrics.py order_accuracy.py)
KERNELS += tests/matchmaking/test_matching.py tests/studies/test_streaks.py tests/test_sklearn.py
# What the rest stands on: a change that breaks something usually breaks one of these.
CORE := tests/test_house.py tests/checks tests/history tests/ladder tests/naive tests/systems

test: ## everything the tests need, and the tests: the mathematics without the compiler, then all compiled
	$(MAKE) --jobs --output-sync lint kernels browser interpreted
	$(PYTEST)

# While kernels are compiled and packages installed, there is time for the tests that need no kernels. Importing
# Schemathesis takes each process a second; the mathematics has no use for it.
interpreted: $(VENV)/testing
	NUMBA_DISABLE_JIT=1 $(PYTEST) -p no:schemathesis $(KERNELS)

# Where a Python is missing, this says so and goes on with the others.
PYTHONS ?= python3.11 python3.12 python3.13 python3.14
versions: ## the numerics on the oldest and the newest Numba allowed, with each Python that is here; minutes for each
	$(PYTHON) tests/numba_versions.py '$(PYTHONS)' --numprocesses $(JOBS) --dist worksteal $(KERNELS)

check: ## the daily loop, in a minute or so: lint, types, the tests nearest to the core
	$(MAKE) --jobs lint kernels
	$(PYTEST) --quiet $(CORE)

lint: $(VENV)/testing
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

# Compile once, on all cores, what every process of the tests would compile for itself; meanwhile pip installs what only
# the tests need.
kernels: $(VENV)/installed
	NUMBA_CACHE_DIR=$(CURDIR)/.cache $(BIN)/podium warmup

# The tests of pages look at them in Chromium, and are skipped with a line that says so where there is none.
AS_ROOT := $(if $(filter 0,$(shell id -u)),,sudo -n)
browser:
	@command -v chromium > /dev/null || { $(AS_ROOT) apt-get update && $(AS_ROOT) apt-get install --yes \
	  --no-install-recommends chromium fonts-dejavu-core; } > /dev/null 2>&1 || echo 'no Chromium, and apt-get cannot install it'

bench: $(VENV)/testing .venv-peers/installed ## ratios against other packages; see benchmarks/README.md
	$(BIN)/python benchmarks/startup.py
	$(BIN)/python benchmarks/online.py
	$(BIN)/python benchmarks/logs.py
	$(BIN)/python benchmarks/service.py
	$(BIN)/python benchmarks/service.py --postgresql
	$(BIN)/python benchmarks/following.py
	$(BIN)/python benchmarks/correcting.py
	$(BIN)/python benchmarks/importing.py
	$(BIN)/python benchmarks/importing.py --postgresql
	$(BIN)/python benchmarks/ranking.py
	$(BIN)/python benchmarks/reading.py $(DATA)/atcoder_2016_2023.results.parquet
	$(BIN)/python benchmarks/arena.py --peers .venv-peers/bin/python
	$(BIN)/python benchmarks/pairwise.py --peers .venv-peers/bin/python
	$(BIN)/python benchmarks/accuracy.py $(DATA)/atcoder_2016_2023.results.parquet
	$(BIN)/python benchmarks/codeforces_rounds.py $(DATA)/codeforces_rounds.csv.gz
	$(BIN)/python benchmarks/smoothing.py
	$(BIN)/python benchmarks/backtest.py $(DATA)
	$(BIN)/python benchmarks/contests.py $(DATA)/atcoder_2016_2023.results.parquet --peers .venv-peers/bin/python
	$(BIN)/python benchmarks/scale.py --most 10000000
	$(BIN)/python benchmarks/simulating.py
	$(BIN)/python benchmarks/luck.py
	$(BIN)/python benchmarks/matches.py $(DATA)
	$(BIN)/python benchmarks/yuksel.py
	$(BIN)/python benchmarks/matchmaking.py
	$(BIN)/python benchmarks/pairing.py --peers .venv-peers/bin/python
	$(BIN)/python benchmarks/pool.py
	$(BIN)/python benchmarks/lobbies.py
	$(BIN)/python benchmarks/live.py
	$(BIN)/python benchmarks/teams.py $(DATA) --peers .venv-peers/bin/python
	$(BIN)/python benchmarks/tuning.py $(DATA)/atcoder_2016_2023.results.parquet trials scaling ladders

wheel: $(VENV)/testing ## dist/: wheels of podium, with kernels for this Python, the Numba of constraints.txt and x86-64-v3 processors, and of podium-papers
	rm -rf build/kernels
	$(BIN)/python wheels/collect_kernels.py build/kernels --cache build/kernel-cache
	PODIUM_KERNELS=$(CURDIR)/build/kernels $(BIN)/python -m pip wheel --quiet --disable-pip-version-check \
	  --no-deps --wheel-dir dist . ./papers

study: $(VENV)/testing ## all systems on real data, tuned on the first part and judged on the rest: docs/real-data.md; ONLY=tennis for one
	$(BIN)/python benchmarks/study $(DATA) $(if $(ONLY),--only $(ONLY))

documents: $(VENV)/testing ## docs/documents.md and docs/reference, written from the code
	$(BIN)/python -m podium.documents.reference docs/documents.md
	$(BIN)/python tests/reference_pages.py

docs: $(VENV)/testing ## the documentation as a website in build/docs; a dead link fails
	$(BIN)/zensical build --clean --strict

papers: $(VENV)/installed ## the papers computed again: docs/papers.md and the pages in docs/papers
	$(BIN)/podium reproduce --all --out docs/papers \
	  --contests $(DATA)/atcoder_2016_2023.results.parquet --matches $(DATA)/tennis_atp.matches.csv.gz
	rm docs/papers/*.html docs/papers/*/*.png
	$(BIN)/python benchmarks/papers_page.py docs/papers.md docs/papers

$(VENV)/installed: pyproject.toml papers/pyproject.toml papers/same_podium.py constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(PIP) --editable '.[charts]' --editable papers
	@touch $@

# The packages of the extra `test`, without podium itself, which may be running.
TEST_PACKAGES := import tomllib; print(*tomllib.load(open("pyproject.toml", "rb"))["project"]["optional-dependencies"]["test"], sep="\n")
$(VENV)/testing: $(VENV)/installed
	$(BIN)/python -c '$(TEST_PACKAGES)' > $(VENV)/testing.txt
	$(PIP) --requirement $(VENV)/testing.txt
	@touch $@

.venv-peers/installed: benchmarks/peers.txt
	$(PYTHON) -m venv .venv-peers
	.venv-peers/bin/python -m pip install --quiet --disable-pip-version-check --requirement benchmarks/peers.txt
	@touch $@

clean:
	rm -rf $(VENV) .venv-peers .venv-versions .cache .hypothesis .mypy_cache .pytest_cache .ruff_cache build dist
