#!/bin/sh
# SPDX-License-Identifier: MIT
# A call in which the program waits is gone on with, whatever the kernel makes of a thread that is stopped in it: none fails.
#
# A thread that cannot be stopped because it waits in vfork goes on when its child has ended, and not when recording has.
#
# Seen to fail: without making calls again that end with EINTR, epoll_wait and recv fail at each begin and end; when nobody let a
# thread go on that had stopped too late, one stood still after vfork until the launcher ended.
#
# May run beside others.
. "$(dirname "$0")/../lib.sh"
. "$root/test/live/attach.sh"
can_attach

for resources in cpu $all_attached; do
	for how in epoll_wait poll select nanosleep recv sem_timedwait; do
		start out "$targets/attached" block $how
		i=0
		while [ $i -lt "$cycles" ]; do
			i=$((i + 1))
			CPSAMPLE_RESOURCES=$resources attach "$pid" 0.03 x.cps || fail "$how, $resources: $(cat attach.err)"
		done
		stop $how
		grep -qx 'interrupted 0 wrong 0' out || fail "$how, $resources: $(cat out)"
	done
done

start out "$targets/attached" vfork
await grep -q '^State:.*D' "/proc/$pid/status"
CPSAMPLE_OUTPUT=$PWD/x.cps "$attacher" --library "$LIBRARY" --directory "$PWD" "$pid" 2>attach.err &
recorder=$!
pids="$pids $recorder"
await grep -q libcpsample "/proc/$pid/maps" || fail "vfork: $(cat attach.err)"
kill -USR1 "$pid"
await grep -q returned out || fail "vfork: the thread does not go on"
await test -e x.cps || fail "vfork: there is no recording: $(cat attach.err)"
kill -0 $recorder || fail "vfork: it is not recorded any more: $(cat attach.err)"
kill -INT $recorder
wait $recorder || fail "vfork: the launcher ended with $?: $(cat attach.err)"
stop vfork
[ $status -eq 0 ] || fail "vfork: ended with $status"
