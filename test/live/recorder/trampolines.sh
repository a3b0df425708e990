#!/bin/sh
# SPDX-License-Identifier: MIT
# Stacks are whole above and below small generated code without unwind information, such as CPython's
# trampolines (-X perf): the code says itself how it returns. Its names come from the perf map.
#
# Seen to fail: without step_ahead() in bare.c 0 % are whole, and callers are missing.
#
# Wants a core of its own.
. "$(dirname "$0")/../lib.sh"

for clock in timer perf; do
	mkdir $clock
	(cd $clock && record CPSAMPLE_CLOCK=$clock "$targets/trampolines" 200)
	status=$?
	stream=$(one_stream $clock) || fail "$clock: $stream"
	pid=${stream##*trampolines.}
	rm -f "/tmp/perf-${pid%.cps}.map"
	[ $status -eq 0 ] || fail "$clock: trampolines ended with $status"
	accounts_for_all "$stream"
	at_least "$(info "$stream" complete_percent)" 98 ||
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
done
