# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# A thin front to CMake. Every target installs the packages that it needs, if it may.
PRESET ?= release
PREFIX ?= /usr/local
JOBS   ?= $(shell nproc)
PYTHON ?= $(shell test -x /usr/bin/python3 && echo /usr/bin/python3 || echo python3)
BUILD  := build

# Two package installations at once would lock each other out.
.NOTPARALLEL:
.PHONY: all build demo test bench bench-tasks bench-scale bench-folder install deps clean help

all: build

build: | $(BUILD)/.have-build
	@test -f $(BUILD)/build.ninja || cmake --preset $(PRESET)
	@cmake --build $(BUILD) -j $(JOBS) --target products

# The stamp keeps tools/deps.sh from checking a tree's packages again until the script or the list changes.
$(BUILD)/.have-build: tools/deps.sh tools/deps.list
	@tools/deps.sh build
	@mkdir -p $(BUILD) && touch $@

$(BUILD)/.have-%: tools/deps.sh tools/deps.list
	@tools/deps.sh $*
	@mkdir -p $(BUILD) && touch $@

demo: $(BUILD)/.have-demo build
	@$(PYTHON) demo/demo.py --build $(BUILD)

test: $(BUILD)/.have-test
	@cmake --preset $(PRESET) >$(BUILD)/configure.log 2>&1 || { cat $(BUILD)/configure.log; exit 1; }
	@cmake --build $(BUILD) -j $(JOBS)
	@ctest --test-dir $(BUILD) --output-on-failure -j 2

bench: $(BUILD)/.have-bench build
	@$(PYTHON) bench/run.py --build $(BUILD)

bench-tasks: $(BUILD)/.have-bench build
	@$(PYTHON) bench/run.py --build $(BUILD) --tasks

bench-scale: bench-folder
	@$(PYTHON) bench/run.py --build $(BUILD) --scale

bench-folder: $(BUILD)/.have-bench build
	@$(PYTHON) bench/run.py --build $(BUILD) --pack $(BUILD)/bench-scale

install: build
	@cmake --install $(BUILD) --prefix $(PREFIX)

deps:
	@tools/deps.sh all

clean:
	rm -rf $(BUILD)

help:
	@echo 'make               build the library and the gossamer command, into build/'
	@echo 'make demo          FFTW inside an OpenMP loop, on other runtimes and on Gossamer'
	@echo 'make test          build and run every test'
	@echo 'make bench         the microbenchmarks, on every runtime found here'
	@echo 'make bench-tasks   the task benchmarks, on every runtime found here'
	@echo 'make bench-scale   the microbenchmarks over many numbers of threads'
	@echo 'make bench-folder  a folder with everything that bench-scale needs, for a bigger machine: $(BUILD)/bench-scale'
	@echo 'make install       install under PREFIX ($(PREFIX))'
	@echo 'make deps          install the Debian packages that these targets use'
