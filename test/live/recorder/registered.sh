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
# Wants a core of its own.
. "$(dirname "$0")/../lib.sh"

# Run the rest of the arguments in a directory of that name.
run_in() {
	mkdir "$1" && cd "$1" || exit 1
	shift
	record "$@" >../out 2>&1
	status=$?
	cd ..
	[ $status -eq 0 ] && [ "$(cat out)" = "done" ] || fail "$*: status $status: $(cat out)"
}

# whole DIRECTORY [PERCENT]
whole() {
	stream=$(one_stream "$1") || fail "$1: $stream"
	accounts_for_all "$stream"
	at_least "$(info "$stream" complete_percent)" "${2:-98}" ||
		fail "$1: $(info "$stream" complete_percent) % whole"
	"$CPCONV" --folded --unit gticks "$stream" >folded || fail "$1: no view"
	for path in 'relay;[^;]*' 'relay;[^;]*;work'; do
		share=$(awk -v path=";run;[^;]*;$path " '!/not sampled|;storm/ { all += $NF }
			$0 ~ path { mine += $NF } END { printf "%d\n", 100 * mine / all + 0.5 }' folded)
		at_least "$share" 5 || fail "$1: $share % of the time are in $path: $(cut -c 1-200 folded)"
	done
}

for clock in timer perf strata; do
	run_in $clock CPSAMPLE_CLOCK=$clock "$targets/registered" frame 300
	whole $clock
done
for mode in info table replace storm; do
	run_in $mode "$targets/registered" $mode 600
	whole $mode
done
run_in late "$targets/registered" late 600
whole late 60
run_in gone "$targets/registered" gone 200

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
	run_in plugin ../host ../library.so frame 300
	whole plugin
fi
