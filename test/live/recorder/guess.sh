#!/bin/sh
# SPDX-License-Identifier: MIT
# A frame pointer that points to memory which cannot be read, or which another thread unmaps at that
# moment, ends the stack and not the program. Under a filter of system calls that does not allow
# process_vm_readv(2) the program is not killed for that call.
#
# Seen to fail: as long as such words were read directly, `hole` ended with SIGSEGV at the first tick,
# and `race` in one run of four. Without cps_copy_confine() the filter kills.
#
# Chance: with 36 ticks a second (burn.h), the fewest ever seen, none meets turn() in one of 10^7 attempts.
#
# Wants a core of its own.
. "$(dirname "$0")/../lib.sh"

# run MS CLOCK WAY [COMMAND...]: the target ends as without the recorder, and its time is credited
run() {
	ms=$1 clock=$2 way=$3
	shift 3
	"$@" env LD_PRELOAD="$LIBRARY" CPSAMPLE_CLOCK="$clock" CPSAMPLE_RESOURCES="cpu:100us$beside" \
		"$targets/guess" "$way" "$ms" >out 2>err
	status=$?
	[ $status -eq 0 ] || fault "$clock, $way $*: ended with $status: $(cat err)"
	[ "$(cat out)" = "done" ] || fail "$clock, $way $*: $(cat out)"
	stream=$(one_stream) || fail "$clock, $way $*: $stream"
	"$CPCONV" --folded --unit gticks "$stream" >folded || fail "$clock, $way $*: no view"
	grep -q turn folded || fail "$clock, $way $*: no turn() in $(cut -c 1-200 folded)"
	within 2 "$(accounted "$stream")" "$(info "$stream" process_cpu_ns)" ||
		fail "$clock, $way $*: accounts for $(accounted "$stream") ns"
}

for clock in timer perf; do
	with_more_work run 500 $clock hole
	with_more_work run 500 $clock race
done
"$targets/refuse" kill true
if [ $? -eq 77 ]; then
	note "no filter can be installed here"
else
	with_more_work run 500 timer hole "$targets/refuse" kill
fi
