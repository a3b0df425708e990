#!/bin/sh
# SPDX-License-Identifier: MIT
# A program that exports deflate, crc32 and an allocator of its own uses its own and the recorder
# does not: the recorder has its own zlib, and its handler allocates nothing from the target.
#
# Seen to fail:
# - With deflate, deflateInit_ and crc32 in the version script and without --exclude-libs, the
#   target's deflateInit_ is called and ends the program.
# - With a malloc in the handler the target counts one more allocation for each tick.
#
# Chance: where ticks are as rare as were ever seen, 36 a second (burn.h), 800 ms have 29 samples. One of 1,000 is in
# the few instructions in which a stack is not whole: two are in one of 2,500 attempts, and in three of three in one of
# 10^10 runs.
#
# Wants a core of its own.
. "$(dirname "$0")/../lib.sh"

$CC -std=gnu11 -D_GNU_SOURCE -O2 -g -fno-inline -pthread -rdynamic -o exports "$root/test/targets/exports.c" ||
	fail "cannot build"
# recorded TIMES CLOCK
recorded() {
	../exports 800 >bare
	status=$?
	[ $status -eq 5 ] || fault "without the recorder: status $status"
	record CPSAMPLE_CLOCK="$2" CPSAMPLE_OUTPUT=x.cps ../exports 800 >out 2>err
	status=$?
	[ $status -eq 5 ] || fault "status $status: $(cat err)"
	[ ! -s err ] || fault "$(cat err)"
	# The loader may allocate a little at the start. After that nothing is allocated, by no
	# thread.
	before=$(sed -n 's/^before //p' out)
	at_least 10 "$before" || fail "$before allocations before main"
	sed 1d bare >bare.after
	sed 1d out >out.after
	same bare.after out.after "count of calls"
	accounts_for_all x.cps
	mostly_whole x.cps 99 || fail "$(info x.cps complete_percent) % of the stacks are complete"
	"$CPCONV" --folded --unit gticks x.cps >folded || fail "no view"
	share=$(awk '{ all += $NF } /;busy[; ]/ { busy += $NF } END { printf "%d", 100 * busy / all }' folded)
	at_least "$share" 90 || fail "busy() has $share % of the time"
	note "the recorder's allocations: $before at the start, none after it"
}

for clock in timer itimer strata; do
	with_more_work recorded 1 $clock
done
