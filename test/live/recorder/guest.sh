#!/bin/sh
# SPDX-License-Identifier: MIT
# The recorder takes little from its target: it starts no thread, the C library still takes a
# program with one thread for one, and a process of four threads with ever new stacks needs less
# than 4 MiB more memory. `make soak-memory` runs this test for ten minutes and looks whether
# memory grows.
#
# Seen to fail:
# - With a pthread_create in the constructor there are two threads, and the C library knows it.
# - With an arena that every sample fills, memory grows beyond the limit.
#
# May run beside others.
# Not in short runs: it takes 10 s.
. "$(dirname "$0")/../lib.sh"

seconds=${SOAK:-1}
lines=${LINES_OF_SOAK:-1}
for clock in timer itimer strata perf; do
	"$targets/memory" 0.1 >bare || fail "without us it ended with $?"
	mkdir $clock
	(cd $clock && record CPSAMPLE_CLOCK=$clock "$targets/memory" "$seconds" "$lines" >../out) ||
		fail "$clock: it ended with $?"
	grep -qx "threads 1, alone 1" out || fail "$clock: $(grep threads out)"
	bare=$(sed -n 's/^resident //p' bare)
	first=$(sed -n 's/^resident //p' out | sed -n "$(((lines + 3) / 4))p") # by then all buffers have been in use
	last=$(sed -n 's/^resident //p' out | tail -n 1)
	[ $((last - bare)) -lt 4096 ] || fail "$clock: $((last - bare)) KiB are ours"
	[ "$lines" -eq 1 ] || [ $((last - first)) -lt 256 ] || fail "$clock: grew from $first to $last KiB"
	stream=$(one_stream $clock) || fail "$clock: $stream"
	summary="${summary-}$clock $((last - bare)) KiB, $(info "$stream" samples) samples; "
done
note "${summary%; }"
