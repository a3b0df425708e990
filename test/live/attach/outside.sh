#!/bin/sh
# SPDX-License-Identifier: MIT
# What nothing can be loaded into is recorded from outside: static programs, with musl, and Go programs. Functions have the shares
# that the program measures itself, threads their names and all of their CPU time, also those that begin later and live for 1 ms. A
# program that executes another one, ends, or is killed has whole recordings. Stacks that are longer than their copy are marked.
#
# The kernel's own account of the process says how much CPU time there was.
#
# Seen to fail: with a thread's whole CPU time since its start as its rest, more than all was credited; with events of one
# processor only, half of what the process had used; without looking into .eh_frame by sections, no stack of static programs was
# whole; when the first buffer took what there was room for, a user of two processors was refused; with child processes watched
# where the kernel knows no inherit_thread, a child that executed a program ended the recording (77 in 2 s); when each
# living thread got what it had used until its records were read, 103.8 % was credited beside other work.
#
# Chance: shares of n samples are off by more than five standard deviations, or all of several tries are.
#
# May run beside others.
. "$(dirname "$0")/../lib.sh"
. "$root/test/live/attach.sh"

# outside PID SECONDS FILE
outside() { attach "$1" "$2" "$3" --outside; }

sleep 1000 &
pids="$pids $!"
CPSAMPLE_OUTPUT=$PWD/no.cps "$attacher" --library "$LIBRARY" --directory "$PWD" --outside --duration 0.01 $! 2>err ||
	skip "no perf events here: $(cat err)"

cat >truth.c <<'END'
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
static volatile unsigned long sink;
static volatile sig_atomic_t ends;
static double used[2];
static void on_term(int number) { (void)number; ends = 1; }
static double cpu(void)
{
	struct timespec t;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}
static void spin(double seconds, double *sum)
{
	double begin = cpu(), now;
	do
		for (int i = 0; i < 50000; i++)
			sink += (unsigned long)i;
	while ((now = cpu()) < begin + seconds);
	if (sum)
		*sum += now - begin;
}
void one(double *sum) { spin(0.01, sum); sink++; }
void three(double *sum) { spin(0.03, sum); sink++; }
void deep(int n, double *sum) { n ? deep(n - 1, sum) : three(sum); sink++; }
static void *work(void *is_main)
{
	do {
		one(is_main ? &used[0] : NULL);
		deep(is_main ? 30 : 3, is_main ? &used[1] : NULL);
	} while (!is_main || !ends);
	return NULL;
}
int main(void)
{
	struct timespec all;
	pthread_t t;
	signal(SIGTERM, on_term);
	pthread_create(&t, NULL, work, NULL);
	write(1, "ready\n", 6);
	work(&used);
	printf("share %.4f\n", used[1] / (used[0] + used[1]));
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &all);
	printf("used %ld%09ld\n", (long)all.tv_sec, all.tv_nsec);
	fflush(stdout);
	_exit(3);
}
END

cat >truth.go <<'END'
package main

import (
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"sync/atomic"
	"syscall"
)

var sink int
var ends int32

func cpu() float64 {
	var r syscall.Rusage
	syscall.Getrusage(1, &r) // of the thread
	return float64(r.Utime.Sec+r.Stime.Sec) + float64(r.Utime.Usec+r.Stime.Usec)*1e-6
}

//go:noinline
func spin(n int) float64 {
	begin := cpu()
	for i := 0; i < n*4000000; i++ {
		sink += i
	}
	return cpu() - begin
}

//go:noinline
func one() float64 { return spin(1) + 0*float64(sink) }

//go:noinline
func three() float64 { return spin(3) + 0*float64(sink) }

//go:noinline
func deep(n int) float64 {
	if n > 0 {
		return deep(n-1) + 0*float64(sink)
	}
	return three() + 0*float64(sink)
}

func main() {
	var used [2]float64
	c := make(chan os.Signal, 1)
	signal.Notify(c, syscall.SIGTERM)
	go func() { <-c; atomic.StoreInt32(&ends, 1) }()
	runtime.LockOSThread()
	fmt.Println("ready")
	for atomic.LoadInt32(&ends) == 0 {
		used[0] += one()
		used[1] += deep(20)
	}
	fmt.Printf("share %.4f\n", used[1]/(used[0]+used[1]))
	os.Exit(3)
}
END

# share FUNCTION FUNCTION: of the second in both, and how many samples they have
share() {
	"$CPCONV" --folded --unit samples x.cps | awk -v one="$1" -v three="$2" '
		{ n = $NF; sub(/ [0-9]*$/, "") }
		index(";" $0 ";", ";" one ";") { a += n }
		index(";" $0 ";", ";" three ";") { b += n }
		END { printf "%.4f %d\n", a + b ? b / (a + b) : 0, a + b }'
}

# try PROGRAM ONE THREE: more time each time
try() {
	seconds=1
	while [ $seconds -le 8 ]; do
		outside "$pid" $seconds x.cps || fail "$1: $(cat attach.err)"
		# shellcheck disable=SC2046 # two numbers
		set -- "$1" "$2" "$3" $(share "$2" "$3")
		[ "$5" -lt 200 ] || break
		seconds=$((seconds * 2))
	done
}

# measure PROGRAM STATUS-OF-INJECTION-TEXT WHOLE-PERCENT ONE THREE
measure() {
	start out "./$1"
	if attach "$pid" 0.1 no.cps; then fail "$1: was loaded into"; fi
	grep -q -- "$2; --outside records it without touching it" attach.err || fail "$1: $(cat attach.err)"
	try "$1" "$4" "$5"
	# shellcheck disable=SC2046 # two numbers
	set -- "$1" "$2" "$3" "$4" "$5" $(share "$4" "$5")
	stop "$1"
	[ $status -eq 3 ] || fail "$1: ended with $status"
	truth=$(sed -n 's/^share //p' out)
	note "$1: $6 of $7 samples, by itself $truth, whole $(info x.cps complete_percent) %"
	# A cycle that was cut at both ends, too.
	awk -v a="$6" -v n="$7" -v b="$truth" 'BEGIN {
		d = a - b; d = d < 0 ? -d : d
		exit !(n && d < 5 * sqrt(b * (1 - b) / n) + 10 / n)
	}' || fail "$1: a share of $6 in $7 samples, and $truth by itself"
	mostly_whole x.cps "$3" || fail "$1: whole stacks: $(info x.cps complete_percent) %"
	[ "$(info x.cps engine)" = outside ] || fail "$1: $("$CPCONV" --info x.cps)"
	[ "$(info x.cps began_ns)" -lt "$(info x.cps start_ns)" ] || fail "$1: it was not there before"
	within 2 "$(info x.cps credited_ns)" "$(info x.cps process_cpu_ns)" || fail "$1: credited: $("$CPCONV" --info x.cps)"
}

flags='-O1 -g -fno-inline -fno-optimize-sibling-calls -pthread -Wno-unused-result'
# shellcheck disable=SC2086 # several words
if $CC $flags -static -o static truth.c 2>/dev/null; then
	measure static 'is statically linked, so that nothing can be loaded into it' 99 one three
fi
if command -v musl-gcc >/dev/null; then
	# shellcheck disable=SC2086 # several words
	musl-gcc $flags -o musl truth.c || fail "truth.c with musl"
	measure musl 'uses musl, and libcpsample.so needs glibc' 0 one three
fi
if command -v go >/dev/null; then
	GOCACHE=$PWD/cache GO111MODULE=off go build -o gotruth truth.go || fail truth.go
	measure gotruth 'is statically linked, so that nothing can be loaded into it' 95 main.one main.three
fi

# Threads that live for 1 ms, and those that begin later.
start out "$targets/attached" threads
outside "$pid" 2 x.cps || fail "threads: $(cat attach.err)"
stop threads
[ $status -eq 0 ] || fail "threads: ended with $status"
grep -qx 'interrupted 0 wrong 0' out || fail "threads: $(cat out)"
within 2 "$(info x.cps credited_ns)" "$(info x.cps process_cpu_ns)" || fail "threads: $("$CPCONV" --info x.cps)"
"$CPCONV" --folded x.cps | grep -q 'work;deep;.*leaf' || fail "threads: $("$CPCONV" --folded x.cps)"

# What is recorded until the program ends is all that it uses from then on, by the kernel's account of the process: at least what
# it uses after the recording is there, at most what it uses after the launcher starts.
process_ns() { awk -v hz="$(getconf CLK_TCK)" '{ sub(/.*\) /, ""); printf "%.0f\n", ($12 + $13) / hz * 1e9 }' "/proc/$pid/stat"; }
$CC -O1 -pthread -Wno-unused-result -o dynamic truth.c || fail truth.c
start out ./dynamic
rm -f x.cps
before=$(process_ns)
CPSAMPLE_OUTPUT=$PWD/x.cps "$attacher" --library "$LIBRARY" --directory "$PWD" --outside "$pid" 2>attach.err &
recorder=$!
pids="$pids $recorder"
await test -s x.cps || fail "used: $(cat attach.err)"
begun=$(process_ns)
sleep 2 # nothing depends on it
stop used
wait $recorder || fail "used: the launcher ended with $?: $(cat attach.err)"
awk -v used="$(sed -n 's/^used //p' out)" -v before="$before" -v begun="$begun" -v told="$(info x.cps process_cpu_ns)" 'BEGIN {
	exit !(told > 0.97 * (used - begun) - 3e7 && told < 1.03 * (used - before) + 3e7)
}' || fail "used: $(cat out), $before before, $begun when it was recorded: $("$CPCONV" --info x.cps)"
not_sampled=$("$CPCONV" --folded x.cps | awk '{ n += $NF } /not sampled/ { m += $NF } END { printf "%.0f\n", n ? 100 * m / n : 100 }')
note "used: not sampled $not_sampled %"
[ "$not_sampled" -lt 50 ] || fail "used: $("$CPCONV" --folded x.cps)"

cat >long.c <<'END'
#include <unistd.h>
static volatile unsigned long sink;
int deep(int n)
{
	volatile char bytes[1000];
	bytes[0] = (char)n;
	if (n)
		deep(n - 1);
	for (; !n;)
		sink++;
	return bytes[0];
}
int main(void) { write(1, "ready\n", 6); return deep(100); }
END
$CC -O1 -fno-optimize-sibling-calls -Wno-unused-result -o long long.c || fail long.c
start out ./long
outside "$pid" 1 x.cps || fail "long: $(cat attach.err)"
"$CPCONV" --info x.cps | grep -q '^  *100.00 % longer than what was copied of them' || fail "long: $("$CPCONV" --info x.cps)"

# ends HOW STATUS ENDED: while it is recorded
ends() {
	rm -f x.cps* x.1.cps
	start out "$targets/attached" ends "$1" threads
	CPSAMPLE_OUTPUT=$PWD/x.cps "$attacher" --library "$LIBRARY" --directory "$PWD" --outside "$pid" 2>attach.err &
	recorder=$!
	pids="$pids $recorder"
	await test -s x.cps || fail "$1: $(cat attach.err)"
	if [ "$1" = kill ]; then kill -KILL "$pid"; else kill -USR1 "$pid"; fi
	wait "$pid"
	status=$?
	[ $status -eq "$2" ] || fail "$1: ended with $status, not $2"
	wait $recorder || fail "$1: the launcher ended with $?: $(cat attach.err)"
	[ "$(info x.cps ended)" = "$3" ] || fail "$1: the recording says $(info x.cps ended), not $3"
	[ ! -e x.cps.journal ] || fail "$1: its journal stays"
}
ends exec 5 exec
ends clean 7 clean
ends kill 137 clean

# What becomes another program has two recordings, and goes on.
# shellcheck disable=SC2016 # it is for that shell
start out sh -c 'echo ready; until [ -e go ]; do sleep 0.1; done; exec "$0" storm' "$targets/attached"
rm -f x.cps x.1.cps
CPSAMPLE_OUTPUT=$PWD/x.cps "$attacher" --library "$LIBRARY" --directory "$PWD" --outside "$pid" 2>attach.err &
recorder=$!
pids="$pids $recorder"
await test -s x.cps || fail "exec: no recording: $(cat attach.err)"
: >go
await test -s x.1.cps || fail "exec: no second recording: $(cat attach.err)"
sleep 0.5 # nothing depends on it
kill -INT $recorder
wait $recorder || fail "exec: the launcher ended with $?: $(cat attach.err)"
[ "$(info x.cps ended)" = exec ] || fail "exec: the first says $(info x.cps ended)"
[ "$(info x.1.cps ended)" = detached ] || fail "exec: the second says $(info x.1.cps ended)"
"$CPCONV" --info x.1.cps | grep -q '^command .*attached storm$' || fail "exec: $("$CPCONV" --info x.1.cps)"
stop exec
[ $status -eq 0 ] || fail "exec: ended with $status"

# Another user may not be able to reach the build directory.
cp "$attacher" attacher && cp "$LIBRARY" library.so && chmod 755 attacher library.so

# Another user's process is refused in one line. To try it takes root.
if [ "$(id -u)" -eq 0 ] && setpriv --reuid 65534 --clear-groups true 2>/dev/null; then
	chmod 777 .
	if setpriv --reuid 65534 --regid 65534 --clear-groups ./attacher --library "$PWD/library.so" --directory "$PWD" \
		--outside --duration 0.1 $$ 2>err; then
		fail "another user's process was recorded"
	fi
	[ "$(wc -l <err)" -eq 1 ] || fail "not one line: $(cat err)"
	grep -q "^cpsample: $$: may not be watched" err || fail "$(cat err)"
fi

# There is room for buffers of all processors, or of none.
# few [AS...]: record a program of one's own with little memory
few() {
	# shellcheck disable=SC2016 # it is for that shell
	"$@" sh -c 'ulimit -l 64; sleep 1000 & "$@" $!; status=$?; kill $!; exit $status' few \
		./attacher --library "$PWD/library.so" --directory "$PWD" --outside --duration 0.1 2>err || fail "little memory: $(cat err)"
}
if [ "$(cat /proc/sys/kernel/perf_event_mlock_kb)" -ge 516 ] && [ "$(cat /proc/sys/kernel/perf_event_paranoid)" -le 2 ]; then
	if [ "$(id -u)" -ne 0 ]; then
		few
	elif setpriv --reuid 65534 --clear-groups true 2>/dev/null; then
		few setpriv --reuid 65534 --regid 65534 --clear-groups
	fi
fi

# A kernel that tells no threads from child processes.
cat >old.c <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <sys/syscall.h>
long syscall(long n, long a, long b, long c, long d, long e, long f)
{
	long (*next)(long, ...) = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
	if (n == SYS_perf_event_open && ((struct perf_event_attr *)a)->inherit_thread) {
		errno = EINVAL;
		return -1;
	}
	return next(n, a, b, c, d, e, f);
}
END
$CC -shared -fPIC -o old.so old.c -ldl || fail old.c
sleep 1000 &
pids="$pids $!"
if LD_PRELOAD=$PWD/old.so "$attacher" --library "$LIBRARY" --directory "$PWD" --outside --duration 0.1 $! 2>err; then
	fail "was recorded by an old kernel"
fi
grep -q -- '--outside takes Linux 5.13$' err || fail "an old kernel: $(cat err)"
[ "$(wc -l <err)" -eq 1 ] || fail "not one line: $(cat err)"
