#!/bin/sh
# SPDX-License-Identifier: MIT
# What --callgrind writes is read by callgrind_annotate, which then has the totals of --tsv: of each function, self and inclusive,
# with recursion, functions that call each other, inlined functions, lines, threads and several resources. Nothing
# exceeds 100 %. Read again by cpconv it is the same profile.
#
# Seen to fail:
# - If a function that is called again is not another one, recursion comes to more than 100 %.
# - With the line in the callee instead of that of the call, the source has no cost there.
# - If a function that is named f'2 is written so, it is the second level of f.
# - With the costs of all resources in the first column.
# - If what other lines and levels of a counted call have is not taken off, or what no sample has met has no row.
#
# May run beside others.
. "$(dirname "$0")/../lib.sh"
command -v callgrind_annotate >/dev/null || fail "no callgrind_annotate on this machine (valgrind)"

# annotated FILE INCLUSIVE [EVENT]: what callgrind_annotate lists, as lines COST FUNCTION, where a function is f, f'2, ...
annotated() {
	# It takes the folder where it runs off the names of some files, and not of others.
	(cd / && callgrind_annotate --threshold=100 --auto=no --inclusive="$2" ${3:+"--show=$3" "--sort=$3"} "$tmp/$1") >annotated 2>err ||
		fail "$1: $(cat err)"
	[ ! -s err ] || fail "$1: $(head -n 3 err)"
	awk '/^ *[0-9,]+ \(.*%\)/ && !/PROGRAM TOTALS/ {
		if ($0 !~ /:/) next
		cost = $1
		gsub(",", "", cost)
		percent = $0
		sub(/^[^(]*\( */, "", percent)
		if (percent + 0 > 100) print "above 100 %: " $0 >"above"
		sub(/^ *[0-9,]+ \( *[0-9.]+%\) +/, "")
		sub(/ \[[^ ]*\]$/, "")
		sub(/^[^ ]*:/, "")
		print cost "\t" $0
	}' annotated
	[ ! -s above ] || fail "$1: $(cat above)"
}

# same_totals NAME RESOURCE OPTION...: of what follows, as read by callgrind_annotate and by --flat
same_totals() {
	name=$1 resource=$2
	shift 2
	"$CPCONV" --flat --self leaf --tsv --threshold 0 --resource "$resource" "$@" >flat || fail "$name: no table"
	[ -s flat ] || fail "$name: no table"
	: >several
	# A function that several modules have is one for each of them, f (a.so), with a total of its own (round_trip.sh).
	annotated "$name.out" yes "$resource" | grep -v "'[0-9]*$" | awk -F "$tab" '
		sub(/ \([^ ()]*\)$/, "", $2) { print $2 >"several"; next }
		$1 > 0 { printf "%.0f\t%s\n", $1, $2 }' | sort >got
	awk -F "$tab" 'FILENAME == "several" { several[$1] = 1; next } $2 > 0 && !($5 in several) { print $2 "\t" $5 }' \
		several flat | sort >want
	same want got "$name: inclusive of $resource"
	annotated "$name.out" no "$resource" | awk -F "$tab" '
		{ sub(/'"'"'[0-9]+$/, "", $2); sub(/ \([^ ()]*\)$/, "", $2); n[$2] += $1 }
		END { for (f in n) if (n[f]) printf "%.0f\t%s\n", n[f], f }' | sort >got
	awk -F "$tab" '$1 > 0 { print $1 "\t" $5 }' flat | sort >want
	same want got "$name: self of $resource"
}

record CPSAMPLE_OUTPUT=recursion.cps "$targets/deep" 40 200 >out || fail "deep: ended with $?"
"$CPCONV" --callgrind -o recursion.out recursion.cps || fail "recursion: not written"
same_totals recursion cpu recursion.cps
grep -q "descend'40$" recursion.out || fail "recursion: $(grep -c descend recursion.out) levels"

record CPSAMPLE_OUTPUT=threads.cps CPSAMPLE_RESOURCES=cpu,real "$targets/threads" 60 3 >out || fail "threads: ended with $?"
"$CPCONV" --callgrind --resource cpu,real -o threads.out threads.cps || fail "threads: not written"
same_totals threads cpu threads.cps
same_totals threads real threads.cps

# Functions that call each other, the parts of a cycle in several orders.
printf '%s\n' 'main;a;b;a;b 5' 'main;b;a;b 3' 'main;a;a;b;c;a 7' 'main;b;b 2' 'main;c;a;c;b;a 11' >cycle.folded
"$CPCONV" --callgrind -o cycle.out cycle.folded || fail "cycle: not written"
same_totals cycle samples cycle.folded
for option in --flat --functions; do
	columns=1-5
	[ $option = --flat ] || columns=1-3 # without calls, which callgrind's file alone has
	"$CPCONV" $option --tsv cycle.folded | cut -f $columns >want
	"$CPCONV" $option --tsv cycle.out 2>err | cut -f $columns >got
	[ ! -s err ] || fail "cycle: $(cat err)"
	same want got "cycle, read again: $option"
done

# A function whose own name ends like a level is none of the levels of another.
printf '%s\n' "main;f;f 3" "main;f;f'2 5" "main;f'2;f'2 7" "main;f'2'1 11" "main;'2 13" >levels.folded
"$CPCONV" --callgrind -o levels.out levels.folded || fail "levels: not written"
"$CPCONV" --flat --tsv levels.folded | sort >want
"$CPCONV" --flat --tsv levels.out 2>err | sort >got || fail "levels: $(cat err)"
cut -f 1,2,5 want >want.totals
cut -f 1,2,5 got >got.totals
same want.totals got.totals "levels, read again"

# Lines: what an inlined function has used, and the line that calls.
cat >lines.c <<END_OF_C
#include "$root/test/targets/burn.h"
static volatile uint64_t sink;
static inline __attribute__((always_inline)) void inner(void)
{
	sink = burn(sink, 100000);
}
__attribute__((noinline)) static void outer(void)
{
	inner();
	sink++;
}
int main(void)
{
	for (uint64_t end = cpu_ns(CLOCK_PROCESS_CPUTIME_ID) + 200000000; cpu_ns(CLOCK_PROCESS_CPUTIME_ID) < end;)
		outer();
	return 0;
}
END_OF_C
$CC -O1 -g -o lines lines.c || fail "cannot build lines"
record CPSAMPLE_OUTPUT=lines.cps ./lines || fail "lines: ended with $?"
"$CPCONV" --callgrind -o lines.out lines.cps || fail "lines: not written"
same_totals lines cpu lines.cps
(cd / && callgrind_annotate --threshold=100 --auto=no --context=1000 "$tmp/lines.out" "$tmp/lines.c") >source 2>err || fail "lines: $(cat err)"
outer=$("$CPCONV" --flat --tsv lines.cps | awk -F "$tab" '$5 == "outer" { print $2 }')
calls=$(awk '/=> .*:outer / { print $1; exit }' source | tr -d ,)
[ "$calls" = "$outer" ] || fail "the line that calls outer: $calls, not $outer: $(grep outer source)"
inner=$("$CPCONV" --flat --tsv lines.cps | awk -F "$tab" '$5 == "inner" { print $2 }')
grep -A 1 'inner();' source | tail -n 1 | tr -d , | grep -q "^ *$inner .*=> .*:inner " ||
	fail "the line that calls inner: $(grep -A 1 'inner();' source), not $inner"

# Numbers of calls are those that were counted, on whatever lines and levels, also of what no sample has met.
cat >counts.c <<END_OF_C
#include <stdio.h>
#include "$root/test/targets/burn.h"
static volatile uint64_t sink;
static int rare = 1000;
__attribute__((noinline)) static void work(void)
{
	for (int i = 0; i < 20000; i++)
		sink += i * sink;
}
__attribute__((noinline)) static void deep(int k)
{
	work();
	if (k)
		deep(k - 1);
	sink++;
}
__attribute__((noinline)) static void never(void)
{
	sink++;
}
__attribute__((noinline)) static void pong(int k);
__attribute__((noinline)) static void ping(int k)
{
	work();
	if (k)
		pong(k - 1);
	sink++;
}
__attribute__((noinline)) static void pong(int k)
{
	work();
	if (k)
		ping(k - 1);
	sink++;
}
int main(void)
{
	int n = 0;

	for (uint64_t end = cpu_ns(CLOCK_PROCESS_CPUTIME_ID) + 400000000; cpu_ns(CLOCK_PROCESS_CPUTIME_ID) < end; n++) {
		work();
		deep(8);
		ping(5);
		work();
		if (rare && rare--)
			never();
	}
	printf("deep deep %d\ndeep work %d\nmain deep %d\nmain never %d\nmain ping %d\nmain work %d\n", 8 * n, 9 * n, n,
	       1000 - rare, n, 2 * n);
	printf("ping pong %d\nping work %d\npong ping %d\npong work %d\n", 3 * n, 3 * n, 2 * n, 3 * n);
	return 0;
}
END_OF_C
# counted_calls FILE: CALLER CALLEE COUNT of the functions of counts.c
counted_calls() {
	awk '/^c?fn=/ {
			at = index($0, "(")
			key = substr($0, at, index($0, ")") - at + 1)
			rest = substr($0, at + length(key) + 1)
			sub(/\047[0-9]+$/, "", rest)
			if (rest != "") names[key] = rest
			if (/^fn/) caller = names[key]
			else callee = names[key]
		}
		/^calls=/ { split($0, words, /[= ]/); n[caller " " callee] += words[2] }
		END { for (arc in n) print arc, n[arc] }' "$1" | grep -E '^(main|work|deep|never|ping|pong) (main|work|deep|never|ping|pong) ' | sort
}
$CC -O1 -g -pg -mfentry -fno-optimize-sibling-calls -o counts counts.c || fail "cannot build counts"
record CPSAMPLE_OUTPUT=counts.cps ./counts >truth || fail "counts: ended with $?"
sort -o truth truth
"$CPCONV" --callgrind -o counts.out counts.cps || fail "counts: not written"
same_totals counts cpu counts.cps
counted_calls counts.out >got
same truth got "counted calls"
grep -q '^calls=0' counts.out && fail "counts: a row without a call, which callgrind_annotate takes for a line"
(cd / && callgrind_annotate --threshold=100 --auto=no --tree=both "$tmp/counts.out") >tree 2>err || fail "counts: $(cat err)"
never=$(awk '$2 == "never" { print $3 }' truth)
tr -d , <tree | grep -q ":never (${never}x)" || fail "counts: never was called $never times: $(grep never tree)"
# Read again they are the same.
"$CPCONV" --edges --tsv counts.out 2>err | awk -F "$tab" '{ print $1, $2, $6 }' |
	grep -E '^(main|work|deep|never|ping|pong) (main|work|deep|never|ping|pong) ' | sort >got
same truth got "counted calls, read again"
"$CPCONV" --callgrind --thread counts counts.cps 2>err >out || fail "--thread: $(cat err)"
grep -q 'calls were counted, and are left out: --thread' err || fail "--thread: $(cat err)"

# Names are only ever text.
printf 'main;fn=(3) 3\nmain;a\tb;\303\244\377 4\n' >odd.folded
"$CPCONV" --callgrind odd.folded >odd.out || fail "odd names"
"$CPCONV" --functions --tsv odd.out 2>err | cut -f 1 | sort -n >got
printf '3\n4\n4\n7\n' | same /dev/stdin got "odd names"

"$CPCONV" --callgrind --focus a cycle.folded 2>err >out && fail "--focus is not refused"
grep -q 'whole stacks' err || fail "--focus: $(cat err)"
exit 0
