#!/bin/sh
# SPDX-License-Identifier: MIT
# cpconv makes of the folded stacks in test/data/cases what the tables beside them say.
#
# Integers and texts must be equal, fractions within 1e-9, and rows in the same order.
#
# May run beside others.
. "$(dirname "$0")/../lib.sh"
count=0

# agree TABLE GOT: prints the first difference
agree() {
	LC_ALL=C awk -F "$tab" '
		function number(s) {
			return s ~ /^-?[0-9]*\.?[0-9]+(e[-+]?[0-9]+)?$/
		}
		function equal(a, b, d) {
			if (a "" == b "") return 1
			if (!number(a) || !number(b) || a !~ /[.e]/ && b !~ /[.e]/) return 0
			d = a > b ? a - b : b - a
			return d <= 1e-9
		}
		FNR == NR { want[FNR] = $0; rows = FNR; next }
		{
			same = split(want[FNR], w) == NF
			for (i = 1; same && i <= NF; i++) same = equal(w[i], $i)
			if (same) next
			print "row " FNR ": want " want[FNR] ", got " $0
			bad = 1
			exit
		}
		END {
			if (!bad && FNR != rows) {
				print rows " rows wanted, " FNR " came"
				bad = 1
			}
			exit bad
		}' "$1" "$2"
}

# check TABLE OPTION...
check() {
	table=$1
	shift
	[ "$1" = --graph ] || set -- "$@" --threshold 0
	"$CPCONV" "$@" --tsv "$case/in.folded" >got 2>err || fail "$table: $(cat err)"
	[ ! -s err ] || fail "$table: $(cat err)"
	[ -s got ] || fail "$table: no row"
	case $1 in
	--functions | --edges) # nobody has counted calls
		! grep -qv "$tab$" got || fail "$table: calls"
		sed -i "s/$tab$//" got
		;;
	esac
	agree "$table" got >why || fail "$table: $(cat why)"
	count=$((count + 1))
}

# check_set TABLE OPTION...: integers and texts are compared in any order. If a table has no rows
# for contexts, only the other rows are compared.
check_set() {
	table=$1
	shift
	"$CPCONV" "$@" --threshold 0 --tsv "$case/in.folded" >rows 2>err || fail "$table: $(cat err)"
	[ ! -s err ] || fail "$table: $(cat err)"
	grep -q '^context' "$table" || sed -i '/^context/d' rows
	LC_ALL=C sort "$table" >want
	LC_ALL=C sort rows >got
	same want got "$table"
	count=$((count + 1))
}

# By default the totals of --graph are the exact ones: of functions those of flat.tsv, and of calls the
# weights in edges.tsv. Seen to fail: with propagated totals.
check_exact() {
	"$CPCONV" --graph --node-thres 0 --edge-thres 0 --tsv "$case/in.folded" >rows 2>err ||
		fail "--graph: $(cat err)"
	LC_ALL=C awk -F "$tab" -v OFS="$tab" '
		FILENAME ~ /flat.tsv$/ { all += $1; print "func", $2, $5; next }
		{ print "edge", $1 == $2 ? "-" : $3, $1, $2 }' \
		"$case/flat.tsv" "$case/edges.tsv" | LC_ALL=C sort >want
	whole=$(LC_ALL=C awk -F "$tab" '{ n += $1 } END { printf "%.0f", n }' "$case/flat.tsv")
	LC_ALL=C awk -F "$tab" -v OFS="$tab" -v whole="$whole" '
		{ total = $2 == "-" ? "-" : sprintf("%.0f", $2 * whole) }
		$1 == "func" { print $1, total, $5; next }
		{ print $1, total, $5, $6 }' rows | LC_ALL=C sort >got
	same want got "exact totals of $case"
	count=$((count + 1))
}

# The comparison itself notices a wrong table.
printf '1\t0.5\ta\n2\t0.25\tb\n' >one
for other in '1\t0.5\ta\n' '1\t0.5\ta\n2\t0.25\tc\n' '1\t0.5\ta\n2\t0.250000002\tb\n' \
	'1\t0.5\ta\n3\t0.25\tb\n' '2\t0.25\tb\n1\t0.5\ta\n' '1\t0.5\ta\n2\t0.25\tb\n3\t0\tc\n'; do
	# shellcheck disable=SC2059 # the escapes are meant
	printf "$other" >two
	agree one two >why && fail "the comparison takes $other for equal"
done

for case in "$root"/test/data/cases/*/; do
	case=${case%/}
	[ -f "$case/in.folded" ] || fail "no cases"
	check "$case/flat.tsv" --flat
	check "$case/tree.tsv" --tree
	check "$case/graph.tsv" --graph --totals propagated --node-thres 0 --edge-thres 0
	check_exact
	check "$case/bottomup.tsv" --bottomup
	check "$case/function.tsv" --functions
	check "$case/body.tsv" --bodies
	check "$case/edges.tsv" --edges
	# The first row is the root function alone.
	for table in "$case"/callpath.*.down.tsv; do
		check "$table" --callpath --root "$(head -n 1 "$table" | cut -f 3)"
	done
	for table in "$case"/callpath.*.up.tsv; do
		check "$table" --callpath --up --root "$(head -n 1 "$table" | cut -f 3)"
	done
	check_set "$case/spivey.tsv" --contexts
	grep -E '^(func|arc)' "$case/spivey.tsv" >callgraph.tsv
	check_set callgraph.tsv --callgraph
	sed -n 's/^cycle.//p' "$case/spivey.tsv" >cycles.tsv
	check_set cycles.tsv --cycles
done
case=$root/test/data/cases/process_db
check "$case/graph.default.tsv" --graph --totals propagated
[ $count -ge 110 ] || fail "only $count tables"
note "$count tables"
