#!/bin/sh
# SPDX-License-Identifier: MIT
# A launcher that is killed leaves no harm, at whichever of its steps: the process runs on, blocks no signals, has right numbers,
# and is recorded no longer than the lease lasts. The next launcher can attach.
#
# Seen to fail: when a second launcher wrote its signal frame over that of one that was killed before, a thread never came back
# from its wait; single steps in place of stops at system calls end the process by SIGTRAP; what a killed launcher had written
# behind the code was put back by the next one, which took it for what had been there, also when of that only the frame was left.
#
# May run beside others.
. "$(dirname "$0")/../lib.sh"
. "$root/test/live/attach.sh"
can_attach

# kill_at N: until there is no recording of an earlier launcher
kill_at() {
	while :; do
		CPSAMPLE_OUTPUT=$PWD/x.cps "$targets/launcher_killer" "$1" "$attacher" --library "$LIBRARY" \
			--directory "$PWD" --duration 0.02 "$pid" 2>err
		status=$?
		grep -q 'is recorded already' err || return $status
		sleep 0.2
	done
}

until_called=190 # steps, in which threads are stopped and called; later ones read, and wait

for mode in storm threads; do
	start out "$targets/attached" $mode
	state all
	grep ' r-xp ' all >before
	killed=0 round=0
	while [ $((round += 1)) -le "$rounds" ]; do
		n=0
		while [ $n -lt $until_called ]; do
			! kill_at $n || killed=$((killed + 1))
			kill -0 "$pid" 2>/dev/null || fail "$mode: the process is gone after step $n"
			n=$((n + step))
		done
	done
	while kill_at "$n"; do # each of these begins when the recording of the one before has ended
		killed=$((killed + 1))
		kill -0 "$pid" 2>/dev/null || fail "$mode: the process is gone after step $n"
		n=$((n + 10 * step))
	done
	[ $killed -gt 2 ] || fail "$mode: only $killed launchers were killed"
	note "$mode: $killed launchers killed, the last one at its step $n"
	i=0
	until attach "$pid" 0.1 x.cps || [ $((i += 1)) -gt 100 ]; do sleep 0.2; done
	[ $i -le 100 ] || fail "$mode: cannot be attached to afterwards: $(cat attach.err)"
	state all
	grep ' r-xp ' all >after
	cmp -s before after || fail "$mode: code is not what it was: $(diff before after)"
	await grep -q '^SigBlk:.0000000000000000' "/proc/$pid/status" || fail "$mode: signals stay blocked"
	stop $mode
	[ $status -eq 0 ] || fail "$mode: it has ended with $status"
	grep -q ' wrong 0$' out || fail "$mode: $(cat out)"
done
