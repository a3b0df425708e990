#!/bin/sh
# SPDX-License-Identifier: MIT
# With the resource "signals" every SIGPROF that any process sends is one sample.
# Wants a core of its own.
. "$(dirname "$0")/../lib.sh"

for n in 1 1000; do
	record CPSAMPLE_RESOURCES="$signals" "$targets/signals" $n >out || fail "signals ended with $?"
	[ "$(cat out)" = "sent $n" ] || fail "standard output is $(cat out)"
	stream=$(one_stream) || fail "$stream"
	[ "$(info "$stream" samples)" = $n ] || fail "$n signals, $(info "$stream" samples) samples"
	[ "$("$CPCONV" --folded --unit gticks "$stream" | awk '{ n += $NF } END { print n }')" = $n ] ||
		fail "folded does not add up to $n: $("$CPCONV" --folded --unit gticks "$stream")"
	"$CPCONV" --folded --unit gticks "$stream" | grep -q '^_start;.*main;send;' ||
		fail "not sent from send: $("$CPCONV" --folded --unit gticks "$stream")"
	rm "$stream"
done

# kill -PROF shows where a waiting program waits.
mkfifo pipe
env "LD_PRELOAD=$LIBRARY" CPSAMPLE_RESOURCES="$signals" cat <pipe >said & # without the function record, so that $! is cat
cat=$!
exec 3>pipe
echo hello >&3
await test -s said || fail "cat does not answer"
# A second signal that comes while the first one is pending would be lost. So each is read back from
# the recording of the running program before the next one is sent.
recorded() {
	[ "$("$CPCONV" --folded --unit gticks ./*.cps 2>/dev/null | awk '{ n += $NF } END { print n + 0 }')" = "$1" ]
}
for i in 1 2 3 4 5; do
	kill -PROF $cat
	await recorded $i || fail "signal $i is not in the recording"
done
exec 3>&-
wait $cat || fail "cat ended with $?"
[ "$(cat said)" = hello ] || fail "cat: $(cat said)"
stream=$(one_stream) || fail "$stream"
[ "$(info "$stream" samples)" = 5 ] || fail "5 signals, $(info "$stream" samples) samples"
"$CPCONV" --folded "$stream" | grep -q 'read' || fail "$("$CPCONV" --folded --unit gticks "$stream")"
