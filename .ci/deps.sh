#!/bin/sh
# Installs the Debian packages that are missing, after saying which. Quick when none is.
# usage: .ci/deps.sh PURPOSE...     PURPOSE: build, plot, test, lint, fuzz or valgrind
# The environment: CC, the C compiler (gcc or clang).

CC=${CC:-gcc}
missing=

# want PACKAGE COMMAND...: the package is missing if the command fails.
want() {
    package=$1
    shift
    "$@" >/dev/null 2>&1 || missing="$missing $package"
}

has_header() { [ -e "/usr/include/$1" ] || [ -e "/usr/local/include/$1" ]; }
has_program() { command -v "$1"; }
has_fuzzer() { ls /usr/lib/llvm-*/lib/clang/*/lib/linux/libclang_rt.fuzzer-x86_64.a; }
has_debug_symbols() { [ -d /usr/lib/debug/.build-id ]; }
has_module() { lua5.4 -e "require '$1'"; }

want_build() {
    case $CC in
    *clang*) want clang has_program "$CC" ;;
    *) want gcc has_program "$CC" ;;
    esac
    want libc6-dev has_header stdio.h
    want lua5.4 has_program lua5.4
    want liblua5.4-dev has_header lua5.4/lua.h
    want libedit-dev has_header editline/readline.h
    want lua-lpeg has_module lpeg
    want lua-cjson has_module cjson
}

want_plot() {
    want gnuplot-nox has_program gnuplot
}

want_test() {
    want_plot
    want lua-busted has_program busted
    want python3 has_program python3
    want jq has_program jq
    want chromium has_program chromium
    want chromium-driver has_program chromedriver
}

want_fuzz() {
    want libclang-rt-14-dev has_fuzzer
}

want_valgrind() {
    want valgrind has_program valgrind
    want libc6-dbg has_debug_symbols
}

want_lint() {
    want clang-format has_program clang-format
    want cppcheck has_program cppcheck
    want lua-check has_program luacheck
}

for purpose in "$@"; do
    "want_$purpose" || exit 2
done
[ -z "$missing" ] && exit 0

# Lists in order; the first try goes without fetching the package lists.
if [ "$(id -u)" -eq 0 ]; then
    as_root=
else
    as_root=sudo
fi
install="apt-get install --yes --no-install-recommends$missing"

give_up() {
    echo "dtsim: $1. Please run this as root, then make again:" >&2
    echo "    apt-get update && $install" >&2
    exit 1
}

command -v apt-get >/dev/null || give_up "there is no apt-get to install$missing"
[ -z "$as_root" ] || command -v sudo >/dev/null || give_up "there is no sudo to install$missing"

# as_root variables: quiet, no questions.
apt() { $as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq -o Dpkg::Use-Pty=0 "$@"; }

echo "dtsim: installing the Debian packages$missing"
log=$(mktemp)
# shellcheck disable=SC2086 # one word per package
if apt install --yes --no-install-recommends $missing >"$log" 2>&1; then
    rm -f "$log"
    exit 0
fi
echo "dtsim: fetching the package lists first (apt-get update)"
# shellcheck disable=SC2086
if apt update >"$log" 2>&1 && apt install --yes --no-install-recommends $missing >"$log" 2>&1; then
    rm -f "$log"
    exit 0
fi
cat "$log" >&2
rm -f "$log"
give_up "apt-get could not install$missing"
