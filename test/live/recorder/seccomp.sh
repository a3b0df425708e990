#!/bin/sh
# SPDX-License-Identifier: MIT
# A program that forbids itself system calls by seccomp(2) is not killed for ours, whatever CPSAMPLE_SECCOMP says
# about what is recorded then.
# Seen to fail: with a recording that does not end before the filter, or files that are not forbidden, the target is
# killed by SIGSYS; without CPSAMPLE_CONFINED the program that it becomes is; without a return after a filter that the kernel refused, the recording has ended.
# Wants a core of its own.
. "$(dirname "$0")/../lib.sh"

"$targets/confined" prctl none >out
[ $? -eq 6 ] || skip "no seccomp on this machine"

# run SETTING HOW FILTER: as without us; its own recording is $stream
run() {
	name="$1, $2 $3"
	rm -rf run && mkdir run
	"$targets/confined" "$2" "$3" >want
	bare=$?
	(cd run && record CPSAMPLE_SECCOMP="$1" "$targets/confined" "$2" "$3" >../got 2>../err)
	status=$?
	[ $status -eq $bare ] || fail "$name: exit status $status, bare $bare"
	same want got "$name: output"
	[ ! -s err ] || fail "$name: $(cat err)"
	stream=
	for file in run/*.cps; do
		"$CPCONV" --folded "$file" 2>/dev/null | grep -q ';before ' && stream=$file
	done
	[ -n "$stream" ] || fail "$name: no recording"
	"$CPCONV" --folded "$stream" >folded.out 2>err || fail "$name: $(cat err)"
}

# How it ended, with `after` or without.
ended() {
	word=$(info "$stream" ended 2>err)
	[ "$word" = "$1" ] || fail "$name: ended $word, not $1: $(cat err)"
	found=without
	grep -q ';after ' folded.out && found=with
	[ $found = "$2" ] || fail "$name: $found what came after the filter"
}

for how in prctl syscall; do
	for filter in open strict; do
		run stop $how $filter
		ended seccomp without
		[ ! -e "$stream.journal" ] || fail "$name: there is a journal"
	done
	run journal $how open
	ended write with
	[ -e "$stream.journal" ] || fail "$name: there is no journal"
done
run stop prctl failing
ended clean with
run journal syscall failing
ended clean with
run all syscall none
ended clean with

# What it becomes has the filter, too.
for how in prctl syscall; do
	mkdir exec.$how
	(cd exec.$how && record "$targets/confined" $how timers "$targets/spin" 300 7 >../out 2>../err)
	status=$?
	[ $status -eq 7 ] || fail "exec after $how: exit status $status: $(cat err)"
	[ ! -s err ] || fail "exec after $how: $(cat err)"
	[ "$(info "$(one_stream exec.$how)" ended)" = seccomp ] || fail "exec after $how: $(echo exec.$how/*)"
done
