#!/bin/sh
# SPDX-License-Identifier: MIT
# A program may have its own ITIMER_PROF, block and await all signals, use the old signal calls,
# change its mind about SIGPROF from two threads, or be started with SIGPROF ignored or blocked. It
# gets what it would get without the recorder, and is sampled all the time. The clock itimer gives
# way to timer in these cases and says so. See signal_ways.c.
#
# Seen to fail:
# - If the clock timer uses SIGPROF, or without cps_life_give_up_sigprof(), the program gets no ticks
#   of its own timer.
# - With several resources the recording said itimer, if it was made after that had given way.
# - Without the probe in clock_timer.c the program is told that SIGPROF is not blocked.
#
# Chance: 200 ms have no sample in one of 1,300 attempts where ticks are as rare as were ever seen, 36 a second
# (burn.h), and in three of three in one of two billion runs.
#
# May run beside others.
# Not in short runs: it takes 30 s.
. "$(dirname "$0")/../lib.sh"

# recorded TIMES CLOCK WAY
recorded() {
	clock=$2 way=$3
	"$targets/signal_ways" "$way" >want || fault "$way: without us it ended with $?"
	record CPSAMPLE_CLOCK="$clock" "$targets/signal_ways" "$way" >got || fault "$clock, $way: ended with $?"
	if grep -hE ' [0-9]+ ticks$' want got >ticks; then # of so many the kernel may have had no time for more
		fail "$clock, $way: its own timer: $(cat ticks)"
	fi
	same want got "$clock, $way: output"
	# There are two recordings if the program executes itself.
	for stream in ./*.cps; do
		within 1 "$(accounted "$stream")" "$(info "$stream" process_cpu_ns)" ||
			fail "$clock, $way: accounts for $(accounted "$stream") ns"
		engine=$(info "$stream" engine)
		[ "$clock" != itimer ] || [ "$engine" = timer ] || fail "$way: itimer did not give way"
		at_least "$(info "$stream" samples)" $(($(info "$stream" credited_ns) / 200000000)) ||
			fail "$clock, $way: $(info "$stream" samples) samples"
	done
}

for way in timer wait masks old turns ignored blocked; do
	for clock in timer itimer strata perf; do
		with_more_work recorded 1 $clock $way
	done
done
