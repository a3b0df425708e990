#!/bin/sh
# SPDX-License-Identifier: MIT
# doc/tutorial.md is true: its commands succeed and print each line that it shows, except that
# figures may differ. Lines that it leaves out, with "..." in their place, are not compared.
# Wants a core of its own.
. "$(dirname "$0")/../lib.sh"
text=$root/doc/tutorial.md
need dot
need clang++

# Blocks of commands, "```console": file NUMBER.run has a command, NUMBER.want what it shows. Blocks
# "```cpprof" are a command and questions to it: NUMBER.ask has them all.
awk '
	/^```/ {
		kind = substr($0, 4)
		next
	}
	kind == "cpprof" && /^\$ / { n++; print substr($0, 3) " <" n ".ask" >(n ".run"); next }
	kind == "console" && /^\$ / { print substr($0, 3) >(++n ".run"); next }
	kind == "cpprof" && /^cpprof> / { print substr($0, 9) >(n ".ask"); next }
	(kind == "console" || kind == "cpprof") && !/^\.\.\.$/ { print >(n ".want") }
	END { print n }' "$text" >count
count=$(cat count)
[ "$count" -ge 15 ] || fail "$count commands in $text"

# All figures are taken for the same, and so are units of time and the spaces that line them up.
without_figures() {
	sed -E 's/[0-9][0-9.]*/N/g; s/N (ns|us|ms|s)( |$)/N s\2/g; s/N of N s/N/g; s/ +/ /g; s/^ //; s/ $//' "$1"
}

export LC_ALL=C.UTF-8
mkdir bin
printf '#!/bin/sh\nexec "%s" --library "%s" "$@"\n' "$root/scripts/cpsample" "$LIBRARY" >bin/cpsample
chmod +x bin/cpsample
PATH=$tmp/bin:$BUILD:$BUILD/examples:$PATH
export PATH
# Run all commands in a new directory. False: a line is missing.
session() {
	rm -rf session && mkdir session && cd session || fail "no directory"
	n=0
	while [ $n -lt "$count" ]; do
		n=$((n + 1))
		[ ! -f ../$n.ask ] || cp ../$n.ask .
		sh ../$n.run >../got 2>&1 || fail "$(cat ../$n.run): $(cat ../got)"
		[ -f ../$n.want ] || continue
		without_figures ../$n.want >../want.text
		without_figures ../got >../got.text
		grep -vxF -f ../got.text ../want.text >../missing || continue
		echo "$(cat ../$n.run): does not print: $(cat ../missing); but: $(cat ../got.text)"
		cd ..
		return 1
	done
	cd ..
}

# On a busy machine there may be so few samples that a share is below its threshold.
session || session || session || fail "not in three sessions"

# The sources and pictures that the tutorial shows exist.
sed -n 's/.*](\([^)]*\)).*/\1/p' "$text" >links
while read -r file; do
	[ -e "$root/doc/$file" ] || fail "no doc/$file"
done <links
awk '/^```/ { is_code = $0 == "```c"; next } is_code' "$text" >code
[ -s code ] || fail "no code"
grep -vxF -f "$root/doc/examples/forms.c" code && fail "forms.c has no such lines"
for picture in forms:db_read_record process_db:page_in recursion:clang::ParseAST; do
	grep -q ">${picture#*:}<" "$root/doc/${picture%%:*}.svg" || fail "doc: ${picture%%:*}.svg is another one"
	grep -q ">${picture#*:}<" "session/${picture%%:*}.svg" || fail "the picture has no ${picture#*:}"
done
note "$count commands"
