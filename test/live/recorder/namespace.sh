#!/bin/sh
# SPDX-License-Identifier: MIT
# A child that is process 1 of a new namespace gets a recording of its own, also if its parent is process 1.
# Seen to fail: as long as the number alone told them apart, the child ended its parent's recording;
# that of vfork without the look at its list of robust mutexes.
#
# Chance: with 36 ticks a second (burn.h), the fewest ever seen, none meets the 200 ms of a function in one of 1,300
# attempts, and with 4 and 16 times as much in one of 10^12: three of three are in no run.
#
# Wants a core of its own.
. "$(dirname "$0")/../lib.sh"

unshare -pf true 2>/dev/null || skip "namespaces may not be made here"
# forked MS
forked() {
	LD_PRELOAD=$LIBRARY CPSAMPLE_EXE=/namespace unshare -pf sh -c "exec '$targets/namespace' $1" >out 2>err ||
		fault "ended with $?: $(cat err)"
	[ "$(cat out)" = "1 0" ] || fail "printed: $(cat out)"
	[ "$(find . -name "*.cps" | wc -l)" -eq 2 ] || fail "not two recordings: $(ls)"
	for stream in ./*.cps; do
		accounts_for_all "$stream"
		"$CPCONV" --info "$stream" | grep -q 'ended clean' || fault "$stream does not end clean"
		"$CPCONV" --functions --tsv "$stream" >>functions 2>err || fail "$stream: $(cat err)"
	done
	for function in before within after; do
		[ "$(awk -F "$tab" -v f="$function" '$3 == f' functions | wc -l)" -eq 1 ] ||
			fail "$function is not in one recording: $(cat functions)"
	done
}
with_more_work forked 200

# vforked MS: a child of vfork leaves its parent's recording alone, too.
vforked() {
	LD_PRELOAD=$LIBRARY CPSAMPLE_EXE=/namespace unshare -pf sh -c "exec '$targets/namespace' $1 vfork" >out 2>err ||
		fault "vfork: ended with $?: $(cat err)"
	[ "$(cat out)" = "1 0" ] || fail "vfork: printed: $(cat out)"
	stream=$(one_stream) || fail "vfork: $stream"
	accounts_for_all "$stream"
	"$CPCONV" --info "$stream" | grep -q 'ended clean' || fault "vfork: does not end clean"
	"$CPCONV" --functions --tsv "$stream" | grep -q "${tab}after${tab}" || fail "vfork: nothing after the child"
}
with_more_work vforked 200
