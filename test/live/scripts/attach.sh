#!/bin/sh
# SPDX-License-Identifier: MIT
# cpsample -p records processes that run already: several, with those below them, or one by its name; for a time, or until
# Ctrl-C. All of them are shown as one run. What it cannot do there it refuses in one line.
#
# Seen to fail: -p was refused by itself; options that have no meaning there were passed over; names came to the terminal as they
# are; of several processes of a name only the numbers were said; a refused start left its directory; of --each --folded the latter was
# taken; in a directory that was removed only the shell said something, and recordings were to go to the root directory; lines had 150 columns.
#
# Chance: a thread that always works has samples in 2 s on a machine that does ten other things.
#
# May run beside others.
. "$(dirname "$0")/../lib.sh"
. "$root/test/live/attach.sh"
can_attach

# says STATUS TEXT COMMAND...
says() {
	wanted=$1 text=$2
	shift 2
	"$@" >out 2>err
	status=$?
	[ $status -eq "$wanted" ] || fail "$*: exit $status, not $wanted: $(cat err)"
	grep -qF -- "$text" err || fail "$*: no \"$text\": $(cat err)"
	[ "$(wc -l <err)" -le 1 ] || fail "$*: not one line: $(cat err)"
}

says 125 '-p 1: a program (true) cannot be given as well' "$cpsample" -p 1 true
says 125 '-r cpu,alloc: with --outside only cpu can be recorded' "$cpsample" -p 1 --outside -r cpu,alloc
says 125 '-r real: with --outside only cpu can be recorded' "$cpsample" --pid=1 --outside -r real
says 125 '-c strata: with -p the clock is timer' "$cpsample" -p1 -c strata
says 125 '--delay: cannot be had with -p' "$cpsample" -p 1 --delay 3
says 125 '--toggle: cannot be had with -p' "$cpsample" -p 1 --toggle USR2
says 125 '--exe: cannot be had with -p' "$cpsample" -p 1 --exe x
says 125 '--jit: cannot be had with -p' "$cpsample" -p 1 --jit
says 125 '-v: cannot be had with -p' "$cpsample" -v -p 1
says 125 '--calls: cannot be had with -p' "$cpsample" -p 1 --calls on
says 125 '--kernel-ticks: cannot be had with -p' "$cpsample" -p 1 --kernel-ticks
for option in --unwinder --budget --jitter --seed --python --max-bytes --dir-bytes --journal; do
	says 125 "$option: cannot be had with --outside" "$cpsample" -p 1 --outside $option 1
done
for option in --outside --jit --verbose --kernel-ticks; do
	says 125 "$option: cannot be had with --stacks" "$cpsample" -p 1 --stacks $option
done
says 125 '--tree needs -p' "$cpsample" --tree true
says 125 '--stacks needs -p' "$cpsample" --stacks true
says 125 '--each: is for --stacks' "$cpsample" -p 1 --each
says 125 '--each and --folded: only one of these forms' "$cpsample" -p 1 --stacks --each --folded
says 125 '--stacks: a program (true) cannot be given as well' "$cpsample" -p 1 --stacks true
says 125 '-r: cannot be had with --stacks' "$cpsample" -p 1 --stacks -r cpu
says 125 'no-such-name: no process has this name' "$cpsample" -p no-such-name --stacks
says 125 '--outside needs -p' "$cpsample" --outside true
says 125 '-c timer: with --outside the clock is the kernel' "$cpsample" --outside -p 1 -c timer
says 125 'no-such-name: no process has this name' "$cpsample" -p no-such-name
says 125 '--duration abc: must be a time' "$cpsample" -p 1 --duration abc

# A directory that was made for a recording that there is not is removed again, and no other.
mkdir there
for name in no-such-name 4194303; do
	says 125 "$name: " "$cpsample" -p $name --dir made/for/it
	[ ! -e made ] || fail "-p $name: the directory stays"
	says 125 "$name: " "$cpsample" -p $name --dir there
	[ -d there ] || fail "-p $name: another directory is gone"
done

# In a directory that was removed. The shell has a line of its own.
mkdir lost
(cd lost && rmdir ../lost && "$cpsample" -p 1 2>../err) && fail "in a directory that was removed: exit 0"
grep -v getcwd err >lost.err
grep -q '^cpsample: the current directory was removed, or is out of reach; go to another one, or name one with --dir' lost.err || fail "$(cat err)"

start out1 "$targets/attached" threads
first=$pid
start out2 "$targets/attached" storm
second=$pid

"$cpsample" -p "$first,$second" --duration 2 2>err || fail "two: exit $?: $(cat err)"
[ ! -s err ] || fail "two: $(cat err)"
"$CPCONV" --functions >functions 2>&1 || fail "cpconv: $(cat functions)"
for function in leaf run_storm; do
	grep -qw $function functions || fail "$function is not in it: $(cat functions)"
done
set -- ./*.cps
[ $# -eq 2 ] || fail "not two recordings: $*"
"$CPCONV" --info "$1" | grep -q '^attached .*what was before is not in it$' || fail "--info: $("$CPCONV" --info "$1")"
"$CPCONV" --info "$1" | grep -q '^recorded .*stopped: cpsample -p has let go of the process$' || fail "--info: how it has ended"
rm -f ./*.cps

# A name: the kernel keeps 15 letters.
cp "$targets/attached" one-of-this-name
start out3 ./one-of-this-name storm
"$cpsample" -p one-of-this-name --duration 2 -o named.cps -r cpu:2ms 2>err || fail "name: exit $?: $(cat err)"
[ "$(info named.cps pid)" = "$pid" ] || fail "another process was recorded"
start out4 ./one-of-this-name storm
"$cpsample" -p one-of-this-name 2>err && fail "a name of two was taken"
head -n 1 err | grep -q ': 2 processes have this name; name them by number:' || fail "$(cat err)"
grep -q "^  $pid  *./one-of-this-name storm$" err || fail "$(cat err)"

# One of which is the others' parent.
cp "$(command -v sh)" a-family
./a-family -c './a-family -c "while :; do :; done" & ./a-family -c "while :; do :; done" & echo $!; while :; do :; done' >out6 &
family=$!
pids="$pids $family"
await test -s out6
has_two() { [ "$(wc -w <"/proc/$family/task/$family/children")" -eq 2 ]; }
await has_two || fail "there are no children"
# shellcheck disable=SC2046 # process ids
pids="$pids $(cat "/proc/$family/task/$family/children")"
"$cpsample" -p a-family 2>err && fail "a name of three was taken"
head -n 1 err | grep -qx "cpsample: a-family: 3 processes have this name; -p $family --tree takes all of them:" || fail "$(cat err)"
[ "$(wc -l <err)" -eq 4 ] || fail "$(cat err)"
"$cpsample" -p a-family --tree --duration 2 -o family.%p.cps 2>err || fail "a tree by its name: $(cat err)"
set -- family.*.cps
[ $# -eq 3 ] || fail "not three recordings: $*"

# No name has a say on the terminal.
escape=$(printf '\033[31m \302\2331m')
says 125 '?[31m ??1m' "$cpsample" -p "$escape"
says 125 '?[31m ??1m' "$cpsample" -p "$escape" --stacks
says 125 '?[31m ??1m' "$cpsample" -p "$escape" true
says 125 '?[31m ?' "$cpsample" -p "$first" -o "$escape.svg"
says 125 '?[31m ?' "$cpsample" -p "$first" --dir "/proc/$escape"

# A tree, until Ctrl-C.
cat >parent.sh <<END
"$targets/attached" threads >child.out &
echo ready
wait
END
start out5 sh parent.sh
await grep -q ready child.out
"$cpsample" -p "$pid" --tree -o tree.cps 2>err &
recorder=$!
pids="$pids $recorder $(cat "/proc/$pid/task/$pid/children")"
await test -e tree.cps
sleep 0.5
kill -INT $recorder
wait $recorder || fail "tree: exit $?: $(cat err)"
"$CPCONV" --functions tree.cps* >functions 2>&1
grep -qw leaf functions || fail "tree: $(cat functions)"

# What nothing was recorded of is told, also where no terminal is.
sleep 60 &
asleep=$!
pids="$pids $asleep"
"$cpsample" -p "$asleep" --duration 0.3 -o idle.cps 2>err || fail "idle: exit $?: $(cat err)"
grep -q 'no recording: no CPU time was used' err || fail "idle: $(cat err)"
for form in --each --folded; do
	"$cpsample" -p "$asleep" --stacks "$form" >dump 2>err || fail "$form: exit $?: $(cat err)"
	grep -q nanosleep dump || fail "$form: $(cat dump)"
done
