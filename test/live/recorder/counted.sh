#!/bin/sh
# SPDX-License-Identifier: MIT
# May run beside others.
#
# A program that was compiled with -pg, -pg -mfentry or -finstrument-functions has each call counted, as it counts them itself:
# calls that return, recursion, calls that longjmp leaves, those of signal handlers, also on an alternate stack and in the middle of
# counting, of coroutines, of eight threads at once, whose entries others take over, and of a process that forks. It writes no
# gmon.out, and what it prints stays the same. With CPSAMPLE_CALLS=off it has its gmon.out and nothing is counted. A process that is
# killed leaves what was counted until then.
#
# Seen to fail: without is_left() in collector/calls.c (longjmp); without cps_calls_child() (fork); when a handler on another stack
# was called by nothing (altstack).
. "$(dirname "$0")/../lib.sh"

build() {
	flags=$1
	# shellcheck disable=SC2086 # two flags
	$CC -O2 -g $flags -fno-inline -fno-optimize-sibling-calls -fno-ipa-icf -pthread -o counted "$root/test/targets/counted.c" ||
		fail "no program with $flags"
}

# The arcs that the program knows are in the recording $1, with its counts.
check() {
	"$CPCONV" --edges --tsv "$1" 2>err | awk -F "$tab" '$6 != "" { print $1, $2, $6 }' >edges
	[ -s edges ] || fail "$flags $2: no calls: $(cat err)"
	sed '/^-/d' truth | sort >known
	sort edges | comm -23 known - >missing
	[ ! -s missing ] || fail "$flags $2: not so: $(cat missing) but: $(cat edges)"
}

one() {
	rm -f x.*
	record CPSAMPLE_OUTPUT=x.cps ./counted "$1" "$2" >truth || fault "$flags $1 ended with $?"
	[ ! -e gmon.out ] || fail "$flags $1: there is a gmon.out"
	[ ! -e x.cps.calls ] || fail "$flags $1: x.cps.calls is left"
	check x.cps "$1"
}

for flags in -pg "-pg -mfentry" -finstrument-functions; do
	build "$flags"
	one plain 1000
	one longjmp 1000
	one signals 1000
	one altstack 1000
	one coroutines 1000
	one threads 2000
	one struck 2000000
	# The parent's recording has its own calls, and the child's only those that it has made.
	rm -f x.*
	record CPSAMPLE_OUTPUT=x.%p.cps ./counted fork 100 >truth || fault "$flags fork ended with $?"
	for recording in x.*.cps; do
		case $("$CPCONV" --edges --tsv "$recording" 2>err | awk -F "$tab" '$1 == "middle" { print $6 }') in
		2) check "$recording" fork ;;
		500) ;;
		*) fail "$flags fork: $recording: $("$CPCONV" --edges --tsv "$recording") $(cat err)" ;;
		esac
	done
	[ "$(echo x.*.cps | wc -w)" -eq 2 ] || fail "$flags fork: $(ls)"
done

build -pg
rm -f x.*
record CPSAMPLE_CALLS=off CPSAMPLE_OUTPUT=x.cps ./counted plain 3000000 >truth || fault "off ended with $?"
[ -s gmon.out ] || fail "off: no gmon.out"
"$CPCONV" --edges --tsv x.cps | awk -F "$tab" '$6 != "" { exit 1 }' || fail "off: there are calls"

# Killed after what was counted is there.
rm -f x.* gmon.out
export LD_PRELOAD="$LIBRARY" CPSAMPLE_OUTPUT=x.cps
./counted killed 1000 >/dev/null &
unset LD_PRELOAD CPSAMPLE_OUTPUT
while [ ! -e x.cps.calls ]; do
	sleep 0.1
	kill -0 $! || fail "it has ended"
done
kill -9 $!
wait $! 2>/dev/null
"$CPCONV" --edges --tsv x.cps 2>err | awk -F "$tab" '$1 == "plain" && $2 == "middle" && $6 > 0 { found = 1 }
	END { exit !found }' || fail "killed: no calls: $("$CPCONV" --edges --tsv x.cps) $(cat err)"
grep -q 'calls are counted until' err || fail "killed: $(cat err)"
