#!/bin/sh
# SPDX-License-Identifier: MIT
# The way back from a function is found whatever led there: recursion, the C library's sort, handlers of signals on both stacks, a frame whose
# size is not known before, a thread. Each stack that ends in `leaf` is one of those that the program has.
#
# Seen to fail, on aarch64: without cps_regs_strip() in unwind.c no stack of ways_back_pac goes further than one frame; and before
# handlers were known by the frame that they return from (cps_regs_may_be_returned), stacks ended at those on the other stack.
#
# Chance: each of the five ways that are looked for has a sixth of the time, and 1,000 rounds have ten ticks at least. So one is missed
# in all three attempts in one of 10^14 runs.
#
# May run beside others.
. "$(dirname "$0")/../lib.sh"

recorded() {
	rm -rf out && mkdir out
	record CPSAMPLE_OUTPUT=out/cps CPSAMPLE_CLOCK="$2" "$targets/$3" "$1" >said || fault "$2, $3: ended with $?"
	[ "$(cat said)" = "done" ] || fault "$2, $3: says $(cat said)"
	"$CPCONV" --folded --unit gticks out/cps >folded 2>warnings || fail "$2, $3: $(cat warnings)"
	way='(;often)?;leaf'
	: >known
	for path in ";main(;deep){21};big$way" ";main;in_sort;.*;compare;leaf" ";main;raises;.*;in_handler$way" \
		";main;with_room$way" ";thread;in_thread$way"; do
		grep -E "$path [0-9]+\$" folded >one || fail "$2, $3: no stack is $path"
		cat one >>known
	done
	grep -E ';leaf [0-9]+$' folded | sort >all
	sort -u known | comm -23 all - >others
	[ ! -s others ] || fault "$2, $3: not a stack of the program's: $(head -n 5 others)"
	! grep -E '^(leaf|often|deep|big|in_sort|compare|in_handler|with_room|in_thread)[; ]' folded || fault "$2, $3: a stack is cut"
}

for clock in timer strata; do
	for form in ways_back ways_back_pac ways_back_nofp; do
		[ -x "$targets/$form" ] || continue
		with_more_work recorded 1000 $clock "$form"
	done
done
exit 0
