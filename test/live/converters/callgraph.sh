#!/bin/sh
# SPDX-License-Identifier: MIT
# What --callgraph writes is read as programs for gprof's report read it, without a line that they do not know. The totals that
# they make of it are those of --functions: of cases, of random stacks with recursion, and of recordings. Of functions that
# call each other that holds for all of them together. If gprof2dot is on this machine (or GPROF2DOT says how it is
# run), it reads them, too.
#
# Seen to fail:
# - The report as it was: no line of a call is read, because there is no number below `called`.
# - Without <spontaneous> as a caller: a function that is also called gives all of its total to its callers.
# - With the times of the callee's block in place of the weight of the call: of calls into cycles.
# - Without marks of cycles.
# - With names such as "7 digits" as they are: a number before a blank is read as that of calls, and left out of the name.
#
# May run beside others.
. "$(dirname "$0")/../lib.sh"
need python3
here=$root/test/live/converters
reader=${GPROF2DOT:-$(command -v gprof2dot)}

# read_again ARGUMENT...: "FUNCTIONS CYCLES" that were read
read_again() {
	# shellcheck disable=SC2086 # GPROF2DOT may be several words
	python3 "$here/callgraph.py" "$CPCONV" "$@" $reader >numbers 2>&1 || fail "$*: $(cat numbers)"
}

read_again random 0 60
read -r functions cycles <numbers
[ "$functions" -gt 300 ] && [ "$cycles" -gt 20 ] || fail "random: only $functions functions, $cycles cycles"

record CPSAMPLE_OUTPUT=deep.cps "$targets/deep" 40 200 >out || fail "deep: ended with $?"
record CPSAMPLE_OUTPUT=waits.cps CPSAMPLE_RESOURCES=real,alloc "$targets/deep" 4 200 >out || fail "deep: ended with $?"
cp "$root"/test/data/cases/process_db/in.folded process_db.folded
cp "$root"/test/data/cases/two_entries/in.folded two_entries.folded
read_again files process_db.folded two_entries.folded deep.cps waits.cps --
[ -s numbers ] || fail "nothing was read"

"$CPCONV" --callgraph --unit samples deep.cps >counted || fail "no report"
grep -q "^Units: samples below called, else samples" counted || fail "the units: $(grep Units counted)"
# A terminal would show a form feed.
"$CPCONV" --callgraph process_db.folded | tail -n 1 | grep -q '^.$' || fail "no form feed at the end"
[ "$reader" ] || note "no gprof2dot on this machine: read by the test alone"
