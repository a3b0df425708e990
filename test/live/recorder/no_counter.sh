#!/bin/sh
# SPDX-License-Identifier: MIT
# A program may forbid itself to read the cycle counter. It gets no SIGSEGV because the recorder
# reads it, nor because it waits with a time limit.
#
# Seen to fail:
# - Without cps_moment_ask_kernel() in prctl().
# - Without prctl in wrap_syscall.c.
# - If a wrapped wait asks the C library for the time: poll(2) ends by SIGSEGV.
#
# May run beside others.
. "$(dirname "$0")/../lib.sh"

for how in '' bare; do
	mkdir "as$how"
	(cd "as$how" && record CPSAMPLE_RESOURCES="$signals" "$targets/no_counter" 1000 $how >out)
	status=$?
	[ $status -ne 77 ] || skip "the cycle counter cannot be forbidden here"
	[ $status -eq 0 ] || fail "no_counter $how ended with $status"
	stream=$(one_stream "as$how")
	[ "$(info "$stream" samples)" = 2000 ] || fail "$how: $(info "$stream" samples) samples"
done
