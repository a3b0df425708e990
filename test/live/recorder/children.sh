#!/bin/bash
# SPDX-License-Identifier: MIT
# What children used and no recording shows is said: most programs that a script runs are over before
# they are worth a file. bash says what its children used by `times`, to a millisecond for the user's and
# for the system's part.
#
# Seen to fail:
# - When children of before an exec count for the program that follows.
# - When processes between two recorded ones break the line: then what the lower one's children used
#   counts twice.
# May run beside others.
# Not in short runs: it takes 10 s.
. "$(dirname "$0")/../lib.sh"

# The script uses enough time itself to be recorded in any case.
cat >script <<'END'
for i in {1..60000}; do :; done
i=0
while [ $i -lt "$1" ]; do
	i=$(expr $i + 1)
	echo $i | sort >/dev/null
done
[ $# -lt 2 ] || sh -c "bash script $2; true"
times >times.$1
echo $$ >pid.$1
END

fresh() {
	cd "$tmp" && mkdir "$1" && cd "$1" && cp ../script . || exit 1
}

# What `times` says, in ns.
times_ns() {
	tr 'ms' '  ' <"$1" | LC_ALL=C awk 'NR == 2 { printf "%.0f\n", ($1 * 60 + $2 + $3 * 60 + $4) * 1e9 }'
}

# of KEY PID FILE
of() {
	awk -F "$tab" -v key="$1" -v pid="$2" '
		$1 == "pid" { is_it = $2 == pid }
		$1 == key && is_it { print $2; exit }' "$3"
}

# near A B: they differ by at most 3 ms; the kernel gives the two parts in microseconds, bash in
# milliseconds
near() {
	awk -v a="$1" -v b="$2" 'BEGIN { d = a - b; exit !(d < 3e6 && d > -3e6) }'
}

# ---- a script that runs many short programs, and below it a shell that runs another -------------
fresh scripts
record bash script 100 60 >out 2>&1 || fail "the script ended with $?: $(cat out)"
outer=$(cat pid.100) inner=$(cat pid.60)
"$CPCONV" --info --tsv >all 2>err || fail "$(cat err)"
[ -n "$(of pid "$inner" all)" ] || fail "no recording of the script below: $(grep command all)"
[ "$(of ppid "$inner" all)" != "$outer" ] || fail "there is no process between the two scripts"
near "$(of children_ns "$outer" all)" "$(times_ns times.100)" ||
	fail "the outer script: $(of children_ns "$outer" all) ns, bash says $(cat times.100)"
near "$(of children_ns "$inner" all)" "$(times_ns times.60)" ||
	fail "the inner script: $(of children_ns "$inner" all) ns, bash says $(cat times.60)"
# All processes but the outermost are its children, and have been waited for.
awk -F "$tab" -v pid="$outer" '
	$1 == "pid" { is_it = $2 == pid }
	$1 == "children_ns" && is_it { missing = $2 }
	$1 == "process_cpu_ns" && !is_it { shown += $2 }
	END { printf "%.0f\n", missing - shown }' all >want
[ "$(of children_missing_ns "$outer" all)" = "$(cat want)" ] ||
	fail "$(of children_missing_ns "$outer" all) ns are missing, not $(cat want)"
"$CPCONV" --info 2>/dev/null | tail -n 3 >last
grep -q '^all children [0-9.]* m\{0,1\}s CPU time of those' last || fail "--info: $(cat last)"
"$CPCONV" --flat 2>/dev/null | grep -qE '^[0-9.]+ m?s more was used by children, in no recording here' ||
	fail "the heading does not say it: $("$CPCONV" 2>/dev/null | head -n 5)"

# ---- a program that ignores LD_PRELOAD --------------------------------------------------------
fresh static
printf '#include <time.h>\nint main(void) { while (clock() < CLOCKS_PER_SEC / 5); return 0; }\n' >burn.c
$CC -O1 -static -o burn burn.c || fail "cannot build"
# shellcheck disable=SC2016 # for the other shell
record bash -c './burn; i=0; while [ $i -lt 30000 ]; do i=$((i + 1)); done'
stream=$(one_stream) || fail "$stream"
at_least "$(info "$stream" children_ns)" 190000000 || fail "burn used 0.2 s, children_ns is $(info "$stream" children_ns)"
[ "$(info "$stream" children_missing_ns)" = "$(info "$stream" children_ns)" ] || fail "burn was not recorded"
"$CPCONV" --functions "$stream" | grep -q '^2[0-9.]* ms more was used by children' ||
	fail "burn is not in the heading: $("$CPCONV" "$stream" | head -n 5)"

# ---- another program of the same process --------------------------------------------------------
fresh exec
record bash -c "i=0; while [ \$i -lt 80 ]; do i=\$(expr \$i + 1); done; times >times.0; exec '$targets/spin' 300" >/dev/null
"$CPCONV" --info --tsv >all 2>err || fail "$(cat err)"
spin=$(awk -F "$tab" '$1 == "exe" { is_it = $2 ~ /spin$/ } $1 == "children_ns" && is_it { print $2 }' all)
bash=$(awk -F "$tab" '$1 == "children_ns" { n = $2 } $1 == "ended" && $2 == "exec" { print n }' all)
[ "$spin" = 0 ] || fail "children of before the exec count for the program after it: $spin ns"
[ -z "$bash" ] || near "$bash" "$(times_ns times.0)" || fail "before the exec: $bash ns, bash says $(cat times.0)"

# ---- a script that is killed ---------------------------------------------------------------------
# What its children have used until then stands in the journal. (Seen to fail: it was nothing.)
fresh killed
# shellcheck disable=SC2016 # for the other shell
record bash -c '"$1"; i=0; while [ $i -lt 60000 ]; do i=$((i + 1)); done; kill -KILL $$' bash ../static/burn
set -- ./*.cps
[ -f "$1.journal" ] || fail "it was not killed: $(ls)"
"$CPCONV" --info --tsv "$1" >all 2>err || fail "$(cat err)"
killed=$(awk -F "$tab" '$1 == "children_ns" { print $2 }' all)
at_least "${killed:-0}" 190000000 || fail "burn used 0.2 s before the kill, children_ns is $killed"
[ "$(awk -F "$tab" '$1 == "children_missing_ns" { print $2 }' all)" = "$killed" ] || fail "burn was not recorded: $(cat all)"

# ---- children that are all recorded --------------------------------------------------------------
fresh recorded
record bash -c "'$targets/spin' 300; '$targets/spin' 200; i=0; while [ \$i -lt 30000 ]; do i=\$((i + 1)); done" >/dev/null
"$CPCONV" 2>/dev/null >out
grep 'used by children' out && fail "next to nothing is missing, but the heading says so"
note "$(tr -s '\n ' ' ' <../scripts/last)"
