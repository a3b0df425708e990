#!/bin/sh
# SPDX-License-Identifier: MIT
# A recording that has no end says what has become of its process: it is still running, it has become another program
# past the C library, or it is gone. A bare exit_group by syscall(2), or of a program of Go, is an end like any other.
# May run beside others.
#
# Seen to fail: all of these were "cut (killed?)". If the process's start is not looked at, the recording of a process
# that is gone belongs to any later one with its number.
. "$(dirname "$0")/../lib.sh"
[ -z "$beside" ] || skip "env and shells have recordings, too, if their waits are counted"
need python3
export CPSAMPLE_RESOURCES="$signals" CPSAMPLE_OUTPUT=x.cps

# ended WORD TEXT MESSAGE FILE...: what --info and a warning say of the first file
ended() {
	word=$1 text=$2 message=$3
	shift 3
	"$CPCONV" --info --tsv "$@" 2>err | awk -F "$tab" '$1 == "ended" { print $2; exit }' >got
	[ "$(cat got)" = "$word" ] || fail "ended: $(cat got), not $word: $(cat err)"
	"$CPCONV" --info "$@" 2>/dev/null | grep -q "$text" || fail "$word: $("$CPCONV" --info "$@" 2>&1)"
	grep -q "^cpconv: $1: $message" err || fail "$word: warned: $(cat err)"
}

env "LD_PRELOAD=$LIBRARY" "$targets/spin" 600000 >/dev/null &
pid=$!
is_ready() { grep -q libcpsample "/proc/$pid/maps" && grep -q "^SigCgt:.*[1-9a-f]" "/proc/$pid/status"; }
await is_ready || fail "does not start"
has_journal() {
	kill -PROF $pid
	[ -e x.cps.journal ]
}
await has_journal || fail "no recording"
ended running "in progress: the program is still running; its journal was read" "in progress: " x.cps
"$CPCONV" --strict --info x.cps >/dev/null 2>&1 && fail "--strict takes a recording in progress"
mv x.cps alone.cps # where the journal is not at hand
ended running "in progress: the program is still running" "in progress: " alone.cps
mv alone.cps x.cps
kill -KILL $pid
wait $pid 2>/dev/null
ended killed "no end after byte [0-9]*: the process was killed by a signal, or" "warning: no end after byte" x.cps

# The number of the process is now that of another one, which began later.
cat >forge.py <<'END'
import os, sys, zlib
sys.path[:0] = []
def varint(data, at):
    n = shift = 0
    while True:
        b = data[at]; at += 1
        n |= (b & 127) << shift; shift += 7
        if b < 128: return n, at
def put(n):
    out = bytearray()
    while n > 127: out.append(n & 127 | 128); n >>= 7
    out.append(n)
    return bytes(out)
data = open("x.cps", "rb").read()
stream = zlib.decompressobj().decompress(data[9:])
tag, at = varint(stream, 0)
length, at = varint(stream, at)
key, field = varint(stream, at)
assert (tag, key) == (1, 2), "the first field is the process's number"
old, rest = varint(stream, field)
payload = put(2) + put(int(sys.argv[1])) + stream[rest:at + length]
record = put(1) + put(len(payload)) + payload
record += zlib.crc32(record).to_bytes(4, "little")
z = zlib.compressobj()
packed = z.compress(record + stream[at + length + 4:]) + z.flush(zlib.Z_SYNC_FLUSH)
open("forged.cps", "wb").write(data[:9] + packed)
END
sleep 3
sleep 60 &
python3 forge.py $! || fail "cannot forge"
ended killed "killed by a signal" "warning: no end after byte" forged.cps
kill $!
rm ./*.cps*

# A program that becomes another one by a system call of its own, and the recording of that one.
cat >becomes.c <<'END'
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>
extern char **environ;
int main(int argc, char **argv)
{
	long result;

	raise(SIGPROF);
	(void)argc;
#if defined(__aarch64__)
	register long x8 __asm__("x8") = SYS_execve, x0 __asm__("x0") = (long)argv[1];
	register long x1 __asm__("x1") = (long)(argv + 1), x2 __asm__("x2") = (long)environ;

	__asm__ volatile("svc #0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2) : "memory");
	result = x0;
#else
	__asm__ volatile("syscall" : "=a"(result) : "a"(SYS_execve), "D"(argv[1]), "S"(argv + 1), "d"(environ)
			 : "rcx", "r11", "memory");
#endif
	return (int)result;
}
END
$CC -o becomes becomes.c || fail "cc"
env "LD_PRELOAD=$LIBRARY" CPSAMPLE_OUTPUT=%e.cps ./becomes /bin/sleep 600 &
pid=$!
is_sleep() { [ "$(cat /proc/$pid/comm)" = sleep ]; }
await is_sleep || fail "did not become sleep"
await is_ready || fail "sleep does not start"
ended exec "no end after byte [0-9]*: the process became another program" "warning: no end after byte" becomes.cps
kill -PROF $pid
has_two() { [ -f sleep.cps.journal ]; }
await has_two || fail "sleep was not recorded"
kill -KILL $pid
wait $pid 2>/dev/null
ended killed "killed by a signal" "warning: no end after byte" becomes.cps
# Read together with the recording of the other program, it says so also after the end of both.
ended exec "became another program" "warning: no end after byte" becomes.cps sleep.cps
rm ./*.cps*

echo 'import os, ctypes, signal
os.kill(os.getpid(), signal.SIGPROF)
ctypes.CDLL(None).syscall(94 if os.uname().machine == "aarch64" else 231, 9)' >leaves.py
record python3 leaves.py
status=$?
[ $status -eq 9 ] || fail "exit_group by syscall(2): $status"
[ "$(info x.cps ended)" = clean ] || fail "exit_group by syscall(2): $(info x.cps ended)"

# A program of Go ends by a system call of its own, whatever it has done. That is an end like any other if the journal
# is there: nobody is warned. The note is what Go's linker leaves in every program. Seen to fail: "killed", and a
# warning.
cat >note.s <<'END'
	.section .note.go.buildid, "a", @note
	.balign 4
	.long 4, 4, 4
	.ascii "Go\0\0abcd"
	.section .note.GNU-stack, "", @progbits
END
cat >leaves.c <<'END'
#include <signal.h>
#include <sys/syscall.h>
int main(void)
{
	raise(SIGPROF);
#if defined(__aarch64__)
	register long x8 __asm__("x8") = SYS_exit_group, x0 __asm__("x0") = 9;

	__asm__ volatile("svc #0" : : "r"(x8), "r"(x0) : "memory");
#else
	__asm__ volatile("syscall" : : "a"(SYS_exit_group), "D"(9) : "rcx", "r11", "memory");
#endif
}
END
# leaves FILE...: the recording x.cps of what these make
leaves() {
	rm -f x.cps*
	$CC -o leaves "$@" || fail "cc"
	record ./leaves
	status=$?
	[ $status -eq 9 ] || fail "leaves: $status"
}
leaves leaves.c
ended killed "killed by a signal" "warning: no end after byte" x.cps
leaves leaves.c note.s
"$CPCONV" --strict --info x.cps >out 2>err || fail "a program of Go: $(cat err)"
[ ! -s err ] || fail "a program of Go: $(cat err)"
grep -q "no end record: the program ended past the C library, as Go's programs do" out || fail "Go: $(cat out)"
[ "$(info x.cps ended)" = left ] || fail "a program of Go: $(info x.cps ended)"
"$CPCONV" --flat x.cps 2>&1 | grep -q "^1 sample" || fail "a program of Go: $("$CPCONV" x.cps)"
rm x.cps.journal # what it has is missing
ended killed "killed by a signal" "warning: no end after byte" x.cps
# A library of Go in another program does not end that one.
$CC -shared -o library.so note.s && $CC -o leaves leaves.c -Wl,--no-as-needed ./library.so || fail "cc"
rm -f x.cps*
record ./leaves
ended killed "killed by a signal" "warning: no end after byte" x.cps
