#!/bin/sh
# Builds BUILD/dtsim_VERSION_ARCHITECTURE.deb: make install, a control file, dpkg-deb.
# usage: src/package/deb.sh BUILD VERSION, at the top of the project (make deb)
# The environment: LIBEDIT, yes if the program uses it.
set -eu
umask 022

build=$1
version=$2
root=$build/deb
architecture=$(dpkg --print-architecture)
package=$build/dtsim_${version}_$architecture.deb

# upstream PACKAGE: its version here, without Debian's own part.
upstream() { dpkg-query -W -f '${source:Upstream-Version}' "$1"; }

rm -rf "$root"
make --no-print-directory install BUILD="$build" DESTDIR="$root" PREFIX=/usr >/dev/null
strip --strip-unneeded "$root/usr/bin/dtsim" "$root"/usr/lib/lua/5.4/dtsim/*.so
gzip -9n "$root/usr/share/man/man1/dtsim.1"
[ ! -e LICENSE ] || mv "$root/usr/share/doc/dtsim/LICENSE" "$root/usr/share/doc/dtsim/copyright"
mkdir -p "$root/usr/share/zsh/vendor-completions" "$root/DEBIAN"
mv "$root/usr/share/zsh/site-functions/_dtsim" "$root/usr/share/zsh/vendor-completions/"
rmdir "$root/usr/share/zsh/site-functions"

depends="libc6 (>= $(upstream libc6)), liblua5.4-0, lua-lpeg, lua-cjson"
[ "$LIBEDIT" != yes ] || depends="$depends, libedit2"
cat >"$root/DEBIAN/control" <<END
Package: dtsim
Version: $version
Architecture: $architecture
Maintainer: dtsim developers <dtsim@localhost>
Installed-Size: $(du -k -s "$root/usr" | cut -f 1)
Depends: $depends
Suggests: lua5.4, gnuplot-nox
Section: science
Priority: optional
Description: limits of distributed training, from a script
 dtsim computes how fast a cluster of GPUs can train a neural network, which
 plan of parallelism is best for it, and how large a training run can be.
 It is a program that runs Lua scripts with the simulator at hand, a prompt,
 and a module for Lua 5.4.
END
(cd "$root" && find usr -type f -print0 | sort -z | xargs -0 md5sum) >"$root/DEBIAN/md5sums"

dpkg-deb --root-owner-group --build "$root" "$package" >/dev/null
rm -rf "$root"
echo "$package"
