#!/bin/sh
# SPDX-License-Identifier: MIT
# A program that uses next to no CPU time leaves no file.
# Wants a core of its own.
. "$(dirname "$0")/../lib.sh"

for program in true "sh -c :" "echo hello"; do
	# shellcheck disable=SC2086 # a program and its arguments
	record $program >out 2>err || fail "$program ended with $?"
	[ ! -s err ] || fail "$program: $(cat err)"
done
[ "$(cat out)" = hello ] || fail "echo: $(cat out)"
no_stream
