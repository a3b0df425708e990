#!/bin/sh
# SPDX-License-Identifier: MIT
# Two threads that hardly leave the allocator are met where they hold no lock, or the process is refused; both times it runs on.
# If a thread is taken wherever it is, the call does not come back, and all is undone: that is what the search is for.
#
# Seen to fail: without the search, as here on purpose, the process would hang if the call were not given up.
#
# Chance: one of these threads is in the allocator with a lock that matters for half of its time. That it is not in twenty
# tries has a chance of one in a million.
# Afterwards the C library keeps the memory of threads that have ended, so that they are made without the allocator.
#
# May run beside others.
. "$(dirname "$0")/../lib.sh"
. "$root/test/live/attach.sh"
can_attach

start out "$targets/attached" alloc 2
i=0 undone=0
while [ $undone -eq 0 ] && [ $i -lt 20 ]; do
	i=$((i + 1))
	attach "$pid" 0.05 x.cps --anywhere || undone=1
done
[ $undone -eq 1 ] || fail "no call was given up: the test proves nothing"
grep -q 'does not come back: another thread has a lock' attach.err || fail "$(cat attach.err)"
[ "$(awk '/^TracerPid/ { print $2 }' "/proc/$pid/status")" = 0 ] || fail "it is traced still"
i=0 met=0
while [ $i -lt "$cycles" ]; do
	i=$((i + 1))
	if attach "$pid" 0.05 x.cps; then
		met=$((met + 1))
	else
		grep -q 'no thread came to a place where it can be interrupted' attach.err || fail "$(cat attach.err)"
	fi
done
note "$met of $i met at a safe place"
stop alloc
[ $status -eq 0 ] || fail "it has ended with $status"
