#!/bin/sh
# SPDX-License-Identifier: MIT
# No call of the target fails with EINTR because of the recorder. The target waits in every call
# that the kernel does not restart, while SIGPROF is sent to the waiting thread all the time. It
# prints the same as without the recorder and without the signals. A signal for which the target
# has a handler still interrupts the call, and a waiting thread can still be cancelled.
#
# Seen to fail:
# - If libcpsample.map does not list the calls, 45 of the 49 lines of "ends" differ, 42 of them by
#   an EINTR.
# - If every EINTR leads to a retry, "interrupts" does not end.
# - Without `settled` in again.c "nested" does not end.
# - Without cps_cut_was_returned_to in cps_sample_note_interruption "returns" does not end.
# - If all calls have the same number, some waits of "returns" end early; if those of all threads begin
#   with 1, most of "cancels" do.
# - If the handler looks at interrupted calls only while there is a recording, after its end 45 of the 49 lines
#   of "ends" differ.
#
# Waits, beside others.
. "$(dirname "$0")/../lib.sh"

waits=$targets/waits
for what in ends "interrupts 100" "restarts 100" "nested 10" "returns 20" "cancels 20"; do
	# shellcheck disable=SC2086 # two words
	timeout 60 "$waits" quiet $what >bare.out 2>bare.err || fail "$what: without the recorder: $(cat bare.err)"
	# shellcheck disable=SC2086
	record CPSAMPLE_RESOURCES="$signals" timeout -s KILL 200 "$waits" hail $what >out 2>err ||
		fail "$what: status $?: $(tail -n 1 out) $(cat err)"
	same bare.out out "$what"
	again="${again-}${what%% *} $(awk '{ n += $(NF - 2) } END { print n + 0 }' err), "
done

# Nor does one when the recording is over, and signals still come.
timeout 60 "$waits" quiet ends >bare.out 2>bare.err || fail "ends: without the recorder: $(cat bare.err)"
record CPSAMPLE_RESOURCES="$signals" CPSAMPLE_DURATION=0.5 CPSAMPLE_OUTPUT=over.cps timeout -s KILL 200 \
	"$waits" hail ends >out 2>err || fail "over: status $?: $(tail -n 1 out) $(cat err)"
same bare.out out "after the end of the recording"
[ "$(info over.cps ended)" = duration ] || fail "the recording has ended otherwise: $(info over.cps ended)"

# Whatever reached the recording came through the signals that are sent all the time.
[ "$("$CPCONV" --folded --unit gticks ./cpsample.waits.*.cps | awk '{ n += $NF } END { print n + 0 }')" -gt 1000 ] ||
	fail "there was hardly any hail"
note "signals of its own sent again: ${again%, }"
