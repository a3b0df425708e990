#!/bin/sh
# SPDX-License-Identifier: MIT
# Libraries that come later are seen, by dlopen as it is, and one that is loaded where another one was
# does not get the other's names. So are those in a namespace of dlmopen's. A storm of dlopen and dlclose from four threads,
# with forks in the middle of it, ends well, and mixes no names up (test_module_table looks whether it fills the table).
# Seen to fail: without cps_module_refresh nothing has a name; without the wrapped dlclose the second
# library's time stands under the first one's function; with next_of() in module.c NULL what runs in a namespace is [unknown];
# with modules that are read while they are unloaded (cps_module_read_begin, is_there) a storm of 1500 rounds ends with SIGSEGV.
# STORM is the number of rounds for each thread: 5000 take minutes.
. "$(dirname "$0")/../lib.sh"

# library NAME CONDITION: as long as that holds it burns
library() {
	cat >"$1.c" <<END
#include <stdint.h>
#include "$root/test/targets/burn.h"
static volatile uint64_t sink;
__attribute__((noinline)) static void burn_in_$1(void)
{
	uint64_t begin = cpu_ns(CLOCK_THREAD_CPUTIME_ID), turns = 0;
	for (; $2; turns++)
		sink = burn(sink + 1, 10000);
	sink += begin;
}
void plugin(void);
void plugin(void)
{
	burn_in_$1();
	sink++;
}
END
	$CC -O2 -shared -fPIC -Wl,--build-id -o "lib$1.so" "$1.c" || fail "cannot build lib$1.so"
}

# shares AT_LEAST: each of the two has half of the time
shares() {
	"$CPCONV" --folded "$stream" >folded || fail "no view"
	for name in first second; do
		share=$(awk -v name="burn_in_$name" '{ all += $NF } $0 ~ ";plugin;" name { mine += $NF }
			END { printf "%d\n", 100 * mine / all }' folded)
		[ "$share" -ge "$1" ] && [ "$share" -le 54 ] || fail "burn_in_$name has $share % of the time"
	done
}

library first "cpu_ns(CLOCK_THREAD_CPUTIME_ID) < begin + 200000000"
library second "cpu_ns(CLOCK_THREAD_CPUTIME_ID) < begin + 200000000"
mkdir run
(cd run && record "$targets/plugins" 3 ../libfirst.so ../libsecond.so >../addresses) ||
	fail "plugins ended with $?"
[ "$(sort -u addresses | wc -l)" -lt 6 ] || note "no address was used twice"
stream=$(one_stream run) || fail "$stream"
accounts_for_all "$stream"
at_least "$(info "$stream" complete_percent)" 99 || fail "stacks: $(info "$stream" complete_percent) %"
shares 45

# Another C library is loaded each time, which takes a while, too.
mkdir spaces
(cd spaces && record "$targets/plugins" n2 ../libfirst.so ../libsecond.so >../addresses) ||
	fail "plugins in namespaces ended with $?"
stream=$(one_stream spaces) || fail "$stream"
accounts_for_all "$stream"
shares 40

for i in 1 2 3 4 5 6; do
	library "storm_$i" "turns < 180 + begin / 1000 % 361" # else ticks could keep in step with them
done
for clock in timer perf; do
	rm -rf storm && mkdir storm
	(cd storm && record CPSAMPLE_CLOCK=$clock CPSAMPLE_RESOURCES=cpu:500us \
		"$targets/loader_storm" "${STORM:-100}" ../libstorm_*.so >../storm.out) ||
		fail "$clock: the storm ended with $?: $(cat storm.out)"
	stream=$(one_stream storm) || fail "$clock: $stream"
	within 1 "$(info "$stream" credited_ns)" "$(info "$stream" process_cpu_ns)" ||
		fail "$clock: credited $(info "$stream" credited_ns) ns"
	# While a library goes away the information of others is not read.
	at_least "$(info "$stream" complete_percent)" 50 ||
		fail "$clock: stacks: $(info "$stream" complete_percent) %"
	modules=$("$CPCONV" --info "$stream" | grep -c '/libstorm_')
	[ "$modules" -ge 6 ] && [ "$modules" -le 100 ] || fail "$clock: $modules modules"
	# Six that burn as long: a name that stands for another one's time would show.
	"$CPCONV" --folded "$stream" >folded || fail "$clock: no view"
	for i in 1 2 3 4 5 6; do
		share=$(awk -v name="burn_in_storm_$i" '/burn_in_storm/ { all += $NF } $0 ~ name { mine += $NF }
			END { printf "%d\n", 100 * mine / all }' folded)
		[ "$share" -ge 6 ] && [ "$share" -le 30 ] || fail "$clock: storm_$i has $share % of the time"
	done
	! grep -q 'burn_in_storm_[1-6];.*plugin' folded || fail "$clock: a plugin above a plugin"
	summary="${summary-}$clock $(info "$stream" samples) samples, $modules modules, $(info "$stream" complete_percent) % whole; "
done
note "${summary%; }"
