#!/bin/sh
# SPDX-License-Identifier: MIT
# A program that waits by system calls of its own, without an end or until a time, never sees EINTR because
# of the clock `strata`, which ends some of its sleeps; and an alarm of its own still ends each wait. The same holds for
# waits with a limit that tell what is left of it, and for all waits by syscall(2). If the program waits by an instruction
# of its own with a limit that the kernel does not tell, it sees EINTR once at most, and a transfer that it makes so is cut
# short once at most.
#
# Seen to fail:
# - When shots went on after the first wait with a limit that had failed, 158 of 2000 failed.
# - When only calls of asynchronous input and output were made again, 130 to 233 of 4000 waits failed.
# - When only reads, writes and endless waits by syscall(2) were gone on with, one of 1,000 waits failed with strata and 5
#   with perf, and as many of those that tell what is left.
# - When transfers by instructions of the program's own were not looked at, 150 to 164 of 200 were cut short.
#
# Waits, beside others.
# Not in short runs: it takes 15 s.
. "$(dirname "$0")/../lib.sh"

record CPSAMPLE_CLOCK=strata CPSAMPLE_EXE=raw_wait timeout -s KILL 1000 "$targets/raw_wait" 3000 >out || fail "status $?: $(cat out)"
[ "$(cat out)" = "failed 0, went on after alarms 0, early 0" ] || fail "$(cat out)"
stream=$(one_stream .) || fail "$stream"
[ "$(info "$stream" engine)" = strata ] || fail "the clock is $(info "$stream" engine)"
[ "$(info "$stream" samples)" -ge 5 ] || fail "$(info "$stream" samples) samples"
note "$(info "$stream" samples) samples"

# These can all be gone on with.
for clock in strata perf timer itimer; do
	for way in told by-number; do
		record CPSAMPLE_CLOCK=$clock CPSAMPLE_RESOURCES="cpu:1ms$beside" CPSAMPLE_OUTPUT=x.cps CPSAMPLE_EXE=raw_wait \
			timeout -s KILL 1000 "$targets/raw_wait" 1000 $way >out || fail "$clock, $way: status $?: $(cat out)"
		[ "$(cat out)" = "failed 0, early 0" ] || fail "$clock, $way: $(cat out)"
		rm -f x.cps
	done
done

# once CLOCK RESOURCES TURNS MODE: calls that cannot be gone on with. One of them fails, or is cut short, and then no
# more: later samples come at ticks of the kernel.
once() {
	rm -f x.cps
	record CPSAMPLE_CLOCK="$1" CPSAMPLE_RESOURCES="$2" CPSAMPLE_OUTPUT=x.cps CPSAMPLE_EXE=raw_wait timeout -s KILL 1000 \
		"$targets/raw_wait" "$3" "$4" >out || fail "$1, $4: status $?: $(cat out)"
	waits=$(info x.cps interrupted_waits)
	failed=$(sed 's/.* //' out)
	[ "$failed" -le 1 ] && [ "$failed" -le "${waits:-0}" ] || fail "$1, $4: $(cat out), and --info says ${waits:-0}"
	note "$1, $4: $(cat out), $(info x.cps samples) samples"
}

once perf cpu 2000 limit
once perf cpu 200 transfers
unset CPSAMPLE_KERNEL_TICKS # by which faults inside of calls interrupt these, too
once strata "cpu$beside" 2000 limit
once strata "cpu$beside" 200 transfers
