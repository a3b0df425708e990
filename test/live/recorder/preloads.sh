#!/bin/sh
# SPDX-License-Identifier: MIT
# Other libraries stand in LD_PRELOAD before or behind the recorder: two allocators, under C and
# C++ programs with threads, and another profiler, which has SIGPROF for itself as far as it can
# see. LD_PRELOAD is written in all the ways that people use: with spaces, with colons, with
# relative names.
#
# Seen to fail:
# - With a malloc in the handler, jemalloc and tcmalloc hang or crash.
# - Without the wrapped sigaction libprofiler takes SIGPROF, and there is no recording.
# - If a relative name is not made absolute, burn_at_start has no name.
#
# Chance: five samples of half a second are missed in one of 10,000 attempts where ticks are as rare as were ever seen,
# 36 a second (burn.h), and in three of three in one of 10^12.
#
# May run beside others.
# Not in short runs: it takes 20 s.
. "$(dirname "$0")/../lib.sh"

# Print the path of the library that the loader finds under that name, or nothing
find_library() {
	for dir in /usr/lib/x86_64-linux-gnu /usr/lib64 /usr/lib /usr/local/lib; do
		[ -e "$dir/$1" ] && echo "$dir/$1" && return
	done
}

# sampled_all DIRECTORY, whole DIRECTORY: the only recording in the directory is accounted for, or
# complete
sampled_all() {
	stream=$(one_stream "$1") || fail "$1: $stream"
	accounts_for_all "$stream"
	at_least "$(info "$stream" samples)" 5 || fail "$1: $(info "$stream" samples) samples"
}

whole() {
	sampled_all "$1"
	mostly_whole "$stream" 99 ||
		fail "$1: $(info "$stream" complete_percent) % of the stacks are complete"
}

# under ROUNDS NAME PRELOAD PROGRAM ALLOCATOR: the program does the same as without LD_PRELOAD, and is recorded with the
# allocator
under() {
	name=$2
	preload=$3
	allocator=$5
	set -- "$4" "$1"
	"$@" >bare.out 2>bare.err
	bare=$?
	rm -rf "$name" && mkdir "$name"
	(cd "$name" && env "LD_PRELOAD=$preload" "$@" >../out 2>../err)
	status=$?
	[ $status -eq $bare ] || fault "$name: status $status, without it $bare: $(cat err)"
	same bare.out out "$name: standard output"
	same bare.err err "$name: standard error"
	whole "$name"
	"$CPCONV" --info "$stream" | grep -q "$allocator" || fail "$allocator is not there"
}

programs=$targets/churn
if command -v g++ >/dev/null; then
	g++ -O2 -g -pthread -o containers "$root/test/targets/containers.cc" || fail "cannot build containers"
	programs="$programs $tmp/containers"
fi
for file in libtcmalloc_minimal.so.4 libjemalloc.so.2; do
	allocator=$(find_library $file)
	if [ -z "$allocator" ]; then
		note "no $file on this machine"
		continue
	fi
	for program in $programs; do
		case $program in
		*/churn) rounds=300000 ;;
		*) rounds=600000 ;;
		esac
		with_more_work under $rounds before "$allocator $LIBRARY" "$program" "$allocator"
		with_more_work under $rounds behind "$LIBRARY:$allocator" "$program" "$allocator"
	done
done

# The other profiler asks for a tick every 10 ms of CPU time, and counts those that it gets. With
# the clock itimer both profilers share one timer.
profiler=$(find_library libprofiler.so.0)
# two ROUNDS PRELOAD
two() {
	mkdir two
	(cd two && env CPUPROFILE=theirs "LD_PRELOAD=$2" "$targets/churn" "$1" >../out 2>../err)
	status=$?
	[ $status -eq 3 ] || fault "$2: status $status: $(cat err)"
	whole two
	ticks=$(sed -n 's/^PROFILE: interrupts[^=]* = \([0-9]*\).*/\1/p' err)
	[ -s two/theirs ] || fail "$2: libprofiler has written nothing"
	at_least "$ticks" 10 || fail "$2: libprofiler has got $ticks ticks: $(cat err)"
}
for preload in ${profiler:+"$profiler:$LIBRARY" "$LIBRARY:$profiler"}; do
	with_more_work two 300000 "$preload"
done

# LD_PRELOAD has relative names here, although the program goes to another directory and cpconv is
# run in a third one. Libraries are initialised from the last to the first. So what the other
# library does at its start is recorded if it stands before the recorder.
cp "$LIBRARY" libcpsample.so
cat >starts.c <<END
#include "$root/test/targets/burn.h"
static volatile uint64_t sink;
__attribute__((constructor, noinline)) static void burn_at_start(void)
{
	sink = burn(1, 40 * BURN_LONG);
}
END
$CC -O2 -shared -fPIC -Wl,--build-id -o libstarts.so starts.c || fail "cannot build libstarts.so"
mkdir sub
# relative MS PRELOAD
relative() {
	cd "$tmp" || exit
	rm -f ./*.cps
	env "LD_LIBRARY_PATH=." "LD_PRELOAD=$2" "$targets/spin" "$1" 3 sub >out 2>err
	[ $? -eq 3 ] && [ ! -s err ] || fault "LD_PRELOAD=\"$2\": $(cat err)"
	sampled_all .
	all_views "$stream"
	(cd / && "$CPCONV" --folded --unit gticks "$tmp/$stream") >folded || fail "LD_PRELOAD=\"$2\": no view"
	grep -q ";burn_at_start [0-9]*\$" folded || fail "LD_PRELOAD=\"$2\": no burn_at_start: $(cat folded)"
}
for preload in "./libstarts.so:./libcpsample.so" "libstarts.so libcpsample.so" " ./libstarts.so  libm.so.6 ./libcpsample.so " \
	":libstarts.so:../${tmp##*/}/libcpsample.so::libm.so.6"; do
	with_more_work relative 300 "$preload"
done
# found MS: the recorder is found in LD_LIBRARY_PATH by its name alone.
found() {
	env LD_LIBRARY_PATH="$tmp" LD_PRELOAD=libcpsample.so "$targets/spin" "$1" 3 >out 2>err
	[ $? -eq 3 ] && [ ! -s err ] || fault "LD_LIBRARY_PATH: $(cat err)"
	whole .
}
with_more_work found 500
# twice MS: a recorder that is preloaded twice records once.
twice() {
	env "LD_PRELOAD=$tmp/libcpsample.so $tmp/./libcpsample.so" "$targets/spin" "$1" 3 >out 2>err
	[ $? -eq 3 ] && [ ! -s err ] || fault "twice: $(cat err)"
	whole .
}
with_more_work twice 500
