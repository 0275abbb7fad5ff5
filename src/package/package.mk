# What is installed where, the man page, shell completion, the reference, and the Debian package.
# Part of the Makefile.

VERSION := $(shell sed -n 's/^ *version = "\(.*\)",$$/\1/p' lua/dtsim/help/program.lua)
MAN := $(BUILD)/dtsim.1
COMPLETION := $(BUILD)/completion/dtsim $(BUILD)/completion/_dtsim

BINDIR = $(DESTDIR)$(PREFIX)/bin
LUADIR = $(DESTDIR)$(PREFIX)/share/lua/5.4
SODIR = $(DESTDIR)$(PREFIX)/lib/lua/5.4/dtsim
MANDIR = $(DESTDIR)$(PREFIX)/share/man/man1
BASHDIR = $(DESTDIR)$(PREFIX)/share/bash-completion/completions
ZSHDIR = $(DESTDIR)$(PREFIX)/share/zsh/site-functions
SHAREDIR = $(DESTDIR)$(PREFIX)/share/dtsim
DOCDIR = $(DESTDIR)$(PREFIX)/share/doc/dtsim
SCENARIOS = $(wildcard scenarios/*.lua)
ROCKSPEC = src/package/dtsim-scm-1.rockspec
DOCUMENTS = $(wildcard README.md LICENSE docs/*.md) $(ROCKSPEC)
PICTURES = $(wildcard docs/gallery/*)

# The program writes its own pages; -E, so that no setting of the user's gets into them.
$(MAN): src/package/man.lua $(PROGRAM)
	$(call say,MAN,$@)
	$(Q)$(PROGRAM) -E $< >$@

$(BUILD)/completion/dtsim: SHELL_NAME = bash
$(BUILD)/completion/_dtsim: SHELL_NAME = zsh
$(COMPLETION): src/package/completion.lua $(PROGRAM)
	$(call say,SHELL,$@)
	@mkdir -p $(@D)
	$(Q)$(PROGRAM) -E $< $(SHELL_NAME) >$@

docs: $(PROGRAM)
	@mkdir -p docs
	$(PROGRAM) -E src/package/reference.lua >docs/api.md

install: all install-module
	install -D -t $(BINDIR) $(PROGRAM)
	install -D -m 644 -t $(MANDIR) $(MAN)
	install -D -m 644 -t $(BASHDIR) $(BUILD)/completion/dtsim
	install -D -m 644 -t $(ZSHDIR) $(BUILD)/completion/_dtsim
	$(if $(SCENARIOS),install -D -m 644 -t $(SHAREDIR)/scenarios $(SCENARIOS))
	install -D -m 644 -t $(DOCDIR) $(DOCUMENTS)
	$(if $(PICTURES),install -D -m 644 -t $(DOCDIR)/gallery $(PICTURES))

# The module alone, for a stock lua5.4; LuaRocks sets LUADIR and SODIR.
module: $(MODULES)

install-module: module
	install -D -m 644 -t $(SODIR) $(MODULES)
	set -e; for file in $(LIBRARY:lua/%=%); do \
	    install -D -m 644 lua/$$file $(LUADIR)/$$file; done

# Folders that are not dtsim's alone stay, and so does what others have put into ours.
uninstall:
	rm -f $(BINDIR)/dtsim $(MANDIR)/dtsim.1 $(BASHDIR)/dtsim $(ZSHDIR)/_dtsim
	rm -f $(addprefix $(SODIR)/,$(notdir $(MODULES)))
	rm -f $(addprefix $(LUADIR)/,$(LIBRARY:lua/%=%))
	rm -f $(addprefix $(SHAREDIR)/,$(SCENARIOS))
	rm -f $(addprefix $(DOCDIR)/,$(notdir $(DOCUMENTS)) $(PICTURES:docs/%=%))
	for folder in $(SODIR) $(LUADIR)/dtsim $(SHAREDIR) $(DOCDIR); do \
	    [ ! -d $$folder ] || find $$folder -depth -type d -exec rmdir {} + 2>/dev/null || :; done

# A package for this machine's Debian.
deb: all
	@LIBEDIT=$(LIBEDIT) src/package/deb.sh $(BUILD) $(VERSION)

# The package in a clean Debian: needs root, debootstrap and a network.
deb-test: deb
	src/package/chroot.sh $(BUILD)/dtsim_$(VERSION)_$$(dpkg --print-architecture).deb
