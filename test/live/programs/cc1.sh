#!/bin/sh
# SPDX-License-Identifier: MIT
# Debian's gcc proper (cc1), stripped, compiles: unchanged under the recorder, and all its time on
# complete stacks.
#
# A file of a hundred functions, made here, goes through all passes; and with npm on the machine the
# SQLite amalgamation that the package better-sqlite3 carries (fetched once into BUILD/cache), which is large.
# May run beside others.
. "$(dirname "$0")/../lib.sh"
need gcc
cc1=$(gcc -print-prog-name=cc1)
[ -x "$cc1" ] || skip "no cc1 on this machine"

# compiles LEVEL FILE: the assembly is the output to be compared
compiles() {
	(mkdir "dir$1" && cd "dir$1" && real_program 1 "$cc1" -quiet -fpreprocessed "$1" "$2" -o /dev/stdout) >out"$1" || {
		cat out"$1"
		exit 1
	}
	notes="${notes-}$1 $(sed -n 's/^note: //p' out"$1"); "
}

awk -v functions=150 -f "$root/test/work/functions.awk" >functions.i
compiles -O2 "$tmp/functions.i"
if "$root/test/work/amalgamation" "$BUILD/cache" amalgamation.i; then
	compiles -O0 "$tmp/amalgamation.i"
fi
note "${notes%; }"
