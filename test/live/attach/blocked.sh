#!/bin/sh
# SPDX-License-Identifier: MIT
# A call in which the program waits is gone on with, whatever the kernel makes of a thread that is stopped in it: none fails.
#
# Seen to fail: without making calls again that end with EINTR, epoll_wait and recv fail at each begin and end.
#
# May run beside others.
. "$(dirname "$0")/../lib.sh"
. "$root/test/live/attach.sh"
can_attach

for how in epoll_wait poll select nanosleep recv sem_timedwait; do
	start out "$targets/attached" block $how
	i=0
	while [ $i -lt "$cycles" ]; do
		i=$((i + 1))
		attach "$pid" 0.03 x.cps || fail "$how: $(cat attach.err)"
	done
	stop $how
	grep -qx 'interrupted 0 wrong 0' out || fail "$how: $(cat out)"
done
