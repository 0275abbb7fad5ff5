#!/bin/sh
# Tries a Debian package where nothing else is installed: in a new minimal Debian. Installs it, runs
# the program and the module in a stock lua5.4, removes it, and sees that nothing is left.
# usage: src/package/chroot.sh PACKAGE.deb [MIRROR]     as root, with debootstrap and a network
# Settings of this machine's apt (proxies and the like) are taken over.
set -eu

package=$1
mirror=${2:-http://deb.debian.org/debian}
suite=$(. /etc/os-release && echo "$VERSION_CODENAME")
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT

inside() { chroot "$root" env DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8 "$@"; }

# same WHAT EXPECTED GOT
same() {
    if [ "$2" != "$3" ]; then
        echo "chroot.sh: $1: expected '$2', got '$3'" >&2
        exit 1
    fi
    echo "chroot.sh: $1: $3"
}

debootstrap --variant=minbase "$suite" "$root" "$mirror" >/dev/null
cp -r /etc/apt/apt.conf.d/. "$root/etc/apt/apt.conf.d/"
cp "$package" "$root/tmp/dtsim.deb"
inside apt-get -qq update
inside apt-get -qq install --yes --no-install-recommends /tmp/dtsim.deb >/dev/null

code='print(require "dtsim".gpus.v100.sms)'
same program 80.0 "$(inside dtsim -e "$code")"
same prompt '> 42' "$(echo '6 * 7' | inside dtsim -i | sed -n 2p)"
inside apt-get -qq install --yes --no-install-recommends lua5.4 >/dev/null
same module 80.0 "$(inside lua5.4 -e "$code")"
inside apt-get -qq purge --yes dtsim >/dev/null
same 'left behind' '' "$(inside find /usr /etc -name '*dtsim*')"
