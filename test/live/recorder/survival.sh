#!/bin/sh
# SPDX-License-Identifier: MIT
# Every sample that was taken can be read back, in whatever way the process ends.
#
# The target raises SIGPROF itself and counts the handled signals in memory that outlives it. KILLS
# says how often it is killed at a random instant, by default 300. SEED repeats a run.
#
# Seen to fail:
# - If the recorder waits 0.1 ms instead of a second for other threads, an exec that fails among
#   four threads ends the recording.
# - If sequence numbers begin anew after such an exec, one sample of the last journal is taken for
#   one of the stream.
#
# May run beside others.
# Not in short runs: it takes 20 s.
. "$(dirname "$0")/../lib.sh"
KILLS=${KILLS:-300}
SEED=${SEED:-$(date +%s)}
echo "SEED=$SEED"

count() {
	od -An -v -tu8 -w8 counters | awk -v only="${1:-}" 'only == "" || NR == only + 1 { n += $1 } END { print n }'
}

# ends STATUS THREADS HOW [WORD]: the first thread ends the process, and all of its samples are in
# the recording. WORD is what the recording says about its end.
ends() {
	rm -f ./*.cps* counters
	record CPSAMPLE_RESOURCES="$signals" "$targets/survive" counters "$2" 3000 "$3" >out 2>err
	status=$?
	[ $status -eq "$1" ] || fail "$3, $2 threads: exit status $status"
	[ ! -s out ] || fail "$3, $2 threads: $(cat out)"
	set -- "$2" "$3" "${4:-}" ./*.cps
	[ $# -eq 4 ] || fail "$2, $1 threads: not one recording: $*"
	"$CPCONV" --info --tsv "$4" >info.out 2>err || fail "$2, $1 threads: $(cat err)"
	mine=$(awk -F "$tab" '$1 == "thread" && $2 == 0 { print $5 }' info.out)
	lost=$(awk -F "$tab" '$1 == "lost" { print $2 }' info.out)
	[ "$mine" -le "$(count 0)" ] && [ $((mine + lost)) -ge "$(count 0)" ] ||
		fail "$2, $1 threads: $(count 0) taken by the first thread, $mine read, $lost lost"
	[ "$1" -gt 1 ] || [ $((mine + lost)) -eq "$(count 0)" ] || fail "$2: $(count 0) taken, $mine read, $lost lost"
	[ -n "$3" ] || return 0
	[ "$(info "$4" ended)" = "$3" ] || fail "$2, $1 threads: ended $(info "$4" ended), not $3"
	[ ! -e "$4.journal" ] || fail "$2, $1 threads: the journal has stayed"
}

echo "no program" >no-program
chmod 755 no-program
for n in 1 4; do
	ends 2 $n return clean
	ends 3 $n exit clean
	ends 4 $n _exit clean
	ends 5 $n quick_exit clean
	ends 0 $n last clean
	ends 6 $n group
	ends 134 $n abort
	ends 139 $n segv
	ends 137 $n kill
	ends 0 $n exec exec
	ends 137 $n late-kill
done
ends 2 4 late clean
ends 0 4 late-exec exec

threads=4 i=0 drained=0
while [ $i -lt "$KILLS" ]; do
	i=$((i + 1))
	rm -f ./*.cps*
	# The process is killed soon after its start, or about when the first buffers are full.
	# Later instants are like the latter.
	[ $((i % 3)) -eq 0 ] && from=1 us=10000 || from=2400 us=20000
	taken=$("$targets/kill_at" counters "$from" "$us" $((SEED + i)) env "LD_PRELOAD=$LIBRARY" CPSAMPLE_RESOURCES="$signals" \
		CPSAMPLE_OUTPUT=killed.cps "$targets/survive" counters $threads 0 none) || fail "kill $i: status $?"
	"$CPCONV" --info --tsv killed.cps >info.out 2>err || fail "kill $i: $(cat err)"
	grep -q damaged err && fail "kill $i: $(cat err)"
	read=$(awk -F "$tab" '$1 == "samples" || $1 == "lost" { n += $2 } END { print n }' info.out)
	[ "$read" -ge "$taken" ] && [ "$read" -le $((taken + threads)) ] ||
		fail "kill $i of SEED=$SEED: $taken ticks were handled, $read read back: $(cat err)"
	[ "$(wc -c <killed.cps)" -lt 4096 ] || drained=$((drained + 1))
done
note "$KILLS kills, $drained after some had been written; SEED=$SEED"
