#!/bin/sh
# SPDX-License-Identifier: MIT
# cpsample --repeat records several runs, with --against of two programs in turn, and cpconv --base tells the runs apart
# and compares them. Whatever would make runs differ by more than chance is refused.
#
# Seen to fail: standard input that only the first run reads; both programs in the same order each time; a run that
# fails, and one without a recording, passed over.
# May run beside others.
. "$(dirname "$0")/../lib.sh"
cpsample() {
	"$root/scripts/cpsample" --library "$LIBRARY" "$@"
}

# A run has two processes, and its input each time. LD_PRELOAD of the user stays.
echo words >input
cat >both <<END
#!/bin/sh
cat >>said
echo "\$1" >>said
"$targets/slower" 400 "\$1" >/dev/null
"$targets/slower" 100 "\$1" >/dev/null
END
chmod +x both
LD_PRELOAD=libm.so.6 cpsample -r cpu:1ms --repeat 3 --against './both "1 00"' -o made/ -- ./both 110 <input >out 2>err ||
	fail "--against: $?: $(cat err)"
[ ! -s err ] || fail "it says: $(cat err)"
tr '\n' ' ' <said >order
[ "$(cat order)" = "words 1 00 words 110 words 110 words 1 00 words 1 00 words 110 " ] || fail "order or input: $(cat order)"
for side in before after; do
	for run in 1 2 3; do
		[ "$(find made/$side -name "$run.slower.*.cps" | wc -l)" = 2 ] || fail "$side $run: $(ls made/$side)"
	done
done
"$CPCONV" --base made/before made/after >text || fail "cannot be compared"
grep -q '^before: 3 runs, ' text && grep -q '^after: 3 runs, ' text || fail "runs: $(cat text)"
grep -q ' normalise$' text || grep -q '^not shown' text || fail "no functions: $(cat text)"
"$CPCONV" --base made/before --tsv made/after | grep -q "${tab}normalise\$" || fail "no normalise"

# One program; numbers have as many digits as the last one.
cpsample -r cpu:1ms --repeat 10 "$targets/slower" 60 >out 2>err || fail "--repeat: $?: $(cat err)"
[ "$(find runs -name '0[1-9].slower.*.cps' | wc -l).$(find runs -name '10.slower.*.cps' | wc -l)" = 9.1 ] ||
	fail "--repeat: $(ls runs)"

# refuses STATUS TEXT ARGUMENT...
refuses() {
	want=$1
	text=$2
	shift 2
	cpsample "$@" >out 2>err </dev/null
	status=$?
	[ $status -eq "$want" ] || fail "$*: exit status $status: $(cat err)"
	grep -q "^cpsample: .*$text" err || fail "$*: $(cat err)"
}
refuses 125 "has recordings already" --repeat 2 "$targets/slower"
refuses 125 "has recordings already" --repeat 2 -o made/// "$targets/slower"
refuses 125 "not a number from 1" --repeat 0 "$targets/slower"
refuses 125 "not a number from 1" --repeat two "$targets/slower"
refuses 125 "without %" --repeat 2 -o x/%p "$targets/slower"
refuses 125 "say nothing of chance" --repeat 2 --seed 1 -o x "$targets/slower"
refuses 125 "names the directory" --repeat 2 --dir x "$targets/slower"
refuses 125 "is no directory" --repeat 2 -o input "$targets/slower"
refuses 125 "needs --repeat" --against "$targets/slower" "$targets/slower"
refuses 125 "no program" --repeat 2
refuses 127 "not found" --repeat 2 -o x ./missing
refuses 125 "left no recording" --repeat 2 -o x true
refuses 3 "run 1 of 2 ended with the status 3" --repeat 2 -o y sh -c 'exit 3'
[ ! -e x ] || [ -z "$(find x -name '*.cps')" ] || fail "x: $(ls x)"
echo words | cpsample --repeat 2 -o z cat >out 2>err
[ $? -eq 125 ] && grep -q 'standard input is a pipe' err || fail "a pipe: $(cat err)"
