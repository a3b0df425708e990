#!/bin/sh
# SPDX-License-Identifier: MIT
# A program that is attached to again and again runs on as if nothing had been: its numbers are right, no call of it fails with
# EINTR, and at the end its descriptors, threads, dispositions of signals, mappings of files, linkage tables and code are as
# they were. Each recording says that it was attached. The last one has the program's functions, and whole stacks.
#
# Seen to fail: linkage tables that are not put back differ; with signals that are sent again instead of staying pending, storm
# died of signal 32 at the seventh end; entries of an earlier recording that are not renewed gave a `ready` of more than there was;
# a thread that had ended between two looks at it kept the clock from starting.
#
# Chance: a thread that always works has samples in 2 s on a machine that does ten other things.
#
# May run beside others.
. "$(dirname "$0")/../lib.sh"
. "$root/test/live/attach.sh"
can_attach

# cycle FUNCTION MODE: a path of calls that is in its recording
cycle() {
	function=$1
	shift
	start out "$targets/attached" "$@"
	attach "$pid" 0.05 warm.cps || fail "$*: $(cat attach.err)" # the library stays, and calls that were made are bound
	sleep 0.2
	state before
	i=0
	while [ $i -lt "$cycles" ]; do
		i=$((i + 1))
		attach "$pid" 0.1 x.cps || fail "$*, cycle $i: $(cat attach.err)"
		kill -0 "$pid" || fail "$*: it has ended in cycle $i"
	done
	attach "$pid" 2 last.cps || fail "$*: $(cat attach.err)"
	state after
	same before after "$*"
	stop "$*"
	[ $status -eq 0 ] || fail "$*: ended with $status"
	grep -qx 'interrupted 0 wrong 0' out || fail "$*: $(cat out)"
	[ "$(info last.cps ended)" = detached ] || fail "$*: it has ended by $(info last.cps ended)"
	[ "$(info last.cps began_ns)" -lt "$(info last.cps start_ns)" ] || fail "$*: it was not there before"
	mostly_whole last.cps 99 || fail "$*: stacks are whole to $(info last.cps complete_percent) %"
	"$CPCONV" --folded last.cps | grep -q "$function" || fail "$*: $function is not in its recording"
}

cycle 'work;deep;.*leaf' threads
cycle 'main;run_storm' storm
export CPSAMPLE_RESOURCES="$all_attached" # whose calls lead elsewhere meanwhile
cycle 'work;deep;.*leaf' threads
cycle 'main;run_storm' storm
