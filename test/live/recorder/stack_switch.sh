#!/bin/sh
# SPDX-License-Identifier: MIT
# Stacks are whole where unwind tables are right but unusual: an augmentation 'S' that is no kernel's signal frame, a
# stack above the caller's or below it, and vfork, whose return address is in a register while it runs. A signal frame
# is also known where a handler returns to code without unwind information.
# Seen to fail: as long as every 'S' was taken for a signal frame, 0 % were whole; as long as a caller had to have the higher
# stack pointer, none below on_stack(), and 57 % of a script that starts programs. Without is_bare_restorer() in cfi.c
# 75 % were whole.
# As long as waits for children told the clock nothing, `strata` left no recording of the script, or one of 1 to 3 samples.
#
# Chance: where ticks are as rare as were ever seen, 36 a second (burn.h), the end of a part may well be off by more
# than the bound. With 16 times the work it is in one of 10^8 attempts.
#
# Wants a core of its own.
. "$(dirname "$0")/../lib.sh"

# recorded MS CLOCK
recorded() {
	clock=$2
	record CPSAMPLE_CLOCK="$clock" "$targets/stack_switch" "$1" >/dev/null || fault "$clock: stack_switch ended with $?"
	stream=$(one_stream) || fail "$clock: $stream"
	accounts_for_all "$stream"
	mostly_whole "$stream" 98 ||
		fail "$clock: $(info "$stream" complete_percent) % whole"
	"$CPCONV" --folded --unit gticks "$stream" >folded || fail "$clock: no view"
	for path in ';work;exact_pc;leaf_exact;burn_ms' ';work;on_stack;leaf_above;burn_ms' \
		';work;on_stack_rbx;leaf_below;burn_ms' ';work;.*;leaf_handler;burn_ms'; do
		share=$(awk -v path="$path" '{ all += $NF } $0 ~ path { mine += $NF }
			END { printf "%d\n", 100 * mine / all }' folded)
		[ "$share" -ge 22 ] && [ "$share" -le 28 ] ||
			fail "$clock: $share % of the time are in $path: $(cut -c 1-200 folded)"
	done
}
for clock in timer perf; do
	with_more_work recorded 300 $clock
done

# A script that starts programs spends most of its time in vfork.
cat >script <<'EOF'
i=0
while [ $i -lt $1 ]; do
	/bin/true
	i=$((i + 1))
done
EOF
# script TIMES CLOCK
script() {
	clock=$2
	record CPSAMPLE_CLOCK="$clock" CPSAMPLE_EXE=/dash CPSAMPLE_OUTPUT="script.$clock.cps" dash "$tmp/script" "$1" ||
		fault "$clock: the script ended with $?"
	[ -f "script.$clock.cps" ] || fail "$clock: the script has left no recording"
	mostly_whole "script.$clock.cps" 97 ||
		fail "$clock: script: $(info "script.$clock.cps" complete_percent) % whole"
	samples=$(info "script.$clock.cps" samples)
	at_least "$samples" 5 || fail "$clock: $samples samples of the script"
	note "$clock: $(info "script.$clock.cps" complete_percent) % of a script's $samples stacks are whole"
}
for clock in timer strata; do
	with_more_work script 1500 $clock
done
