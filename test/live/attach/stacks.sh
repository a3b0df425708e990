#!/bin/sh
# SPDX-License-Identifier: MIT
# cpsample -p PID --stacks writes what all threads of a process are in: functions, inlined ones, lines, those of Python, and what they
# wait for; of programs with and without shared libraries, of other C libraries and Go, in another root, stopped, or with their
# file removed. The process has no tracer afterwards, and none of its calls has failed.
#
# Seen to fail: without an end of a read that nobody answers, which left the process standing; when files that were removed, or that
# lie in another root, were opened by the paths that the process has for them; generated code had no names.
#
# May run beside others.
. "$(dirname "$0")/../lib.sh"
. "$root/test/live/attach.sh"
can_attach
stacks=$BUILD/cpsample-stacks
source=$root/test/targets/stacks.c

# dump [OPTION...]: of $pid into the file "dump"
dump() {
	"$stacks" "$@" "$pid" >dump 2>dump.err || fail "$pid $*: exit $?: $(cat dump.err)"
	[ ! -s dump.err ] || fail "$pid $*: $(cat dump.err)"
	grep -q '^TracerPid:.0$' "/proc/$pid/status" || fail "$pid $*: it has a tracer"
}

# line TEXT: its number in the program
line() {
	awk -v text="$1" 'index($0, text) { print NR; exit }' "$source"
}

# has LINE...: these lines follow each other in the dump, numbers of frames left out
has() {
	printf '%s\n' "$@" >want
	sed 's/^ *[0-9][0-9]*  //' dump | awk '
		NR == FNR { want[++n] = $0; next }
		{ at = $0 == want[at + 1] ? at + 1 : $0 == want[1] }
		at == n { found = 1; exit }
		END { exit !found }' want - || fail "no $* in: $(cat dump)"
}

# begins FILE ARGUMENT...: starts it, and dumps
begins() {
	start out "$@"
	dump
}

# ends NAME: none of its calls has failed
ends() {
	kill -KILL "$pid"
	wait "$pid"
	! grep -q interrupted out || fail "$1: a call has failed"
}

# together N: whether so many threads are in the same by now
together() {
	dump
	grep -q "^$1 threads, " dump
}

begins "$targets/stacks" threads 5
await together 5 || fail "not one group: $(cat dump)"
grep -q '^6 threads, stopped for [0-9.]* ms$' dump || fail "$(cat dump)"
grep -Eq "^thread $pid \\(stacks\\): sleeping in epoll_wait" dump || fail "$(cat dump)"
has "at_end stacks.c:$(line 'epoll_wait(fd')"
[ "$(tr '\n' ' ' <dump | grep -Eo '5 threads, ([0-9]+ \(stacks\),? *){5}: +sleeping in read' | wc -l)" = 1 ] || fail "$(cat dump)"
has "wait_here stacks.c:$(line 'read(ends[0]')" "inner stacks.c:$(line '	wait_here();')" "middle stacks.c:$(line '	inner();')" \
	"outer stacks.c:$(line '	middle();')"
dump --form each
[ "$(grep -c '^thread ' dump)" = 6 ] || fail "--each: $(cat dump)"
dump --form folded
grep -q ';outer stacks.c:[0-9]*;middle stacks.c:[0-9]*;inner stacks.c:[0-9]*;wait_here stacks.c:[0-9]*;.*read.* 5$' dump || fail "--folded: $(cat dump)"
cp dump x.folded
"$CPCONV" --functions x.folded >functions 2>&1 || fail "cpconv cannot read it: $(cat functions)"
"$cpsample" -p "$pid" --stacks >dump || fail "cpsample --stacks: exit $?"
grep -q '^6 threads' dump || fail "cpsample --stacks: $(cat dump)"
for i in 1 2 3 4 5 6 7 8; do dump; done
kill -STOP "$pid"
await grep -q '^State:.*T' "/proc/$pid/status"
dump
grep -q '^State:.*T' "/proc/$pid/status" || fail "a stopped process goes on"
has "inner stacks.c:$(line '	wait_here();')" "middle stacks.c:$(line '	inner();')"
kill -CONT "$pid"
await grep -q '^State:.*S' "/proc/$pid/status"
dump
if [ "$("$stacks" "$pid" 4194303 2>err | grep -c '^process')" != 1 ] || ! grep -q '4194303: there is no such process' err; then
	fail "two: $(cat err)"
fi
# SIGCONT ends epoll_wait, as it does without this test: only what came before counts.
kill -KILL "$pid"
wait "$pid"

begins "$targets/stacks" threads 1000
note "1,000 threads: $(sed -n 2p dump)"
await together 1000 || fail "not one group: $(head -n 30 dump)"
ends threads

begins "$targets/stacks" deep 10000
note "10,000 frames: $(sed -n 2p dump)"
has "at_end stacks.c:$(line 'epoll_wait(fd')" "recurs stacks.c:$(line '		at_end();')" "recurs stacks.c:$(line 'recurs(n - 1)')" \
	'      ... and 9999 more of these' "main stacks.c:$(line 'recurs(atol')"
ends deep

begins "$targets/stacks" handler
sed -n 's/^ *[0-9]*  \([a-z_]*\).*/\1/p' dump | grep -xE 'at_end|on_signal|interrupted_here|main' | tr '\n' ' ' >order
[ "$(cat order)" = 'at_end on_signal interrupted_here main ' ] || fail "handler: $(cat dump)"
ends handler

begins "$targets/stacks" spins
grep -q '^thread .*: running$' dump || fail "spins: $(cat dump)"
grep -q 'spins_here stacks.c:' dump || fail "spins: $(cat dump)"
ends spins

begins "$targets/stacks" name "$(printf '\033[31mred\302\233')"
if LC_ALL=C grep -q "$(printf '\033')" dump || LC_ALL=C grep -q "$(printf '\302\233')" dump; then fail "the name has reached the terminal"; fi
grep -q 'red' dump || fail "name: $(cat dump)"
ends name

start out "$targets/stacks" vfork
await grep -q '^State:.*D' "/proc/$pid/status"
child=$(cat "/proc/$pid/task/$pid/children")
pids="$pids $child"
dump
grep -q 'in vfork.*it did not stop' dump || fail "vfork: $(cat dump)"
kill -KILL "$child"
await grep -q '^State:.*S' "/proc/$pid/status"
dump
has "at_end stacks.c:$(line 'epoll_wait(fd')"
ends vfork

# A page of its stack that is not given to who reads it does not keep it standing. Only where that can be made.
: >out
"$targets/stacks" unanswered >out &
pid=$!
pids="$pids $pid"
await test -s out
if grep -q ready out; then
	if "$stacks" "$pid" >dump 2>dump.err; then fail "what cannot be read was read: $(cat dump)"; fi
	grep -qx "cpsample: $pid: its stacks cannot be had: its memory takes more than 5 s to read" dump.err || fail "$(cat dump.err)"
	await grep -q '^State:.*S' "/proc/$pid/status"
	grep -q '^TracerPid:.0$' "/proc/$pid/status" || fail "unanswered: it has a tracer"
	kill -KILL "$pid"
fi
wait "$pid"

# Generated code has the names of the map in /tmp, unless that is older than the process.
cat >generates.c <<'END'
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
int main(void)
{
	unsigned char *code = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char name[64];
	FILE *f;
	memcpy(code, "\xeb\xfe", 2); /* jmp to itself */
	snprintf(name, sizeof(name), "/tmp/perf-%d.map", getpid());
	f = fopen(name, "w");
	fprintf(f, "%lx 10 generated_\033loop\n", (unsigned long)code);
	fclose(f);
	write(1, "ready\n", 6);
	((void (*)(void))code)();
	return 0;
}
END
$CC -O1 -Wno-unused-result -o generates generates.c || fail generates.c
begins ./generates
grep -qxF '   0  generated_\x1bloop' dump || fail "generated code has no name: $(cat dump)"
touch -d '2000-01-01' "/tmp/perf-$pid.map"
dump
grep -q '   0  .*(generated code)$' dump || fail "a map of an older process was taken: $(cat dump)"
rm -f "/tmp/perf-$pid.map"
kill -KILL "$pid"

# Each call that the kernel ends with EINTR is made again.
for how in epoll_wait poll select nanosleep recv sem_timedwait; do
	start out "$targets/attached" block $how
	i=0
	while [ $i -lt 10 ]; do
		i=$((i + 1))
		dump
	done
	stop $how
	grep -qx 'interrupted 0 wrong 0' out || fail "$how: $(cat out)"
done
start out "$targets/attached" storm
i=0
while [ $i -lt 10 ]; do
	i=$((i + 1))
	dump
done
stop storm
[ $status -eq 0 ] || fail "storm: ended with $status"

# A file that is gone, or lies below another root.
cp "$targets/stacks" gone
start out ./gone threads 1
rm gone
dump
has "inner stacks.c:$(line '	wait_here();')" "middle stacks.c:$(line '	inner();')"
ends gone

flags='-std=gnu11 -D_GNU_SOURCE -O1 -g -fno-inline -fno-optimize-sibling-calls -w'
# shellcheck disable=SC2086 # flags
if $CC $flags -static -pthread -o static "$source" 2>/dev/null; then
	begins ./static threads 2
	has "inner stacks.c:$(line '	wait_here();')" "middle stacks.c:$(line '	inner();')" "outer stacks.c:$(line '	middle();')"
	ends static
	mkdir other
	cp static other/below
	if [ "$(id -u)" = 0 ]; then
		begins chroot other /below threads 2
		has "inner stacks.c:$(line '	wait_here();')" "middle stacks.c:$(line '	inner();')"
		ends chroot
	fi
fi
# shellcheck disable=SC2086 # flags
if command -v musl-gcc >/dev/null && musl-gcc $flags -o musl "$source" 2>/dev/null; then
	begins ./musl threads 2
	has "inner stacks.c:$(line '	wait_here();')" "middle stacks.c:$(line '	inner();')" "outer stacks.c:$(line '	middle();')"
	grep -q 'wait_here stacks.c:[0-9]* (a guess)' dump || fail "musl: $(cat dump)"
	ends musl
fi

# Python: recursion through C code and without, a generator, and a thread without the lock.
cat >lines.py <<'END'
import threading, time
def inner(n):
    if n:
        return list(map(inner, [n - 1]))
    time.sleep(1000)
def work():
    inner(2)
def steps():
    yield 1
    work()
threading.Thread(target=work, daemon=True).start()
print("ready", flush=True)
for step in steps():
    pass
END
versions=''
for python in /usr/bin/python3.[89] /usr/bin/python3.1[0-3] "${HOME:-/}"/.pyenv/versions/3.*/bin/python3.[89] \
	"${HOME:-/}"/.pyenv/versions/3.*/bin/python3.1[0-3]; do
	[ -x "$python" ] && "$python" -c 'import threading' 2>/dev/null || continue
	start out "$python" lines.py
	await grep -q ' S ' "/proc/$pid/stat"
	asleep() {
		dump --form each
		[ "$(grep -c 'inner lines.py:5' dump)" = 2 ]
	}
	await asleep || fail "$python: $(cat dump)"
	grep -o '[a-z<>_]* lines\.py:[0-9]*' dump | tr '\n' ' ' >order
	[ "$(cat order)" = 'inner lines.py:5 inner lines.py:4 inner lines.py:4 work lines.py:7 steps lines.py:10 <module> lines.py:13 inner lines.py:5 inner lines.py:4 inner lines.py:4 work lines.py:7 ' ] ||
		fail "$python: $(cat order): $(cat dump)"
	! grep -q 'not known:' dump || fail "$python: $(cat dump)"
	kill -KILL "$pid"
	wait "$pid"
	versions="$versions ${python##*/}"
done
note "python:$versions"
