#!/bin/sh
# SPDX-License-Identifier: MIT
# Stacks are whole in and below generated code that an interpreter has jumped to, and that runs on the
# interpreter's frame. The way is not taken where the interpreter, or a function that it has called, has called the code:
# callers would be left out, so that such stacks stay incomplete.
#
# Seen to fail: without cps_borrowed_step() in step_without_cfi.c nothing is whole; without has_called() all is; if the
# prologue's first row is taken for the whole frame, if calls by pointers are not understood, or if
# LARGE_BYTES is more than the interpreter has.
#
# Chance: where ticks are as rare as were ever seen, 36 a second (burn.h), the end of a part may well be off by more
# than the bound. With 16 times the work it is in one of 10^14 attempts.
#
# Wants a core of its own.
. "$(dirname "$0")/../lib.sh"

# recorded MS CLOCK
recorded() {
	record CPSAMPLE_CLOCK="$2" CPSAMPLE_OUTPUT=x.cps "$targets/borrowed" "$1" || fault "borrowed ended with $?"
	accounts_for_all x.cps
	"$CPCONV" --folded --unit gticks x.cps >folded || fail "no view"
	for path in ';main;run;directly;[^;]*' ';main;run;by_pointer;[^;]*' ';main;run;by_register;[^;]*' \
		'^.incomplete.;[^;]*'; do
		share=$(awk -v path="$path(;work)? " '!/not sampled/ { all += $NF } $0 ~ path { mine += $NF }
			END { printf "%d\n", 100 * mine / all + 0.5 }' folded)
		case $path in
		*incomplete*) want=40 ;;
		*) want=20 ;;
		esac
		[ "$share" -ge $((want - 4)) ] && [ "$share" -le $((want + 4)) ] ||
			fail "$share % of the time are in $path, not $want: $(cut -c 1-200 folded)"
	done
}

for clock in timer perf; do
	with_more_work recorded 300 $clock
done
