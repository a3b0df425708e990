#!/bin/sh
# SPDX-License-Identifier: MIT
# Who waits for locks, by the program's own clock: the sum within 2 %, each function within four standard errors. Who lets
# others wait: the one that holds the lock longest has most of the blame, and there is no more blame than was
# waited. What calls say of all kinds of mutexes is the same, and a lock that nobody else wants gives no sample.
#
# (Seen to fail: with a wait that was not registered there was no blame; with the blame of a lock counted anew at each
# unlock, there was more blame than was waited; with a lock that was tried as a reader instead of a writer; when a free lock
# was taken without a look at the clock and the time, 0 was said where the C library says EINVAL.)
#
# Chance: a figure is four standard errors and 2 % off in one of 16,000 cases, of which an attempt has ten: one of 1,600
# fails, and three of three with more and more work in one of four billion runs.
#
# May run beside others.
. "$(dirname "$0")/../lib.sh"

locks=$BUILD/targets/locks

# weights RESOURCE: the ms that each function was credited with itself
weights() {
	"$CPCONV" --flat --self leaf --tsv --threshold 0 --resource "$1" wait.cps | awk -F "$tab" '{ print $5 FS $1 / 1e6 }'
}

# waits MS
waits() {
	record CPSAMPLE_RESOURCES=cpu,lock CPSAMPLE_OUTPUT=wait.cps "$locks" wait "$1" >truth || fault "wait: status $?"
	weights lock >got || fail "lock: no view"
	weights lock-blame >blame || fail "lock-blame: no view"
	"$CPCONV" --flat --resource lock --blame wait.cps >a || fail "--blame: no view"
	"$CPCONV" --flat --resource lock-blame wait.cps >b
	same a b "--blame"
	"$CPCONV" --flat --resource lock wait.cps | grep -qx "who held the lock: --blame" ||
		fail "the heading does not say who held the lock" # seen to fail: nothing named --blame there
	! grep -q "who held" a || fail "--blame names itself" # seen to fail: with the line in the heading of each resource
	"$CPCONV" --flat --blame wait.cps >a || fail "--blame alone: no view"
	same a b "--blame alone" # seen to fail: it was refused without --resource lock
	! "$CPCONV" --flat --resource cpu --blame wait.cps 2>err >&2 && grep -q "only of resource lock" err ||
		fail "--blame of cpu: $(cat err)"
	# An interval is of 1 ms, drawn between half of that and one and a half. A wait is longer than most intervals.
	awk -F "$tab" '
		FILENAME == "truth" { truth[$1] += $2; total += $2; next }
		FILENAME == "got" { got[$1] += $2; sum += $2; next }
		{ blame[$1] += $2; blamed += $2 }
		END {
			for (name in truth) {
				bound = 4 * sqrt(1.1 * truth[name]) + 0.02 * truth[name] + 1
				error = got[name] - truth[name]
				printf "%s: %.1f ms, truly %.1f, bound %.1f; blame %.1f\n", name, got[name], truth[name], bound, blame[name]
				bad += error > bound || error < -bound
			}
			printf "sum %.1f ms, truly %.1f; blame %.1f\n", sum, total, blamed
			bad += sum > 1.02 * total || sum < 0.98 * total - 5
			bad += blamed > 1.02 * total + 5 || blamed < 0.7 * total
			bad += blame["hold_long"] < 2 * blame["hold_briefly"] || blame["write_slowly"] < 0.9 * got["read_quickly"]
			bad += blame["read_quickly"] > 0.05 * blamed
			exit bad > 0
		}' truth got blame >note || fail "$(cat note)"
	note "$(tail -n 1 note)"
	"$CPCONV" --flat --tsv --resource lock --state rwlock wait.cps | grep -q read_quickly || fail "no state rwlock"
}
with_more_work waits 3000

# What a thread waits for locks is a state of its real time, but for what it waits for a processor before it has its lock. (Seen
# to fail: it was stalled.)
# state MS
state() {
	record CPSAMPLE_RESOURCES=real,lock CPSAMPLE_OUTPUT=real.cps "$locks" wait "$1" >truth || fault "real: status $?"
	"$CPCONV" --flat --tsv --threshold 0 --resource real --state lock real.cps >got || fail "real: no state lock"
	"$CPCONV" --flat --tsv --threshold 0 --resource real --state ready real.cps >queued 2>/dev/null || : >queued
	awk -F "$tab" '
		FILENAME == "truth" { truth += $2; next }
		FILENAME == "queued" { queued += $1 / 1e6; next }
		{ got += $1 / 1e6 }
		END {
			printf "real, locks: %.1f ms, ready: %.1f ms, truly %.1f\n", got, queued, truth
			exit !(got > 0.97 * truth - queued - 5 && got < 1.03 * truth + 5)
		}' truth got queued >state || fail "$(cat state)"
}
with_more_work state 1000

for what in kinds limits; do
	"$locks" $what >want || fault "$what: status $?"
	record CPSAMPLE_RESOURCES=cpu,lock,real CPSAMPLE_OUTPUT=$what.cps "$locks" $what >out || fault "$what: status $?"
	same want out "$what: what calls say"
done

record CPSAMPLE_RESOURCES=lock CPSAMPLE_OUTPUT=free.cps "$locks" free 3000000 || fault "free: status $?"
[ ! -e free.cps ] || fail "free: $(info free.cps samples) samples"
