#!/bin/sh
# SPDX-License-Identifier: MIT
# gprof and callgrind write calls without stacks. The program has recursion, cycles and two
# functions of one name. The numbers of calls are those that the program makes, and the totals are
# those of callgrind.
# May run beside others.
. "$(dirname "$0")/../lib.sh"

cat >main.c <<'END'
#include <stdlib.h>
#include <string.h>

int burn(int n);
int other(int n);
static int even(int n);

static int twin(int n)
{
	return burn(n) + 1;
}

/* Mutual recursion. */
static int odd(int n)
{
	return burn(2) + (n ? even(n - 1) : 0);
}

static int even(int n)
{
	return burn(1) + (n ? odd(n - 1) : 1);
}

static int fall(int n)
{
	return burn(1) + (n ? fall(n - 1) : 0);
}

static int compare(const void *a, const void *b)
{
	return burn(1) * 0 + memcmp(a, b, 1);
}

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 1, sum = 0;
	char text[] = "the quick brown fox jumps over the lazy dog";

	for (int i = 0; i < rounds; i++)
		sum += even(6) + odd(5) + fall(9) + twin(3) + other(4);
	qsort(text, sizeof(text) - 1, 1, compare);
	return sum == 0;
}
END
cat >burn.c <<'END'
int burn(int n);
int other(int n);
int burn(int n)
{
	volatile int x = 0;

	for (int i = 0; i < n * 1000; i++)
		x = x + i;
	return x & 1;
}

static int twin(int n)
{
	return burn(n) + burn(n);
}

int other(int n)
{
	return twin(n);
}
END
$CC -g -O0 -o plain main.c burn.c || fail "cannot compile"

# column N FUNCTION FILE: column N in the function's row of a flat table
column() {
	awk -F "$tab" -v n="$1" -v name="$2" '$5 == name { print $n }' "$3"
}

# has CALLER CALLEE CALLS FILE: the table of edges has so many calls for each round
has() {
	count=$(awk -F "$tab" -v from="$1" -v to="$2" '$1 == from && $2 == to { print $6 }' "$4")
	[ "$count" = $(($3 * rounds)) ] || fail "$4: $1 calls $2 $count times in $rounds rounds, not $3 each"
}

# In each round even(6) calls odd 3 times, which calls even 3 times; odd(5) calls even 3 times,
# which calls odd 2 times.
calls_are_right() {
	has main even 1 "$1"
	has even odd 5 "$1"
	has odd even 6 "$1"
	has main fall 1 "$1"
	has fall fall 9 "$1"
	has even burn 7 "$1"
	has other "$2" 1 "$1"
	has "$2" burn 2 "$1"
	has "$3" burn 1 "$1"
}

# ---- callgrind ----
rounds=10
of_callgrind() {
	"$CPCONV" --flat --tsv callgrind.out >flat.tsv || fail "no table"
	"$CPCONV" --edges --tsv callgrind.out >edges.tsv || fail "no table of edges"
	calls_are_right edges.tsv 'twin (burn.c)' 'twin (main.c)'
	all=$(awk '/^totals:/ { print $2 }' callgrind.out)
	sum=$(awk -F "$tab" '{ n += $1 } END { printf "%.0f\n", n }' flat.tsv)
	[ "$sum" = "$all" ] || fail "selfs add up to $sum, totals say $all"
	for function in main even odd fall burn compare other 'twin (main.c)' 'twin (burn.c)'; do
		column 2 "$function" flat.tsv
	done >totals
	[ -f first_totals ] || cp totals first_totals
	cmp -s totals first_totals || fail "totals depend on how it was written: $(cat totals)"
}

with_callgrind() {
	rm -f callgrind.out
	valgrind -q --tool=callgrind --callgrind-out-file=callgrind.out "$@" ./plain $rounds 2>errors ||
		fail "callgrind: $(cat errors)"
}

if command -v valgrind >/dev/null; then
	with_callgrind --dump-instr=yes --collect-jumps=yes --cache-sim=yes
	of_callgrind
	for event in Ir:2 Dr:3 DLmw:10; do
		all=$(awk -v n="${event#*:}" '/^totals:/ { print $n }' callgrind.out)
		sum=$("$CPCONV" --resource "${event%:*}" --tsv callgrind.out |
			awk -F "$tab" '{ n += $1 } END { printf "%.0f\n", n }')
		[ "$sum" = "$all" ] || fail "${event%:*} adds up to $sum, totals say $all"
	done
	printf 'resources\nresource Dr\ncallers burn\ncallees fall\ncallers brun\n' |
		"$BUILD/cpprof" callgrind.out >out 2>err
	[ "$(grep -c 'samples; 1 input$' out)" -eq 18 ] || fail "cpprof: resources: $(cat out err)"
	grep -q 'Callers for resource: Dr' out || fail "cpprof: $(cat out)"
	grep -q ' fall$' out && grep -q ' burn$' out || fail "cpprof: callers, callees: $(cat out)"
	grep -q 'similar: burn' err || fail "cpprof: no suggestion: $(cat err)"

	with_callgrind --compress-strings=no --compress-pos=no
	of_callgrind

	# If only one function has a name, its total is the cost of all calls of it. The callers'
	# lines say that cost, and its own lines and callees say the total.
	awk '/^cfn=/ { name = substr($0, 5) }
		/^calls=/ { is_cost = 1; next }
		is_cost { cost[name] += $2; is_cost = 0 }
		END { for (name in cost) if (name !~ /\x272$/) print name "\t" cost[name] }' callgrind.out >of_callers
	awk -F "$tab" 'NR == FNR { cost[$1] = $2; next }
		$5 in cost { n++; if ($2 != cost[$5]) print $5, $2, cost[$5] }
		END { if (n < 100) print n " functions" }' of_callers flat.tsv >difference
	[ ! -s difference ] || fail "totals are not what calls cost: $(head difference)"
	with_callgrind --dump-line=no
	of_callgrind

	# For a function in no cycle the propagated total is the real one.
	"$CPCONV" --graph --totals propagated --tsv --node-thres 0 --edge-thres 0 callgrind.out >graph.tsv
	awk -F "$tab" 'NR == FNR { total[$5] = $4; next }
		$1 == "func" && $4 == "-" { n++; d = $2 - total[$5]; if (d > 1e-9 || d < -1e-9) print }
		END { if (n < 50) print n " functions" }' flat.tsv graph.tsv >difference
	[ ! -s difference ] || fail "propagated totals are not the exact ones: $(head difference)"
	awk -F "$tab" '$1 == "func" && $4 == "even" { print $5 }' graph.tsv | sort | tr '\n' ' ' >members
	[ "$(cat members)" = "even odd " ] || fail "the cycle of even is: $(cat members)"

	# By default --graph has the totals of --flat, also for functions in cycles: callgrind measured them.
	"$CPCONV" --graph --tsv --node-thres 0 --edge-thres 0 callgrind.out >graph.tsv
	"$CPCONV" --graph --totals exact --tsv --node-thres 0 --edge-thres 0 callgrind.out | same - graph.tsv exact
	cut -f 4,5 flat.tsv | LC_ALL=C sort >want
	grep "^func$tab" graph.tsv | cut -f 2,5 | LC_ALL=C sort | same want - "totals of callgrind"
	"$CPCONV" --dot callgrind.out | grep -q 'label=".*totals: exact, as recorded' || fail "whose totals are they?"

	# Without names for the levels of recursion all is the same, except for the cycle.
	sed '2,3d' totals >before
	with_callgrind --separate-recs=1
	"$CPCONV" --flat --tsv callgrind.out >flat.tsv
	for function in main fall burn compare other 'twin (main.c)' 'twin (burn.c)'; do
		column 2 "$function" flat.tsv
	done >after
	cmp -s before after || fail "without levels, totals differ: $(cat after)"

	with_callgrind --separate-callers=2
	"$CPCONV" --flat --tsv callgrind.out >flat.tsv || fail "contexts"
	[ -n "$(column 1 "fall'main'(below main)" flat.tsv)" ] || fail "contexts: $(head flat.tsv)"

	head -c 5000 callgrind.out >short
	"$CPCONV" --flat short >out 2>err || fail "a cut file is refused: $(cat err)"
	grep -q 'warning: cut at byte' err || fail "a cut file is no warning: $(cat err)"
	"$CPCONV" --flat --strict short >out 2>err && fail "a cut file passes --strict"
	"$CPCONV" --callpath callgrind.out >out 2>err && fail "call paths without stacks"
	grep -q -- '--flat.*--graph.*--dot' err || fail "what can be had? $(cat err)"
	for option in '--focus main' '--hide main' '--granularity module' '--by process' '--pid 1' '--thread 1'; do
		# shellcheck disable=SC2086 # two words
		"$CPCONV" $option callgrind.out >out 2>err && fail "$option: taken for calls without stacks"
		[ "$(wc -l <err)" -eq 1 ] && [ ! -s out ] || fail "$option: $(cat out err)"
	done
else
	note "no valgrind on this machine"
fi

# ---- gprof ----
command -v gprof >/dev/null || skip "no gprof on this machine"
$CC -pg -no-pie -g -O0 -o profiled main.c burn.c 2>/dev/null || skip "$CC makes no programs for gprof"
rounds=15000
./profiled $rounds || fail "profiled ended with $?"
[ -s gmon.out ] || skip "no gmon.out: this C library does not profile"
gprof -b profiled gmon.out >brief
gprof profiled gmon.out >full
gprof -T profiled gmon.out >traditional
gprof -b -q profiled gmon.out >graph_only
gprof -b -p profiled gmon.out >flat_only
for text in brief full traditional graph_only; do
	"$CPCONV" --edges --tsv $text >$text.tsv 2>err || fail "$text: $(cat err)"
	[ ! -s err ] || fail "$text: $(cat err)"
done
second=$(awk -F "$tab" '$1 == "other" { print $2 }' brief.tsv)
first=$(awk -F "$tab" -v second="$second" '$1 ~ /^twin / && $1 != second { print $1 }' brief.tsv)
calls_are_right brief.tsv "$second" "$first"
for text in full traditional graph_only; do
	cut -f 1,2,6 brief.tsv >want
	cut -f 1,2,6 $text.tsv | diff want - >difference || fail "$text: $(cat difference)"
done

# Self times are those that gprof prints, and no total exceeds the whole.
"$CPCONV" --flat --tsv brief >flat.tsv
"$CPCONV" --flat --tsv flat_only >flat_only.tsv || fail "the flat profile alone"
theirs=$(awk '/^ *[0-9]/ { n += $3 } END { printf "%.2f\n", n }' flat_only)
for table in flat flat_only; do
	ours=$(awk -F "$tab" '{ n += $1 } END { printf "%.2f\n", n / 1e9 }' $table.tsv)
	[ "$ours" = "$theirs" ] || fail "$table: selfs add up to $ours s, gprof says $theirs s"
	awk -F "$tab" '$4 > 1' $table.tsv >over
	[ ! -s over ] || fail "$table: above 100 %: $(cat over)"
done
[ "$(awk -v s="$theirs" 'BEGIN { print (s > 0.1) }')" -eq 1 ] || fail "gprof saw only $theirs s"

# Without a cycle time is handed up to callers as gprof does it. gprof rounds the self and
# children's times.
awk 'NR == FNR { ours[$5] = $2 / 1e9; next }
	/^\[/ && !/cycle/ {
		n++
		name = $(NF - 1)
		if (!(name in ours)) name = name " " $NF
		d = ours[name] - $3 - $4
		if (d > 0.011 || d < -0.011) print
	}
	END { if (n < 6) print n " functions" }' FS="$tab" flat.tsv FS=' ' brief >difference
[ ! -s difference ] || fail "gprof has other totals: $(cat difference flat.tsv)"

"$CPCONV" --flat brief callgrind.out >out 2>err && fail "times and instructions are added up"
gprof -b profiled gmon.out | "$CPCONV" --graph - >out || fail "standard input"
grep -q '(cycle of even)' out || fail "no cycle: $(cat out)"
# Of numbers of calls there are no exact totals, which is said to those who ask for them. A call of a
# function by itself has no total, but its number is shown. Seen to fail: with numbers only beside totals.
"$CPCONV" --graph brief | grep -qx 'totals: propagated, cycles split' || fail "whose totals are they?"
"$CPCONV" --dot --totals exact brief >out 2>err && fail "exact totals of numbers of calls"
grep -q 'totals propagated' err && [ "$(wc -l <err)" -eq 1 ] && [ ! -s out ] || fail "exact: $(cat out err)"
"$CPCONV" --dot -n 0 -e 0 brief >picture.dot
grep -q '"fall" -> "fall" \[label="135000×"' picture.dot || fail "calls of itself: $(grep fall picture.dot)"
printf 'set totals exact\ngraph\nset totals default\ngraph\n' | "$BUILD/cpprof" brief >out 2>err
[ "$(grep -c 'totals propagated' err)" -eq 1 ] && grep -qx 'totals: propagated, cycles split' out ||
	fail "cpprof: $(cat out err)"
if command -v dot >/dev/null; then
	gprof profiled gmon.out | "$CPCONV" --dot - | dot -Tsvg >picture 2>err || fail "dot: $(cat err)"
	grep -q '15000×' picture && grep -q '>even<' picture || fail "no numbers of calls in the picture"
fi
