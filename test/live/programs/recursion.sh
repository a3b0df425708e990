#!/bin/sh
# SPDX-License-Identifier: MIT
# Two programs are recursive through and through: SWI-Prolog solving the queens problem, whose
# interpreter calls itself by its built-in predicates, and the C++ compiler, a recursive descent of
# some hundred functions. No total exceeds 100 % in any view. The cycles are listed, and they are
# cycles that were run. The call graph has the totals of the other views; with propagated totals its
# picture stays small enough to be read.
#
# Chance: how many functions have 5 % of the time varies from recording to recording. The bounds are a third above what
# is usual, and there are three recordings.
#
# May run beside others.
. "$(dirname "$0")/../lib.sh"

# No row of the file exceeds 100 %: FILE COLUMN WHOLE [KIND]
none_above() {
	LC_ALL=C awk -F "$tab" -v column="$2" -v whole="$3" -v kind="${4-}" '
		kind != "" && $1 != kind { next }
		$column == "-" { next }
		{ n++ }
		$column > whole * (1 + 1e-9)
		END { if (!n) print "no rows" }' "$1" >above
	[ ! -s above ] || fail "$1: above 100 %: $(head -n 3 above)"
}

rows() {
	"$CPCONV" "$@" --tsv "$stream" >"$view" 2>err || fail "$*: $(cat err)"
}

nothing_exceeds() {
	whole=$(info "$stream" credited)
	for view in flat tree bottomup functions bodies callpath edges callgraph cycles contexts; do
		rows "--$view" --threshold 0
	done
	none_above flat 3 1
	none_above flat 4 1
	none_above tree 2 "$whole"
	none_above bottomup 2 "$whole"
	none_above functions 2 1
	none_above bodies 2 1
	none_above callpath 2 1
	none_above edges 3 "$whole"
	none_above callgraph 5 "$whole" func
	none_above cycles 1 "$whole"
	none_above contexts 2 "$whole" context
	# The views begin and end at the function that recurses most.
	view=callpath
	rows --callpath --threshold 0 --root "$recursive"
	none_above callpath 2 1
	rows --callpath --threshold 0 --up --root "$recursive" --depth 8
	none_above callpath 2 1
	for totals in "" exact propagated; do
		view=graph${totals:+.$totals}
		rows --graph ${totals:+--totals $totals} --node-thres 0 --edge-thres 0
		none_above "$view" 2 1 func
		none_above "$view" 2 1 edge
	done
	same graph.exact graph "what --graph shows by default"
}

# Functions have the same totals in --graph as in --flat, in its table, in JSON and in the picture, and
# calls have the weights of --edges. `flat` and `edges` are the tables of these views. Cycles are split
# only on request; that gives other totals.
totals_agree() {
	LC_ALL=C awk -F "$tab" -v whole="$whole" '
		FILENAME == "flat" { total[$5] = $4; n++; next }
		FILENAME == "edges" { weight[$1, $2] = $3; n++; next }
		$1 == "func" { n--; if ($2 != total[$5]) print $5 ": " $2 ", not " total[$5] }
		$1 == "edge" && $5 == $6 { n--; if ($2 != "-") print $5 " calls itself: " $2 }
		$1 == "edge" && $5 != $6 {
			n--
			d = $2 * whole - weight[$5, $6]
			if (d > 1 || d < -1) print $5 " -> " $6 ": " $2 " of " whole ", not " weight[$5, $6]
		}
		END { if (n) print n " rows are missing" }' flat edges graph >wrong
	[ ! -s wrong ] || fail "totals: $(head -n 3 wrong)"
	"$CPCONV" --graph --json --node-thres 0 --edge-thres 0 "$stream" |
		sed -n 's/.*"row": "func", "total_fraction": \([^,]*\),.*/\1/p' >json
	grep "^func$tab" graph | cut -f 2 >column
	same column json "totals in JSON"
	"$CPCONV" --dot --node-thres 0 --edge-thres 0 "$stream" >graph.gv || fail "--dot"
	grep -q 'label=".*totals: exact, each stack once' graph.gv || fail "the picture does not say whose totals"
	sed -n '/" -> "/d; s/.*\\n\([0-9.]*\)%\\n(.*/\1/p' graph.gv >drawn
	# Functions that are a chain are one node, which has the first one's total.
	LC_ALL=C awk 'FILENAME == "drawn" { drawn[++n] = $1; next }
		sprintf("%.2f", $1 * 100) == drawn[i + 1] { i++ }
		END { if (i < n || n < 3) print n " are drawn, the first that is wrong is " drawn[i + 1] }' drawn column >wrong
	[ ! -s wrong ] || fail "totals in the picture: $(cat wrong)"
	differing=$(LC_ALL=C awk -F "$tab" '$1 != "func" { next }
		FILENAME == "graph" { exact[$5] = $2; next }
		{ d = $2 - exact[$5]; n += d > 0.01 || d < -0.01 }
		END { print n + 0 }' graph graph.propagated)
	[ "$differing" -gt 0 ] || fail "propagated totals are the same"
}

# Print the function that is more than once in the stacks of the greatest weight, and how often it
# is in one stack at most.
find_recursive() {
	"$CPCONV" --folded --unit gticks "$stream" >folded || fail "--folded --unit gticks"
	LC_ALL=C awk '
		{
			count = $NF
			n = split(substr($0, 1, length($0) - length(count) - 1), frame, ";")
			split("", times)
			for (i = 1; i <= n; i++) times[frame[i]]++
			for (name in times) if (times[name] > 1) {
				again[name] += count
				if (times[name] > deepest) deepest = times[name]
			}
		}
		END {
			for (name in again) if (again[name] > again[best]) best = name
			print deepest
			print best
		}' folded >recursive
	deepest=$(head -n 1 recursive)
	recursive=$(tail -n 1 recursive)
}

# Each cycle comes back to where it began, and its functions stand in this order in a stack: not
# always next to each other, for what was called between two of them, and again later on, is left
# out.
cycles_were_run() {
	LC_ALL=C awk -F "$tab" '
		FILENAME == "folded" { sub(/ [0-9]+$/, ""); stack[n_stacks++] = $0; next }
		{
			n = split($3, name, ";")
			if (n < 2 || name[1] != name[n]) print "no cycle: " $3
			for (s = 0; s < n_stacks; s++) {
				rest = ";" stack[s] ";"
				for (i = 1; i <= n && (at = index(rest, ";" name[i] ";")); i++)
					rest = substr(rest, at + 1 + length(name[i]))
				if (i > n) break
			}
			if (s == n_stacks) print "in no stack: " $3
			if (n > 2) mutual++
		}
		END { if (!mutual) print "no cycle of several functions" }' folded cycles >wrong
	[ ! -s wrong ] || fail "cycles: $(head -n 3 wrong)"
	ran=$(wc -l <cycles)
}

functions_in() {
	grep -v '" -> "' "$1" | grep -c '^	".*\[label='
}

# MOST FEW PERCENT: how many functions a picture may have, by default and if it shows what has 5 %;
# how many the latter has at least, in percent of that, if all functions of a cycle have the time of the
# whole cycle, as gprof has it (unsplit.awk).
picture_is_readable() {
	"$CPCONV" --dot --totals propagated "$stream" >graph.gv || fail "--dot"
	nodes=$(functions_in graph.gv)
	edges=$(grep '" -> "' graph.gv | grep -vc 'style="dashed"') # a dashed one passes what is left out
	[ "$nodes" -le "$1" ] || fail "$nodes functions in the picture"
	[ "$edges" -le $((2 * nodes)) ] || fail "$edges calls between $nodes functions"
	"$CPCONV" --dot --totals propagated --node-thres 5 --edge-thres 1 "$stream" >graph.gv || fail "--dot"
	few=$(functions_in graph.gv)
	[ "$few" -le "$2" ] || fail "$few functions with 5 % in the picture"
	awk -f "$root/doc/examples/unsplit.awk" graph.propagated >unsplit.gv
	unsplit=$(functions_in unsplit.gv)
	[ "$unsplit" -ge $((few * $3 / 100)) ] || fail "$few functions; $unsplit if cycles are not split"
	command -v dot >/dev/null || return
	dot -Tsvg graph.gv >graph.svg 2>err || fail "dot: $(cat err)"
	[ ! -s err ] || fail "dot complains: $(cat err)"
	[ "$(grep -c 'class="node"' graph.svg)" -eq "$few" ] || fail "dot draws another graph"
}

# check NAME MOST FEW PERCENT
check() {
	stream=$(one_stream) || fail "$1: $stream"
	[ "$(info "$stream" samples)" -ge 100 ] || fail "$1: $(info "$stream" samples) samples"
	find_recursive
	[ "$deepest" -ge 3 ] || fail "$1: no recursion"
	nothing_exceeds
	totals_agree
	cycles_were_run
	picture_is_readable "$2" "$3" "$4"
	note "$1: $ran cycles, $few functions with 5 %, $unsplit unsplit, $differing totals differ by 1 % if they are propagated"
}

if command -v swipl >/dev/null; then
	cat >queens.pl <<'END'
:- use_module(library(clpfd)).
:- initialization(main, main).
queens(N, Qs) :- length(Qs, N), Qs ins 1..N, safe(Qs), labeling([ff], Qs).
safe([]).
safe([Q|Qs]) :- no_attack(Q, Qs, 1), safe(Qs).
no_attack(_, [], _).
no_attack(Q, [P|Ps], D) :-
	Q #\= P, Q #\= P + D, Q #\= P - D,
	D1 is D + 1, no_attack(Q, Ps, D1).
main :- findall(Qs, queens(10, Qs), All), length(All, Count), format("~w solutions~n", [Count]).
END
	# prolog TIMES
	prolog() {
		record swipl ../queens.pl >out 2>&1 || fault "swipl: $(cat out)"
		[ "$(cat out)" = "724 solutions" ] || fault "swipl: $(cat out)"
		check swipl 150 20 100
		# The interpreter takes most of the time, and it is in the cycle that takes most.
		head -n 1 cycles | cut -f 3 | tr ';' '\n' | grep -qxF "$(head -n 1 flat | cut -f 5)" ||
			fail "the interpreter is not in the heaviest cycle: $(head -n 1 cycles)"
	}
	with_more_work prolog 1
else
	note "no swipl on this machine"
fi

if command -v g++ >/dev/null; then
	printf '#include <%s>\n' regex functional iostream map random algorithm >work.cc
	# compiler TIMES
	compiler() {
		record CPSAMPLE_EXE='cc1plus$' g++ -O1 -S ../work.cc -o /dev/null 2>err || fault "$(cat err)"
		check cc1plus 500 100 150
	}
	with_more_work compiler 1
else
	note "no g++ on this machine"
fi
