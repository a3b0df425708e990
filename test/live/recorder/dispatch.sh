#!/bin/sh
# SPDX-License-Identifier: MIT
# A program that handles system calls itself (prctl(2), PR_SET_SYSCALL_USER_DISPATCH) is not ended by SIGSYS for those
# of the recorder: the recording ends, whole, before it begins, and says why. If the kernel refuses, recording goes on.
#
# Seen to fail:
# - If the recording goes on, the first tick ends the program with SIGSYS.
# - If the program that it executes is taken for one under a filter, that is not recorded.
# - If the recording does not continue when the kernel has refused, it has ended by that.
# - If syscall(2) goes on to our code, what the program allows to the C library alone ends with SIGSYS.
# - So does a thread that ends, if it blocks signals before it has seen that there is no recording any more.
# - So does sigaltstack(2), if we ask the kernel.
#
# May run beside others.
. "$(dirname "$0")/../lib.sh"

"$targets/dispatch" >/dev/null
[ $? -ne 77 ] || skip "no Syscall User Dispatch on this machine"

for clock in strata timer itimer; do
	export CPSAMPLE_CLOCK="$clock" CPSAMPLE_RESOURCES="cpu:1ms$beside"
	for how in prctl syscall refused range thread; do
		rm -rf run && mkdir run
		(cd run && record "$targets/dispatch" "$how" >../got 2>../err)
		status=$?
		[ $status -eq 0 ] || fail "$clock $how: ended with $status"
		[ "$(cat got)" = ok ] || fail "$clock $how: printed $(cat got)"
		[ ! -s err ] || fail "$clock $how: $(cat err)"
		ended=$(info run/*.cps ended)
		case $how in
		refused) want=clean ;;
		*) want=dispatch ;;
		esac
		[ "$ended" = "$want" ] || fail "$clock $how: the recording ended by '$ended'"
	done
	for how in prctl range; do
		rm -rf run && mkdir run
		# shellcheck disable=SC2016 # for the shell that runs it
		(cd run && record "$targets/dispatch" $how \
			/bin/sh -c 'i=0; while [ $i -lt 300000 ]; do i=$((i + 1)); done; exit 3')
		status=$?
		[ $status -eq 3 ] || fail "$clock $how: the next program ended with $status"
		set -- run/*.cps
		[ $# -eq 2 ] || fail "$clock $how: $# recordings of two programs"
	done
done
