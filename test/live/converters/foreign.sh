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

# A full disk is an error.
[ -w /dev/full ] || exit 0
printf 'a;b 1\n' >small
"$CPCONV" --folded small >/dev/full 2>err
[ $? -eq 1 ] || fail "/dev/full: taken for a success"
