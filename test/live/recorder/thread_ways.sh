#!/bin/sh
# SPDX-License-Identifier: MIT
# Threads that begin, live and end in any way behave as without the recorder, and each of them is
# sampled. They are created with all signals blocked, detached, left by pthread_exit, or cancelled;
# other threads go on while some are cancelled. They run on a stack of 16 KiB that is nearly full,
# on an alternate stack of MINSIGSTKSZ, and in coroutines of 4 KiB. The program can create all keys that there are; then
# threads that begin later are sampled until they end. See thread_ways.c.
#
# Seen to fail:
# - Without cps_disposition_retake() in pthread_cancel, threads that survive it have no samples.
# - If mask_for() in disposition.c blocks signal 32, threads that are cancelled have no samples of
#   what they do then.
# - Without the unblocking in wrap_thread.c the thread that was created with blocked signals has no
#   samples.
# - Without wrap_altstack.c the kernel kills the thread with a small alternate stack.
# - Without give_key_up() in wrap_thread.c there are 1,023 keys, and if set_key() does not ask has_key, the thread
#   "key-returns" sets one of the program's, and is not credited. With a cleanup handler that does nothing none is.
# - If sigaltstack reads and writes where the program says, it dies where the kernel says EFAULT.
. "$(dirname "$0")/../lib.sh"

quiet="blocked detached pexit tiny altstack coroutine timer"
{
	# shellcheck disable=SC2086 # a list of words
	"$targets/thread_ways" $quiet && "$targets/thread_ways" cancelled && "$targets/thread_ways" first
} >want || fail "without us it ended with $?"
for way in keys keys_c11; do
	"$targets/thread_ways" $way >want.$way || fail "$way without us ended with $?"
done
"$targets/thread_ways" setuid >want.setuid || fail "setuid without us ended with $?"

# credited DIRECTORY NAME: the thread is credited with its 150 ms, whether it has samples or not
credited() {
	"$CPCONV" --info "$(one_stream "$1")" >info
	awk -v name="$2" '$6 == name && $3 * ($4 == "s" ? 1000 : $4 == "ms") >= 130 { found = 1 } END { exit !found }' info ||
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
more=
way() {
	mkdir "$1"
	directory=$1
	shift
	# shellcheck disable=SC2086 # none or one word
	(cd "$directory" && record CPSAMPLE_CLOCK=$clock $more "$targets/thread_ways" "$@" >>../got) ||
		fail "$clock: $* ended with $?"
}

for clock in timer itimer strata perf; do
	: >got
	# shellcheck disable=SC2086
	way $clock.quiet $quiet
	way $clock.cancelled cancelled
	way $clock.first first
	same want got "$clock: output"
	sampled $clock.quiet blocked detached pexit tiny altstack coroutine
	# The first thread that a process cancels may do the rest of its work with the tick's signal
	# blocked (wrap_thread.c).
	sampled $clock.cancelled cleaner-1 cleaner-2 survivor-1 survivor-2 later
	credited $clock.cancelled opener
	sampled $clock.first
	for way in keys keys_c11; do
		[ $way = keys ] || [ $clock = timer ] || continue
		: >got
		more=CPSAMPLE_RESOURCES=cpu:1s$beside # so that all is credited when a thread ends
		way $clock.$way $way
		more=
		same want.$way got "$clock: $way"
		[ $clock != strata ] || continue # chance decides what ends of threads are credited with
		for name in key-returns key-leaves key-cancelled key-c11; do
			credited $clock.$way $name
		done
	done
	# A process that may not write to the directory any more leaves a journal.
	: >got
	way $clock.setuid setuid
	same want.setuid got "$clock: setuid"
done
