/* SPDX-License-Identifier: MIT */
/* test_rows.c - what a program reads back from a table is what was written into it. */
#include <stdbool.h>
#include <stdint.h>

#include "out_text.h"
#include "write/rows.h"

enum { ROWS = 200, COLUMNS = 3 };

static const char *const columns[] = {"one", "two", "three", NULL};

/* Bytes of any kind, and the text that stands for them where only UTF-8 can. */
struct text {
	char bytes[64], utf8[256];
	size_t n, n_utf8;
};

/* Those that mean something in a table are as frequent as all others together. */
static void add_random(struct text *t)
{
	static const char odd[] = "\\\t\n\r\"'/;:tnx0\x1b\x7f";
	static const char *const letters[] = {"\xc3\xa4", "\xe2\x82\xac", "\xf0\x9f\x98\x80"};
	int kind = rand() % 8;
	char c = (char)(rand() % 128);

	if (kind < 4)
		c = odd[(unsigned)rand() % sizeof(odd)];
	if (kind == 4) {
		const char *letter = letters[rand() % 3];

		t->n += (size_t)sprintf(t->bytes + t->n, "%s", letter);
		t->n_utf8 += (size_t)sprintf(t->utf8 + t->n_utf8, "%s", letter);
	} else if (kind == 5) { /* a byte that no UTF-8 has */
		c = (char)(0xf8 + rand() % 8);
		t->bytes[t->n++] = c;
		t->n_utf8 += (size_t)sprintf(t->utf8 + t->n_utf8, "\\x%02x", (unsigned char)c);
	} else {
		t->bytes[t->n++] = c;
		t->utf8[t->n_utf8++] = c;
	}
}

static void make_texts(struct text *texts, unsigned seed)
{
	size_t i;
	int k;

	srand(seed);
	for (i = 0; i < (size_t)ROWS * COLUMNS; i++) {
		texts[i].n = texts[i].n_utf8 = 0;
		for (k = rand() % 12; k > 0; k--)
			add_random(&texts[i]);
	}
}

/* The table of these texts, as the format says; free() it. */
static char *table_of(const struct text *texts, enum view_format format)
{
	const struct view_options options = {.format = format};
	struct profile p = {
		.strings = strings_new(), .resource = STRINGS_NONE, .unit = STRINGS_NONE};
	const struct view_input in = {.profile = &p, .options = &options};
	struct out *o = open_text();
	struct error err;
	struct rows r;
	size_t i;

	rows_begin(&r, o, "test", &in);
	for (i = 0; i < (size_t)ROWS * COLUMNS; i++) {
		if (i % COLUMNS == 0)
			rows_row(&r, columns);
		rows_text(&r, texts[i].bytes, texts[i].n);
	}
	rows_end(&r);
	cr_assert_eq(out_close(o, true, &err), 0);
	strings_free(p.strings);
	return text_of_file("text");
}

/* One character of a quotation: what it stands for goes to *c, and what is behind it is returned. */
static const char *unescape(const char *from, char *c)
{
	static const char letters[] = "\\\"tn", meant[] = "\\\"\t\n";
	unsigned code;
	int n = 0;

	*c = from[0];
	if (from[0] != '\\')
		return from + 1;
	if (sscanf(from, "\\x%2x%n", &code, &n) == 1 || sscanf(from, "\\u%4x%n", &code, &n) == 1) {
		*c = (char)code;
		return from + n;
	}
	cr_assert(from[1] && strchr(letters, from[1]), "%.9s", from);
	*c = meant[strchr(letters, from[1]) - letters];
	return from + 2;
}

/* Read what is quoted up to one of the characters `ends`; it must be these bytes. */
static const char *expect(const char *at, const char *ends, const char *bytes, size_t n)
{
	size_t i;
	char c;

	for (i = 0; *at && !strchr(ends, *at); i++) {
		cr_assert((unsigned char)*at >= ' ' && *at != 0x7f, "a control character");
		at = unescape(at, &c);
		cr_assert(i < n && c == bytes[i], "byte %zu of %zu before %.20s", i, n, at);
	}
	cr_assert_eq(i, n);
	return at;
}

Test(rows, tsv_reads_back)
{
	static struct text texts[ROWS * COLUMNS];
	const char *at;
	char *table;
	size_t i;

	make_texts(texts, 1);
	at = table = table_of(texts, VIEW_TSV);
	for (i = 0; i < (size_t)ROWS * COLUMNS; i++) {
		at = expect(at, "\t\n", texts[i].bytes, texts[i].n);
		cr_assert_eq(*at++, i % COLUMNS == COLUMNS - 1 ? '\n' : '\t');
	}
	cr_assert_eq(*at, '\0');
	free(table);
}

/* Bytes that are not UTF-8 stand as \xNN, like text that looks so. */
Test(rows, json_reads_back)
{
	static struct text texts[ROWS * COLUMNS];
	const char *at;
	char *table, key[64];
	size_t i;

	make_texts(texts, 2);
	at = table = table_of(texts, VIEW_JSON);
	at = strstr(at, "\"rows\": [");
	cr_assert(at);
	at += strlen("\"rows\": [");
	for (i = 0; i < (size_t)ROWS * COLUMNS; i++) {
		snprintf(key, sizeof(key), "%s\"%s\": \"",
			 i == 0		    ? "\n {"
			 : i % COLUMNS == 0 ? "},\n {"
					    : ", ",
			 columns[i % COLUMNS]);
		cr_assert_eq(strncmp(at, key, strlen(key)), 0, "%.30s is not %s", at, key);
		at = expect(at + strlen(key), "\"", texts[i].utf8, texts[i].n_utf8) + 1;
	}
	cr_assert_str_eq(at, "}\n]}\n");
	free(table);
}

/* A row with raw samples, of a profile with stacks or without, and what is 100 % of it. */
static void has_samples(enum view_format format, bool has_stacks, const char *want)
{
	static const char *const with_samples[] = {"one", "total_samples", "self_samples", NULL};
	const struct view_options options = {.format = format};
	struct tree_node root = {.total = 7};
	const struct tree t = {.nodes = &root, .total = 8};
	const struct graph g = {.total = 9};
	struct profile p = {
		.strings = strings_new(), .resource = STRINGS_NONE, .unit = STRINGS_NONE};
	const struct view_input in = {
		.profile = &p, .options = &options, .tree = has_stacks ? &t : NULL, .graph = &g};
	struct out *o = open_text();
	struct error err;
	struct rows r;
	char *got;

	rows_begin(&r, o, "test", &in);
	rows_row(&r, with_samples);
	rows_count(&r, 5);
	rows_json_samples(&r, &in, 3);
	rows_json_count(&r, 2);
	rows_end(&r);
	cr_assert_eq(out_close(o, true, &err), 0);
	got = text_of_file("text");
	cr_assert_str_eq(got, want);
	free(got);
	strings_free(p.strings);
}

Test(rows, samples_are_in_json_only)
{
	has_samples(VIEW_TSV, true, "5\n");
	has_samples(VIEW_TSV, false, "5\n");
	has_samples(
		VIEW_JSON, true,
		"{\"version\": 1, \"view\": \"test\", \"resource\": \"\", \"unit\": \"\", "
		"\"samples\": 0, \"total\": 8, \"kept\": 7, \"totals\": \"exact\", \"rows\": [\n "
		"{\"one\": 5, \"total_samples\": 3, \"self_samples\": 2}\n]}\n");
	has_samples(VIEW_JSON, false,
		    "{\"version\": 1, \"view\": \"test\", \"resource\": \"\", \"unit\": \"\", "
		    "\"samples\": 0, \"total\": 9, \"kept\": 9, \"totals\": \"propagated\", "
		    "\"rows\": [\n "
		    "{\"one\": 5, \"total_samples\": null, \"self_samples\": 2}\n]}\n");
}
