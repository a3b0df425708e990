#!/bin/sh
# SPDX-License-Identifier: MIT
# A process made by fork that gives up the right to write its recording leaves word in that of its parent, or
# of the next one above that can write.
# May run beside others.
#
# Seen to fail: before there was such a word; and, with a parent that was never sampled, if the word is no reason to
# make a recording.
. "$(dirname "$0")/../lib.sh"
export CPSAMPLE_RESOURCES="$signals" CPSAMPLE_OUTPUT=%p.cps

# word FILE WANTED: what the recording says of processes that were not recorded
word() {
	"$CPCONV" --info "$1" 2>warning | sed -n 's/^not recorded *//p' >got
	[ "$(cat got)" = "$2" ] || fail "$1: said: $(cat got)"
	[ "$(cat warning)" = "${2:+cpconv: $1: warning: not recorded: $2}" ] || fail "$1: warned: $(cat warning)"
}

# Files of this size cannot be written by the children. Each is sampled once, the parent never.
# shellcheck disable=SC2016 # for the shell
record sh -c 'for i in 1 2; do (ulimit -f 0; exec 2>&1; kill -PROF $(cut -d " " -f 4 /proc/self/stat)); done; exit 3' >out 2>err
[ $? -eq 3 ] || fail "exit status $?: $(cat err)"
[ ! -s err ] && [ ! -s out ] || fail "speaks without being asked: $(cat out err)"
stream=$(one_stream) || fail "$stream"
word "${stream#./}" "2 processes made by fork, which could not write recordings: File too large"
[ "$(info "$stream" denied)" = 2 ] || fail "denied: $(info "$stream" denied)"
rm "$stream"

# A child whose children could not write, and that cannot write itself, hands their word on.
# shellcheck disable=SC2016 # for the shell
record sh -c '(ulimit -f 0; (kill -PROF $(cut -d " " -f 4 /proc/self/stat); exit 0); exit 0); exit 0' || fail "exit status $?"
stream=$(one_stream) || fail "$stream"
word "${stream#./}" "2 processes made by fork, which could not write recordings: File too large"
rm "$stream"

# Without such a child there is no word, and no recording.
record sh -c '(exit 0); exit 0'
no_stream

# So it is with workers that change their user, as those of servers do.
[ "$(id -u)" -eq 0 ] || exit 0
need perl
chmod 755 .
# shellcheck disable=SC2016 # for perl
record perl -e 'unless (fork) { $( = $) = 65534; $< = $> = 65534; kill PROF => $$; exit 0 } wait; kill PROF => $$' ||
	fail "perl: exit status $?"
stream=$(one_stream) || fail "$stream"
word "${stream#./}" "1 process made by fork, which could not write its recording: Permission denied"
