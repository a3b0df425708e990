#!/bin/sh
# SPDX-License-Identifier: MIT
# Calls that cannot be gone on with are not ended by samples, and nothing is blocked in them that others would notice: not
# in a program that a handler executes there, and not for who cancels the thread (see held.c). Among them are the ends of
# sockets that linger.
#
# Seen to fail:
# - When signal 32 was blocked in such calls, it was blocked in the programs of "exec", "fork" and "spawn", too, and "cancel"
#   did not end. With the clock `signals`, without cps_masked_held in wrap_process.c and wrap_process.c, so do the first two.
# - If cps_masked_hold does nothing, one of the 100 calls of "work" fails: after it no sample comes into calls any more.
# - When close, dup2 and dup3 had no wrappers, each of the three of "linger" was early.
#
# Waits, beside others.
. "$(dirname "$0")/../lib.sh"

# A file system that gives up when a signal comes. Its part is played by a library.
cat >driver.c <<'END'
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include "gives_up.h"

static int waits(void) { return gives_up(5000000); }

int fallocate64(int fd, int mode, off64_t at, off64_t what)
{
	while (what == 3)
		waits();
	return what == 2 ? raise(SIGALRM) : waits();
}
END
$CC -std=gnu11 -D_GNU_SOURCE -O2 -I"$root/test/targets" -shared -fPIC -o driver.so driver.c || fail "cannot build driver.so"

# held MODE [SETTING]...: as without the recorder
held() {
	way=$1
	shift
	LD_PRELOAD=./driver.so timeout 100 "$targets/held" "$way" >bare ||
		fail "$way without the recorder: status $?"
	env "$@" LD_PRELOAD="$LIBRARY:./driver.so" timeout -s KILL 100 "$targets/held" "$way" >out 2>err ||
		fail "$way, $*: status $?: $(cat out err)"
	same bare out "$way, $*"
}

for way in work exec fork spawn cancel linger; do
	held "$way" CPSAMPLE_RESOURCES=cpu:1ms
done
for way in exec fork linger; do
	held "$way" CPSAMPLE_RESOURCES=cpu CPSAMPLE_DURATION=1000
	held "$way" CPSAMPLE_RESOURCES="$signals"
done
