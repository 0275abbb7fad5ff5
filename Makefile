# make             builds build/dtsim, and build/lib/dtsim/*.so for a stock lua5.4
# make run         installs what is missing, builds, runs a scenario (SCENARIO=, ARGS=)
# make test        installs what is missing, builds, runs all tests
# make golden      writes the scenarios' outputs anew (tests/golden, docs); look at the diff
# make bench       builds, runs the benchmarks
# make lint        installs what is missing, checks form, layers and warnings
# make install     PREFIX=/usr/local DESTDIR=; make uninstall takes it back
# make clean       removes build/
#
# BUILD=dir        builds elsewhere
# CC=clang         another compiler; CFLAGS=, LDFLAGS=, LUA_CFLAGS=, LUA_LIBS= as usual
# SANITIZE=address,undefined   builds with these sanitizers, in a directory of their own
# V=1              shows the commands

ifeq ($(origin CC),default)
CC = gcc
endif
LUA = lua5.4
LUA_CFLAGS = -isystem /usr/include/lua5.4
LUA_LIBS = -llua5.4
PREFIX ?= /usr/local
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
COMPILE = $(CC) $(DIALECT) $(WARNINGS) -Isrc $(LUA_CFLAGS) $(CFLAGS) $(SANITIZER_FLAGS)
LINK = $(CC) -pthread $(CFLAGS) $(SANITIZER_FLAGS) $(LDFLAGS)

objects = $(patsubst src/%.c,$(BUILD)/obj/%.o,$(wildcard src/$(1)/*.c))
CORE := $(call objects,core)
BIND := $(call objects,bind)
FILE := $(call objects,file)
CLI := $(call objects,cli) $(BUILD)/obj/embedded.o
LIBRARY := $(sort $(shell find lua -name '*.lua' 2>/dev/null))
PROGRAM := $(BUILD)/dtsim
MODULES := $(BUILD)/lib/dtsim/core.so $(BUILD)/lib/dtsim/file.so
TESTS := $(patsubst tests/core/%.c,$(BUILD)/tests/%,$(wildcard tests/core/*.c))
BENCH_OBJECTS := $(patsubst tests/%.c,$(BUILD)/obj/tests/%.o,$(wildcard tests/bench/*.c))
BENCH := $(if $(BENCH_OBJECTS),$(BUILD)/dtsim-bench)
BENCH_SCRIPTS := $(wildcard tests/bench/*.lua)

ifndef V
Q = @
say = @printf '  %-7s %s\n' $(1) $(2)
endif
# A build of one's own with all processors, unless make was told how many to use.
SUBMAKE = +@$(MAKE) --no-print-directory $(if $(findstring -j,$(MAKEFLAGS)),,-j$$(nproc))

.PHONY: all run test tests golden bench lint install uninstall clean FORCE
.DELETE_ON_ERROR:
.SECONDARY:

all: $(PROGRAM) $(MODULES)

run:
	@CC='$(CC)' .ci/deps.sh build $(if $(shell grep -lw plot $(SCENARIO)),plot)
	$(SUBMAKE) all
	$(PROGRAM) $(SCENARIO) $(ARGS)

tests: all $(TESTS)

test:
	@CC='$(CC)' .ci/deps.sh build test
	$(SUBMAKE) tests
	@SANITIZE='$(SANITIZE)' tests/run.sh $(BUILD) $(TESTS)

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

$(PROGRAM): $(CORE) $(BIND) $(FILE) $(CLI)
	$(call say,LINK,$@)
	$(Q)$(LINK) -o $@ $^ $(LUA_LIBS) -lm

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

$(BUILD)/obj/embedded.o: $(BUILD)/embedded.c $(BUILD)/compiler
	$(call say,CC,$<)
	@mkdir -p $(@D)
	$(Q)$(COMPILE) -MMD -MP -c -o $@ $<

$(BUILD)/embedded.c: src/cli/embed.lua $(LIBRARY) $(BUILD)/library
	$(call say,EMBED,$@)
	$(Q)$(LUA) src/cli/embed.lua $(LIBRARY) >$@

# Two notes that change when what they say does: how to compile, and the library's file names.
$(BUILD)/compiler: NOTE = $(COMPILE)
$(BUILD)/library: NOTE = $(LIBRARY)
$(BUILD)/compiler $(BUILD)/library: FORCE
	@mkdir -p $(@D)
	@echo '$(NOTE)' | cmp -s - $@ || echo '$(NOTE)' >$@

BINDIR = $(DESTDIR)$(PREFIX)/bin
LUADIR = $(DESTDIR)$(PREFIX)/share/lua/5.4
SODIR = $(DESTDIR)$(PREFIX)/lib/lua/5.4/dtsim
SHAREDIR = $(DESTDIR)$(PREFIX)/share/dtsim
DOCDIR = $(DESTDIR)$(PREFIX)/share/doc/dtsim
SCENARIOS = $(wildcard scenarios/*.lua)

install: all
	install -D -t $(BINDIR) $(PROGRAM)
	install -D -m 644 -t $(SODIR) $(MODULES)
	set -e; for file in $(LIBRARY:lua/%=%); do \
	    install -D -m 644 lua/$$file $(LUADIR)/$$file; done
	install -D -m 644 -t $(SHAREDIR)/scenarios $(SCENARIOS)
	install -D -m 644 -t $(DOCDIR) README.md

# Folders that are not dtsim's alone stay, and so does what others have put into ours.
uninstall:
	rm -f $(BINDIR)/dtsim $(DOCDIR)/README.md
	rm -f $(addprefix $(SODIR)/,$(notdir $(MODULES)))
	rm -f $(addprefix $(LUADIR)/,$(LIBRARY:lua/%=%))
	rm -f $(addprefix $(SHAREDIR)/,$(SCENARIOS))
	for folder in $(SODIR) $(LUADIR)/dtsim $(SHAREDIR) $(DOCDIR); do \
	    [ ! -d $$folder ] || find $$folder -depth -type d -exec rmdir {} + 2>/dev/null || :; done

clean:
	rm -rf build

-include $(shell find $(BUILD)/obj -name '*.d' 2>/dev/null)
