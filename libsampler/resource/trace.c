/* SPDX-License-Identifier: MIT */
/*
 * trace.c - finds the numbers of the kernel's tracepoints.
 *
 * In: SYSTEM:NAME and the files of tracefs: events/SYSTEM/NAME/id. Out: type and config of
 * perf_event_open(2).
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>

#include "base/descriptor.h"
#include "base/error_text.h"
#include "base/sys.h"
#include "resource/trace.h"
#include "base/poison.h"

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
static int read_number(const char *path, uint64_t *number)
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

static int refuse(const char *root, const char *event, int error, char *why, size_t bytes)
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
		if (read_number(path, &kind->config) == 0)
			return 0;
		found = look(roots[i]);
		if (!found || (found == -EACCES && error)) {
			error = found;
			seen = roots[i];
		}
	}
	return refuse(seen, event, error, why, bytes);
}
