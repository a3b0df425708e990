#!/bin/sh
# SPDX-License-Identifier: MIT
# A program whose memory is limited has that memory for itself: with little more than it needs
# without the recorder it starts and ends as without it. If the recorder gets too little memory it
# loses samples and counts them as lost for want of memory. There are many limits, so that each
# piece of the recorder's memory is the first that is refused.
#
# Seen to fail:
# - With the tables of rows, the coder and the buffers in .bss no program of less than 2.7 MiB starts.
# - If cps_journal_empty() begins a batch that has no bytes, the program dies of SIGSEGV at its end.
# - If cps_journal_acquire() does not tell a lack of memory from buffers in use, the losses are
#   called "busy".
#
# Wants a core of its own.
# Not in short runs: it takes 5 s.
. "$(dirname "$0")/../lib.sh"

# shellcheck disable=SC3045 # dash and all others have it
(ulimit -d 4500 2>/dev/null) || skip "no limit of data"

# try LIMIT KB: run the program under the limit, and count by its recording what became of the ticks
try() {
	# shellcheck disable=SC3045
	(ulimit "$1" "$2" && exec "$targets/spin" 40 >bare) || fail "$1 $2: without us it ended with $?"
	# shellcheck disable=SC3045
	(ulimit "$1" "$2" && record "$targets/spin" 40 >out 2>errors) ||
		fail "$1 $2: it ended with $?: $(cat errors)"
	cmp -s bare out || fail "$1 $2: it printed $(cat out)"
	set -- "$1" "$2" ./*.cps
	[ -f "$3" ] || return 0
	samples=$(info "$3" samples)
	lost=$(info "$3" lost_memory)
	[ "$(info "$3" lost_busy)" = 0 ] || fail "$1 $2: busy: $(info "$3" lost_busy)"
	rm -f ./*.cps*
	[ "$samples" -eq 0 ] || with=$((with + 1))
	[ "$lost" -eq 0 ] || without=$((without + 1))
	if [ "$samples" -eq 0 ] && [ "$lost" -eq 0 ]; then
		fail "$1 $2: there is a recording without samples, and it says nothing of a loss"
	fi
}

# try_all WHAT LIMIT KB...: some of the limits let the program be recorded, and some make samples get lost
try_all() {
	what=$1 limit=$2 with=0 without=0
	shift 2
	for kb in "$@"; do
		try "$limit" "$kb"
	done
	at_least $with 1 || fail "no limit of $what lets a program be recorded"
	at_least $without 1 || fail "no limit of $what makes a sample get lost"
}
# shellcheck disable=SC2046 # numbers
try_all data -d $(seq 400 53 3400)
# shellcheck disable=SC2046
try_all "address space" -v $(seq 3400 211 7400)
