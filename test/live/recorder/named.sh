#!/bin/sh
# SPDX-License-Identifier: MIT
# Events that the user names: perf:TYPE:CONFIG and PMU/EVENT/ are credited as faults are, if they are the number of that
# event; what cannot be counted for a thread is refused before the program starts, in one line that says why. What
# happens while recording is paused is not counted.
#
# Seen to fail:
# - Before recording's pause ended the events of perf (cps_overflow_pause), its faults were counted.
# - With commas that always end a name, cpconv does not find the resource.
#
# May run beside others.
. "$(dirname "$0")/../lib.sh"

# by NAME OPTIONS... -- COMMAND: record with the launcher; the status is that of the program
by() {
	"$root/scripts/cpsample" -q --library "$LIBRARY" -o "$tmp/$1.cps" -r "$2" ${3:+"$3"} "$targets/faults" 30 10 500 "${4:-none}" \
		>truth 2>err
}

# is_near A B: the numbers differ by 60 at most, or 0.1 %
is_near() {
	awk -v a="$1" -v b="$2" 'BEGIN { d = a > b ? a - b : b - a; exit !(d <= 60 + b / 1000) }'
}

# refuses RESOURCE TEXT: the program is not started, and one line has this text
refuses() {
	if by refused "$1"; then fail "$1 is not refused"; fi
	[ ! -s truth ] || fail "$1: the program has run"
	[ "$(wc -l <err)" -eq 1 ] || fail "$1: $(cat err)"
	grep -qF -- "$2" err || fail "$1: $(cat err)"
}

refuses "nothing/x/" "nothing: not in /sys/bus/event_source/devices"
refuses "perf:1:4" "perf:0xCONFIG"
refuses "software/x/" "software: there is no event or field x"
if [ -e /sys/bus/event_source/devices/msr/events/tsc ] && by user "perf:1:0x2"; then
	refuses "msr/tsc/" "gives no signals"
fi

# A filter that forbids perf_event_open: it is said, and the program runs on.
"$targets/refuse" 1 env "LD_PRELOAD=$LIBRARY" CPSAMPLE_OUTPUT="$tmp/filter.cps" CPSAMPLE_RESOURCES=perf:1:0x2:10,cpu \
	"$targets/faults" 30 10 500 none >out || fail "filter: ended with $?"
grep -q '^often 15000$' out || fail "filter: $(cat out)"
case $(info filter.cps engine_why) in
"perf_event_open: "*"seccomp filter"*) ;;
*) fail "filter: engine_why is '$(info filter.cps engine_why)'" ;;
esac

if ! by allowed "perf:1:0x2:10"; then
	case $(cat err) in
	*perf_event_paranoid* | *seccomp*) note "only refusals: $(cat err)" && exit 0 ;;
	*) fail "perf:1:0x2: $(cat err)" ;;
	esac
fi

# Three names of the same thing, which are three resources.
names="perf:1:0x2 software/config=0x2/ software/config=2,config1=0/"
by three "perf:1:0x2:10,software/config=0x2/:20,software/config=2,config1=0/:30" || fail "three: $(cat err)"
for name in $names; do
	"$CPCONV" --flat --resource "$name" --tsv three.cps >flat || fail "$name: cpconv"
	is_near "$(awk -F "$tab" '$5 == "touch" { print $2 }' flat)" 20000 ||
		fail "$name: $(awk -F "$tab" '$5 == "touch" { print $2 }' flat) of 20000 faults are touch's"
	counted=$(python3 "$root/test/live/counted.py" three.cps "$name") || fail "$name: nothing was counted"
	# Each of them counts what the others' samples cause. The interval under way at the end is not counted.
	at_least "$counted" 19700 && at_least 20400 "$counted" || fail "$name: $counted counted of 20000"
done

# What happens in a pause is not counted.
for clock in timer perf; do
	rm -f pause.cps
	CPSAMPLE_CLOCK=$clock by pause faults,cpu "" pause || fail "pause: $(cat err)"
	counted=$(python3 "$root/test/live/counted.py" pause.cps faults) || fail "pause: nothing was counted"
	is_near "$counted" 40000 || fail "$clock: $counted faults counted of 40000 outside of the pause"
	credited=$("$CPCONV" --flat --resource faults --tsv pause.cps | awk -F "$tab" '$5 == "touch" { print $2 }')
	is_near "$credited" 40000 || fail "$clock: $credited faults credited of 40000 outside of the pause"
done

if [ "$(id -u)" -eq 0 ] && command -v setpriv >/dev/null && [ "$(cat /proc/sys/kernel/perf_event_paranoid)" -eq 2 ]; then
	chmod 755 .
	mkdir -m 777 user
	cp "$LIBRARY" "$targets/faults" .
	for config in 0x2 0x4; do
		rm -f user/x.cps
		setpriv --reuid=65534 --regid=65534 --clear-groups env "LD_PRELOAD=$tmp/libcpsample.so" CPSAMPLE_RESOURCES=perf:1:$config:10,cpu \
			CPSAMPLE_OUTPUT="$tmp/user/x.cps" "$tmp/faults" 30 10 500 none >out || fail "user: ended with $?"
		credited=$("$CPCONV" --flat --resource perf:1:$config --tsv user/x.cps | awk -F "$tab" '$5 == "touch" { print $2 }')
		case $config,$(info user/x.cps engine_why) in
		0x2,"without those inside system calls: "*) is_near "$credited" 20000 || fail "user: $credited credited of 20000" ;;
		0x4,*"kernel.perf_event_paranoid is 2; sysctl kernel.perf_event_paranoid=1"*) ;;
		*) fail "user: $config: engine_why is '$(info user/x.cps engine_why)'" ;;
		esac
	done
else
	note "no ordinary user to try it as"
fi
