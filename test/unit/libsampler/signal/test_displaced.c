/* SPDX-License-Identifier: MIT */
/* A call knows whether the recorder's handler was out of its place at any time while the call lasted.
 *
 * Seen to fail: without the change at the end, a call that began meanwhile does not know. */
#include <criterion/criterion.h>

#include "libsampler/signal/interruption.h"

Test(displaced, a_call_before)
{
	uint32_t call = cps_displaced_now();

	cr_assert_not(cps_displaced_since(call));
	cps_displaced_begin();
	cps_displaced_end();
	cr_assert(cps_displaced_since(call));
	cr_assert_not(cps_displaced_since(cps_displaced_now()), "a call afterwards");
}

Test(displaced, a_call_meanwhile)
{
	uint32_t call;

	cps_displaced_begin();
	call = cps_displaced_now();
	cr_assert(cps_displaced_since(call));
	cps_displaced_end();
	cr_assert(cps_displaced_since(call));
}
