#!/bin/sh
# SPDX-License-Identifier: MIT
# A program that forbids itself system calls by seccomp(2) is not killed for a call of the
# recorder. CPSAMPLE_SECCOMP chooses what is recorded after that.
#
# Seen to fail:
# - If the recording does not end before the filter, the target is killed by SIGSYS.
# - If the file is not created before a filter that refuses to open any, there is no recording.
# - Without CPSAMPLE_CONFINED the program that it executes is killed.
# - If the timer of CPSAMPLE_DURATION stays when the recording has ended, its signal interrupts a call, and the
#   target is killed.
# - With a wait between the look at the gate and the calls of the handler, the target was killed as long as
#   only `busy` was waited for.
# - With a shot that is set again for the instant at which it came, a thread did nothing but take signals until the
#   delay was over, 100 s later.
# - If a wait asks the kernel for the time, or lets it write what is left of a sleep, the target is killed by SIGSYS; and
#   if sigaltstack(2) asks whose thread it is. Also if the recording had ended before the filter.
# - If the recording does not go on after a filter that the kernel refused, it has ended.
#
# Chance: no sample meets the 50 ms of before() in one of 30,000 attempts, and in three of three in one of 10^13.
#
# Wants a core of its own.
. "$(dirname "$0")/../lib.sh"

"$targets/confined" prctl none >out
[ $? -eq 6 ] || skip "no seccomp on this machine"

# run SETTING HOW FILTER: the target behaves as without the recorder, and its recording is $stream
run() {
	name="$1, $2 $3"
	rm -rf run && mkdir run
	"$targets/confined" "$2" "$3" >want
	bare=$?
	(cd run && record CPSAMPLE_SECCOMP="$1" "$targets/confined" "$2" "$3" >../got 2>../err)
	status=$?
	[ $status -eq $bare ] || fault "$name: exit status $status, bare $bare"
	same want got "$name: output"
	[ ! -s err ] || fault "$name: $(cat err)"
	stream=
	for file in run/*.cps; do
		"$CPCONV" --folded --unit gticks "$file" 2>/dev/null | grep -q ';before ' && stream=$file
	done
	[ -n "$stream" ] || fail "$name: no recording"
	"$CPCONV" --folded --unit gticks "$stream" >folded.out 2>err || fail "$name: $(cat err)"
}

# How the target ended, with `after` and without.
ended() {
	said_=$(info "$stream" ended 2>err)
	[ "$said_" = "$1" ] || fail "$name: ended $said_, not $1: $(cat err)"
	found=without
	grep -q ';after ' folded.out && found=with
	[ $found = "$2" ] || fail "$name: $found what came after the filter"
}

# tried TIMES WORD WITH SETTING HOW FILTER
tried() {
	word=$2 with=$3
	shift 3
	run "$@"
	ended "$word" "$with"
	case $word in
	seccomp) [ ! -e "$stream.journal" ] || fault "$name: there is a journal" ;;
	write) [ -e "$stream.journal" ] || fault "$name: there is no journal" ;;
	esac
}
for how in prctl syscall; do
	for filter in open strict waits; do
		with_more_work tried 1 seccomp without stop $how $filter
	done
	with_more_work tried 1 write with all $how refuse
done
with_more_work tried 1 clean with stop prctl failing
with_more_work tried 1 clean with all syscall failing
with_more_work tried 1 clean with all syscall none

# Nothing is recorded before a filter that may refuse to open files. What comes after it needs a file. This one kills
# for the recorder's first call, which leaves the file.
mkdir late
(cd late && record CPSAMPLE_SECCOMP=all CPSAMPLE_DELAY=3000 timeout 1000 "$targets/confined" prctl strict >/dev/null 2>&1)
[ $? -gt 128 ] || fault "late: the target was not killed"
ls late/*.cps >/dev/null 2>&1 || fail "no file was created before the filter"

# The time for recording is over while it waits under the filter.
record CPSAMPLE_DURATION=0.7 "$targets/confined" prctl strict - >out 2>err
status=$?
[ $status -eq 6 ] || fault "the time is over under a filter: exit status $status: $(cat out err)"
rm -f ./*.cps

# And before there is a filter.
for how in prctl syscall; do
	record CPSAMPLE_DURATION=0.01 "$targets/confined" $how waits >out 2>err
	status=$?
	[ $status -eq 6 ] || fault "the time is over before a filter by $how: exit status $status: $(cat out err)"
	rm -f ./*.cps
done

# The program that it executes has the filter, too.
for how in prctl syscall; do
	mkdir exec.$how
	(cd exec.$how && record "$targets/confined" $how timers "$targets/spin" 300 7 >../out 2>../err)
	status=$?
	[ $status -eq 7 ] || fault "exec after $how: exit status $status: $(cat err)"
	[ ! -s err ] || fault "exec after $how: $(cat err)"
	[ "$(info "$(one_stream exec.$how)" ended)" = seccomp ] || fail "exec after $how: $(echo exec.$how/*)"
done
