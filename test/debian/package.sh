#!/bin/sh
# SPDX-License-Identifier: MIT
# The Debian package builds with hardening, has no errors or warnings of lintian's, works, and leaves nothing.
#
# Called by `make check-deb`. The package is installed below a directory of its own, where dpkg keeps a list of
# its own too, so that this machine stays as it is. Without root it is unpacked only.
# Seen to fail: with hardening=-all in debian/rules, without LIBDIR there, without doc/cpsample.1, and with
# an installed file that a maintainer's script has made.
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=test/live/lib.sh
. "$here/../live/lib.sh"
root=$(cd "$here/../.." && pwd) # lib.sh's is that of tests in other folders
need dpkg-buildpackage
need dh

# The unit tests have run in builds of their own.
BUILD=$BUILD DEB_BUILD_OPTIONS=nocheck DEB_BUILD_PROFILES=nocheck "$root/scripts/deb" >build.out 2>&1 ||
	fail "$(cat build.out)"
deb=$(ls "$BUILD"/deb/cpsample_*_amd64.deb) || fail "no package"

if command -v lintian >/dev/null; then
	lintian --no-cfg --allow-root -i --pedantic --fail-on error,warning,pedantic "$BUILD"/deb/*.changes >lintian.out 2>&1 ||
		fail "lintian: $(cat lintian.out)"
else
	note "no lintian here"
fi

# ---- hardening -----------------------------------------------------------------------------------
dpkg-deb -x "$deb" unpacked || fail "cannot be unpacked"
programs="unpacked/usr/bin/cpconv unpacked/usr/bin/cpprof"
library=$(echo unpacked/usr/lib/*-linux-gnu/libcpsample.so)
for file in $programs "$library"; do
	readelf -lW "$file" | grep -q GNU_RELRO || fail "$file: relocations can be written"
	readelf -dW "$file" | grep -qw NOW || fail "$file: binds lazily"
	readelf -hW "$file" | grep -q 'Type:.*DYN' || fail "$file: needs a certain address"
done
for file in $programs; do
	nm -D "$file" | grep -q ' __stack_chk_fail' || fail "$file: no stack protector"
	nm -D "$file" | grep -q ' __snprintf_chk' || fail "$file: not fortified"
done
# The recorder calls nothing that ends the program; __stack_chk_fail is asked for by zlib.
nm -D --undefined-only "$library" | sed 's/@.*//' | grep '_chk$' >checks
[ -s checks ] && fail "$library: is fortified: $(cat checks)"

# ---- installing ----------------------------------------------------------------------------------
package() {
	dpkg --root="$tmp/root" --log="$tmp/dpkg.log" --force-depends "$@" >dpkg.out 2>&1 ||
		fail "dpkg $*: $(cat dpkg.out)"
}
if [ "$(id -u)" -eq 0 ]; then
	mkdir -p root/var/lib/dpkg/info root/var/lib/dpkg/updates
	: >root/var/lib/dpkg/status
	package --install "$deb"
else
	mv unpacked root
fi

mkdir run
LD_LIBRARY_PATH=$(dirname "$tmp/root/${library#*/}") PATH=$tmp/root/usr/bin:$PATH AUTOPKGTEST_TMP=$tmp/run \
	"$root/debian/tests/record" >record.out 2>&1 || fail "recording: $(cat record.out)"
if [ "$(id -u)" -eq 0 ]; then
	package --purge cpsample
	find root ! -type d ! -path 'root/var/lib/dpkg/*' >left
	[ ! -s left ] || fail "left: $(cat left)"
fi
