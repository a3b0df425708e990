#!/bin/sh
# SPDX-License-Identifier: MIT
# May run beside others.
#
# A program may become another one by a system call of its own, past the C library. Neither the timers
# of `timer` and `itimer` nor a tick of theirs that is on its way then reach the next program. The
# ticks of perf would, so a program with Go's runtime, which does this, is recorded by `timer`.
#
# Seen to fail:
# - With setitimer, 9 of 10 programs are ended by SIGPROF.
# - Without go_runtime.c half of the programs are ended by signal 32.
# - If handlers of Go are moved to other stacks (signal/relay.c), one of thirty programs ends with 2.
. "$(dirname "$0")/../lib.sh"
export CPSAMPLE_RESOURCES="cpu:1ms$beside"

# becomes PROGRAM ARGUMENT...: the next program, which is not recorded, ends with its own status
becomes() {
	for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; do
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
	export CPSAMPLE_CLOCK="$clock"
	becomes "$targets/raw_exec" 1
	becomes "$targets/raw_exec" 3
done

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
becomes ./with_note 1
becomes ./with_note 3
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
falls_back "Go"
