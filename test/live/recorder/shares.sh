#!/bin/sh
# SPDX-License-Identifier: MIT
# The program measures which share of its CPU time its functions use. The profile shows these
# shares with all clocks: the self time of three functions and the total time of their two callers.
# Where perf events are not permitted, `timer` takes the place of `perf`.
#
# Each share p must lie within three standard deviations of the binomial error, sqrt(p (1 - p) / n)
# for n samples. A perfect profiler breaks that bound by chance in 0.27 % of all comparisons. A run
# compares five shares, so that up to 1.4 % of good runs fail. Hence a run that fails is followed
# by two more with other seeds, and both must hold. A good profiler then fails once in some 2,600
# times, and one that is wrong by its error bound or more fails nearly always.
#
# On a machine that is busy with other work the kernel's tick finds the program running less often:
# 36 ticks per second of its CPU time instead of 250 have been seen (burn.h explains it). The
# weights of samples then differ, and samples of exponentially distributed weights tell as much as
# half as many samples of equal weight. So a run goes on until it has enough samples, and counts
# them half if there are fewer than 200 a second.
#
# Wants a core of its own.
. "$(dirname "$0")/../lib.sh"

# CLOCK SEED: prints each share that is out of bounds
run() {
	for seconds in 5 20 80; do
		rm -rf run && mkdir run
		(cd run && record CPSAMPLE_CLOCK="$1" "$targets/shares" $seconds "$2" >../truth) ||
			fail "shares ended with $?"
		stream=$(one_stream run) || fail "$stream"
		n=$(info "$stream" samples)
		[ "$n" -ge $((200 * seconds)) ] || n=$((n / 2))
		[ "$n" -ge 300 ] && break
	done
	[ "$n" -ge 300 ] || fail "only $(info "$stream" samples) samples of $seconds s"
	"$CPCONV" --flat --tsv "$stream" >flat.tsv || fail "no flat view"
	awk -F "$tab" -v n="$n" -v clock="$1" '
		NR == FNR {
			split($0, word, " ")
			if (word[1] == "process") all = word[2]
			else true_ns[word[1] " " word[2]] = word[3]
			next
		}
		{ gticks += $1; seen["self " $5] = $1; seen["total " $5] = $2 }
		END {
			for (what in true_ns) {
				p = true_ns[what] / all
				bound = 3 * sqrt(p * (1 - p) / n)
				q = seen[what] / gticks
				error = q > p ? q - p : p - q
				printf "%s %s %.4f, truly %.4f, bound %.4f, %d samples%s\n", clock, what, q, p,
					bound, n, error > bound ? " OUT OF BOUNDS" : "" >"/dev/stderr"
				if (error > bound) print what
			}
		}' truth flat.tsv >out_of_bounds
	[ ! -s out_of_bounds ]
}

for clock in timer itimer strata perf; do
	run $clock 1 && continue
	for seed in 2 3; do
		run $clock $seed || fail "$clock: shares are out of bounds in two runs of three"
	done
	note "$clock: the first run was out of bounds, the two that followed were not"
done
