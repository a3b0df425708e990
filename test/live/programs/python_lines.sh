#!/bin/sh
# SPDX-License-Identifier: MIT
# Lines of Python functions have the shares that the program has by construction, in each CPython from 3.8 to 3.13 that
# there is: the machine's, and those of pyenv. --granularity line, --source and callgrind have them; the default views have
# functions, as before. The evaluator is left without a name hardly ever, and no name is of another program's.
#
# Shares are compared as in shares.sh, within four standard errors of what is counted and 0.015 for what a line does besides.
#
# Seen to fail:
# - With a recorder that knew names and no lines.
# - When the offset of an instruction was counted from the code object's beginning: lines were others.
#
# Chance: an attempt compares seven shares, each out of bounds in one of 16,000 cases; three of three attempts fail in less
# than one of a thousand million runs, also with seven interpreters.
#
# Wants a core of its own.
# Not in short runs: it takes 30 s.
. "$(dirname "$0")/../lib.sh"
cp "$root/test/live/programs/python_lines.py" lines.py
cp "$root/test/live/programs/python_storm.py" storm.py
sed -n 's/.*# = \([0-9]*\)$/\1/;t got;d;:got;=;p' lines.py | paste - - >want

# run SECONDS PYTHON: each line has its share.
run() {
	record CPSAMPLE_CLOCK=strata CPSAMPLE_OUTPUT=x.cps "$2" ../lines.py "$1" || fault "$2: ended with $?"
	samples=$(info x.cps samples)
	at_least "$samples" 100 || fail "only $samples samples"
	"$CPCONV" --source 'work (lines.py)' --tsv x.cps >lines 2>err || fault "$2: no source: $(cat err)"
	awk -F "$tab" -v path="$PWD/../lines.py" '
		NR == FNR { times[$1] = $2; all_times += $2; next }
		$5 == "-" { next }
		$5 != path { print "path " $5 " OUT OF BOUNDS" }
		{ total[$4] = $2; all += $2; hits += $3 }
		END {
			for (line in total) if (!(line in times)) print "line " line ": " total[line] / all " beside them"
			for (line in times) {
				p = times[line] / all_times
				seen = all ? total[line] / all : 0
				bound = hits ? 4 * sqrt(p * (1 - p) / hits) + 0.015 : 0
				off = seen > p ? seen - p : p - seen
				printf "line %d: %.4f, truly %.4f, bound %.4f%s\n", line, seen, p, bound, (off > bound ? " OUT OF BOUNDS" : "")
			}
		}' ../want lines >compared
	! grep 'OUT OF BOUNDS$' compared >out || fail "$2: $(cat out)"
	unnamed=$(info x.cps python_unnamed)
	[ $((20 * unnamed)) -le "$samples" ] || fail "$2: $unnamed evaluators without names in $samples samples"
	mv x.cps ../x.cps
	note "$2: $samples samples, $unnamed evaluators without names"
}

# views PYTHON: of x.cps.
views() {
	"$CPCONV" --granularity line --functions --tsv x.cps >by_line 2>err || fault "$1: no lines: $(cat err)"
	while read -r line _; do
		grep -q "${tab}work lines\.py:$line$tab" by_line || fault "$1: no work lines.py:$line"
	done <want
	grep -q "${tab}count lines\.py:15$tab" by_line || fault "$1: no line in count"
	"$CPCONV" --granularity line --root 'work (lines.py)' --tree x.cps | grep -q 'work lines\.py:' || fault "$1: no places of the root"
	"$CPCONV" --functions --tsv x.cps >functions
	grep -q "${tab}work (lines\.py)$tab" functions || fault "$1: no function"
	! grep 'lines\.py:' functions | grep -v '>' || fault "$1: lines in the default view"
	"$CPCONV" --callgrind x.cps >x.callgrind
	number=$(sed -n 's/^c\{0,1\}fn=\(([0-9]*)\) work (lines\.py)$/\1/p' x.callgrind)
	awk -v "number=$number" '/^fn=/ { ours = index($0, "fn=" number) == 1 } ours && /^calls=/ { getline; print $1 }' x.callgrind |
		sort -u >called
	cut -f1 want | sort | comm -23 - called >missing
	[ ! -s missing ] || fault "$1: callgrind has no line $(head -n 1 missing)"
}

# storm SECONDS PYTHON: each name is of the text that its file is of, and no stack has two texts (python_names.sh).
storm() {
	record CPSAMPLE_RESOURCES=cpu:500us CPSAMPLE_CLOCK=strata CPSAMPLE_OUTPUT=storm.cps "$2" ../storm.py "$1" ||
		fault "$2: storm: ended with $?"
	"$CPCONV" --folded --granularity line --unit gticks storm.cps | sed 's/ [0-9]*$//' | awk -F ';' '
		{
			text = ""
			for (i = 1; i <= NF; i++) {
				if (!match($i, /made_[0-9x]*\.py/)) continue
				here = substr($i, RSTART + 5, RLENGTH - 8)
				names++
				if ($i !~ />/ && match($i, /_[0-9]x[0-9]+/) && substr($i, RSTART + 1, RLENGTH - 1) != here) print "name: " $i
				if (match($i, /:[0-9]+$/) && substr($i, RSTART + 1) + 0 > 21) print "line: " $i
				if (text != "" && text != here) print "path: " $0
				text = here
			}
		}
		END { print names + 0 " names" }' >storm
	[ "$(wc -l <storm)" = 1 ] || fault "$2: storm: $(head -n 5 storm)"
	at_least "$(sed 's/ .*//' storm)" 50 || fail "$2: storm: only $(cat storm)"
}

versions=''
for python in /usr/bin/python3.[89] /usr/bin/python3.1[0-3] "${HOME:-/}"/.pyenv/versions/3.*/bin/python3.[89] \
	"${HOME:-/}"/.pyenv/versions/3.*/bin/python3.1[0-3]; do
	[ -x "$python" ] && "$python" -c 'import threading, zlib' 2>/dev/null || continue
	with_more_work run 1 "$python"
	views "$python"
	with_more_work storm 1 "$python"
	versions="$versions ${python##*/}"
done
[ "$versions" ] || skip "no python3.8 to python3.13 on this machine"
