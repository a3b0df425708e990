/* SPDX-License-Identifier: MIT */
/*
 * wanted.c - reads which resources the user wants, and with what intervals.
 */
#include <string.h>

#include "base/text.h"
#include "resource/resource.h"
#include "setup/clocks.h"
#include "setup/wanted.h"
#include "base/poison.h"

/* ---- interval -------------------------------------------------------------------------------- */
/*
 * Parses intervals.
 *
 * In: a text. Out: gticks.
 */

#define SECOND	  UINT64_C(1000000000)
#define TIME_MAX  (UINT64_C(4000000000) * SECOND) /* more than a century */
#define COUNT_MAX (UINT64_C(1) << 40)

int cps_wanted_time(const char *text, uint64_t unit, uint64_t *ns)
{
	const struct {
		const char *name;
		uint64_t ns;
	} units[] = {{"ns", 1},
		     {"us", 1000},
		     {"ms", 1000000},
		     {"s", SECOND},
		     {unit ? "" : "s", SECOND},
		     {"min", 60 * SECOND}};
	uint64_t whole = 0, fraction = 0, divisor = 1;
	const char *p = text;

	for (; *p >= '0' && *p <= '9'; p++) {
		if (whole > TIME_MAX / 10)
			return -1;
		whole = whole * 10 + (uint64_t)(*p - '0');
	}
	if (p == text)
		return -1;
	if (*p == '.')
		for (p++; *p >= '0' && *p <= '9' && divisor < 1000000000; p++, divisor *= 10)
			fraction = fraction * 10 + (uint64_t)(*p - '0');
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (strcmp(p, units[i].name) != 0)
			continue;
		if (whole > TIME_MAX / units[i].ns)
			return -1;
		*ns = whole * units[i].ns + fraction * (units[i].ns / divisor) +
		      fraction * (units[i].ns % divisor) / divisor;
		return 0;
	}
	return -1;
}

static int read_count(const char *text, uint64_t thousand, uint64_t *gticks)
{
	static const char multiples[] = "kMG";
	uint64_t n = 0, times = 1;
	const char *p = text, *m;

	for (; *p >= '0' && *p <= '9'; p++) {
		n = n * 10 + (uint64_t)(*p - '0');
		if (n > COUNT_MAX)
			return -1;
	}
	m = *p ? strchr(multiples, *p) : NULL;
	if (p == text || !n || (*p && (!m || p[1])))
		return -1;
	for (; m && m >= multiples; m--)
		times *= thousand;
	if (n > COUNT_MAX / times)
		return -1;
	*gticks = n * times;
	return 0;
}

/* Read an interval of this kind in gticks: a time from 10us to 3600s; bytes or events, from 1 on, also with k, M
 * or G behind the number: for bytes that is 1,024, for events 1,000 times the one before. 0 or -1. */
static int cps_wanted_interval(const char *text, enum cps_resource_kind kind, uint64_t *gticks)
{
	if (kind == CPS_RESOURCE_TIME)
		return cps_wanted_time(text, 0, gticks) == 0 && *gticks >= CPS_INTERVAL_LEAST &&
				       *gticks <= CPS_INTERVAL_MOST
			       ? 0
			       : -1;
	return read_count(text, kind == CPS_RESOURCE_BYTES ? 1024 : 1000, gticks);
}

/* ---- the list -------------------------------------------------------------------------------- */
/*
 * The table of resources, and what the user may ask of it.
 *
 * In: CPSAMPLE_RESOURCES. Out: which resources are wanted, and their intervals.
 */

/* What has a slash in it is an event by the name of /sys/bus/event_source. */
static const struct cps_resource *find(const char *name, size_t length)
{
	if (memchr(name, '/', length))
		return &cps_resource_pmu;
	for (size_t i = 0; cps_resource_table[i]; i++)
		if (strcspn(cps_resource_table[i]->name, ":") == length &&
		    memcmp(cps_resource_table[i]->name, name, length) == 0)
			return cps_resource_table[i];
	return NULL;
}

static int read_interval(const char *text, const char *end, enum cps_resource_kind kind,
			 uint64_t *interval)
{
	char copy[32];

	if ((size_t)(end - text) >= sizeof(copy))
		return -1;
	memcpy(copy, text, (size_t)(end - text));
	copy[end - text] = '\0';
	return cps_wanted_interval(copy, kind, interval);
}

static const char *last_colon(const char *text, const char *end)
{
	while (end > text && end[-1] != ':')
		end--;
	return end > text ? end - 1 : NULL;
}

/* Reads a text that is a resource with a name of its own: NAME, or NAME:INTERVAL if it ends like that. */
static int read_named(const char *text, const char *end, struct cps_wanted_resource *one)
{
	const char *colon = last_colon(text, end);

	if (colon && read_interval(colon + 1, end, one->resource->kind, &one->interval) == 0)
		end = colon;
	return one->resource->read_name(text, end, one->name);
}

static bool is_there(const struct cps_wanted_resources *wanted,
		     const struct cps_wanted_resource *one)
{
	size_t n_calls = 0;

	for (size_t i = 0; i < wanted->n; i++) {
		const struct cps_wanted_resource *other = &wanted->list[i];

		n_calls += other->resource == &cps_resource_calls;
		if (other->resource == one->resource && strcmp(other->name, one->name) == 0)
			return true;
	}
	return one->resource == &cps_resource_calls && n_calls == CPS_CALLS_SYMBOLS;
}

/* Reads one NAME[:INTERVAL] that ends at `end`. */
static int read_one(const char *text, const char *end, struct cps_wanted_resources *wanted,
		    struct cps_clock_settings *clock)
{
	struct cps_wanted_resource *one = &wanted->list[wanted->n];
	const char *colon = memchr(text, ':', (size_t)(end - text));
	size_t length = (size_t)((colon ? colon : end) - text);
	const struct cps_clock *c = cps_clocks_of_resource(text, length);

	one->resource = c ? NULL : find(text, length);
	one->name[0] = '\0';
	if ((!one->resource && !c) || (c && wanted->has_clock))
		return -1;
	one->interval = one->resource ? one->resource->interval : 0;
	one->is_given = colon;
	if (one->resource && one->resource->read_name)
		return read_named(text, end, one) == 0 && !is_there(wanted, one) ? 0 : -1;
	if (is_there(wanted, one) || (colon && c && !c->interval_ns))
		return -1;
	if (colon && read_interval(colon + 1, end, c ? CPS_RESOURCE_TIME : one->resource->kind,
				   &one->interval) < 0)
		return -1;
	if (c) {
		wanted->has_clock = true;
		clock->resource = c->resource;
		clock->interval_ns = one->interval;
	}
	return 0;
}

/* A resource that has the samples of another one needs that, and both have the same interval: the shorter
 * one. */
static int add_counting(struct cps_wanted_resources *wanted)
{
	for (size_t i = 0, k; i < wanted->n; i++) {
		struct cps_wanted_resource *one = &wanted->list[i], *other;

		if (!one->resource || !one->resource->counted_by)
			continue;
		for (k = 0; k < wanted->n && wanted->list[k].resource != one->resource->counted_by;)
			k++;
		if (k == CPS_RESOURCES_WANTED)
			return -1;
		other = &wanted->list[k];
		if (k == wanted->n)
			wanted->list[wanted->n++] = (struct cps_wanted_resource){
				one->resource->counted_by, one->interval, "", one->is_given};
		if (other->interval < one->interval)
			one->interval = other->interval;
		other->interval = one->interval;
	}
	return 0;
}

/* The interval that a resource which needs the clock is given is the clock's, too, unless what the clock measures is
 * wanted itself. Parts of that have no interval of their own: the shortest one that is given holds. */
static void share_interval(const struct cps_wanted_resources *wanted,
			   struct cps_clock_settings *clock)
{
	for (size_t i = 0; i < wanted->n; i++) {
		const struct cps_resource *r = wanted->list[i].resource;
		uint64_t interval = wanted->list[i].interval;

		if (r && wanted->list[i].is_given &&
		    (r->part ? !clock->interval_ns || interval < clock->interval_ns
			     : r->joins_clock && !wanted->has_clock && !clock->interval_ns))
			clock->interval_ns = interval;
	}
}

static const char *kind_text(enum cps_resource_kind kind)
{
	return kind == CPS_RESOURCE_TIME    ? "a time from 10us to 3600s (1ms)"
	       : kind == CPS_RESOURCE_BYTES ? "a number of bytes (64k)"
					    : "a number (1000)";
}

/* What must be said of one of which there may be several. */
static void explain_named(const struct cps_resource *r, char *why, size_t bytes)
{
	char length[24], most[24];

	if (r == &cps_resource_calls)
		cps_error_text_join(
			why, bytes, "must have the name of a function, at most ",
			cps_digits(length + sizeof(length), CPS_RESOURCE_NAME_BYTES - 7),
			" bytes long, and may have an interval (calls:qsort,calls:malloc:1000); at "
			"most ",
			cps_digits(most + sizeof(most), CPS_CALLS_SYMBOLS), ", each once", NULL);
	else
		cps_error_text_join(why, bytes, "must be ",
				    r == &cps_resource_perf ? "perf:0xCONFIG or perf:TYPE:0xCONFIG"
				    : r == &cps_resource_trace ? "tp:SYSTEM:NAME"
							       : "PMU/EVENT/",
				    ", once, and may have an interval after a colon", NULL);
}

/* Says what is wrong with an item that read_one() does not take. */
static void explain_item(const char *item, const struct cps_wanted_resources *wanted, char *why,
			 size_t bytes)
{
	size_t length = strcspn(item, ":");
	const struct cps_clock *c = cps_clocks_of_resource(item, length);
	const struct cps_resource *r = c ? NULL : find(item, length);
	const struct cps_wanted_resource one = {.resource = r};
	char most[24];

	if (wanted->n >= CPS_RESOURCES_WANTED)
		cps_error_text_join(why, bytes, "is too many; there may be ",
				    cps_digits(most + sizeof(most), CPS_RESOURCES_WANTED), NULL);
	else if (!c && !r && length == 3 && memcmp(item, "fpe", 3) == 0)
		cps_error_text_join(why, bytes,
				    "is no resource any more; call feenableexcept(3) in the "
				    "program and let a debugger stop at SIGFPE",
				    NULL);
	else if (!c && !r)
		cps_error_text_join(why, bytes, "is no resource", NULL);
	else if (r && r->read_name)
		explain_named(r, why, bytes);
	else if (c && wanted->has_clock)
		cps_error_text_join(why, bytes,
				    "comes after cpu or signals; one of these can be named, once",
				    NULL);
	else if (r && is_there(wanted, &one))
		cps_error_text_join(why, bytes, "comes twice", NULL);
	else if (c && !c->interval_ns)
		cps_error_text_join(why, bytes, "has no interval", NULL);
	else
		cps_error_text_join(why, bytes, "must have ",
				    kind_text(c ? CPS_RESOURCE_TIME : r->kind), " as its interval",
				    NULL);
}

/* Says which item is wrong, and why. */
static void explain(const char *text, const char *end, const struct cps_wanted_resources *wanted,
		    char *why, size_t bytes)
{
	char item[2 * CPS_RESOURCE_NAME_BYTES], reason[256];
	size_t n = cps_error_text_join(item, sizeof(item), text, NULL);

	item[(size_t)(end - text) < n ? (size_t)(end - text) : n] = '\0';
	explain_item(item, wanted, reason, sizeof(reason));
	cps_error_text_join(why, bytes, "\"", item, "\" ", reason,
			    "; see cpsample --list-resources", NULL);
}

/* The comma or the end. Those between two slashes belong to an event's name. */
static const char *end_of(const char *text)
{
	const char *end = text + strcspn(text, ","), *slash = text + strcspn(text, ",/");

	if (*slash == '/' && strchr(slash + 1, '/'))
		end = strchr(slash + 1, '/');
	return end + strcspn(end, ",");
}

int cps_wanted_read(const char *text, struct cps_wanted_resources *wanted,
		    struct cps_clock_settings *clock, char *choices, size_t bytes)
{
	const char *end;

	*wanted = (struct cps_wanted_resources){.n = 0};
	for (;; text = end + 1) {
		end = end_of(text);
		if (wanted->n == CPS_RESOURCES_WANTED || read_one(text, end, wanted, clock) < 0 ||
		    (++wanted->n && !*end && add_counting(wanted) < 0)) {
			explain(text, end, wanted, choices, bytes);
			return -1;
		}
		if (!*end)
			break;
	}
	share_interval(wanted, clock);
	return 0;
}

bool cps_wanted_ticks_in_calls(const struct cps_wanted_resources *wanted)
{
	for (size_t i = 0; i < wanted->n; i++)
		if (wanted->list[i].resource && wanted->list[i].resource->ticks_in_calls)
			return true;
	return false;
}

const char *cps_wanted_symbol(const char *name)
{
	return strchr(name, ':') + 1;
}
