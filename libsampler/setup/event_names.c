/* SPDX-License-Identifier: MIT */
/*
 * event_names.c - finds the numbers of events that the kernel has names for.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>

#include "base/sys.h"
#include "base/text.h"
#include "setup/event_names.h"
#include "base/poison.h"

/* ---- pmu ------------------------------------------------------------------------------------- */
/*
 * In: PMU/TERM,.../ and the files of that directory: `type` is a number, events/NAME a list of
 * terms, format/NAME the bits of a field ("config:0-7,32-35"). Out: type and config of
 * perf_event_open(2).
 */

#define TEXT_BYTES 256

struct search {
	const char *root;
	char pmu[64];
	struct cps_overflow_kind *kind;
	char *why;
	size_t bytes;
};

/* One NAME or NAME=VALUE. */
struct term {
	char name[64], value[32];
	bool has_value;
};

bool cps_pmu_is_event(const char *text, const char *end)
{
	const char *slash = memchr(text, '/', (size_t)(end - text));

	for (const char *p = text; p < end; p++)
		if (!((*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') ||
		      (*p >= '0' && *p <= '9') || (*p && strchr("_-.=,/", *p))))
			return false;
	return slash && slash > text && *text != '.' && slash + 2 < end && end[-1] == '/' &&
	       memchr(slash + 1, '/', (size_t)(end - slash - 1)) == end - 1;
}

static int refuse(const struct search *s, int error, const char *before, const char *what,
		  const char *after)
{
	cps_error_text_join(s->why, s->bytes, s->pmu, ": ", before, what, after, NULL);
	return error;
}

/* Reads the file's first line. Returns its length, or -errno. */
static int read_file(const struct search *s, const char *directory, const char *name,
		     char text[TEXT_BYTES])
{
	char path[512];
	long n;
	int fd;

	cps_error_text_join(path, sizeof(path), s->root, "/", s->pmu, "/", directory, name, NULL);
	fd = cps_descriptor_open(path, O_RDONLY, 0);
	if (fd < 0)
		return fd;
	n = cps_sys_read(fd, text, TEXT_BYTES - 1);
	cps_sys_close(fd);
	if (n < 0)
		return (int)n;
	text[n] = '\0';
	text[strcspn(text, "\n")] = '\0';
	return (int)strlen(text);
}

static int digit_of(char c, unsigned base)
{
	int digit = c >= '0' && c <= '9'   ? c - '0'
		    : c >= 'a' && c <= 'f' ? c - 'a' + 10
		    : c >= 'A' && c <= 'F' ? c - 'A' + 10
					   : 16;

	return digit < (int)base ? digit : -1;
}

/* Reads a number, hexadecimal after 0x. Returns what follows it, or NULL. */
static const char *read_number(const char *text, uint64_t *value)
{
	unsigned base = text[0] == '0' && (text[1] | 32) == 'x' ? 16 : 10;
	const char *p = base == 16 ? text + 2 : text, *first = p;

	for (*value = 0; digit_of(*p, base) >= 0; p++) {
		if (*value > (UINT64_MAX - 15) / base)
			return NULL;
		*value = *value * base + (uint64_t)digit_of(*p, base);
	}
	return p > first ? p : NULL;
}

static uint64_t *word_of(struct cps_overflow_kind *kind, const char *name, size_t length)
{
	static const char *const names[] = {"config", "config1", "config2"};
	uint64_t *const words[] = {&kind->config, &kind->config1, &kind->config2};

	for (size_t i = 0; i < 3; i++)
		if (strlen(names[i]) == length && memcmp(names[i], name, length) == 0)
			return words[i];
	return NULL;
}

/* Puts the value's bits, the lowest first, where the format says. */
static int set_field(const struct search *s, const char *name, const char *format, uint64_t value)
{
	const char *colon = strchr(format, ':');
	uint64_t *word = colon ? word_of(s->kind, format, (size_t)(colon - format)) : NULL;
	const char *p = colon;

	while (word && p) {
		uint64_t low, high;

		p = read_number(p + 1, &low);
		high = low;
		if (p && *p == '-')
			p = read_number(p + 1, &high);
		if (!p || high > 63 || low > high)
			return refuse(s, -EINVAL, "the kernel's format of ", name,
				      " is not understood");
		for (; low <= high; low++, value >>= 1)
			*word = (*word & ~(UINT64_C(1) << low)) | (value & 1) << low;
		p = *p == ',' ? p : NULL;
	}
	if (!word)
		return refuse(s, -EINVAL, "the kernel's format of ", name, " is not understood");
	return value ? refuse(s, -EINVAL, "the value of ", name, " is too large") : 0;
}

/* Takes the next term out of a list. False: there is none, or it is too long. */
static bool next_term(const char **list, struct term *term)
{
	size_t length = strcspn(*list, ","), name = strcspn(*list, "=,");

	if (!length || name >= sizeof(term->name) || length - name > sizeof(term->value))
		return false;
	memcpy(term->name, *list, name);
	term->name[name] = '\0';
	term->has_value = length > name;
	strcpy(term->value, "1");
	if (term->has_value) {
		memcpy(term->value, *list + name + 1, length - name - 1);
		term->value[length - name - 1] = '\0';
	}
	*list += length + ((*list)[length] == ',');
	return true;
}

static int set_term(const struct search *s, const struct term *term)
{
	uint64_t value, *word = word_of(s->kind, term->name, strlen(term->name));
	const char *rest = read_number(term->value, &value);
	char format[TEXT_BYTES];

	if (strchr(term->value, '?'))
		return refuse(s, -EINVAL, "the event needs a value of ", term->name, "");
	if (!rest || *rest)
		return refuse(s, -EINVAL, "the value of ", term->name, " is no number");
	if (word) {
		*word = value;
		return 0;
	}
	if (read_file(s, "format/", term->name, format) <= 0)
		return refuse(s, -ENOENT, "there is no event or field ", term->name, "");
	return set_field(s, term->name, format, value);
}

/* An event is a list of fields, and each of those of it that are named again has the value that comes last. */
static int set_terms(const struct search *s, const char *list, bool may_be_event)
{
	struct term term;
	char fields[TEXT_BYTES];
	int error = 0;

	while (*list && !error) {
		if (!next_term(&list, &term))
			return refuse(s, -EINVAL, "", list, " is not understood");
		if (may_be_event && !term.has_value &&
		    read_file(s, "events/", term.name, fields) > 0)
			error = set_terms(s, fields, false);
		else
			error = set_term(s, &term);
	}
	return error;
}

int cps_pmu_find(const char *root, const char *event, struct cps_overflow_kind *kind, char *why,
		 size_t bytes)
{
	struct search s = {.root = root, .kind = kind, .why = why, .bytes = bytes};
	const char *slash = strchr(event, '/');
	size_t n = (size_t)(slash - event);
	char text[TEXT_BYTES];
	uint64_t type;

	*kind = (struct cps_overflow_kind){.type = 0};
	memcpy(s.pmu, event, n < sizeof(s.pmu) ? n : sizeof(s.pmu) - 1);
	if (n >= sizeof(s.pmu) || read_file(&s, "", "type", text) <= 0 || !read_number(text, &type))
		return refuse(&s, -ENOENT, "not in ", root, "");
	if (read_file(&s, "", "cpumask", text) > 0)
		return refuse(&s, -ENOTSUP, "it is counted for ", "the whole machine",
			      ", not for threads");
	kind->type = (uint32_t)type;
	cps_error_text_join(text, sizeof(text), slash + 1, NULL);
	text[strcspn(text, "/")] = '\0';
	return set_terms(&s, text, true);
}

/* ---- trace ----------------------------------------------------------------------------------- */
/*
 * In: SYSTEM:NAME and the files of tracefs: events/SYSTEM/NAME/id. Out: type and config of
 * perf_event_open(2).
 */

const char *const cps_trace_roots[] = {"/sys/kernel/tracing", "/sys/kernel/debug/tracing", NULL};

static bool is_name(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_' || c == '-';
}

bool cps_trace_is_event(const char *text, const char *end)
{
	const char *colon = memchr(text, ':', (size_t)(end - text));

	for (const char *p = text; p < end; p++)
		if (p != colon && !is_name(*p))
			return false;
	return colon && colon > text && colon + 1 < end;
}

/* Reads a file that is a number. Returns 0 or -errno. */
static int read_id(const char *path, uint64_t *number)
{
	int fd = cps_descriptor_open(path, O_RDONLY, 0);
	char text[24];
	long n;

	if (fd < 0)
		return fd;
	n = cps_sys_read(fd, text, sizeof(text));
	cps_sys_close(fd);
	if (n < 0)
		return (int)n;
	*number = 0;
	for (long i = 0; i < n && text[i] >= '0' && text[i] <= '9'; i++)
		*number = *number * 10 + (uint64_t)(text[i] - '0');
	return n > 0 && *number > 0 ? 0 : -EINVAL;
}

/* Whether the list of events can be read below that root: 0 or -errno. */
static int look(const char *root)
{
	char path[256];
	int fd;

	cps_error_text_join(path, sizeof(path), root, "/events", NULL);
	fd = cps_descriptor_open(path, O_RDONLY | O_DIRECTORY, 0);
	if (fd < 0)
		return fd;
	cps_sys_close(fd);
	return 0;
}

static int refuse_tracepoint(const char *root, const char *event, int error, char *why,
			     size_t bytes)
{
	if (error == -EACCES || error == -EPERM)
		cps_error_text_join(why, bytes, root, ": ", cps_error_text(-error),
				    " (as root, mount -o remount,mode=755 ", root,
				    " would allow it)", NULL);
	else if (error)
		cps_error_text_join(why, bytes, root,
				    ": no events (as root, mount -t tracefs tracefs ", root,
				    " would help)", NULL);
	else
		cps_error_text_join(why, bytes, root, ": there is no tracepoint ", event, NULL);
	return error ? error : -ENOENT;
}

int cps_trace_find(const char *const *roots, const char *event, struct cps_overflow_kind *kind,
		   char *why, size_t bytes)
{
	const char *colon = strchr(event, ':'), *seen = roots[0];
	int error = -ENOENT, found;
	char path[512];

	*kind = (struct cps_overflow_kind){.type = PERF_TYPE_TRACEPOINT, .needs_kernel = true};
	kind->is_calls = strncmp(event, "raw_syscalls:", 13) == 0;
	kind->is_at_exit = strncmp(colon, ":sys_exit", 9) == 0 && colon - event >= 8 &&
			   strncmp(colon - 8, "syscalls", 8) == 0;
	for (size_t i = 0; roots[i]; i++) {
		cps_error_text_join(path, sizeof(path), roots[i], "/events/", event, "/id", NULL);
		path[strlen(roots[i]) + strlen("/events/") + (size_t)(colon - event)] = '/';
		if (read_id(path, &kind->config) == 0)
			return 0;
		found = look(roots[i]);
		if (!found || (found == -EACCES && error)) {
			error = found;
			seen = roots[i];
		}
	}
	return refuse_tracepoint(seen, event, error, why, bytes);
}
