# SPDX-License-Identifier: MIT
# attach.sh - functions for tests that attach to processes. To be sourced after lib.sh.
#
# ATTACH_CYCLES, ATTACH_STEP, ATTACH_ROUNDS  how much is done: `make attach` does more (100 cycles, each instant, three times)
# shellcheck shell=sh disable=SC2034,SC2154 # variables are for the tests, and from lib.sh
cycles=${ATTACH_CYCLES:-5}
step=${ATTACH_STEP:-37}
rounds=${ATTACH_ROUNDS:-1}
cpsample=$root/scripts/cpsample
attacher=$BUILD/cpsample-attach
pids=
unset CPSAMPLE_RESOURCES # a test says itself what is recorded
all_attached=real,alloc,allocs,alloc-live,lock,read,write,switches,faults

# Nothing that a test has started stays.
clean_up() {
	# shellcheck disable=SC2086 # process ids
	[ -z "$pids" ] || kill -KILL $pids 2>/dev/null
}

# start FILE PROGRAM ARGUMENT...: start it, with its output in the file, and wait until it says that it is ready. Sets $pid.
start() {
	output=$1
	shift
	: >"$output"
	"$@" >"$output" &
	pid=$!
	pids="$pids $pid"
	await grep -q ready "$output" || fail "$*: does not get ready"
}

# stop FILE: have it end, and wait for it. Sets $status.
stop() {
	kill -TERM "$pid" || fail "$1: process $pid is gone"
	wait "$pid"
	status=$?
}

# attach PID SECONDS FILE [OPTION...]: record it once
attach() {
	attached=$1 seconds=$2 into=$3
	shift 3
	rm -f "$into"
	CPSAMPLE_OUTPUT=$PWD/$into "$attacher" --library "$LIBRARY" --directory "$PWD" --duration "$seconds" "$@" "$attached" 2>attach.err
}

# state FILE: what the process has
state() {
	python3 "$root/test/live/attached_state.py" "$pid" >"$1" || fail "the state of $pid cannot be read"
}

can_attach() {
	need python3
	sleep 1000 &
	pids="$pids $!"
	dd if=/proc/$!/mem of=/dev/null count=0 2>/dev/null || skip "no process may be traced here"
}
