#!/bin/sh
# SPDX-License-Identifier: MIT
# May run beside others.
#
# A sampled profile has the numbers of calls of what gprof and callgrind wrote of the same program, by name: of functions, and of
# pairs of caller and callee. What only one of both has is said in one line. What cannot have them is refused.
#
# Seen to fail: without callers in the graph whose own calls nobody has counted and no sample has met.
. "$(dirname "$0")/../lib.sh"

flags="-O2 -g -fno-inline -fno-optimize-sibling-calls -fno-ipa-icf -pthread"
# shellcheck disable=SC2086 # several flags
$CC $flags -o plain "$root/test/targets/counted.c" || fail "cannot build plain"
# shellcheck disable=SC2086
$CC $flags -pg -o told "$root/test/targets/counted.c" || fail "cannot build told"
record CPSAMPLE_OUTPUT=x.cps ./plain plain 60000000 >out || fail "plain: ended with $?"
./told plain 1000 >truth || fail "told: ended with $?"
gprof -b told gmon.out >gprof.txt || fail "no gprof.txt"
valgrind --tool=callgrind --callgrind-out-file=callgrind.out ./plain plain 1000 >out 2>err || fail "no callgrind.out: $(cat err)"

for from in gprof.txt callgrind.out; do
	"$CPCONV" --edges --tsv --calls-from $from x.cps 2>err | awk -F "$tab" '$6 != "" { print $1, $2, $6 }' | sort >edges
	sort truth | comm -23 - edges >missing
	[ ! -s missing ] || fail "$from: not so: $(cat missing) but: $(cat edges)"
	[ "$(wc -l <err)" -eq 1 ] && grep -q "only in samples: .*only in $from: [0-9]" err || fail "$from: $(cat err)"
	"$CPCONV" --functions --tsv --calls-from $from x.cps 2>err >functions || fail "$from: $(cat err)"
	awk -F "$tab" '$3 == "leaf" && $1 > 0 && $4 == 3000 { found++ } $3 == "middle" && $1 > 0 && $4 == 1000 { found++ }
		$3 == "deep" && $1 == 0 && $4 == 11 { found++ } END { exit found != 3 }' functions || fail "$from: $(cat functions)"
done
# gprof does not know who calls main, and how often.
"$CPCONV" --functions --tsv --calls-from gprof.txt x.cps 2>err | grep -q "${tab}main${tab}\$" || fail "main was called: $(cat err)"
"$CPCONV" --callgraph --calls-from gprof.txt x.cps >report 2>err || fail "no report: $(cat err)"
grep -q '1000/1000 .*plain' report || fail "no calls of plain: $(cat report)"
"$CPCONV" --average-time --calls-from gprof.txt x.cps >report 2>err || fail "no average time: $(cat err)"
"$CPCONV" --dot --calls-from gprof.txt x.cps 2>err | grep -q '3000×' || fail "dot: no calls"

# refused STATUS TEXT OPTION...
refused() {
	status=$1 text=$2
	shift 2
	"$CPCONV" "$@" >got 2>err
	[ $? -eq "$status" ] || fail "$*: ended with another status: $(cat err)"
	[ "$(wc -l <err)" -eq 1 ] && [ ! -s got ] && grep -qe "$text" err || fail "$*: $(cat err)"
}
"$CPCONV" --callgrind -o ours.out x.cps || fail "no ours.out"
printf 'nothing;here 3\n' >other.folded
refused 2 'cpconv wrote it' --calls-from ours.out x.cps
refused 2 'it has stacks' --calls-from other.folded x.cps
refused 1 'none of its functions' --calls-from gprof.txt other.folded
refused 2 'of its own' --calls-from gprof.txt callgrind.out
refused 2 'takes no --calls-from' --html --calls-from gprof.txt x.cps
refused 2 'takes no --calls-from' --contexts --calls-from gprof.txt x.cps
refused 2 'of a part: --from' --calls-from gprof.txt --from 0.001 x.cps
refused 2 'of a part: --root' --edges --calls-from gprof.txt --root middle x.cps
printf 'other;there 4\n' >before.folded
refused 2 'not of a comparison' --calls-from gprof.txt --base before.folded other.folded
record CPSAMPLE_OUTPUT=own.cps ./told plain 1000 >out || fail "told: ended with $?"
refused 2 'of its own' --calls-from gprof.txt own.cps
