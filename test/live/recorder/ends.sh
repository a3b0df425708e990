#!/bin/sh
# SPDX-License-Identifier: MIT
# Time is neither missed nor counted twice in threads made by thrd_create, in destructors of
# thread-local data, and in children of which no fork handler tells. Libraries that the C library
# unloads by itself do no harm, and the recorder does not exceed a limit on file sizes.
#
# Seen to fail:
# - Without the wrapped thrd_create only 13 % are credited; if the thread's end is noticed in a
#   cleanup handler, 33 %.
# - Without the page that the kernel wipes on fork, the child's time is credited to its parent.
# - If the recorder reads a module without looking whether it is still loaded, there is a
#   segmentation fault.
# - Without cps_sys_exceeds_file_limit() the target dies of SIGXFSZ.
#
# Chance: what is credited is exact but for the first and the last millisecond of a process, which are no matter of
# chance.
#
# Wants a core of its own.
# Not in short runs: it takes 10 s.
. "$(dirname "$0")/../lib.sh"

# recorded TIMES MODE
recorded() {
	record CPSAMPLE_OUTPUT=x.cps "$targets/ends" "$2" >got || fault "$2 ended with $?"
	same ../want got "$2: output"
	accounts_for_all x.cps
	case $2 in
	iconv) mostly_whole x.cps 95 || fail "iconv: $(info x.cps complete_percent) %" ;;
	child) ! "$CPCONV" --folded --unit gticks x.cps | grep -q only_in_child || fault "the child is in its parent's recording" ;;
	esac
}

for mode in c11 keys child iconv; do
	"$targets/ends" $mode >want || {
		note "$mode does not work on this machine"
		continue
	}
	with_more_work recorded 1 $mode
done

for blocks in 0 1 20 1000; do
	mkdir limit$blocks
	(cd limit$blocks && ulimit -f $blocks && record "$targets/spin" 300 2>&1 | cat >/dev/null) ||
		fail "ulimit -f $blocks"
	status=$(cd limit$blocks && { ulimit -f $blocks; record "$targets/spin" 300 >/dev/null; echo $? >&2; } 2>&1)
	[ "$status" = 0 ] || fault "with ulimit -f $blocks: status $status"
done
