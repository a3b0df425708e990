#!/bin/sh
# SPDX-License-Identifier: MIT
# A file that the constructor of another preloaded library has opened before ours, and that is closed later, is not
# taken for one that stays: what runs at its place afterwards does not end the program, and is not named after it.
#
# Seen to fail: as long as all files that were there at the start were taken for lasting, all of the time stood at
# [PLUGIN.so].
# May run beside others.
. "$(dirname "$0")/../lib.sh"
need gcc
for part in PLUGIN OPENER; do
	gcc -D_GNU_SOURCE -O1 -shared -fPIC -D$part -o $part.so "$root/test/targets/early.c" || fail "cannot build $part"
done

env OPENED="$tmp/PLUGIN.so" LD_PRELOAD="$tmp/OPENER.so" "$targets/early" >bare.out || fail "bare: ended with $?"
for clock in timer strata perf; do
	rm -rf out.d && mkdir out.d
	env OPENED="$tmp/PLUGIN.so" LD_PRELOAD="$LIBRARY $tmp/OPENER.so" CPSAMPLE_CLOCK=$clock CPSAMPLE_OUTPUT="$tmp/out.d/x.cps" \
		"$targets/early" >out || fail "$clock: ended with $?"
	same bare.out out "$clock: what the program prints"
	stream=$(one_stream out.d) || fail "$clock: $stream"
	at_least "$(info "$stream" samples)" 20 || fail "$clock: $(info "$stream" samples) samples"
	accounts_for_all "$stream"
	if "$CPCONV" --flat --tsv "$stream" | awk -F "$tab" '$5 ~ /^plugin$|PLUGIN/ && $2 > 0 { found = 1 } END { exit !found }'; then
		fail "$clock: the code is named after the file that was there before"
	fi
done
