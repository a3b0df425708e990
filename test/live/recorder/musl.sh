#!/bin/sh
# SPDX-License-Identifier: MIT
# May run beside others.
#
# A program of another C library, musl, into which the recorder is preloaded, too, runs as it does alone. One line says that
# nothing is recorded.
#
# Seen to fail: when the functions behind the wrapped ones were looked for only in the list of files, which musl does not have:
# the program died of SIGUSR1, since no handler was installed.
. "$(dirname "$0")/../lib.sh"

need musl-gcc
musl-gcc -O1 -o other_libc "$root/test/targets/other_libc.c" || fail "no program"
./other_libc >bare 2>&1 || fail "it fails alone: $(cat bare)"
record ./other_libc >out 2>err
status=$?
[ $status -eq 0 ] || fail "ended with $status: $(head -n 1 err)"
same bare out "what it says"
[ "$(wc -l <err)" -eq 1 ] || fail "on standard error: $(cat err)"
grep -q '^libcpsample: needs glibc' err || fail "on standard error: $(cat err)"
