#!/bin/sh
# SPDX-License-Identifier: MIT
# A program that uses SIGPROF itself behaves as without the recorder, and is recorded all the same.
# _exit ends a recording cleanly. GNU sort does both.
#
# Seen to fail:
# - Without the wrapped sigaction the program gets the recorder's ticks, and sort dies of
#   "Profiling timer expired" if its input is large.
# - Without the wrapped _exit the recording is cut.
#
# Chance: fewer than three samples of 300 ms are taken in one of 700 attempts where ticks are as rare as were ever seen,
# 36 a second (burn.h), and in three of three in one of 300 million runs.
#
# Wants a core of its own.
# Not in short runs: it takes 15 s.
. "$(dirname "$0")/../lib.sh"

# recorded TIMES CLOCK MODE
recorded() {
	"$targets/owns_sigprof" "$3" >want 2>&1
	status=$?
	record CPSAMPLE_CLOCK="$2" "$targets/owns_sigprof" "$3" >got 2>&1
	got=$?
	[ $got = $status ] || fault "status $got, without us $status"
	same want got "output"
	[ "$3" != default ] || return 0
	stream=$(one_stream) || fail "$stream"
	[ "$(info "$stream" ended)" = clean ] || fault "not ended"
	at_least "$(info "$stream" samples)" 3 || fail "$(info "$stream" samples) samples"
	within 5 "$(accounted "$stream")" "$(info "$stream" process_cpu_ns)" ||
		fail "accounts for $(accounted "$stream") of $(info "$stream" process_cpu_ns)"
}
for clock in timer itimer strata; do
	for mode in handler old ignore default fork; do
		with_more_work recorded 1 $clock $mode
	done
done

awk 'BEGIN { for (i = 0; i < 300000; i++) print (i * 7919) % 300007 }' >numbers
sort numbers >want
mkdir sort
(cd sort && record sort ../numbers >../got) || fault "sort ended with $?"
same want got "sort's output"
stream=$(one_stream sort) || fail "$stream"
[ "$(info "$stream" ended)" = clean ] || fail "sort's recording did not end"
