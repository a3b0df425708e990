#!/bin/sh
# SPDX-License-Identifier: MIT
# What cannot be attached to is refused in one line, and not touched: afterwards it has no tracer, and has got no signal.
#
# Seen to fail: without each of the checks, which these lines come from; U+009B came to the terminal; a process that waits stayed recorded for
# a launcher that was killed.
#
# May run beside others.
. "$(dirname "$0")/../lib.sh"
. "$root/test/live/attach.sh"
can_attach

# refuses PID TEXT [USER]
refuses() {
	before=$(grep -E '^(TracerPid|Sig[PBIC]|Shd)' "/proc/$1/status" 2>/dev/null)
	if attach "$1" 1 x.cps; then fail "$1 was not refused: $2"; fi
	[ "$(wc -l <attach.err)" -eq 1 ] || fail "not one line: $(cat attach.err)"
	grep -qF "cpsample: $1: $2" attach.err || fail "no \"$2\": $(cat attach.err)"
	[ ! -e x.cps ] || fail "there is a recording"
	after=$(grep -E '^(TracerPid|Sig[PBIC]|Shd)' "/proc/$1/status" 2>/dev/null)
	[ "$before" = "$after" ] || fail "$2: it is not as it was: $before; $after"
}

refuses 4194303 'there is no such process'

start out env "LD_PRELOAD=$LIBRARY" "$targets/attached" storm
if attach "$pid" 1 x.cps; then fail "it was started with the recorder, and attached to"; fi
grep -q "^cpsample: $pid: was started with the recorder" attach.err || fail "$(cat attach.err)"
stop preloaded
rm -f ./*.cps

start out "$targets/attached" storm
for what in cpu,cycles calls:malloc,alloc count; do
	if CPSAMPLE_RESOURCES=$what attach "$pid" 1 x.cps; then fail "$what was recorded"; fi
	grep -q "^cpsample: $pid: [a-z:_]* cannot be had in a process that ran already" attach.err || fail "$(cat attach.err)"
done
if CPSAMPLE_RESOURCES=signals attach "$pid" 1 x.cps; then fail "signals were recorded"; fi
grep -q "^cpsample: $pid: only timer can be the clock in a process that ran already" attach.err || fail "$(cat attach.err)"
if CPSAMPLE_RESOURCES=nothing attach "$pid" 1 x.cps; then fail "nothing was recorded"; fi
grep -q "^cpsample: $pid: CPSAMPLE_RESOURCES=nothing: .nothing. is no resource" attach.err || fail "$(cat attach.err)"
grep -q '^TracerPid:.0$' "/proc/$pid/status" || fail "it has a tracer"
attach "$pid" 0.1 x.cps || fail "it cannot be attached to after it was refused: $(cat attach.err)"
stop storm
[ $status -eq 0 ] || fail "storm: ended with $status"
rm -f ./*.cps

start out "$targets/attached" threads
thread=$(find "/proc/$pid/task" -mindepth 1 -maxdepth 1 -printf '%f\n' | grep -vx "$pid" | head -n 1)
refuses "$thread" "is a thread of process $pid; name that"
kill -STOP "$pid"
await grep -q '^State:.*T' "/proc/$pid/status"
refuses "$pid" "is stopped; continue it first: kill -CONT $pid"
kill -CONT "$pid"
await grep -q '^State:.*[RS]' "/proc/$pid/status"

CPSAMPLE_OUTPUT=$PWD/first.cps "$attacher" --library "$LIBRARY" --directory "$PWD" "$pid" 2>first.err &
first=$!
pids="$pids $first"
await grep -q libcpsample "/proc/$pid/maps"
if attach "$pid" 1 x.cps; then fail "it was attached to twice"; fi
grep -q 'is recorded already, by another cpsample -p' attach.err || fail "$(cat attach.err)"
child=$(cat "/proc/$first/task/$first/children")
if [ -r /proc/locks ]; then
	grep -q "(process ${child% })" attach.err || fail "it does not say who records it: $(cat attach.err)"
fi
kill -INT $first
wait $first || fail "the first one ended with $?: $(cat first.err)"

# A launcher that was killed. A process of one thread that waits does not notice that by itself.
sleep 1000 &
pids="$pids $!"
for one in "$pid" $!; do
	CPSAMPLE_OUTPUT=$PWD/first.cps "$attacher" --library "$LIBRARY" --directory "$PWD" "$one" 2>first.err &
	first=$!
	pids="$pids $first"
	await grep -q libcpsample "/proc/$one/maps"
	sleep 0.3
	kill -KILL "$(sed 's/ //' "/proc/$first/task/$first/children")"
	attach "$one" 0.1 x.cps || grep -q 'for a cpsample that was killed; that ends within 5 s' attach.err || fail "$(cat attach.err)"
	if wait $first; then fail "the killed one ended with 0"; fi
	grep -q 'what records it was ended by a signal (Killed)' first.err || fail "$(cat first.err)"
	i=0
	until attach "$one" 0.1 x.cps || [ $((i += 1)) -gt 100 ]; do sleep 0.2; done
	[ $i -le 100 ] || fail "it cannot be attached to afterwards: $(cat attach.err)"
done
rm -f ./*.cps

# What a process answers is in its own hands.
cat >liar.c <<'END'
#include <string.h>
#include "attach_area.h"
int cpsample_attach(struct cps_attach_area *a)
{
	memset(a->text, '\033', sizeof(a->text));
	memcpy(a->text, "\302\233", 2);
	a->state = CPS_ATTACH_REFUSED;
	return 1;
}
END
$CC -shared -fPIC -I"$root/libsampler" -o liar.so liar.c || fail "liar.c"
start out "$targets/attached" ends exit
LIBRARY=$PWD/liar.so refuses "$pid" '????????'
if LC_ALL=C grep -q "$(printf '\033')" attach.err || LC_ALL=C grep -q "$(printf '\302\233')" attach.err; then fail "the process has written to the terminal"; fi

sh -c 'sleep 0 & exec sleep 1000' &
parent=$!
pids="$pids $parent"
find_zombie() {
	zombie=$(awk -v p="$parent" '$4 == p && $3 == "Z" { print $1 }' /proc/[0-9]*/stat 2>/dev/null)
	[ -n "$zombie" ]
}
await find_zombie || fail "there is no zombie"
refuses "$zombie" 'has ended already (it is a zombie)'

cat >static.c <<'END'
#include <unistd.h>
int main(void) { write(1, "ready\n", 6); for (;;) pause(); }
END
if $CC -static -o static static.c 2>/dev/null; then
	start out ./static
	refuses "$pid" 'is statically linked, so that nothing can be loaded into it'
fi

if command -v musl-gcc >/dev/null && musl-gcc -o musl static.c 2>/dev/null; then
	start out ./musl
	refuses "$pid" 'uses musl'
fi
if $CC -m32 -o narrow static.c 2>/dev/null; then
	start out ./narrow
	refuses "$pid" 'was made for another architecture'
fi
cat >go.go <<'END'
package main
import ("os"; "time")
func main() { os.Stdout.WriteString("ready\n"); for { time.Sleep(time.Hour) } }
END
if command -v go >/dev/null && HOME=$PWD GOCACHE=$PWD/cache GO111MODULE=off go build -o go go.go 2>/dev/null; then
	start out ./go
	refuses "$pid" 'is statically linked, so that nothing can be loaded into it'
fi
start out "$BUILD/targets/stacks" vfork
await grep -q '^State:.*D' "/proc/$pid/status"
child=$(cat "/proc/$pid/task/$pid/children")
pids="$pids $child"
refuses "${child% }" 'shares the memory of its parent (vfork)'
kill -KILL "${child% }"

# Nobody but who may trace the process can keep it from being recorded.
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null && [ -x /usr/bin/python3 ]; then
	start out "$targets/attached" storm
	setpriv --reuid 65534 --regid 65534 --clear-groups /usr/bin/python3 -c "
import socket, time
s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
s.bind(b'\\0cpsample attaches to $pid')
print('ready', flush=True)
time.sleep(1000)" >name &
	pids="$pids $!"
	await grep -q ready name || fail "nobody cannot take a name"
	attach "$pid" 0.1 x.cps || fail "another user keeps it from being recorded: $(cat attach.err)"
	rm -f x.cps
fi

cat >filter.c <<'END'
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sys/prctl.h>
#include <unistd.h>
static volatile int is_made = 1;
static void *confine(void *unused)
{
	struct sock_filter f[] = {BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
	struct sock_fprog p = {1, f};
	while (!is_made) /* signals are blocked until then */
		usleep(1000);
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &p) == 0)
		write(1, "ready\n", 6);
	for (;;)
		pause();
	return unused;
}
int main(int argc, char **argv)
{
	pthread_t t;
	(void)argv;
	if (argc > 1) {
		is_made = 0;
		pthread_create(&t, NULL, confine, NULL);
		is_made = 1;
	} else
		confine(NULL);
	for (;;)
		pause();
}
END
$CC -pthread -o filter filter.c || fail "filter.c"
start out ./filter
refuses "$pid" 'is under a seccomp filter'
start out ./filter thread
refuses "$pid" 'is under a seccomp filter'

cat >traced.c <<'END'
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <stdlib.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	int pid = argc > 1 ? atoi(argv[1]) : 0;
	if (ptrace(PTRACE_SEIZE, pid, 0, 0) == 0)
		write(1, "ready\n", 6);
	if (argc > 2)
		usleep(100000);
	else
		pause();
	return 0;
}
END
$CC -o traced traced.c || fail "traced.c"
start out "$targets/attached" threads
traced=$pid
start out2 ./traced "$traced"
refuses "$traced" "is traced already, by process $pid"
# A tracer that is over at once, such as another cpsample's, is waited for.
stop tracer
start out2 ./traced "$traced" moment
attach "$traced" 0.1 x.cps || fail "a tracer of a moment is not waited for: $(cat attach.err)"
rm -f x.cps

if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
	chmod 755 .
	cp "$targets/attached" here && chmod 755 here
	start out3 setpriv --reuid 65534 --regid 65534 --clear-groups ./here threads
	refuses "$pid" 'its user (65534) cannot write to'
	traced=$pid
	setpriv --reuid 65534 --regid 65534 --clear-groups "$attacher" --library "$LIBRARY" --directory /tmp $$ 2>err &&
		fail "a process of root's was attached to by nobody"
	grep -q 'may not be traced by this user' err || fail "$(cat err)"
fi
