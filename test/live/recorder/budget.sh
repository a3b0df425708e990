#!/bin/sh
# SPDX-License-Identifier: MIT
# Recording takes no more than its share of the CPU time: a sixteenth and 50 ms on a stack of 200,000
# frames, of which both ends are kept; and what CPSAMPLE_BUDGET says of 20,000 ticks a second.
#
# Seen to fail:
# - Without leap() in unwind.c, `deep` takes 40 %.
# - Without cps_budget_interval() in the clocks, recording takes 4 times what it may of `spin`.
#
# Chance: what recording takes is measured, and no matter of chance: a sixteenth is kept to, and the bounds are a tenth
# and 80 ms.
#
# Wants a core of its own.
. "$(dirname "$0")/../lib.sh"

# shellcheck disable=SC3045 # dash and all others have it
ulimit -s 65536 2>/dev/null || ulimit -s unlimited 2>/dev/null || skip "no stack for 200,000 frames"

# takes_at_most PERCENT MS: recording has taken at most that share and so many ms
takes_at_most() {
	most=$(($(info x.cps process_cpu_ns) * $1 / 100 + $2 * 1000000))
	[ "$(info x.cps own_ns)" -le $most ] || fail "recording took $(info x.cps own_ns) of $(info x.cps process_cpu_ns) ns"
}

# A walk that has begun may go on for 8,192 frames. So the bound is 10 %, not a sixteenth.
# deep MS
deep() {
	record CPSAMPLE_OUTPUT=x.cps "$targets/deep" 200000 "$1" >/dev/null || fault "deep ended with $?"
	accounts_for_all x.cps
	takes_at_most 10 80
	"$CPCONV" --folded --unit gticks x.cps | grep -q 'main;descend;.*descend;\[cut\];descend;.*descend;bottom' ||
		fail "both ends are not there"
	"$CPCONV" --folded --unit gticks x.cps | awk '
		{ n = $NF; all += n }
		/\[incomplete\]/ { incomplete += n }
		END { exit !(incomplete <= all / 10) }' || fail "outer ends are missing"
}

# spin MS
spin() {
	record CPSAMPLE_CLOCK=perf CPSAMPLE_RESOURCES=cpu:50us CPSAMPLE_BUDGET=2% CPSAMPLE_OUTPUT=x.cps "$targets/spin" "$1" \
		>/dev/null || fault "spin ended with $?"
	within 1 "$(accounted x.cps)" "$(info x.cps process_cpu_ns)" || fail "accounts for $(accounted x.cps) ns"
	takes_at_most 3 5
}

with_more_work deep 2000
with_more_work spin 1000
