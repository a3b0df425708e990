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
# - Without the probe in clock_itimer.c the program is told that SIGPROF is not blocked.
. "$(dirname "$0")/../lib.sh"

for way in timer wait masks old turns ignored blocked; do
	"$targets/signal_ways" $way >want || fail "$way: without us it ended with $?"
	for clock in timer itimer strata perf; do
		mkdir $way.$clock
		(cd $way.$clock && record CPSAMPLE_CLOCK=$clock "$targets/signal_ways" $way >../got) ||
			fail "$clock, $way: ended with $?"
		same want got "$clock, $way: output"
		# There are two recordings if the program executes itself.
		for stream in "$way.$clock"/*.cps; do
			within 1 "$(accounted "$stream")" "$(info "$stream" process_cpu_ns)" ||
				fail "$clock, $way: accounts for $(accounted "$stream") ns"
			engine=$(info "$stream" engine)
			[ $clock != itimer ] || [ "$engine" = timer ] || fail "$way: itimer did not give way"
			# On the busiest machine there are at least twenty samples a second.
			at_least "$(info "$stream" samples)" $(($(info "$stream" credited_ns) / 50000000)) ||
				fail "$clock, $way: $(info "$stream" samples) samples"
		done
	done
done
