#!/bin/sh
# SPDX-License-Identifier: MIT
# Functions of Python programs stand in profiles by name, in the place of the interpreter's evaluator:
# with the shares that the program measures of itself, below their callers, and above the C functions that
# they call; in recursion, generators, threads, methods, callbacks and exceptions, also where the
# interpreter's lock is not held. Code that is compiled, run and dropped has no names but its own.
#
# Shares are compared as in shares.sh, within three and a half standard errors and 0.005 for the timing itself.
#
# Seen to fail:
# - With a recorder that knows no Python, and when functions are known by their address alone: then names
#   of dropped code stood for new code.
# - When frames were looked for within the bounds of the machine's stack: threads without the lock had no
#   names.
# - When libunwind's frames had no stack pointers: no evaluator was recognised.
#
# Chance: an attempt compares nine shares, of which one is out of bounds in one of 2,000 cases: one of 200 attempts
# fails, and three of three with more and more work in one of ten million runs.
#
# Wants a core of its own.
# Not in short runs: it takes 10 s.
. "$(dirname "$0")/../lib.sh"
python=/usr/bin/python3.11
[ -x $python ] || skip "no python3.11 on this machine"
cp "$root/test/live/programs/python_names.py" names.py
cp "$root/test/live/programs/python_storm.py" storm.py

# run SECONDS: leaves the recording in names.cps
run() {
	record CPSAMPLE_CLOCK=strata CPSAMPLE_OUTPUT=x.cps PYTHONUTF8=1 $python ../names.py "$1" >truth || fault "names.py ended with $?"
	[ "$(info x.cps samples)" -ge 100 ] || fail "only $(info x.cps samples) samples"
	cp x.cps copy.cps
	"$CPCONV" --functions --tsv --base x.cps copy.cps >functions 2>err || fail "no view: $(cat err)"
	awk -F "$tab" '
		FILENAME == "truth" {
			name = $0; sub(/[0-9]* /, "", name)
			ns = $0; sub(/ .*/, "", ns)
			if (name == "process") all = ns
			else true_ns[name] = ns
			next
		}
		$1 > 0 { seen[$9] = $7; error[$9] = $7 / $1 * $4 / 1.96 / sqrt(2) }
		END {
			for (name in true_ns) {
				p = true_ns[name] / all
				bound = 3.5 * error[name] + 0.005
				off = seen[name] > p ? seen[name] - p : p - seen[name]
				printf "%s %.4f, truly %.4f, bound %.4f%s\n", name, seen[name], p, bound, (off > bound ? " OUT OF BOUNDS" : "")
				bad += off > bound
			}
			exit bad > 0
		}' truth functions >compared || fail "$(grep OUT compared)"
	stream=x.cps
	paths
	mv x.cps ../names.cps
}

# paths: the paths of the program's functions are those that its text allows.
paths() {
	"$CPCONV" --folded --unit gticks "$stream" | sed 's/ [0-9]*$//' >folded
	awk -F ';' '{
		path = ""
		for (i = 1; i <= NF; i++)
			if ($i ~ / \((names|threading)\.py/) { sub(/ \(.*/, "", $i); path = path ";" $i }
		if (path != "") print path
	}' folded | sort -u >paths
	begin='^(;<module>(;main(;timed|;Thread\.[a-z_]+|;Event[a-z._]*|;Condition[a-z._]*|;_[A-Za-z_.]+)*)?|;Thread\._bootstrap(;[A-Za-z_.]+)*;in_thread;timed;in_thread\.<locals>\.<lambda>;in_thread\.<locals>\.<lambda>\.<locals>\.<listcomp>)'
	allowed="(;caller_of_a(;a)?|;caller_of_b(;b)?|(;down){1,8}(;caller_of_a(;a)?)?|;summed(;numbers(;a)?)?|;Sorter\\.sort(;Sorter\\.key(;a)?)?|;catches(;a|(;fails){1,4}(;a|;b)?)?|;größer(;größer\\.<locals>\\.<lambda>(;b)?)?|;packed|;b)?\$"
	main_paths=$(grep -c ';main;timed' paths)
	[ "$main_paths" -ge 10 ] || fail "only $main_paths paths: $(cat paths)"
	grep '^;<module>;main;timed;' paths | grep -vE "$begin$allowed" >wrong &&
		fault "paths that the program does not have: $(cat wrong)"
	grep -q '^;<module>;main;timed;\(down;\)\{8\}caller_of_a;a$' paths || fail "no whole recursion: $(cat paths)"
	grep -q '^;Thread\._bootstrap;.*;in_thread;.*;b$' paths || fail "no thread: $(cat paths)"
	grep -q 'größer' paths || fail "no name that is not ASCII"
	# C functions keep their places.
	grep -q ';Sorter\.sort (names\.py);\([^;]*;\)\+Sorter\.key (names\.py)' folded || fail "no C function calls the key"
	grep ';packed (names\.py);' folded | grep -qE 'deflate|libz' || fail "nothing below packed"
	unnamed=$(info "$stream" python_unnamed)
	samples=$(info "$stream" samples)
	[ $((100 * unnamed)) -le "$samples" ] || fail "$unnamed evaluators without names in $samples samples"
	note "$samples samples, $unnamed evaluators without names"
}

with_more_work run 6
stream=names.cps

# Filters and lists take the names.
"$CPCONV" --focus 'caller_of_b (names.py)' --flat --tsv "$stream" | grep -q "${tab}b (names.py)" || fail "focus"
echo 'callers b (names.py)' | "$CPPROF" "$stream" 2>&1 | grep -q 'caller_of_b (names\.py)' || fail "callers"

# Whoever follows the stack, the names are the same.
# other SECONDS
other() {
	record CPSAMPLE_UNWINDER=libunwind CPSAMPLE_CLOCK=strata CPSAMPLE_OUTPUT=other.cps $python ../names.py "$1" >/dev/null ||
		fault "libunwind: ended with $?"
	"$CPCONV" --folded --unit gticks other.cps | grep -q ';Sorter\.sort (names\.py);.*;Sorter\.key (names\.py)' ||
		fail "libunwind: no names"
}
with_more_work other 1

# It can be turned off.
off() {
	record CPSAMPLE_PYTHON=off CPSAMPLE_OUTPUT=off.cps $python ../names.py "$1" >/dev/null || fault "off: ended with $?"
	"$CPCONV" --folded --unit gticks off.cps >off.folded
	! grep -q 'names\.py' off.folded || fail "off: there are names"
	grep -q '_PyEval_EvalFrameDefault' off.folded || fail "off: no evaluator"
}
with_more_work off 1

# Each name is of the text that its file is of, and no stack has two texts.
# storm SECONDS
storm() {
	record CPSAMPLE_RESOURCES=cpu:200us CPSAMPLE_CLOCK=strata CPSAMPLE_OUTPUT=storm.cps $python ../storm.py "$1" ||
		fault "storm: ended with $?"
	"$CPCONV" --folded --unit gticks storm.cps | sed 's/ [0-9]*$//' | awk -F ';' '
		{
			text = ""
			for (i = 1; i <= NF; i++) {
				if (!match($i, /\(made_[0-9x]*\.py/)) continue
				here = substr($i, RSTART + 6, RLENGTH - 9)
				names++
				rest = $i
				while (match(rest, /_[0-9]x[0-9][0-9][0-9]/)) {
					if (substr(rest, RSTART + 1, RLENGTH - 1) != here) print "name: " $i
					rest = substr(rest, RSTART + RLENGTH)
				}
				if (text != "" && text != here) print "path: " $0
				text = here
			}
		}
		END { print names + 0 " names" }' >storm
	[ "$(wc -l <storm)" = 1 ] || fault "storm: $(head -n 5 storm)"
	at_least "$(sed 's/ .*//' storm)" 200 || fail "storm: only $(cat storm)"
	note "storm: $(cat storm)"
}
with_more_work storm 6
