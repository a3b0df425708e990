#!/bin/sh
# SPDX-License-Identifier: MIT
# No call fails with EINTR because of us: a program that waits in every way that the kernel does not take up
# again, while SIGPROF hails on the thread that waits, says the same as without us and without hail. What a
# handler of its own interrupts is interrupted, and a thread that waits can be cancelled.
# Seen to fail: with the names left out of libcpsample.map 45 of 49 lines of "ends" differ, 42 by an EINTR;
# with a retry of every EINTR "interrupts" does not end; without `settled` in again.c "nested" does not.
# Waits, beside others.
. "$(dirname "$0")/../lib.sh"

waits=$targets/waits
for what in ends "interrupts 100" "restarts 100" "nested 10" "cancels 20"; do
	# shellcheck disable=SC2086 # two words
	timeout 60 "$waits" quiet $what >bare.out 2>bare.err || fail "$what: without the recorder: $(cat bare.err)"
	# shellcheck disable=SC2086
	record CPSAMPLE_RESOURCES=signals timeout -s KILL 200 "$waits" hail $what >out 2>err ||
		fail "$what: status $?: $(tail -n 1 out) $(cat err)"
	same bare.out out "$what"
	again="${again-}${what%% *} $(awk '{ n += $(NF - 2) } END { print n + 0 }' err), "
done

# All that came to the recording, it came through the hail.
[ "$("$CPCONV" --folded ./cpsample.waits.*.cps | awk '{ n += $NF } END { print n + 0 }')" -gt 1000 ] ||
	fail "there was hardly any hail"
note "signals of its own sent again: ${again%, }"
