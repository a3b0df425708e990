#!/bin/sh
# SPDX-License-Identifier: MIT
# What --speedscope writes is as speedscope's schema says, and speedscope's page in Chromium lists the totals of --tsv: of
# each thread's functions, with recursion, inlined functions, several processes and resources, groups, and input without times.
# Samples are in order of time.
#
# Seen to fail:
# - With samples in the reverse order of time, the phases come in that order.
# - With the outermost function of each frame only, the inlined one is missing.
# - With one track for all threads, there is one profile for each resource.
#
# May run beside others.
# Not in short runs: it takes 15 s.
. "$(dirname "$0")/../lib.sh"

# As speedscope writes numbers of a unit: "1.23ms", "4.56 KB", "12". It multiplies and divides as is done here, which
# says how a figure like 139.415 is rounded.
written='function written(v, s) {
		if (unit != "ns")
			return v
		s = v * 1e-9
		return s >= 1 ? sprintf("%.2fs", s) : s / 1e-3 >= 1 ? sprintf("%.2fms", s / 1e-3) : \
			s / 1e-6 >= 1 ? sprintf("%.2f\302\265s", s / 1e-6) : sprintf("%.2fns", s / 1e-9)
	}'

# show NAME OPTION...: write NAME.json; the page shall list what is in the file NAME.want
show() {
	name=$1
	shift
	"$CPCONV" --speedscope -o "$name.json" "$@" || fail "$name: not written"
	names="$names $name"
}

# listed LABEL UNIT OPTION...: what --flat has, as the page lists it below a label
listed() {
	label=$1 unit=$2
	shift 2
	"$CPCONV" --flat --tsv --threshold 0 "$@" 2>err |
		awk -F "$tab" -v label="$label" -v unit="$unit" -v OFS="$tab" "$written"'
			$2 > 0 { print label, written($1), written($2), $5 }'
}

# tracks NAME: the names of the file's profiles
tracks() {
	sed -n 's/^{"type":"sampled","name":"\([^"]*\)".*/\1/p' "$1.json"
}

names=
record CPSAMPLE_OUTPUT=recursion.cps "$targets/deep" 300 200 >out || fail "deep: ended with $?"
show recursion recursion.cps
listed "$(tracks recursion)" ns recursion.cps >recursion.want

# Each thread of each resource; processes as groups; a part of it all.
record CPSAMPLE_OUTPUT=threads.cps CPSAMPLE_RESOURCES=cpu,real "$targets/threads" 60 3 >out || fail "threads: ended with $?"
show threads --resource cpu,real threads.cps
[ "$(tracks threads | wc -l)" -ge 7 ] || fail "threads: $(tracks threads)"
tracks threads | while read -r track; do
	tid=${track##*(tid }
	listed "$track" ns --resource "${track%%:*}" --thread "${tid%)}" threads.cps
done >threads.want
show by --by process threads.cps
[ "$(tracks by)" = "threads [$(info threads.cps pid)]" ] || fail "--by: $(tracks by)"
listed "$(tracks by)" ns threads.cps >by.want
half=$(info threads.cps duration_us | awk '{ print $1 / 2e6 }')
worker=$("$CPCONV" --threads --tsv --to "$half" --resource cpu threads.cps | sort -rn -k 4 | awk -F "$tab" '{ print $NF; exit }')
show part --thread "$worker" --to "$half" threads.cps
listed "$(tracks part)" ns --thread "$worker" --to "$half" threads.cps >part.want

# One phase after the other, each with an inlined function.
cat >phases.c <<END_OF_C
#include "$root/test/targets/burn.h"
static volatile uint64_t sink;
static inline __attribute__((always_inline)) void inner(void)
{
	sink = burn(sink, 100000);
}
#define PHASE(name)                                                                                            \\
	__attribute__((noinline)) static void name(void)                                                       \\
	{                                                                                                      \\
		for (uint64_t end = cpu_ns(CLOCK_PROCESS_CPUTIME_ID) + 120000000; cpu_ns(CLOCK_PROCESS_CPUTIME_ID) < end;) \\
			inner();                                                                               \\
	}
PHASE(first)
PHASE(second)
PHASE(third)
int main(void)
{
	first();
	second();
	first();
	third();
	return 0;
}
END_OF_C
$CC -O1 -g -o phases phases.c || fail "cannot build phases"
record CPSAMPLE_OUTPUT=phases.cps ./phases || fail "phases: ended with $?"
show phases phases.cps
listed "$(tracks phases)" ns phases.cps >phases.want
grep -q "${tab}inner$" phases.want || fail "phases: no inlined function: $(cat phases.want)"
python3 - phases.json >order <<'END_OF_PYTHON' || fail "phases: $(cat order)"
import json, sys
file = json.load(open(sys.argv[1]))
names = [f["name"] for f in file["shared"]["frames"]]
order = []
for stack in file["profiles"][0]["samples"]:
    phase = [names[i] for i in stack if names[i] in ("first", "second", "third")]
    if phase and order[-1:] != phase:
        order += phase
print(*order)
END_OF_PYTHON
[ "$(cat order)" = "first second first third" ] || fail "phases: the order is $(cat order)"

# Many files, read by several threads.
"$CPCONV" --speedscope --jobs 1 threads.cps phases.cps recursion.cps >one.json || fail "one job: not written"
"$CPCONV" --speedscope --jobs 3 threads.cps phases.cps recursion.cps >three.json || fail "three jobs: not written"
same one.json three.json "several jobs"

# Text has no times, and names are only ever text.
printf 'main;a 30\nmain;</script>;b\033[31m"\\\377 12\n' >text.folded
show text text.folded
listed samples none text.folded | LC_ALL=C sed 's/\\x1b/\x1b/; s/\xff/\\xff/' >text.want

for name in $names; do
	set -- "$@" "$name.json"
done
by_node speedscope.cjs "$@" >out 2>&1 || fail "the page: $(cat out)"
for name in $names; do
	[ -s "$name.want" ] || fail "$name: no table"
	sort "$name.want" >want
	sort "$name.json.rows" >got
	same want got "$name: totals"
done

"$CPCONV" --speedscope --focus a text.folded 2>err >out && fail "--focus is not refused"
grep -q 'whole stacks' err || fail "--focus: $(cat err)"
exit 0
