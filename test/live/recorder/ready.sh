#!/bin/sh
# SPDX-License-Identifier: MIT
# With any clock a recording says how long threads were ready to run and had no processor. Two threads compute on
# one processor, so one of them is ready at any time, and a third one naps. They read the kernel's count themselves, in the midst
# of their lives: the recording has no less; and no more than what is left of their lives. The samples of real in the
# state `ready` have the same, but for what they leave over; and if the process was killed, they are what the heading says.
#
# Seen to fail: without cps_ready_add at a thread's end; without cps_ready_begin of the first thread, which has waited before
# it became this program; when real had no such state; when what the first thread had waited before was in it; when the heading
# had nothing of a process that was killed.
#
# Chance: none, but a thread may be put aside just as it creates another, which real then takes for the other's waiting: three times
# of four is not likely. What others do on the machine only makes the threads wait for longer.
#
# May run beside others.
. "$(dirname "$0")/../lib.sh"
need taskset
need python3

cpu=$(python3 -c 'import os; print(min(os.sched_getaffinity(0)))')

# The first program waits and becomes the one that is recorded: the kernel goes on counting.
waits_first='import os, sys, time
other = os.fork()
while other == 0: pass
end = time.process_time() + 0.7
while time.process_time() < end: pass
os.kill(other, 9)
os.waitpid(other, 0)
os.environ["LD_PRELOAD"] = sys.argv[1]
os.execv(sys.argv[2], sys.argv[2:])'

for clock in timer strata; do
	rm -f x.cps # a recording is never written over
	CPSAMPLE_CLOCK=$clock CPSAMPLE_RESOURCES=cpu,real CPSAMPLE_OUTPUT=x.cps taskset -c "$cpu" python3 -c "$waits_first" "$LIBRARY" "$targets/stalls" 150 >truth
	status=$?
	[ $status -ne 77 ] || skip "the kernel has no schedstat"
	[ $status -eq 0 ] || fault "stalls ended with $status"
	ready=$(info x.cps ready_ns)
	least=$(awk '{ n += $4 } END { printf "%.0f", n }' truth)
	lives=$(($(wc -l <truth) + 1))
	most=$((lives * $(info x.cps duration_us) * 1000 - $(info x.cps process_cpu_ns)))
	[ "$least" -gt 0 ] || fault "no thread was ready: $(cat truth)"
	at_least "${ready:-0}" "$least" || fault "$clock: ready for ${ready:-0} ns, and the threads for $least"
	at_least $((most + most / 100)) "$ready" || fault "$clock: ready for $ready ns of $most"
	"$CPCONV" --flat x.cps | grep -q 'waited .* for a processor' || fault "$clock: the heading does not say it"
	sampled=$("$CPCONV" --flat --tsv --threshold 0 --resource real --state ready x.cps | awk -F "$tab" '{ n += $1 } END { printf "%.0f", n }')
	at_least $((sampled + lives * 10000000)) "$least" || fault "$clock: real has $sampled ns, and the threads $least"
	at_least $((ready + lives * 500000)) "$sampled" || fault "$clock: real has $sampled ns, and the kernel says $ready"
	note "$clock: ready for $((ready / 1000000)) ms, the threads say $((least / 1000000)), real $((sampled / 1000000))"
done

CPSAMPLE_EXE=/stalls\$ CPSAMPLE_RESOURCES=cpu,real CPSAMPLE_OUTPUT=killed.cps LD_PRELOAD=$LIBRARY taskset -c "$cpu" "$targets/stalls" 1000000 &
until "$CPCONV" --flat --resource real --state ready killed.cps >/dev/null 2>&1; do
	kill -0 $! 2>/dev/null || fault "the program that was to be killed has ended"
	sleep 0.05
done
kill -9 $!
wait $! 2>/dev/null
"$CPCONV" --flat killed.cps 2>/dev/null | grep -q '^threads waited .* for a processor (--resource real --state ready)$' ||
	fault "of who was killed the heading does not say it"
