#!/bin/sh
# SPDX-License-Identifier: MIT
# A stack that ends at its own root is whole: a goroutine's, also where it has called C on the stack of
# its thread; that of Go's scheduler; a fiber's; and that of makecontext(3). Nothing is found below the
# roots that has not called them.
#
# Seen to fail:
# - Without CPS_BARE_ROOT 0 % were whole.
# - Without cps_never_is_mcall() schedule() has a caller that has long returned.
# - As long as the way back to the goroutine's stack was followed by the frame pointer only, burn_c had
#   no caller.
#
# Chance: where ticks are as rare as were ever seen, 36 a second (burn.h), the end of a part may well be off by more
# than the bound. With 16 times the work it is in one of 10^10 attempts.
#
# Wants a core of its own.
. "$(dirname "$0")/../lib.sh"

# recorded MS CLOCK
recorded() {
	clock=$2
	record CPSAMPLE_CLOCK="$clock" "$targets/roots" "$1" >out || fault "$clock: roots ended with $?"
	[ "$(cat out)" = "done" ] || fail "$clock: $(cat out)"
	stream=$(one_stream) || fail "$clock: $stream"
	accounts_for_all "$stream"
	mostly_whole "$stream" 98 ||
		fail "$clock: $(info "$stream" complete_percent) % whole"
	"$CPCONV" --folded --unit gticks "$stream" >folded || fail "$clock: no view"
	for path in '^goroutine_root;goroutine;burn_go' '^goroutine_root;goroutine;on_thread_stack;burn_c' \
		'^scheduler_root;schedule;burn_scheduler' '^make_fiber;fiber;burn_fiber' \
		'^[^;]*;context;burn_context'; do
		share=$(awk -v path="${path}[; ]" '!/not sampled/ { all += $NF } $0 ~ path { mine += $NF }
			END { printf "%d\n", 100 * mine / all + 0.5 }' folded)
		[ "$share" -ge 17 ] && [ "$share" -le 23 ] ||
			fail "$clock: $share % of the time are in $path: $(cut -c 1-200 folded)"
	done
}

for clock in timer perf; do
	with_more_work recorded 300 $clock
done
