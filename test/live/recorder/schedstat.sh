#!/bin/sh
# SPDX-License-Identifier: MIT
# What real calls `ready` is the time in which a thread was ready to run and did not, as the kernel counts it in schedstat.
# More threads than processors compute all the time: they are ready for all of their time off the CPU. One naps in
# between: it waits for as long as it has slept, and is ready for as long as it has then waited for a processor, in the call or
# outside. All bounds are what the threads have measured themselves, so they hold on any machine, also if it is stolen from.
#
# With the clock strata the napper is also ready where it would have slept: a tick may wake it in its call, and it then waits for a
# processor before it sleeps again. CPU time is not looked at, as it is a matter of chance which thread is credited with
# the last of it (real.sh).
#
# Shares of states are of points 100 us apart, strewn over the time off the CPU at random: of N points a share p has the
# standard error sqrt(N p (1 - p)), of which four are allowed.
#
# Seen to fail:
# - When all of that was stalled; when a nap had what the napper was ready before it, which it then had not slept.
# - When what a thread was due at its end had the state of its last sample, the napper was blocked for longer than it napped.
# - When what other threads were due was lost while one created the recording, 60 ms were missing, on half a processor
#   (cpu.cfs_quota_us) in every sixth run. When that was kept for a sample of any state, the napper was blocked for 40 ms
#   more than it napped, in one of twenty runs.
#
# Chance: a part is four standard errors off in one of 16,000 cases, of which an attempt has three: one of 5,000 fails,
# and three of three in one of 10^11 runs.
#
# Wants a core of its own.
. "$(dirname "$0")/../lib.sh"

# stalls MS CLOCK
stalls() {
	record CPSAMPLE_CLOCK="$2" CPSAMPLE_RESOURCES=cpu,real:100us CPSAMPLE_OUTPUT=x.cps "$targets/stalls" "$1" >truth
	status=$?
	[ $status -ne 77 ] || skip "the kernel has no schedstat"
	[ $status -eq 0 ] || fault "stalls ended with $status"
	while read -r name rest; do
		for state in stalled ready wait; do
			"$CPCONV" --folded --unit gticks --resource real --thread "$name" --state $state x.cps >folded 2>err || : >folded
			awk '{ n += $NF } END { printf " %.0f", n }' folded
		done
		echo " $name $rest"
	done <truth >both
	[ "$(wc -l <both)" -ge 3 ] || fail "threads: $(cat both)"
	awk -v clock="$2" '
		# between WHAT LEAST GOT MOST SLACK, in ns
		function between(what, least, got, most, slack) {
			if (got >= least - slack && got <= most + slack) return
			printf "%s: %.1f ms, not %.1f to %.1f, within %.1f\n", what, got / 1e6, least / 1e6, most / 1e6, slack / 1e6
			bad = 1
		}
		{
			stalled = $1; ready = $2; blocked = $3; name = $4; wall = $5; cpu = $6; queued = $7; napped = $8; slept = $9
			off = wall - cpu
			p = off > napped ? napped / off : 0
			end = 4e6 + wall / 200 # the beginning and the end of a thread, which it has not measured itself
			chance = 4 * sqrt(off / 1e5 * p * (1 - p)) * 1e5
			between(name ", off the CPU", off, stalled + ready + blocked, off, end)
			between(name ", ready", queued, ready, queued, end)
			between(name ", blocked", clock == "strata" ? slept - queued : slept, blocked, napped, end + chance)
			between(name ", not blocked", off - napped, stalled + ready, clock == "strata" ? off : off - slept, end + chance)
			# What a hypervisor takes is time off the CPU, and not in the queue.
			if (!napped) all += queued
			life += wall
			printf "%s, %s: of %.0f ms off the CPU %.0f queued, %.0f slept; stalled %.0f, ready %.0f, blocked %.0f\n", clock, name,
				off / 1e6, queued / 1e6, slept / 1e6, stalled / 1e6, ready / 1e6, blocked / 1e6
		}
		END {
			between("queued of all threads", 5e8, all, life, 0)
			exit bad
		}' both >told || fail "$(cat told)"
	note "$(tail -n 1 told)"
}
for clock in timer strata; do
	with_more_work stalls 1500 $clock
done
