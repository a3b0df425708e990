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
# Wants a core of its own.
. "$(dirname "$0")/../lib.sh"

for clock in timer itimer strata; do
	for mode in handler old ignore default fork; do
		"$targets/owns_sigprof" $mode >want 2>&1
		status=$?
		mkdir $clock.$mode
		(cd $clock.$mode && record CPSAMPLE_CLOCK=$clock "$targets/owns_sigprof" $mode >../got 2>&1)
		got=$?
		[ $got = $status ] || fail "$clock, $mode: status $got, without us $status"
		same want got "$clock, $mode: output"
		[ $mode = default ] && continue
		stream=$(one_stream $clock.$mode) || fail "$clock, $mode: $stream"
		[ "$(info "$stream" ended)" = clean ] || fail "$clock, $mode: not ended"
		at_least "$(info "$stream" samples)" 20 ||
			fail "$clock, $mode: $(info "$stream" samples) samples"
		within 5 "$(accounted "$stream")" "$(info "$stream" process_cpu_ns)" ||
			fail "$clock, $mode: accounts for $(accounted "$stream") of $(info "$stream" process_cpu_ns)"
	done
done

awk 'BEGIN { for (i = 0; i < 300000; i++) print (i * 7919) % 300007 }' >numbers
sort numbers >want
mkdir sort
(cd sort && record sort ../numbers >../got) || fail "sort ended with $?"
same want got "sort's output"
stream=$(one_stream sort) || fail "$stream"
[ "$(info "$stream" ended)" = clean ] || fail "sort's recording did not end"
