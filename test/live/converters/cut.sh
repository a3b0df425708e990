#!/bin/sh
# SPDX-License-Identifier: MIT
# A recording may be cut at any byte. cpconv makes a view of what is left and a warning that names
# the file.
#
# CUTS says at how many random places it is cut, by default 400. SEED repeats a run.
#
# May run beside others.
# Not in short runs: it takes 10 s.
. "$(dirname "$0")/../lib.sh"
CUTS=${CUTS:-400}
SEED=${SEED:-$(date +%s)}
echo "SEED=$SEED"

# Many threads and many paths give a stream with all kinds of records.
record CPSAMPLE_OUTPUT=whole.cps "$targets/threads" 300 >/dev/null || fail "threads ended with $?"
"$CPCONV" --flat whole.cps >whole.out 2>&1 || fail "the whole recording: $(cat whole.out)"
size=$(wc -c <whole.cps)
whole=$(info whole.cps samples)

# The file is cut between the end of its head and its last byte. A shorter file is no recording.
awk -v seed="$SEED" -v n="$CUTS" -v size="$size" 'BEGIN {
	srand(seed)
	for (i = 0; i < n; i++) print 9 + int(rand() * (size - 9))
	for (i = 9; i < 40 && i < size; i++) print i
	for (i = size - 20; i < size; i++) print i
}' | sort -n >places

last=0
while read -r place; do
	head -c "$place" whole.cps >cut.cps
	"$CPCONV" --info --tsv cut.cps >info.out 2>err
	status=$?
	[ $status -eq 0 ] || fail "cut at $place of $size: --info exits with $status: $(cat err)"
	[ "$(wc -l <err)" -eq 1 ] || fail "cut at $place of $size: not one warning: $(cat err)"
	grep -q 'cut.cps: .*byte [0-9]' err || fail "cut at $place of $size: $(cat err)"
	"$CPCONV" --flat --no-inlines cut.cps >flat.out 2>err
	status=$?
	[ $status -eq 0 ] || fail "cut at $place of $size: --flat exits with $status: $(cat err)"
	[ -s err ] || fail "cut at $place of $size: --flat does not warn"
	# A longer part of the file never has fewer samples than a shorter one.
	samples=$(awk -F "$tab" '$1 == "samples" { print $2 }' info.out)
	[ "${samples:-0}" -ge "$last" ] || fail "cut at $place of $size: $samples samples, with less $last"
	last=${samples:-0}
done <places
[ "$last" -gt $((whole / 2)) ] || fail "one byte short of $size leaves $last of $whole samples"

# --strict refuses a recording that is cut.
"$CPCONV" --strict --flat cut.cps >out 2>err
[ $? -eq 1 ] || fail "--strict accepts a cut recording"
note "$(wc -l <places) places in $size bytes, SEED=$SEED"
