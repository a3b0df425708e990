#!/bin/sh
# SPDX-License-Identifier: MIT
# What --parquet writes is read alike by DuckDB and by hyparquet, and a recursive query finds the totals that --tsv has: with
# threads, recursion, inlined functions, several processes and resources, groups, and more rows than one group of them has.
#
# Seen to fail:
# - If the rows of a frame's inlined functions have the frame's caller as parent, all of them.
# - If put_levels() writes which rows have none, not which have a value.
# - If a process without a rank has rank 0.
# - If direct recursions are calls by the caller, or samples have calls.
# May run beside others.
# Not in short runs: it takes 10 s.
. "$(dirname "$0")/../lib.sh"

# agree NAME WEIGHT OPTION...: the totals of the resource that is in the column WEIGHT. Parquet's leaves are those of the stacks.
agree() {
	name=$1 weight=$2
	shift 2
	"$CPCONV" --flat --self leaf --tsv --threshold 0 --names full "$@" 2>err | awk -F "$tab" '
		{ self[$5] += $1; total[$5] += $2 }
		END { for (f in total) if (total[f] > 0) printf "%.0f\t%.0f\t%s\n", self[f], total[f], f }' | LC_ALL=C sort >"$name.want"
	"$CPCONV" --parquet -o "$name.parquet" "$@" 2>err || fail "$name: $(cat err)"
	by_node parquet.cjs "$name.parquet" "$weight" >"$name.out" 2>err || fail "$name: $(cat err)"
	LC_ALL=C sort "$name.out" >"$name.got"
	[ -s "$name.want" ] || fail "$name: nothing"
	same "$name.want" "$name.got" "$name: totals"
}
# ask SQL FILE: what DuckDB answers, a line for each row
ask() {
	by_node duckdb.cjs "$1" "$2" 2>&1
}

cat >work.cpp <<'EOF'
#include <cstdlib>
#include <map>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

static __attribute__((noinline)) long fibonacci(int n)
{
	return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

static void *job(void *)
{
	std::map<int, int> all;
	volatile long sum = fibonacci(35);

	for (unsigned i = 0; i < 200000; i++)
		all[int(i * 2654435761u % 100000)] += int(sum);
	usleep(5000);
	return NULL;
}

int main()
{
	pthread_t thread;

	pthread_create(&thread, NULL, job, NULL);
	job(NULL);
	pthread_join(thread, NULL);
	if (!fork()) {
		job(NULL);
		exit(0);
	}
	wait(NULL);
}
EOF
need g++
g++ -O2 -g -pthread -o work work.cpp || fail "no program"
record CPSAMPLE_RESOURCES=cpu:1ms,real,alloc:64k ./work || fail "exit status $?"
set -- cpsample.*.cps

agree cpu cpu_ns "$@"
agree real real_ns --resource real "$@"
agree several alloc_bytes --resource alloc "$@"
"$CPCONV" --parquet --resource cpu,real,alloc -o all.parquet "$@" || fail "several resources"
for column in cpu_ns real_ns alloc_bytes; do
	case $column in
	cpu_ns) name=cpu ;;
	real_ns) name=real ;;
	*) name=several ;;
	esac
	by_node parquet.cjs all.parquet $column | LC_ALL=C sort >all.got
	same $name.want all.got "$column beside the others"
done
# The query of the manual is one that DuckDB takes, and its totals are ours.
sed -n '/^WITH RECURSIVE chain/,/^\.Ed/p' "$root/doc/cpconv.1" | grep -v '^\.Ed' >manual.sql
cp cpu.parquet p.parquet
ask "$(cat manual.sql)" p.parquet | awk -F "$tab" '$2' | LC_ALL=C sort >manual.got
"$CPCONV" --flat --tsv --threshold 0 "$@" | awk -F "$tab" '$2 { print $5 "\t" $2 }' | LC_ALL=C sort >manual.want
[ -s manual.want ] || fail "no functions"
same manual.want manual.got "the manual's query"
printf 'main;a;b 3\nmain;a;a 4\nmain 1\n\303\251;x 2\n' >names.folded
agree folded samples names.folded
printf 'main;\303( 3\n' >wrong.folded # is no UTF-8, which Parquet wants
"$CPCONV" --parquet -o wrong.parquet wrong.folded || fail "wrong.folded"
[ "$(ask 'SELECT function, samples FROM t WHERE samples > 0' wrong.parquet)" = "?($tab""3" ] || fail "wrong.folded: $(ask 'FROM t' wrong.parquet)"

# Who it was is known with --by, and of one process without it.
"$CPCONV" --parquet --by thread -o by.parquet "$@" || fail "--by thread"
[ "$(ask 'SELECT count(DISTINCT pid), count(DISTINCT tid), count(DISTINCT host), count(DISTINCT run) FROM t' by.parquet)" = \
	"2${tab}3${tab}1${tab}1" ] || fail "processes and threads: $(ask 'SELECT DISTINCT pid, tid, run FROM t' by.parquet)"
[ "$(ask 'SELECT count(*) FROM t WHERE pid IS NOT NULL' all.parquet)" = 0 ] || fail "a process of several"
[ "$(ask 'SELECT count(DISTINCT host), count(DISTINCT run), count(*) - count(host) - count(run) + count(*) FROM t' all.parquet)" = \
	"1${tab}1${tab}0" ] || fail "the run of all: $(ask 'SELECT DISTINCT host, run FROM t' all.parquet)"
"$CPCONV" --parquet --pid "$(info "$1" pid)" -o one.parquet "$@" || fail "--pid"
ask 'SELECT DISTINCT pid, exe FROM t' one.parquet >one
[ "$(cat one)" = "$(info "$1" pid)$tab$PWD/work" ] || fail "one process: $(cat one)"

# Ranks, of which the processes without one have none: with --by rank, by process, of one process, but not of several.
for rank in 0 3; do
	record CPSAMPLE_OUTPUT=rank.$rank.cps CPSAMPLE_RESOURCES=cpu:1ms PMIX_RANK=$rank ./work || fail "exit status $?"
done
for file in rank.*.cps "$1"; do
	rank=$(info "$file" rank)
	echo "$rank$tab$(info "$file" credited)"
done >>weights
awk -F "$tab" -v OFS="$tab" '{ sum[$1 == "" ? "none" : $1] += $2 } END { for (r in sum) printf "%s\t%.0f\n", r, sum[r] }' weights |
	sort >want
for by in rank process thread; do
	"$CPCONV" --parquet --by $by -o ranks.parquet rank.*.cps "$1" || fail "--by $by"
	ask "SELECT coalesce(rank::VARCHAR, 'none'), sum(cpu_ns)::BIGINT FROM t GROUP BY 1 ORDER BY 1" ranks.parquet >got
	same want got "--by $by: ranks"
done
"$CPCONV" --parquet -o ranks.parquet rank.3.cps
[ "$(ask 'SELECT DISTINCT rank FROM t' ranks.parquet)" = 3 ] || fail "one process: $(ask 'SELECT DISTINCT rank FROM t' ranks.parquet)"
"$CPCONV" --parquet --by exe -o ranks.parquet rank.*.cps
[ "$(ask 'SELECT count(rank) FROM t' ranks.parquet)" = 0 ] || fail "a rank of several"

# Where it was.
lines=$(ask "SELECT DISTINCT line FROM t WHERE function LIKE 'fibonacci%' AND file LIKE '%/work.cpp' ORDER BY 1" all.parquet | tr '\n' ' ')
echo "$lines" | grep -q '\b9\b' || fail "lines of fibonacci: $lines"
[ "$(ask "SELECT count(*) > 0 FROM t WHERE inlined AND function LIKE 'std::map%'" all.parquet)" = true ] || fail "nothing is inlined"
[ "$(ask "SELECT count(*) FROM t LEFT JOIN t AS p ON t.parent = p.node WHERE t.depth <> coalesce(p.depth + 1, 0)" all.parquet)" = 0 ] ||
	fail "depths are not those of parents"
# The sum of squares is at most the square of the sum, and at least its part by the number of samples.
[ "$(ask 'SELECT count(*) FROM t WHERE cpu_samples > 0 AND (cpu_squared > 1.0001 * cpu_ns::DOUBLE ** 2
	OR cpu_squared * cpu_samples < 0.9999 * cpu_ns::DOUBLE ** 2)' all.parquet)" = 0 ] || fail "squares"

# Counted calls are rows of their own, from which numbers by pair follow; samples have what they had.
$CC -O2 -g -pg -mfentry -fno-inline -fno-optimize-sibling-calls -fno-ipa-icf -pthread -o counted "$root/test/targets/counted.c" ||
	fail "cannot build counted"
record CPSAMPLE_OUTPUT=counted.cps CPSAMPLE_RESOURCES=cpu:100us ./counted plain 20000000 >truth || fail "counted ended with $?"
agree counted cpu_ns counted.cps
ask "SELECT p.function || ' ' || t.function || ' ' || sum(t.calls) FROM t JOIN t AS p ON t.parent = p.node
	WHERE t.calls > 0 GROUP BY p.function, t.function" counted.parquet | sort >got
sort truth >want
same want got "counted calls"
[ "$(ask "SELECT sum(calls) FROM t WHERE function = 'main'" counted.parquet)" = 1 ] || fail "counted: calls of main"
[ "$(ask "SELECT count(*) FROM t WHERE calls IS NOT NULL AND cpu_samples > 0" counted.parquet)" = 0 ] || fail "counted: calls of samples"
[ "$(ask "SELECT count(calls) FROM t" all.parquet)" = 0 ] || fail "calls of nothing: $(ask 'SELECT calls FROM t' all.parquet)"
"$CPCONV" --parquet --by thread -o by.parquet counted.cps 2>err || fail "--by thread"
grep -q 'calls were counted, and are left out: --by' err || fail "--by thread: $(cat err)"
[ "$(ask "SELECT count(calls) FROM t" by.parquet)" = 0 ] || fail "calls of threads"

# More than one group of rows.
awk 'BEGIN { for (i = 0; i < 300; i++) for (k = 0; k < 500; k++) print "main;a" i ";b" k, i + k + 1 }' >many.folded
"$CPCONV" --parquet -o many.parquet many.folded || fail "many rows"
[ "$(ask 'SELECT count(*), sum(samples), count(DISTINCT function) FROM t' many.parquet)" = \
	"150301${tab}60000000${tab}801" ] ||
	fail "many rows: $(ask 'SELECT count(*), sum(samples), count(DISTINCT function) FROM t' many.parquet)"

"$CPCONV" --parquet --focus main -o x.parquet "$@" 2>err && fail "--focus is taken"
grep -q "whole stacks" err || fail "--focus: $(cat err)"
note "$(ask 'SELECT count(*) FROM t' all.parquet) rows, $(wc -c <all.parquet) bytes"
