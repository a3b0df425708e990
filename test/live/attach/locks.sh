#!/bin/sh
# SPDX-License-Identifier: MIT
# Two threads that hardly leave the allocator are met where they hold no lock, or the process is refused; both times it runs on.
# If a thread is taken wherever it is, the call does not come back, and all is undone: that is what the search is for.
#
# A thread in a handler of a signal that has interrupted the allocator is at no such place, also if the handler has a stack of its own.
#
# Seen to fail: without the search, as here on purpose, the process would hang if the call were not given up; when only words that
# follow calls were looked at, and one stack, the thread in a handler with a stack of its own was taken, and the process ended.
#
# Chance: one of these threads is in the allocator with a lock that matters for half of its time, which one of a few tries meets.
# In eleven of twelve processes the first call is given up. Afterwards the C library keeps the memory of threads that have ended, so
# that they are made without the allocator: each try is on a process of its own, and forty of them are enough for any machine.
#
# May run beside others.
. "$(dirname "$0")/../lib.sh"
. "$root/test/live/attach.sh"
can_attach

i=0 undone=0
while [ $undone -eq 0 ] && [ $i -lt 40 ]; do
	i=$((i + 1))
	start out "$targets/attached" alloc 2
	if attach "$pid" 0.05 x.cps --anywhere; then kill -KILL "$pid"; else undone=1; fi
done
[ $undone -eq 1 ] || fail "no call was given up: the test proves nothing"
grep -q 'does not come back: another thread has a lock' attach.err || fail "$(cat attach.err)"
[ "$(awk '/^TracerPid/ { print $2 }' "/proc/$pid/status")" = 0 ] || fail "it is traced still"
i=0 met=0
while [ $i -lt "$cycles" ]; do
	i=$((i + 1))
	if attach "$pid" 0.05 x.cps; then
		met=$((met + 1))
	else
		grep -q 'no thread came to a place where it can be interrupted' attach.err || fail "$(cat attach.err)"
	fi
done
note "$met of $i met at a safe place"
stop alloc
[ $status -eq 0 ] || fail "it has ended with $status"

cat >handler.c <<'END'
#define _GNU_SOURCE
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>
static char other[65536];
void handler(int number)
{
	(void)number;
	(void)!write(1, "ready\n", 6);
	for (;;)
		pause();
}
__attribute__((noinline)) void *malloc(size_t n)
{
	static char bytes[1 << 16];
	static size_t used;
	if (n == 7777)
		__asm__ volatile("nop; nop; nop; nop; nop; nop; nop; nop; ud2");
	used += (n + 15) / 16 * 16;
	return used <= sizeof(bytes) ? bytes + used - (n + 15) / 16 * 16 : NULL;
}
int main(int argc, char **argv)
{
	stack_t stack = {.ss_sp = other, .ss_size = sizeof(other)};
	struct sigaction action = {.sa_handler = handler, .sa_flags = SA_ONSTACK};
	void *(*volatile allocate)(size_t) = malloc;
	(void)argv;
	if (argc > 1)
		sigaltstack(&stack, NULL);
	sigaction(SIGILL, &action, NULL);
	return allocate(7777) == NULL;
}
END
$CC -O1 -rdynamic -fno-builtin -o handler handler.c || fail "handler.c"
for other in '' other; do
	# shellcheck disable=SC2086 # one word or none
	start out ./handler $other
	if attach "$pid" 0.05 x.cps; then fail "a handler $other that has interrupted malloc was taken"; fi
	grep -q 'no thread came to a place where it can be interrupted (the last one was in an allocator)' attach.err ||
		fail "handler $other: $(cat attach.err)"
done
