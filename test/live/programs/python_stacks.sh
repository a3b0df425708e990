#!/bin/sh
# SPDX-License-Identifier: MIT
# Stacks of Python functions and their lines are those that Python itself says, call by call: in comprehensions, generators,
# coroutines, decorators, callbacks of C, class bodies, statements of several lines; with and without the interpreter's
# lock, from the first call on; in each CPython from 3.8 to 3.13 that there is.
#
# Seen to fail:
# - When the lock had to be held for the interpreter to be found: 3.12 and 3.13 had no names in the calls without it.
# - When a table of lines of 3.8 and 3.9 was believed where it was cut: line 60,002 was said to be 10,924.
# - When chains of functions were not cut, 3.11 to 3.13 had no names in a recursion of 100,000 calls.
#
# Nothing is left to chance: each call is a sample.
#
# May run beside others.
. "$(dirname "$0")/../lib.sh"
cp "$root/test/live/programs/python_stacks.py" "$root/test/live/programs/python_places.txt" .

# compare WAY FUNCTION PYTHON
compare() {
	rm -f x.cps
	record CPSAMPLE_RESOURCES="calls:$2:1" CPSAMPLE_OUTPUT=x.cps "$3" python_stacks.py "$1" want 2>err ||
		fault "$3: ended with $?: $(cat err)"
	"$CPCONV" --folded --granularity line x.cps >folded 2>err || fault "$3: no stacks: $(cat err)"
	awk '{
		n = $NF
		sub(/ [0-9]*$/, "")
		many = split($0, frames, ";")
		stack = ""
		for (i = 1; i <= many; i++)
			if (frames[i] ~ /_PyEval_EvalFrameDefault|\.py(:[0-9]+|\))$|^<.*>/) stack = stack (stack == "" ? "" : ";") frames[i]
		while (n--) print stack
	}' folded | sort >got
	sort want >sorted
	at_least "$(wc -l <sorted)" 130 || fault "$3: only $(wc -l <sorted) calls"
	diff sorted got >differ || fault "$3, $1: $(grep -c '^>' differ) stacks differ: $(head -n 4 differ | cut -c 1-500)"
	note "$3, $1: $(wc -l <got) stacks"
}

# deep PYTHON: of a recursion of 100,000 calls the innermost ones are there, and a gap.
deep() {
	rm -f x.cps
	record CPSAMPLE_RESOURCES=calls:getppid:1 CPSAMPLE_OUTPUT=x.cps "$1" python_stacks.py deep none 2>err ||
		fault "$1: ended with $?: $(cat err)"
	"$CPCONV" --folded x.cps | awk -F ';' 'NF > 1000' | tr ';' '\n' | uniq -c >deep
	at_least "$(sed -n 's/ deep (python_stacks\.py)$//p' deep | tail -n 1)" 10000 || fault "$1: not deep: $(tail -n 5 deep)"
	grep -q ' \[cut\]$' deep || fault "$1: nothing is cut: $(head -n 20 deep)"
	note "$1: a recursion is cut"
}

versions=''
for python in /usr/bin/python3.[89] /usr/bin/python3.1[0-3] "${HOME:-/}"/.pyenv/versions/3.*/bin/python3.[89] \
	"${HOME:-/}"/.pyenv/versions/3.*/bin/python3.1[0-3]; do
	[ -x "$python" ] && "$python" -c 'import asyncio, ctypes, threading' 2>/dev/null || continue
	compare held getppid "$python"
	compare free fsync "$python"
	case $python in
	*3.1[1-3]) deep "$python" ;;
	esac
	versions="$versions ${python##*/}"
done
[ "$versions" ] || skip "no python3.8 to python3.13 on this machine"
