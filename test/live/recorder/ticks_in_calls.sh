#!/bin/sh
# SPDX-License-Identifier: MIT
# No call of the target fails with EINTR, and none is cut short, because a tick of the clock comes into it while its time off
# the CPU and its bytes are counted. Another process sends the waiting thread the signals of the recorder's own timer,
# every 300 us: the target prints the same as without. A signal for which it has a handler still interrupts
# the call, and a waiting thread can still be cancelled.
#
# What the waits add up to is the life of the threads all the same.
#
# Seen to fail:
# - If no call is made again (cps_again_after_eintr), 12 of the first lines of "ends" differ.
# - If nobody notes that the recorder's handler was not in its place when a thread was first cancelled, poll said EINTR in 4 of 60
#   runs, and so the thread was not cancelled there.
# - If the first interval of a thread began before the thread, whose rest is credited at its end, 2 to 5 % too much was
#   credited where threads are short ("cancels").
# - If a call is credited with all of its time, and not with what is left of that off the CPU, too much is credited.
#
# Chance: what is credited is exact up to an interval for each thread.
#
# Waits, beside others.
# Not in short runs: it takes 10 s.
. "$(dirname "$0")/../lib.sh"
need python3

# credited TIMES WHAT
credited() {
	what=$2
	# shellcheck disable=SC2086 # two words
	timeout 1000 "$targets/waits" quiet $what >bare.out 2>bare.err || fail "$what: without the recorder: $(cat bare.err)"
	# shellcheck disable=SC2086
	record CPSAMPLE_RESOURCES="${TEST_RESOURCES:-cpu,real,alloc,read,write,lock}" CPSAMPLE_CLOCK=timer CPSAMPLE_OUTPUT=x.cps \
		CPSAMPLE_EXE=waits timeout -s KILL 1000 "$targets/waits" ticks $what >out 2>err
	status=$?
	[ $status -ne 77 ] || skip "the kernel does not say which timers a process has"
	[ $status -eq 0 ] || fault "$what: status $status: $(tail -n 1 out) $(cat err)"
	same bare.out out "$what"
	counted=$(python3 "$root/test/live/counted.py" x.cps real) || fail "$what: real was not counted"
	credited=$("$CPCONV" --info --tsv --resource real x.cps | awk -F "$tab" '$1 == "credited_ns" { print $2 }')
	own=$(info x.cps own_ns)
	# A thread begins somewhere in an interval, so that it may be credited with up to one and a half too much.
	at_least "$((counted + $(info x.cps threads) * 1500000))" "$credited" && at_least $((credited + own)) $((counted * 97 / 100)) ||
		fail "$what: $credited ns credited of $counted, beside $own ns of the recorder's"
	info x.cps samples >>../ticks
}
for what in ends "interrupts 30" "restarts 30" "nested 5" "cancels 10"; do
	with_more_work credited 1 "$what"
done

# The first call of pthread_cancel puts the C library's handler in the place of the recorder's for a moment.
timeout 1000 "$targets/waits" quiet cancels 1 >bare.out 2>bare.err || fail "without the recorder: $(cat bare.err)"
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
	record CPSAMPLE_RESOURCES="${TEST_RESOURCES:-cpu,real}" CPSAMPLE_CLOCK=timer CPSAMPLE_OUTPUT="y.$i.cps" \
		CPSAMPLE_EXE=waits timeout -s KILL 1000 "$targets/waits" ticks cancels 1 >out 2>err || fault "status $?: $(cat err)"
	same bare.out out "the first of all that is cancelled ($i)"
done
ticks=$(awk '{ n += $1 } END { print n + 0 }' ticks)
[ "$ticks" -gt 500 ] || fail "there were hardly any ticks: $ticks"
note "$ticks ticks"
