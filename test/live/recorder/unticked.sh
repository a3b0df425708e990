#!/bin/sh
# SPDX-License-Identifier: MIT
# A process that was never ticked leaves a recording that says how much it has used, at [not sampled]: one that blocks all
# signals past the C library, or whose debugger swallows them, by each clock and each way to end; and so does one that blocks
# them later, for what it has used since. One that has used no time to speak of leaves none, whatever is recorded beside the time.
#
# Seen to fail: without cps_sample_begin_late() no such process left a file; without the wrapped abort() that one does not,
# and one that blocks its signals later had nothing at [not sampled] if only a process without a recording is credited there;
# without cps_recording_discard() each child that is forked left one for its page faults; after an exec that has failed
# the process has no recording if begin_anew() is left out; and with 64 intervals of bytes as the limit children that allocate
# 8 MB left none.
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
	[ $status -eq "$(case $2 in abort | later) echo 134 ;; *) echo 0 ;; esac)" ] || fail "$1, $2: ended with $status"
	used=$(awk -v add="$([ "$2" = traced ] && echo 1)" '{ n = add ? n + $1 : $1 > n ? $1 : n } END { printf "%.0f", n }' out)
	rest=$(sum_of not_sampled)
	at_least "$rest" 90000000 || fail "$1, $2: of $used ns $rest are not sampled"
	at_least $((used + 10000000)) "$rest" || fail "$1, $2: of $used ns $rest are not sampled"
	cd ..
}

for clock in strata timer itimer perf; do
	for way in exit _exit quick_exit syscall abort later exec failing thread traced; do
		unticked $clock $way
	done
done

# files N WAY RESOURCES: how many recordings N children leave that end in that way. With it there may be one of their parent.
files() {
	rm -rf children && mkdir children && cd children || exit 1
	record CPSAMPLE_RESOURCES="$3" "$targets/trivial" "$1" "$2" >../out 2>../err || fail "$2, $3: ended with $?"
	[ ! -s ../err ] || fail "$2, $3: $(cat ../err)"
	set -- ./*.cps*
	cd ..
	if [ -e "children/$1" ]; then echo $#; else echo 0; fi # the pattern itself, if nothing matches
}

# unmotivated: how many of these are of a process that has used less than 10 ms of CPU time and lived for less than a second. A
# machine that stalls it for as long makes it one to speak of.
unmotivated() {
	for stream in children/*.cps*; do
		[ -e "$stream" ] || continue
		echo "$(info "$stream" duration_us) $(info "$stream" process_cpu_ns)"
	done | awk 'NF == 2 && $1 < 1000000 && $2 < 10000000 { n++ } END { print n + 0 }'
}

# No tick comes before the interval, and a trivial child uses no 50 ms. The parent may have waited for long enough.
time=cpu:100ms
all=$(sed s/^cpu:1ms,// "$root/test/everything"),count
for resources in $time faults $time,faults $all $time,$all; do
	for way in _exit exec failing; do
		files 40 $way "$resources" >n
		n=$(unmotivated)
		[ "$n" -le 1 ] || fail "$resources: $n files of 40 children that end by $way"
	done
done

# What matters is not lost: time of waiting, bytes that take no time, and what comes after an exec that has failed.
for wanted in "waits real" "waits $time,$all" "allocates alloc" "allocates $time,faults,alloc" "late cpu" "late $time,$all"; do
	# shellcheck disable=SC2086 # a way and resources
	set -- $wanted
	n=$(files 10 "$1" "$2")
	[ "$n" -ge 10 ] || fail "$2: $n files of 10 children in the way $1"
done
