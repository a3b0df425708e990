#!/bin/sh
# SPDX-License-Identifier: MIT
# A process that was never ticked leaves a recording that says how much it has used, at [not sampled]: one that blocks all
# signals past the C library, or whose debugger swallows them, by each clock and each way to end.
#
# Seen to fail: without cps_sample_begin_late() no such process left a file; without the wrapped abort() that one does not.
#
# May run beside others.
. "$(dirname "$0")/../lib.sh"

# The sum of what all recordings here say of KEY.
sum_of() {
	for stream in ./*.cps; do
		[ ! -e "$stream" ] || info "$stream" "$1" 2>/dev/null
	done | awk '{ n += $1 } END { printf "%.0f\n", n }'
}

unticked() {
	mkdir "$1.$2" && cd "$1.$2" || exit 1
	record CPSAMPLE_CLOCK="$1" "$targets/unticked" 100 "$2" >out 2>err
	status=$?
	[ $status -eq "$([ "$2" = abort ] && echo 134 || echo 0)" ] || fail "$1, $2: ended with $status"
	used=$(sort -n out | tail -n 1)
	rest=$(sum_of not_sampled)
	at_least "$rest" 90000000 || fail "$1, $2: of $used ns $rest are not sampled"
	at_least $((used + 10000000)) "$rest" || fail "$1, $2: of $used ns $rest are not sampled"
	cd ..
}

for clock in strata timer itimer perf; do
	for way in exit _exit quick_exit syscall abort exec failing thread traced; do
		unticked $clock $way
	done
done
