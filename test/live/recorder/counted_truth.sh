#!/bin/sh
# SPDX-License-Identifier: MIT
# May run beside others.
# Not in short runs: it takes 20 s, and more beside others.
#
# The counts of a real program, cpconv itself, are those of gprof and of callgrind: for each function, and for each caller that all
# three can know. A function of the C library is none of ours and gprof's; of one name that several functions have nobody says
# which.
#
# Seen to fail: when one call in a hundred of each context was left out of the recording; and when calls with
# arguments on the stack came from functions that had just returned, whose return address such arguments may leave in its place.
. "$(dirname "$0")/../lib.sh"
need gprof
need valgrind

make -s -C "$root" BUILD="$tmp/own" CFLAGS="-O0 -pg" LDFLAGS=-pg "$tmp/own/cpconv" >log 2>&1 || fail "no program: $(tail -n 3 log)"
own=$tmp/own/cpconv
record CPSAMPLE_RESOURCES=cpu:1ms CPSAMPLE_OUTPUT=in.cps "$own" --help >out || fail "no recording"

record CPSAMPLE_OUTPUT=x.cps "$own" --tree in.cps >ours 2>err || fault "ended with $?: $(cat err)"
"$own" --tree in.cps >bare 2>err || fail "$(cat err)"
gprof -b "$own" gmon.out >gprof.txt || fail "no gprof.txt"
valgrind --tool=callgrind --callgrind-out-file=callgrind.out "$own" --tree in.cps >out 2>err
# At its very end a tick of gprof's may kill it there.
grep -q '^totals:' callgrind.out || fail "no callgrind.out: $(cat err)"
cmp ours bare || fail "it prints something else"

nm --defined-only "$own" | awk '$2 ~ /[tT]/ { print $3 }' | sort | uniq -u >once
# gprof's functions that have their name alone.
"$CPCONV" --functions --tsv gprof.txt 2>err | awk -F "$tab" '$4 > 0 { print $3 }' | sort | comm -12 - once >names
[ "$(wc -l <names)" -gt 200 ] || fail "gprof has few functions: $(cat err)"
functions() {
	"$CPCONV" --functions --tsv "$1" 2>err | awk -F "$tab" 'NR == FNR { own[$1] = 1; next } $3 in own { print $3, $4 }' names - | sort
}
edges() {
	"$CPCONV" --edges --tsv "$1" 2>err | awk -F "$tab" '$6 != "" { print $1, $2, $6 }'
}
functions x.cps | grep -v '^main ' >ours
for file in gprof.txt callgrind.out; do
	functions $file | grep -v '^main ' | cmp -s - ours || fail "$file: $(functions $file | diff - ours | head -n 5)"
done

# What the C library calls has another caller for each of them.
edges callgrind.out | awk 'NR == FNR { own[$1] = 1; next } !($1 in own) { print $2 }' names - | sort -u | comm -23 names - >called
between() {
	edges "$1" | awk 'NR == FNR { own[$1] = 1; next } ($1 in own) && ($2 in own)' called - | sort
}
between x.cps >ours
[ "$(wc -l <ours)" -gt 200 ] || fail "few arcs: $(wc -l <ours)"
for file in gprof.txt callgrind.out; do
	between $file >theirs
	cmp -s ours theirs || fail "$file: $(diff ours theirs | head -n 9)"
done
