#!/bin/sh
# SPDX-License-Identifier: MIT
# A tick between a jump to a place without code and its fault does not fault itself: the target's handler finds the
# place that it knows.
#
# Seen to fail: when the handler read the bytes before pc without a question, the fault lay there, within a second
# with either clock.
#
# May run beside others.
# Not in short runs: it takes 15 s.
. "$(dirname "$0")/../lib.sh"

for clock in timer perf; do
	record CPSAMPLE_CLOCK=$clock CPSAMPLE_RESOURCES="cpu:100us$beside" "$targets/unfetched" 1500000 >out || fail "$clock: status $?"
	[ "$(cat out)" = returned ] || fail "$clock: $(cat out)"
done
