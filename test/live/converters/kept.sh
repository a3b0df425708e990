#!/bin/sh
# SPDX-License-Identifier: MIT
# Edit, build again, compare: the run before keeps its names, because its program is kept by build id in the user's cache
# directory. Where it is not, functions of that program are not compared.
#
# Seen to fail:
# - Without open_kept() in module_file.c: the functions before have no names.
# - Without compare_builds() in symbols_locate.c: [p] is gone, and all functions are new.
# - If keep_program() of cpsample or kept_file_add() in module_file.c does nothing.
# - Without is_sealed(): names of a damaged file.
# - Without make_room(): too many files stay.
# - When the directory was not looked at: it was somebody else's.
# - If a copy is written under its own name from the beginning: who reads it meanwhile takes it away.
# May run beside others.
. "$(dirname "$0")/../lib.sh"
need gcc
need python3
unset CPSAMPLE_KEEP DEBUGINFOD_URLS
export XDG_CACHE_HOME="$PWD/cache"
kept=$XDG_CACHE_HOME/cpsample
cpsample() { "$root/scripts/cpsample" --library "$LIBRARY" -r signals "$@"; }

# Each raise is a sample, so that figures are exact.
cat >p.c <<'END'
#include <signal.h>

static inline __attribute__((always_inline)) void inlined(void)
{
	raise(SIGPROF);
}

static __attribute__((noinline)) void untouched(int n)
{
	while (n--)
		inlined();
}

static __attribute__((noinline)) void edited(int n)
{
	while (n--)
		raise(SIGPROF);
}

int main(void)
{
	untouched(500);
	edited(N);
	return 0;
}
END
build() { gcc -g -O1 -Wl,--build-id -DN="$1" -o "${2:-p}" p.c || fail "no program"; }
id_of() { LC_ALL=C readelf -n "$1" | sed -n 's/.*Build ID: //p'; }
n_kept() { find "$kept" -type f 2>/dev/null | wc -l; }

# compare BEFORE AFTER: what the comparison says of functions and samples
compare() {
	"$CPCONV" --functions --tsv --base "$1" "$2" >rows 2>err || fail "$(cat err)"
	cut -f 1-3,6,9 rows | grep -E "${tab}(untouched|edited|inlined|main|\[[a-z, ]*\])\$" >named
}
# has_names: as if the program before was still there
cat >names <<END
900${tab}550${tab}-350${tab}less${tab}main
400${tab}50${tab}-350${tab}less${tab}edited
500${tab}500${tab}0${tab}unclear${tab}inlined
500${tab}500${tab}0${tab}unclear${tab}untouched
END
has_names() {
	cmp -s names named && [ ! -s err ] || fail "$1: $(cat named err)"
}
# is_refused NAME WHAT: one row, one warning
is_refused() {
	printf '900\t550\t-350\tless\t%s\n' "[$1]" >one
	cmp -s one named || fail "$2: $(cat named)"
	[ "$(wc -l <err)" = 1 ] && grep -qF "so they are not compared: [$1] is all of both builds (" err || fail "$2: $(cat err)"
}

# ---- edit, build, compare ------------------------------------------------------------------------------
build 400
before=$(id_of p)
cpsample -o before.cps ./p || fail "exit status $?"
[ -s "$kept/$before.elf" ] && [ "$(n_kept)" = 1 ] || fail "not kept: $(ls -la "$kept")"
build 50
after=$(id_of p)
[ "$before" != "$after" ] || fail "the same build"
cpsample -o after.cps ./p || fail "exit status $?"
compare before.cps after.cps
has_names "built anew"
# All that a file tells: inlined functions, lines, instructions, and names for others in a pack.
"$CPCONV" --source edited before.cps >text 2>err && grep -q 'raise(SIGPROF)' text && [ ! -s err ] ||
	fail "source: $(cat text err)"
"$CPCONV" --asm edited before.cps >text 2>err && grep -q 'call' text && [ ! -s err ] || fail "instructions: $(cat text err)"
"$CPCONV" --pack -o pack.cps before.cps || fail "no pack"
rm p
compare before.cps after.cps
has_names "the program is gone"
build 50
[ "$(stat -c %a "$kept" "$kept/$before.elf" | tr '\n' ' ')" = "700 600 " ] || fail "others may read: $(ls -la "$kept")"

# ---- without ---------------------------------------------------------------------------------------------
export CPSAMPLE_KEEP=off
compare before.cps after.cps
is_refused p "told not to"
"$CPCONV" --tree --tsv --base before.cps after.cps >text 2>err
! grep -qE "edited|untouched" text || fail "the tree has names: $(cat text)"
"$CPCONV" --folded --base before.cps after.cps 2>err | grep -qE "edited|untouched" && fail "stacks have names"
compare pack.cps after.cps
has_names "a pack has what was kept"
unset CPSAMPLE_KEEP
# A program of another name, which is gone.
build 400 q
cpsample --no-keep -o q.cps ./q || fail "exit status $?"
[ ! -e "$kept/$(id_of q).elf" ] || cmp -s p q || [ "$(id_of q)" = "$before" ] || fail "kept in spite of --no-keep"
rm -r q "$kept"
compare q.cps after.cps
is_refused "q, p" "another name"
# Stripped, it is there but has no names.
build 400 s && strip s && cpsample --no-keep -o s.cps ./s || fail "no recording of s"
compare s.cps after.cps
is_refused "s, p" "stripped"
# Both without names, as ever.
mv p elsewhere && rm -rf "$kept"
"$CPCONV" --functions --tsv --base before.cps after.cps 2>err | cut -f 1-3,9 | grep -qx "900${tab}550${tab}-350${tab}\[p\]" ||
	fail "both are gone: $(cat err)"
mv elsewhere p

# ---- who keeps ---------------------------------------------------------------------------------------------
# Preloaded without cpsample: cpconv, when it meets the program.
build 400
rm -rf "$kept"
record CPSAMPLE_RESOURCES=signals CPSAMPLE_OUTPUT=preloaded.cps ./p || fail "exit status $?"
"$CPCONV" preloaded.cps >text 2>err || fail "$(cat err)"
build 50
compare preloaded.cps after.cps
has_names "preloaded"
# On a terminal: the program that waits, also libraries that were not known at the start.
rm -rf "$kept" && mkdir terminal
gcc -shared -fPIC -Wl,--build-id -o libloaded.so -x c - <<'END' || fail "no library"
#include <signal.h>
void loaded(void)
{
	raise(SIGPROF);
}
END
cat >load.c <<'END'
#include <dlfcn.h>

int main(void)
{
	((void (*)(void))dlsym(dlopen("./libloaded.so", RTLD_NOW), "loaded"))();
	return 0;
}
END
gcc -Wl,--build-id -o load load.c -ldl || fail "no program"
python3 -c 'import pty, sys; pty.spawn(sys.argv[1:])' "$root/scripts/cpsample" --library "$LIBRARY" -r signals \
	-o terminal/x.cps ./load </dev/null >said || fail "$(cat said)"
for file in load libloaded.so; do
	[ -s "$kept/$(id_of $file).elf" ] || fail "$file: not kept on a terminal: $(cat said; ls -la "$kept")"
done
# Programs of the system are not, nor is one that is kept already.
rm -rf "$kept"
cpsample -o true.cps true
[ "$(n_kept)" = 0 ] || fail "kept a program of the system: $(ls "$kept")"

# ---- the cache is nobody's trouble -------------------------------------------------------------------------
build 400
rm -rf "$kept" && cpsample --no-keep -o before.cps ./p && "$BUILD/cpsample-wait" --keep "$PWD/p"
build 50
good=$kept/$before.elf
cp "$good" good
# spoilt WHAT: what is there now is not believed, and is taken away
spoilt() {
	compare before.cps after.cps
	is_refused p "$1"
	[ "${2:-}" ] || [ ! -e "$good" ] || fail "$1: is still there"
}
head -c 9000 good >"$good" && spoilt "cut short"
: >"$good" && spoilt "empty"
cp good "$good" && printf x | dd of="$good" bs=1 seek=8000 conv=notrunc 2>/dev/null
spoilt "a byte is another one"
cp p "$good" && spoilt "not sealed"
rm -f "$good" && mkdir "$good" && spoilt "a directory" stays && rmdir "$good"
mkfifo "$good" && spoilt "a pipe" stays && rm "$good"
ln -s "$PWD/good" "$good" && spoilt "a link" stays && rm "$good"
if [ "$(id -u)" -eq 0 ]; then
	cp good "$good" && chown 65534 "$good" && spoilt "somebody else's" stays && chown 0 "$good"
	chown 65534 "$kept" && spoilt "in somebody else's directory" stays && chown 0 "$kept"
fi
# Sealed, but of another build.
cp "$kept/$after.elf" "$good" && spoilt "another build" stays
cp good "$good"
compare before.cps after.cps
has_names "put back"
# No place to keep it: the run and the view are as ever, and nothing is said.
for place in HOME= HOME=/nonexistent HOME=relative XDG_CACHE_HOME=/proc/self "XDG_CACHE_HOME=$PWD/p.c" "XDG_CACHE_HOME=$PWD/a/b"; do
	rm -f x.cps
	env -u HOME -u XDG_CACHE_HOME "$place" "$root/scripts/cpsample" --library "$LIBRARY" -r signals -o x.cps ./p >out 2>&1 ||
		fail "$place: exit status $?"
	[ ! -s out ] || fail "$place: $(cat out)"
	env -u HOME -u XDG_CACHE_HOME "$place" "$CPCONV" --functions x.cps >text 2>err || fail "$place: $(cat err)"
	grep -q 'edited' text && [ ! -s err ] || fail "$place: $(cat text err)"
done
[ ! -e a ] || fail "made a directory outside of what is there"

# ---- a limit ---------------------------------------------------------------------------------------------------
for i in 1 2 3; do
	truncate -s 100M "$kept/0$i.elf" && touch -d "2001-01-0$i" "$kept/0$i.elf"
done
: >"$kept/.new.old" && touch -d 2001-01-01 "$kept/.new.old"
build 7
"$BUILD/cpsample-wait" --keep "$PWD/p"
[ ! -e "$kept/01.elf" ] && [ -e "$kept/02.elf" ] && [ -e "$kept/03.elf" ] && [ -e "$kept/$(id_of p).elf" ] && [ -e "$good" ] ||
	fail "the oldest first: $(ls -la "$kept")"
[ ! -e "$kept/.new.old" ] || fail "what a killed process has left stays"
# Using one makes it young.
touch -d 2000-01-01 "$good"
compare before.cps after.cps
[ "$(find "$good" -newer "$kept/03.elf")" ] || fail "as old as before it was used"
rm "$kept"/0?.elf
# A large program is kept without code, and a very large one without debug information.
truncate -s 130M pad
printf '__asm__(".section .rodata\\n.incbin \\"pad\\"\\n.text\\n");\n' >large.c
gcc -g -O1 -Wl,--build-id -DN=400 -o l p.c large.c && cpsample -o large.cps ./l || fail "no large program"
[ "$(stat -c %s "$kept/$(id_of l).elf")" -lt 100000 ] || fail "too much is kept: $(ls -la "$kept")"
rm l
compare large.cps after.cps
has_names "large"
printf '__asm__(".section .debug_pad,\\"\\"\\n.incbin \\"pad\\"\\n.text\\n");\n' >large.c
gcc -g -O1 -Wl,--build-id -DN=400 -o l p.c large.c && cpsample -o large.cps ./l && rm l pad || fail "no large program"
"$CPCONV" --functions --names full large.cps >text 2>err || fail "$(cat err)"
grep -q edited text && grep -q 'too large to be kept with its debug information' err || fail "very large: $(cat text err)"

# ---- several at once -----------------------------------------------------------------------------------------------
# Two write, three read. Who reads a file that is not whole yet would take it for a damaged one.
truncate -s 20M pad
printf '__asm__(".section .rodata\\n.incbin \"pad\"\\n.text\\n");\n' >large.c
gcc -g -O1 -Wl,--build-id -DN=400 -o l p.c large.c && cpsample -o large.cps ./l && mv l here || fail "no large program"
good=$kept/$(id_of here).elf
mv "$good" good
rm -rf "$kept"
build 50
looks() {
	while [ ! -e over ]; do
		"$CPCONV" --functions large.cps >"read.$1" 2>&1
		grep -q -e edited -e 'not there any more' "read.$1" || break
	done
}
readers=
for i in 1 2 3; do
	looks $i &
	readers="$readers $!"
done
for turn in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
	rm -f "$good"
	"$BUILD/cpsample-wait" --keep "$PWD/here" &
	other=$!
	"$BUILD/cpsample-wait" --keep "$PWD/here"
	wait $other
	cmp -s good "$good" && [ "$(n_kept)" = 1 ] || break
done
: >over
# shellcheck disable=SC2086 # three words
wait $readers
cmp -s good "$good" && [ "$(n_kept)" = 1 ] || fail "turn $turn: $(ls -la "$kept")"
for i in 1 2 3; do
	grep -q -e edited -e 'not there any more' "read.$i" || fail "$(cat "read.$i")"
done
compare large.cps after.cps
has_names "several at once"
