#!/bin/sh
# SPDX-License-Identifier: MIT
# The resources read and write count each byte: what programs write is what the kernel has counted for them, without what
# the recorder has written itself. Reads are the kernel's, too, except what the loader and the recorder have read.
# May run beside others.
# Not in short runs: it takes 5 s.
#
# Seen to fail: if one of write, writev, pwrite, sendfile and copy_file_range is not counted; if a wrapper counts
# what was asked for instead of what was transferred; if streams are not counted, or not what exit writes; if the C library's
# own functions are credited; if the kernel's count in --info is with the recording or without what exit writes; if --info does not
# say what is not counted.
. "$(dirname "$0")/../lib.sh"
need python3
export CPSAMPLE_RESOURCES=read:4k,write:4k CPSAMPLE_OUTPUT=x.cps

counted() {
	python3 "$root/test/live/counted.py" x.cps "$1"
}

seq 1 200000 >numbers
head -n 4000 numbers >few

# exact OTHER PROGRAM ARGUMENT...: the program may read so many more bytes than are counted. Standard error is
# of the test, so that the shell below writes nothing.
exact() {
	other=$1
	shift
	rm -f x*.cps*
	"$targets/kernel_io" io env "LD_PRELOAD=$LIBRARY" "$@" >out 2>err </dev/null || fail "$* ended with $?: $(cat err)"
	[ -f x.cps ] || fail "$*: no recording"
	read -r got_in got_out <io
	own=$(stat -c %s x.cps)
	in=$(counted read) out=$(counted write)
	[ "$out" -gt 0 ] || fail "$*: nothing was counted"
	[ $((got_out - own)) -eq "$out" ] ||
		fail "$*: $out bytes written, the kernel has $got_out with $own of the recording"
	"$CPCONV" --info x.cps >info || fail "no --info"
	grep -q "the kernel has counted $out bytes, with" info || fail "$*: $out bytes written: $(cat info)"
	[ "$in" -le "$got_in" ] && [ $((got_in - in)) -le "$other" ] || fail "$*: $in bytes read, the kernel has $got_in"
}

exact 40000 cp numbers copy
exact 40000 dd if=numbers of=copy bs=1000
exact 40000 gzip -kf numbers
exact 40000 cat numbers
exact 100000 tar cf copy.tar numbers
exact 40000 "$targets/transfers" numbers copy

# These use stdio.
exact 40000 "$targets/streams" few
exact 40000 sort -r numbers -o sorted
exact 40000 uniq numbers copy
exact 40000 sed -n 's/1/22/;w copy' numbers
exact 40000 od -c numbers
cat >program.c <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(int argc, char **argv) { return printf("%s %d %p\n", argv[0], argc, malloc(strlen(argv[0]))) < 0; }
END
${CC##* } -O2 -E program.c >program.i || fail "cannot preprocess"
cc1=$(${CC##* } -print-prog-name=cc1)
if [ -x "$cc1" ]; then
	exact 100000 "$cc1" -quiet -O2 -fpreprocessed program.i -o program.s
else
	note "no cc1"
fi
for lua in lua5.4 lua5.3 lua; do
	command -v "$lua" >/dev/null && break
done
if command -v "$lua" >/dev/null; then
	exact 40000 "$lua" -e 'for l in io.lines("numbers") do io.write(l, "\n") end'
else
	note "no lua"
fi
if command -v sqlite3 >/dev/null; then
	exact 100000 sqlite3 db "create table t(a integer)" ".import numbers t" ".output dump" "select * from t"
else
	note "no sqlite3"
fi

# What passes by these functions is in the kernel's count only, and --info says why.
rm -f x*.cps*
record python3 -c '
import ctypes, os
block = bytes(100000)
file = os.open("copy", os.O_WRONLY | os.O_CREAT)
for i in range(10):
	assert ctypes.CDLL(None).syscall(1, file, block, len(block)) == len(block)
	os.write(file, block)
	os.lseek(file, 0, 0)' || fail "writing by syscall(2) ended with $?"
[ "$(counted write)" -ge 1000000 ] && [ "$(counted write)" -lt 1100000 ] || fail "by syscall(2), too: $(counted write) bytes"
"$CPCONV" --info x.cps | tr -s '\n ' ' ' >info || fail "no --info"
grep -q "the kernel has counted 2[0-9]\{6\} bytes" info || fail "by syscall(2), too: $(cat info)"
[ "$(grep -o "read and write are without" info | wc -l)" -eq 1 ] || fail "by syscall(2), too: $(cat info)"

# share RESOURCE PROGRAM ARGUMENT... : whether each function has its share, up to six standard errors
share() {
	resource=$1
	shift
	rm -f x*.cps*
	record "$@" >truth || fail "$* ended with $?"
	"$CPCONV" --flat --self leaf --tsv --resource "$resource" x.cps >flat.tsv || fail "no flat view"
	n=$("$CPCONV" --flat --resource "$resource" x.cps | awk '$2 == "samples," { print $1; exit }')
	awk -F "$tab" -v resource="$resource" -v n="$n" '
		NR == FNR {
			split($0, word, " ")
			if (word[1] == resource) { is[word[2]] = word[3]; all += word[3] }
			next
		}
		$5 in is { seen[$5] = $1; sum += $1 }
		END {
			for (name in is) {
				p = is[name] / all
				bound = 6 * sqrt(1.1 * p * (1 - p) / n)
				q = sum ? seen[name] / sum : 0
				error = q > p ? q - p : p - q
				printf "%s %.4f, truly %.4f, bound %.4f\n", name, q, p, bound >"/dev/stderr"
				if (!sum || n < 500 || error > bound) print name, q, p, bound
			}
		}' truth flat.tsv >out_of_bounds
	[ ! -s out_of_bounds ]
}

# Some 25 shares are compared in all, of which one is out of bounds by chance in one of 20 million runs. The seed is fixed, so
# that a run is the same as the last one on the same machine.
for resource in read write; do
	for program in "transfers numbers copy" "streams few"; do
		# shellcheck disable=SC2086 # a program and its arguments
		CPSAMPLE_SEED=1 share $resource "$targets"/$program || fail "$resource: $program: $(cat out_of_bounds)"
	done
done
