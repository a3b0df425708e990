#!/bin/sh
# SPDX-License-Identifier: MIT
# The resource fpe samples floating-point exceptions at the instructions that raise them. The program's results and
# flags are those of the bare run, in threads and children, too. Programs that enable exceptions or handle SIGFPE, block
# all signals, ask what is enabled, or end by such an exception do what they do without us. fpe:exact counts each one.
#
# Seen to fail:
# - With flags put back as a trap has left them, a result that is tiny and exact has flagged an underflow.
# - With masks of signals not looked at in ticks, a thread that blocks all signals is killed. With only one tick left out
#   around fegetenv, exceptions were saved as enabled on a busy machine, and the program was ended.
# - With a division of integers by zero passed on to SIG_IGN the program never ends.
# - If a fault is sent again to end the process, its origin is SI_TKILL (-6) in cores and to debuggers.
# - If the functions of fenv.h are first looked for when they are called, a thread waits for ever that a constructor waits for.
# - If the line of CPSAMPLE_VERBOSE is made by floating point, that ends a program that installs a filter of system calls.
. "$(dirname "$0")/../lib.sh"

program=$targets/fpe
if [ "$(uname -m)" != x86_64 ]; then
	mkdir other && (cd other && LD_PRELOAD=$LIBRARY CPSAMPLE_RESOURCES=fpe "$program" work 1) 2>err >/dev/null
	grep -q 'fpe: only x86-64' err || fail "not refused: $(cat err)"
	exit 0
fi

# run RESOURCE ARGUMENT...: the program in a directory of its own, as it is and recorded
run() {
	resource=$1
	shift
	rm -rf recorded && mkdir recorded
	"$program" "$@" >bare 2>&1
	echo "ended with $?" >>bare
	(
		cd recorded || exit
		LD_PRELOAD=$LIBRARY CPSAMPLE_RESOURCES=$resource "$program" "$@" 2>&1
		echo "ended with $?"
	) >out
	cmp -s bare out || fail "$resource: $*: $(diff bare out)"
}

# number FUNCTION: exceptions in it, in the table of functions
number() {
	awk -F "$tab" -v name="$1" '$NF == name { n = $1 } END { print n + 0 }' table
}

# Each place has 2 * 60 in each of two threads, or in the child. Two kinds are raised where results overflow, or underflow.
sums=
run fpe:exact everywhere 60
for stream in recorded/*.cps; do
	"$CPCONV" --flat --tsv --resource fpe:exact "$stream" >table || fail "cpconv: $stream"
	n=$(number divides)
	[ "$n" -eq 120 ] || [ "$n" -eq 240 ] || fail "$n divisions: $(cat table)"
	sums=$sums$n
	for place in "invalids 1" "overflows 2" "underflows 2" "rounds 1" "exact 0" "tiny_but_exact 0" "is_calm 0"; do
		[ "$(number "${place% *}")" -eq $((n * ${place#* })) ] || fail "$place: $(cat table)"
	done
done
[ "$sums" = 120240 ] || [ "$sums" = 240120 ] || fail "not all processes: $sums"

# At most one of each kind at a tick, each in its place.
run fpe work 300
stream=$(one_stream recorded) || fail "$stream"
ticks=$(info "$stream" samples)
"$CPCONV" --flat --tsv --resource fpe "$stream" >table || fail "cpconv"
for place in divides invalids overflows underflows; do
	[ "$(number $place)" -ge 1 ] && [ "$(number $place)" -le $((2 * (ticks + 2))) ] || fail "$place: $ticks ticks, $(cat table)"
done
for place in tiny_but_exact is_calm; do
	[ "$(number $place)" -eq 0 ] || fail "$place: $(cat table)"
done
for state in divide:divides invalid:invalids overflow:overflows underflow:underflows; do
	"$CPCONV" --flat --tsv --resource fpe --state ${state%:*} "$stream" >table || fail "cpconv: $state"
	awk -F "$tab" -v name="${state#*:}" '$1 > 0 && $NF != name { exit 1 }' table || fail "$state: $(cat table)"
done
note "$ticks ticks, $("$CPCONV" --info "$stream" | sed -n 's/^  fpe: //p')"

for resource in fpe fpe:exact; do
	for what in own block look die integer ignore exec; do
		run $resource $what 40
	done
done

# A handler that leaves by siglongjmp may come between a trap and its step, which then is never made. Seen to fail: with
# one step at a time, which was over only when it was made, there were no samples afterwards in every second run.
for try in 1 2 3; do
	run fpe:exact leave 50
	stream=$(one_stream recorded) || fail "$stream"
	"$CPCONV" --flat --tsv --resource fpe:exact "$stream" >table || fail "cpconv"
	at_least "$(number afterwards)" 10 || fail "try $try, after handlers that did not return: $(cat table)"
done

# The line at the end is written with signals blocked, before a filter of system calls is installed.
cat >leave.c <<'END'
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include "ROOT/test/targets/burn.h"
int main(void)
{
	struct sock_filter all[] = {{BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW}};
	struct sock_fprog filter = {1, all};
	burn_for(60, 100000);
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter);
	return 7;
}
END
sed -i "s,ROOT,$root," leave.c
$CC -O1 -o leave leave.c || fail "cannot build leave"
for resource in fpe fpe:exact; do
	rm -rf left && mkdir left
	(cd left && record CPSAMPLE_VERBOSE=1 CPSAMPLE_RESOURCES=$resource ../leave 2>err)
	status=$?
	[ $status -eq 7 ] || fail "$resource: a filter ended the program with $status"
	grep -q '^cpsample: .* 0\.[0-9][0-9][0-9] s of CPU time' left/err || fail "$resource: $(cat left/err)"
done

# A debugger that is there from the start is not stopped by traps, and one that comes later sees where a fault is from.
cat >debug.c <<'END'
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	int pipes[2], status, early = argc > 2 && strcmp(argv[1], "early") == 0, n = 0, code = 0;
	pid_t pid;
	if (pipe(pipes) != 0 || (pid = fork()) < 0)
		return 1;
	if (pid == 0) {
		dup2(pipes[0], 0);
		close(pipes[1]);
		if (early)
			ptrace(PTRACE_TRACEME, 0, 0, 0);
		execvp(argv[2], argv + 2);
		_exit(9);
	}
	close(pipes[0]);
	if (!early) {
		usleep(300000);
		if (ptrace(PTRACE_SEIZE, pid, 0, 0) != 0)
			return 2;
		write(pipes[1], "x", 1);
	}
	while (waitpid(pid, &status, 0) == pid && WIFSTOPPED(status)) {
		int number = WSTOPSIG(status);
		siginfo_t info;
		if (number == SIGFPE && ptrace(PTRACE_GETSIGINFO, pid, 0, &info) == 0) {
			n++;
			code = info.si_code;
		}
		ptrace(PTRACE_CONT, pid, 0, number == SIGTRAP && early ? 0 : number);
	}
	if (early)
		printf("%d\n", n);
	else
		printf("%d %d\n", WIFSIGNALED(status) ? WTERMSIG(status) : 0, code);
	return 0;
}
END
cat >fault.c <<'END'
#include <stdio.h>
#include <unistd.h>
int main(void)
{
	volatile int nothing = 0;
	char byte;
	if (read(0, &byte, 1) != 1)
		return 1;
	printf("%d\n", 7 / nothing);
	return 0;
}
END
$CC -O1 -o debug debug.c && $CC -O1 -o fault fault.c || fail "cannot build debug"
if got=$(record CPSAMPLE_RESOURCES=fpe CPSAMPLE_OUTPUT=fault.cps ./debug late env ./fault); then
	[ "$got" = "8 1" ] || fail "a division by zero ended with signal and code $got"
	got=$(record CPSAMPLE_RESOURCES=fpe CPSAMPLE_OUTPUT=early.cps ./debug early "$targets/fpe" work 40 2>err)
	[ "${got##*"
"}" = 0 ] || fail "a debugger has seen $got exceptions"
else
	note "no debuggers here"
fi

# A constructor of a library waits for a thread that looks at its exceptions for the first time.
cat >plugin.c <<'END'
#define _GNU_SOURCE
#include <fenv.h>
#include <pthread.h>
static void *look(void *unused)
{
	fegetexcept();
	return unused;
}
static void __attribute__((constructor)) begin(void)
{
	pthread_t thread;
	pthread_create(&thread, NULL, look, NULL);
	pthread_join(thread, NULL);
}
END
cat >loads.c <<'END'
#include <dlfcn.h>
#include <fenv.h>
int main(void)
{
	volatile int kinds = FE_ALL_EXCEPT;
	feraiseexcept(kinds & 0);
	return !dlopen("./plugin.so", RTLD_NOW);
}
END
$CC -O1 -shared -fPIC -o plugin.so plugin.c -pthread -lm && $CC -O1 -Wl,--no-as-needed -o loads loads.c -ldl -lm ||
	fail "cannot build loads"
record CPSAMPLE_RESOURCES=fpe CPSAMPLE_OUTPUT=loads.cps timeout -s KILL 60 ./loads || fail "loads ended with $?"

# What a handler masks is unmasked again when it returns. Seen to fail: each of these died of SIGFPE, and with fpe:exact
# of SIGTRAP.
cat >handler.c <<'END'
#define _GNU_SOURCE
#include <fenv.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include "ROOT/test/targets/burn.h"
static volatile double x = 1, y = 3, z;
static volatile uint64_t sink;
static void work(int ms)
{
	uint64_t end = cpu_ns(CLOCK_THREAD_CPUTIME_ID) + (uint64_t)ms * 1000000;
	while (cpu_ns(CLOCK_THREAD_CPUTIME_ID) < end)
		sink = burn(sink, 10000);
}
static void handler(int number)
{
	(void)number;
	work(30);
}
static void *divide(void *unused)
{
	work(30);
	z = x / y;
	return unused;
}
int main(int argc, char **argv)
{
	struct sigaction action = {.sa_handler = handler};
	sigset_t all;
	pthread_t thread;
	fenv_t environment;
	femode_t mode;
	sigfillset(&all);
	action.sa_mask = all;
	sigaction(SIGUSR1, &action, NULL);
	work(60);
	raise(SIGUSR1);
	switch (argc > 1 ? argv[1][0] : 0) {
	case 't':
		pthread_create(&thread, NULL, divide, NULL);
		pthread_join(thread, NULL);
		break;
	case 'e':
		feholdexcept(&environment);
		z = x / y;
		feupdateenv(&environment);
		break;
	case 'm':
		fegetmode(&mode);
		sigprocmask(SIG_BLOCK, &all, NULL);
		fesetmode(&mode);
		break;
	default:
		sigprocmask(SIG_BLOCK, &all, NULL);
	}
	z = x / y;
	puts("fine");
	return 0;
}
END
sed -i "s,ROOT,$root," handler.c
$CC -O1 -o handler handler.c -lm -pthread || fail "cannot build handler"
program=$PWD/handler
for resource in fpe fpe:exact; do
	for what in block thread environment mode; do
		run $resource $what
	done
done
