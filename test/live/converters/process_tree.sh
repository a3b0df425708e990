#!/bin/sh
# SPDX-License-Identifier: MIT
# One launch runs several programs. All of their recordings are read although no file is named; a
# part of them can be chosen, and they are told apart.
#
# Seen to fail:
# - If the recorder's name is looked for in the whole environment of an ancestor.
#
# Wants a core of its own.
. "$(dirname "$0")/../lib.sh"

# Two programs below a shell, and one more that has nothing to do with them.
cp "$targets/spin" stray
record ./stray 50 >/dev/null || fail "stray ended with $?"
mv cpsample.stray.*.cps other.cps
cp "$targets/spin" one
strip -o two "$targets/spin"
record sh -c './one 200; ./two 300; exit 0' >/dev/null || fail "sh ended with $?"
set -- cpsample.*.cps # the shell itself may have used too little to have one
[ $# -eq 2 ] || [ $# -eq 3 ] || fail "recordings: $*"

"$CPCONV" --info --tsv >info 2>err || fail "$(cat err)"
grep -Eq "^cpconv: reading cpsample\.[a-z]+\.[0-9]+\.cps and $(($# - 1)) more of its process tree\$" err ||
	fail "said: $(cat err)"
grep -q stray info && fail "another launch is part of the tree"
[ "$(grep -c '^file' info)" -eq $# ] || fail "not $# processes"
[ "$(awk -F "$tab" '$1 == "tree_pid" && $2 > 1 { print $2 }' info | sort -u | wc -l)" -eq 1 ] ||
	fail "several trees: $(grep tree_ info)"
[ "$(grep -c '^tree_pid' info)" -eq $# ] || fail "no trees"

"$CPCONV" --exe '/one$' --info --tsv 2>/dev/null | grep -c '^file' >n
[ "$(cat n)" -eq 1 ] || fail "--exe takes $(cat n)"
"$CPCONV" --pid 1 2>err && fail "--pid 1 is taken"
grep -q 'there are: .* one' err || fail "--pid 1: $(cat err)"

# A group is an outermost function; main of the stripped program is known below it.
"$CPCONV" --by exe --folded --unit gticks 2>/dev/null >folded
cut -d ';' -f 1 folded | sort -u | tr '\n' ' ' >groups
[ "$(cat groups)" = "one two " ] || [ "$(cat groups)" = "one sh two " ] ||
	[ "$(cat groups)" = "dash one two " ] || fail "groups: $(cat groups)"
grep -q '^two;_start;.*;main;' folded || fail "two: $(grep '^two' folded | head -n 3)"

# A file that is named twice is read once.
"$CPCONV" other.cps ./other.cps --info --tsv >info 2>err
[ "$(grep -c '^file' info)" -eq 1 ] || fail "other.cps is read twice"
grep -q '^cpconv: ./other.cps: warning: given twice, read once$' err || fail "said: $(cat err)"

# An ancestor that has the recorder's name elsewhere in its environment was not recorded.
# shellcheck disable=SC2016 # for the shell
env OLDPWD=/home/user/libcpsample sh -c 'env "LD_PRELOAD=$1" CPSAMPLE_OUTPUT=alone.cps "$2" 100; exit 0' \
	sh "$LIBRARY" "$targets/spin" >/dev/null
[ "$(info alone.cps tree_pid)" = "$(info alone.cps pid)" ] || fail "the tree is that of $(info alone.cps tree_pid)"
