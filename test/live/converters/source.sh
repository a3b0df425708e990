#!/bin/sh
# SPDX-License-Identifier: MIT
# cpconv --source and --asm show the lines and the instructions of a function, as cpprof's commands do.
# Instructions and where they jump to are those of objdump, also of AVX-512. What the lines and the
# instructions used adds up to what the function used. What an inlined function used stands at the line
# of its call. Two functions of one name are two pieces of code.
#
# Seen to fail:
# - With names "f+0x1f", by which the samples of one of two functions of a name count for the other, too.
# - With what an instruction used counted by place: a call that calls its own function counts twice.
# - Without the end of a symbol, with which the code of the next function belongs to it.
#
# May run beside others.
. "$(dirname "$0")/../lib.sh"
need objdump

# ---- two sources with a function of the same name, an inlined function, recursion, AVX-512 --------
mkdir src
cat >src/one.c <<'END'
#include <stdint.h>
#include <stdlib.h>
#include <time.h>
void other(long);
volatile uint64_t sink;
static inline __attribute__((always_inline)) uint64_t mix(uint64_t x)
{
	for (int i = 0; i < 100; i++)
		x ^= x << 13 ^ x >> 7;
	return x;
}
static __attribute__((noinline)) void burn(long n)
{
	uint64_t x = 1;
	while (n-- > 0)
		x = mix(x);
	sink = x;
}
__attribute__((noinline)) void nest(int depth, long n)
{
	burn(n);
	if (depth > 0)
		nest(depth - 1, n);
	sink++;
}
__attribute__((noinline)) void wide(long n)
{
	if (n < 0)
		__asm__ volatile("vpternlogq $0x96, %zmm1, %zmm2, %zmm3{%k1}{z}\n\t"
				 "vpcmpub $6, (%rdi), %ymm17, %k2\n\t"
				 "vaddpd {rz-sae}, %zmm4, %zmm5, %zmm6\n\t");
	while (n-- > 0)
		sink += n;
}
int main(void)
{
	while (clock() < CLOCKS_PER_SEC * 6 / 10) {
		nest(3, 1000);
		other(16000);
		wide(100000);
	}
	return 0;
}
END
cat >src/two.c <<'END'
#include <stdint.h>
extern volatile uint64_t sink;
static __attribute__((noinline)) void burn(long n)
{
	sink = 0;
	while (n-- > 0) {
		sink += n * 3;
		sink ^= n;
	}
}
static const signed char bytes[256] = {1, 2, 3};
void other(long n)
{
	const int small = bytes[n & 255];
	volatile short half = (short)(small + n);

	burn(n);
	sink += (uint64_t)(n % (half | 1)) + (n < 3 ? bytes[half & 15] : (unsigned char)half) + 0x123456789abULL;
}
END
$CC -g -O1 -o prog "$PWD/src/one.c" "$PWD/src/two.c" 2>err || fail "$CC: $(cat err)"
record CPSAMPLE_RESOURCES=cpu:1ms CPSAMPLE_OUTPUT=rec.cps ./prog || fail "prog ended with $?"
"$CPCONV" --flat --tsv --threshold 0 rec.cps >flat || fail "no profile"
"$CPCONV" --flat --no-inlines --tsv --threshold 0 rec.cps >code || fail "no profile"

# of FILE FUNCTION COLUMN: from --flat
of() {
	awk -F "$tab" -v f="$2" -v c="$3" '$5 == f { print $c }' "$1"
}

# ---- instructions ---------------------------------------------------------------------------------
# Address, and where jumps and calls lead, as objdump has them.
objdump -d --no-show-raw-insn prog | awk '
	/^[0-9a-f]+ <.*>:$/ { f = substr($2, 2, length($2) - 3) }
	/^ +[0-9a-f]+:/ {
		sub(/:/, "", $1)
		target = $NF ~ /^<.*>$/ && $0 !~ /#/ && $(NF - 1) ~ /^[0-9a-f]+$/ ? "0x" $(NF - 1) : "-"
		print f "\t0x" $1 "\t" target "\t" $2
	}' >objdump.txt
for function in burn nest wide main other; do
	"$CPCONV" --asm "$function" --tsv rec.cps >rows 2>err || fail "--asm $function: $(cat err)"
	awk -F "$tab" -v f="$function" '$1 == f { print $2 "\t" $3 }' objdump.txt >want
	[ -s want ] || fail "objdump has no $function"
	# Between two functions objdump has bytes that are of neither.
	cut -f 4,6 rows >got
	awk -F "$tab" 'FNR == NR { has[$1]; next } $1 in has' got want >want.same
	same want.same got "--asm $function: not the instructions of objdump"
	awk -F "$tab" 'FNR == NR { has[$1]; next } !($1 in has)' got want >rest
	awk -F "$tab" -v f="$function" 'FNR == NR { rest[$1]; next }
		$1 == f && $2 in rest && $4 !~ /^(nop|xchg|cs|data16)/' rest objdump.txt >odd
	[ ! -s odd ] || fail "--asm $function lacks $(cat odd)"
	# They have objdump's names, but where both know several.
	awk -F "$tab" 'FNR == NR { split($5, word, " "); name[$4] = word[1]; next }
		$2 in name && name[$2] != $4 && name[$2] !~ /^(nop|vpcmpu?[bdqw])$/ { print $2, $4, name[$2] }' rows objdump.txt >odd
	[ ! -s odd ] || fail "--asm $function: objdump has other names: $(cat odd)"
	# They add up, and nothing counts twice.
	awk -F "$tab" -v self="$(of code "$function" 1)" -v total="$(of code "$function" 2)" '
		{ sum += $1; if ($2 > total) bad = 1 }
		END { exit bad || sum != self }' rows || fail "--asm $function: $(of code "$function" 1) $(cat rows)"
	awk -F "$tab" -v f="$function" '$9 != f || $10 !~ /\/prog$/' rows >odd
	[ ! -s odd ] || fail "--asm $function: $(cat odd)"
done
for mnemonic in vpternlogq vpcmpub vaddpd; do
	"$CPCONV" --asm wide --tsv rec.cps | cut -f 5 | grep -q "^$mnemonic " || fail "no $mnemonic: $(cat rows)"
done
# A call that nests weighs what its function weighs below the outermost call, each stack once.
"$CPCONV" --asm nest --tsv rec.cps >rows
"$CPCONV" --edges --tsv --threshold 0 rec.cps | awk -F "$tab" '$1 == "nest" { print $4 }' | sort >want
awk -F "$tab" '$5 ~ /^call/ { print $2 }' rows | sort >got
same want got "calls of nest"
# Each of the two functions has its own samples: the lines of each are of one source.
"$CPCONV" --source burn --tsv rec.cps >lines || fail "--source burn"
"$CPCONV" --asm burn --tsv rec.cps >rows
for source in one two; do
	awk -F "$tab" -v s="/$source.c" '$5 ~ s { n += $1 } END { print n }' lines >want
	awk -F "$tab" -v s="/$source.c" '$8 ~ s { n += $1 } END { print n }' rows >got
	if [ $source = one ]; then # what mix has used is there, too
		awk -F "$tab" -v m="$(of flat mix 1)" '{ print $1 + m }' want >want.all
		mv want.all want
	fi
	awk 'FNR == NR { want = $1; next } { exit !(want > 0 && want == $1) }' want got ||
		fail "burn of $source.c: lines $(cat want), instructions $(cat got)"
done

# ---- lines ----------------------------------------------------------------------------------------
"$CPCONV" --source mix --tsv rec.cps | awk -F "$tab" -v self="$(of flat mix 1)" '
	{ sum += $1; bad = bad || $4 < 6 || $4 > 11 } END { exit bad || sum != self }' || fail "--source mix"
# The line that calls mix has all that it used, and nothing itself but what the call costs.
call=$(grep -n 'x = mix(x);' src/one.c | cut -d : -f 1)
awk -F "$tab" -v line="$call" -v mix="$(of flat mix 2)" '$4 == line && $5 ~ /one.c$/ { found = $2 >= mix && $2 - $1 == mix }
	END { exit !found }' lines || fail "line $call has not the $(of flat mix 2) of mix: $(cat lines)"

# ---- the same in cpprof, and under the names of pprof and gdb -------------------------------------
for view in source asm; do
	"$CPCONV" --$view burn rec.cps >want || fail "--$view burn"
	for command in "$view burn" "$([ $view = asm ] && echo disasm || echo list) burn"; do
		echo "$command" | "$CPPROF" rec.cps >got 2>err || fail "$command: $(cat err)"
		same want got "$command"
	done
done
awk 'length($0) > 80' want >odd
[ ! -s odd ] || fail "lines of more than 80 columns: $(cat odd)"

# ---- sources that were moved ----------------------------------------------------------------------
mkdir -p away/deep && mv src away/deep/src
"$CPCONV" --source nest rec.cps >got || fail "moved"
grep -q -- '--source-path' got || fail "does not say what helps: $(cat got)"
for path in away/deep none:away/deep:none away/deep/src; do
	"$CPCONV" --source nest --source-path $path rec.cps >got || fail "--source-path $path"
	grep -q '^source: away/deep/src/one.c$' got || fail "--source-path $path: $(cat got)"
	grep -q 'nest(depth - 1, n);$' got || fail "--source-path $path: $(cat got)"
done

# Seen to fail: nothing was said of a directory that does not exist.
"$CPCONV" --source nest --source-path none:nowhere rec.cps >/dev/null 2>err
[ $? -eq 2 ] && grep -q 'source-path: none:nowhere: no such directory' err || fail "no directory: $(cat err)"

# ---- what cannot be shown -------------------------------------------------------------------------
# wrong STATUS MESSAGE ARGUMENT...
wrong() {
	status=$1
	message=$2
	shift 2
	"$CPCONV" "$@" >out 2>err
	[ $? -eq "$status" ] || fail "cpconv $*: not status $status: $(cat out err)"
	[ ! -s out ] || fail "cpconv $* prints: $(cat out)"
	grep -q -- "$message" err || fail "cpconv $*: $(cat err)"
}
wrong 1 'no function "brun" in the profile; similar: burn' --asm brun rec.cps
wrong 1 'no source lines of "a" are known' --source a "$root/test/data/cases/linear/in.folded"
wrong 2 'of which function? --source FUNCTION' --format source rec.cps
wrong 2 'option --asm needs a value' --asm
printf 'events: Ir\nfn=main\n1 5\ntotals: 5\n' >calls
wrong 1 'calls without stacks' --asm main calls
mv prog prog.away
wrong 1 'no instructions of ".*" are known: it is no code of a program or library' --asm "$("$CPCONV" --flat --tsv rec.cps 2>err | head -n 1 | cut -f 5)" rec.cps
mv prog.away prog

# A function that is inlined everywhere has no instructions; it is said where they are.
"$CPCONV" --asm mix rec.cps >out 2>err && fail "mix has instructions: $(head out)"
grep -qx 'cpconv: "mix" has no instructions of its own, because it is inlined in burn' err || fail "mix: $(cat err)"

# Two functions of one name, at the same line of two files of one name, are two sources.
mkdir -p src/a src/b
for part in a b; do
	cat >src/$part/same.c <<END
#include <stdint.h>
static __attribute__((noinline)) void spin(long n) { for (volatile long i = 0; i < n; i++) ; }
void run_$part(long n) { spin(n); }
END
done
echo 'void run_a(long), run_b(long); int main(void) { run_a(60000000); run_b(30000000); }' >src/same.c
$CC -g -O1 -o same "$PWD/src/same.c" "$PWD/src/a/same.c" "$PWD/src/b/same.c" 2>err || fail "$CC: $(cat err)"
record CPSAMPLE_RESOURCES=cpu:1ms CPSAMPLE_OUTPUT=same.cps ./same || fail "same ended with $?"
"$CPCONV" --source spin --tsv same.cps >rows || fail "--source spin"
[ "$(awk -F "$tab" '$5 ~ /src\/[ab]\/same.c$/ { print $5 }' rows | sort -u | wc -l)" -eq 2 ] || fail "two files: $(cat rows)"
awk -F "$tab" -v self="$("$CPCONV" --flat --tsv --threshold 0 same.cps | awk -F "$tab" '$5 == "spin" { print $1 }')" '
	{ sum += $1; of[$5] += $1 }
	END { exit sum != self || of["'"$PWD"'/src/a/same.c"] < of["'"$PWD"'/src/b/same.c"] }' rows || fail "two files: $(cat rows)"
