#!/bin/sh
# SPDX-License-Identifier: MIT
# The view average-time shows a call graph whose calls were counted and measured, as callgrind
# writes it. For a call graph of gprof it says what is missing. Of samples it shows functions whose calls were recorded, with
# the shares that the program knows; without such calls it is refused in a line that says how to record them.
# Seen to fail: with occurrences on stacks for calls, 10 calls of 50,010 were 78 % of them.
# May run beside others.
. "$(dirname "$0")/../lib.sh"

# The paper's qsort: one call of 313 takes 26 % of the time.
cat >callgrind.out <<'END'
# callgrind format
positions: line
events: Ir
fn=main
1 10
cfn=global_alloc
calls=1 2
2 500
cfn=others
calls=1 3
3 1600
fn=global_alloc
4 10
cfn=qsort
calls=1 9
4 490
fn=others
5 190
cfn=qsort
calls=312 9
5 1410
fn=qsort
9 1900
END
"$CPCONV" --average-time --tsv callgrind.out >rows 2>err || fail "callgrind: $(cat err)"
awk -F "$tab" '{ printf "%s %s %s %.4f %s %.4f %.4f %.4f\n", $1, $2, $3, $4, $5, $6, $7, $8 }' rows >got
cat >want <<'END'
qsort global_alloc 1 0.0032 490 0.2579 0.2547 0.2294
qsort others 312 0.9968 1410 0.7421 -0.2547 0.2294
END
same want got "callgrind's qsort"
"$CPCONV" --average-time callgrind.out >table 2>err || fail "callgrind: $(cat err)"
grep -q 'Occurrences' table && fail "takes numbers of calls for occurrences"
grep -qE '^ +0\.32 +25\.79 +6 +490    global_alloc$' table || fail "callgrind: $(cat table)"
"$CPCONV" --average-time --root main callgrind.out >table 2>err && fail "main has no callers: $(cat table)"
grep -q 'main' err || fail "does not say what is wrong: $(cat err)"

cat >gprof.text <<'END'
Flat profile:

Each sample counts as 0.01 seconds.
  %   cumulative   self              self     total           
 time   seconds   seconds    calls  ms/call  ms/call  name    
100.00      0.10     0.10       20     5.00     5.00  work
  0.00      0.10     0.00        1     0.00   100.00  a

			Call graph


granularity: each sample hit covers 4 byte(s) for 10.00% of 0.10 seconds

index % time    self  children    called     name
                                                 <spontaneous>
[1]    100.0    0.00    0.10                 main [1]
                0.00    0.10       1/1           a [2]
-----------------------------------------------
                0.00    0.10       1/1           main [1]
[2]    100.0    0.00    0.10       1         a [2]
                0.10    0.00      20/20          work [3]
-----------------------------------------------
                0.10    0.00      20/20          a [2]
[3]    100.0    0.10    0.00      20         work [3]
-----------------------------------------------
END
"$CPCONV" --flat gprof.text >/dev/null 2>err || fail "gprof: $(cat err)"
"$CPCONV" --average-time gprof.text >table 2>err && fail "gprof has measured calls: $(cat table)"
grep -q 'average' err || fail "does not say why: $(cat err)"

# ---- samples ------------------------------------------------------------------------------------
cat >work.c <<'END'
void work(long n);
void work(long n)
{
	for (volatile long i = 0; i < n; i++)
		;
}
END
cat >calls.c <<'END'
#include <stdio.h>
#include <time.h>
void work(long n);
static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}
__attribute__((noinline)) static void few(void)
{
	for (int i = 0; i < 10; i++)
		work(30000000);
	__asm__ volatile("" ::: "memory");
}
__attribute__((noinline)) static void many(void)
{
	for (int i = 0; i < 50000; i++)
		work(2000);
	__asm__ volatile("" ::: "memory");
}
int main(void)
{
	double begin = now(), middle;

	few();
	middle = now();
	many();
	printf("%.4f\n", (middle - begin) / (now() - begin));
	return 0;
}
END
$CC -O1 -g -fPIC -shared -o libwork.so work.c && $CC -O1 -g -o calls calls.c "$PWD/libwork.so" || fail "cannot build calls"
record CPSAMPLE_OUTPUT=calls.cps CPSAMPLE_RESOURCES=cpu:1ms,calls:work:100 ./calls >truth || fail "calls: $?"
"$CPCONV" --average-time --tsv --threshold 0 --resource cpu,calls:work calls.cps >rows 2>err || fail "calls: $(cat err)"
# Of 50,010 calls a tenth would be 5,000, of which few would need dozens of samples; of some 150 ticks at least, a share is off
# by 20 % if it is six standard errors off.
awk -F "$tab" -v "truth=$(cat truth)" '
	$1 != "work" { print "not counted: " $0; bad = 1 }
	{ calls[$2] = $3; share[$2] = $4; time[$2] = $6 }
	END {
		sum = calls["few"] + calls["many"]
		if (NR != 2 || sum < 49000 || sum > 51000) { print NR " callers, " sum " calls"; bad = 1 }
		if (share["few"] > 0.1) { print "few has " share["few"] " of the calls"; bad = 1 }
		if (time["few"] < truth - 0.2 || time["few"] > truth + 0.2) { print "few has " time["few"] " of the time, not " truth; bad = 1 }
		exit bad
	}' rows >wrong || fail "calls: $(cat wrong rows)"
"$CPCONV" --average-time --resource cpu,calls:work calls.cps >table 2>err || fail "calls: $(cat err)"
grep -q 'those that were counted' table || fail "does not say which calls: $(cat table)"
refused() {
	want=$1
	shift
	"$CPCONV" --average-time "$@" >out 2>err && fail "$*: not refused: $(cat out)"
	[ ! -s out ] && [ "$(wc -l <err)" = 1 ] && grep -qF -e "$want" err || fail "$*: $(cat out err)"
}
refused '--resource cpu,calls:work' calls.cps
refused '--resource cpu,calls:work' --resource calls:work calls.cps
refused '--resource cpu,calls:work' --resource calls:work,cpu calls.cps
refused '--unit samples' --resource cpu,calls:work --unit samples calls.cps
printf '%s\n' 'main;f;g 3' 'main;g 5' >stacks.folded
refused 'cpsample -r cpu,calls:FUNCTION' stacks.folded
