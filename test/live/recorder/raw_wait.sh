#!/bin/sh
# SPDX-License-Identifier: MIT
# A program that waits by system calls of its own, without an end or until a time, never sees EINTR because
# of the clock `strata`, which ends some of its sleeps; and an alarm of its own still ends each wait. If the
# program waits with a time limit it sees EINTR once at most.
#
# Seen to fail:
# - When shots went on after the first wait with a limit that had failed, 158 of 2000 failed.
# - When only calls of asynchronous input and output were made again, 130 to 233 of 4000 waits failed.
#
# Waits, beside others.
. "$(dirname "$0")/../lib.sh"

record CPSAMPLE_CLOCK=strata CPSAMPLE_EXE=raw_wait timeout -s KILL 100 "$targets/raw_wait" 3000 >out || fail "status $?: $(cat out)"
[ "$(cat out)" = "failed 0, went on after alarms 0, early 0" ] || fail "$(cat out)"
stream=$(one_stream .) || fail "$stream"
[ "$(info "$stream" engine)" = strata ] || fail "the clock is $(info "$stream" engine)"
[ "$(info "$stream" samples)" -ge 20 ] || fail "$(info "$stream" samples) samples"
note "$(info "$stream" samples) samples"

# A wait with a time limit cannot be made again. One of them fails, and then no more: later samples come at
# ticks of the kernel.
mkdir limit
(cd limit && record CPSAMPLE_CLOCK=strata CPSAMPLE_EXE=raw_wait timeout -s KILL 100 "$targets/raw_wait" 2000 limit >../out) ||
	fail "status $?: $(cat out)"
stream=$(one_stream limit) || fail "$stream"
waits=$(info "$stream" interrupted_waits)
[ "$(cat out)" = "failed ${waits:-0}" ] || fail "$(cat out), and --info says ${waits:-0}"
[ "${waits:-0}" -le 1 ] || fail "$waits waits failed"
note "with a limit: $(cat out), $(info "$stream" samples) samples"
