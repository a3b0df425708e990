#!/bin/sh
# SPDX-License-Identifier: MIT
# What a program counts by itself is a resource of its own: its sum is what was counted, up to an interval (a thread
# begins somewhere inside of one, so that it may be more), and each
# call path has its share, within six standard errors, which seven shares break by chance in one of 70 million runs. Also without a clock, in threads, after fork, and
# when recording was stopped meanwhile. Without the resource the calls do nothing.
#
# (Seen to fail: with lengths that were multiples of 16, large had 0.67 of what was counted; with points that went on
# while recording was stopped, the sum was 1.5 times too large; a recording of counters alone could not be read.)
#
# May run beside others.
. "$(dirname "$0")/../lib.sh"

n=3000000
once=$((4 * n)) # n calls of small count 1, a third as many of large 9

# counted FILE TIMES THREADS: is the sum what was counted so many times, and large three quarters of it?
counted() {
	"$CPCONV" --flat --self leaf --tsv --threshold 0 --resource requests "$1" >flat || fail "$1: no view"
	awk -F "$tab" -v once="$once" -v times="$2" -v threads="$3" -v interval=1000 -v file="$1" '
		{ if ($2 > total) total = $2 }
		$5 == "large" { large = $2 }
		END {
			wanted = once * times
			while (wanted / interval > 3000 * threads) interval *= 2
			missing = wanted - total
			share = large / total
			bound = 6 * sqrt(0.75 * 0.25 * 1.1 * interval / wanted)
			printf "%s: %d of %d; large %.4f, bound %.4f\n", file, total, wanted, share, bound
			exit !(missing >= -1.5 * interval * threads && missing <= 32 * interval * threads && share > 0.75 - bound && share < 0.75 + bound)
		}' flat >note || fail "$(cat note)"
}

run() {
	stream=$1 resources=$2 how=$3
	record "CPSAMPLE_RESOURCES=$resources" "CPSAMPLE_OUTPUT=$stream" "$BUILD/targets/count" $n "$how" || fail "$stream: status $?"
}

run both.cps cpu,count ''
counted both.cps 1 1
at_least "$("$CPCONV" --info --tsv --resource cpu both.cps | awk -F "$tab" '$1 == "credited_ns" { print $2 }')" 1 ||
	fail "no CPU time beside"
run alone.cps count ''
counted alone.cps 1 1
run threads.cps count,cpu threads
counted threads.cps 4 4
run pause.cps cpu,count pause
counted pause.cps 2 1
run fork.%p.cps cpu,count fork
for stream in fork.*.cps; do
	times=1
	[ "$(info "$stream" pid)" != "$(info "$stream" tree_pid)" ] || times=2
	counted "$stream" $times 1
done
# Not asked for: it costs a look at an address, and nothing is counted.
record CPSAMPLE_OUTPUT=not.cps "$BUILD/targets/count" 30000000 || fail "not asked for: status $?"
! "$CPCONV" --flat --resource requests not.cps 2>err >&2 || fail "not asked for, but counted"
