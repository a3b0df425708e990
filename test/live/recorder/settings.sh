#!/bin/sh
# SPDX-License-Identifier: MIT
# If a setting cannot be understood, there is one line that names it and no recording, and the
# program runs as without the recorder.
# Wants a core of its own.
. "$(dirname "$0")/../lib.sh"

refused() {
	echo "$1"
	record "$1" "$targets/spin" 30 7 >out 2>err
	status=$?
	[ $status -eq 7 ] || fail "$1: exit status $status"
	[ "$(cat out)" = spun ] || fail "$1: standard output is $(cat out)"
	[ "$(wc -l <err)" -eq 1 ] || fail "$1: not one line on standard error: $(cat err)"
	grep -q "${1%%=*}" err || fail "$1: is not named: $(cat err)"
	no_stream
}

for value in nonsense cpu:0 cpu:abc cpu: cpu:-1ms cpu:1parsec cpu:1ms:2 cpu,nonsense \
	cpu:99999999999999999999s signals:1ms; do
	refused "CPSAMPLE_RESOURCES=$value"
done
for value in foo timer2 'timer '; do
	refused "CPSAMPLE_CLOCK=$value"
done
refused CPSAMPLE_VERBOSE=perhaps
refused CPSAMPLE_JITTER=some
refused CPSAMPLE_SEED=seven
refused CPSAMPLE_PYTHON=3

# Settings that are right are obeyed.
for setting in CPSAMPLE_RESOURCES=cpu CPSAMPLE_RESOURCES=cpu:1ms CPSAMPLE_RESOURCES=cpu:500us \
	CPSAMPLE_RESOURCES=cpu:10ms CPSAMPLE_CLOCK=timer CPSAMPLE_CLOCK=itimer CPSAMPLE_JITTER=off \
	CPSAMPLE_SEED=7 CPSAMPLE_VERBOSE=0 CPSAMPLE_RESOURCES= CPSAMPLE_CLOCK=; do
	record $setting "$targets/spin" 300 7 >out 2>err
	status=$?
	[ $status -eq 7 ] || fail "$setting: exit status $status"
	[ ! -s err ] || fail "$setting: $(cat err)"
	stream=$(one_stream) || fail "$setting: $stream"
	rm -f "$stream"
done

# If no timer can be created, the process's own timer is used, and the recording says so.
if command -v prlimit >/dev/null; then
	record CPSAMPLE_EXE=/spin$ prlimit --sigpending=0 "$targets/spin" 300 >out 2>err || fail "no timers: $(cat err)"
	[ ! -s err ] || fail "no timers: $(cat err)"
	stream=$(one_stream) || fail "no timers: $stream"
	[ "$(info "$stream" engine)" = itimer ] || fail "no timers: engine $(info "$stream" engine)"
	"$CPCONV" --info "$stream" | grep -q timer_create || fail "no timers: it does not say why"
	rm -f "$stream"
	# No clock is left for a program that was started with SIGPROF ignored. (Seen to fail: itimer took
	# the signal when it was asked for the second time.)
	(trap '' PROF && record CPSAMPLE_EXE=/spin$ prlimit --sigpending=0 "$targets/spin" 300 7 >out 2>err)
	[ $? -eq 7 ] || fail "no clock: $(cat err)"
	grep -q '^libcpsample: .*timer_create.*; SIGPROF was ignored.*; not recording$' err || fail "no clock: $(cat err)"
	no_stream
fi
