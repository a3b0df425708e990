/* SPDX-License-Identifier: MIT */
/*
 * callgrind_names.c - expands the numbered names of a callgrind file.
 *
 * In: "(7) main", "(7)", "main". Out: a number for each distinct text.
 */
#include "read/callgrind_names.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/id_table.h"
#include "base/strings.h"

/* The file chooses the numbers, so that they cannot be indices. */
struct table {
	struct id_table *numbers; /* to their places */
	uint32_t *names;	  /* by place */
	size_t n, size;
};

struct callgrind_names {
	struct strings *texts;
	struct table tables[CALLGRIND_KINDS];
};

struct callgrind_names *callgrind_names_new(void)
{
	struct callgrind_names *n = calloc(1, sizeof(*n));
	bool ok = n;

	if (!n)
		return NULL;
	n->texts = strings_new();
	for (int i = 0; i < CALLGRIND_KINDS; i++) {
		n->tables[i].numbers = id_table_new();
		ok = ok && n->tables[i].numbers;
	}
	if (ok && n->texts)
		return n;
	callgrind_names_free(n);
	return NULL;
}

void callgrind_names_free(struct callgrind_names *n)
{
	if (!n)
		return;
	for (int i = 0; i < CALLGRIND_KINDS; i++) {
		id_table_free(n->tables[i].numbers);
		free(n->tables[i].names);
	}
	strings_free(n->texts);
	free(n);
}

uint32_t callgrind_name_add(struct callgrind_names *n, const char *text, size_t length)
{
	return strings_add(n->texts, text, length);
}

struct event_text callgrind_name_text(const struct callgrind_names *n, uint32_t name)
{
	struct event_text text = {"", 0};

	if (name != CALLGRIND_NO_NAME)
		text.bytes = strings_get(n->texts, name, &text.length);
	return text;
}

/* The rest of the line, without the spaces around it. */
static int text_take(struct callgrind_names *n, struct text_scan *s, uint32_t *name)
{
	const char *end = s->end;

	text_scan_spaces(s);
	while (end > s->at && (end[-1] == ' ' || end[-1] == '\t'))
		end--;
	size_t length = (size_t)(end - s->at);
	*name = CALLGRIND_NO_NAME;
	if (length && !(length == 3 && !memcmp(s->at, "???", 3))) {
		*name = strings_add(n->texts, s->at, length);
		if (*name == STRINGS_NONE)
			return error_memory(s->err);
	}
	s->at = s->end;
	return 0;
}

/* Is this "(7)"? A name such as "(below main)" begins with a bracket, too, but has no number. */
static bool is_numbered(const struct text_scan *s)
{
	struct text_scan ahead = *s;

	if (!text_scan_text(&ahead, "("))
		return false;
	const char *digits = ahead.at;
	while (ahead.at < ahead.end && *ahead.at >= '0' && *ahead.at <= '9')
		ahead.at++;
	return ahead.at > digits && text_scan_text(&ahead, ")");
}

int callgrind_name(struct callgrind_names *n, enum callgrind_kind kind, struct text_scan *s,
		   uint32_t *name)
{
	struct table *t = &n->tables[kind];
	uint64_t number;

	text_scan_spaces(s);
	if (!is_numbered(s))
		return text_take(n, s, name);
	text_scan_text(s, "(");
	const char *wrong = text_scan_count(s, &number);
	if (wrong || number > UINT32_MAX)
		return text_scan_wrong(s, "overflow: the number of a name does not fit 32 bits");
	text_scan_text(s, ")");
	text_scan_spaces(s);
	if (s->at == s->end) {
		uint32_t place = id_table_find(t->numbers, (uint32_t)number);

		if (place == ID_TABLE_NONE)
			return text_scan_wrong(s, "the number of a name that was not given");
		*name = t->names[place];
		return 0;
	}
	uint32_t place = id_table_add(t->numbers, (uint32_t)number);
	if (place == ID_TABLE_NONE ||
	    !array_reserve(&t->names, &t->size, place + 1, sizeof(*t->names)))
		return error_memory(s->err);
	return text_take(n, s, &t->names[place]) ? -1 : (*name = t->names[place], 0);
}
