#!/bin/sh
# SPDX-License-Identifier: MIT
# A process that ends while it is attached to does so as without: by exec, _exit, abort, exit after many forks, after
# pthread_cancel, and when it is killed. Its recording is whole, or can be read from the journal, and says how it ended.
#
# Seen to fail: without the wrappers in the linkage tables, exec and _exit look as if a signal had killed the process.
#
# May run beside others.
. "$(dirname "$0")/../lib.sh"
. "$root/test/live/attach.sh"
can_attach

# Signal 32, the highest bit of eight digits, has a handler.
is_recorded() { awk '/^SigCgt/ { exit substr($2, length($2) - 7, 1) !~ /[89a-f]/ }' "/proc/$pid/status"; }

# ends HOW STATUS ENDED [THREAD]: THREAD: it has several
ends() {
	how=$1 wanted=$2 ended=$3
	shift 3
	rm -f x.cps*
	start out "$targets/attached" ends "$how" "$@"
	CPSAMPLE_OUTPUT=$PWD/x.cps "$attacher" --library "$LIBRARY" --directory "$PWD" "$pid" 2>attach.err &
	recorder=$!
	pids="$pids $recorder"
	await grep -q libcpsample "/proc/$pid/maps" || fail "$how: $(cat attach.err)"
	await is_recorded || fail "$how: it is not recorded"
	sleep 0.3 # nothing depends on it: what comes too early is not recorded, and then there is no file
	if [ "$how" = kill ]; then kill -KILL "$pid"; else kill -USR1 "$pid"; fi
	wait "$pid"
	status=$?
	[ $status -eq "$wanted" ] || fail "$how $*: ended with $status, not $wanted"
	wait $recorder || fail "$how $*: the launcher ended with $?: $(cat attach.err)"
	[ -z "$ended" ] && return
	[ "$(info x.cps ended)" = "$ended" ] || fail "$how $*: the recording says $(info x.cps ended), not $ended"
}

for threads in '' threads; do
	# shellcheck disable=SC2086 # one word or none
	{
		ends exec 5 exec $threads
		ends _exit 6 clean $threads
		ends exit 7 clean $threads
		ends abort 134 '' $threads
		ends fork 9 clean $threads
		ends cancel 8 clean $threads
		ends kill 137 '' $threads
	}
done
