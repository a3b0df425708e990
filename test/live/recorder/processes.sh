#!/bin/sh
# SPDX-License-Identifier: MIT
# Every process that uses CPU time has a stream of its own, in whatever way it was created and
# ends. The stream holds the time of no other process.
#
# Seen to fail:
# - Without cps_life_child() in the fork handler or in _Fork, or without cps_recording_reset(), the
#   child has no stream.
# - If the recording of a process that clone created, or of the first process of daemon, is not
#   ended, it is cut.
# - If a child of vfork is taken for its parent, it ends the parent's recording.
# - With CLOCK_PROCESS_CPUTIME_ID instead of getrusage, itimer is off by a tick.
# - If the child does not release what other threads held in its parent, `storm` does not have all
#   samples of all children.
# - Without cps_recording_continue() nothing is recorded after an exec that has failed. Without the
#   end before the exec, journals are left over.
# - If recordings are created at once, many processes leave files.
# - If a fork in a handler takes what the interrupted one has blocked for blocked by others, signal 32 stays blocked;
#   without the unblocking in wrap_process.c it is blocked in a program that such a handler becomes.
#
# Chance: a part of 50 ms between two programs has no sample in one of 10,000 attempts, and in three of three in one of
# 10^12 runs. What is credited is exact but for the first and the last millisecond of a process.
#
# May run beside others.
# Not in short runs: it takes 20 s.
. "$(dirname "$0")/../lib.sh"
export CPSAMPLE_RESOURCES="cpu:1ms$beside"

# The stream of a process in the current directory. The file's name contains the pid.
stream_of() {
	set -- ./cpsample.*."$1".cps
	[ $# -eq 1 ] || fail "$mode: several streams of a process: $*"
	[ -f "$1" ] || fail "$mode: no stream: $1"
	echo "$1"
}

fresh_directory() {
	cd "$(mktemp -d "$tmp/run.XXXXXX")" || exit 1
}

# cpconv writes a warning about a process that was aborted.
told() {
	info "$stream" "$1" 2>/dev/null
}

# The stream of each process says the same of it as the target reports.
check_process() { # ROLE PID PARENT NS
	stream=$(stream_of "$2") || fail "$stream"
	[ "$(told ppid)" = "$3" ] || fail "$mode: $1 is child of $(told ppid), not $3"
	if [ "$1" = child ] && [ "$how" = abort ]; then
		[ -f "$stream.journal" ] || fail "$mode: no journal of one that was aborted"
		within 10 "$(told credited_ns)" "$4" || fail "$mode, abort: credited $(told credited_ns) ns of $4 ns"
	else
		(accounts_for_all "$stream") >why || fail "$mode, $role: $(cat why)"
		within 5 "$(info "$stream" process_cpu_ns)" "$4" ||
			fail "$mode: $1 used $4 ns, the stream says $(info "$stream" process_cpu_ns)"
	fi
	"$CPCONV" --folded "$stream" >folded 2>warning || fail "$mode: --folded --unit gticks: $(cat warning)"
	case $1 in
	parent) other=in_child ;;
	*) other=in_parent ;;
	esac
	! grep -q "$other" folded || [ "$mode" = thread ] || fault "$mode: $other is in the stream of the $1"
}

# check TIMES MODE END [SETTING...]: there are as many streams as reports, not counting shells that a tick
# has met.
check() {
	mode=$2 how=$3
	shift 3
	fresh_directory
	REPORT=$PWD/report record "$@" "$targets/processes" "$mode" "$how" >out 2>&1 ||
		fault "$mode $how: ended with $?: $(cat out)"
	[ "$mode" != daemon ] || await grep -q child report || fail "the daemon says nothing"
	[ "$mode" != daemon ] || await is_gone "$(awk '/child/ { print $2 }' report)" || fail "the daemon stays"
	while read -r role pid parent used; do
		check_process "$role" "$pid" "$parent" "$used"
	done <report
	for stream in ./*.cps; do
		pid=$(told pid)
		grep -q "^[a-z]* $pid " report && continue
		case $(told exe) in
		*/processes) fault "$mode: $stream is nobody's" ;;
		esac
		[ -n "$beside" ] || [ "$(told samples)" -gt 0 ] || fail "$mode: $stream without samples"
	done
}

is_gone() {
	! kill -0 "$1" 2>/dev/null || grep -q '^State:.Z' "/proc/$1/status"
}

for clock in timer itimer; do
	for mode in fork _Fork clone thread grandchild daemon vforks; do
		with_more_work check 1 $mode exit CPSAMPLE_CLOCK=$clock
	done
done
for mode in forkpty vfork spawn system popen; do
	with_more_work check 1 $mode exit
done
for how in _exit quick_exit abort; do
	with_more_work check 1 fork $how
done

# The other threads of a process take samples and drain buffers all the time while it forks. Each
# child has its own samples, and only these.
mode=storm
fresh_directory
record CPSAMPLE_RESOURCES="$signals" "$targets/forks" storm 60 40 || fault "storm: ended with $?"
"$CPCONV" --info --tsv ./*.cps >infos || fail "storm: cpconv"
awk -F "$tab" '$1 == "samples" { n[$2]++ } $1 == "ended" && $2 != "clean" { bad++ }
	END { exit !(n[40] == 60 && !bad) }' infos ||
	fail "storm: $(grep -E '^(samples|ended)' infos | sort | uniq -c | sort -nr | tr '\n' ';')"
[ "$(find . -name '*.journal' | wc -l)" -eq 0 ] || fail "storm: journals were left"

# One process executes one program after the other. Each program has a stream.
# chain TIMES CLOCK
chain() {
	clock=$2
	mode="chain, $clock"
	fresh_directory
	[ "$(record CPSAMPLE_CLOCK="$clock" "$targets/forks" chain)" = "done" ] || fail "chain, $clock: not to the end"
	set -- ./*.cps
	[ $# -eq 10 ] || fail "$mode: $# streams of 10"
	[ "$(find . -name '*.journal' | wc -l)" -eq 0 ] || fail "$mode: journals were left"
	for stream; do
		[ "$(info "$stream" ended)" = clean ] || [ "$(info "$stream" ended)" = exec ] ||
			fault "$mode: ended $(info "$stream" ended)"
		"$CPCONV" --folded --unit gticks "$stream" >folded || fail "$mode: cpconv"
		grep -q before folded || fail "$mode: nothing before an exec that fails"
		grep -q after folded || fail "$mode: nothing after an exec that has failed"
		within 2 "$(accounted "$stream")" "$(info "$stream" process_cpu_ns)" ||
			fail "$mode: $(accounted "$stream") of $(info "$stream" process_cpu_ns) ns"
		info "$stream" pid >>pids
	done
	[ "$(sort -u pids | wc -l)" -eq 1 ] || fail "$mode: processes: $(cat pids)"
}
for clock in timer itimer; do
	with_more_work chain 1 $clock
done

# A program that is not recorded gets no signal from the timer of the program before it.
for clock in timer itimer strata perf; do
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		record CPSAMPLE_CLOCK=$clock CPSAMPLE_OUTPUT=away.cps "$targets/forks" away \
			env -u LD_PRELOAD "$targets/spin" 20 5 >/dev/null
		status=$?
		[ $status -eq 5 ] || fault "$clock: a program without the recorder ended with $status, not 5"
		rm -f away*
	done
done

# With much memory a fork takes long, and the kernel begins it anew if a signal comes before it is
# done. With many ticks it must end all the same.
mib=1024
[ "$(awk '/MemAvailable/ { print $2 }' /proc/meminfo)" -gt 3000000 ] || mib=256
for clock in cpu:1ms:timer cpu:1ms:itimer cpu:100us:perf; do
	record "CPSAMPLE_RESOURCES=${clock%:*}$beside" "CPSAMPLE_CLOCK=${clock##*:}" CPSAMPLE_OUTPUT=big.cps \
		timeout -k 5 1000 "$targets/forks" big $mib 20
	status=$?
	[ $status -eq 0 ] || [ $status -eq 77 ] || fail "20 forks of $mib MiB with $clock: $status"
	rm -f big*
done

# A handler that interrupts fork may fork or become another program; no signal of the recorder's is blocked then, or stays so.
for clock in strata timer itimer perf; do
	for how in fork exec; do
		"$targets/forks" nested $how >want
		status=$?
		[ $status -ne 77 ] || continue
		[ $status -eq 0 ] || fail "nested, $how: bare $status"
		record "CPSAMPLE_RESOURCES=cpu:1ms$beside" CPSAMPLE_CLOCK=$clock CPSAMPLE_OUTPUT=nested.cps "$targets/forks" nested $how >got ||
			fault "nested, $clock, $how: ended with $?: $(cat got)"
		same want got "nested, $clock, $how: output"
		rm -f nested*
	done
done

# Processes that use no time to speak of leave no file. Their parent, which no tick meets, has one that says what it has used.
fresh_directory
bare=$("$targets/forks" many 2000) || fail "many: bare $?"
us=$(record CPSAMPLE_RESOURCES=cpu:3600s "$targets/forks" many 2000) || fail "many: $?"
stream=$(one_stream) || fail "many: $stream"
[ "$(info "$stream" samples)" -eq 0 ] || fail "many: $(info "$stream" samples) samples"
at_least "$(info "$stream" not_sampled)" 10000000 || fail "many: $(info "$stream" not_sampled) ns are not sampled"
note "fork and exit: $us us recorded, $bare us bare"
