#!/bin/sh
# SPDX-License-Identifier: MIT
# Threads begin, live and end in all the ways there are, with the same outcome as without us, and each of them is
# sampled: created with all signals blocked, detached, left by pthread_exit, cancelled or there while others are, on a
# stack of 16 KiB that is nearly full, on an alternate stack of MINSIGSTKSZ, in coroutines of 4 KiB.
# Seen to fail: without cps_disposition_retake in pthread_cancel the threads that survive it have no samples, with
# signal 32 blocked in mask_for() in disposition.c those that it ends have none of what they do then; without
# the unblocking in wrap_thread.c the one that was created blocked has none; without wrap_altstack.c the kernel
# kills the thread with a small alternate stack. See thread_ways.c.
. "$(dirname "$0")/../lib.sh"

quiet="blocked detached pexit tiny altstack coroutine timer"
{
	# shellcheck disable=SC2086 # a list of words
	"$targets/thread_ways" $quiet && "$targets/thread_ways" cancelled && "$targets/thread_ways" first
} >want || fail "without us it ended with $?"
"$targets/thread_ways" setuid >want.setuid || fail "setuid without us ended with $?"

# credited DIRECTORY NAME: that thread's time is there, of which there are 150 ms, with samples or without
credited() {
	"$CPCONV" --info "$(one_stream "$1")" >info
	awk -v name="$2" '$6 == name && $3 >= 0.13 { found = 1 } END { exit !found }' info ||
		fail "$clock: thread $2 is not credited: $(cat info)"
}

# sampled DIRECTORY NAME...: threads of these names have samples
sampled() {
	stream=$(one_stream "$1") || fail "$1: $stream"
	accounts_for_all "$stream"
	"$CPCONV" --info "$stream" >info
	shift
	for name; do
		samples=$(awk -v name="$name" '$6 == name { n += $5 } END { print n + 0 }' info)
		[ "$samples" -ge 2 ] || fail "$clock: thread $name has $samples samples: $(cat info)"
	done
}

# way DIRECTORY WAY...
way() {
	mkdir "$1"
	directory=$1
	shift
	(cd "$directory" && record CPSAMPLE_CLOCK=$clock "$targets/thread_ways" "$@" >>../got) ||
		fail "$clock: $* ended with $?"
}

for clock in timer itimer perf; do
	: >got
	# shellcheck disable=SC2086
	way $clock.quiet $quiet
	way $clock.cancelled cancelled
	way $clock.first first
	same want got "$clock: output"
	sampled $clock.quiet blocked detached pexit tiny altstack coroutine
	# The first one that a process cancels may do the rest of its work with the tick's signal blocked (wrap_thread.c).
	sampled $clock.cancelled cleaner-1 cleaner-2 survivor-1 survivor-2 later
	credited $clock.cancelled opener
	sampled $clock.first
	# Who may not write to the directory any more leaves a journal.
	: >got
	way $clock.setuid setuid
	same want.setuid got "$clock: setuid"
done
