#!/bin/sh
# SPDX-License-Identifier: MIT
# Thousands of recordings can be read as one profile, which is the sum of its parts. Neither the
# limit on open files nor that on the command line matters, and the number of reading threads does
# not change the result. A corrupt recording among them gives the same message as if it were read
# alone.
# May run beside others.
# Not in short runs: it takes 5 s.
# shellcheck disable=SC3045 # dash has ulimit -n
. "$(dirname "$0")/../lib.sh"
need python3

# Copies of a recording are read once. So each becomes one of another process: in the process record, which is the first one, the
# number of the process is another.
cat >copy.py <<'end'
import sys
import zlib


def varint(data, at):
    value = shift = 0
    while True:
        value |= (data[at] & 127) << shift
        shift += 7
        at += 1
        if data[at - 1] < 128:
            return value, at


def number(value):
    data = bytearray()
    while value > 127:
        data.append(value & 127 | 128)
        value >>= 7
    return bytes(data) + bytes([value])


def copy(name, to, pid):
    data = open(name, "rb").read()
    stream = zlib.decompressobj()
    records = stream.decompress(data[9:])
    tag, at = varint(records, 0)
    size, at = varint(records, at)
    fields, end = b"", at + size
    while at < end:
        key, at = varint(records, at)
        value, at = varint(records, at)
        if key & 1:
            fields += number(key) + number(value) + records[at : at + value]
            at += value
        else:
            fields += number(key) + number(pid if key == 2 else value)
    first = number(tag) + number(len(fields)) + fields
    first += zlib.crc32(first).to_bytes(4, "little")
    packer = zlib.compressobj()
    packed = packer.compress(first + records[end + 4 :])
    packed += packer.flush(zlib.Z_FINISH if stream.eof else zlib.Z_SYNC_FLUSH)
    open(to, "wb").write(data[:9] + packed)


for i in range(3000):
    file = sys.argv[1 + (i + 1) % len(sys.argv[1:])]
    print(file, f"all/{i:04}.cps")
    copy(file, f"all/{i:04}.cps", 1000000 + i)
end

# Some short processes, one of them killed, become 3,000 files.
mkdir some all
cd some || exit 1
for seconds in 1 2 3; do
	record CPSAMPLE_RESOURCES=cpu:1ms "$targets/spin" ${seconds}0 >/dev/null || fail "spin ended with $?"
	record CPSAMPLE_RESOURCES=cpu:1ms awk "BEGIN { while (i < ${seconds}000000) i++ }" || fail "awk ended with $?"
done
set -- *.cps
[ $# -ge 5 ] || fail "recordings: $*"
cd .. || exit 1
python3 copy.py some/*.cps >copy || fail "cannot copy"

# The whole has the weight of each recording as often as that is named.
total() {
	awk '{ n = $NF; sub(/ [0-9]+$/, ""); sum[$0] += n } END { for (s in sum) printf "%s %.0f\n", s, sum[s] }' "$@" |
		LC_ALL=C sort
}
for file in some/*.cps; do
	copies=$(awk -v f="$file" '$1 == f { n++ } END { print n + 0 }' copy)
	"$CPCONV" --folded --unit gticks "$file" | awk -v k="$copies" '{ n = $NF; sub(/ [0-9]+$/, ""); printf "%s %.0f\n", $0, n * k }'
done >parts
total parts >want
(
	ulimit -n 32
	exec "$CPCONV" --folded --unit gticks all
) >folded 2>err || fail "3,000 files: $(cat err)"
[ ! -s err ] || fail "said: $(cat err)"
total folded >got
same want got "the sum of the parts"

# The output is the same with any number of threads, and in whatever way the files are named.
find all -name '*.cps' -print0 | LC_ALL=C sort -z >list
"$CPCONV" --info --json all/*.cps >all.json || fail "3,000 names"
for view in "--folded" "--flat --by process" "--tree --by thread" "--dot" "--info --json" \
	"--flat --exe spin" "--flat --from 0.01 --thread spin"; do
	# shellcheck disable=SC2086 # several words
	"$CPCONV" $view --jobs 1 all >alone 2>&1 || fail "$view: $(cat alone)"
	# shellcheck disable=SC2086
	(
		ulimit -n 32
		exec "$CPCONV" $view --jobs 4 --files-from - <list
	) >together 2>&1 || fail "$view --jobs 4: $(cat together)"
	cmp -s alone together || fail "$view depends on the number of threads"
done
tr '\0' '\n' <list >lines
"$CPCONV" --info --json --files-from lines --jobs 3 | cmp -s - all.json || fail "a list of lines"
printf 'resources\nfolded --unit gticks\n' | "$CPPROF" --jobs 4 all >got 2>&1 || fail "cpprof: $(cat got)"
sed 1d got | cmp -s - folded || fail "cpprof differs: $(head -n 3 got)"

# Files in the middle are cut, and the first few of them are named.
for i in 0500 0600 0700 1000 1001 1002 1003 2000; do
	bytes=$(($(wc -c <all/$i.cps) * 3 / 4))
	head -c $bytes all/$i.cps >short && mv short all/$i.cps
done
"$CPCONV" --jobs 1 --folded all >want 2>err || fail "cut: $(cat err)"
"$CPCONV" --jobs 4 --folded all >got 2>err.4 || fail "cut: $(cat err.4)"
same want got "with some that were cut"
same err err.4 "warnings"
[ "$(grep -c "all/.*cut at byte [0-9]*:" err)" -eq 5 ] && grep -q '^cpconv: warning: and 3 more recordings have no end$' err ||
	fail "said: $(cat err)"

# Of files whose first record is corrupt the first one is named, with the message that it gives alone.
for i in 1100 1900 2900; do
	{
		head -c 30 all/$i.cps
		echo "not what was there"
		tail -c +50 all/$i.cps
	} >short && mv short all/$i.cps
done
"$CPCONV" --folded all/1100.cps 2>alone && fail "a corrupt file is taken"
"$CPCONV" --jobs 1 --folded all 2>err && fail "a corrupt file is taken"
same alone err "the corrupt file among others"
for jobs in 2 4 40; do
	"$CPCONV" --jobs $jobs --folded all 2>err && fail "--jobs $jobs takes a corrupt file"
	same alone err "the corrupt file with $jobs threads"
done

mkdir none
"$CPCONV" none 2>err && fail "an empty directory is taken"
grep -q '^cpconv: none: no \*.cps file in this directory ' err || fail "said: $(cat err)"
"$CPCONV" --files-from /dev/null 2>err && fail "an empty list is taken"
grep -q '^cpconv: /dev/null: names no file$' err || fail "said: $(cat err)"
set -- some/*.cps
"$CPCONV" --files-from "$1" 2>err && fail "a recording is taken for a list"
grep -q "^cpconv: $1: a recording, not a list of names; name it without --files-from\$" err ||
	fail "said: $(cat err)"
note "3,000 recordings of $(echo some/*.cps | wc -w) processes"
