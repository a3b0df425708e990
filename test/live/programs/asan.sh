#!/bin/sh
# SPDX-License-Identifier: MIT
# Programs that are built with a sanitizer run under cpsample as without it, and still find the
# errors that they contain.
#
# Seen to fail:
# - Without ASAN_OPTIONS in cpsample, programs with a shared libasan end with "ASan runtime does
#   not come first".
# - With libasan in LD_PRELOAD instead, perl, started by such a program, reports its own leaks.
# - If the recorder uses the next sigaction for its handler, a program with libtsan gives a
#   recording of one sample.
# - If the recorder uses the first memcpy and memset that the loader finds, races in the recorder
#   are reported.
#
# Chance: five samples of a second are missed in one of 10^9 attempts where ticks are rarest (36 a second, burn.h).
#
# May run beside others.
# Not in short runs: it takes 25 s.
. "$(dirname "$0")/../lib.sh"
unset ASAN_OPTIONS LSAN_OPTIONS TSAN_OPTIONS UBSAN_OPTIONS
rounds=60000 # for about a second

cpsample() {
	"$root/scripts/cpsample" --library "$LIBRARY" "$@"
}

# build NAME COMPILER FLAG...: from churn.c
build() {
	name=$1
	compiler=$2
	shift 2
	command -v "$compiler" >/dev/null || return 1
	echo 'int main(void) { return 0; }' >none.c
	if ! "$compiler" "$@" -o none none.c 2>build.err; then
		note "$name: $compiler $*: $(head -n 1 build.err)"
		return 1
	fi
	"$compiler" -D_GNU_SOURCE -O1 -g -fno-omit-frame-pointer -pthread "$@" -o "$name" \
		"$root/test/targets/churn.c" || fail "cannot build $name"
	# Not every kernel and container lets every sanitizer run.
	"./$name" 10 >bare.out 2>bare.err
	[ $? -eq 3 ] && return 0
	note "$name: does not run here: $(head -n 1 bare.err)"
	return 1
}

# ran ROUNDS NAME COMMAND...
ran() {
	turns=$1 name=$2
	shift 2
	mkdir run
	"../$name" "$turns" >bare.out 2>bare.err
	(cd run && "$@" "$tmp/$name" "$turns" >../out 2>../err)
	status=$?
	[ $status -eq 3 ] || fault "$name: status $status: $(head -n 5 err)"
	same bare.out out "$name: standard output"
	same bare.err err "$name: standard error"
	stream=$(one_stream run) || fail "$name: $stream"
	accounts_for_all "$stream"
	at_least "$(info "$stream" samples)" 5 || fail "$name: $(info "$stream" samples) samples"
	mostly_whole "$stream" 99 ||
		fail "$name: $(info "$stream" complete_percent) % of the stacks are complete"
}

# runs NAME COMMAND...: COMMAND brings the recorder into the program
runs() {
	with_more_work ran $rounds "$@"
	echo "$1" >>kinds
}

# finds NAME WHAT TEXT COMMAND...: the program reports the error as without the recorder, with the
# same status
finds() {
	name=$1
	what=$2
	text=$3
	shift 3
	rm -rf run && mkdir run
	"./$name" 20000 "$what" >bare.out 2>bare.err
	bare=$?
	if ! grep -q "$text" bare.err; then
		note "$name: no $text here: $(head -n 3 bare.err | tr '\n' ' ')"
		return
	fi
	(cd run && "$@" "../$name" 20000 "$what" >../out 2>../err)
	status=$?
	[ $status -eq $bare ] || fail "$name, $what: status $status, without us $bare: $(cat err)"
	same bare.out out "$name, $what: standard output"
	grep -q "$text" err || fail "$name, $what: not found: $(cat err)"
	# clang's runtime asks llvm-symbolizer for the names of places, which may not be installed.
	if grep -q "misbehave\|churn.c" bare.err; then
		grep -q "misbehave\|churn.c" err || fail "$name, $what: without a place: $(cat err)"
	else
		note "$name: places have no names here"
	fi
	sed -n "/SUMMARY/s|$root/test||gp" err | grep -q "libcpsample\|libsampler" && fail "$name, $what: $(cat err)"
	# libasan ends the process by the system call, so that the journal has the last samples.
	for stream in run/cpsample."$name".*.cps; do
		"$CPCONV" --flat "$stream" >view.out 2>view.err || fail "$name, $what: $(cat view.err)"
		[ -s view.out ] || fail "$name, $what: nothing recorded"
	done
}

all_of() {
	runs "$@"
	name=$1
	shift
	finds "$name" overflow heap-buffer-overflow "$@"
	finds "$name" leak "detected memory leaks" "$@"
}

preloaded() {
	env "LD_PRELOAD=$LIBRARY" "$@"
}

# The way that libcpsample(7) describes for use without cpsample.
behind_libasan() {
	env "LD_PRELOAD=$(gcc -print-file-name=libasan.so) $LIBRARY" "$@"
}

unasked() {
	env "LD_PRELOAD=$LIBRARY" ASAN_OPTIONS=verify_asan_link_order=0 "$@"
}

if build gcc-asan gcc -fsanitize=address; then
	all_of gcc-asan cpsample
	runs gcc-asan behind_libasan
	runs gcc-asan unasked
	printf '#!%s/gcc-asan\n' "$tmp" >script && chmod +x script
	cpsample ./script >out 2>err
	status=$?
	[ $status -eq 3 ] || fail "as an interpreter: status $status: $(cat err)"
	echo '#include <stdlib.h>
	int main(int argc, char **argv) { return system(argc > 1 ? argv[1] : "") >> 8; }' >start.c
	gcc -fsanitize=address -o start start.c || fail "cannot build"
	# shellcheck disable=SC2016 # for sh
	ASAN_OPTIONS=exitcode=9 cpsample ./start 'echo "$ASAN_OPTIONS"; exec perl -e "exit 7"' >out 2>err
	status=$?
	[ $status -eq 7 ] || fail "perl started by a program with libasan: status $status: $(tail -n 3 err)"
	[ ! -s err ] || fail "perl started by a program with libasan: $(head -n 3 err)"
	[ "$(cat out)" = exitcode=9:verify_asan_link_order=0 ] || fail "ASAN_OPTIONS: $(cat out)"
	# The user has preloaded a sanitizer's library.
	LD_PRELOAD=$(gcc -print-file-name=libasan.so)
	export LD_PRELOAD
	cpsample ./gcc-asan 1000 >out 2>err
	status=$?
	unset LD_PRELOAD
	[ $status -eq 3 ] || fail "with a libasan of the user's: status $status: $(cat err)"
fi
if build gcc-static-asan gcc -fsanitize=address -static-libasan; then
	all_of gcc-static-asan preloaded
fi
if build clang-asan clang -fsanitize=address; then
	all_of clang-asan preloaded
fi
if command -v clang >/dev/null; then
	libraries=$(dirname "$(clang -print-file-name=libclang_rt.asan-x86_64.so)")
	if build clang-shared-asan clang -fsanitize=address -shared-libasan -Wl,-rpath,"$libraries"; then
		all_of clang-shared-asan cpsample
	fi
fi
rounds=120000
if build gcc-lsan gcc -fsanitize=leak; then
	runs gcc-lsan preloaded
	finds gcc-lsan leak "detected memory leaks" preloaded
fi
for compiler in gcc clang; do
	if build "$compiler-ubsan" "$compiler" -fsanitize=undefined; then
		runs "$compiler-ubsan" preloaded
		finds "$compiler-ubsan" wrap "signed integer overflow" preloaded
	fi
done

# No race is reported for what the recorder does in its handler.
rounds=30000
if build gcc-tsan gcc -fsanitize=thread; then
	runs gcc-tsan cpsample
fi
if build gcc-static-tsan gcc -fsanitize=thread -static-libtsan; then
	runs gcc-static-tsan preloaded
fi
if build clang-tsan clang -fsanitize=thread; then
	runs clang-tsan preloaded
fi

[ -e kinds ] || skip "no sanitizer runs here"
note "$(wc -l <kinds) ways of running under a sanitizer"
