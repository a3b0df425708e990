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
# Wants a core of its own.
. "$(dirname "$0")/../lib.sh"

for mode in c11 keys child iconv; do
	"$targets/ends" $mode >want || {
		note "$mode does not work on this machine"
		continue
	}
	mkdir $mode
	(cd $mode && record "$targets/ends" $mode >../got) || fail "$mode ended with $?"
	same want got "$mode: output"
	stream=$(one_stream $mode) || fail "$mode: $stream"
	accounts_for_all "$stream"
done
at_least "$(info iconv/*.cps complete_percent)" 95 || fail "iconv: $(info iconv/*.cps complete_percent) %"
"$CPCONV" --folded --unit gticks child/*.cps | grep -q only_in_child && fail "the child is in its parent's recording"

for blocks in 0 1 20 1000; do
	mkdir limit$blocks
	(cd limit$blocks && ulimit -f $blocks && record "$targets/spin" 300 2>&1 | cat >/dev/null) ||
		fail "ulimit -f $blocks"
	status=$(cd limit$blocks && { ulimit -f $blocks; record "$targets/spin" 300 >/dev/null; echo $? >&2; } 2>&1)
	[ "$status" = 0 ] || fail "with ulimit -f $blocks: status $status"
done
