#!/bin/sh
# SPDX-License-Identifier: MIT
# Of a damaged recording cpconv makes a view, or one line that names the file. It never crashes.
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
	0) ;;
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
note "$refused of $DAMAGES refused, SEED=$SEED"
