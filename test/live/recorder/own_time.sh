#!/bin/sh
# SPDX-License-Identifier: MIT
# What recording takes of the CPU time is credited to nothing, and --info says how much it is: the
# recorder's work on deep stacks, and the kernel's work for 20,000 ticks a second.
#
# Seen to fail:
# - Without cps_reading_charge_handler() all the time of `deep` is credited.
# - Without cps_reading_charge_tick() no time of the kernel's is known.
#
# Chance: what recording takes is measured, and no matter of chance.
#
# May run beside others.
. "$(dirname "$0")/../lib.sh"

# shellcheck disable=SC3045 # dash and all others have it
ulimit -s 65536 2>/dev/null || ulimit -s unlimited 2>/dev/null || skip "no stack for 200,000 frames"

# 200,000 frames are followed at each tick.
# deep MS
deep() {
	record "$targets/deep" 200000 "$1" >/dev/null || fault "deep ended with $?"
	stream=$(one_stream) || fail "$stream"
	accounts_for_all "$stream"
	at_least "$(info "$stream" own_ns)" $(($(info "$stream" process_cpu_ns) / 100)) ||
		fail "deep stacks: recording took $(info "$stream" own_ns) ns of $(info "$stream" process_cpu_ns)"
	"$CPCONV" --info "$stream" | grep -q '^not credited .* that recording took' || fail "--info does not say it"
}
with_more_work deep 500

# ticks MS
ticks() {
	record CPSAMPLE_CLOCK=perf CPSAMPLE_RESOURCES=cpu:50us "$targets/spin" "$1" >/dev/null || fault "spin ended with $?"
	stream=$(one_stream) || fail "$stream"
	accounts_for_all "$stream"
	[ "$(info "$stream" engine)" = perf ] || note "no perf events here"
	# No machine brings a tick in less than 0.1 us.
	[ "$(info "$stream" engine)" != perf ] ||
		at_least "$(info "$stream" own_kernel_ns)" $(($(info "$stream" samples) * 100)) ||
		fail "the kernel took $(info "$stream" own_kernel_ns) ns for $(info "$stream" samples) ticks"
}
with_more_work ticks 500

# A tick within a system call is brought when the call ends. The time until then is the program's, not the
# kernel's for the tick, for which 60 us of the 1,000 are charged at most.
# Seen to fail: if the delays of such ticks are learnt from as well, 7 to 17 % are taken for the kernel's.
# in_calls GB
in_calls() {
	truncate -s "$1G" hole
	record CPSAMPLE_CLOCK=perf CPSAMPLE_RESOURCES=cpu:1ms dd if=hole of=/dev/null bs=4M 2>/dev/null || fault "dd ended with $?"
	stream=$(one_stream) || fail "$stream"
	at_least $(($(info "$stream" process_cpu_ns) * 7 / 100)) "$(info "$stream" own_kernel_ns)" ||
		fail "$(info "$stream" own_kernel_ns) ns of $(info "$stream" process_cpu_ns) are taken for the kernel's"
}
with_more_work in_calls 1
