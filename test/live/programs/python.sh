#!/bin/sh
# SPDX-License-Identifier: MIT
# What Python's own tests say of signals, children, waiting and threads is the same under the recorder, test by
# test: the short form of `make soak-python`, without what takes long bare. A test that fails here as well as
# bare is the machine's affair.
# Seen to fail: itimer, where test_itimer_prof lost its timer to the recorder's.
# Waits, beside others.
. "$(dirname "$0")/../lib.sh"
[ -f /usr/lib/python3.11/test/test_signal.py ] || skip "no libpython3.11-testsuite on this machine"

{
	"$root/test/python/run" -j -x 'test.fork_wait.*' -x test_siginterrupt_off -x test_poll2 \
		-x 'test_dump_traceback_later*' test_signal _test_eintr test_fork1 test_wait3 test_wait4 \
		test_select test_poll test_epoll test_time test_posix test_os test_pty test_faulthandler \
		test_thread
	echo $? >status
} | tee table
[ "$(cat status)" = 0 ] || fail "Python's tests"
note "$(awk '$3 ~ /^ok/ { tests += $2; n++ } END { print tests " tests in " n " modules" }' table)"
