#!/bin/sh
# SPDX-License-Identifier: MIT
# Libraries that come later are seen, by dlopen as it is, and one that is loaded where another one was
# does not get the other's names.
# Seen to fail: without cps_module_refresh nothing has a name; without the wrapped dlclose the second
# library's time stands under the first one's function.
. "$(dirname "$0")/lib.sh"

for name in first second; do
	cat >$name.c <<END
#include <stdint.h>
#include "$root/test/targets/burn.h"
static volatile uint64_t sink;
__attribute__((noinline)) static void burn_in_$name(void)
{
	uint64_t until = cpu_ns(CLOCK_THREAD_CPUTIME_ID) + 200000000;
	while (cpu_ns(CLOCK_THREAD_CPUTIME_ID) < until)
		sink = burn(sink + 1, 10000);
}
void plugin(void);
void plugin(void)
{
	burn_in_$name();
	sink++;
}
END
	$CC -O2 -shared -fPIC -Wl,--build-id -o lib$name.so $name.c || fail "cannot build lib$name.so"
done

mkdir run
(cd run && record "$targets/plugins" 3 ../libfirst.so ../libsecond.so >../addresses) ||
	fail "plugins ended with $?"
[ "$(sort -u addresses | wc -l)" -lt 6 ] || note "no address was used twice"
stream=$(one_stream run) || fail "$stream"
accounts_for_all "$stream"
at_least "$(info "$stream" complete_percent)" 99 || fail "stacks: $(info "$stream" complete_percent) %"
"$CPCONV" --folded "$stream" >folded || fail "no view"
for name in first second; do
	share=$(awk -v name="burn_in_$name" '{ all += $NF } $0 ~ ";plugin;" name { mine += $NF }
		END { printf "%d\n", 100 * mine / all }' folded)
	[ "$share" -ge 45 ] && [ "$share" -le 52 ] || fail "burn_in_$name has $share % of the time"
done
