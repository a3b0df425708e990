#!/bin/sh
# SPDX-License-Identifier: MIT
# A file that is no recording is refused with one line that names it, exit status 1 and no output.
# May run beside others.
. "$(dirname "$0")/../lib.sh"

: >empty
head -c 100000 /dev/urandom >random
head -c 5 "$LIBRARY" >five
printf 'CPSAMPLE' >head8
printf 'CPSAMPLE\004xxxxxxxxxx' >version4
printf 'CPSAMPLE\001this is not zlib data' >nozlib
printf 'CPSAMPLE\001' >zeros && head -c 5000 /dev/zero >>zeros
printf 'just a few words\nand no count\n' >words
head -c 200000 /dev/zero | tr '\0' 'a' >oneline
echo hello | gzip >zipped
cp /bin/true program
mkdir directory
mkfifo fifo

for file in empty random five version4 nozlib zeros words oneline zipped program directory missing; do
	"$CPCONV" --flat "$file" >out 2>err
	status=$?
	[ $status -eq 1 ] || fail "$file: exit status $status: $(cat out err)"
	[ ! -s out ] || fail "$file: output: $(head -n 3 out)"
	[ "$(wc -l <err)" -eq 1 ] || fail "$file: not one line on standard error: $(cat err)"
	grep -q "^cpconv: .*$file" err || fail "$file: is not named: $(cat err)"
	LC_ALL=C grep -q '[[:cntrl:]]' err && fail "$file: control characters: $(cat -v err)"
	cat err
done
for file in version4 nozlib zeros oneline; do
	"$CPCONV" --flat "$file" 2>&1 | grep -q 'byte [0-9]' || fail "$file: at which byte?"
done

# The same happens if the file comes through a pipe.
"$CPCONV" --flat - <random >out 2>err
[ $? -eq 1 ] && [ "$(wc -l <err)" -eq 1 ] || fail "random bytes on standard input: $(cat err)"

# A wrong command line has another exit status, 2.
for options in --nonsense "--format nonsense" "--threshold abc" "--root"; do
	# shellcheck disable=SC2086 # several words
	"$CPCONV" $options >out 2>err
	status=$?
	[ $status -eq 2 ] && [ "$(wc -l <err)" -eq 1 ] || fail "$options: exit status $status: $(cat err)"
done

# What is read is not written over, by whatever name.
printf 'a;b 1\n' >input.folded
printf 'a;b 2\n' >other.folded
ln -s input.folded link
"$CPCONV" --pack -o nothing.cps input.folded 2>err && fail "folded stacks are packed"
for output in input.folded link "$PWD/input.folded"; do
	"$CPCONV" --flat -o "$output" input.folded >out 2>err
	[ $? -eq 2 ] && [ "$(cat err)" = "cpconv: $output is what is read; write to another file" ] || fail "$output: $(cat err)"
	"$CPCONV" --flat --base input.folded -o "$output" other.folded 2>err && fail "--base $output is written over"
	echo "flat >$output" | "$CPPROF" input.folded >out 2>err
	grep -q "$output is what is read" err || fail "cpprof >$output: $(cat out err)"
	[ "$(cat input.folded)" = "a;b 1" ] || fail "$output has overwritten the input: $(cat input.folded)"
done

# A signal leaves nothing of a file that is being written.
awk 'BEGIN { for (i = 1; i <= 60000; i++) printf "main;f%d;g%d;h%d;i%d %d\n", i % 97, i % 1009, i % 397, i, i }' >large.folded
for signal in INT:2 TERM:15 HUP:1; do
	number=${signal#*:} signal=${signal%:*} met=
	for attempt in $(seq 100); do
		mkdir written
		env --default-signal="$signal" "$CPCONV" --callgrind -o written/out large.folded &
		child=$!
		while kill -0 $child 2>/dev/null && [ ! "$(ls -A written)" ]; do :; done
		kill -"$signal" $child 2>/dev/null
		wait $child 2>/dev/null
		status=$?
		left=$(ls -A written)
		rm -r written
		[ $status -ne 0 ] || continue
		met=$attempt
		[ $status -eq $((128 + number)) ] || fail "SIG$signal: status $status"
		[ ! "$left" ] || fail "SIG$signal leaves $left"
		break
	done
	[ "$met" ] || fail "SIG$signal never came in time"
done

# A full disk is an error.
[ -w /dev/full ] || exit 0
printf 'a;b 1\n' >small
"$CPCONV" --folded small >/dev/full 2>err
[ $? -eq 1 ] || fail "/dev/full: taken for a success"
