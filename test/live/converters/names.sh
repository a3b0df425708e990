#!/bin/sh
# SPDX-License-Identifier: MIT
# Names of functions are found for stripped programs and for programs with separate debug
# information. A program that was built anew since the recording gets no wrong names.
# May run beside others.
. "$(dirname "$0")/../lib.sh"
need gcc
need objcopy

# TARGET_CFLAGS of the Makefile, and another layout with -DSHIFT.
build() {
	gcc -O2 -g -fno-inline -fno-optimize-sibling-calls -D_GNU_SOURCE "$@" || fail "cannot build"
}
functions() {
	"$CPCONV" --flat --tsv "$@" | cut -f 5 | sort
}
# Print the two functions above main, which are of interest here, as the folded stack has them.
spun() {
	"$CPCONV" --folded --unit gticks "$@" 2>/dev/null | grep -o ';[^;]*;[^; ]* [0-9]*$' | sort -t ' ' -k 2 -n |
		tail -n 1 | sed 's/ [0-9]*$//'
}

build -o whole "$root/test/targets/spin.c"
record CPSAMPLE_OUTPUT=whole.cps ./whole 300 >/dev/null
[ "$(spun whole.cps)" = ";spin_outer;spin_inner" ] || fail "with symbols: $(spun whole.cps)"

# Without symbols a name is made of the module and the function's start. Each function has one name,
# which is the same in every run, whatever the load address.
cp whole plain && strip plain
for run in 1 2; do
	record CPSAMPLE_OUTPUT=plain$run.cps ./plain 300 >/dev/null
	functions plain$run.cps >names$run
done
inner=$(nm whole | awk '$3 == "spin_inner" { sub(/^0*/, "", $1); print $1 }')
outer=$(nm whole | awk '$3 == "spin_outer" { sub(/^0*/, "", $1); print $1 }')
for run in 1 2; do
	[ "$(spun plain$run.cps)" = ";[plain+0x$outer];[plain+0x$inner]" ] ||
		fail "stripped: $(spun plain$run.cps), functions at $outer and $inner"
	grep -q spin names$run && fail "stripped, and yet: $(grep spin names$run)"
done

# Where nothing has a symbol, main is still known by who calls it, and is the root of call paths; no
# other function of the program becomes it. Debug files of the C library must not help.
# Seen to fail: without entry_points_name it is [plain+0x...].
"$CPCONV" --debug-dir /nonexistent --folded --unit gticks plain1.cps >folded 2>&1 || fail "folded: $(cat folded)"
grep -q "^_start;__libc_start_main;[^;]*;main;\[plain+0x$outer\];\[plain+0x$inner\] " folded ||
	fail "stripped, from its beginning: $(sort -t ' ' -k 2 -n folded | tail -n 1)"
[ "$(functions plain1.cps --debug-dir /nonexistent | grep -c -x main)" = 1 ] || fail "more than one main"
"$CPCONV" --debug-dir /nonexistent --callpath plain1.cps | grep -q '^0.9[0-9]* (main) ' ||
	"$CPCONV" --debug-dir /nonexistent --callpath plain1.cps | grep -q '^1.00000 (main) ' ||
	fail "callpath: $("$CPCONV" --callpath plain1.cps)"

# Its symbols are in a file of their own, which is found by build id
id=$(readelf -n plain | sed -n 's/.*Build ID: //p')
rest=${id#??}
mkdir -p "debug/.build-id/${id%"$rest"}"
objcopy --only-keep-debug whole "debug/.build-id/${id%"$rest"}/$rest.debug"
[ "$(spun --debug-dir debug plain1.cps)" = ";spin_outer;spin_inner" ] ||
	fail "build id: $(spun --debug-dir debug plain1.cps)"
# or beside it by name.
objcopy --only-keep-debug whole linked.debug
cp plain linked && objcopy --add-gnu-debuglink=linked.debug linked
record CPSAMPLE_OUTPUT=linked.cps ./linked 300 >/dev/null
[ "$(spun linked.cps)" = ";spin_outer;spin_inner" ] || fail "debuglink: $(spun linked.cps)"
# The file is not used if it belongs to another program.
build -DSHIFT -O1 -o other "$root/test/targets/deep.c"
objcopy --only-keep-debug other linked.debug
[ "$(spun linked.cps)" = ";[linked+0x$outer];[linked+0x$inner]" ] ||
	fail "a wrong debug file: $(spun linked.cps)"

# If the program was built anew since, there is a warning, and no name of the new program is used.
cp whole again
record CPSAMPLE_OUTPUT=again.cps ./again 300 >/dev/null
cp other again
"$CPCONV" --flat --tsv again.cps >out 2>err || fail "rebuilt: exit status $?: $(cat err)"
[ "$(wc -l <err)" -eq 1 ] && grep -q again err || fail "rebuilt: not one warning: $(cat err)"
cut -f 5 out | grep -E '^(bottom|descend|main|spin_inner|spin_outer)$' && fail "rebuilt: names of the new file"
# If the program has been removed, it is the same.
rm again
"$CPCONV" --flat --tsv again.cps >out 2>err || fail "gone: exit status $?: $(cat err)"
grep -q again err || fail "gone: no warning"
grep -q '\[again+0x' out || fail "gone: $(head -n 3 out)"

# Files for other programs have full names of C++, and short ones if these are asked for, each function its own.
# Seen to fail: with strings_get() in copy_name() of view_folded.c, and with symbols_exported() that returns its name.
command -v g++ >/dev/null || exit 0
cat >cplus.cc <<'END'
template <class T> __attribute__((noinline)) T burn(T n)
{
	volatile T x = 0;
	for (T i = 0; i < n; i++)
		x = x + i;
	return x;
}
namespace one {
__attribute__((noinline)) int turn(int n, double) { return burn<int>(n) != 0; }
}
int main(void)
{
	return one::turn(400000000, 1.5) > 1;
}
END
g++ -O1 -g -o cplus cplus.cc || fail "cannot build C++"
record CPSAMPLE_OUTPUT=cplus.cps ./cplus
# What is packed by gzip in standard input, wherever it stands.
inflate() {
	python3 -c '
import sys, zlib
data = sys.stdin.buffer.read()
for part in data.split(b"\x1f\x8b\x08")[1:]:
    sys.stdout.buffer.write(zlib.decompressobj(-15).decompress(part[7:]))'
}
for form in '' full short linker; do
	for view in folded callgrind speedscope firefox pprof parquet; do
		# shellcheck disable=SC2086
		"$CPCONV" --$view ${form:+--names $form} cplus.cps >out 2>err || fail "--$view $form: $(cat err)"
		case $view in
		pprof | parquet) inflate <out >plain && mv plain out ;;
		esac
		case $form in
		short) names='one::turn burn' ;;
		linker) names='_ZN3one4turnEid _Z4burnIiET_S0_' ;;
		*) names='one::turn(int,.double) int.burn<int>(int)' ;;
		esac
		for name in $names; do
			LC_ALL=C grep -a -q "$name" out || fail "--$view --names $form: no $name"
		done
		[ "$form" != short ] || ! LC_ALL=C grep -a -q -F 'turn(int' out || fail "--$view --names short: full ones"
		[ ! -s err ] || fail "--$view --names $form: $(cat err)"
	done
done

# A program that was started by a link has the link's name in all views. Seen to fail: those of --summary
# had the name of the file.
ln -s "$targets/spin" called
record CPSAMPLE_OUTPUT=called.cps ./called 300 >/dev/null
"$CPCONV" --summary called.cps | grep -q '^modules: .* called\b' || fail "--summary: $("$CPCONV" --summary called.cps | grep ^modules)"
"$CPCONV" --flat --granularity module --tsv called.cps | cut -f 5 | grep -qx called || fail "--granularity module has another name"
