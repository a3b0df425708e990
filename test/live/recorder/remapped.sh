#!/bin/sh
# SPDX-License-Identifier: MIT
# A program runs its own code where it has mapped it a second time, in several threads that map it and take it away all
# the time. The code has its names there, and its callers; the function that runs there has twice the time of the one
# that runs where the loader has put it. The program is not harmed.
#
# Each share may differ by three standard errors and 0.01.
#
# `timer` is left out: its samples are all taken at the kernel's ticks, with which the threads change places, too.
#
# Seen to fail:
# - Without enter_twin() in unlisted.c work_in_twin has no name, and 35 % of the stacks are whole.
# - With the twin's own address in cps_row_learn() as many are.
#
# Chance: one of 200 attempts is out of bounds, and three of three in one of eight million runs.
#
# Wants a core of its own.
. "$(dirname "$0")/../lib.sh"

# run SECONDS CLOCK
run() {
	record CPSAMPLE_CLOCK="$2" "$targets/remapped" "$1" >truth || fault "$2: ended with $?"
	stream=$(one_stream) || fail "$stream"
	mostly_whole "$stream" 95 || fail "$2: $(info "$stream" complete_percent) % whole"
	"$CPCONV" --folded --unit gticks "$stream" >folded || fail "no view"
	read -r twin place all <truth
	true_shares folded "$(equal_samples "$stream")" 0.01 \
		"$2 twin" "$(ratio "$twin" "$all")" '^clone3?;start_thread;run;call_there;work_in_twin;inner ' \
		"$2 place" "$(ratio "$place" "$all")" '^clone3?;start_thread;run;call_here;work_in_place;inner ' >said ||
		fail "$(cat said)"
	note "$(cat said)"
}

for clock in strata perf; do
	with_more_work run 3 $clock
done
