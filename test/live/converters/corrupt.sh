#!/bin/sh
# SPDX-License-Identifier: MIT
# Of a damaged recording cpconv makes a view, with a warning, or one line that names the file. It never crashes.
#
# DAMAGES says how many recordings are damaged, by default 300. SEED repeats a run.
#
# May run beside others.
. "$(dirname "$0")/../lib.sh"
DAMAGES=${DAMAGES:-300}
SEED=${SEED:-$(date +%s)}
echo "SEED=$SEED"

record CPSAMPLE_OUTPUT=whole.cps "$targets/threads" 100 >/dev/null || fail "threads ended with $?"
size=$(wc -c <whole.cps)

# Print the offset of the byte that is replaced, and its new value in octal.
awk -v seed="$SEED" -v n="$DAMAGES" -v size="$size" 'BEGIN {
	srand(seed)
	for (i = 0; i < n; i++) printf "%d %03o\n", int(rand() * size), int(rand() * 256)
}' >places

refused=0
while read -r place byte; do
	{
		head -c "$place" whole.cps
		printf '%b' "\\0$byte"
		tail -c "+$((place + 2))" whole.cps
	} >bad.cps
	cmp -s whole.cps bad.cps && continue
	"$CPCONV" --tree bad.cps >out 2>err
	status=$?
	case $status in
	0) grep -q 'bad.cps: warning: damaged: bytes [0-9]* to [0-9]* (block [0-9]*) .*cannot be read; ' err && refused=$((refused + 1)) ;;
	1)
		refused=$((refused + 1))
		[ "$(wc -l <err)" -eq 1 ] || fail "byte $place = $byte: not one line: $(cat err)"
		grep -q 'bad.cps: ' err || fail "byte $place = $byte: the file is not named: $(cat err)"
		;;
	*) fail "byte $place = $byte: exit status $status: $(cat err)" ;;
	esac
done <places
# The checksums detect nearly all of the damage.
[ "$refused" -gt $((DAMAGES * 8 / 10)) ] || fail "only $refused of $DAMAGES damages were noticed"
note "$refused of $DAMAGES noticed, SEED=$SEED"

# A recording of several blocks: one damaged byte costs one of them, and the samples that are lost are counted. Seen to
# fail: with a recorder that makes no blocks.
record CPSAMPLE_RESOURCES=alloc:100 CPSAMPLE_BUDGET=100% CPSAMPLE_OUTPUT=blocks.cps "$targets/churn" 60000 >/dev/null
size=$(wc -c <blocks.cps)
samples() { "$CPCONV" --info --tsv "$1" 2>err | awk -F '\t' -v key="$2" '$1 == key { print $2; exit }'; }
all=$(samples blocks.cps samples)
for tenths in 2 4 6 8; do
	place=$((size * tenths / 10))
	{
		head -c "$place" blocks.cps
		tail -c "+$((place + 1))" blocks.cps | head -c 1 | tr '\000-\377' '\001-\377\000'
		tail -c "+$((place + 2))" blocks.cps
	} >bad.cps
	some=$(samples bad.cps samples)
	lost=$(samples bad.cps lost_damaged)
	[ "$((some + lost))" -eq "$all" ] || fail "byte $place: $some and $lost lost, not $all"
	[ "$lost" -gt 0 ] && [ "$some" -gt $((all / 2)) ] || fail "byte $place: only $some of $all"
	# Seen to fail: "damaged after byte 4711: between byte 4711 and byte 5812".
	grep -q "bad.cps: warning: damaged: bytes [0-9]* to [0-9]* (block [1-9][0-9]*) cannot be read; $lost samples* between " err ||
		fail "byte $place: no warning: $(cat err)"
	"$CPCONV" --info bad.cps 2>/dev/null | grep -q "^recorded .*, damaged: bytes [0-9]* to [0-9]* " || fail "byte $place: --info"
done
note "$all samples in $size bytes; $lost lost by a damaged byte"
