#!/bin/sh
# SPDX-License-Identifier: MIT
# Stacks are whole in and below generated code that an interpreter has jumped to, and that runs on the
# interpreter's frame. The way is not taken where the interpreter, or a function that it has called, has called the code:
# callers would be left out, so that such stacks stay incomplete.
#
# Seen to fail: without cps_borrowed_step() in bare.c nothing is whole; without has_called() all is; if the
# prologue's first row is taken for the whole frame, if calls by pointers are not understood, or if
# LARGE_BYTES is more than the interpreter has.
#
# Wants a core of its own.
. "$(dirname "$0")/../lib.sh"

for clock in timer perf; do
	mkdir $clock
	(cd $clock && record CPSAMPLE_CLOCK=$clock "$targets/borrowed" 300) || fail "$clock: borrowed ended with $?"
	stream=$(one_stream $clock) || fail "$clock: $stream"
	accounts_for_all "$stream"
	"$CPCONV" --folded --unit gticks "$stream" >folded || fail "$clock: no view"
	for path in ';main;run;directly;[^;]*' ';main;run;by_pointer;[^;]*' ';main;run;by_register;[^;]*' \
		'^.incomplete.;[^;]*'; do
		share=$(awk -v path="$path(;work)? " '!/not sampled/ { all += $NF } $0 ~ path { mine += $NF }
			END { printf "%d\n", 100 * mine / all + 0.5 }' folded)
		case $path in
		*incomplete*) want=40 ;;
		*) want=20 ;;
		esac
		[ "$share" -ge $((want - 4)) ] && [ "$share" -le $((want + 4)) ] ||
			fail "$clock: $share % of the time are in $path, not $want: $(cut -c 1-200 folded)"
	done
done
