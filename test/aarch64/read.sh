#!/bin/sh
# SPDX-License-Identifier: MIT
# A recording is read on any machine: cpconv of aarch64, under qemu, shows the same of recordings of both machines as that of this one.
#
# Seen to fail: without --sysroot, since under qemu the files of the root are found at their own names.
#
# May run beside others.
. "$(dirname "$0")/../live/lib.sh"

here=$BUILD/../../cpconv
record CPSAMPLE_OUTPUT=theirs.cps "$targets/ways_back" 300 >/dev/null || fail "ways_back ended with $?"
env "LD_PRELOAD=$BUILD/../../libcpsample.so" CPSAMPLE_OUTPUT=ours.cps awk 'BEGIN { for (i = 0; i < 3000000; i++) n += i }' || fail "awk ended with $?"
root=$BUILD/../../root-aarch64
for recording in theirs ours; do
	set -- --sysroot "$root"
	[ $recording = theirs ] || set --
	for view in --folded --info --json --graph; do
		"$here" $view "$@" $recording.cps >here.out 2>/dev/null || fail "$view $recording: ended with $?"
		"$targets/cpconv" $view "$@" $recording.cps >there.out 2>/dev/null || fail "$view $recording: under qemu: ended with $?"
		cmp -s here.out there.out || fail "$view $recording differs: $(diff here.out there.out | head -n 5)"
	done
done
[ "$(info theirs.cps machine)" = aarch64 ] || fail "the machine is $(info theirs.cps machine)"
"$CPCONV" --asm leaf theirs.cps 2>said && fail "--asm knows instructions of aarch64"
grep -q 'only instructions of x86-64 are known' said || fail "--asm says $(cat said)"
exit 0
