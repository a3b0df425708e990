#!/bin/sh
# SPDX-License-Identifier: MIT
# If the place for the recording is full, limited, read-only or removed, the target is not harmed,
# and the recording says what was not kept: samples and losses add up to what the target has
# counted.
#
# Seen to fail:
# - If the recorder does not look at the limit first, the target dies of SIGXFSZ.
# - If samples that are only in memory are not counted as lost, samples and losses are 2,434 short.
# - If records wait until the end, modules are not known at a limit of 64k.
#
# Wants a core of its own.
# Not in short runs: it takes 10 s.
. "$(dirname "$0")/../lib.sh"

# A small disk is mounted in a mount namespace of its own, which ends with this test. In a chroot
# the root directory need not be a mount point, and then its propagation cannot be changed.
for propagation in private unchanged; do
	[ -z "${OWN_MOUNTS:-}" ] && unshare -m --propagation $propagation true 2>/dev/null || continue
	OWN_MOUNTS=1 unshare -m --propagation $propagation sh "$root/test/live/recorder/full.sh"
	exit
done
clean_up() {
	[ -z "${OWN_MOUNTS:-}" ] || umount "$tmp/out" 2>/dev/null
}
rounds=60000 # about 1.6 MB of records, 440 KB deflated

# How often SIGPROF was handled, as survive.c counts it.
count() {
	od -An -v -tu8 -w8 counters | awk '{ n += $1 } END { print n }'
}

# take NAME [SETTING=VALUE...]: the target is recorded into out/, and ends as without the recorder
take() {
	name=$1
	shift
	rm -f counters
	record CPSAMPLE_RESOURCES="$signals" CPSAMPLE_VERBOSE=1 CPSAMPLE_OUTPUT=out/x.cps "$@" \
		"$targets/survive" counters 1 "${rounds}" return >stdout 2>stderr
	status=$?
	[ $status -eq 2 ] || fail "$name: exit status $status"
	[ ! -s stdout ] || fail "$name: standard output: $(cat stdout)"
	[ "$(wc -l <stderr)" -eq 1 ] || fail "$name: not one line: $(cat stderr)"
	[ "$(count)" -eq $((rounds + 1)) ] || fail "$name: $(count) signals handled"
}

# stopped NAME WORD TEXT: the recording says why it stopped; samples and losses add up to the
# target's count, in the recording and in the line that the recorder prints at the end
stopped() {
	[ -f out/x.cps ] || fail "$1: no recording: $(cat stderr)"
	"$CPCONV" --info --tsv out/x.cps >info.out 2>err || fail "$1: $(cat err)"
	"$CPCONV" --info out/x.cps >info.text 2>/dev/null
	sum=$(awk -F "$tab" '$1 == "samples" || $1 == "lost" { n += $2 } END { print n }' info.out)
	more=$((sum - $(count))) # other resources have samples, too
	[ $more -eq 0 ] || { [ -n "$beside" ] && [ $more -gt 0 ]; } ||
		fail "$1: $(count) handled, samples and losses are $sum: $(cat stderr err)"
	[ "$(info out/x.cps ended)" = "$2" ] || fail "$1: ended $(info out/x.cps ended), not $2"
	grep -q "stopped: $3" info.text || fail "$1: does not say '$3': $(cat info.text)"
	grep -q 'no record of this module' info.text && fail "$1: a module is not known: $(cat info.text)"
	said=$(sed 's/.*cpsample: .*: \([0-9]*\) samples, \([0-9]*\) lost.*/\1 \2/' stderr)
	[ "$said" = "$(info out/x.cps samples) $(info out/x.cps lost)" ] ||
		fail "$1: the line at the end says $said, --info $(info out/x.cps samples) $(info out/x.cps lost)"
}

journal_gone() {
	[ ! -e out/x.cps.journal ] || fail "$1: there is a journal"
}

clean() {
	rm -rf out/*
}

mkdir out
for limit in 64k 100000 1M; do
	for journal in 0 8M; do
		take "limit $limit" CPSAMPLE_MAX_BYTES=$limit CPSAMPLE_JOURNAL=$journal
		bytes=$(wc -c <out/x.cps)
		[ "$bytes" -le "$(numfmt --from=iec "$(echo $limit | tr k K)")" ] || fail "limit $limit: $bytes bytes"
		journal_gone "limit $limit"
		[ $limit = 1M ] && want=clean || want=limit
		[ "$want" = clean ] || stopped "limit $limit" limit 'the output has reached its limit'
		# A single full buffer is larger than the lowest limit.
		[ "$(info out/x.cps samples)" -gt 1000 ] || fail "limit $limit: nothing was kept"
		[ "$want" = limit ] || [ "$(info out/x.cps samples)" -eq "$(count)" ] || fail "limit 1M: not all"
		clean
	done
done

# The shell's limit is in blocks of 512 bytes. The second limit leaves room for a journal.
for blocks in 8 60 2500; do

	(ulimit -f $blocks && take "ulimit -f $blocks") || exit 1
	if [ $blocks -gt 8 ] && [ $blocks -lt 2500 ]; then
		stopped "ulimit -f $blocks" write 'output cannot be written: File too large'
	fi
	clean
done

# The directory is removed while the target runs.
record CPSAMPLE_VERBOSE=1 CPSAMPLE_OUTPUT=gone/x.cps "$targets/spin" 1500 7 >stdout 2>stderr &
pid=$!
mkdir gone
await test -e gone/x.cps.journal || fail "the target does not record"
rm -rf gone
wait $pid
status=$?
[ $status -eq 7 ] || fail "removed directory: exit status $status"
[ "$(cat stdout)" = spun ] || fail "removed directory: $(cat stdout)"
grep -q 'output cannot be written: No such file' stderr || fail "removed directory: $(cat stderr)"

# disk FREE_KB: out/ is a disk with that much room
disk() {
	umount out 2>/dev/null
	mount -t tmpfs -o size=64m tmpfs out || skip "cannot mount a small disk"
	dd if=/dev/zero of=out/ballast bs=1024 count=$((65536 - $1)) 2>dd.err || fail "$(cat dd.err)"
}

[ -n "${OWN_MOUNTS:-}" ] || skip "the rest needs mounts of its own"
full='output cannot be written: No space left on device'
disk 1300 # room for a journal and a little more
take "full disk"
stopped "full disk" write "$full"
[ "$(info out/x.cps lost)" -lt "$rounds" ] || fail "full disk: nothing was kept"
[ -e out/x.cps.journal ] || fail "full disk: the journal has not stayed"
disk 100 # no room for a journal
take "full disk, no journal"
stopped "full disk, no journal" write "$full"
journal_gone "full disk, no journal"
[ "$(info out/x.cps lost)" -gt 0 ] || fail "full disk, no journal: nothing lost?"
disk 8400 # room for a journal that holds everything, and hardly any for a stream
take "large journal" CPSAMPLE_JOURNAL=8M
stopped "large journal" write "$full"
[ "$(info out/x.cps lost)" -eq 0 ] || fail "large journal: $(info out/x.cps lost) lost"
for kb in 0 4 8 12 16; do
	disk $kb
	take "disk with $kb KiB"
	if [ -e out/x.cps ]; then
		stopped "disk with $kb KiB" write "$full"
	else
		grep -q 'the output cannot be created: No space left on device' stderr || fail "$kb KiB: $(cat stderr)"
		grep -q "cpsample: .*: 0 samples, $(count) lost" stderr || fail "$kb KiB: $(cat stderr)"
	fi
	journal_gone "disk with $kb KiB"
done
disk 4096
mount -o remount,ro out || fail "cannot make the disk read-only"
take "read-only disk"
grep -q 'the output cannot be created: Read-only file system' stderr || fail "read-only: $(cat stderr)"
umount out
