#!/bin/sh
# SPDX-License-Identifier: MIT
# Frames of handlers are moved, and stacks followed, also on a processor without signed return addresses, and on one
# with vectors of 2,048 bits, whose registers do not fit into the usual part of the kernel's frame.
#
# Seen to fail: when the further records were looked for behind the context, they were not moved with it, and "deep" of relays hung.
#
# May run beside others.
. "$(dirname "$0")/../live/lib.sh"

tests=$OLDPWD/test/live/recorder
for processor in cortex-a53 max,sve-default-vector-length=256; do
	for test in relays ways_back; do
		QEMU_CPU=$processor timeout 600 sh "$tests/$test.sh" >out 2>&1 || fail "$processor: $test: $(tail -n 3 out)"
	done
done
exit 0
