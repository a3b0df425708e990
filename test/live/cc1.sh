#!/bin/sh
# SPDX-License-Identifier: MIT
# Debian's gcc proper (cc1), stripped, compiles something large: unchanged under the recorder, and all
# its time on complete stacks.
#
# With npm on the machine it compiles the SQLite amalgamation that the package better-sqlite3
# carries (fetched once into BUILD/cache); without, a file of some thousand functions, made here.
# May run beside others.
. "$(dirname "$0")/lib.sh"
need gcc
cc1=$(gcc -print-prog-name=cc1)
[ -x "$cc1" ] || skip "no cc1 on this machine"

package=better-sqlite3@11.10.0
cache=$BUILD/cache
fetch() {
	[ -s "$cache/sqlite3.c" ] && return
	command -v npm >/dev/null || return 1
	mkdir -p "$cache"
	timeout 60 npm pack --silent "$package" >/dev/null 2>&1 || return 1
	tar -xzf better-sqlite3-*.tgz package/deps/sqlite3 || return 1
	mv package/deps/sqlite3/*.[ch] "$cache"
}

generate() {
	awk 'BEGIN {
		print "struct node { struct node *next; int key; double weight; char name[24]; };"
		for (i = 0; i < 350; i++) {
			printf "static int look_%d(struct node *n, int key)\n{\n", i
			print "\tint found = 0;\n\tfor (; n; n = n->next) {\n\t\tswitch ((n->key ^ key) % 9) {"
			for (c = 0; c < 9; c++)
				printf "\t\tcase %d: found += n->name[%d] * %d + (int)(n->weight / %d); break;\n",
					c, (i + c) % 24, i * 7 + c, c + 2
			print "\t\t}\n\t\tif (found > key) key -= found >> 3; else key += n->name[key & 15];\n\t}"
			if (i) printf "\treturn found + look_%d(n, key - %d);\n}\n", i - 1, i
			else print "\treturn found;\n}"
			printf "double sum_%d(struct node *n, int key)\n{\n\tdouble s = look_%d(n, key);\n", i, i
			printf "\twhile (n) { s += n->weight * %d; n = n->next; }\n\treturn s;\n}\n", i + 1
		}
	}'
}

if fetch; then
	summary="the SQLite amalgamation: "
	gcc -E -P -I"$cache" "$cache/sqlite3.c" -o work.i || fail "cannot preprocess"
	level=-O1
else
	summary="a generated file: "
	generate >work.i
	level=-O2
fi
# The assembly is the output to be compared.
real_program 1 "$cc1" -quiet -fpreprocessed $level "$tmp/work.i" -o /dev/stdout
