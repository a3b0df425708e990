#!/bin/sh
# SPDX-License-Identifier: MIT
# --callpath --root '*' finds a sequence of calls that recurs under many callers, in a program that knows its share:
# open_file -> parse -> validate takes 62 % under 12 functions, none of which has a tenth. It is the only one that is
# listed: of its parts, (open_file parse), nothing is said, since it explains them; prepare -> convert has one
# caller, and nineteen of twenty load -> fetch have the same one.
#
# Seen to fail: with a caller of nine tenths among those that are listed (load fetch); without the rule that a longer
# sequence explains its parts.
#
# Chance: the share may differ from the truth by three standard deviations, which it does in 0.27 % of all runs, and in each of three
# with more and more work in one of 50 million.
#
# May run beside others.
. "$(dirname "$0")/../lib.sh"

# run SECONDS: leaves the recording in recurs.cps
run() {
	record CPSAMPLE_RESOURCES=cpu:1ms CPSAMPLE_OUTPUT=x.cps "$targets/recurs" "$1" "$1" >truth || fault "recurs ended with $?"
	stream=x.cps
	"$CPCONV" --callpath --root '*' --threshold 5 --tsv "$stream" >rows || fail "no view"
	[ "$(cut -f 3,4 rows)" = "open_file;parse;validate${tab}12" ] || fail "listed: $(cat rows)"
	"$CPCONV" --callpath --root open_file --tsv "$stream" |
		awk -F "$tab" '$3 == "open_file;parse;validate" { print $1 }' >of_root
	[ "$(cut -f 1 rows)" = "$(cat of_root)" ] || fail "$(cut -f 1 rows), with that root $(cat of_root)"
	awk -v n="$(equal_samples "$stream")" -v q="$(cut -f 2 rows)" '
		{ ns[$1] = $2 }
		END {
			p = ns["sequence"] / ns["process"]
			bound = 3 * sqrt(p * (1 - p) / n)
			printf "%.4f, truly %.4f, bound %.4f\n", q, p, bound
			exit q > p + bound || q < p - bound
		}' truth >share || fail "the share is out of bounds: $(cat share)"
	mv x.cps ../recurs.cps
}

with_more_work run 2
stream=recurs.cps

# People get a line that says how many call it.
"$CPCONV" --callpath --root '*' "$stream" >text || fail "no text"
grep -q '^0\.[0-9]* (open_file parse validate) \[[0-9]*\] 12 callers$' text || fail "text: $(cat text)"

# Options that need one root function are refused, and say so.
cp "$stream" copy
for options in "--up" "--percent parent" "--base copy"; do
	# shellcheck disable=SC2086 # several words
	"$CPCONV" --callpath --root '*' $options "$stream" >out 2>err
	status=$?
	[ $status -eq 2 ] || fail "$options: exit $status"
	grep -q "root '\*'" err || fail "$options: $(cat err)"
done

# The callers of a function, and theirs: its total is that of --flat, and the twelve share it.
"$CPCONV" --bottomup --root validate --tsv "$stream" >callers || fail "no bottom-up tree"
total=$("$CPCONV" --flat --tsv "$stream" | awk -F "$tab" '$5 == "validate" { print $2 }')
[ "$(head -n 1 callers)" = "0${tab}$total${tab}0${tab}validate" ] || fail "callers: $(head -n 1 callers)"
[ "$(awk -F "$tab" '$1 == 3 { sum += $2 } END { printf "%.0f\n", sum }' callers)" = "$total" ] ||
	fail "the callers of open_file have not $total: $(cat callers)"
[ "$(grep -c "^3$tab.*${tab}caller_" callers)" -eq 12 ] || fail "callers of open_file: $(cat callers)"
