#!/bin/sh
# SPDX-License-Identifier: MIT
# A program runs its own code where it has mapped it a second time, in several threads that map it and take it away all
# the time. The code has its names there, and its callers; the function that runs there has twice the time of the one
# that runs where the loader has put it. The program is not harmed.
#
# Each share may differ by three standard errors and 0.01. By chance one run in 200 fails, so a run that fails is
# followed by two more, and both must hold.
#
# `timer` is left out: its samples are all taken at the kernel's ticks, with which the threads change places, too.
#
# Seen to fail:
# - Without enter_twin() in unlisted.c work_in_twin has no name, and 35 % of the stacks are whole.
# - With the twin's own address in cps_row_learn() as many are.
# Wants a core of its own.
. "$(dirname "$0")/../lib.sh"

run() {
	rm -rf run && mkdir run
	(cd run && record CPSAMPLE_CLOCK="$1" "$targets/remapped" 3 >../truth) || fail "$1: ended with $?"
	stream=$(one_stream run) || fail "$stream"
	at_least "$(info "$stream" complete_percent)" 95 || fail "$1: $(info "$stream" complete_percent) % whole"
	"$CPCONV" --folded --unit gticks "$stream" >folded || fail "no view"
	read -r twin place all <truth
	true_shares folded "$(equal_samples "$stream")" 0.01 \
		"$1 twin" "$(ratio "$twin" "$all")" '^clone3?;start_thread;run;call_there;work_in_twin;inner ' \
		"$1 place" "$(ratio "$place" "$all")" '^clone3?;start_thread;run;call_here;work_in_place;inner ' >said
}

for clock in strata perf; do
	run $clock || { run $clock && run $clock; } || fail "$(cat said; "$CPCONV" --tree "$stream" | head -n 30)"
	note "$(cat said)"
done
