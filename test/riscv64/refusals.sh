#!/bin/sh
# SPDX-License-Identifier: MIT
# On a machine of which only registers are known, what takes more is refused in one line. Counted calls and attaching are that in
# test/aarch64/calls.sh.
#
# Seen to fail: without probe_calls() in resource_table.c the recorder goes on with calls that it does not count.
#
# May run beside others.
. "$(dirname "$0")/../live/lib.sh"

record CPSAMPLE_RESOURCES=cpu,calls:malloc CPSAMPLE_OUTPUT=refused.cps "$targets/spin" 300 0 >/dev/null || fail "spin ended with $?"
"$CPCONV" --info refused.cps >shown || fail "--info ended with $?"
[ "$(grep -c '^ *calls are not counted on riscv64$' shown)" -eq 1 ] || fail "calls of a function are not refused: $(cat shown)"
record CPSAMPLE_OUTPUT=theirs.cps "$targets/spin" 300 0 >/dev/null
"$CPCONV" --asm main theirs.cps >shown 2>said && fail "instructions are shown: $(cat shown)"
grep -q 'only instructions of x86-64 and aarch64 are known' said || fail "instructions are not refused: $(cat said)"
exit 0
