#!/bin/sh
# SPDX-License-Identifier: MIT
# A stack has two hundred frames, of which only the innermost and one in the middle change from one
# sample to the next. Each sample has the two frames that belong together.
#
# Seen to fail:
# - Without the comparison of the return address in cps_trail_follow().
#
# May run beside others.
. "$(dirname "$0")/../lib.sh"

record CPSAMPLE_RESOURCES="$signals" "$targets/middle" 2000 100 >out || fail "middle ended with $?"
stream=$(one_stream)
"$CPCONV" --folded --unit gticks "$stream" | awk '
	{ left = /;left;/; right = /;right;/; n += $NF }
	left == right || left != /;left_end/ || right != /;right_end/ { wrong += $NF }
	left { lefts += $NF }
	END { print n, lefts + 0, wrong + 0 }' >counts
[ "$(cat counts)" = "4000 2000 0" ] || fail "samples, left ones, mixed ones: $(cat counts)"
[ "$(info "$stream" complete_percent)" = 100 ] || fail "$(info "$stream" complete_percent) % complete"
