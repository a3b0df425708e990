#!/bin/sh
# SPDX-License-Identifier: MIT
# Programs of aarch64 and riscv64 have the same results under the recorder as without it: in all calls that wait, while a signal of the recorder's comes
# all the time, by the C library and, on aarch64, by syscall(2), which is assembly. What cannot be had on that machine is refused in a line.
#
# select is left out, since qemu-user does not say what is left of its time, which the program looks at; sendfile, since a
# signal that comes just before that call does not end it under qemu; and epoll_pwait2, which qemu does not know.
#
# Seen to fail: without syscall in libcpsample.map ppoll, pselect and the like fail with EINTR in "ends". On riscv64, while the handler's mask was
# not where qemu looks for it (disposition.c), pselect and epoll_pwait did, on a busy machine.
#
# May run beside others.
. "$(dirname "$0")/../live/lib.sh"

machine=$(cd "$BUILD/.." && basename "$PWD")
programs="waits waits_by_number"
[ "$machine" = aarch64 ] || programs=waits
for program in $programs; do
	for what in ends nested returns; do
		timeout 500 "$targets/$program" quiet $what 20 2>/dev/null | grep -vE '^(select|sendfile|epoll_pwait2):' >bare
		record CPSAMPLE_RESOURCES=signals CPSAMPLE_OUTPUT=calls.cps "$targets/$program" hail $what 20 2>/dev/null |
			grep -vE '^(select|sendfile|epoll_pwait2):' >recorded
		[ -s bare ] || fail "$program $what: says nothing without the recorder"
		cmp -s bare recorded || fail "$program $what differs: $(diff bare recorded)"
	done
done
record CPSAMPLE_CALLS=on "$targets/spin" 10 0 >/dev/null 2>said
grep -q '^libcpsample: CPSAMPLE_CALLS=on: must be off: calls are not counted on '"$machine"'; not recording$' said ||
	fail "counted calls are not refused: $(cat said)"
"$BUILD/targets/attach" 1 2>said
[ $? -eq 125 ] && [ "$(cat said)" = "cpsample: processes that run already are recorded on x86-64 only" ] || fail "attaching is not refused: $(cat said)"
exit 0
