#!/bin/sh
# SPDX-License-Identifier: MIT
# A recording is read on any machine: cpconv of aarch64, under qemu, shows the same of recordings of both machines as that of this one.
#
# Seen to fail: without --sysroot, since under qemu the files of the root are found at their own names; with b.hs for b.cs, with another
# distance of bl.
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

# Instructions of either machine are shown on both, and those of aarch64 are objdump's.
for recording in theirs ours; do
	function=leaf
	[ $recording = theirs ] || function=$("$here" --flat --tsv ours.cps 2>/dev/null | awk -F '\t' '$5 !~ /^\[|^</ { print $5; exit }')
	"$here" --asm "$function" --tsv $recording.cps >here.out 2>/dev/null || fail "--asm $function $recording: ended with $?"
	"$targets/cpconv" --asm "$function" --tsv $recording.cps >there.out 2>/dev/null || fail "--asm $function $recording: under qemu: ended with $?"
	cmp -s here.out there.out || fail "--asm $function $recording differs: $(diff here.out there.out | head -n 5)"
done
"$here" --asm thread --tsv theirs.cps 2>/dev/null | awk -F '\t' '{ split($5, word, " "); print $4, word[1], $6 }' >here.out
aarch64-linux-gnu-objdump -d --no-show-raw-insn "$targets/real/ways_back" |
	awk '/^[0-9a-f]+ <.*>:$/ { mine = $2 == "<thread>:" } /^ +[0-9a-f]+:/ && mine {
		address = "0x" substr($1, 1, length($1) - 1)
		target = $2 ~ /^(b|bl|b[.].*|cbn?z|tbn?z)$/ && match($0, /[0-9a-f]+ </) ? "0x" substr($0, RSTART, RLENGTH - 2) : "-"
		print address, $2, target
	}' | awk 'FNR == NR { has[$1]; next } $1 in has' here.out - >there.out # not what lies behind it
[ "$(wc -l <there.out)" -gt 5 ] || fail "objdump has no function thread"
cmp -s here.out there.out || fail "--asm thread is not objdump's: $(diff here.out there.out | head -n 5)"
exit 0
