#!/bin/sh
# SPDX-License-Identifier: MIT
# May run beside others.
# Not in short runs: it takes 15 s.
#
# A program may become another one by a system call of its own, past the C library. No signal of the recorder's reaches
# the next program: neither those of clocks nor of events that the kernel counts, also if another thread than the first one makes
# the call, or another process has the same memory. What cannot do so is refused in one line.
#
# With CPSAMPLE_KERNEL_TICKS=on the ticks of perf would, so a program with Go's runtime, which does this, is recorded by `timer`.
#
# Seen to fail:
# - With setitimer, 9 of 10 programs are ended by SIGPROF.
# - With perf events that strike in the kernel, all programs are ended by signal 32 with faults:1.
# - Without remove_on_exec, all of those are that share their memory.
# - Without identity.c half of the programs are ended by signal 32.
# - If handlers of Go are moved to other stacks (signal/own_stack.c), one of thirty programs ends with 2.
if [ "${1:-}" != inside ] && [ "$(id -u)" -eq 0 ] && [ ! -e /sys/kernel/tracing/events ] && command -v unshare >/dev/null &&
	unshare -m sh -c 'mount -t tracefs tracefs /sys/kernel/tracing && [ -e /sys/kernel/tracing/events/raw_syscalls ]' 2>/dev/null; then
	# shellcheck disable=SC2016 # for the other shell
	exec unshare -m sh -c 'mount -t tracefs tracefs /sys/kernel/tracing && exec sh "$0" inside' "$0"
fi
. "$(dirname "$0")/../lib.sh"
unset CPSAMPLE_KERNEL_TICKS

# becomes PROGRAM ARGUMENT...: the next program, which is not recorded, ends with its own status
becomes() {
	for _ in 1 2 3 4 5 6 7 8; do
		record "$@" /usr/bin/env -u LD_PRELOAD /bin/sh -c 'exit 3' >/dev/null 2>&1
		status=$?
		[ $status -eq 3 ] || fail "$CPSAMPLE_CLOCK, $*: the next program ended with $status"
	done
}

# falls_back: all recordings say that perf was refused because of Go
falls_back() {
	for stream in ./*.cps; do
		engine=$(info "$stream" engine 2>warning) # its recording was cut short
		[ "$engine" = timer ] || fail "$1: engine $engine"
		case $(info "$stream" engine_why 2>warning) in
		Go\ *) ;;
		*) fail "$1: engine_why is '$(info "$stream" engine_why)'" ;;
		esac
	done
}

# Kernels before 6.4 do not give the signals of a process's POSIX timer to the running thread.
clocks='timer strata itimer'
case $(uname -r) in
[0-5].* | 6.[0-3].*) clocks='timer strata' && note "kernel $(uname -r): not with itimer" ;;
esac
for clock in $clocks; do
	export CPSAMPLE_CLOCK="$clock" CPSAMPLE_RESOURCES="cpu:100us$beside"
	for threads in 1 3 -3 0; do
		becomes "$targets/raw_exec" "$threads"
	done
done

# Each page fault and each system call gives a signal, if they can be counted here. (Before Linux 5.13 an event outlives an exec
# that does not end the memory.)
export CPSAMPLE_CLOCK=strata
shared=0
case $(uname -r) in
[0-4].* | 5.[0-9].* | 5.1[0-2].*) shared= && note "kernel $(uname -r): not with shared memory" ;;
esac
for resource in faults:1 cycles:10k syscalls:60 tp:syscalls:sys_exit_getppid:1; do
	export CPSAMPLE_RESOURCES=$resource
	[ -z "$("$root/scripts/cpsample" -q --library "$LIBRARY" -o here.cps true 2>&1)" ] || continue
	for threads in 1 3 -3 $shared; do
		becomes "$targets/raw_exec" "$threads"
	done
done

# is_refused SETTING TEXT: cpsample says it in one line, and so does a program
is_refused() {
	rm -f ./*.cps*
	env "$1" "$root/scripts/cpsample" -q --library "$LIBRARY" true 2>err && fail "$1: was not refused"
	case $(wc -l <err) in
	1) grep -q "$2.* may end a program that executes another .*CPSAMPLE_KERNEL_TICKS=on (--kernel-ticks)" err || fail "$1: $(cat err)" ;;
	*) fail "$1: $(cat err)" ;;
	esac
	no_stream
}
CPSAMPLE_CLOCK=strata CPSAMPLE_RESOURCES=cpu
is_refused CPSAMPLE_CLOCK=perf 'CPSAMPLE_CLOCK=perf: its ticks'
is_refused CPSAMPLE_RESOURCES=cpu,tp:sched:sched_switch 'tp:sched:sched_switch: its signal'
is_refused CPSAMPLE_RESOURCES=cpu,perf:1:0x3 'perf:1:0x3: its signal'
record CPSAMPLE_CLOCK=perf "$targets/spin" 50 >/dev/null 2>err || fail "perf: ended with $?"
[ "$(cut -d ';' -f 1 err)" = 'libcpsample: CPSAMPLE_CLOCK=perf: its ticks may end a program that executes another one without the C library' ] ||
	fail "perf: $(cat err)"
no_stream
export CPSAMPLE_KERNEL_TICKS=on

# The note is what Go's linker leaves in every program.
cat >note.s <<'END'
	.section .note.go.buildid, "a", @note
	.balign 4
	.long 4, 4, 4
	.ascii "Go\0\0abcd"
	.section .note.GNU-stack, "", @progbits
END
$CC -D_GNU_SOURCE -O1 -pthread -o with_note "$root/test/targets/raw_exec.c" note.s || fail "cc"
rm -f ./*.cps*
export CPSAMPLE_CLOCK=perf CPSAMPLE_RESOURCES="cpu:100us$beside" CPSAMPLE_EXE='with_note|in_go'
for threads in 1 1 3 3; do
	becomes ./with_note "$threads"
done
falls_back "the note"

command -v go >/dev/null || exit 0
cat >main.go <<'END'
package main

import "C"
import (
	"os"
	"syscall"
)

func main() {
	x := uint64(1)
	for i := 0; i < 4000000; i++ {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
	}
	if x != 0 {
		syscall.Exec(os.Args[1], os.Args[1:], os.Environ())
	}
}
END
GOCACHE=$tmp/cache GO111MODULE=off go build -o in_go main.go || fail "go build"
rm -f ./*.cps*
becomes ./in_go
becomes ./in_go
falls_back "Go"
