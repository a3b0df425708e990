#!/bin/sh
# SPDX-License-Identifier: MIT
# A file that the constructor of another preloaded library has opened before ours, and that is closed later, is not
# taken for one that stays: what runs at its place afterwards does not end the program, and is not named after it.
# A call before all constructors does not begin a recording without the settings. With an older C library, which lacks a
# function that is wrapped, an allocator may take a lock: what looks for the function allocates, and the lock is wrapped, too.
#
# Seen to fail:
# - As long as all files that were there at the start were taken for lasting, all of the time stood at [PLUGIN.so].
# - If the recorder begins before the C library knows its environment, the recording has the name that it has by default.
# - If the loader is asked for a function that is not there, it allocates, the lock of that is looked for, and so on: SIGSEGV.
#
# Chance: ten samples of 0.8 s are missed in one of 10^5 attempts with 36 ticks a second (burn.h), the fewest ever seen,
# and in three of three in one of 10^15.
#
# May run beside others.
. "$(dirname "$0")/../lib.sh"
need gcc
for part in PLUGIN OPENER ALLOCATOR; do
	gcc -D_GNU_SOURCE -O1 -shared -fPIC -D$part -o $part.so "$root/test/targets/early.c" || fail "cannot build $part"
done

env OPENED="$tmp/PLUGIN.so" LD_PRELOAD="$tmp/OPENER.so" "$targets/early" >bare.out || fault "bare: ended with $?"
# recorded TIMES CLOCK
recorded() {
	env OPENED="$tmp/PLUGIN.so" LD_PRELOAD="$LIBRARY $tmp/OPENER.so" CPSAMPLE_CLOCK="$2" CPSAMPLE_OUTPUT=x.cps \
		"$targets/early" >out || fault "ended with $?"
	same ../bare.out out "what the program prints"
	at_least "$(info x.cps samples)" 10 || fail "$(info x.cps samples) samples"
	accounts_for_all x.cps
	if "$CPCONV" --flat --tsv x.cps | awk -F "$tab" '$5 ~ /^plugin$|PLUGIN/ && $2 > 0 { found = 1 } END { exit !found }'; then
		fault "the code is named after the file that was there before"
	fi
}

for clock in timer strata perf; do
	with_more_work recorded 1 $clock
done

# The C library of this machine has all functions; so one gets another name in the table: it stands behind the exported one.
at=$(grep -abo 'execveat' "$LIBRARY" | sed -n '2s/:.*//p')
cp "$LIBRARY" older.so && printf 'execvxxt' | dd of=older.so bs=1 seek="$at" conv=notrunc 2>dd.err || fail "$(cat dd.err)"
cmp -s "$LIBRARY" older.so && fail "no name was replaced"
for preload in "$tmp/older.so $tmp/ALLOCATOR.so" "$tmp/ALLOCATOR.so $tmp/older.so"; do
	env LD_PRELOAD="$preload" CPSAMPLE_OUTPUT=older.cps ls / >out.older || fault "$preload: ended with $?"
done
