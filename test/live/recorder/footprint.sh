#!/bin/sh
# SPDX-License-Identifier: MIT
# The memory that the recorder takes has the bounds of libcpsample(7): address space for the whole
# process and for each thread, more for deep stacks, and little that is resident. Threads take hardly any mappings, of
# which the kernel allows 65,530 (vm.max_map_count), which may be what stops a program with many threads. A program that has
# all new memory locked (mlockall, MCL_FUTURE) has no more locked than without the recorder, and can
# create as many threads under the same limit. No memory of the recorder's comes where the program has unmapped some.
#
# Seen to fail:
# - With frames for 65,536 calls in every buffer, 16 threads take 78 MiB.
# - With a mapping for each alternate stack 200 threads take 200 mappings more.
# - Without MAPPINGS_MOST in clock/perf.c 10,500 threads take 11,000.
# - Without cps_arena_unlock() 16 threads have 8 MiB locked instead of 1.3, and the 30th thread cannot
#   be created.
# - If the kernel chooses where memory is mapped, 252 to 701 pages are mapped in holes.
#
# May run beside others.
# Not in short runs: it takes 10 s.
. "$(dirname "$0")/../lib.sh"

footprint() {
	"$targets/footprint" "$@" >bare || fail "$*: without us it ended with $?"
	(record "$targets/footprint" "$@" >out) || fail "$*: it ended with $?"
	rm -f ./*.cps*
}

# more KEY: the kilobytes that the recorder has added
more() {
	cat bare out | awk -v key="$1" '$1 == key { n = $2 - n } END { print n }'
}

# A stack and the page below it. On aarch64 the largest frame of a signal handler takes 96 KiB more.
page=$(($(getconf PAGESIZE) / 1024))
each=$((64 + page))
[ "$(uname -m)" != aarch64 ] || each=$(((160 + page - 1) / page * page + page))

summary=
for case in "1 5" "16 5" "100 5" "4 5000"; do
	# shellcheck disable=SC2086 # two arguments
	footprint $case
	most=$(echo "$case" | awk -v each=$each '{
		buffers = $1 < 16 ? $1 : 16
		room = 256
		while (room < $2 + 20)
			room *= 2
		deep = room > 256 ? room * (64 * buffers + 24) / 1024 : 0
		print int(8192 + 320 * buffers + 2 * each * $1 + deep)
	}')
	[ "$(more VmSize)" -le "$most" ] || fail "$case: $(more VmSize) KiB of address space, not $most"
	[ "$(more VmRSS)" -le $((3072 + 20 * ${case% *})) ] || fail "$case: $(more VmRSS) KiB are resident"
	summary="$summary${summary:+; }${case% *} threads $(more VmSize) KiB, $(more VmRSS) resident"
done

for clock in strata timer itimer; do
	"$targets/footprint" 200 5 >bare
	(record CPSAMPLE_CLOCK=$clock CPSAMPLE_RESOURCES=cpu "$targets/footprint" 200 5 >out) || fail "$clock: ended with $?"
	rm -f ./*.cps*
	[ "$(more mappings)" -le 60 ] || fail "$clock: 200 threads take $(more mappings) mappings more"
	summary="$summary; $clock 200 threads $(more mappings) mappings"
done

# An event of perf needs a mapping. A thread that gets none is sampled by another timer.
if "$targets/footprint" 10500 0 idle >bare 2>/dev/null; then
	(record CPSAMPLE_CLOCK=perf CPSAMPLE_RESOURCES=cpu "$targets/footprint" 10500 0 idle >out) || fail "perf: ended with $?"
	rm -f ./*.cps*
	[ "$(more mappings)" -le 9500 ] || fail "perf: 10500 threads take $(more mappings) mappings more"
	summary="$summary; perf 10500 threads $(more mappings)"
fi

for threads in 16 48; do
	footprint $threads 5 lock
	[ "$(more VmLck)" -le 256 ] || fail "$threads threads: $(more VmLck) KiB are locked"
done
for clock in strata timer itimer perf; do
	[ "$("$targets/footprint" holes)" = "0 pages in holes" ] || fail "without us there are pages in holes"
	got=$(record CPSAMPLE_CLOCK=$clock CPSAMPLE_RESOURCES="cpu:1ms$beside" "$targets/footprint" holes)
	[ "$got" = "0 pages in holes" ] || fail "$clock: $got"
	[ "$(info "$(one_stream)" samples)" -ge 1 ] || fail "$clock: no samples"
	rm -f ./*.cps*
done
note "$summary"
