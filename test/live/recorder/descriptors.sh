#!/bin/sh
# SPDX-License-Identifier: MIT
# Some programs close all descriptors, change their directory or give up their rights. They behave
# as without the recorder, and are recorded to the end.
#
# Seen to fail:
# - If the recorder keeps a file open, the target's own descriptors have other numbers.
# - If the recording ends when there is no free descriptor, nothing is kept from then on.
# - Without a reason of their own, what is lost for want of a descriptor counts as "buffers busy".
#
# Wants a core of its own.
. "$(dirname "$0")/../lib.sh"

# The target counts signals in two files, one for its first process and one for its daemon.
count() {
	od -An -v -tu8 -w8 counters | awk -v n="$1" 'NR == n { print $1 }'
}

# sampled FILE COUNT: so many samples and known losses are in the recording
sampled() {
	"$CPCONV" --info --tsv "$1" >info.out 2>err || fail "$1: $(cat err)"
	sum=$(awk -F "$tab" '$1 == "samples" || $1 == "lost" { n += $2 } END { print n }' info.out)
	[ "$sum" -eq "$2" ] || fail "$mode: $2 handled, samples and losses are $sum: $(cat err)"
	[ "$(info "$1" samples)" -gt 1000 ] || fail "$mode: hardly anything was kept"
}

# bare and recorded the same
run() {
	mode=$1
	mkdir -p "$mode/bare" "$mode/recorded"
	(cd "$mode/bare" && trap '' PROF && "$targets/descriptors" "$mode" >../want 2>&1)
	bare=$?
	(cd "$mode/recorded" && record CPSAMPLE_RESOURCES="$signals" CPSAMPLE_OUTPUT="$tmp/$mode/%p.cps" \
		"$targets/descriptors" "$mode" >../got 2>&1)
	status=$?
	[ $status -eq $bare ] || fail "$mode: exit status $status, bare $bare: $(cat "$mode/got")"
	same "$mode/want" "$mode/got" "$mode: output"
	diff -r "$mode/bare" "$mode/recorded" >diff.out || fail "$mode: $(cat diff.out)"
	cp "$mode/recorded/counters" .
}

run close
sampled "$(one_stream close)" "$(count 1)"
[ "$(info close/*.cps ended)" = clean ] || fail "close: ended $(info close/*.cps ended)"

# shellcheck disable=SC3045 # dash and all others have it
soft=$(ulimit -S -n)
# shellcheck disable=SC3045
ulimit -S -n 64
run none
mkdir said
(cd said && record CPSAMPLE_VERBOSE=1 CPSAMPLE_RESOURCES="$signals" CPSAMPLE_OUTPUT=said.cps "$targets/descriptors" none >out 2>err) ||
	fault "said: ended with $?"
grep -q " lost ([0-9]* no descriptor left)" said/err || fail "said: $(cat said/err)"
# shellcheck disable=SC3045
ulimit -S -n "$soft"
sampled "$(one_stream none)" "$(count 1)"
[ "$(info none/*.cps ended)" = clean ] || fail "none: ended $(info none/*.cps ended)"
at_least "$(info none/*.cps lost_descriptors)" 1 || fail "none: nothing was lost for want of a descriptor"
[ "$(info none/*.cps lost_busy)" = 0 ] || fail "none: busy: $(info none/*.cps lost_busy)"

run daemon
for stream in daemon/*.cps; do
	case $(info "$stream" samples) in
	1) ;;
	*) sampled "$stream" "$(count 2)" && [ "$(info "$stream" ended)" = clean ] && daemon=$stream ;;
	esac
done
[ -n "${daemon:-}" ] || fail "the daemon has no recording"

[ "$(id -u)" -eq 0 ] || skip "chroot and setuid need root"
run chroot
sampled chroot/*.cps "$(count 1)"
chmod 711 "$tmp"
run nobody
sampled nobody/*.cps "$(count 1)"
[ -e "$(echo nobody/*.cps).journal" ] || fail "nobody: there is no journal"
