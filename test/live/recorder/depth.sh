#!/bin/sh
# SPDX-License-Identifier: MIT
# A wrapped call takes at most 512 bytes (704 on aarch64) more of its thread's stack than without the recorder, of each kind that depth.c
# has: allocations, transfers, locks, waits and others, made by functions and by syscall(2). With all resources this also
# holds if the call takes a sample, if a signal of the recorder's has ended it before its time, and it is made again or
# finished, and if ticks come. Handlers of ticks are not counted in any case: they have a stack of their own.
#
# Seen to fail:
# - When the context of a sample and the frames of all that a wrapper may do were on the thread's stack, locks, transfers
#   and waits took 1,568 to 1,992 bytes more, with each of the clocks (up to commit 28286a9).
# - When transfers were finished 16 buffers at a time, and waits by syscall(2) had one frame for all that they may
#   need, large transfers took 1,248 to 1,456 bytes more in some runs, and transfer, socket, masked, syscall_wait and futex
#   528 to 816 in each.
#
# - When a clock was told of the end of a wait by syscall(2) while the state of the wait was on the stack, which strata is
#   where it has found the thread asleep, syscall_wait took 520 in 3 of 40 runs of `ticks`.
#
# Chance: the frames of a path have the same size each time, and chance is which are seen: futex has taken 480 to 512.
# No path that was seen in 40 runs of each clock takes more than 512.
# Without a sample of one of the resources the test fails, too: their means are 25 and more.
#
# May run beside others.
. "$(dirname "$0")/../lib.sh"

export LD_BIND_NOW=1 # looking up a function takes stack
others=$(sed s/^cpu:1ms,real,// "$root/test/everything")
"$targets/depth" >bare || fail "without the recorder: $(tail -n 1 bare)"

# taken NAME RESOURCES [hail]: no kind takes too much.
taken() {
	name=$1
	record CPSAMPLE_RESOURCES="$2,$others" CPSAMPLE_OUTPUT="$name.cps" "$targets/depth" ${3:+"$3"} >out 2>&1 ||
		fail "$name: status $?: $(tail -n 1 out)"
	limit=512
	[ "$(info "$name.cps" machine)" != aarch64 ] || limit=704
	awk -v name="$name" -v limit=$limit 'NR == FNR { bare[$1] = $2; next }
		!($1 in bare) { print name ": " $0; bad = 1; next }
		{ seen++; more = $2 - bare[$1] }
		more > most { most = more; kind = $1 }
		more > limit { print name ": " $1 " takes " more " bytes more"; bad = 1 }
		END {
			if (!bad)
				print "most with " name ": " most " (" kind ")"
			exit bad || seen < 20
		}' bare out >found || fail "$(cat found)"
	note "$(cat found)"
}

taken "no tick" cpu:1000s,real
for calls in alloc,allocate lock,lock write,transfer switches,nap; do
	"$CPCONV" --flat --resource "${calls%,*}" "no tick.cps" | grep -qw "${calls#*,}" || fail "no sample of ${calls%,*}"
done
taken ticks cpu:1ms,real
export CPSAMPLE_CLOCK=timer
taken timer cpu:1ms,real
taken hail signals hail
