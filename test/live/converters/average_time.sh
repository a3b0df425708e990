#!/bin/sh
# SPDX-License-Identifier: MIT
# The view average-time shows a call graph whose calls were counted and measured, as callgrind
# writes it. For a call graph of gprof it says what is missing.
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
