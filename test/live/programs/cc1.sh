#!/bin/sh
# SPDX-License-Identifier: MIT
# Debian's gcc proper (cc1), which is stripped, compiles. Its output is the same under the
# recorder, and all its time is on complete stacks.
#
# A file of a hundred functions, which is made here, goes through all passes. If npm is installed,
# the SQLite amalgamation is compiled too, which is large; the package better-sqlite3 carries it,
# and it is fetched once into BUILD/cache.
#
# May run beside others.
# Not in short runs: it takes 35 s.
. "$(dirname "$0")/../lib.sh"
need gcc
cc1=$(gcc -print-prog-name=cc1)
[ -x "$cc1" ] || skip "no cc1 on this machine"

# compiles LEVEL FILE: the output that is compared is the assembly
compiles() {
	real_program "$cc1" -quiet -fpreprocessed "$1" "$2" -o /dev/stdout
}

awk -v functions=150 -f "$root/test/work/functions.awk" >functions.i
compiles -O2 "$tmp/functions.i"
if "$root/test/work/amalgamation" "$BUILD/cache" amalgamation.i; then
	compiles -O0 "$tmp/amalgamation.i"
fi
