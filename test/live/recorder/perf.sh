#!/bin/sh
# SPDX-License-Identifier: MIT
# CPSAMPLE_CLOCK=perf uses a perf event on each thread's CPU time if the kernel permits it, and
# else the clock `timer`. The recording says which of the two it was, and why.
#
# Seen to fail:
# - Without the probe, or with events that an ordinary user may have only with exclude_kernel, the
#   engine is said to be perf.
# - Without munmap() events are left over.
# - If descriptors are kept, or without cps_clock_stop() before exec, the program after `exec` dies
#   of signal 32, because an event lives on.
# - Without the handler of SIGIO, `full` dies of it.
# - Without the threshold for ticks that have waited, `blocked` fails.
# - Without clock_timer for single threads, `crowded` fails.
. "$(dirname "$0")/../lib.sh"

export CPSAMPLE_CLOCK=perf
paranoid=$(cat /proc/sys/kernel/perf_event_paranoid 2>/dev/null) || paranoid=none

# falls_back REASON COMMAND...: the command's recording, in an empty directory, says that `timer`
# was used and why
falls_back() {
	reason=$1
	shift
	rm -rf fallback && mkdir -m 777 fallback
	(cd fallback && "$@" >/dev/null) || fail "$*: ended with $?"
	stream=$(one_stream fallback) || fail "$*: $stream"
	[ "$(info "$stream" engine)" = timer ] || fail "$*: engine $(info "$stream" engine)"
	case $(info "$stream" engine_why) in
	*"$reason"*) ;;
	*) fail "$*: engine_why is '$(info "$stream" engine_why)', not '$reason'" ;;
	esac
	accounts_for_all "$stream"
	"$CPCONV" --info "$stream" | grep -q "$reason" || fail "--info does not say '$reason'"
}

# ---- where it is refused: tested everywhere ---------------------------------------------------
falls_back 'perf_event_open: Operation not permitted' \
	"$targets/refuse" 1 env "LD_PRELOAD=$LIBRARY" "$targets/spin" 300
falls_back 'perf_event_open: Function not implemented' \
	"$targets/refuse" 38 env "LD_PRELOAD=$LIBRARY" "$targets/spin" 300
command -v prlimit >/dev/null && falls_back 'only 1000 signals may be pending' \
	prlimit --sigpending=1000 env "LD_PRELOAD=$LIBRARY" "$targets/spin" 300

# The program is run by an ordinary user, who may not be able to read the build directory.
ordinary=
if [ "$paranoid" = none ] || [ "$paranoid" -lt 2 ]; then
	ordinary="kernel.perf_event_paranoid is $paranoid: an ordinary user may have events"
elif [ "$(id -u)" -ne 0 ]; then
	falls_back "kernel.perf_event_paranoid is $paranoid" env "LD_PRELOAD=$LIBRARY" "$targets/spin" 300
elif command -v setpriv >/dev/null; then
	chmod 755 .
	cp "$LIBRARY" "$targets/spin" .
	falls_back "kernel.perf_event_paranoid is $paranoid" setpriv --reuid=65534 --regid=65534 --clear-groups \
		env "LD_PRELOAD=$tmp/libcpsample.so" "$tmp/spin" 300
else
	ordinary="no setpriv to become an ordinary user with"
fi

# ---- where it is allowed ----------------------------------------------------------------------
record "$targets/spin" 20 >/dev/null
stream=$(one_stream) || fail "$stream"
if [ "$(info "$stream" engine)" != perf ]; then
	why=$(info "$stream" engine_why)
	[ -n "$why" ] || fail "engine $(info "$stream" engine), and no reason why"
	[ "$(id -u)" -ne 0 ] || grep -q '^Seccomp:[^0]*[1-9]' /proc/self/status || case $why in
	*"seccomp"* | *"Permission denied"*) ;;
	*) fail "root gets no events: $why" ;;
	esac
	[ -z "$ordinary" ] || note "$ordinary"
	note "only the fallback: $why"
	exit 0
fi

# recorded NAME ARGUMENT...: record targets/perf in a directory of that name; its output is in `out`
recorded() {
	name=$1
	shift
	rm -rf "$name" && mkdir "$name"
	(cd "$name" && record CPSAMPLE_RESOURCES="cpu:${interval:-100us}" "$targets/perf" "$@" >../out 2>../err)
	status=$?
	[ $status -eq 0 ] || fail "$name: ended with $status: $(cat err)"
	[ ! -s err ] || fail "$name: says $(cat err)"
	for stream in "$name"/*.cps*; do
		[ "$(info "$stream" engine)" = perf ] || fail "$name: engine $(info "$stream" engine)"
	done
}

# There are many more samples per second of CPU time than the kernel's timers can give, at most 20 *
# 250 here.
per_second() {
	awk -v n="$(info "$1" samples)" -v ns="$(info "$1" credited_ns)" 'BEGIN { print int(n * 1e9 / ns) }'
}

recorded one threads 1 1000
stream=$(one_stream one) || fail "$stream"
accounts_for_all "$stream"
rate=$(per_second "$stream")
CPSAMPLE_CLOCK=timer && recorded_timer=$(mkdir timer && cd timer && record CPSAMPLE_RESOURCES=cpu:100us \
	"$targets/perf" threads 1 1000 >/dev/null && one_stream) || fail "$recorded_timer"
CPSAMPLE_CLOCK=perf
slow=$(per_second "timer/$recorded_timer")
at_least "$rate" $((10 * slow)) || at_least "$rate" 5000 ||
	fail "$rate samples per second of CPU time, the timer gives $slow"

recorded eight threads 8 200
stream=$(one_stream eight) || fail "$stream"
accounts_for_all "$stream"
grep -q '^events 1$' out || fail "eight threads: $(cat out)"

# There is one child after the other. Each has a recording and an event of its own.
recorded fork fork 5 50
[ "$(find fork -name '*.cps' | wc -l)" -eq 6 ] || fail "fork: $(ls fork)"
for stream in fork/*.cps; do
	accounts_for_all "$stream"
	at_least "$(per_second "$stream")" 2000 || fail "fork: $(per_second "$stream") samples per second"
done

# No tick is left for the program after exec. Without cps_clock_stop() one program in three would
# get one.
for i in 1 2 3 4 5 6 7 8 9 10; do
	interval=20us recorded exec exec 1
	[ "$(info "$(one_stream exec)" ended)" != killed ] || fail "exec: $i"
done

# The recorder keeps no descriptor number from the target. It holds one for the moment in which it makes an
# event, and another thread may look just then: about one run in a hundred, so not three times.
"$targets/perf" lists | grep open >bare
for i in 1 2 3; do
	recorded lists lists
	grep open out >with
	cmp -s bare with && break
done
same bare with "lists of descriptors"
recorded closes closes 100
grep -q '^descriptor 3, closed with 0$' out || fail "closes: $(cat out)"
stream=$(one_stream closes) || fail "$stream"
accounts_for_all "$stream"
at_least "$(per_second "$stream")" 2000 || fail "closes: $(per_second "$stream") samples per second"

# Events end with their threads.
recorded short short 4000
grep -q '^events 1$' out || fail "4,000 short threads: $(cat out)"
stream=$(one_stream short) || fail "$stream"
within 10 "$(accounted "$stream")" "$(info "$stream" process_cpu_ns)" ||
	fail "short threads: accounts for $(accounted "$stream") ns of $(info "$stream" process_cpu_ns)"

# If the queue of signals is full, the kernel sends SIGIO.
recorded full full 200
accounts_for_all "$(one_stream full)"

# Otherwise SIGIO belongs to the target. (Seen to fail with cps_disposition_take(): the target's
# handler is told SA_RESTART.)
recorded sigio sigio

# 2,000 ticks that come at once do not become 2,000 samples.
recorded blocked blocked 200
stream=$(one_stream blocked) || fail "$stream"
accounts_for_all "$stream"
[ "$(info "$stream" samples)" -le 1000 ] || fail "$(info "$stream" samples) samples of 200 ms with signals blocked"

# A thread that cannot have an event gets a timer.
recorded crowded crowded 400
stream=$(one_stream crowded) || fail "$stream"
accounts_for_all "$stream"
at_least "$(info "$stream" samples)" 20 || fail "crowded: $(info "$stream" samples) samples"

[ -z "$ordinary" ] || note "$ordinary"
note "$rate samples per second of CPU time at 100us, with the timer $slow"
