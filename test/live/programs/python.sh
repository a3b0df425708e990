#!/bin/sh
# SPDX-License-Identifier: MIT
# The results of Python's own tests of signals, children, waiting and threads are the same under
# the recorder, test by test. This is the short form of `make soak-python`, without the tests that
# take long even without the recorder. A test that also fails without the recorder is not held
# against it.
#
# Seen to fail:
# - With itimer, when test_itimer_prof lost its timer to the recorder's.
#
# Waits, beside others.
# Not in short runs: it takes 35 s.
. "$(dirname "$0")/../lib.sh"
[ -f /usr/lib/python3.11/test/test_signal.py ] || skip "no libpython3.11-testsuite on this machine"

{
	"$root/test/python/run" -j -r "${TEST_RESOURCES:-cpu}" -x 'test.fork_wait.*' -x test_siginterrupt_off -x test_poll2 \
		-x 'test_dump_traceback_later*' test_signal _test_eintr test_fork1 test_wait3 test_wait4 \
		test_select test_poll test_epoll test_time test_posix test_os test_pty test_faulthandler \
		test_thread
	echo $? >status
} | tee table
[ "$(cat status)" = 0 ] || fail "Python's tests"
note "$(awk '$3 ~ /^ok/ { tests += $2; n++ } END { print tests " tests in " n " modules" }' table)"
