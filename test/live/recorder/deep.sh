#!/bin/sh
# SPDX-License-Identifier: MIT
# Stacks of 5,000 and of 50,000 frames are recorded as a whole. Of a stack of 200,000 frames the
# recorder keeps 65,536: those at both ends, with a mark in the place of the others.
#
# Seen to fail:
# - With a CPS_DEPTH_MAX of 32,768 the stack of 50,000 frames is cut.
# - Without close_ring() in unwind.c the outermost frames of the longest stack stand above main.
#
# Chance: where ticks are as rare as were ever seen, 36 a second (burn.h), none of 18 meets the deepest call in one of
# 10^7 attempts. One sample of 1,000 may be in the few instructions in which a stack is not whole: one of 50 attempts
# has one, and with 4 times the work four of 72 are in one of a million.
#
# Wants a core of its own.
. "$(dirname "$0")/../lib.sh"

# shellcheck disable=SC3045 # dash and all others have it
ulimit -s 65536 2>/dev/null || ulimit -s unlimited 2>/dev/null || skip "no stack for 200,000 frames"

# longest: the longest line of the folded view, with a number in the place of a run of descend
longest() {
	"$CPCONV" --folded --unit gticks "$stream" | awk '
		length($0) > length(longest) { longest = $0 }
		END {
			n = split(longest, frame, ";")
			for (i = 1; i <= n; i++) {
				if (frame[i] == "descend") { run++; continue }
				printf "%s%s ", run ? run " " : "", frame[i]
				run = 0
			}
		}'
}

# recorded MS FRAMES
recorded() {
	frames=$2
	record "$targets/deep" "$frames" "$1" >/dev/null || fault "$frames: deep ended with $?"
	stream=$(one_stream) || fail "$frames: $stream"
	accounts_for_all "$stream"
	longest >deepest
	if [ "$frames" -lt 65536 ]; then
		at_least "$(info "$stream" deepest)" "$frames" ||
			fail "$frames: the deepest stack has $(info "$stream" deepest) frames"
		mostly_whole "$stream" 99 ||
			fail "$frames: $(info "$stream" complete_percent) % complete"
		grep -q "main $frames bottom" deepest || fail "$frames: $(cat deepest)"
	else
		[ "$(info "$stream" deepest)" = 65536 ] || fail "kept $(info "$stream" deepest) frames"
		grep -qE 'main 327[0-9][0-9] \[cut\] 327[0-9][0-9] bottom' deepest || fail "$frames: $(cat deepest)"
	fi
}

for frames in 5000 50000 200000; do
	with_more_work recorded 500 $frames
done
