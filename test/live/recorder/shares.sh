#!/bin/sh
# SPDX-License-Identifier: MIT
# The program measures which share of its CPU time its functions use. The profile shows these
# shares with all clocks: the self time of three functions and the total time of their two callers.
# Where perf events are not permitted, `timer` takes the place of `perf`.
#
# Each share must lie within three and a half standard errors, which cpconv computes from the weights of the samples
# (--base): on a busy machine the kernel's tick finds the program running less often, 36 times per second of its CPU
# time instead of 250 have been seen (burn.h explains it), and weights differ.
#
# Chance: a perfect profiler breaks that bound in one of 2,000 comparisons, and a run compares five shares: one attempt in
# 400 fails, and three of three in 80 million; of the four clocks in 20 million. A profiler that is wrong by its error
# bound or more fails nearly always, as the bound of the last attempt is a quarter of the first one's.
#
# Wants a core of its own.
# Not in short runs: it takes 15 s.
. "$(dirname "$0")/../lib.sh"

# run SECONDS CLOCK
run() {
	record CPSAMPLE_CLOCK="$2" CPSAMPLE_OUTPUT=x.cps "$targets/shares" "$1" "$1" >truth || fault "shares ended with $?"
	[ "$(info x.cps samples)" -ge 100 ] || fail "only $(info x.cps samples) samples"
	cp x.cps copy.cps
	"$CPCONV" --flat --tsv --base x.cps copy.cps >self 2>err && "$CPCONV" --functions --tsv --base x.cps copy.cps >total 2>err ||
		fail "no view: $(cat err)"
	# A difference of two such runs is uncertain by 1.96 times the root of two standard errors.
	awk -F "$tab" -v clock="$2" '
		FILENAME == "truth" {
			split($0, word, " ")
			if (word[1] == "process") all = word[2]
			else true_ns[word[1] " " word[2]] = word[3]
			next
		}
		$1 > 0 { seen[FILENAME " " $9] = $7; error[FILENAME " " $9] = $7 / $1 * $4 / 1.96 / sqrt(2) }
		END {
			for (what in true_ns) {
				p = true_ns[what] / all
				bound = 3.5 * error[what]
				off = seen[what] > p ? seen[what] - p : p - seen[what]
				printf "%s %s %.4f, truly %.4f, bound %.4f%s\n", clock, what, seen[what], p, bound,
					(off > bound ? " OUT OF BOUNDS" : "")
				bad += off > bound
			}
			exit bad > 0
		}' truth self total >compared || fail "$(grep OUT compared)"
	note "$(tail -n 1 compared), $(info x.cps samples) samples"
}

for clock in timer itimer strata perf; do
	with_more_work run 5 $clock
done
