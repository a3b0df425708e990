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
# Wants a core of its own.
. "$(dirname "$0")/../lib.sh"

$CC -std=gnu11 -D_GNU_SOURCE -O2 -g -fno-inline -pthread -rdynamic -o exports "$root/test/targets/exports.c" ||
	fail "cannot build"
./exports 800 >bare
status=$?
[ $status -eq 5 ] || fail "without the recorder: status $status"
for clock in timer itimer strata; do
	mkdir $clock
	(cd $clock && record CPSAMPLE_CLOCK=$clock ../exports 800 >../out 2>../err)
	status=$?
	[ $status -eq 5 ] || fail "$clock: status $status: $(cat err)"
	[ ! -s err ] || fail "$clock: $(cat err)"
	# The loader may allocate a little at the start. After that nothing is allocated, by no
	# thread.
	before=$(sed -n 's/^before //p' out)
	at_least 10 "$before" || fail "$clock: $before allocations before main"
	sed 1d bare >bare.after
	sed 1d out >out.after
	same bare.after out.after "$clock: count of calls"
	stream=$(one_stream $clock) || fail "$clock: $stream"
	accounts_for_all "$stream"
	at_least "$(info "$stream" complete_percent)" 99 ||
		fail "$clock: $(info "$stream" complete_percent) % of the stacks are complete"
	"$CPCONV" --folded --unit gticks "$stream" >folded || fail "$clock: no view"
	share=$(awk '{ all += $NF } /;busy[; ]/ { busy += $NF } END { printf "%d", 100 * busy / all }' folded)
	at_least "$share" 95 || fail "$clock: busy() has $share % of the time"
done
note "the recorder's allocations: $before at the start, none after it"
