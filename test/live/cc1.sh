#!/bin/sh
# SPDX-License-Identifier: MIT
# Debian's gcc proper (cc1), stripped, compiles something large: unchanged under the recorder, and all
# its time on complete stacks.
#
# With npm on the machine it compiles the SQLite amalgamation that the package better-sqlite3
# carries (fetched once into BUILD/cache); without, a file of hundreds of functions, made here.
# May run beside others.
. "$(dirname "$0")/lib.sh"
need gcc
cc1=$(gcc -print-prog-name=cc1)
[ -x "$cc1" ] || skip "no cc1 on this machine"

if "$root/test/work/amalgamation" "$BUILD/cache" work.i; then
	summary="the SQLite amalgamation: "
	level=-O1
else
	summary="a generated file: "
	awk -v functions=350 -f "$root/test/work/functions.awk" >work.i
	level=-O2
fi
# The assembly is the output to be compared.
real_program 1 "$cc1" -quiet -fpreprocessed $level "$tmp/work.i" -o /dev/stdout
