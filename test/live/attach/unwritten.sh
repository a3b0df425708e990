#!/bin/sh
# SPDX-License-Identifier: MIT
# A recording that cannot be written is refused before the process is touched where that can be seen: its user cannot write to the
# directory, or does not get there, or cannot read the library. Where the disk is full, or the directory goes meanwhile, a line says
# so at the end, also where no terminal is; and also if somebody removes the recording meanwhile, or if limits of the process leave no
# memory for any sample, or no timer.
#
# Seen to fail: a directory below one that the user does not get into was found out in the process, as was a library there; a full
# disk, and a directory that was gone, had status 0 and not a word. A recording that was removed was told of as if no CPU time had been
# used, and its journal stayed; one without a sample for which there was memory had status 0; without timers SIGPROF was told of.
#
# May run beside others.
. "$(dirname "$0")/../lib.sh"
. "$root/test/live/attach.sh"
can_attach
chmod 755 .

# with LIBRARY DIRECTORY: attach to the latest one
with() {
	CPSAMPLE_DIR=$PWD/$2 "$attacher" --library "$PWD/$1" --directory "$PWD/$2" --duration 0.1 "$pid" 2>err
}

# says TEXT: and nothing else
says() {
	grep -qF "$1" err || fail "no \"$1\": $(cat err)"
	[ "$(wc -l <err)" -eq 1 ] || fail "not one line: $(cat err)"
}

start out "$targets/attached" storm
used=$(awk '/^VmSize/ { print $2 }' "/proc/$pid/status")
mkdir gone
"$cpsample" -p "$pid" --dir gone 2>err &
recorder=$!
pids="$pids $recorder"
is_there() { [ -n "$(find gone -name '*.cps')" ]; }
await is_there || fail "there is no recording"
rm -r gone
kill -INT $recorder
wait $recorder
[ $? -eq 125 ] || fail "the directory is gone: not 125: $(cat err)"
says 'gone: no recording can be had from there: No such file or directory'

"$cpsample" -p "$pid" -o removed.cps 2>err &
recorder=$!
pids="$pids $recorder"
await test -e removed.cps || fail "there is no recording"
rm removed.cps
kill -INT $recorder
wait $recorder
[ $? -eq 125 ] || fail "the recording was removed: not 125: $(cat err)"
says "cpsample: $pid: its recording was removed while it was recorded"
[ ! -e removed.cps.journal ] || fail "the journal of what was removed is there"

# Each limit has a recording with samples, or a line.
if command -v prlimit >/dev/null; then
	first=$pid
	told=0
	for more in 1000 2500 4000 5000 6000 24000; do
		start out3 prlimit --as=$(((used + more) * 1024)) "$targets/attached" storm
		if attach "$pid" 0.3 few.cps; then
			[ ! -e few.cps ] || [ "$(info few.cps samples)" -gt 0 ] || fail "$used and $more KB: no samples, status 0: $("$CPCONV" --info few.cps)"
		else
			[ "$(wc -l <attach.err)" -eq 1 ] || fail "$used and $more KB: $(cat attach.err)"
			told=$((told + $(grep -c 'nothing was recorded: its limits (ulimit -v, ulimit -d) leave no memory for [0-9]* sample' attach.err)))
		fi
		stop few
		rm -f few.cps*
	done
	note "of 6 limits $told had nothing but samples without memory"
	start out4 prlimit --sigpending=0 "$targets/attached" storm
	if attach "$pid" 0.1 x.cps; then fail "it was recorded without timers"; fi
	grep -q 'timer_create: [A-Za-z ]*: no more signals may be pending (ulimit -i); not recording$' attach.err || fail "no timers: $(cat attach.err)"
	pid=$first
fi

if [ "$(id -u)" != 0 ] || ! command -v setpriv >/dev/null; then skip "the rest takes root"; fi
mkdir -p closed/open
chmod 777 closed/open
chmod 700 closed
cp "$targets/attached" here && cp "$LIBRARY" there.so && cp "$LIBRARY" closed/closed.so && chmod 755 here there.so
storm=$pid
start out2 setpriv --reuid 65534 --regid 65534 --clear-groups ./here storm
if with "there.so" closed/open; then fail "a directory out of reach was taken"; fi
says "$pid: its user (65534) cannot write to $PWD/closed/open (Permission denied); name a directory"
mkdir open && chmod 777 open
if with "closed/closed.so" open; then fail "a library out of reach was taken"; fi
says "$pid: its user (65534) cannot read $PWD/closed/closed.so (Permission denied)"
if grep -q '\.so' "/proc/$pid/maps" && grep -q 'there.so\|closed.so' "/proc/$pid/maps"; then fail "it was touched"; fi
with "there.so" open || fail "it cannot be recorded: $(cat err)"

# What the rights of root over files allow is left to the process, and who is root without them is like others.
chmod 700 open
chown 65534:65534 open
start out3 setpriv --bounding-set -dac_override,-dac_read_search ./here storm
if with "there.so" open; then fail "a directory out of reach of root was taken"; fi
says "$pid: its user (0) cannot write to $PWD/open (Permission denied)"
with "there.so" . || fail "root cannot be recorded: $(cat err)"
pid=$storm
with "there.so" open || fail "root cannot be recorded in another user's directory: $(cat err)"

mkdir full
mount -t tmpfs -o size=64k none full 2>/dev/null || skip "no file system can be mounted"
clean_up() {
	umount "$tmp/full"
	# shellcheck disable=SC2086 # process ids
	kill -KILL $pids 2>/dev/null
}
CPSAMPLE_OUTPUT=$PWD/no.cps "$attacher" --library "$LIBRARY" --directory "$PWD" --outside --duration 0.01 "$pid" 2>err && has_events=--outside
head -c 100k /dev/zero >full/fill 2>/dev/null
if "$cpsample" -p "$storm" --dir full --duration 2 2>err; then fail "a full disk: exit 0"; fi
says 'No space left on device'
rm -f full/*

# From outside it becomes full while 10,000 samples a second come.
if [ "${has_events:-}" ]; then
	"$cpsample" -p "$storm" --outside -r cpu:100us --dir full 2>err &
	recorder=$!
	pids="$pids $recorder"
	is_begun() { [ -n "$(find full -name '*.cps')" ]; }
	await is_begun || fail "from outside: no recording: $(cat err)"
	head -c 100k /dev/zero >full/fill 2>/dev/null
	sleep 4 # for samples
	kill -INT $recorder
	if wait $recorder; then fail "from outside: a full disk: exit 0"; fi
	says 'its recording cannot be written: No space left on device'
fi
rm -f full/fill
