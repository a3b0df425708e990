/* SPDX-License-Identifier: MIT */
/*
 * json_table.c - writes tables of JSON column by column.
 *
 * In: values. Out: JSON.
 */
#include "export/json_table.h"

#include <inttypes.h>

static void end_column(struct json_table *t)
{
	if (t->has_column)
		out_text(t->out, "]");
}

void json_table_begin(struct json_table *t, struct out *o, const char *key, size_t length)
{
	*t = (struct json_table){.out = o};
	out_format(o, "\"%s\":{\"length\":%zu", key, length);
}

void json_table_end(struct json_table *t)
{
	end_column(t);
	out_text(t->out, "}");
}

void json_table_column(struct json_table *t, const char *name)
{
	end_column(t);
	out_format(t->out, ",\n\"%s\":[", name);
	t->has_column = true;
	t->has_value = false;
}

void json_table_text(struct json_table *t, const char *json)
{
	if (t->has_value)
		out_text(t->out, ",");
	t->has_value = true;
	out_text(t->out, json);
}

void json_table_number(struct json_table *t, uint64_t value)
{
	json_table_text(t, "");
	out_count(t->out, value);
}

void json_table_index(struct json_table *t, uint32_t value)
{
	if (value == UINT32_MAX)
		json_table_text(t, "null");
	else
		json_table_number(t, value);
}

void json_table_key(struct json_table *t, const char *key, const char *text)
{
	end_column(t);
	t->has_column = false;
	out_format(t->out, ",\n\"%s\":\"%s\"", key, text);
}

void json_table_ms_alone(struct out *o, uint64_t ns)
{
	out_format(o, "%" PRIu64, ns / 1000000);
	if (ns % 1000000)
		out_format(o, ".%06u", (unsigned)(ns % 1000000));
}

void json_table_ms(struct json_table *t, uint64_t ns)
{
	json_table_text(t, "");
	json_table_ms_alone(t->out, ns);
}

void json_table_same(struct json_table *t, const char *name, const char *json, size_t n)
{
	json_table_column(t, name);
	for (size_t i = 0; i < n; i++)
		json_table_text(t, json);
}
