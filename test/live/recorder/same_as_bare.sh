#!/bin/sh
# SPDX-License-Identifier: MIT
# Programs that do what a recorder may spoil (see same.c, relays.c, dispatch.c, forks.c) print the same and end as
# without it, by each clock, with cpu alone and with everything on. Short runs take the default clock, and half of the rounds.
#
# Three kinds of programs are not the same, and are not here: one that traces a recorded child sees its ticks as stops (LIMITS of
# libcpsample(7)); one that creates as many threads as memory has room for gets fewer, as each takes some of it
# (footprint.sh has the bounds); and one that measures its stack sees what wrappers take of it.
#
# Seen to fail:
# - When calls by syscall(2) were not finished, 1 to 14 of 30 copies were short, all of 8 reads of /dev/urandom but those by
#   read were, and a wait was interrupted.
# - When bpf(2) was interrupted by samples, no program that takes 0.1 s to look at was loaded.
# - The recorder of the same days ended dispatch.c by SIGSYS and relays.c by SIGSEGV, and forks.c found a signal blocked.
# - When the kernel was given the very set that the program awaits, sigwait gave it signal 32, once in each run: then the
#   thread was not sampled any more.
# - When the restorer that a program has left in its action was given to the kernel, SIGIO ended it by SIGSEGV; one that had
#   no handler was not ended; and of 40 programs that may have no signals pending 21 to 30 were ended by SIGIO.
#
# May run beside others.
. "$(dirname "$0")/../lib.sh"

everything=$(cat "$root/test/everything")
half=1 clocks="strata timer itimer perf"
[ "${SHORT:-}" != yes ] || half=2 clocks=strata

# cases COMMAND [ARGUMENT]...: the command, with a name in front, and one of the programs and its arguments behind
cases() {
	while read -r program mode rounds; do
		"$@" "$program-$mode" "$targets/$program" ${mode:+"$mode"} ${rounds:+$((rounds / half))} || return
	done <<-'CASES'
		same copies 30
		same devices 8
		same waits 60
		same closures 100
		same coroutines 60
		same nan 40
		same blocked 40
		same awaits 20
		same daemon 40
		same programs 4
		same io 40
		relays deep
		dispatch
		forks nested-fork
		forks nested-exec
	CASES
}

# run KIND NAME PROGRAM ARGUMENT...: in a folder of its own, into files KIND.*
run() {
	kind=$1 name=$2
	shift 2
	case $name in
	forks-*) set -- "$1" nested "${2#nested-}" ;;
	esac
	rm -rf run && mkdir -p "$name" run
	[ "$kind" = bare ] || set -- env LD_PRELOAD="$LIBRARY" CPSAMPLE_CLOCK="$clock" CPSAMPLE_RESOURCES="$resources" \
		CPSAMPLE_OUTPUT="$tmp/%e.%p.cps" "$@"
	(cd run && timeout -s KILL 1000 "$@" >"../$name/$kind.out" 2>"../$name/$kind.err" </dev/null) 2>/dev/null
	echo "status $?" >>"$name/$kind.out"
	[ ! -e run/data ] || cat run/data >>"$name/$kind.out"
}

recorded() {
	run recorded "$@"
	same "$name/bare.out" "$name/recorded.out" "$clock, $resources, $name: output"
	same "$name/bare.err" "$name/recorded.err" "$clock, $resources, $name: standard error"
}

cases run bare
for clock in $clocks; do
	for resources in cpu:1ms "$everything"; do
		rm -f ./*.cps*
		cases recorded
		set -- ./same.*.cps
		engine=$(info "$1" engine 2>/dev/null)
		[ "$engine" = "$clock" ] || [ "$clock" = perf ] || fail "$clock: engine $engine"
		samples=$("$CPCONV" --info --tsv ./*.cps 2>/dev/null | awk -F "$tab" '$1 == "samples" { n += $2 } END { print n + 0 }')
		[ "$samples" -ge 1 ] || fail "$clock, $resources: nothing was recorded"
		summary="${summary:+$summary, }$engine $samples"
	done
done
note "samples: $summary"
