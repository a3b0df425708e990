/* SPDX-License-Identifier: MIT */
/*
 * rate.h - says how much of the resource one sample stands for.
 *
 * In: a profile or one process of it. Out: text.
 */
#ifndef RATE_H
#define RATE_H

#include "model/profile.h"
#include "write/out.h"

/*
 * Write ", one per 3.993 ms CPU (asked for: 1 ms)"; with `brief`, the resource is not named. The
 * first figure is what was credited to
 * samples, without what stands at [not sampled], divided by their number. The brackets are left out
 * if the interval that was asked for differs by at most a tenth, because intervals are drawn at
 * random. Nothing is written if no interval is known.
 */
void rate_write(struct out *o, const struct profile *p, bool brief);

/* The same of one process: "3.993 ms (asked for: 1 ms)". Without samples, the interval alone. */
void rate_write_process(struct out *o, const struct profile *p,
			const struct profile_process *process);

#endif
