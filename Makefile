# Two commands are all a newcomer needs: `make demo` and `make test`.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
PIP    := $(BIN)/pip --disable-pip-version-check install --quiet -c constraints.txt

.PHONY: demo test test-all test-lowest coverage completeness start-time lint types contracts unit fuzz golden lock verify sbom dist format docs site soak screenshots clean bench bench-wide bench-small bench-quick

demo: $(VENV)/.installed
	$(BIN)/nri demo

test: lint types contracts unit

lint: $(VENV)/.installed-test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/.installed-test
	$(BIN)/mypy --num-workers 2

# Who may import whom: the layers of the house, in pyproject.toml.
contracts: $(VENV)/.installed-test
	$(BIN)/lint-imports

unit: $(VENV)/.installed-test
	$(BIN)/pytest -n 2 --dist loadfile

# The same promises with more examples, longer tables and more processes: about half an hour.
test-all: $(VENV)/.installed-test
	NRI_THOROUGH=1 $(BIN)/pytest -n 2 --dist loadfile

# The lowest versions that pyproject.toml allows, in an environment of their own: first of the default installation with
# the frames that tests are written with, then of the extras for files and engines too. What the tests need themselves is
# new: the old ones call names that will go one day. Left out is what needs torch, a browser or the package of the bench.
LOWEST  := build/lowest/bin
EXTRAS  := parquet excel notebook scale
comma   := ,
empty   :=
space   := $(empty) $(empty)
test-lowest:
	$(PYTHON) -m venv --clear build/lowest
	$(LOWEST)/python tools/supply_chain.py lowest $(EXTRAS) > build/lowest.txt
	$(LOWEST)/pip --disable-pip-version-check install --quiet -c build/lowest.txt -e . pandas pytest hypothesis
	PYTHONPATH= $(LOWEST)/python -m pytest -o addopts= --import-mode=importlib -q -W ignore::DeprecationWarning \
		tests/search tests/induce tests/tasks tests/synth tests/estimator/test_conventions.py
	$(LOWEST)/pip --disable-pip-version-check install --quiet -c build/lowest.txt -e '.[$(subst $(space),$(comma),$(EXTRAS))]' \
		polars xlwt lifelines clingo sympy 'psycopg[binary]' pymysql
	PYTHONPATH= $(LOWEST)/python -m pytest -o addopts= --import-mode=importlib -q -W ignore::DeprecationWarning \
		tests/table tests/rows tests/cli tests/rule tests/estimator tests/outcome tests/report tests/golden tests/test_one_path.py \
		--ignore=tests/cli/test_train.py --ignore=tests/estimator/test_weights_by_file.py \
		--ignore=tests/report/test_in_browser.py \
		--deselect=tests/estimator/test_imports.py::test_every_public_name_is_there \
		-k 'not (test_mistakes and (bench or (help and arguments2)))'

# Which lines the tests reach, which public names have types, and how long the start takes: for reading, not for passing.
coverage: $(VENV)/.installed-test
	$(PIP) coverage
	$(BIN)/coverage run --source=src/nri -m pytest -p no:xdist
	$(BIN)/coverage report --skip-covered

completeness: $(VENV)/.installed-test
	$(PIP) pyright
	-PYTHONPATH=src $(BIN)/pyright --pythonpath $(BIN)/python --verifytypes nri --ignoreexternal

start-time: $(VENV)/.installed-test
	$(BIN)/python tools/start_time.py

# A campaign against everything: estimators, files, command lines, exports, server, checkpoints. One line of counts at the end.
fuzz: MINUTES ?= 60
fuzz: $(VENV)/.installed-test
	$(BIN)/python tests/fuzz/fuzz_campaign.py --minutes $(MINUTES)

# Freeze anew what the golden cases give: read the differences in tests/golden/cases before they are kept.
golden: $(VENV)/.installed-test
	$(BIN)/python tests/golden/golden.py

# Hashes of the pinned environment: write them anew, or download every file and compare; licences and bill of materials.
lock: $(VENV)/.installed-test
	mkdir -p build
	$(PIP) --dry-run --ignore-installed --report build/pip-report.json -e '.[test]' -e ./dynamics -e './bench[networks]'
	$(BIN)/python tools/supply_chain.py lock build/pip-report.json

verify: $(VENV)/.installed-test
	$(BIN)/pip download --quiet --no-deps --require-hashes -r requirements.lock -d build/verified

sbom: $(VENV)/.installed-test
	$(BIN)/python tools/supply_chain.py sbom

# Wheel and sdist into dist/, built twice to the same bytes and checked as an index would.
dist:
	$(PYTHON) -m venv build/packing
	build/packing/bin/pip --disable-pip-version-check install --quiet build twine
	rm -rf dist build/dist-again
	build/packing/bin/python -m build --outdir dist .
	build/packing/bin/python -m build --outdir build/dist-again .
	diff -r dist build/dist-again && echo "both builds are the same bytes"
	build/packing/bin/twine check --strict dist/*

format: $(VENV)/.installed-test
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# Renew what the examples in the documents print, and the API reference from the docstrings.
docs: $(VENV)/.installed-test
	$(BIN)/python tests/docs/examples_in_docs.py
	$(BIN)/python tests/docs/api_reference.py
	$(BIN)/python tests/docs/notebooks.py

# The documents as a site in build/site, with search; opens from the folder and loads nothing from elsewhere.
site: $(VENV)/.installed-docs
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet
	@echo "open build/site/index.html; for search: python3 -m http.server -d build/site"

# The page's server under a hundred visitors at once, on this machine only, killed and started again half-way.
# ROWS=results/soak.jsonl keeps what was counted for docs/limits.md (nri bench report).
VISITORS ?= 100
soak: MINUTES ?= 10
soak: $(VENV)/.installed-test
	$(BIN)/python tests/soak/soak.py --minutes $(MINUTES) --visitors $(VISITORS) $(if $(ROWS),--rows $(ROWS))

# Renew the pictures of the page in docs/images; needs chromium.
screenshots: $(VENV)/.installed-test
	NRI_SCREENSHOTS=1 NRI_NEED_BROWSER=1 $(BIN)/pytest tests/serve/test_screenshots.py

# Three small generated data sets, no files and no network needed: under two minutes.
bench-quick: $(VENV)/.installed-bench
	$(BIN)/nri bench uci --quick --offline

# Table 1's ten smaller sets anew, with the methods that are quick and the published seeds, and a comparison
# with the published rows: about ten minutes. Data: NRI_DATA=folder of CSV files, else OpenML.
SMALL_OUT ?= build/bench-small
bench-small: $(VENV)/.installed-bench
	$(BIN)/nri bench uci --sets small --jobs $(BENCH_JOBS) --out $(SMALL_OUT) \
		--methods majority,best-literal,logistic,tree,xgboost,lightgbm,ripper,paper,greedy,seeded
	$(BIN)/nri bench same $(SMALL_OUT)

# Every experiment of the evidence: hours. Rows that are there already are not computed again.
# Seconds are only published from a quiet machine and one process: BENCH_TIMED= leaves them out.
BENCH_JOBS  ?= 1
BENCH_TIMED ?= --timed
bench: $(VENV)/.installed-bench
	for name in uci learning recovery noise spurious rules ablation slots; do \
		$(BIN)/nri bench $$name --jobs $(BENCH_JOBS) || exit 1; \
	done
	$(BIN)/nri bench scaling $(BENCH_TIMED)
	$(BIN)/nri bench report

# The wide suite, 88 raw tables that are not fetched: NRI_DATA=FOLDER, with them in the folder `wide` beside it.
bench-wide: $(VENV)/.installed-bench
	$(BIN)/nri bench wide --jobs 0
	$(BIN)/nri bench report

clean:
	rm -rf $(VENV)

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: pyproject.toml constraints.txt | $(BIN)/python
	$(PIP) -e .
	touch $@

$(VENV)/.installed-docs: pyproject.toml constraints.txt | $(BIN)/python
	$(PIP) -e '.[docs]'
	touch $@

$(VENV)/.installed-bench: pyproject.toml bench/pyproject.toml dynamics/pyproject.toml constraints.txt | $(BIN)/python
	$(PIP) -e . -e ./dynamics -e ./bench
	touch $@

$(VENV)/.installed-test: pyproject.toml bench/pyproject.toml dynamics/pyproject.toml constraints.txt | $(BIN)/python
	$(PIP) -e '.[test]' -e ./dynamics -e ./bench
	touch $@
