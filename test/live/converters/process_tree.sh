#!/bin/sh
# SPDX-License-Identifier: MIT
# One launch runs several programs. All of their recordings are read although no file is named; a
# part of them can be chosen, and they are told apart.
#
# Seen to fail:
# - If the recorder's name is looked for in the whole environment of an ancestor.
# - Before recordings named what was launched; if what waits for it was taken for it; if arguments stood there in spite of
#   --args off.
# - If nothing was said of the recordings beside one that is named; if those of another run were taken for some.
#
# Wants a core of its own.
. "$(dirname "$0")/../lib.sh"

# Two programs below a shell, and one more that has nothing to do with them.
cp "$targets/spin" stray
record ./stray 50 >/dev/null || fail "stray ended with $?"
mv cpsample.stray.*.cps other.cps
cp "$targets/spin" one
strip -o two "$targets/spin"
record sh -c './one 200; ./two 300; exit 0' >/dev/null || fail "sh ended with $?"
set -- cpsample.*.cps # the shell itself may have used too little to have one
[ $# -eq 2 ] || [ $# -eq 3 ] || fail "recordings: $*"

"$CPCONV" --info --tsv >info 2>err || fail "$(cat err)"
grep -Eq "^cpconv: reading cpsample\.[a-z]+\.[0-9]+\.cps and $(($# - 1)) more of its process tree\$" err ||
	fail "said: $(cat err)"
grep -q stray info && fail "another launch is part of the tree"
[ "$(grep -c '^file' info)" -eq $# ] || fail "not $# processes"
[ "$(awk -F "$tab" '$1 == "tree_pid" && $2 > 1 { print $2 }' info | sort -u | wc -l)" -eq 1 ] ||
	fail "several trees: $(grep tree_ info)"
[ "$(grep -c '^tree_pid' info)" -eq $# ] || fail "no trees"

"$CPCONV" --exe '/one$' --info --tsv 2>/dev/null | grep -c '^file' >n
[ "$(cat n)" -eq 1 ] || fail "--exe takes $(cat n)"
"$CPCONV" --pid 1 2>err && fail "--pid 1 is taken"
grep -q 'there are: .* one' err || fail "--pid 1: $(cat err)"

# A group is an outermost function; main of the stripped program is known below it.
"$CPCONV" --by exe --folded --unit gticks 2>/dev/null >folded
cut -d ';' -f 1 folded | sort -u | tr '\n' ' ' >groups
[ "$(cat groups)" = "one two " ] || [ "$(cat groups)" = "one sh two " ] ||
	[ "$(cat groups)" = "dash one two " ] || fail "groups: $(cat groups)"
grep -q '^two;_start;.*;main;' folded || fail "two: $(grep '^two' folded | head -n 3)"

# A file that is named twice is read once.
"$CPCONV" other.cps ./other.cps --info --tsv >info 2>err
[ "$(grep -c '^file' info)" -eq 1 ] || fail "other.cps is read twice"
grep -q '^cpconv: ./other.cps: warning: given twice, read once$' err || fail "said: $(cat err)"

# An ancestor that has the recorder's name elsewhere in its environment was not recorded.
# shellcheck disable=SC2016 # for the shell
env OLDPWD=/home/user/libcpsample sh -c 'env "LD_PRELOAD=$1" CPSAMPLE_OUTPUT=alone.cps "$2" 100; exit 0' \
	sh "$LIBRARY" "$targets/spin" >/dev/null
[ "$(info alone.cps tree_pid)" = "$(info alone.cps pid)" ] || fail "the tree is that of $(info alone.cps tree_pid)"

# ---- what was launched leaves no recording -----------------------------------------------------------------
# The drivers of compilers are such programs. Of this one only what it starts has samples.
cat >driver <<'END'
#!/bin/sh
sh -c 'kill -PROF $$; true' inner
sh -c 'kill -PROF $$; true' inner
true
END
chmod +x driver
mkdir launched
# launched COMMAND...: the command records the driver; sets $said to what the recordings call it
launched() {
	rm -f launched/*
	"$@" >log 2>&1 || fail "$*: $(cat log)"
	[ "$(find launched -name '*.cps' | wc -l)" -eq 2 ] || fail "$*: recordings: $(ls launched)"
	"$CPCONV" --info --tsv launched >info 2>err || fail "$(cat err)"
	[ "$(grep -c "^launched$tab" info)" -eq 2 ] || fail "not each says what was launched: $(cat info)"
	said=$(sed -n "s/^launched$tab//p" info | sort -u)
}
cpsample() { "$root/scripts/cpsample" --library "$LIBRARY" -r signals -o launched/%p.cps "$@"; }
on_terminal() { python3 -c 'import pty, sys; sys.exit(pty.spawn(sys.argv[1:]))' "$root/scripts/cpsample" --library "$LIBRARY" -r signals -o launched/%p.cps "$@" </dev/null; }
launched cpsample ./driver 'a b' --x=1
[ "${said#/bin/sh }" = "./driver a b --x=1" ] || fail "launched: $said"
launched record CPSAMPLE_RESOURCES=signals CPSAMPLE_OUTPUT=launched/%p.cps ./driver c
[ "${said#/bin/sh }" = "./driver c" ] || fail "launched by hand: $said"
if command -v python3 >/dev/null; then
	launched on_terminal ./driver d
	[ "$said" = "./driver d" ] || fail "launched on a terminal: $said"
fi
launched cpsample --args off ./driver secret
[ "$said" = /bin/sh ] || fail "--args off: $said"
long=$(printf '%0300d' 1)
launched cpsample ./driver "$long" "$long"
[ "${said#/bin/sh }" = "./driver $long ..." ] || fail "a long command: $said"
# All views call the run by it.
"$CPCONV" --html -o page.html launched 2>err || fail "$(cat err)"
grep -q "<title>sh ./driver 0*1 \.\.\. (2 processes)</title>\|<title>sh ./driver 00*\.\.\. (2 processes)</title>" page.html ||
	fail "the page: $(grep -o '<title>.*</title>' page.html)"
launched cpsample ./driver z
"$CPCONV" --html -o page.html launched 2>err && grep -q "<title>sh ./driver z (2 processes)</title>" page.html ||
	fail "the page: $(cat err; grep -o '<title>.*</title>' page.html)"
for view in flat summary tree processes; do
	"$CPCONV" --$view launched 2>err | grep -qx 'launched: sh ./driver z' || fail "--$view does not say what was launched"
done
"$CPCONV" --dot launched 2>err | grep -q 'label="sh ./driver z, 2 processes, ' || fail "--dot: $(cat err)"
# It is not said of a run in which what was launched has a recording.
rm -f launched/*
cpsample sh -c 'kill -PROF $$; sh -c "kill -PROF \$\$; true"; true' || fail "exit status $?"
"$CPCONV" --flat launched 2>err | grep -q '^launched' && fail "what was launched is there"

# ---- several programs under one name ------------------------------------------------------------------------
# A wrapper becomes the program that is meant, whose recording gets a number.
# says TEXT FILE...: so cpconv says in one line, or nothing
says() {
	text=$1
	shift
	"$CPCONV" --flat "$@" >out 2>err || fail "$*: $(cat err)"
	printf '%s' "${text:+cpconv: $text
}" | cmp -s - err || fail "$*: $(cat err)"
}
mkdir wrapped && cd wrapped || fail "no directory"
cp "$(command -v sh)" real
one() { "$root/scripts/cpsample" --library "$LIBRARY" -r signals -o "$@" || fail "$*: exit status $?"; }
one x.cps sh -c 'kill -PROF $$; exec ./real -c "kill -PROF \$\$; true"'
says 'x.cps: one of 2 recordings of its run; x.1.cps is of real' x.cps
says '' x.1.cps
says '' x.cps x.1.cps
one y.cps sh -c 'kill -PROF $$; ./real -c "kill -PROF \$\$; true"; ./real -c "kill -PROF \$\$; true"; true'
says 'y.cps: one of 3 recordings of its run; y.1.cps is of real, and the others go on to y.2.cps' y.cps
rm y.1.cps && cp x.1.cps y.1.cps
says '' y.cps
exit 0
