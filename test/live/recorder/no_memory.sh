#!/bin/sh
# SPDX-License-Identifier: MIT
# A program whose memory is limited has that memory for itself. If the recorder gets too little
# memory it loses samples, counts them as lost for want of memory, and does not harm the program.
#
# Seen to fail:
# - If cps_journal_acquire() does not tell a lack of memory from buffers in use, the losses are
#   called "busy".
#
# Wants a core of its own.
. "$(dirname "$0")/../lib.sh"

# shellcheck disable=SC3045 # dash and all others have it
(ulimit -d 4500 2>/dev/null) || skip "no limit of data"
# shellcheck disable=SC3045
(ulimit -d 4500 && record "$targets/spin" 300 >out) || fail "spin ended with $?"
stream=$(one_stream .) || fail "$stream"
[ "$(info "$stream" samples)" = 0 ] || fail "$(info "$stream" samples) samples: the limit is not one"
at_least "$(info "$stream" lost_memory)" 1 || fail "lost: $("$CPCONV" --info "$stream" | grep lost)"
[ "$(info "$stream" lost_busy)" = 0 ] || fail "busy: $(info "$stream" lost_busy)"
