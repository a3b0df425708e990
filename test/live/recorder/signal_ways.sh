#!/bin/sh
# SPDX-License-Identifier: MIT
# A program that has its own ITIMER_PROF, blocks and awaits all signals, uses the old calls, changes its mind about
# SIGPROF from two threads, or was started with SIGPROF ignored or blocked, gets what it would get without us, and is
# sampled all the while; itimer gives way to timer there and says so.
# Seen to fail: with SIGPROF as timer's signal, or without cps_life_give_up_sigprof, the program gets no ticks of its
# own timer; without clock_itimer.c's probe it is told that SIGPROF is not blocked. See signal_ways.c.
. "$(dirname "$0")/../lib.sh"

for way in timer wait masks old turns ignored blocked; do
	"$targets/signal_ways" $way >want || fail "$way: without us it ended with $?"
	for clock in timer itimer perf; do
		mkdir $way.$clock
		(cd $way.$clock && record CPSAMPLE_CLOCK=$clock "$targets/signal_ways" $way >../got) ||
			fail "$clock, $way: ended with $?"
		same want got "$clock, $way: output"
		# Two recordings if it executes itself.
		for stream in "$way.$clock"/*.cps; do
			within 1 "$(info "$stream" credited_ns)" "$(info "$stream" process_cpu_ns)" ||
				fail "$clock, $way: credited $(info "$stream" credited_ns) ns"
			engine=$(info "$stream" engine)
			[ $clock != itimer ] || [ "$engine" = timer ] || fail "$way: itimer did not give way"
			# Twenty a second, on the busiest of machines.
			at_least "$(info "$stream" samples)" $(($(info "$stream" credited_ns) / 50000000)) ||
				fail "$clock, $way: $(info "$stream" samples) samples"
		done
	done
done
