#!/bin/sh
# SPDX-License-Identifier: MIT
# What cpconv has written is read again by cpconv: each function has the totals and selfs that are computed from the stacks,
# in the formats of pprof, speedscope, folded stacks and callgrind, of random profiles with hostile names, and of recordings in
# which functions of one name call each other through several modules. callgrind_annotate has the same totals for them. A
# file that compares two programs is refused. Resources of one name have columns of their own in Parquet and callgrind.
#
# Seen to fail:
# - With levels of recursion counted through all modules: f of one module was a deeper level of f of another one, and its
#   total was 0 when read again.
# - With totals of callgrind's format that were propagated if a name has an apostrophe.
# - With columns of one name in Parquet, which DuckDB names itself: cpu_samples_1 was that of the second resource.
# - With the first of two counts taken for a part of the name.
# May run beside others.
# Not in short runs: it takes 10 s.
. "$(dirname "$0")/../lib.sh"
command -v callgrind_annotate >/dev/null || fail "no callgrind_annotate on this machine (valgrind)"
check=$root/test/live/converters/round_trip.py

python3 "$check" "$CPCONV" random 1 25 2>err || fail "$(cat err)"

# f, g and h are in the program and in two libraries; each calls any of the nine.
cat >part.h <<'END'
typedef void step(unsigned *random, int depth);
extern step *const of_a[3], *const of_b[3];
extern step *const *parts[3];
END
cat >part.c <<'END'
#include "part.h"
static void next(unsigned *random, int depth);
#define STEP(NAME, WORK) \
	static __attribute__((noinline)) void NAME(unsigned *random, int depth) \
	{ \
		for (volatile int i = 0; i < WORK; i++) \
			; \
		next(random, depth); \
		__asm__ volatile("" ::: "memory"); \
	}
STEP(f, 2000)
STEP(g, 1000)
STEP(h, 3000)
static inline __attribute__((always_inline)) void next(unsigned *random, int depth)
{
	*random = *random * 1664525 + 1013904223;
	if (depth && *random >> 30)
		parts[*random / 7 % 3][*random / 1000 % 3](random, depth - 1);
	__asm__ volatile("" ::: "memory");
}
step *const TABLE[3] = {f, g, h};
END
cat >main.c <<'END'
#include <stdlib.h>
#include <time.h>
#define TABLE of_main
#include "part.c"
step *const *parts[3] = {of_main, of_a, of_b};
int main(int argc, char **argv)
{
	unsigned random = argc > 1 ? (unsigned)atoi(argv[1]) : 1;

	while (clock() < CLOCKS_PER_SEC / 4)
		of_main[random / 16 % 3](&random, 12);
	return 0;
}
END
$CC -O1 -fPIC -shared -DTABLE=of_a -g -o a.so part.c && $CC -O1 -fPIC -shared -DTABLE=of_b -o b.so part.c &&
	$CC -O1 -g -rdynamic -o steps main.c "$PWD/a.so" "$PWD/b.so" || fail "cannot build steps"
for seed in 1 2 3; do
	record CPSAMPLE_OUTPUT=rec.cps CPSAMPLE_RESOURCES=cpu:200us ./steps $seed || fail "steps: $?"
	"$CPCONV" --parquet -o rec.parquet rec.cps || fail "no table"
	by_node duckdb.cjs 'SELECT node, parent, "function", module, cpu_ns FROM t ORDER BY node' rec.parquet >table 2>err ||
		fail "DuckDB: $(cat err)"
	python3 "$check" "$CPCONV" recording rec.cps table 2>err || fail "steps $seed: $(cat err)"
done

# ---- resources whose names become the same ----
python3 "$check" "$CPCONV" namesakes namesakes.pb.gz || fail "no profile"
set -- --resource line,cpu,CPU,a.b,a_b namesakes.pb.gz
"$CPCONV" --parquet -o namesakes.parquet "$@" 2>err || fail "namesakes: $(cat err)"
by_node duckdb.cjs 'SELECT column_name FROM (DESCRIBE t)' namesakes.parquet | sed -n '18,$p' | tr '\n' ' ' >got
echo 'line_2 line_samples line_squared cpu_samples cpu_samples_2 cpu_squared CPU_samples_3 CPU_samples_4 CPU_squared_2' \
	'a.b_n a.b_samples a.b_squared a_b_n a_b_samples a_b_squared calls ' | tr -d '\n' | same /dev/stdin got "columns"
by_node duckdb.cjs 'SELECT line, line_2, cpu_samples, "CPU_samples_3", a_b_n FROM t' namesakes.parquet >got 2>&1
printf 'null\t3\t6\t9\t15\n' | same /dev/stdin got "figures of columns"
"$CPCONV" --callgrind "$@" >namesakes.out 2>err || fail "namesakes: $(cat err)"
grep -qx 'events: line cpu CPU a_b a_b_2' namesakes.out || fail "events: $(grep events: namesakes.out)"
for event in a_b:12 a_b_2:15; do
	self=$("$CPCONV" --flat --tsv --resource "${event%:*}" namesakes.out | cut -f 1)
	[ "$self" = "${event#*:}" ] || fail "$event is $self"
done

# ---- comparisons ----
printf '%s\n' 'main;f 3' 'main;g 2' >before.folded
printf '%s\n' 'main;f 5' 'main;h 2' >after.folded
"$CPCONV" --folded -o both.folded after.folded --base before.folded || fail "--folded --base"
"$CPCONV" --flat both.folded >out 2>err && fail "a comparison is taken for stacks: $(cat out)"
[ "$(wc -l <err)" = 1 ] && grep -q 'both.folded: each line has two counts' err || fail "a comparison: $(cat err)"
printf '%s\n' 'main;f 3' 'main;a 7 2' >name.folded
"$CPCONV" --flat --tsv name.folded 2>err | grep -q "${tab}a 7" || fail "a name with a number: $(cat err)"
exit 0
