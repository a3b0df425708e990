#!/bin/sh
# SPDX-License-Identifier: MIT
# May run beside others.
#
# A program can be recorded that qemu-x86_64 runs, which calls signal handlers with a stack that is 8
# bytes off. Under valgrind nothing is recorded, and valgrind reports nothing about the recorder.
#
# Seen to fail:
# - If a handler does not align its stack (CPS_REGS_HANDLER), the program under qemu dies of SIGSEGV.
# - Without is_possible() valgrind prints "sigprocmask: unknown 'how' field" 40 times, and errors.
. "$(dirname "$0")/../lib.sh"

missing=
if command -v qemu-x86_64 >/dev/null; then
	qemu-x86_64 -E "LD_PRELOAD=$LIBRARY" "$targets/spin" 1000 4 >out 2>&1
	status=$?
	[ $status -eq 4 ] || fail "qemu-x86_64: ended with $status: $(cat out)"
	stream=$(one_stream) || fail "qemu-x86_64: $stream"
	[ "$(info "$stream" ended)" = clean ] || fail "qemu-x86_64: ended $(info "$stream" ended)"
	at_least "$(info "$stream" samples)" 5 || fail "qemu-x86_64: $(info "$stream" samples) samples"
	rm -f "$stream"
else
	missing=qemu-x86_64
fi

if command -v valgrind >/dev/null; then
	valgrind --error-exitcode=9 -q "$targets/spin" 100 4 >bare 2>&1
	record valgrind --error-exitcode=9 -q "$targets/spin" 100 4 >out 2>&1
	status=$?
	[ $status -eq 4 ] || fail "valgrind: ended with $status: $(cat out)"
	same bare out "what valgrind prints"
	no_stream
	record CPSAMPLE_VERBOSE=1 valgrind -q "$targets/spin" 100 4 2>&1 | grep -q '^libcpsample: spin\[[0-9]*\]: valgrind' ||
		fail "valgrind: it is not said that nothing is recorded"
else
	missing="$missing valgrind"
fi
[ -z "$missing" ] || note "not here: $missing"
