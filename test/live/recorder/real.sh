#!/bin/sh
# SPDX-License-Identifier: MIT
# The resource real has all of the time of each thread, whether it runs or waits, at the call in which it waits, also
# if that call never ends. No sleep is shorter for that, and no signal is sent to who sleeps.
#
# All bounds hold on a machine that is busy, slow or stolen from: how long a call waits at least is what the thread has
# measured, or the kernel keeps to, and what it waits for a processor is part of no bound. Only samples of CPU time are a
# matter of chance. They have to be the same in both resources.
#
# Seen to fail:
# - Without the note of a wrapper, threads that are blocked at the end are credited nowhere.
# - With all of a call's time taken for blocked, threads are credited more than their lives.
# - If ticks find nothing stalled, a sleep in a call that is not wrapped is credited nowhere.
# - If calls are not credited at their end, in_nap has nothing.
# - If samples of the clock are not counted in real, its running part is not cpu.
#
# Chance: only samples of CPU time are a matter of chance: 100 of 300 ms are twelve standard errors away, or four if the
# thread hardly gets a processor, which is so in one of 30,000 attempts, and in three of three in one of 10^13.
#
# May run beside others.
. "$(dirname "$0")/../lib.sh"
need python3

# sum PATTERN: ns of the folded stacks that match
sum() {
	awk -v p="$1" '{ ns = $NF; sub(/ [0-9]+$/, "") } $0 ~ p { s += ns } END { printf "%.0f\n", s }' folded
}

# folded STATE: write the stacks of that state
folded() {
	"$CPCONV" --folded --unit gticks --resource real ${1:+--state "$1"} x.cps >folded || fail "cpconv --state $1"
}

# of KEY: what the recording says of itself, as a recording of real
of() {
	"$CPCONV" --info --tsv --resource real x.cps | awk -F "$tab" -v key="$1" '$1 == key { print $2; exit }'
}

# whole NAME: all time is credited that the recording has counted, but what recording takes, which is no time of the program's
whole() {
	counted=$(python3 "$root/test/live/counted.py" x.cps real)
	all=$(of credited_ns)
	own=$(of own_ns)
	at_least "$counted" $((all * 999 / 1000)) && at_least $((all + own)) $((counted * 998 / 1000)) ||
		fail "$1: $all ns are credited and $own were recording's, and were $counted"
}

# by_clock TIMES CLOCK
by_clock() {
	clock=$2
	record CPSAMPLE_RESOURCES=cpu,real CPSAMPLE_CLOCK="$clock" CPSAMPLE_OUTPUT=x.cps "$targets/sleepy" >out ||
		fault "$clock: sleepy ended with $?"
	folded ""
	"$CPCONV" --info --tsv --resource real x.cps >info
	grep -v '^life' out | awk '{ least[$1] += $2; most[$1] += $3 }
		END { for (i in least) printf "%s %.0f %.0f\n", i, least[i], most[i] }' >places
	grep -v unseen places | while read -r place least most; do
		got=$(sum ";$place;(.*;)?(poll|nanosleep|pthread_join|waitpid)\$")
		# Points are a millisecond apart; poll counts from the kernel's tick before.
		at_least $((got + 3000000)) $((least * 98 / 100)) || fail "$clock: $got ns in $place, at least $least"
		at_least $((most + 3000000)) "$got" || fail "$clock: $got ns in $place, at most $most"
	done || exit 1

	while read -r life name ns forever; do
		got=$(awk -F "$tab" -v name="$name" '$1 == "thread" && $6 == name { print $4 }' info)
		[ "$life" = life ] || continue
		own=0
		[ "$name" != sleepy ] || own=$(of own_ns)
		at_least $((got + own)) $((ns * 99 / 100)) || fail "$clock: $name has $got ns of its life of $ns"
		case $name in
		reader) asleep=$(sum ';read_for_ever;(.*;)?read$') ;;
		waiter) asleep=$(sum ';wait_for_ever;(.*;)?pthread_cond_wait$') ;;
		*) continue ;;
		esac
		at_least "$asleep" $((forever * 99 / 100)) || fail "$clock: $name has slept for $asleep ns of $forever"
	done <out
	whole "$clock"
	note "$clock: $all of $counted ns"

	# What main has waited for a processor before and after is found there, too.
	folded stalled,ready
	least=$(awk '$1 == "unseen" { print $2 }' out)
	at_least $(($(sum ';unseen(;|$)') + 3000000)) "$least" ||
		fail "$clock: $(sum ';unseen(;|$)') ns in unseen, at least $least"
	folded running
	"$CPCONV" --folded --unit gticks --resource cpu x.cps >folded.cpu || fail "$clock: cpconv --resource cpu"
	same folded.cpu folded "$clock: the running part of real"
}
for clock in timer strata; do
	with_more_work by_clock 1 $clock
done

# Of real alone, too. At points of a millisecond the standard error of 300 ms of CPU time is 17 ms; if the clock misses a
# thread that hardly gets a processor, and is eight times slower for that, 49 ms.
alone() {
	record CPSAMPLE_RESOURCES=real CPSAMPLE_OUTPUT=x.cps "$targets/sleepy" >out || fault "sleepy ended with $?"
	whole alone
	folded running
	at_least "$(sum .)" $(($(of process_cpu_ns) - $(of own_ns) - 1000000)) ||
		fail "$(sum .) ns of CPU time of $(of process_cpu_ns), with recording's $(of own_ns)"
	at_least "$(sum 'burn_for')" 100000000 || fail "$(sum burn_for) ns of 300 ms CPU time"
}
with_more_work alone 1
