# make             builds build/dtsim, and build/lib/dtsim/*.so for a stock lua5.4
# make run         installs what is missing, builds, runs a scenario (SCENARIO=, ARGS=)
# make test        installs what is missing, builds, runs all tests
# make golden      writes the scenarios' outputs anew (tests/golden, docs); look at the diff
# make bench       builds, runs the benchmarks
# make fuzz        builds with clang and libFuzzer, tries random input for FUZZ_SECONDS (600)
# make numbers     compares the model's numbers from gcc and clang, -O0 and -O2
# make coverage    runs the tests with gcc's counters, says which share of src they reach
# make valgrind    runs the C tests and some scripts under valgrind
# make lint        installs what is missing, checks form, layers and warnings
# make install     PREFIX=/usr/local DESTDIR=; make uninstall takes it back
# make deb         builds a Debian package in build/; make deb-test tries it in a clean Debian
# make docs        writes docs/api.md again, from the texts of help()
# make clean       removes build/
#
# BUILD=dir        builds elsewhere
# LIBEDIT=no       builds without libedit: the prompt then reads plain lines
# CC=clang         another compiler; CFLAGS=, LDFLAGS=, LUA_CFLAGS=, LUA_LIBS= as usual
# SANITIZE=address,undefined   builds with these sanitizers, in a directory of their own
# LUA_TESTS=   makes test run the C tests alone
# V=1              shows the commands

ifeq ($(origin CC),default)
CC = gcc
endif
LUA = lua5.4
LUA_CFLAGS = -isystem /usr/include/lua5.4
LUA_LIBS = -llua5.4
PREFIX ?= /usr/local
# libedit for the prompt, if its header is there; LIBEDIT=no builds without it.
LIBEDIT ?= $(if $(wildcard /usr/include/editline/readline.h \
                           /usr/local/include/editline/readline.h),yes,no)
ifeq ($(LIBEDIT),yes)
EDIT_CFLAGS = -DDT_LIBEDIT
EDIT_LIBS = -ledit
endif
SCENARIO = scenarios/alexnet_2012.lua
ARGS = --out $(BUILD)

comma = ,
ifdef SANITIZE
BUILD ?= build/san-$(subst $(comma),-,$(SANITIZE))
CFLAGS ?= -O1 -g -fno-omit-frame-pointer
SANITIZER_FLAGS = -fsanitize=$(SANITIZE) -fno-sanitize-recover=all
else
BUILD ?= build
CFLAGS ?= -O2
endif

WARNINGS = -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror
# No fused multiply-add: results are the same bits on every machine.
DIALECT = -std=c11 -D_POSIX_C_SOURCE=200809L -ffp-contract=off -fPIC -pthread
COMPILE = $(CC) $(DIALECT) $(WARNINGS) -Isrc $(LUA_CFLAGS) $(EDIT_CFLAGS) $(CFLAGS) \
    $(SANITIZER_FLAGS)
LINK = $(CC) -pthread $(CFLAGS) $(SANITIZER_FLAGS) $(LDFLAGS)

objects = $(patsubst src/%.c,$(BUILD)/obj/%.o,$(wildcard src/$(1)/*.c))
CORE := $(call objects,core)
BIND := $(call objects,bind)
FILE := $(call objects,file)
CLI := $(call objects,cli) $(BUILD)/obj/embedded.o $(BUILD)/obj/usage.o
LIBRARY := $(sort $(shell find lua -name '*.lua' 2>/dev/null))
PROGRAM := $(BUILD)/dtsim
MODULES := $(BUILD)/lib/dtsim/core.so $(BUILD)/lib/dtsim/file.so
# Tests of the core alone, and tests that are hosts of the library.
TESTS := $(patsubst tests/core/%.c,$(BUILD)/tests/%,$(wildcard tests/core/*.c))
HOST_TESTS := $(patsubst tests/host/%.c,$(BUILD)/tests/host/%,$(wildcard tests/host/*.c))
HOST := $(CORE) $(BIND) $(FILE) $(BUILD)/obj/cli/embed.o $(BUILD)/obj/embedded.o
BENCH_OBJECTS := $(patsubst tests/%.c,$(BUILD)/obj/tests/%.o,$(wildcard tests/bench/*.c))
BENCH := $(if $(BENCH_OBJECTS),$(BUILD)/dtsim-bench)
BENCH_SCRIPTS := $(wildcard tests/bench/*.lua)

.DEFAULT_GOAL := all
include src/package/package.mk

FUZZERS := $(patsubst tests/fuzz/%.c,$(BUILD)/%,$(wildcard tests/fuzz/*.c))
FUZZ_SECONDS = 600
FUZZ_BUILD = build/fuzz

ifndef V
Q = @
say = @printf '  %-7s %s\n' $(1) $(2)
endif
# A build of one's own with all processors, unless make was told how many to use.
SUBMAKE = +@$(MAKE) --no-print-directory $(if $(findstring -j,$(MAKEFLAGS)),,-j$$(nproc))

.PHONY: all run test tests golden bench lint clean FORCE
.PHONY: install uninstall module install-module deb deb-test docs
.DELETE_ON_ERROR:
.SECONDARY:

all: $(PROGRAM) $(MODULES) $(MAN) $(COMPLETION)

run:
	@CC='$(CC)' .ci/deps.sh build $(if $(shell grep -lw plot $(SCENARIO)),plot)
	$(SUBMAKE) all
	$(PROGRAM) $(SCENARIO) $(ARGS)

tests: all $(TESTS) $(HOST_TESTS)

test:
	@CC='$(CC)' .ci/deps.sh build test
	$(SUBMAKE) tests
	@SANITIZE='$(SANITIZE)' tests/run.sh $(BUILD) $(TESTS) $(HOST_TESTS)

golden: all
	@DTSIM_UPDATE_GOLDEN=1 DTSIM=$(abspath $(PROGRAM)) \
	    $(PROGRAM) "$$(command -v busted)" --ignore-lua tests/cli/golden_spec.lua \
	    tests/cli/gallery_spec.lua tests/cli/docs_spec.lua

bench: all $(BENCH)
	$(if $(BENCH),$(BENCH))
	$(if $(BENCH_SCRIPTS),@set -e; for script in $(BENCH_SCRIPTS); do $(PROGRAM) $$script; done)

lint:
	@CC='$(CC)' .ci/deps.sh build lint
	$(SUBMAKE) tests $(BENCH)
	@.ci/lint.sh

fuzz:
	@CC=clang .ci/deps.sh build fuzz
	$(SUBMAKE) CC=clang SANITIZE=address,undefined,fuzzer-no-link BUILD=$(FUZZ_BUILD) fuzzers
	@tests/fuzz/run.sh $(FUZZ_BUILD) $(FUZZ_SECONDS)

fuzzers: $(FUZZERS)

numbers:
	@.ci/deps.sh build && CC=clang .ci/deps.sh build
	@tests/numbers/compare.sh $(BUILD)

coverage:
	@.ci/deps.sh build test
	$(SUBMAKE) CC=gcc CFLAGS='-O0 -g --coverage' BUILD=build/coverage tests
	@tests/coverage.sh build/coverage

valgrind:
	@.ci/deps.sh build valgrind
	$(SUBMAKE) CFLAGS='-O1 -g -DFIX_EFFORT=3' BUILD=build/valgrind tests
	@tests/valgrind.sh build/valgrind

$(PROGRAM): $(CORE) $(BIND) $(FILE) $(CLI)
	$(call say,LINK,$@)
	$(Q)$(LINK) -o $@ $^ $(LUA_LIBS) $(EDIT_LIBS) -lm

# For a stock lua5.4, which brings the Lua functions itself.
$(BUILD)/lib/dtsim/core.so: $(CORE) $(BIND)
	$(call say,LINK,$@)
	@mkdir -p $(@D)
	$(Q)$(LINK) -shared -o $@ $^ -lm

$(BUILD)/lib/dtsim/file.so: $(FILE)
	$(call say,LINK,$@)
	@mkdir -p $(@D)
	$(Q)$(LINK) -shared -o $@ $^

$(BUILD)/tests/%: $(BUILD)/obj/tests/core/%.o $(CORE)
	$(call say,LINK,$@)
	@mkdir -p $(@D)
	$(Q)$(LINK) -o $@ $^ -lm

$(BUILD)/tests/host/%: $(BUILD)/obj/tests/host/%.o $(HOST)
	$(call say,LINK,$@)
	@mkdir -p $(@D)
	$(Q)$(LINK) -o $@ $^ $(LUA_LIBS) $(EDIT_LIBS) -lm

# Fuzzing targets use all but main of the program, and libFuzzer's main.
$(BUILD)/fuzz_%: $(BUILD)/obj/tests/fuzz/fuzz_%.o $(CORE) $(BIND) $(FILE) \
                 $(filter-out %/main.o,$(CLI))
	$(call say,LINK,$@)
	$(Q)$(LINK) -fsanitize=fuzzer -o $@ $^ $(LUA_LIBS) $(EDIT_LIBS) -lm

# This test stands between src/file and the system.
$(BUILD)/tests/host/test_file_faults: override LDFLAGS += \
    $(addprefix -Wl$(comma)--wrap=,open openat write fsync fchmod close renameat)

$(BUILD)/dtsim-bench: $(BENCH_OBJECTS) $(CORE)
	$(call say,LINK,$@)
	$(Q)$(LINK) -o $@ $^ -lm

$(BUILD)/obj/%.o: src/%.c $(BUILD)/compiler
	$(call say,CC,$<)
	@mkdir -p $(@D)
	$(Q)$(COMPILE) -MMD -MP -c -o $@ $<

$(BUILD)/obj/tests/%.o: tests/%.c $(BUILD)/compiler
	$(call say,CC,$<)
	@mkdir -p $(@D)
	$(Q)$(COMPILE) -MMD -MP -c -o $@ $<

$(BUILD)/obj/embedded.o $(BUILD)/obj/usage.o: $(BUILD)/obj/%.o: $(BUILD)/%.c $(BUILD)/compiler
	$(call say,CC,$<)
	@mkdir -p $(@D)
	$(Q)$(COMPILE) -MMD -MP -c -o $@ $<

$(BUILD)/embedded.c: src/cli/embed.lua $(LIBRARY) $(BUILD)/library
	$(call say,EMBED,$@)
	$(Q)$(LUA) src/cli/embed.lua $(LIBRARY) >$@

$(BUILD)/usage.c: src/cli/usage.lua lua/dtsim/help/program.lua
	$(call say,HELP,$@)
	$(Q)$(LUA) $^ >$@

# Two notes that change when what they say does: how to compile, and the library's file names.
$(BUILD)/compiler: NOTE = $(COMPILE)
$(BUILD)/library: NOTE = $(LIBRARY)
$(BUILD)/compiler $(BUILD)/library: FORCE
	@mkdir -p $(@D)
	@echo '$(NOTE)' | cmp -s - $@ || echo '$(NOTE)' >$@

clean:
	rm -rf build

-include $(shell find $(BUILD)/obj -name '*.d' 2>/dev/null)
