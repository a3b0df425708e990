/* SPDX-License-Identifier: MIT */
/*
 * page.c - writes a profile as one HTML page.
 */
#include <libdeflate.h>
#include <stdlib.h>
#include <string.h>

#include "base/numbers.h"
#include "base/utf8.h"
#include "graph/call_counts.h"
#include "page/page.h"
#include "write/looks.h"

/* ---- page data ------------------------------------------------------------------------------- */
/*
 * The profile in the form in which a page holds it.
 *
 * In: struct tree. Out: numbers, each a varint, and texts, each its length and its bytes.
 *
 *	texts      caption, facts
 *	columns    their number, and whether they are means of runs before and after; of each: resource, unit, total, samples,
 *	           whether calls count it
 *	means      if they are: in how many parts of the unit weights are, and digits behind the point of what has no scale
 *	modules    their number; their names
 *	functions  their number; of each: name, short name (empty: the same), module + 1 or 0, enum tree_origin
 *	nodes      their number, and their depths, functions, whether they are inlined, and of each
 *	           column their selves and their samples; the root is left out
 *	changes    of functions: number + 1, and of self and of total half the interval of the change, in thousandths of
 *	           weights, and whether it is significant; 0 comes after the last one
 *	times      see page_times.c
 *	sources    see page_times.c
 *	calls      whether some were counted; if they were, of each function how many, plus 1, or 0 if it is not known; then the number
 *	           of pairs of functions, and of each: caller, callee, calls
 *
 * Nodes are in preorder. Of each property all nodes' values stand together, because such lists compress well.
 * A depth is written as the number of levels up from the node before to the parent. Samples are left out
 * if they are the selves.
 */

struct encoder {
	const struct view_input *in;
	const struct tree *tree;
	const struct page_base *base;
	struct protobuf *data;
	struct id_table *functions; /* by name */
	struct strings *modules;
};

static void number(struct encoder *e, uint64_t value)
{
	protobuf_packed(e->data, value);
}

static void text(struct encoder *e, const char *bytes, size_t n)
{
	protobuf_packed_bytes(e->data, bytes, n);
}

static void string(struct encoder *e, uint32_t of)
{
	size_t n = 0;
	const char *bytes = of == STRINGS_NONE ? "" : strings_get(e->tree->strings, of, &n);

	text(e, bytes, n);
}

/* ---- columns --------------------------------------------------------------------------------- */

static bool is_compared(const struct encoder *e)
{
	return e->base->before;
}

static size_t count_columns(const struct encoder *e)
{
	return is_compared(e) ? 2 : 1 + e->tree->n_others;
}

static uint64_t self(const struct encoder *e, size_t column, size_t node)
{
	if (is_compared(e))
		return column ? e->base->after[node] : e->base->before[node];
	return tree_column(e->tree, column)->nodes[node].self;
}

static uint64_t sum(const struct encoder *e, size_t column)
{
	uint64_t all = 0;

	for (size_t i = 0; i < e->tree->n_nodes; i++)
		all += self(e, column, i);
	return all;
}

static void write_columns(struct encoder *e)
{
	const struct profile *p = e->in->profile;
	size_t n = count_columns(e);

	number(e, n);
	number(e, is_compared(e));
	for (size_t i = 0; i < n; i++) {
		const struct tree *t = is_compared(e) ? e->tree : tree_column(e->tree, i);
		bool has_own = p->n_columns && !is_compared(e);

		string(e, has_own ? p->columns[i].resource : p->resource);
		if (t->unit == TREE_HITS)
			text(e, "samples", strlen("samples"));
		else
			string(e, has_own ? p->columns[i].unit : p->unit);
		number(e, is_compared(e) ? sum(e, i) : t->total);
		number(e, is_compared(e) ? 0 : t->hits);
		number(e, !is_compared(e) && profile_is_of_calls(p, profile_shown(p, i)));
	}
	if (is_compared(e)) {
		number(e, e->base->parts);
		number(e, e->base->is_single ? 0 : 1);
	}
}

/* ---- functions ------------------------------------------------------------------------------- */

/* Number the functions in the order in which they first occur, and their modules. */
static int list_functions(struct encoder *e)
{
	for (size_t i = 1; i < e->tree->n_nodes; i++) {
		uint32_t name = e->tree->nodes[i].name;
		uint32_t known = (uint32_t)id_table_count(e->functions);
		struct event_text module;

		if (id_table_add(e->functions, name) != known)
			continue;
		if (id_table_count(e->functions) == known)
			return -1;
		module = looks_module(e->in, name);
		if (module.length &&
		    strings_add(e->modules, module.bytes, module.length) == STRINGS_NONE)
			return -1;
	}
	return 0;
}

static void write_function(struct encoder *e, uint32_t name)
{
	const struct event_text module = looks_module(e->in, name);
	size_t n, shown_bytes;
	const char *full = strings_get(e->tree->strings, name, &n);
	const char *shown = strings_shown(e->tree->strings, name, &shown_bytes);

	text(e, full, n);
	if (shown_bytes == n && memcmp(shown, full, n) == 0)
		number(e, 0);
	else
		text(e, shown, shown_bytes);
	number(e, module.length ? strings_find(e->modules, module.bytes, module.length) + 1 : 0);
	number(e, tree_origin(e->tree, name));
}

static void write_functions(struct encoder *e)
{
	size_t n = strings_count(e->modules);

	number(e, n);
	for (size_t i = 0; i < n; i++) {
		size_t length;
		const char *name = strings_get(e->modules, (uint32_t)i, &length);

		text(e, name, length);
	}
	n = id_table_count(e->functions);
	number(e, n);
	for (size_t i = 0; i < n; i++)
		write_function(e, (uint32_t)id_table_get(e->functions, (uint32_t)i));
}

/* ---- changes --------------------------------------------------------------------------------- */

static void write_certainty(struct encoder *e, const struct comparison_row *row)
{
	double plus_minus = row->welch.plus_minus * (double)e->base->parts * 1000;

	number(e, plus_minus < 0x1p63 ? (uint64_t)(plus_minus + 0.5) : UINT64_C(1) << 63);
	number(e, row->is_significant);
}

static void write_certainties(struct encoder *e)
{
	for (size_t i = 0; i < e->base->n_functions; i++) {
		uint32_t function = id_table_find(e->functions, e->base->functions[i].name);

		if (function == ID_TABLE_NONE)
			continue;
		number(e, (uint64_t)function + 1);
		write_certainty(e, &e->base->by_self[i]);
		write_certainty(e, &e->base->by_total[i]);
	}
	number(e, 0);
}

/* ---- nodes ----------------------------------------------------------------------------------- */

static void write_shape(struct encoder *e)
{
	const struct tree_node *nodes = e->tree->nodes;
	size_t n = e->tree->n_nodes;

	number(e, n - 1);
	for (size_t i = 1; i < n; i++)
		number(e, i > 1 ? nodes[i - 1].depth + 1 - nodes[i].depth : 0);
	for (size_t i = 1; i < n; i++)
		number(e, id_table_find(e->functions, nodes[i].name));
	number(e, e->tree->inlined != NULL);
	for (size_t i = 1; e->tree->inlined && i < n; i++)
		number(e, e->tree->inlined[i]);
}

static bool has_samples(const struct tree *t)
{
	for (size_t i = 1; i < t->n_nodes; i++)
		if (t->nodes[i].self != t->nodes[i].self_hits)
			return true;
	return false;
}

static void write_weights(struct encoder *e, size_t column)
{
	const struct tree *t = tree_column(e->tree, is_compared(e) ? 0 : column);
	bool has = !is_compared(e) && has_samples(t);

	for (size_t i = 1; i < t->n_nodes; i++)
		number(e, self(e, column, i));
	number(e, has);
	for (size_t i = 1; has && i < t->n_nodes; i++)
		number(e, t->nodes[i].self_hits);
}

/* ---- calls ----------------------------------------------------------------------------------- */

static void write_counts(struct encoder *e, const struct call_counts *c)
{
	size_t n = id_table_count(e->functions), n_arcs = 0;

	for (size_t i = 0; i < n; i++) {
		uint32_t name = (uint32_t)id_table_get(e->functions, (uint32_t)i);

		number(e, call_counts_knows(c, name) ? c->calls[name] + 1 : 0);
	}
	for (int is_written = 0; is_written < 2; is_written++) {
		if (is_written)
			number(e, n_arcs);
		for (size_t i = 0; i < c->n_arcs; i++) {
			const struct call_count *a = &c->arcs[i];
			uint32_t caller = a->caller == STRINGS_NONE
						  ? ID_TABLE_NONE
						  : id_table_find(e->functions, a->caller);
			uint32_t callee = id_table_find(e->functions, a->callee);

			if (caller == ID_TABLE_NONE || callee == ID_TABLE_NONE)
				continue;
			n_arcs++;
			if (!is_written)
				continue;
			number(e, caller);
			number(e, callee);
			number(e, a->calls);
		}
	}
}

static void write_calls(struct encoder *e)
{
	struct call_counts c;
	struct error err;

	number(e, e->in->calls != NULL);
	if (!e->in->calls)
		return;
	if (call_counts_build(&c, e->in->calls, &err))
		e->data->is_out_of_memory = true;
	else
		write_counts(e, &c);
	call_counts_free(&c);
}

/* Put what the page is to show into *data, as page/data.js reads it. */
static void page_data(struct protobuf *data, const struct view_input *in,
		      const struct page_base *base, const struct page_texts *texts)
{
	struct encoder e = {
		.in = in,
		.tree = in->tree,
		.base = base,
		.data = data,
		.functions = id_table_new(),
		.modules = strings_new(),
	};

	if (!e.functions || !e.modules || list_functions(&e)) {
		data->is_out_of_memory = true;
	} else {
		text(&e, texts->caption, strlen(texts->caption));
		text(&e, texts->facts, strlen(texts->facts));
		write_columns(&e);
		write_functions(&e);
		write_shape(&e);
		for (size_t i = 0; i < count_columns(&e); i++)
			write_weights(&e, i);
		write_certainties(&e);
		page_times(data, in, is_compared(&e));
		page_sources(data, in, e.functions);
		write_calls(&e);
	}
	id_table_free(e.functions);
	strings_free(e.modules);
}

/* ---- page ------------------------------------------------------------------------------------ */
/*
 * Whatever comes from the profile stands in the page as base64, of which no byte means anything to
 * HTML, or with its special characters replaced. The policy allows no source but the page's own
 * script and style, which it knows by their hashes, and no request.
 */

#define LEVEL	   9   /* of compression */
#define LINE_BYTES 96u /* of base64, for those who look at the page's text */

static void write_base64(struct out *o, const unsigned char *bytes, size_t n)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

	for (size_t i = 0; i < n; i += 3) {
		uint32_t three = (uint32_t)bytes[i] << 16;
		char four[4];

		three |= i + 1 < n ? (uint32_t)bytes[i + 1] << 8 : 0;
		three |= i + 2 < n ? bytes[i + 2] : 0;
		for (int k = 0; k < 4; k++)
			four[k] = digits[three >> (18 - 6 * k) & 63];
		four[2] = i + 1 < n ? four[2] : '=';
		four[3] = i + 2 < n ? four[3] : '=';
		if (i && i % LINE_BYTES == 0)
			out_text(o, "\n");
		out_bytes(o, four, sizeof(four));
	}
}

/* Control characters, of which HTML allows none, become question marks; so do those that a reader does not see. */
static void write_text(struct out *o, const char *text)
{
	size_t n = strlen(text);

	for (size_t i = 0; i < n;) {
		size_t length = utf8_length(text + i, n - i);
		bool is_space = text[i] == '\n' || text[i] == '\t';

		if (!length || (!is_space && utf8_control_length(text + i, n - i)))
			out_text(o, "?");
		else if (text[i] == '&')
			out_text(o, "&amp;");
		else if (text[i] == '<')
			out_text(o, "&lt;");
		else if (text[i] == '>')
			out_text(o, "&gt;");
		else
			out_bytes(o, text + i, length);
		i += length ? length : 1;
	}
}

static void write_head(struct out *o, const char *title)
{
	out_text(o, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
		    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
		    "base-uri 'none'; form-action 'none'; script-src '");
	out_text(o, page_parts_script_hash);
	out_text(o, "'; style-src '");
	out_text(o, page_parts_style_hash);
	out_text(
		o,
		"'\">\n<meta name=\"viewport\" content=\"width=device-width, "
		"initial-scale=1\">\n<meta name=\"generator\" content=\"cpconv " CPS_PROJECT_VERSION
		"\">\n<title>");
	write_text(o, title);
	out_text(o, "</title>\n<style>");
	out_text(o, page_parts_style);
	out_text(o, "</style>\n</head>\n<body>\n");
}

static void write_body(struct out *o, const struct page_texts *texts, const unsigned char *data,
		       size_t n)
{
	out_text(o, page_parts_body);
	out_text(o, "<noscript>\n<p>This page draws with JavaScript, which is switched off. "
		    "What follows is a part of what it shows.</p>\n<pre>");
	write_text(o, texts->plain);
	write_text(o, texts->facts);
	out_text(o,
		 "</pre>\n</noscript>\n<script type=\"application/octet-stream\" id=\"data\">\n");
	write_base64(o, data, n);
	out_text(o, "\n</script>\n<script>");
	out_text(o, page_parts_script);
	out_text(o, "</script>\n</body>\n</html>\n");
}

/* In the format of zlib, which browsers call "deflate". The caller frees it. */
static unsigned char *compress(const struct protobuf *data, size_t *n)
{
	struct libdeflate_compressor *c = libdeflate_alloc_compressor(LEVEL);
	size_t most = c ? libdeflate_zlib_compress_bound(c, data->n) : 0;
	unsigned char *bytes = c ? malloc(most) : NULL;

	*n = bytes ? libdeflate_zlib_compress(c, data->bytes, data->n, bytes, most) : 0;
	if (c)
		libdeflate_free_compressor(c);
	return bytes;
}

int page_write(const struct view_input *in, const struct page_base *base,
	       const struct page_texts *texts, struct out *o, struct error *err)
{
	struct protobuf data = {0};
	unsigned char *bytes = NULL;
	size_t n = 0;

	page_data(&data, in, base, texts);
	if (!data.is_out_of_memory)
		bytes = compress(&data, &n);
	protobuf_free(&data);
	if (!n) {
		free(bytes);
		return error_memory(err);
	}
	write_head(o, texts->title);
	write_body(o, texts, bytes, n);
	free(bytes);
	return 0;
}
