#!/bin/sh
# SPDX-License-Identifier: MIT
# doc/tutorial.md, -resources.md, -calls.md and -server.md are true: their commands succeed and print each line that is shown, except that
# figures may differ. Lines that it leaves out, with "..." in their place, are not compared.
#
# Whether a row is above a threshold is a matter of chance, and of the machine. So each command is given twice: as it is shown, and
# without its thresholds; a row must be in either.
#
# Chance: a row of 5 % is in none of 200 samples in one of 30,000 sessions, and there are three.
#
# Seen to fail: with a row that the page does not have, and with the thresholds alone, on a Debian in which a row had 4.9 %.
# Where page faults may not be counted, the commands that ask for them are left out, and so are those on TeX and lua if their
# sources cannot be had, or there is no gprof. So are those on redis if it is not here, or no process may be attached to.
# Wants a core of its own.
# Not in short runs: it takes a minute, and another one when TeX's source is fetched.
. "$(dirname "$0")/../lib.sh"
text=$tmp/text
cat "$root/doc/tutorial.md" "$root/doc/tutorial-resources.md" "$root/doc/tutorial-calls.md" \
	"$root/doc/tutorial-server.md" >"$text"
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

# All figures are taken for the same, and so are units of time, the spaces that line them up, and where a line of the
# heading goes on in the next.
without_figures() {
	sed -E -e '/^not shown: /d' -e 's/, (none|[0-9]+) lost.*/, N lost/' -e ':a' -e '/^[a-z-]+: .*,$/{N;s/\n */ /;ba' -e '}' -e 's/[0-9][0-9.]*/N/g; s/N (ns|us|ms|s)( |$)/N s\2/g; s/N of N s/N/g; s/ \(asked for: N ms\)//; s/ +/ /g; s/^ //; s/ $//' "$1"
}

export LC_ALL=C.UTF-8
mkdir bin
printf '#!/bin/sh\nexec "%s" --library "%s" "$@"\n' "$root/scripts/cpsample" "$LIBRARY" >bin/cpsample
chmod +x bin/cpsample
PATH=$tmp/bin:$BUILD:$BUILD/examples:$PATH
ln -s "$root/doc" doc
ln -s "$root/test" test
ln -s "$BUILD" build
ln -s /usr/bin/python3.11 bin/python3.11 # the names of its functions are known in Debian's
export PATH
refused='^$' # the commands that are left out
! cpsample --list-resources | grep -q '^faults .* no: ' || refused='faults|staff\.cps'
has_sources=1
if ! command -v gprof >gprof.path || ! test/work/tex build/cache || ! test/work/debian source build/cache lua5.4; then
	has_sources=
	refused="$refused|tex|lua"
fi
if ! command -v redis-server >redis.path || ! dd if=/proc/$PPID/mem of=nothing count=0 2>nothing; then
	refused="$refused|redis"
fi
# The server of a session that has failed.
clean_up() { [ ! -s "$tmp/session/redis.pid" ] || kill "$(cat "$tmp/session/redis.pid")" 2>/dev/null; }
[ -x /usr/bin/python3.11 ] || refused="$refused|python3.11|index.cps|lazy.cps"

# Run all commands in a new directory. False: a line is missing.
session() {
	rm -rf session && mkdir session && cd session || fail "no directory"
	n=0
	while [ $n -lt "$count" ]; do
		n=$((n + 1))
		[ ! -f ../$n.ask ] || cp ../$n.ask .
		! grep -Eq "$refused" ../$n.run || continue
		if ! sh ../$n.run >../got 2>&1; then
			echo "$(cat ../$n.run): $(cat ../got)"
			cd ..
			return 1
		fi
		[ -f ../$n.want ] || continue
		if grep -q '^cpconv.*--\(threshold\|top\)\|^cpprof' ../$n.run; then
			[ ! -f ../$n.ask ] || sed 's/^threshold .*/threshold 0/' ../$n.ask >$n.ask
			sed 's/--threshold [0-9]*/--threshold 0/; s/--top [0-9]*/--top 1000000/' ../$n.run >run
			sh run >>../got 2>&1 || fail "$(cat run): $(cat ../got)"
		fi
		without_figures ../$n.want >../want.text
		without_figures ../got >../got.text
		grep -vxF -f ../got.text ../want.text >../missing || continue
		echo "$(cat ../$n.run): does not print: $(cat ../missing); but: $(cat ../got.text)"
		cd ..
		return 1
	done
	cd ..
}

session || session || session || fail "not in three sessions"

# The sources and pictures that the tutorial shows exist.
sed -n 's/.*](\([^)]*\)).*/\1/p' "$text" >links
while read -r file; do
	[ -e "$root/doc/${file%%#*}" ] || fail "no doc/$file"
done <links
awk '/^```/ { is_code = $0 == "```c"; next } is_code' "$text" >code
[ -s code ] || fail "no code"
grep -vxF -f "$root/doc/examples/forms.c" code && fail "forms.c has no such lines"
for picture in forms:db_read_record process_db:uniquify_db recursion:clang::ParseAST; do
	grep -q ">${picture#*:}<" "$root/doc/${picture%%:*}.svg" || fail "doc: ${picture%%:*}.svg is another one"
	[ "${refused#*staff}" = "$refused" ] || [ "${picture%%:*}" != process_db ] || continue
	grep -q ">${picture#*:}<" "session/${picture%%:*}.svg" || fail "the picture has no ${picture#*:}"
done
[ "${refused#*staff}" = "$refused" ] || note "without page faults: $(cpsample --list-resources | sed -n 's/^faults .* no: //p')"
[ -n "$has_sources" ] || note "without lua and TeX: there is no gprof, or their sources could not be had"
note "$count commands"
