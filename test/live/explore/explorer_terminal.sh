#!/bin/sh
# SPDX-License-Identifier: MIT
# cpprof runs in a terminal: completion, history, interrupts, windows of all sizes, the pager; and cpconv with the pager.
# Waits, beside others.
# Not in short runs: it takes 20 s.
. "$(dirname "$0")/../lib.sh"
need python3

cat >names.folded <<'END'
main;operator new(unsigned long) 4
main;std::map<int, char>::at(int const&);qsort 3
main;quick 2
main;say "hi" 1
main;été 1
END
long=$(printf 'long_name%.0s' 1 2 3 4 5 6 7 8 9 10 11 12)
echo "main;$long 3" >wide.folded
awk 'BEGIN {
	for (i = 1; i <= 200000; i++) print "main;f" i % 997 ";f1;f2;f3;f" i, i
}' >many.folded
head -n 100 many.folded >some.folded

export LIBRARY SPIN="$targets/spin"
for test in completion history numbers interrupts stopped ends windows pager converter standard_input follow progress; do
	python3 "$root/test/live/explore/explorer_terminal.py" "$CPPROF" "$CPCONV" $test >out 2>&1 || fail "$test: $(cat out)"
done
