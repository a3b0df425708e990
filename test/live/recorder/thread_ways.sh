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
# - Without wrap_thread.c the kernel kills the thread with a small alternate stack.
# - Without give_key_up() in wrap_thread.c there are 1,023 keys, and if set_key() does not ask has_key, the thread
#   "key-returns" sets one of the program's, and is not credited. With a cleanup handler that does nothing none is.
# - If give_key_up() wants a recording there are 1,023 keys after its end.
# - If sigaltstack reads and writes where the program says, it dies where the kernel says EFAULT.
#
# Chance: a thread of 150 ms has no sample in one of 200 attempts with 36 ticks a second (burn.h), the fewest ever seen,
# and there are 12; with 4 and 16 times as much in one of 10^9 and in none.
#
# May run beside others.
# Not in short runs: it takes 35 s.
. "$(dirname "$0")/../lib.sh"

quiet="blocked detached pexit tiny altstack coroutine timer"
{
	# shellcheck disable=SC2086 # a list of words
	"$targets/thread_ways" $quiet && "$targets/thread_ways" cancelled && "$targets/thread_ways" first
} >want || fault "without us it ended with $?"
for way in keys keys_c11; do
	"$targets/thread_ways" $way >want.$way || fault "$way without us ended with $?"
done
# The recording has ended before the first key.
for way in keys keys_c11; do
	mkdir short
	(cd short && record CPSAMPLE_DURATION=0.001 "$targets/thread_ways" $way >../got) || fault "$way: ended with $?"
	same want.$way got "$way after the end"
	rm -rf short
done
"$targets/thread_ways" setuid >want.setuid || fault "setuid without us ended with $?"

# credited DIRECTORY NAME: the thread is credited with what it has used, whether it has samples or not
credited() {
	"$CPCONV" --info "$(one_stream "$1")" >info
	awk -v name="$2" -v ms="$MS" '
		BEGIN { unit["s"] = 1000; unit["ms"] = 1 }
		$6 == name && $3 * unit[$4] >= 0.85 * ms { found = 1 }
		END { exit !found }' info ||
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
		[ "$samples" -ge 1 ] || fail "$clock: thread $name has $samples samples: $(cat info)"
	done
}

# way DIRECTORY WAY...
more=
way() {
	mkdir "$1"
	directory=$1
	shift
	# shellcheck disable=SC2086 # none or one word
	(cd "$directory" && record CPSAMPLE_CLOCK="$clock" $more "$targets/thread_ways" "$@" >>../got) ||
		fault "$clock: $* ended with $?"
}

# recorded MS CLOCK
recorded() {
	export MS="$1"
	clock=$2
	: >got
	# shellcheck disable=SC2086
	way quiet $quiet
	way cancelled cancelled
	way first first
	same ../want got "$clock: output"
	sampled quiet blocked detached pexit tiny altstack coroutine
	# The first thread that a process cancels may do the rest of its work with the tick's signal
	# blocked (wrap_thread.c).
	sampled cancelled cleaner-1 cleaner-2 survivor-1 survivor-2 later
	credited cancelled opener
	sampled first
	for way in keys keys_c11; do
		[ $way = keys ] || [ "$clock" = timer ] || continue
		: >got
		more=CPSAMPLE_RESOURCES=cpu:1s$beside # so that all is credited when a thread ends
		way $way $way
		more=
		same ../want.$way got "$clock: $way"
		[ "$clock" != strata ] || continue # chance decides what ends of threads are credited with
		for name in key-returns key-leaves key-cancelled key-c11; do
			credited $way $name
		done
	done
	# A process that may not write to the directory any more leaves a journal.
	: >got
	way setuid setuid
	same ../want.setuid got "$clock: setuid"
}
for clock in timer itimer strata perf; do
	with_more_work recorded 150 $clock
done
