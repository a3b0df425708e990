#!/bin/sh
# SPDX-License-Identifier: MIT
# Who ran when: --processes, --threads, --timeline and --by command of a run of two processes, one of which
# begins when the other is over.
# Seen to fail: with bars of the processes' own time, not the run's; with rows of processes that --pid left out;
# with the program's name alone for --by command, and in --threads.
# May run beside others.
. "$(dirname "$0")/../lib.sh"
export LC_ALL=C

mkdir run
# shellcheck disable=SC2016 # for the shell that is recorded
record CPSAMPLE_EXE=spin CPSAMPLE_RESOURCES=cpu:1ms,real CPSAMPLE_OUTPUT="$tmp/run/%p.cps" \
	sh -c '"$0" 150; "$0" 151' "$targets/spin" || fail "spin: $?"

"$CPCONV" --processes run >processes || fail "--processes: $?"
[ "$(grep -c '^ .* spin 15[01]$' processes)" -eq 2 ] || fail "--processes: $(cat processes)"
parents=$(awk '/^ .* spin 15[01]$/ { print $2 }' processes | sort -u | wc -l)
[ "$parents" -eq 1 ] || fail "--processes: the parents: $(cat processes)"
awk '/^ .* spin 150$/ { over = $3 + $4 } /^ .* spin 151$/ { start = $3 } END { exit !(start >= over - 0.002) }' processes ||
	fail "--processes: the second begins before the first is over: $(cat processes)"
"$CPCONV" --processes 2>/dev/null --top 1 run | grep -q '^not shown: 1 process beyond the 1 heaviest$' || fail "--top"

"$CPCONV" --threads run >threads || fail "--threads: $?"
[ "$(grep -c ' spin 15[01]$' threads)" -eq 2 ] || fail "--threads: $(cat threads)"
# Starts are those in the run. Seen to fail: with those in the process both were 0.
[ "$(awk '/ spin 15[01]$/ && $3 >= 0.1' threads | wc -l)" -eq 1 ] || fail "--threads: starts: $(cat threads)"

# bars NAME: the columns that the bar fills
bars() {
	sed -n "s/^$1.*|\\(.*\\)|\$/\\1/p" timeline
}
"$CPCONV" --timeline run >timeline || fail "--timeline: $?"
first=$(bars 'spin 150') second=$(bars 'spin 151')
[ "${#first}" -eq 52 ] && [ "${#second}" -eq 52 ] || fail "--timeline: $(cat timeline)"
# The first fills a beginning, the second an end, and they do not overlap but for a column.
echo "$first$second" | awk '{
		for (i = 1; i <= 52; i++) {
			a = substr($0, i, 1) != " "; b = substr($0, 52 + i, 1) != " "
			both += a && b
			if (a) last = i
			if (b && !begin) begin = i
		}
		exit !(both <= 1 && begin >= last)
	}' || fail "--timeline: $(cat timeline)"
"$CPCONV" --timeline --resource cpu,real run | grep -q '^real .*|$' || fail "--timeline: real has no bar"
pid=$(awk '/^ .* spin 151$/ { print $1 }' processes)
"$CPCONV" --timeline --pid "$pid" run >timeline
[ "$(grep -c '|$' timeline)" -eq 1 ] || fail "--pid: $(cat timeline)"
LC_ALL=C.UTF-8 "$CPCONV" --timeline run | grep -q '█' || fail "no blocks"
echo 'timeline' | "$CPPROF" run >got 2>err || fail "cpprof: $(cat err)"
"$CPCONV" --timeline --resource cpu run >want
sed -n '/^Timeline/,$p' got | same want /dev/stdin "cpprof's timeline"

# The same for programs: what each used is what --info says, and the parts of the run add up to it. Seen to fail: without
# what is left in the last part; with the threads of one process alone.
"$CPCONV" --processes --tsv run | cut -f 1,6,8 | sort >got
for file in run/*.cps; do
	echo "$(info "$file" pid)$tab$(info "$file" credited)$tab$(info "$file" samples)"
done | sort | same got /dev/stdin "--processes --tsv"
"$CPCONV" --threads --tsv run | cut -f 1,4,6 | sort | same got /dev/stdin "--threads --tsv"
"$CPCONV" --timeline --tsv --resource cpu run >parts || fail "--timeline --tsv"
awk -F "$tab" -v OFS="$tab" '$1 == "thread" { sum[$2] += $8 } END { for (pid in sum) printf "%s\t%.0f\n", pid, sum[pid] }' parts |
	sort >sums
cut -f 1,2 got | same sums /dev/stdin "--timeline --tsv"
awk -F "$tab" '$1 == "all" { n++; all += $5; if ($3 != end + 0) exit 1; end = $4 } $1 == "thread" { threads += $8 }
	END { exit !(n == 100 && all == threads) }' parts || fail "--timeline --tsv: $(grep "^all" parts)"
for to in 0.05 0.07 0.09 0.11 0.13 0.15 0.17 0.19 0.21 0.23; do
	"$CPCONV" --tree --tsv --threshold 0 --to $to --resource cpu run | awk '$1 == 0 { n += $2 } END { printf "%.0f\n", n }' >want
	"$CPCONV" --timeline --tsv --to $to --resource cpu run |
		awk -F "$tab" '$1 == "thread" { n += $8 } END { printf "%.0f\n", n }' >got || fail "--to $to"
	same want got "--timeline --tsv --to $to"
done
[ "$("$CPCONV" --timeline --tsv --resource cpu,real run | grep -c '^all.real.')" -eq 100 ] || fail "--timeline --tsv: real"
# The part of the run in which it first uses some may have begun before it.
first=$(awk -F "$tab" -v pid="$pid" '$1 == "thread" && $2 == pid { print $7; exit }' parts)
"$CPCONV" --processes --tsv run | awk -F "$tab" -v pid="$pid" -v first="$first" '$1 == pid { exit !(first >= $3 - 5e6) }' ||
	fail "the second process uses some before $first, when it begins"

"$CPCONV" --tree --by command --depth 1 run >commands
grep -q ' spin 150$' commands && grep -q ' spin 151$' commands || fail "--by command: $(cat commands)"

printf 'a;b 1\n' >x.folded
"$CPCONV" --timeline x.folded >out 2>err && fail "folded stacks have times"
grep -q 'needs recordings' err || fail "folded: $(cat err)"

# Of another resource than CPU time there is what each process was credited with. Seen to fail: CPU time stood there.
# shellcheck disable=SC2016 # for the other shell
record CPSAMPLE_RESOURCES=cpu,alloc CPSAMPLE_OUTPUT=alloc.cps sh -c 'i=0; while [ $((i += 1)) -lt 20000 ]; do a="$a$i"; done' ||
	fail "sh ended with $?"
"$CPCONV" --processes --resource alloc alloc.cps >used || fail "--processes --resource alloc"
grep -q '^ *pid .* used *%' used || fail "no column of what was used: $(cat used)"
[ "$("$CPCONV" --processes --tsv --resource alloc alloc.cps | cut -f 6)" -gt 0 ] || fail "nothing is allocated"
awk '/^-/ { in_table = !in_table; next } in_table && $6 !~ /^[KMGT]?B$/ { exit 1 }' used || fail "no bytes: $(cat used)"
