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
# May run beside others.
. "$(dirname "$0")/../lib.sh"
runs=0

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
	at_least "$(info "$stream" samples)" 20 || fail "$1: $(info "$stream" samples) samples"
	runs=$((runs + 1))
}

whole() {
	sampled_all "$1"
	at_least "$(info "$stream" complete_percent)" 99 ||
		fail "$1: $(info "$stream" complete_percent) % of the stacks are complete"
}

# under NAME PRELOAD PROGRAM ARGUMENT...: the program does the same as without LD_PRELOAD, and is
# recorded
under() {
	name=$1
	preload=$2
	shift 2
	"$@" >bare.out 2>bare.err
	bare=$?
	rm -rf "$name" && mkdir "$name"
	(cd "$name" && env "LD_PRELOAD=$preload" "$@" >../out 2>../err)
	status=$?
	[ $status -eq $bare ] || fail "$name: status $status, without it $bare: $(cat err)"
	same bare.out out "$name: standard output"
	same bare.err err "$name: standard error"
	whole "$name"
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
		*/churn) set -- "$program" 300000 ;;
		*) set -- "$program" 600000 ;;
		esac
		under before "$allocator $LIBRARY" "$@"
		"$CPCONV" --info "$stream" | grep -q "$allocator" || fail "$file is not there"
		under behind "$LIBRARY:$allocator" "$@"
		"$CPCONV" --info "$stream" | grep -q "$allocator" || fail "$file is not there"
	done
done

# The other profiler asks for a tick every 10 ms of CPU time, and counts those that it gets. With
# the clock itimer both profilers share one timer.
profiler=$(find_library libprofiler.so.0)
for preload in ${profiler:+"$profiler:$LIBRARY" "$LIBRARY:$profiler"}; do
	rm -rf two && mkdir two
	(cd two && env CPUPROFILE=theirs "LD_PRELOAD=$preload" "$targets/churn" 300000 >../out 2>../err)
	status=$?
	[ $status -eq 3 ] || fail "$preload: status $status: $(cat err)"
	whole two
	ticks=$(sed -n 's/^PROFILE: interrupts[^=]* = \([0-9]*\).*/\1/p' err)
	[ -s two/theirs ] || fail "$preload: libprofiler has written nothing"
	at_least "$ticks" 30 || fail "$preload: libprofiler has got $ticks ticks: $(cat err)"
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
for preload in "./libstarts.so:./libcpsample.so" "libstarts.so libcpsample.so" " ./libstarts.so  libm.so.6 ./libcpsample.so " \
	":libstarts.so:../${tmp##*/}/libcpsample.so::libm.so.6"; do
	rm -f ./*.cps
	env "LD_LIBRARY_PATH=." "LD_PRELOAD=$preload" "$targets/spin" 300 3 sub >out 2>err
	[ $? -eq 3 ] && [ ! -s err ] || fail "LD_PRELOAD=\"$preload\": $(cat err)"
	sampled_all .
	all_views "$stream"
	(cd / && "$CPCONV" --folded --unit gticks "$tmp/$stream") >folded || fail "LD_PRELOAD=\"$preload\": no view"
	grep -q ";burn_at_start [0-9]*\$" folded || fail "LD_PRELOAD=\"$preload\": no burn_at_start: $(cat folded)"
done
rm -f ./*.cps
# The recorder is found in LD_LIBRARY_PATH by its name alone.
env LD_LIBRARY_PATH="$tmp" LD_PRELOAD=libcpsample.so "$targets/spin" 500 3 >out 2>err
[ $? -eq 3 ] && [ ! -s err ] || fail "LD_LIBRARY_PATH: $(cat err)"
whole .
rm -f ./*.cps
# A recorder that is preloaded twice records once.
env "LD_PRELOAD=$tmp/libcpsample.so ./libcpsample.so" "$targets/spin" 500 3 >out 2>err
[ $? -eq 3 ] && [ ! -s err ] || fail "twice: $(cat err)"
whole .
note "$runs recordings"
