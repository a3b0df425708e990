#!/bin/sh
# SPDX-License-Identifier: MIT
# A handler without SA_RESTART ends the call that its signal has interrupted, as an alarm does that
# limits how long a program waits, also when a tick comes while the thread wakes up. A handler with
# SA_RESTART does not.
#
# Seen to fail:
# - Without end_restarted_call one call in eight went on waiting.
# - Without its look at SA_RESTART nearly every call was ended by SIGUSR1.
#
# May run beside others.
. "$(dirname "$0")/../lib.sh"

alarmed=$targets/alarmed
timeout 1000 "$alarmed" quiet 3 >bare || fail "without the recorder: status $?"
rm -f alarmed.*
record CPSAMPLE_RESOURCES="$signals" timeout 1000 "$alarmed" ticks 50 >out || fail "status $?"

cut -d ' ' -f 1-4 bare >results
cut -d ' ' -f 1-4 out >recorded
same results recorded "results"
# A tick may come just before the signal, and the signal while the tick is handled. That is rarer than in one of 1,800
# calls, of which none of 5,400 was hit (95 %), so that ten of 900 come by chance in one run of ten billion.
missed=$(awk '{ n += $5 } END { print n }' out)
[ "$missed" -le 9 ] || fail "$missed of 900 calls went on waiting: $(tr '\n' ';' <out)"
[ "$("$CPCONV" --folded --unit gticks ./cpsample.alarmed.*.cps | awk '{ n += $NF } END { print n + 0 }')" -gt 1000 ] ||
	fail "there were hardly any ticks"
note "$missed of 900"
