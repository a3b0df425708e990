#!/bin/sh
# SPDX-License-Identifier: MIT
# What --firefox writes is loaded by the Firefox Profiler's own command line, which then has the totals of --tsv to the
# nanosecond: of each thread's functions, with recursion, several processes and resources, groups, and input without times. It has
# the program's marks, the CPU time of each thread, and what a thread did in the kernel's view as categories. Folded
# stacks are loaded by it, too.
#
# Seen to fail:
# - Without a row behind the last sample, marks behind it are not shown.
# - With the weights as nanoseconds.
# - With one track for all threads, there is one thread.
#
# May run beside others.
# Not in short runs: it takes 10 s.
. "$(dirname "$0")/../lib.sh"

# show NAME OPTION...: write NAME.json; the command line shall list what is in the file NAME.want
show() {
	name=$1
	shift
	"$CPCONV" --firefox -o "$name.json" "$@" || fail "$name: not written"
	names="$names $name"
}

# listed LABEL OPTION...: what --flat has
listed() {
	label=$1
	shift
	"$CPCONV" --flat --tsv --threshold 0 "$@" 2>err |
		awk -F "$tab" -v label="$label" -v OFS="$tab" '$2 > 0 { print label, $1, $2, $5 }'
}

# tracks NAME: the names of the file's threads
tracks() {
	sed -n 's/^{"name":"\([^"]*\)","isMainThread".*/\1/p' "$1.json"
}

names=
record CPSAMPLE_OUTPUT=recursion.cps "$targets/deep" 300 200 >out || fail "deep: ended with $?"
show recursion recursion.cps
listed "$(tracks recursion)" recursion.cps >recursion.want

record CPSAMPLE_OUTPUT=threads.cps CPSAMPLE_RESOURCES=cpu,real "$targets/threads" 60 2 >out || fail "threads: ended with $?"
show threads --resource cpu,real threads.cps
[ "$(tracks threads | wc -l)" -ge 5 ] || fail "threads: $(tracks threads)"
tracks threads | while read -r track; do
	tid=${track##*(tid }
	listed "$track" --resource "${track%%:*}" --thread "${tid%)}" threads.cps
done >threads.want
show by --by process threads.cps recursion.cps
tracks by | while read -r track; do
	pid=${track##*[}
	listed "$track" --pid "${pid%]}" threads.cps recursion.cps
done >by.want

# Programs of one process number, before and after an exec here, are several processes there.
# shellcheck disable=SC2016 # the inner shell expands it
record CPSAMPLE_OUTPUT=same.%e.cps sh -c 'i=0; while [ $i -lt 200000 ]; do i=$((i + 1)); done; exec "$0" 20 60' "$targets/deep" >out ||
	fail "same: ended with $?"
"$CPCONV" --firefox -o same.json same.*.cps || fail "same"
[ "$(grep -o '"pid":"[^"]*"' same.json | sort -u | wc -l)" -eq 2 ] || fail "one process: $(grep -o '"pid":"[^"]*"' same.json)"

# A program that works, sleeps and sets marks, before the first sample and after the last one.
cat >marks.c <<END_OF_C
#include "$root/libsampler/cpsample.h"
#include "$root/test/targets/burn.h"
#include <unistd.h>
static volatile uint64_t sink;
int main(void)
{
	for (int i = 0; i < 3; i++) {
		cpsample_mark("round");
		for (uint64_t end = cpu_ns(CLOCK_PROCESS_CPUTIME_ID) + 50000000; cpu_ns(CLOCK_PROCESS_CPUTIME_ID) < end;)
			sink = burn(sink, 100000);
		usleep(50000);
	}
	cpsample_mark("the </script> \"end\"");
	return 0;
}
END_OF_C
$CC -O1 -g -o marks marks.c || fail "cannot build marks"
record CPSAMPLE_OUTPUT=marks.cps CPSAMPLE_RESOURCES=cpu,real ./marks || fail "marks: ended with $?"
show marks --resource real marks.cps
listed "$(tracks marks)" --resource real marks.cps >marks.want

show ends marks.cps
listed "$(tracks ends)" marks.cps >ends.want

# Text has no times, and names are only ever text. A part of a run has fewer marks.
printf 'main;a 30\nmain;</script>;b\033[31m"\\\377 12\n' >text.folded
show text text.folded
listed samples text.folded | LC_ALL=C sed 's/\\x1b/\x1b/; s/\xff/\\xff/' >text.want
second=$("$CPCONV" --info marks.cps | awk '$3 == "round" && ++n == 2 { print $1 }')
show part --to "$second" marks.cps
listed "$(tracks part)" --to "$second" marks.cps >part.want

"$CPCONV" --folded recursion.cps >folded.json
set -- folded.json
for name in $names; do
	set -- "$@" "$name.json"
done
by_node firefox.cjs "$@" >out 2>&1 || fail "the command line: $(cat out)"
for name in $names; do
	[ -s "$name.want" ] || fail "$name: no table"
	sort "$name.want" >want
	# Text is counted, and times are in milliseconds.
	scale=1000000
	[ "$name" != text ] || scale=1
	awk -F "$tab" -v OFS="$tab" -v scale=$scale '{ print $1, sprintf("%.0f", $2 * scale), sprintf("%.0f", $3 * scale), $4 }' \
		"$name.json.rows" | sort >got
	same want got "$name: totals"
done
for name in marks ends; do
	[ "$(cut -f 2 $name.json.marks | sort | tr '\n' ,)" = 'round,round,round,the </script> "end",' ] ||
		fail "$name: marks: $(cat $name.json.marks)"
done
[ "$(cut -f 2 part.json.marks)" = round ] || fail "a part: marks: $(cat part.json.marks)"

# The samples of folded stacks are as many as were taken.
[ "$(awk -F "$tab" '{ n += $2 } END { print n }' folded.json.rows)" = "$(info recursion.cps samples)" ] ||
	fail "folded: $(head -n 3 folded.json.rows)"

# Each category has what --state has, and CPU time is what was used while running.
python3 - marks.json >got <<'END_OF_PYTHON' || fail "marks: $(cat got)"
import json, sys
from decimal import Decimal
file = json.load(open(sys.argv[1]), parse_float=Decimal)
frames, stacks = file["shared"]["frameTable"], file["shared"]["stackTable"]
categories = [c["name"] for c in file["meta"]["categories"]]
assert file["meta"]["preprocessedProfileVersion"] == 66
weights = {}
for thread in file["threads"]:
    samples = thread["samples"]
    assert all(ms >= 0 for ms in samples["timeDeltas"])
    for stack, weight in zip(samples["stack"], samples["weight"]):
        if stack is None:
            assert weight == 0
            continue
        category = frames["category"][stacks["frame"][stack]]
        name = categories[category or 0]
        weights[name] = weights.get(name, 0) + weight
    weights["cpu"] = weights.get("cpu", 0) + Decimal(sum(samples["threadCPUDelta"])) / 1000000
for name, weight in sorted(weights.items()):
    print(f"{name} {int(weight * 1000000)}")
END_OF_PYTHON
for state in running ready stalled io lock wait; do
	"$CPCONV" --flat --tsv --threshold 0 --resource real --state $state marks.cps 2>/dev/null |
		awk -F "$tab" -v state=$state '{ n += $1 } END { if (n) printf "%s %.0f\n", state, n }'
done >want
sed -n 's/^running /cpu /p' want >running
cat running >>want
sort want | same /dev/stdin got "states"

"$CPCONV" --firefox --focus a text.folded 2>err >out && fail "--focus is not refused"
grep -q 'whole stacks' err || fail "--focus: $(cat err)"
exit 0
