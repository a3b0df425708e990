/* SPDX-License-Identifier: MIT */
/*
 * page.h - writes a profile as one HTML page.
 *
 * In: struct tree, texts. Out: the page. Its own sources, *.html, *.css and *.js, lie in this
 * folder and become a part of the program.
 */
#ifndef PAGE_PAGE_H
#define PAGE_PAGE_H

#include "base/numbers.h"
#include "compare/comparison.h"
#include "export/protobuf.h"
#include "write/out.h"
#include "write/view_input.h"

/* What the page says beside the profile, as text. */
struct page_texts {
	const char *title;
	const char *caption; /* the lines that stand above all views of the profile */
	const char *facts;   /* what --info says */
	const char *plain;   /* what is seen without JavaScript */
};

/* If two programs are compared: the self of the tree's nodes before and after, and how certain the changes of all functions
 * are, by self and by total, in the same order. The former are means of a run times `parts`. All is zero otherwise. */
struct page_base {
	uint64_t *before, *after;
	struct tree_function *functions; /* as tree_functions lists them */
	struct comparison_row *by_self, *by_total;
	size_t n_functions;
	uint64_t parts;
	bool is_single; /* one run on each side: figures are whole numbers */
};

/* Write the page. -1: memory. */
int page_write(const struct view_input *in, const struct page_base *base,
	       const struct page_texts *texts, struct out *o, struct error *err);

/* page_times.c: the same for source lines, if their text is packed or asked for. `functions` has the names of the
 * page's functions by their numbers. */
void page_sources(struct protobuf *data, const struct view_input *in,
		  const struct id_table *functions);

/* page_times.c: the same for times and threads, if they are known. */
void page_times(struct protobuf *data, const struct view_input *in, bool is_compared);

/* ---- page parts ------------------------------------------------------------------------------ */
/*
 * The page's own sources, as they are built into the program.
 *
 * In: body.html, and the style sheets and scripts of this folder, each kind joined to one text by the
 * Makefile. Out: texts, and what Content-Security-Policy calls their hashes.
 */

/* Each ends with a NUL. */
extern const char page_parts_body[], page_parts_style[], page_parts_script[];
extern const char page_parts_style_hash[], page_parts_script_hash[];

#endif
