#!/bin/sh
# SPDX-License-Identifier: MIT
# Four threads that use CPU time 1:2:3:4: each is credited with what it measured of itself, under its
# name, with the per-thread clock; the process as a whole with both clocks.
. "$(dirname "$0")/lib.sh"

for clock in timer itimer; do
	mkdir $clock
	(cd $clock && record CPSAMPLE_CLOCK=$clock "$targets/threads" 400 >../truth.$clock) ||
		fail "$clock: threads ended with $?"
	stream=$(one_stream $clock) || fail "$clock: $stream"
	accounts_for_all "$stream"
	[ "$(info "$stream" threads)" = 5 ] || fail "$clock: $(info "$stream" threads) threads"
done

# The table of threads in the text: id, tid, seconds, "s", samples, name.
stream=$(one_stream timer)
"$CPCONV" --info "$stream" >info
while read -r name used; do
	[ "$name" = process ] && continue
	credited=$(awk -v name="$name" '$6 == name { printf "%.0f\n", $3 * 1e9 }' info)
	[ -n "$credited" ] || fail "no thread named $name"
	within 2 "$credited" "$used" || fail "$name: credited $credited ns, used $used ns"
done <truth.timer
