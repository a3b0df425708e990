#!/bin/sh
# SPDX-License-Identifier: MIT
# However many handlers a program installs for its alternate stack, each of them runs there, and none as another one; also if
# it uses more of that stack than the recorder's has, and in a child of vfork. See relays.c.
#
# Seen to fail:
# - If only the first 64 handlers are moved, 2,936 of the others run on the recorder's stack, and the first that uses 200 KiB
#   ends the program.
# - If cps_relay_instead() takes the next relay although it is installed, the first handler does not run any more.
# - Without cps_wrap_altstack_is_theirs() the handlers of the child run on the recorder's stack.
#
# May run beside others.
. "$(dirname "$0")/../lib.sh"

for mode in many deep vfork; do
	"$targets/relays" $mode >want || fail "$mode: without us it ended with $?"
	for clock in strata timer itimer perf; do
		record CPSAMPLE_CLOCK=$clock CPSAMPLE_RESOURCES="cpu:100us$beside" "$targets/relays" $mode >got ||
			fail "$clock, $mode: ended with $?"
		same want got "$clock, $mode: output"
		one_stream >/dev/null
		rm -f ./*.cps*
	done
done
