#!/bin/sh
# SPDX-License-Identifier: MIT
# Profiles of Python's cProfile and profile.py are shown as Python's own pstats has them: self, total and calls of each
# function, and of each caller, to the nanosecond, with recursion, functions that call each other, lambdas, generators, what
# is written in C, names that are not ASCII, and files of the same name; in each version of marshal, of each Python that there is.
#
# Seen to fail:
# - With the primitive calls: a recursion has fewer.
# - With the line in no name: two methods were one.
# - With the line in no name where profile.py has a function of C of the same name: two rows could not be told apart.
# - With a way through functions that are in no path, and labels in an order of their own.
# - Without the calls of functions that have no caller: those had 0.
#
# May run beside others.
. "$(dirname "$0")/../lib.sh"

# check FILE
check() {
	"$CPCONV" --flat --threshold 0 --tsv "$1" >flat 2>err || fault "$1: $(cat err)"
	[ ! -s err ] || fault "$1: $(cat err)"
	"$CPCONV" --graph --tsv -n 0 -e 0 "$1" | grep "^func$tab" | cut -f 5,6 | LC_ALL=C sort >calls
	"$CPCONV" --edges --threshold 0 --tsv "$1" >edges || fault "$1: no edges"
	awk -F "$tab" -v OFS="$tab" 'NR == FNR { calls[$1] = $2; next } { print $1, $2, calls[$5], $5 }' calls flat | LC_ALL=C sort >got
	LC_ALL=C sort "$1.flat" | same - got "$1: functions"
	awk -F "$tab" -v OFS="$tab" 'NR == FNR { is_number[$3, $4] = $1 == "?"; next } { print is_number[$1, $2] ? "?" : $3, $6, $1, $2 }' \
		"$1.edges" edges | LC_ALL=C sort >got
	LC_ALL=C sort "$1.edges" | same - got "$1: callers"
}

versions=''
for python in /usr/bin/python3.[89] /usr/bin/python3.1[0-9] "${HOME:-/}"/.pyenv/versions/3.*/bin/python3.[89] \
	"${HOME:-/}"/.pyenv/versions/3.*/bin/python3.1[0-9]; do
	[ -x "$python" ] && "$python" -c 'import cProfile, profile' 2>/dev/null || continue
	rm -rf files
	mkdir files
	"$python" "$root/test/live/converters/python_profiles.py" files 2>err || fail "$python: $(cat err)"
	[ ! -s err ] || fail "$python: $(cat err)"
	for file in files/*[!s]; do
		case $file in
		*.flat | *.edges) ;;
		*) check "$file" ;;
		esac
	done
	versions="$versions ${python##*/}"
	note "${python##*/}: $(find files -name '*.flat' | wc -l) profiles"
done
[ "$versions" ] || skip "no python3 with cProfile on this machine"

# All views of calls show it, and say what it is of. profile.py counts CPU time, and the calls of a caller alone.
for view in flat functions bodies edges graph dot info average-time; do
	"$CPCONV" --$view files/kinds-cProfile >out 2>err || fail "--$view: $(cat err)"
	[ -s out ] || fail "--$view is empty"
done
"$CPCONV" files/kinds-cProfile | head -n 1 | grep -q 'resource: Real$' || fail "which resource? $("$CPCONV" files/kinds-cProfile | head -n 3)"
"$CPCONV" --graph files/kinds-cProfile | grep -qx 'totals: exact, as recorded' || fail "whose totals are they?"
"$CPCONV" --graph files/kinds-profile | grep -qx 'totals: exact, as recorded; of calls: shares by number' ||
	fail "whose totals are those of calls?"
"$CPCONV" --tree files/kinds-cProfile >out 2>err && fail "a tree of calls without stacks"
[ "$(wc -l <err)" -eq 1 ] && [ ! -s out ] || fail "--tree: $(cat out err)"

"$CPCONV" --average-time files/kinds-profile >out 2>err && fail "times of calls that nobody has measured"
grep -q 'profile.py has not measured what calls take' err && [ ! -s out ] || fail "--average-time: $(cat out err)"

# The rows add up to what the heading says, as text, TSV and JSON. There are no threads and no samples. (Seen to fail: --threads was an
# empty table below the whole time, --unit samples had no effect, and nanoseconds were raw samples.)
# adds_up VIEW COLUMN KEY FACTOR: the column of TSV, the key of JSON, and the first column of text, whose sum is FACTOR.
adds_up() {
	"$CPCONV" "--$1" --threshold 0 --json files/kinds-cProfile >json || fail "--$1 --json"
	total=$(grep -o '"total": [0-9]*' json | head -n 1 | cut -d ' ' -f 2)
	grep -o "\"$3\": [0-9]*" json | awk '{ n += $2 } END { printf "%.0f\n", n }' >got
	"$CPCONV" "--$1" --threshold 0 --tsv files/kinds-cProfile | awk -F "$tab" -v c="$2" '{ n += $c } END { printf "%.0f\n", n }' >>got
	printf '%s\n' "$total" "$total" | same - got "--$1: the sum"
	"$CPCONV" "--$1" --threshold 0 files/kinds-cProfile | awk -v want="$4" '
		/^---/ { is_row = !is_row; next }
		is_row { sum += $1; n++ }
		END { off = sum > want ? sum - want : want - sum; exit !(n && off <= want * 0.00005 * (n + 1)) }' ||
		fail "--$1 as text does not add up"
}
[ "$("$CPCONV" files/kinds-cProfile | grep -c ' credited$')" = 1 ] || fail "the heading has no total"
adds_up flat 1 self 100
adds_up bodies 1 self 1
"$CPCONV" --processes --json files/kinds-cProfile | grep -q "\"credited\": $total, \"credited_fraction\": 1," || fail "--processes"
for view in functions bodies; do
	"$CPCONV" --$view files/kinds-cProfile >out
	! grep -e '#raw_samples' -e '\[[0-9]*\]$' out || fail "--$view has samples"
done
for bad in --threads --timeline '--flat --unit samples' '--functions --unit samples' '--summary --unit samples'; do
	# shellcheck disable=SC2086 # several words
	"$CPCONV" $bad files/kinds-cProfile >out 2>err && fail "$bad: shown"
	[ "$(wc -l <err)" -eq 1 ] && [ ! -s out ] && ! grep -q -e '--threads,' -e '--timeline,' err || fail "$bad: $(cat out err)"
done

# gprof2dot's options for what is shown, with its meaning: a file begins with a path, and no way leads through functions
# that are elsewhere.
profile=files/kinds-cProfile
"$CPCONV" --graph --tsv -n 0 -e 0 -p "${root%/*}" "$profile" | awk -F "$tab" '$1 == "func" { print $5 }' | LC_ALL=C sort >got
"$CPCONV" --graph --tsv -n 0 -e 0 "$profile" | awk -F "$tab" '$1 == "func" && $5 !~ /^\{/ { print $5 }' | LC_ALL=C sort >want
same want got "--path"
"$CPCONV" --graph --tsv -n 0 -e 0 -z kinds -p "${root%/*}" "$profile" | awk -F "$tab" '$1 == "func" { print $5 }' | grep -q '^numbers' &&
	fail "a way leads through a function that is in no path"
for bad in '-p /nowhere' "-p $root -z {built-in?method?time.sleep}"; do
	# shellcheck disable=SC2086 # several words
	"$CPCONV" --dot $bad "$profile" >out 2>err && fail "$bad: taken"
	[ "$(wc -l <err)" -eq 1 ] && [ ! -s out ] || fail "$bad: $(cat out err)"
done
printf '%s\n' 'Eins.run 1;f 2' >names.folded
"$CPCONV" --dot -p /src names.folded >out 2>err && fail "--path of names alone is taken"
grep -q 'nothing in the input says' err || fail "--path: $(cat err)"
"$CPCONV" --list-functions '*run*' -n 0 "$profile" >got
grep -c '^run (python_profiles.py:[0-9]*)$' got | grep -qx 2 || fail "--list-functions: $(cat got)"
"$CPCONV" --list-functions '%kinds*' "$profile" | grep -Eqx "kinds \(python_profiles\.py\)${tab}total [0-9.]+ %, self [0-9.]+ %, 1 calls" ||
	fail "--list-functions %: $("$CPCONV" --list-functions '%kinds*' "$profile")"
"$CPCONV" --list-functions nothing "$profile" >out 2>err && fail "--list-functions: nothing is found"
[ ! -s out ] && [ "$(wc -l <err)" -eq 1 ] || fail "--list-functions: $(cat out err)"
ct=$(awk -F "$tab" '$4 ~ /^kinds / { printf "%.3f\n", $2 / 1e9 }' "$profile.flat")
"$CPCONV" --dot -n 0 --node-label total-time --node-label self-time-percentage --time-format '%.3f s, 100 %%' "$profile" >out
grep -Eq "label=\"kinds[^\"]*\\\\n$ct s, 100 %\\\\n\([0-9.]+%\)" out || fail "--time-format: $ct: $(grep kinds out)"
for bad in '%d' '%s' '%.2f %g' 'x' '%n' '%1000f' '%'; do
	"$CPCONV" --dot --node-label total-time --time-format "$bad" "$profile" >out 2>err && fail "--time-format $bad: taken"
	[ ! -s out ] || fail "--time-format $bad: $(cat out)"
done

# The paths of functions of a recording are those of their source files, and where these are not known, of the module.
record CPSAMPLE_OUTPUT=rec.cps "$targets/threads" 60 2 >/dev/null || fail "threads: ended with $?"
"$CPCONV" --graph --tsv -n 0 -e 0 -p "$root/test" rec.cps | awk -F "$tab" '$1 == "func" { print $5 }' >got
grep -q '^work$' got && ! grep -q '^clone3$' got || fail "--path of a recording: $(cat got)"

# What was cut is a warning, and what is before is shown. Damage has a place.
head -c 1500 files/kinds-cProfile >short
"$CPCONV" --flat short >out 2>err || fail "a cut file is refused: $(cat err)"
grep -q 'cut at byte' err || fail "a cut file is no warning: $(cat err)"
"$CPCONV" --strict short >out 2>err && fail "a cut file passes --strict"
printf '{(\003\000\000\000z\001aNN' >damaged
"$CPCONV" --flat damaged >out 2>err && fail "damage is not seen"
grep -q 'damaged: an object that is in no profile at byte 9$' err && [ ! -s out ] || fail "damage: $(cat out err)"
exit 0
