#!/bin/sh
# SPDX-License-Identifier: MIT
# CPSAMPLE_DIR is the directory of recordings, and CPSAMPLE_DIR_BYTES what they may take: the oldest
# are removed. What is not a recording of the user stays, and so does a recording that is being
# written.
#
# Seen to fail:
# - Without is_at_rest() in output.c the recording of the running program is removed.
# - Without the comparison with CPS_MAGIC notes.cps is removed.
# - Without is_over() the recording that has no journal is removed.
# - Without is_orphan() the journal that was left alone stays; without the lease, that of a running program goes.
#
# May run beside others.
. "$(dirname "$0")/../lib.sh"

# On an overlay nothing is removed.
if [ "$(stat -f -c %T .)" = overlayfs ]; then
	rm -rf "$tmp"
	tmp=$(mktemp -d -p /dev/shm) && cd "$tmp" || exit 1
fi
mkdir all other
export CPSAMPLE_DIR="$tmp/all"
(cd other && record CPSAMPLE_OUTPUT=first.cps "$targets/spin" 100 >/dev/null) || fail "spin ended with $?"
[ -s all/first.cps ] || fail "the recording is not in CPSAMPLE_DIR"

# Twelve old recordings, each of 256 KiB; and others that are still older.
for i in 10 11 12 13 14 15 16 17 18 19 20 21; do
	{ cat all/first.cps && head -c 262144 /dev/urandom; } >"all/old$i.cps"
	touch -d "2001-01-$i" "all/old$i.cps"
done
cp all/first.cps other/linked.cps
ln -s "$tmp/other/linked.cps" all/link.cps
mkdir all/directory.cps
echo "not a recording" >all/notes.cps
cp all/first.cps all/foreign.cps
[ "$(id -u)" -ne 0 ] || chown 65531 all/foreign.cps
touch -h -d 2000-01-01 all/link.cps all/directory.cps all/notes.cps all/foreign.cps

# The program uses 60 s of CPU time, if nobody ends it.
env "LD_PRELOAD=$LIBRARY" CPSAMPLE_OUTPUT=live.cps "$targets/spin" 60000 >/dev/null &
pid=$! more=
# shellcheck disable=SC2086 # several numbers
clean_up() { kill -9 $pid $more 2>/dev/null; }
await test -s all/live.cps.journal || fail "no journal was made"
touch -d 2000-01-01 all/live.cps all/live.cps.journal

# What is left after a recording that keeps the quota of 3 MiB
left() {
	record CPSAMPLE_OUTPUT="$1.cps" CPSAMPLE_DIR_BYTES=3M "$targets/spin" 100 >/dev/null || fail "spin ended with $?"
	[ -s "all/$1.cps" ] || fail "the latest recording is not there"
	for file in link directory notes $2; do
		[ -e "all/$file.cps" ] || fail "$1: $file.cps was removed"
	done
	[ -s other/linked.cps ] || fail "$1: what a link leads to was removed"
	[ "$(id -u)" -ne 0 ] || [ -e all/foreign.cps ] || fail "$1: the recording of another user was removed"
	kept=$(find all -type f -name '*.cps*' ! -name foreign.cps -exec du -k {} + | awk '{ n += $1 } END { print n }')
	[ "$kept" -le 3072 ] || fail "$1: $kept KiB are left"
}

left second live
[ -e all/live.cps.journal ] || fail "the journal of a program that runs was removed"
[ ! -e all/old10.cps ] || fail "the oldest recording is still there"
[ -e all/old21.cps ] || fail "the youngest of the old recordings was removed"
gone=
for i in 21 20 19 18 17 16 15 14 13 12 11 10; do
	[ -e "all/old$i.cps" ] || gone=$i
	[ -z "$gone" ] || [ ! -e "all/old$i.cps" ] || fail "old$gone.cps was removed before old$i.cps"
done

# A recording whose program was killed is not being written any more.
kill -9 $pid
wait $pid 2>/dev/null
touch -d 2000-01-01 all/live.cps
head -c 1500000 /dev/urandom >filler
for i in 1 2; do
	{ cat all/first.cps && cat filler; } >"all/more$i.cps"
	touch -d "2 days ago" "all/more$i.cps" # they have no end, and might be written otherwise
done
left third ""
[ ! -e all/live.cps ] && [ ! -e all/live.cps.journal ] || fail "what was killed long ago is still there"

# A file that is none of ours does not count, and the latest recording stays even if it is too large alone.
mkdir few
head -c 400000 /dev/urandom >few/foreign.cps
for i in 1 2; do
	record CPSAMPLE_DIR="$tmp/few" CPSAMPLE_DIR_BYTES=64k CPSAMPLE_OUTPUT=$i.cps "$targets/spin" 100 >/dev/null ||
		fail "spin ended with $?"
done
[ -s few/1.cps ] && [ -s few/2.cps ] && [ -s few/foreign.cps ] || fail "beside a foreign file: $(ls few)"
record CPSAMPLE_DIR="$tmp/few" CPSAMPLE_DIR_BYTES=64k CPSAMPLE_OUTPUT=large.cps CPSAMPLE_CLOCK=perf \
	CPSAMPLE_RESOURCES=cpu:50us python3 -c "def f(n): return n if n < 2 else f(n - 1) + f(n - 2)
f(30)" || fail "python3 ended with $?"
[ -s few/large.cps ] || fail "the latest recording was removed"

# What a program still writes stays: a recording that could have no journal, and a journal whose recording
# somebody has removed. What has ended goes, and so does a journal that nobody needs.
mkdir rare
for name in bare live killed; do
	(
		[ $name != bare ] || ulimit -f 1024
		exec env "LD_PRELOAD=$LIBRARY" CPSAMPLE_DIR="$tmp/rare" CPSAMPLE_OUTPUT=$name.cps "$targets/spin" 60000 >/dev/null
	) &
	more="$more $!"
done
await test -s rare/bare.cps || fail "no recording was made"
await test -s rare/live.cps.journal && await test -s rare/killed.cps.journal || fail "no journal was made"
kill -9 $!
wait $! 2>/dev/null
rm rare/live.cps rare/killed.cps
[ ! -e rare/bare.cps.journal ] || fail "there is a journal that cannot be"
cp all/third.cps rare/over.cps
touch -d "2 hours ago" rare/*
record CPSAMPLE_DIR="$tmp/rare" CPSAMPLE_DIR_BYTES=64k CPSAMPLE_OUTPUT=last.cps "$targets/spin" 100 >/dev/null ||
	fail "spin ended with $?"
[ -e rare/bare.cps ] || fail "a recording without a journal was removed while it was written"
[ -e rare/live.cps.journal ] || fail "the journal of a program that runs was removed"
[ ! -e rare/killed.cps.journal ] || fail "a journal that was left alone is still there"
[ ! -e rare/over.cps ] || fail "a recording that has ended is still there"
