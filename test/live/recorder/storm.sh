#!/bin/sh
# SPDX-License-Identifier: MIT
# Eight threads take samples at the same time while 500 others begin and end. Every signal is a
# sample or a counted loss, and all samples are read back. Two million signals a second are more
# than some disks can take. So it is noted, but not judged, how many signals find all buffers full.
#
# Seen to fail:
# - If a batch is filled without its lock, the stream is corrupt.
#
# May run beside others.
. "$(dirname "$0")/../lib.sh"

record CPSAMPLE_RESOURCES="$signals" "$targets/storm" 8 20000 >sent || fail "storm ended with $?"
stream=$(one_stream) || fail "$stream"
sent=$(cat sent)
samples=$(info "$stream" samples)
lost=$(info "$stream" lost)
[ $((samples + lost)) -eq "$sent" ] || fail "$sent signals, $samples samples and $lost lost"
busy=$(info "$stream" lost_busy) creating=$(info "$stream" lost_creating)
[ "$lost" -eq $((busy + creating)) ] || fail "$lost lost, only $busy of them busy, and $creating at the start"
[ "$samples" -gt 1000 ] || fail "only $samples of $sent"
note "$lost of $sent lost"
[ "$("$CPCONV" --folded --unit gticks "$stream" | awk '{ n += $NF } END { printf "%d\n", n }')" = "$samples" ] ||
	fail "folded does not add up to $samples"
[ "$(info "$stream" threads)" -ge 501 ] || fail "$(info "$stream" threads) threads"
[ "$(info "$stream" complete_percent)" = 100 ] || fail "stacks: $(info "$stream" complete_percent) %"
# The profile has only stacks that can happen. A coding state that differs from the reader's would
# show here.
"$CPCONV" --folded --unit gticks "$stream" | grep -v -E ';shout(;descend){1,100};[^ ]* [0-9]+$' |
	grep -v ';live_shortly;' >odd
[ ! -s odd ] || fail "call paths that never were: $(head -n 3 odd)"
