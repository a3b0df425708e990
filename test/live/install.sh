#!/bin/sh
# SPDX-License-Identifier: MIT
# make install puts everything where it belongs, and it works from there; uninstall leaves nothing.
# May run beside others.
. "$(dirname "$0")/lib.sh"
need make

make -s -C "$root" BUILD="$BUILD" DESTDIR="$tmp/root" PREFIX=/usr install >log 2>&1 || fail "$(cat log)"
for file in bin/cpconv bin/cpprof bin/cpsample lib/libcpsample.so include/cpsample.h \
	share/man/man1/cpconv.1 share/man/man1/cpprof.1 share/man/man7/libcpsample.7; do
	[ -s "root/usr/$file" ] || fail "no $file"
done
[ -x root/usr/bin/cpconv ] && [ -x root/usr/bin/cpsample ] || fail "not executable"
[ ! -x root/usr/lib/libcpsample.so ] || fail "the library is executable"

root/usr/bin/cpsample -o here.cps "$targets/spin" 300 >out || fail "cpsample ended with $?"
[ "$(cat out)" = spun ] || fail "output: $(cat out)"
echo '#include <cpsample.h>
int main(void) { cpsample_mark("installed"); return 0; }' >mark.c
$CC -I root/usr/include -o mark mark.c || fail "cpsample.h does not compile"
root/usr/bin/cpsample -o mark.cps ./mark || fail "mark ended with $?"
root/usr/bin/cpconv --info mark.cps | grep -q installed || fail "no mark"
root/usr/bin/cpconv --flat here.cps | grep -q spin_inner || fail "no profile"
echo flat | root/usr/bin/cpprof here.cps | grep -q spin_inner || fail "cpprof: no profile"

make -s -C "$root" BUILD="$BUILD" DESTDIR="$tmp/root" PREFIX=/usr uninstall >log 2>&1 || fail "$(cat log)"
[ -z "$(find root -type f)" ] || fail "left: $(find root -type f)"
