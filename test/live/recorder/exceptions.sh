#!/bin/sh
# SPDX-License-Identifier: MIT
# A C++ program does nothing but throw exceptions through frames with destructors, from itself and
# from a library that is loaded and unloaded. It catches all of them while it is sampled. Its
# stacks are complete, except in the few instructions with which libgcc leaves its own frame,
# because no unwind information describes these.
#
# Seen to fail:
# - If the frame pointer is used instead of the unwind information (NONE for every row), only one
#   stack in ten is complete.
#
# Wants a core of its own.
. "$(dirname "$0")/../lib.sh"
need g++

g++ -O2 -g -pthread -o throws "$root/test/targets/throws.cc" || fail "cannot build throws"
g++ -DLIBRARY -O2 -g -shared -fPIC -o libthrows.so "$root/test/targets/throws.cc" || fail "cannot build libthrows.so"
for clock in timer perf; do
	mkdir $clock
	(cd $clock && record CPSAMPLE_CLOCK=$clock CPSAMPLE_RESOURCES="cpu:500us$beside" ../throws 800 ../libthrows.so >../got) ||
		fail "$clock: it ended with $?: $(cat got)"
	[ "$(cat got)" = "all caught" ] || fail "$clock: $(cat got)"
	stream=$(one_stream $clock) || fail "$clock: $stream"
	accounts_for_all "$stream"
	at_least "$(info "$stream" complete_percent)" 90 || fail "$clock: $(info "$stream" complete_percent) % whole"
	"$CPCONV" --folded --unit gticks "$stream" >folded || fail "$clock: no view"
	grep -q ';main;.*descend.*;_Unwind_' folded || fail "$clock: no unwinding above descend"
	summary="${summary-}$clock $(info "$stream" samples) samples, $(info "$stream" complete_percent) % whole; "
done
note "${summary%; }"
