/* SPDX-License-Identifier: MIT */
/*
 * perf_line.c - takes a line of `perf script` apart.
 *
 * In: the bytes of a line. Out: the line of a sample, or a frame of its stack.
 */
#include "import/perf_line.h"

#include <ctype.h>
#include <string.h>

/* ---- words ------------------------------------------------------------------------------------ */

static const char *word_end(const char *at, const char *end)
{
	while (at < end && *at != ' ' && *at != '\t')
		at++;
	return at;
}

static const char *blanks_end(const char *at, const char *end)
{
	while (at < end && (*at == ' ' || *at == '\t'))
		at++;
	return at;
}

/* The whole number of digits from *at on, which end before `end`. */
static bool take_number(const char **at, const char *end, uint64_t *number)
{
	const char *begin = *at;

	for (*number = 0; *at < end && isdigit((unsigned char)**at); ++*at)
		if (__builtin_mul_overflow(*number, 10, number) ||
		    __builtin_add_overflow(*number, (uint64_t)(**at - '0'), number))
			return false;
	return *at > begin;
}

/* "4188.819099:": seconds with any number of decimals. */
static bool is_time(const char *at, const char *end, uint64_t *us)
{
	uint64_t seconds, digit = 100000, part = 0;

	if (!take_number(&at, end, &seconds) || at == end || *at++ != '.')
		return false;
	for (; at < end && isdigit((unsigned char)*at); at++, digit /= 10)
		part += digit * (uint64_t)(*at - '0');
	return end - at == 1 && *at == ':' && !__builtin_mul_overflow(seconds, 1000000, us) &&
	       !__builtin_add_overflow(*us, part, us);
}

/* "16346" or "16346/16350". */
static bool is_thread(const char *at, const char *end, struct perf_head *h)
{
	if (!take_number(&at, end, &h->pid))
		return false;
	h->tid = h->pid;
	if (at < end && *at == '/') {
		at++;
		if (!take_number(&at, end, &h->tid))
			return false;
	}
	return at == end;
}

/* Take what stands before the time: the name, the process, perhaps a processor and flags. */
static bool take_thread(const char *at, const char *end, struct perf_head *h)
{
	const char *word, *stop = end;

	at = blanks_end(at, end);
	h->comm = at;
	for (int words = 0; words < 3; words++) {
		while (stop > at && (stop[-1] == ' ' || stop[-1] == '\t'))
			stop--;
		for (word = stop; word > at && word[-1] != ' ' && word[-1] != '\t';)
			word--;
		if (word == at)
			return false;
		if (is_thread(word, stop, h)) {
			while (word > at && (word[-1] == ' ' || word[-1] == '\t'))
				word--;
			h->n_comm = (size_t)(word - at);
			return h->n_comm > 0;
		}
		stop = word;
	}
	return false;
}

bool perf_line_head(const char *at, const char *end, struct perf_head *h)
{
	const char *begin = at, *stop;

	*h = (struct perf_head){0};
	for (;; at = stop) {
		at = blanks_end(at, end);
		if (at == end)
			return false;
		stop = word_end(at, end);
		if (is_time(at, stop, &h->time_us))
			break;
	}
	if (!take_thread(begin, at, h))
		return false;
	at = blanks_end(stop, end);
	stop = at;
	h->has_period = take_number(&stop, end, &h->period) && stop < end &&
			(*stop == ' ' || *stop == '\t');
	if (h->has_period)
		at = blanks_end(stop, end);
	stop = word_end(at, end);
	h->event = at;
	h->n_event = (size_t)(stop - at);
	h->rest = blanks_end(stop, end);
	return h->n_event > 1 && stop[-1] == ':' && h->n_event--;
}

/* ---- frames ----------------------------------------------------------------------------------- */

/* How long the name is without "+0x1f" at its end. */
static size_t without_offset(const char *name, size_t n)
{
	size_t digits = 0;

	while (digits < n && isxdigit((unsigned char)name[n - 1 - digits]))
		digits++;
	if (digits && n > digits + 3 && memcmp(name + n - digits - 3, "+0x", 3) == 0)
		return n - digits - 3;
	return n;
}

static bool is_blank(const char *begin, const char *at)
{
	return at == begin || at[-1] == ' ' || at[-1] == '\t';
}

/* The parenthesis around the file, which stands last; NULL: there is none. The file's own name may have
 * parentheses, as in "(/tmp/shares (deleted))", and so may the function's, as in "f(int (*)(int))", which has no
 * file behind it. */
static const char *file_begin(const char *begin, const char *end)
{
	const char *at = end;
	size_t depth = 0;

	if (end == begin || end[-1] != ')')
		return NULL;
	do {
		at--;
		depth += *at == ')';
		depth -= *at == '(';
	} while (depth && at > begin);
	if (!depth && is_blank(begin, at))
		return at;
	/* The parentheses of the file's name do not match. */
	for (at = end; (at = memrchr(begin, '(', (size_t)(at - begin)));)
		if (is_blank(begin, at) && (at[1] == '/' || at[1] == '['))
			return at;
	return NULL;
}

static struct event_text without(struct event_text text, const char *suffix)
{
	size_t n = strlen(suffix);

	if (text.length >= n && memcmp(text.bytes + text.length - n, suffix, n) == 0)
		text.length -= n;
	return text;
}

static struct event_text function_of(const char *at, const char *end)
{
	static const char unknown[] = "[unknown]";
	struct event_text name = {at, 0};

	while (end > at && (end[-1] == ' ' || end[-1] == '\t'))
		end--;
	name.length = without_offset(at, (size_t)(end - at));
	if (name.length == sizeof(unknown) - 1 && memcmp(at, unknown, name.length) == 0)
		name.length = 0;
	return name;
}

bool perf_line_frame(const char *at, const char *end, struct perf_frame *f)
{
	const char *word = blanks_end(at, end), *stop = word, *file;

	*f = (struct perf_frame){.file = {"", 0}};
	while (stop < end && isxdigit((unsigned char)*stop))
		stop++;
	if (stop == word || stop - word > 16 || (stop < end && *stop != ' ' && *stop != '\t'))
		return false;
	at = blanks_end(stop, end);
	while (end > at && (end[-1] == ' ' || end[-1] == '\t'))
		end--;
	file = file_begin(at, end);
	f->function = function_of(at, file ? file : end);
	if (file)
		f->file = without((struct event_text){file + 1, (size_t)(end - file - 2)},
				  " (deleted)");
	return true;
}
