/* SPDX-License-Identifier: MIT */
/*
 * rate.c - says how much of the resource one sample stands for.
 *
 * In: a profile or one process of it. Out: text.
 *
 * A clock may tick at longer intervals than it was asked to, such as those of the kernel's own clock.
 * Then the interval that was asked for says little, and what was credited says how it really was.
 */
#include "write/rate.h"

#include <inttypes.h>
#include <string.h>

#include "write/weight.h"

#define NEAR 10 /* one part in so many is as good as what was asked for */

/* What was credited to `hits` samples, and the interval that was asked for: 0 if it is not known. */
struct rate {
	uint64_t weight, hits, interval;
	bool differs; /* inputs asked for different intervals */
};

/* What was credited to places where ticks have seen a thread. */
static uint64_t sampled(const struct profile *p)
{
	uint64_t weight = p->weight;
	size_t i;

	for (i = 1; i < p->n_nodes; i++) {
		const struct profile_frame *f = &p->frames[p->nodes[i].frame];

		if (f->address == CPS_NOT_SAMPLED_ADDRESS && profile_stand_in(f))
			weight -= p->nodes[i].self_weight;
	}
	return weight;
}

static struct rate rate_of(const struct profile *p)
{
	struct rate r = {.weight = sampled(p), .hits = p->hits};
	size_t i;

	for (i = 0; i < p->n_processes; i++) {
		uint64_t interval = p->processes[i].interval;

		r.differs |= i > 0 && interval != p->processes[0].interval;
		r.interval = interval > r.interval ? interval : r.interval;
	}
	return r;
}

static bool is_as_asked(const struct rate *r)
{
	double interval = (double)r->weight / (double)r->hits, asked = (double)r->interval;

	return !r->differs && interval <= asked + asked / NEAR && interval >= asked - asked / NEAR;
}

/* What gticks are called, in the plural: "faults". */
static const char *gticks(const struct profile *p)
{
	const char *unit = p->unit == STRINGS_NONE ? "" : strings_get(p->strings, p->unit, NULL);

	return *unit ? unit : "gticks";
}

/* An amount of the resource: "1 ms", "10 faults". */
static void write_interval(struct out *o, const struct profile *p, uint64_t interval)
{
	char text[WEIGHT_BYTES];

	if (weight_is_scaled(p))
		out_text(o,
			 weight_interval(text, strings_get(p->strings, p->unit, NULL), interval));
	else if (interval == 1)
		out_text(o, "1 gtick");
	else
		out_format(o, "%" PRIu64 " %s", interval, gticks(p));
}

/* What one sample stands for: "3.993 ms", "10 faults". */
static void write_mean(struct out *o, const struct profile *p, const struct rate *r)
{
	char text[WEIGHT_BYTES];

	if (weight_is_scaled(p))
		out_text(o, weight_alone(text, p, r->weight / r->hits));
	else if (r->weight == r->hits)
		out_text(o, "1 gtick");
	else
		out_format(o, "%.4g %s", (double)r->weight / (double)r->hits, gticks(p));
}

static void write_asked(struct out *o, const struct profile *p, const struct rate *r)
{
	if (is_as_asked(r))
		return;
	out_text(o, " (asked for: ");
	if (r->differs)
		out_text(o, "different intervals");
	else
		write_interval(o, p, r->interval);
	out_text(o, ")");
}

/* Whether samples are of waits, long or short: one on which several points fall is one sample. */
static bool is_of_waits(const struct profile *p)
{
	static const char *const names[] = {"real", "lock", "lock-blame"};
	const char *name =
		p->resource == STRINGS_NONE ? "" : strings_get(p->strings, p->resource, NULL);

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (strcmp(name, names[i]) == 0)
			return true;
	return false;
}

void rate_write(struct out *o, const struct profile *p, bool brief)
{
	struct rate r = rate_of(p);

	if (!r.interval)
		return;
	if (r.hits && is_of_waits(p)) {
		out_text(o, ", at most one of each wait");
		return;
	}
	if (!r.hits) {
		out_text(o, r.differs ? "" : ", asked for: one per ");
		if (!r.differs)
			write_interval(o, p, r.interval);
		return;
	}
	out_text(o, ", one per ");
	write_mean(o, p, &r);
	out_text(o, !brief && weight_is_cpu(p) ? " CPU" : "");
	write_asked(o, p, &r);
}

void rate_write_process(struct out *o, const struct profile *p,
			const struct profile_process *process)
{
	struct rate r = {
		.weight = profile_process_sampled(process),
		.hits = process->samples,
		.interval = process->interval,
	};

	if (!r.hits || is_of_waits(p)) {
		write_interval(o, p, r.interval);
		return;
	}
	write_mean(o, p, &r);
	write_asked(o, p, &r);
}
