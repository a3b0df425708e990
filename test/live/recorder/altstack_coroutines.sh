#!/bin/sh
# SPDX-License-Identifier: MIT
# Coroutines on stacks that a program has made by sigaltstack run on these very stacks, and no tick
# writes there. Handlers begin where they do without the recorder. See altstack_coroutines.c.
#
# Seen to fail:
# - If the recorder's alternate stack takes the place of small ones, two coroutines of 8 KiB overwrite
#   each other, and run elsewhere.
# - If settle() in wrap_altstack.c makes its call on the stack of the caller, ticks overwrite coroutines that
#   have set their own stack.
# - If the kernel has an alternate stack of 32 KiB that the target has set, ticks overwrite the coroutine
#   there.
# - Without arm_ours() in relay.c, or without is_disarmed(), coroutines with SS_AUTODISARM are told
#   another thing, or ticks need their stacks.
# - If sigaction does not ask cps_relay_behind(), the program is told of another handler.
. "$(dirname "$0")/../lib.sh"

"$targets/altstack_coroutines" >want || fail "without us it ended with $?"

for clock in timer itimer perf; do
	for interval in 1ms 100us; do
		mkdir $clock.$interval
		(cd $clock.$interval && record CPSAMPLE_CLOCK=$clock CPSAMPLE_RESOURCES="cpu:$interval$beside" \
			"$targets/altstack_coroutines" >../got) || fail "$clock $interval: ended with $?"
		same want got "$clock $interval: output"
		stream=$(one_stream $clock.$interval) || fail "$stream"
		accounts_for_all "$stream"
		"$CPCONV" --flat "$stream" | grep -q burn_for || fail "$clock $interval: no samples of coroutines"
	done
done
