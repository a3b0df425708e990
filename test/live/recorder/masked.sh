#!/bin/sh
# SPDX-License-Identifier: MIT
# May run beside others.
#
# Calls that change the mask of signals while they wait are ended by every signal that their mask lets
# through, also by those of faults, and by no tick.
#
# Seen to fail:
# - If SIGTRAP is added to the masks of these calls, the program waits for it in vain.
# - With is_inside turned round, calls with full masks are ended by ticks of `perf`.
. "$(dirname "$0")/../lib.sh"

"$targets/masked" >out || fail "without the recorder: ended with $?"
[ ! -s out ] || fail "without the recorder: $(cat out)"
for clock in timer itimer strata perf; do
	export CPSAMPLE_CLOCK="$clock" CPSAMPLE_RESOURCES="cpu:100us$beside"
	record "$targets/masked" >out || fail "$clock: ended with $?"
	[ ! -s out ] || fail "$clock: $(cat out)"
	record "$targets/masked" spin >out || fail "$clock: spin: ended with $?"
	[ ! -s out ] || fail "$clock: spin: $(cat out)"
done
