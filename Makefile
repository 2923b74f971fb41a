# polyak: `make` lists the targets.

PREFIX ?= /usr/local
JOBS ?= $(shell nproc)
PROGRAM := build/release/bin/polyak
SANITIZERS := asan-ubsan clang-asan-ubsan tsan
SOURCES = $(shell git ls-files -co --exclude-standard '*.cpp' '*.hpp' '*.cu' '*.cuh')
CONFIGURE := cmake --log-level=WARNING --preset
EVERY_GPU := ON

.PHONY: setup-python wheel wheel-bare bench-python coverage cuda test-gpu bench-gpu stops mpi asan-mpi tomography-quality disk-bench ranks-bench crash-loop peers reproduce page-check callgrind fuzz certify predictions help setup setup-dev setup-petsc configure build test demo install sanitize bench format format-check clean
.NOTPARALLEL:

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 16

setup: ## install missing Debian packages
	@tools/setup.sh

setup-dev: ## the same, with those for sanitize, format, bench and callgrind
	@tools/setup.sh dev

setup-petsc: setup ## the same, with MPI and PETSc for polyak-mpi and the plugins
	@tools/setup.sh petsc

setup-python: setup ## the same, and build/venv: Python with what the package is built and tested with
	@tools/setup.sh python
	@tools/python_env.sh build/venv

configure: setup
	@$(CONFIGURE) release -DPOLYAK_CUDA_EVERY_GPU=$(EVERY_GPU)

build: configure ## the optimised program, build/release/bin/polyak
	@cmake --build --preset release -j $(JOBS) --target polyak_cli

mpi: setup-petsc build ## polyak-mpi and the PETSc plugins, in build/release/bin and lib
	@cmake --build --preset release -j $(JOBS) --target polyak_ranks

test: EVERY_GPU = OFF
test: setup-petsc configure ## build and run every test
	@tools/setup.sh python
	@tools/python_env.sh build/venv & environment=$$!; \
	  cmake --build --preset release -j $(JOBS) && wait $$environment
	@$(CONFIGURE) release
	@cmake --build --preset release -j $(JOBS)
	@ctest --preset release -j $(JOBS)

demo: build ## solve a built-in problem and draw a page, build/demo/index.html
	@tools/demo.sh $(PROGRAM) build/demo

wheel: setup-python ## Python wheels with the libraries they need, tested with every Python here, build/wheels
	@tools/wheels.sh build/wheels

wheel-bare: ## the wheel for Debian's Python in a tree that has nothing but Python (debootstrap, root), after `make wheel`
	@tools/bare_python.sh build/wheels

install: build ## library, headers, program, manual page into PREFIX (default /usr/local)
	@cmake --install build/release --prefix "$$(realpath -m "$(PREFIX)")"

sanitize: setup-dev $(SANITIZERS) ## every test under the address and undefined-behaviour sanitizers of both compilers, and that of threads

# Both compilers have the same thread sanitizer. Left out of it are two scripts that take half of
# its time and start no threads that other tests do not.
tsan: LEFT_OUT = -E '^cli\.(reproduce|theory_golden)$$'
.PHONY: $(SANITIZERS)
$(SANITIZERS):
	@$(CONFIGURE) $@ -DPOLYAK_PETSC=OFF
	@cmake --build --preset $@ -j $(JOBS)
	@ctest --preset $@ -j $(JOBS) -LE petsc $(LEFT_OUT)

asan-mpi: setup-dev setup-petsc ## the tests of several ranks and of PETSc under the address sanitizer
	@$(CONFIGURE) asan-ubsan -DPOLYAK_PETSC=ON
	@cmake --build --preset asan-ubsan -j $(JOBS) --target polyak_cli polyak_ranks polyak_ranks_benches polyak_petsc_programs
	@ctest --preset asan-ubsan -L petsc

coverage: setup-petsc ## how many lines of src/ the tests run; fails below 90 %
	@$(CONFIGURE) coverage
	@cmake --build --preset coverage -j $(JOBS)
	@find build/coverage -name '*.gcda' -delete
	@ctest --preset coverage -j $(JOBS)
	@tools/coverage.py build/coverage 90

bench: setup-dev build ## measure kernels and iterations, compared with other libraries, build/bench.json; ten minutes
	@$(PROGRAM) bench --peers bench/peers.py --json build/bench.json

bench-python: setup-python build ## compare the Python package with NumPy, SciPy and scikit-learn, build/python.json; half an hour; the table goes into docs/python.md
	@$(CONFIGURE) release
	@cmake --build --preset release -j $(JOBS) --target polyak_python
	@$(PROGRAM) bench python --peers bench/python.py --rows 200000 --json build/python.json
	@bench/python_table.py build/python.json docs/python.md

disk-bench: setup-dev build ## files and text larger than the memory of a control group, beside NumPy, build/disk.json; needs 5 GB, and root for the group
	@cmake --build --preset release -j $(JOBS) --target bench_parse_table
	@bench/disk.py $(PROGRAM) --json build/disk.json

ranks-bench: setup-dev mpi ## measure the scaling over ranks on this machine, build/ranks.json; five minutes
	@cmake --build --preset release -j $(JOBS) --target polyak_ranks_benches
	@tools/ranks_bench.sh build/release build/ranks.json

callgrind: setup-dev build ## count instructions of three small runs, build/callgrind.txt
	@tools/callgrind.sh $(PROGRAM) build/callgrind.txt bench/results/callgrind.txt

format: setup-dev ## format the sources
	@clang-format -i $(SOURCES)

format-check: setup-dev ## fail if `make format` would change something
	@clang-format --dry-run --Werror $(SOURCES)

clean: ## remove build/
	@rm -rf build

fuzz: setup-dev ## fuzz all file readers, SECONDS each (default 60); TARGETS="npy mtx" selects some
	@tools/fuzz.sh $(or $(SECONDS),60) $(TARGETS)

certify: configure ## test the certificates on 100 000 random problems
	@cmake --build --preset release -j $(JOBS) --target test_theory
	@POLYAK_CERTIFY_CASES=100000 build/release/tests/test_theory --gtest_filter='*ertif*'

predictions: configure ## compare predicted and measured rates at the paper's size; about ten minutes
	@cmake --build --preset release -j $(JOBS) --target bench_predictions
	@build/release/bench/bench_predictions

reproduce: build ## the paper's experiments at full size, build/reproduce/index.html; under an hour
	@$(PROGRAM) reproduce all --out build/reproduce

page-check: build ## open a small reproduction in headless Chromium; console messages and requests fail
	@tools/setup.sh page
	@$(PROGRAM) reproduce all --rows 2000 --trials 4 --out build/page-check/page
	@tools/page_check.sh build/page-check/page/index.html build/page-check

peers: build ## compare tomography matrices with ASTRA's, from the Python package index
	@python3 -m venv build/peers && build/peers/bin/pip install -q astra-toolbox numpy scipy
	@build/peers/bin/python tests/tomography/peers/astra_check.py $(PROGRAM)

tomography-quality: build ## compare automatic reconstruction with fbp and sart at their best settings; about half an hour
	@bench/tomography_quality.py $(PROGRAM)

stops: build ## test that runs end within a second of signals and time limits at random moments
	@rm -rf build/stops && mkdir -p build/stops && cd build/stops && \
	  POLYAK=$(abspath $(PROGRAM)) POLYAK_STOPS=$(or $(TIMES),20) POLYAK_STOPS_MOST=1 \
	  POLYAK_STOPS_SEED=$(or $(SEED),20) python3 $(CURDIR)/tests/cli/stops.py

crash-loop: build ## kill -9 at 200 random moments, resume, compare bits
	@tools/crash_loop.py $(PROGRAM) $(or $(TIMES),200)

cuda: configure ## libpolyak_cuda.so for --device cuda, its tests and benchmarks; needs nvcc
	@cmake --build --preset release -j $(JOBS) --target polyak_cuda_all

test-gpu: cuda ## every kernel against plain loops, every method against the CPU; needs a GPU
	@cuda/test_gpu.sh build/release/cuda

bench-gpu: cuda ## iterations, passes and solves beside read ceiling, PyTorch and CPU, build/gpu*.json; needs a GPU
	@cuda/bench_gpu.sh build/release/cuda build/gpu.json
