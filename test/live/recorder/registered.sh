#!/bin/sh
# SPDX-License-Identifier: MIT
# Stacks are whole above, in and below generated code whose unwind information is registered with libgcc
# (__register_frame and the like), also while other code comes and goes, and where libgcc is loaded later. libgcc gets
# what it would get. A program that frees the information without a word goes on, and so does its child.
#
# Seen to fail:
# - Without cps_registered_count() in row.c 0 % of `late` are.
# - Without note() in wrap_frame.c 0 to 3 % are whole.
# - Without cps_module_table_renew() in registered.c 15 to 40 % of `replace` are.
# - If the information is read directly (window_for() in cfi.c) `gone` ends by SIGSEGV.
# - If the real functions are not called libgcc does not know the code.
# - Without cps_find_loaded() and cps_find_next() in find_real() nor does it if it was loaded later.
#
# Chance: a share of 5 % of what has a fifth is missed in one of 1,000 attempts with 36 ticks a second (burn.h), the
# fewest ever seen, and with 4 and 16 times the work in none.
#
# Wants a core of its own.
. "$(dirname "$0")/../lib.sh"

# runs MS CLOCK PROGRAM ARGUMENT...: with the amount at the end
runs() {
	ms=$1 clock=$2
	shift 2
	record CPSAMPLE_CLOCK="$clock" CPSAMPLE_OUTPUT=x.cps "$@" "$ms" >out 2>&1
	status=$?
	[ $status -eq 0 ] && [ "$(cat out)" = "done" ] || fault "$*: status $status: $(cat out)"
}

# whole MS PERCENT CLOCK PROGRAM ARGUMENT...
whole() {
	percent=$2
	ms=$1
	shift 2
	runs "$ms" "$@"
	stream=x.cps
	accounts_for_all "$stream"
	mostly_whole "$stream" "$percent" || fail "$*: $(info "$stream" complete_percent) % whole"
	"$CPCONV" --folded --unit gticks "$stream" >folded || fail "$*: no view"
	for path in 'relay;[^;]*' 'relay;[^;]*;work'; do
		share=$(awk -v path=";run;[^;]*;$path " '!/not sampled|;storm/ { all += $NF }
			$0 ~ path { mine += $NF } END { printf "%d\n", 100 * mine / all + 0.5 }' folded)
		at_least "$share" 5 || fail "$*: $share % of the time are in $path: $(cut -c 1-200 folded)"
	done
}

for clock in timer perf strata; do
	with_more_work whole 300 98 $clock "$targets/registered" frame
done
for mode in info table replace storm; do
	with_more_work whole 600 98 strata "$targets/registered" $mode
done
with_more_work whole 600 60 strata "$targets/registered" late
with_more_work runs 200 strata "$targets/registered" gone

cat >host.c <<'END'
#include <dlfcn.h>
int main(int argc, char **argv)
{
	void *library = dlopen(argv[1], RTLD_NOW);
	int (*f)(int, char **) = library ? (int (*)(int, char **))dlsym(library, "main") : 0;
	return f ? f(argc - 1, argv + 1) : 77;
}
END
if $CC -o host host.c && $CC -std=gnu11 -D_GNU_SOURCE -O2 -g -pthread -shared -fPIC -o library.so \
	"$root/test/targets/registered.c" -lgcc_s 2>/dev/null; then
	./host ./library.so frame 10 >/dev/null || fail "the library does not work without the recorder"
	with_more_work whole 300 98 strata "$tmp/host" "$tmp/library.so" frame
fi
