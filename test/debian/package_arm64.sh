#!/bin/sh
# SPDX-License-Identifier: MIT
# The Debian package for arm64 is built by a cross compiler, asks for the libraries that it needs, and records and shows under qemu.
#
# Called by `make check-deb`. Seen to fail: with libz.a in cpconv (lintian), since links of the root led to files of this machine.
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=test/live/lib.sh
. "$here/../live/lib.sh"
root=$(cd "$here/../.." && pwd) # lib.sh's is that of tests in other folders
need dpkg-buildpackage
need dh
need aarch64-linux-gnu-gcc
need qemu-aarch64
[ -e "$root/build/root-aarch64/shlibs" ] || skip "scripts/deps aarch64 has not been run"

BUILD=$BUILD ARCH=aarch64 "$root/scripts/deb" >build.out 2>&1 || fail "$(cat build.out)"
deb=$(ls "$BUILD"/deb-arm64/cpsample_*_arm64.deb) || fail "no package"
if command -v lintian >/dev/null; then
	lintian --no-cfg --allow-root -i --pedantic --fail-on error,warning "$deb" >lintian.out 2>&1 || fail "lintian: $(cat lintian.out)"
fi
[ "$(dpkg-deb -f "$deb" Architecture)" = arm64 ] || fail "it is for $(dpkg-deb -f "$deb" Architecture)"
for package in libc6 libcapstone4 libdw1 libedit2 libjansson4; do
	dpkg-deb -f "$deb" Depends | grep -q "\b$package\b" || fail "does not ask for $package: $(dpkg-deb -f "$deb" Depends)"
done

dpkg-deb -x "$deb" unpacked || fail "cannot be unpacked"
library=unpacked/usr/lib/aarch64-linux-gnu/libcpsample.so
for file in unpacked/usr/bin/cpconv unpacked/usr/bin/cpprof $library; do
	readelf -hW "$file" | grep -q 'Machine:.*AArch64' || fail "$file is of another machine"
done
set -- qemu-aarch64 -L "$root/build/root-aarch64"
"$@" -E "LD_PRELOAD=$PWD/$library" -E "CPSAMPLE_OUTPUT=$PWD/rec.cps" unpacked/usr/bin/cpconv --help >help.out 2>&1 || fail "$(cat help.out)"
"$@" unpacked/usr/bin/cpconv --info rec.cps >info.out 2>&1 || fail "$(cat info.out)"
grep -q '^machine *aarch64' info.out || fail "$(cat info.out)"
