#!/bin/sh
# SPDX-License-Identifier: MIT
# No call of the target fails with EINTR because of the recorder. The target waits in every call
# that the kernel does not restart, by the C library's functions and by syscall(2), while SIGPROF is sent to the waiting
# thread all the time. It prints the same as without the recorder and without the signals. A signal for which the target
# has a handler still interrupts the call, and a waiting thread can still be cancelled.
#
# Seen to fail:
# - If libcpsample.map does not list the calls, 45 of the 49 lines of "ends" differ, 42 of them by
#   an EINTR.
# - If every EINTR leads to a retry, "interrupts" does not end.
# - Without `settled` in eintr_restart.c "nested" does not end.
# - Without cps_cut_was_returned_to in cps_sample_note_interruption "returns" does not end.
# - If all calls have the same number, some waits of "returns" end early; if those of all threads begin
#   with 1, most of "cancels" do.
# - If the handler looks at interrupted calls only while there is a recording, after its end 45 of the 49 lines
#   of "ends" differ.
# - When syscall(2) went on only with reads, writes and endless waits, 39 of the 44 lines of "ends" by syscall(2) differed,
#   and 41 of "returns".
# - When ioctl and fallocate had no wrappers, 34 to 71 of 300 of each failed with the library in the place of drivers.
# - Without a wrapper 6 to 24 of 300 calls of swapoff failed.
# - When breaks and defragmentation were made again like other requests, 18 to 41 of 300 of each failed with that library, and
#   when tcsendbreak had no wrapper 1,250 calls of "drains".
# - If tcdrain is not made again, 150 to 2,000 calls of "drains" fail.
#
# Waits, beside others.
# Not in short runs: it takes 30 s.
. "$(dirname "$0")/../lib.sh"

# as_bare PROGRAM MODE [ROUNDS]
as_bare() {
	program=$targets/$1
	shift
	timeout 1000 "$program" quiet "$@" >bare.out 2>bare.err || fail "$*: without the recorder: $(cat bare.err)"
	record CPSAMPLE_RESOURCES="$signals" timeout -s KILL 1000 "$program" hail "$@" >out 2>err ||
		fail "${program##*/} $*: status $?: $(tail -n 1 out) $(cat err)"
	same bare.out out "${program##*/} $*"
	again="${again-}$1 $(awk '{ n += $(NF - 2) } END { print n + 0 }' err), "
}

as_bare waits ends
as_bare waits interrupts 100
as_bare waits restarts 100
as_bare waits nested 10
as_bare waits returns 20
as_bare waits cancels 20
as_bare waits drains
as_bare waits_by_number ends
as_bare waits_by_number interrupts 30
as_bare waits_by_number restarts 30
as_bare waits_by_number nested 5
as_bare waits_by_number returns 10

# A driver that does not let the kernel make its call again, and a file system that gives up when a signal comes. Their parts
# are played by a library, whose calls the kernel does not make again either.
cat >driver.c <<'END'
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <sys/ioctl.h>
#include "gives_up.h"

static int waits(void) { return gives_up(100000); }
int ioctl(int fd, unsigned long request, ...)
{
	int result = waits();

	if (request) /* these cannot be made again */
		errno = EAGAIN;
	return result;
}
int fallocate(int fd, int mode, off_t at, off_t n) { return waits(); }
int fallocate64(int fd, int mode, off64_t at, off64_t n) { return waits(); }
int posix_fallocate(int fd, off_t at, off_t n) { return waits() ? errno : 0; }
int posix_fallocate64(int fd, off64_t at, off64_t n) { return waits() ? errno : 0; }
int swapoff(const char *path) { return waits(); }
END
cat >drives.c <<'END'
#include <fcntl.h>
#include <linux/btrfs.h>
#include <signal.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/swap.h>
#include <unistd.h>

int main(void)
{
	int failed[9] = {0};
	pid_t target = getpid(), sender = fork();

	while (sender == 0 && kill(target, SIGPROF) == 0)
		usleep(300);
	for (int i = 0; sender > 0 && i < 300; i++) {
		failed[0] += ioctl(0, 0) != 0;
		failed[1] += fallocate(0, 0, 0, 1) != 0;
		failed[2] += fallocate64(0, 0, 0, 1) != 0;
		failed[3] += posix_fallocate(0, 0, 1) != 0;
		failed[4] += posix_fallocate64(0, 0, 1) != 0;
		failed[5] += swapoff("") != 0;
		failed[6] += ioctl(0, TCSBRK, 0) != 0;
		failed[7] += ioctl(0, TCSBRKP, 1) != 0;
		failed[8] += ioctl(0, BTRFS_IOC_DEFRAG, 0) != 0;
	}
	if (sender > 0) {
		kill(sender, SIGKILL);
		for (int i = 0; i < 9; i++)
			printf("%d%s", failed[i], i < 8 ? " " : "\n");
	}
	return 0;
}
END
$CC -std=gnu11 -D_GNU_SOURCE -O2 -I"$root/test/targets" -shared -fPIC -o driver.so driver.c && $CC -D_GNU_SOURCE -o drives drives.c || fail "cannot build driver.so"
LD_PRELOAD="$LIBRARY:./driver.so" CPSAMPLE_RESOURCES="$signals" timeout 100 ./drives >out || fail "driver: status $?: $(cat out)"
[ "$(cat out)" = "0 0 0 0 0 0 0 0 0" ] || fail "of 300 calls each of ioctl, fallocate and so on failed: $(cat out)"

# Nor does one when the recording is over, and signals still come.
timeout 1000 "$targets/waits" quiet ends >bare.out 2>bare.err || fail "ends: without the recorder: $(cat bare.err)"
# On a busy machine half a second may be over before the first signal.
for _ in 1 2 3 4 5 6 7 8 9 10; do
	record CPSAMPLE_RESOURCES="$signals" CPSAMPLE_DURATION=0.5 CPSAMPLE_OUTPUT=over.cps timeout -s KILL 1000 \
		"$targets/waits" hail ends >out 2>err || fail "over: status $?: $(tail -n 1 out) $(cat err)"
	same bare.out out "after the end of the recording"
	[ ! -e over.cps ] || break
done
[ "$(info over.cps ended)" = duration ] || fail "the recording has ended otherwise: $(info over.cps ended)"

# Whatever reached the recording came through the signals that are sent all the time.
[ "$("$CPCONV" --folded --unit gticks ./cpsample.waits.*.cps | awk '{ n += $NF } END { print n + 0 }')" -gt 1000 ] ||
	fail "there was hardly any hail"
note "signals of its own sent again: ${again%, }"
