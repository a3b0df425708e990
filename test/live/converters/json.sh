#!/bin/sh
# SPDX-License-Identifier: MIT
# What --json writes is JSON, whatever the names of functions and programs contain: quotes,
# backslashes, bytes that are no UTF-8, newlines, ten thousand bytes. It is as doc/cpconv.schema.json
# says, in all views of cpconv and cpprof. Numbers of 64 bits are exact, and the rows are those of
# --tsv. A key means the same in all views: what it says follows from the stacks.
#
# Seen to fail:
# - With the keys that there were before the schema, in all views.
# - If --bodies has raw samples of the total, or --callpath of all functions below the path.
# - If bytes that are no UTF-8 are written as they are.
# - If a key is missing in the manual, or one of --info of Python programs in the schema.
# - If a comparison of two resources has the keys of one.
# - If --cycles has no calls of a recording that has counted some.
#
# May run beside others.
# Not in short runs: it takes 10 s.
. "$(dirname "$0")/../lib.sh"
here=$root/test/live/converters
for python in python3 /usr/bin/python3; do
	"$python" -c 'import jsonschema' 2>err && break
done || skip "no python3 that has jsonschema"
schema=$root/doc/cpconv.schema.json

# Each table is written as JSON and as TSV: N.json, N.tsv; the list says which is what.
n=0
: >list
all_views=$(names_of_views)

# write FILE OPTION...: write all views of the file
write() {
	file=$1
	shift
	before=$n
	for view in $all_views; do
		if ! "$CPCONV" "--$view" --json "$@" "$file" >$n.json 2>err; then
			grep -q 'is no table\|calls without stacks\|count no calls\|does not say when\|takes no --' err || fail "--$view --json $file: $(cat err)"
			continue
		fi
		"$CPCONV" "--$view" --tsv "$@" "$file" >$n.tsv 2>err || fail "--$view --tsv $file: $(cat err)"
		echo "$n $view $*" >>list
		n=$((n + 1))
	done
	[ $n -gt "$before" ] || fail "$file has no tables"
}

# compare OLD NEW OPTION...: write all views that can compare the two
compare() {
	cp "$1" before.copy
	base=before.copy
	file=$2
	shift 2
	before=$n
	for view in $all_views; do
		if ! "$CPCONV" "--$view" --json --base "$base" "$@" "$file" >$n.json 2>err; then
			grep -q 'cannot be compared\|is no table\|one resource\|takes no --' err || fail "--$view --json --base $base $file: $(cat err)"
			continue
		fi
		"$CPCONV" "--$view" --tsv --base "$base" "$@" "$file" >$n.tsv 2>err ||
			fail "--$view --tsv --base $base $file: $(cat err)"
		echo "$n comparison $view $*" >>list
		n=$((n + 1))
	done
	[ $n -gt "$before" ] || fail "$file has no comparisons"
}

# ask FILE COMMAND...: write what cpprof answers to commands of one function
ask() {
	file=$1
	shift
	for command in "$@"; do
		echo "$command --json" | "$CPPROF" "$file" >$n.json 2>err || fail "$command: $(cat err)"
		echo "$command --tsv" | "$CPPROF" "$file" >$n.tsv 2>err || fail "$command: $(cat err)"
		echo "$n $command" >>list
		n=$((n + 1))
	done
}

long=$(awk 'BEGIN { for (i = 0; i < 2500; i++) printf "long" }')
{
	printf 'main;a "quoted" name 1\nmain;back\\slash\\ 2\nmain;tab\there 4\nmain;\\";}]{ 8\n'
	printf 'main;caf\303\251;\342\202\254;\360\237\220\252 16\nmain;\377\376 32\nmain;\303 64\nmain;\355\240\200 128\n'
	printf 'main;\001\002\033[31m\177 256\nmain;<a>&amp;</a>;%%s%%n 512\n;; 1024\n 2048\nmain;a b;a b;a b 0\n'
	printf 'main;\302\233x 3\n'
	printf 'main;%s 4096\n%s;%s\342\202\254 8192\n' "$long" "$long" "$long"
	printf 'main;f;g;f;g;h 16384\nmain;large 9223372036854775807\n'
} >odd.folded
write odd.folded
write odd.folded --unit samples --top 5
write odd.folded --focus 'f|a' --hide '^g$'
write odd.folded --percent parent
printf 'a;f;g;h 3\nb;f;g;h 4\nb;f;g 1\n' >recurring.folded
"$CPCONV" --callpath --json --root '*' recurring.folded >$n.json || fail "--root '*' --json"
"$CPCONV" --callpath --tsv --root '*' recurring.folded >$n.tsv || fail "--root '*' --tsv"
echo "$n callpath" >>list
n=$((n + 1))
"$CPCONV" --flat --json odd.folded | grep -q '"total": 9223372036854808577, "kept": 9223372036854808577' ||
	fail "the total is not exact: $("$CPCONV" --flat --json odd.folded | head -n 1 | cut -c 1-200)"
"$CPCONV" --flat --json --ignore large odd.folded | grep -q '"total": 9223372036854808577, "kept": 32770' ||
	fail "what is kept is not exact: $("$CPCONV" --flat --json --ignore large odd.folded | head -n 1 | cut -c 1-200)"
echo ' 0' >none.folded
write none.folded
printf 'main;f;g 10\nmain;new 7\n' >other.folded
compare odd.folded other.folded
compare other.folded odd.folded --normalize
compare other.folded other.folded --unit samples
compare none.folded none.folded
cat >calls.callgrind <<'END_OF_CALLS'
# callgrind format
version: 1
events: Ir
fn=main
1 10
cfn=f
calls=3 1
1 60
cfn=g
calls=1 1
1 30
fn=f
1 40
cfn=g
calls=5 1
1 20
fn=g
1 50
totals: 100
END_OF_CALLS
write calls.callgrind

# A program and its arguments have such names, and there is a profile without samples.
odd=$(printf 'a "b"\\c\n\377\033d')
cp "$targets/spin" "./$odd"
record CPSAMPLE_OUTPUT=odd.cps "./$odd" 100 "$odd" >/dev/null || fail "spin ended with $?"
mv odd.cps "$odd.cps"
write "./$odd.cps"
write "./$odd.cps" --to 0.00001
write "./$odd.cps" --by thread --granularity address
ask "./$odd.cps" 'callers spin_inner' 'callees main' 'source spin_inner' 'asm spin_inner'
"$CPCONV" --info --json "./$odd.cps" | "$python" -c '
import json, sys
info = {row["key"]: row["value"] for row in json.load(sys.stdin)["rows"] if "value" in row}
assert info["exe"].endswith("/a \"b\"\\c\n\\xff\x1bd"), info["exe"]
assert info["command"].startswith("./a \"b\"\\c\n\\xff\x1bd 100 a "), info["command"]
assert type(info["pid"]) is int and info["credited_ns"] > 50000000
' 2>err || fail "--info: $(tail -n 1 err)"

# Marks.
record CPSAMPLE_OUTPUT=marks.cps "$targets/control" phases >out || fail "control ended with $?"
"$CPCONV" --timeline --json marks.cps >$n.json || fail "--timeline --json"
"$CPCONV" --timeline --tsv marks.cps >$n.tsv || fail "--timeline --tsv"
echo "$n timeline" >>list
n=$((n + 1))

# Processes of each program.
"$CPCONV" --processes --by exe --json marks.cps >$n.json || fail "--processes --by exe --json"
"$CPCONV" --processes --by exe --tsv marks.cps >$n.tsv || fail "--processes --by exe --tsv"
echo "$n processes" >>list
n=$((n + 1))

# A mark, and a program with many functions, of which some call each other.
# shellcheck disable=SC2016 # the variables are Perl's
record CPSAMPLE_OUTPUT=perl.cps perl -e '
	sub odd { my $n = shift; $n ? even($n - 1) : 0 }
	sub even { my $n = shift; $n ? odd($n - 1) : 1 }
	my %count;
	for my $i (1 .. 200) {
		$count{$_ * $i % 997}++ for 1 .. 2000;
		my @sorted = sort { $count{$a} <=> $count{$b} || $a cmp $b } keys %count;
		even($i);
		(my $joined = join(",", @sorted)) =~ s/(\d)(\d)/$2$1/g;
	}' || fail "perl ended with $?"
write perl.cps
write perl.cps --unit samples

# Functions of Python by name have keys of their own.
record CPSAMPLE_OUTPUT=python.cps /usr/bin/python3 -c '
def work(n):
    return sorted(str(i) for i in range(n))
work(300000)' || fail "python3 ended with $?"
"$CPCONV" --info --tsv python.cps | grep -q '^python_functions' || fail "python3 has no functions by name"
write python.cps

# Calls that were counted.
$CC -O2 -g -pg -mfentry -fno-inline -fno-optimize-sibling-calls -fno-ipa-icf -pthread -o counted "$root/test/targets/counted.c" ||
	fail "cannot build counted"
record CPSAMPLE_RESOURCES=cpu:100us CPSAMPLE_OUTPUT=counted.cps ./counted plain 20000000 >/dev/null || fail "counted ended with $?"
write counted.cps

# Several resources of two programs.
two=$root/test/data/resources.cps
compare "$two" "$two" --resource cpu,alloc
compare "$two" "$two" --resource alloc,cpu --unit samples

"$python" "$here/json_tables.py" schema "$schema" "$root/doc/cpconv.1" || fail "the schema: see above"
"$python" "$here/json_tables.py" texts "$schema" list || fail "see above"

# The figures that follow from the stacks, of a recording and of text.
{
	printf 'main;f;g;f;g;h 5\nmain;f;f;f 7\nmain;f;g;k 11\nmain;g;f 13\nmain;h;k 17\nother;f;g 19\nmain 23\n'
	printf 'main;f;main;g 29\nstart;main;g;h;g;f;k 31\nstart;other;k;k 37\nmain;a;b;c;a;b 41\n'
} >text.folded
for name in perl.cps text.folded; do
	for view in $all_views; do
		case $view in
		average-time) continue ;; # nobody has counted calls
		info | processes | threads | timeline) how= ;;
		graph) how='--no-inlines --totals exact' ;;
		*) how=--no-inlines ;;
		esac
		# shellcheck disable=SC2086 # several words
		"$CPCONV" "--$view" --json $how "$name" >"$name.$view.json" 2>/dev/null
	done
	"$CPCONV" --folded --unit gticks --no-inlines "$name" >"$name.stacks" || fail "$name: no stacks"
	"$CPCONV" --folded --no-inlines --unit samples "$name" >"$name.samples" || fail "$name: no samples"
	"$python" "$here/json_tables.py" figures "$name" || fail "$name: see above"
done
