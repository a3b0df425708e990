#!/bin/sh
# SPDX-License-Identifier: MIT
# Stacks are whole above and below small generated code without unwind information, such as CPython's
# trampolines (-X perf): the code says itself how it returns. Its names come from the perf map.
#
# Seen to fail: without step_ahead() in step_without_cfi.c 0 % are whole, and callers are missing.
#
# Chance: where ticks are as rare as were ever seen, 36 a second (burn.h), the end of a part may well be off by more
# than the bound. With 16 times the work it is in one of 10^13 attempts.
#
# Wants a core of its own.
. "$(dirname "$0")/../lib.sh"

# recorded MS CLOCK
recorded() {
	clock=$2
	record CPSAMPLE_CLOCK="$clock" "$targets/trampolines" "$1"
	status=$?
	stream=$(one_stream) || fail "$clock: $stream"
	pid=${stream##*trampolines.}
	rm -f "/tmp/perf-${pid%.cps}.map"
	[ $status -eq 0 ] || fault "$clock: trampolines ended with $status"
	accounts_for_all "$stream"
	mostly_whole "$stream" 98 ||
		fail "$clock: $(info "$stream" complete_percent) % whole"
	"$CPCONV" --folded --unit gticks "$stream" >folded || fail "$clock: no view"
	for form in sub cet push; do
		for function in light:11 heavy:22; do
			path=";main;py::outer:$form.py;evaluate;py::inner:$form.py;evaluate;py::${function%:*}:$form.py;evaluate[; ]"
			share=$(awk -v path="$path" '!/not sampled/ { all += $NF } $0 ~ path { mine += $NF }
				END { printf "%d\n", 100 * mine / all + 0.5 }' folded)
			want=${function#*:}
			[ "$share" -ge $((want - 3)) ] && [ "$share" -le $((want + 3)) ] ||
				fail "$clock: $share % of the time are in $path, not $want: $(cut -c 1-200 folded)"
		done
	done
}

for clock in timer perf; do
	with_more_work recorded 200 $clock
done
