#!/bin/sh
# SPDX-License-Identifier: MIT
# What others do to the journal does not harm the program that is recorded.
# May run beside others.
. "$(dirname "$0")/../lib.sh"

# Nobody else may read or write it, whatever the umask.
(
	umask 0
	exec env "LD_PRELOAD=$LIBRARY" CPSAMPLE_OUTPUT=mode.cps "$targets/spin" 20000
) &
program=$!
await test -s mode.cps.journal || fail "no journal"
mode=$(stat -c %a mode.cps.journal)
kill -9 "$program"
wait "$program" 2>/dev/null
[ "$mode" = 600 ] || fail "the journal has mode $mode"

# Cut to nothing while the program runs: all that was sampled is in the stream at the end.
record CPSAMPLE_OUTPUT=cut.cps "$targets/spin" 2000 >out.txt &
program=$!
await test -s cut.cps.journal || fail "no journal"
sleep 0.5
: >cut.cps.journal || fail "cannot cut the journal"
wait "$program"
status=$?
[ "$status" -eq 0 ] || fail "the program whose journal was cut ended with $status"
[ -e cut.cps.journal ] && fail "the journal is still there"
"$CPCONV" --info cut.cps >info.txt 2>&1 || fail "the recording cannot be read: $(cat info.txt)"
grep -q 'ended clean' info.txt || fail "the recording does not end: $(cat info.txt)"
accounted=$(accounted cut.cps)
used=$(info cut.cps process_cpu_ns)
[ "$accounted" -ge $((used * 99 / 100)) ] || fail "accounts for $accounted of $used ns"
