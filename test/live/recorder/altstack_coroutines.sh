#!/bin/sh
# SPDX-License-Identifier: MIT
# Coroutines on stacks that a program has made by sigaltstack run on these very stacks, and no tick
# writes there. Handlers begin where they do without the recorder. See altstack_coroutines.c.
#
# Seen to fail:
# - If the recorder's alternate stack takes the place of small ones, two coroutines of 8 KiB overwrite
#   each other, and run elsewhere.
# - If settle() in wrap_thread.c makes its call on the stack of the caller, ticks overwrite coroutines that
#   have set their own stack.
# - If the kernel has an alternate stack of 32 KiB that the target has set, ticks overwrite the coroutine
#   there.
# - Without arm_ours() in own_stack.c, or without is_disarmed(), coroutines with SS_AUTODISARM are told
#   another thing, or ticks need their stacks.
# - If sigaction does not ask cps_relay_behind(), the program is told of another handler.
#
# Chance: coroutines compute for 2 s: with 36 ticks a second (burn.h), the fewest ever seen, none meets them in one of
# 10^31 attempts.
#
# Wants a core of its own.
# Not in short runs: it takes 10 s.
. "$(dirname "$0")/../lib.sh"

"$targets/altstack_coroutines" >want || fault "without us it ended with $?"

# recorded TIMES CLOCK INTERVAL
recorded() {
	record CPSAMPLE_CLOCK="$2" CPSAMPLE_RESOURCES="cpu:$3$beside" CPSAMPLE_OUTPUT=x.cps "$targets/altstack_coroutines" >got ||
		fault "ended with $?"
	same ../want got "output"
	accounts_for_all x.cps
	"$CPCONV" --flat x.cps | grep -q burn_for || fail "no samples of coroutines"
}

for clock in timer itimer perf; do
	for interval in 1ms 100us; do
		with_more_work recorded 1 $clock $interval
	done
done
