# Every chore, for people and for CI alike. All of them set up ./.venv first, on any machine with Python 3.11 and g++.
# RUN: the extras that `make run` installs. EXTRAS: what every other chore adds to the same .venv.
VENV    := .venv
PY      := $(VENV)/bin/python
BIN     := $(VENV)/bin
RUN     := compile train perfect
EXTRAS  := $(RUN) openspiel jit ray dev
PAGE    := index.html package.json package-lock.json tsconfig.json vite.config.ts src
SOURCES := $(shell find cpp/tengen cpp/bindings CMakeLists.txt pyproject.toml -type f)
JOBS    ?= $(shell nproc 2>/dev/null || echo 2)
export CMAKE_BUILD_PARALLEL_LEVEL := $(JOBS)
export CMAKE_GENERATOR := Ninja
export PATH := $(CURDIR)/$(BIN):$(PATH)

.PHONY: run test quick browser referee check bench fuzz soak web web-check web-test wheel clean setup format stubs lock cpp-test

run: $(VENV)/.built  ## train Connect4, live in the terminal and in the browser; again: goes on
	$(BIN)/tengen app --train connect4

test: check cpp-test browser referee  ## everything that must hold
	$(PY) -m pytest -n $(JOBS) -m "not fuzz and not soak"

quick: setup  ## what to run all day: style, types and the tests that are not slow
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(PY) -m pytest -n $(JOBS) -m "not slow and not fuzz and not soak"

# The tests say what is missing where this cannot install it.
browser:  ## Debian's chromium and a Chinese font for the tests of the app, where they are missing and can be installed
	@command -v chromium > /dev/null || { [ "$$(id -u)" = 0 ] && command -v apt-get > /dev/null && \
	  apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends \
	  chromium fonts-wqy-microhei > /dev/null; } || echo "no browser: the tests of the app's page will be skipped"

referee:  ## Debian's GNU Go, which plays and judges in the tests, where it is missing and can be installed
	@command -v gnugo > /dev/null || [ -x /usr/games/gnugo ] || { [ "$$(id -u)" = 0 ] && command -v apt-get > /dev/null && \
	  apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends \
	  gnugo > /dev/null; } || echo "no GNU Go: the tests with it will be skipped"

check: setup  ## style, types, warnings
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	find cpp -name '*.h' -o -name '*.cpp' | xargs $(BIN)/clang-format --dry-run -Werror

cpp-test: setup  ## C++ tests with warnings as errors, under ASan, UBSan and TSan
	$(BIN)/cmake -S . -B build/asan -DTENGEN_PYTHON=OFF -DTENGEN_TESTS=ON -DTENGEN_WERROR=ON -DCMAKE_BUILD_TYPE=Debug \
	  -DCMAKE_CXX_FLAGS_DEBUG="-O1" -DTENGEN_SANITIZE=address,undefined > /dev/null
	$(BIN)/cmake --build build/asan
	build/asan/tengen_tests
	$(BIN)/cmake -S . -B build/tsan -DTENGEN_PYTHON=OFF -DTENGEN_TESTS=ON -DTENGEN_WERROR=ON -DCMAKE_BUILD_TYPE=Debug \
	  -DCMAKE_CXX_FLAGS_DEBUG="-O1" -DTENGEN_SANITIZE=thread > /dev/null
	$(BIN)/cmake --build build/tsan
	build/tsan/tengen_tests search

bench: $(VENV)/.bench  ## speeds, as ratios to peers
	$(BIN)/tengen bench rules
	$(BIN)/tengen bench search

fuzz: setup  ## long random tests
	$(PY) -m pytest -n $(JOBS) -m fuzz

soak: setup  ## long load and faults
	$(PY) -m pytest -n $(JOBS) -m soak

# auditwheel finds the oldest Linux whose libraries suffice, and names the wheel after it.
wheel: setup  ## dist/: a wheel for this Python, which plays and analyses without a compiler and without torch
	rm -rf build/wheel
	$(PY) -m build --wheel --no-isolation --outdir build/wheel
	$(BIN)/auditwheel repair --wheel-dir dist build/wheel/*.whl

# The list of hashes tells the tests, which have no Node, that the page and its sources still belong together.
web: web-test  ## the browser UI, rebuilt into src/tengen/app/static; needs Node, which nothing else does
	cd web && npm run --silent build
	find $(addprefix web/,$(PAGE)) src/tengen/app/static -type f | LC_ALL=C sort | xargs sha256sum > web/built.sha256

web-check: web-test  ## whether src/tengen/app/static is, byte for byte, what web/ builds
	cd web && npm run --silent build -- --outDir ../build/web --emptyOutDir
	diff -r build/web src/tengen/app/static

web-test: web/node_modules/.package-lock.json  ## style, types and unit tests of the page
	cd web && npm run --silent check && npm test --silent

format: setup  ## rewrite sources in the project's style
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	find cpp -name '*.h' -o -name '*.cpp' | xargs $(BIN)/clang-format -i

stubs: setup  ## regenerate the type stubs of the C++ module
	$(PY) -m nanobind.stubgen -q -m tengen._core -o src/tengen/_core.pyi

lock:  ## renew constraints.txt, in an environment of its own; UPGRADE=--upgrade takes newer versions too
	python3 -m venv build/lock
	$(call locked,uv) > build/lock/uv.txt
	build/lock/bin/python -m pip install --quiet --require-hashes -r build/lock/uv.txt
	build/lock/bin/python -c "$$REQUIREMENTS" $(EXTRAS) bench > build/lock/wanted.txt
	printf 'pip\nuv\n' >> build/lock/wanted.txt
	UV_CUSTOM_COMPILE_COMMAND="make lock" build/lock/bin/uv pip compile --quiet $(UPGRADE) --universal --python-version 3.11 \
	  --generate-hashes --no-annotate --output-file constraints.txt build/lock/wanted.txt
	sed -i -e '/^torch==/,/[^\\]$$/{/--hash=/d; s/ \\$$//}' constraints.txt

clean:  ## remove everything that was built
	rm -rf build dist $(VENV)

setup: $(VENV)/.installed $(VENV)/.built

web/node_modules/.package-lock.json: web/package.json web/package-lock.json
	cd web && npm ci --loglevel=error
	touch $@

# What pyproject.toml asks for, and what builds it; read from there so that no list is written twice.
define REQUIREMENTS
import sys, tomllib
project = tomllib.load(open("pyproject.toml", "rb"))
extras = project["project"]["optional-dependencies"]
wanted = project["build-system"]["requires"] + project["project"]["dependencies"]
print(*wanted, *(line for name in sys.argv[1:] for line in extras[name]), sep="\n")
endef
export REQUIREMENTS

# The lines of one package in constraints.txt, as a requirements file.
locked = sed -n '/^$(1)==/,/[^\\]$$/p' constraints.txt

# Installs the packages of some extras, and the base, from files with a known hash; torch is the exception below.
define install
$(PY) -c "$$REQUIREMENTS" $(1) | grep -v '^torch>' > $(VENV)/requirements.txt
	$(PY) -m pip install --quiet --require-hashes -c constraints.txt -r $(VENV)/requirements.txt
endef

# constraints.txt pins every package and lists the hashes of its files on every platform; pip installs nothing else. Only
# torch has no hash: some machines have a build of it for their own hardware. What it needs is checked like the rest.
# An old pip does not look for hashes among constraints, so the new one comes first, from its own lines of the file.
$(VENV)/.installed-run: pyproject.toml constraints.txt
	python3 -m venv $(VENV)
	$(call locked,pip) > $(VENV)/pip.txt
	$(PY) -m pip install --quiet --require-hashes -r $(VENV)/pip.txt
	$(call install,$(RUN))
	$(PY) -m pip install --quiet --no-require-hashes -c constraints.txt torch
	touch $@

# After the module, not beside it: two pips at once in one .venv would be in each other's way.
$(VENV)/.installed: $(VENV)/.installed-run | $(VENV)/.built
	$(call install,$(EXTRAS))
	touch $@

# The peers of `make bench`: large, and nothing else needs them.
$(VENV)/.bench: $(VENV)/.built
	$(call install,bench)
	touch $@

# Only the C++ changed: only it is rebuilt, incrementally in build/, without asking the network for anything.
$(VENV)/.built: $(VENV)/.installed-run $(SOURCES)
	$(PY) -m pip install --quiet --no-deps --no-build-isolation -e .
	touch $@
