#!/bin/sh
# SPDX-License-Identifier: MIT
# Live tests run under kernels of aarch64, which qemu boots: those of system.txt, on a processor with signed return addresses
# and vectors of 2,048 bits, and pages of 16 KiB. With LONG=1 all that the list has, also with pages of 4 KiB, and on a cortex-a53, which has neither
# signatures nor instructions that change memory at once. Time is not that of a machine there, so that no test is in the list that asks for a share of it.
#
# Seen to fail: with a report of the guest that has a test skipped, and one that lacks a test. What the listed tests fail with
# stands in each.
#
# Runs alone: it has a processor for each of this machine's.
. "$(dirname "$0")/../live/lib.sh"

top=$OLDPWD
need qemu-system-aarch64
need cpio
kernels=$top/build/root-aarch64/boot
passed=''
unset TEST_TIMEOUT # for this test, not for those of the guest

# boot NAME PROCESSOR KERNEL LEAST: the tests of the list pass there that are marked with this, or all. None is skipped: the guest
# has what they need.
boot() {
	name=$1 kernel=$(cd "$kernels" 2>/dev/null && find . -name "$3" | sort | tail -n 1)
	[ "$kernel" ] || skip "no kernel $3: scripts/deps aarch64 gets it"
	tests=$(awk -v mark="$4" '/^[a-z_]/ && (mark == "" || $2 == mark) { print "test/live/" ($1 ~ /\// ? $1 : "recorder/" $1) ".sh" }' \
		"$top/test/aarch64/system.txt")
	# shellcheck disable=SC2086 # names without spaces
	BUILD=$top/build/aarch64 "$top/test/aarch64/guest" "$2" "$kernel" $tests >out || fail "$name: $(cat out)"
	all_pass="$(echo "$tests" | wc -l) passed, 0 failed"
	grep -qx "$all_pass" out || fail "$name: not \"$all_pass\": $(cat out)"
	grep passed out | sed "s/^/$name: /"
	passed="$passed, $name $all_pass"
}

all=max,pauth-impdef=on
if [ "${LONG:-}" ]; then
	boot "pages of 4 KiB" $all 'vmlinuz-*-arm64' ''
	boot "cortex-a53" cortex-a53 'vmlinuz-*-arm64' ''
	boot "pages of 16 KiB" $all 'vmlinuz-*-16k' ''
else
	boot "pages of 16 KiB" $all 'vmlinuz-*-16k' short
fi
note "${passed#, }"
