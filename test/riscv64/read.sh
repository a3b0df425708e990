#!/bin/sh
# SPDX-License-Identifier: MIT
# A recording of riscv64 is read on any machine: cpconv of this one shows of it, byte for byte, what cpconv of riscv64 shows under qemu, and
# that one shows the same of a recording of this machine. Its functions are those of the program, by the other clocks, too.
#
# The loader's own first function has no unwind information that ends there, and what gcc's start files have the program do at its end has
# none at all, so that stacks of these two may be cut.
#
# Seen to fail: without -fasynchronous-unwind-tables, which gcc 12 has to be given, stacks end at the second function.
#
# May run beside others.
. "$(dirname "$0")/../live/lib.sh"

here=$BUILD/../../cpconv
record CPSAMPLE_OUTPUT=theirs.cps "$targets/ways_back" 1000 >/dev/null || fail "ways_back ended with $?"
env "LD_PRELOAD=$BUILD/../../libcpsample.so" CPSAMPLE_OUTPUT=ours.cps awk 'BEGIN { for (i = 0; i < 3000000; i++) n += i }' || fail "awk ended with $?"

# A root with the libraries of riscv64 and the program.
mkdir sysroot
for part in usr lib; do
	ln -s "$BUILD/../../root-riscv64/$part" sysroot/$part
done
top=$(cd "$BUILD/.." && pwd | cut -d / -f 2)
ln -s "/$top" "sysroot/$top"
for recording in theirs ours; do
	set -- --sysroot sysroot
	[ $recording = theirs ] || set --
	for view in --folded --info --json --graph; do
		"$here" $view "$@" $recording.cps >here.out 2>/dev/null || fail "$view $recording: ended with $?"
		"$targets/cpconv" $view "$@" $recording.cps >there.out 2>/dev/null || fail "$view $recording: under qemu: ended with $?"
		[ -s here.out ] && cmp -s here.out there.out || fail "$view $recording differs: $(diff here.out there.out | head -n 5)"
	done
done
[ "$(info theirs.cps machine)" = riscv64 ] || fail "the machine is $(info theirs.cps machine)"

for clock in strata timer itimer; do
	record CPSAMPLE_CLOCK=$clock CPSAMPLE_OUTPUT=$clock.cps "$targets/spin" 300 0 >/dev/null || fail "$clock: spin ended with $?"
	[ "$(info $clock.cps engine)" = $clock ] || fail "$clock: the engine is $(info $clock.cps engine)"
	"$CPCONV" --folded --sysroot sysroot $clock.cps 2>/dev/null >folded
	grep -q '^_start;__libc_start_main;.*;main;.* [0-9]*$' folded || fail "$clock: no stack leads to main: $(cat folded)"
	! grep -F '[incomplete]' folded | grep -Ev '\[incomplete\];(\[ld-linux|\[spin\];__cxa_finalize)' || fail "$clock: a stack is cut"
done
exit 0
