#!/bin/sh
# SPDX-License-Identifier: MIT
# Shares of CPU time that a program measured of itself come out of its profile, with both clocks:
# self time of three functions, total time of their two callers.
#
# Each share p must lie within three standard deviations of the binomial error, sqrt(p (1 - p) / n)
# for n samples. A perfect profiler breaks that bound by chance in 0.27 % of all comparisons; a run
# compares five shares, so that up to 1.4 % of good runs fail. Hence a run that fails is
# followed by two more, with other seeds, and both must hold: a good profiler then fails once in
# some 2,600 times, one that is wrong by its error bound or more fails nearly always.
. "$(dirname "$0")/lib.sh"

# CLOCK SEED: prints each share that is out of bounds
run() {
	rm -rf run && mkdir run
	(cd run && record CPSAMPLE_CLOCK="$1" "$targets/shares" 5 "$2" >../truth) ||
		fail "shares ended with $?"
	stream=$(one_stream run) || fail "$stream"
	n=$(info "$stream" samples)
	at_least "$n" 500 || fail "only $n samples of 5 s"
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

for clock in timer itimer; do
	run $clock 1 && continue
	for seed in 2 3; do
		run $clock $seed || fail "$clock: shares are out of bounds in two runs of three"
	done
	note "$clock: the first run was out of bounds, the two that followed were not"
done
