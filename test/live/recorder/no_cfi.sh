#!/bin/sh
# SPDX-License-Identifier: MIT
# Some code has no unwind information. A function that keeps a frame pointer or is a leaf can be
# unwound all the same. A function that uses the frame pointer for something else ends the stack,
# which is kept and marked, unless its code says how it returns (trampolines.sh).
#
# Seen to fail:
# - Without leaf_step() loops in assembly and in generated code are marked, or lose their caller.
# - If any frame pointer is trusted (follows_call()), frames get callers that never called them.
# - Without is_on_stack() that happens in one run of 200, depending on where the stack lies.
#
# Chance: both clocks take a sample each ms, so that the end of a part is off by a fiftieth of a second in one of 10^8
# attempts.
#
# Wants a core of its own.
. "$(dirname "$0")/../lib.sh"

# Samples of the kernel's ticks alone may miss a loop that looks at its CPU clock, on a busy machine.
# recorded MS CLOCK
recorded() {
	clock=$2
	record CPSAMPLE_CLOCK="$clock" CPSAMPLE_RESOURCES=cpu:1ms "$targets/no_cfi" "$1"
	status=$?
	[ $status -ne 77 ] || skip "no memory that can be written and executed"
	[ $status -eq 0 ] || fault "$clock: no_cfi ended with $status"
	stream=$(one_stream) || fail "$clock: $stream"
	accounts_for_all "$stream"
	"$CPCONV" --folded --unit gticks "$stream" >folded || fail "$clock: no view"
	for path in ';main;run_frame;[[]unknown[]];burn_frame;burn_on' '^[[]incomplete[]];[[]unknown[]];burn_none;burn_on' \
		';main;run_leaf;repeat;[[]unknown[]]' ';main;run_asm_leaf;repeat;asm_leaf' \
		';main;run_asm_frame;asm_frame;burn_asm;burn_on'; do
		share=$(awk -v path="$path" '{ all += $NF } $0 ~ path { mine += $NF }
			END { printf "%d\n", 100 * mine / all }' folded)
		[ "$share" -ge 18 ] && [ "$share" -le 22 ] ||
			fail "$clock: $share % of the time are in $path: $(cut -c 1-200 folded)"
	done
	mostly_whole "$stream" 78 || fail "$clock: $(info "$stream" complete_percent) % whole"
}

for clock in strata perf; do
	with_more_work recorded 200 $clock
done
