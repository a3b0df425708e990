/* SPDX-License-Identifier: MIT */
/*
 * page_times.c - which thread has used how much when, and which source lines, as a page holds it.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "annotate/code_places.h"
#include "annotate/source_text.h"
#include "base/array.h"
#include "base/utf8.h"
#include "model/processes.h"
#include "page/page.h"

/* ---- page times ------------------------------------------------------------------------------ */
/*
 * Which thread has used how much when, and where, in the form in which a page holds it.
 *
 * In: the samples with their times. Out: numbers, as in page.c.
 *
 *	duration   of the run in ns, 0: nothing is known, and nothing follows
 *	slices     into how many equal ones it is divided
 *	threads    their number; of each: its name and that of its process, as --timeline has them, and the numbers of both
 *	marks      their number; of each: ns since the beginning, name
 *	parts      of each column: their number, and their threads, slices, nodes and weights
 *
 * A part is what a thread has used at a node in a slice of time. Parts are sorted by thread, slice and node. Each
 * of these is written as the difference to the part before, and from 0 on when one of the former has changed.
 */

#define SLICES	   256u
#define PARTS_MOST 1000000u /* of a column; with more the slices become longer */
#define MARKS_MOST 500u

struct part {
	uint32_t thread, slice, node;
	uint64_t weight;
};

struct times {
	const struct profile *profile;
	const struct tree *tree;
	struct protobuf *data;
	uint64_t begin_ns, end_ns;
	uint32_t n_slices;
	struct strings *threads;	  /* "PID START TID" of each */
	const struct moments_thread **of; /* by the number of that */
	size_t of_size;
};

struct parts {
	struct part *list;
	size_t n;
};

static size_t count_columns(const struct times *t)
{
	return 1 + t->tree->n_others;
}

static const struct moments *moments_of(const struct times *t, size_t column)
{
	return t->profile->n_columns ? &t->profile->columns[column].moments : &t->profile->moments;
}

/* ---- threads and times ----------------------------------------------------------------------- */

static uint32_t thread_number(struct times *t, const struct moments_thread *thread)
{
	char key[3 * 20 + 3];
	int n = snprintf(key, sizeof(key), "%" PRIu64 " %" PRIu64 " %" PRIu64, thread->pid,
			 thread->process_ns, thread->tid);
	uint32_t number = strings_add(t->threads, key, (size_t)n);

	if (number == STRINGS_NONE ||
	    !array_reserve(&t->of, &t->of_size, (size_t)number + 1, sizeof(*t->of)))
		return STRINGS_NONE;
	t->of[number] = thread;
	return number;
}

static int find_threads(struct times *t)
{
	for (size_t i = 0; i < count_columns(t); i++) {
		const struct moments *m = moments_of(t, i);

		for (size_t k = 0; k < m->n_threads; k++)
			if (thread_number(t, &m->threads[k]) == STRINGS_NONE)
				return -1;
	}
	return 0;
}

static void find_times(struct times *t)
{
	t->begin_ns = UINT64_MAX;
	for (size_t i = 0; i < count_columns(t); i++) {
		const struct moments *m = moments_of(t, i);

		for (size_t k = 0; k < m->n; k++) {
			const struct moment *at = &m->list[k];
			uint64_t begin = m->threads[at->thread].process_ns;

			begin = begin && begin < at->time_ns ? begin : at->time_ns;
			t->begin_ns = begin < t->begin_ns ? begin : t->begin_ns;
			t->end_ns = at->time_ns > t->end_ns ? at->time_ns : t->end_ns;
		}
	}
}

/* Nothing is known if an input has no times, or if there are too many samples. */
static bool are_known(const struct times *t)
{
	bool known = t->tree->of_profile;

	for (size_t i = 0; i < count_columns(t); i++)
		known = known && moments_of(t, i)->kept == MOMENTS_KEPT;
	return known && t->begin_ns < t->end_ns;
}

/* ---- parts ----------------------------------------------------------------------------------- */

static int compare(const void *a, const void *b)
{
	const struct part *x = a, *y = b;

	if (x->thread != y->thread)
		return x->thread < y->thread ? -1 : 1;
	if (x->slice != y->slice)
		return x->slice < y->slice ? -1 : 1;
	return (x->node > y->node) - (x->node < y->node);
}

static bool is_same(const struct part *a, const struct part *b)
{
	return compare(a, b) == 0;
}

/* Sort, and add up parts that have become one. */
static void join(struct parts *p)
{
	size_t to = 0;

	qsort(p->list, p->n, sizeof(*p->list), compare);
	for (size_t i = 1; i < p->n; i++)
		if (is_same(&p->list[to], &p->list[i]))
			p->list[to].weight += p->list[i].weight;
		else
			p->list[++to] = p->list[i];
	p->n = p->n ? to + 1 : 0;
}

static int collect(struct times *t, size_t column, struct parts *p)
{
	const struct moments *m = moments_of(t, column);
	unsigned __int128 lasts = (unsigned __int128)(t->end_ns - t->begin_ns) + 1;

	p->list = malloc((m->n + 1) * sizeof(*p->list));
	if (!p->list)
		return -1;
	for (size_t i = 0; i < m->n; i++) {
		const struct moment *at = &m->list[i];
		uint32_t node = t->tree->of_profile[at->node];

		if (node == TREE_NO_NODE || !at->weight)
			continue;
		p->list[p->n++] = (struct part){
			.thread = thread_number(t, &m->threads[at->thread]),
			.slice = (uint32_t)((at->time_ns - t->begin_ns) *
					    (unsigned __int128)t->n_slices / lasts),
			.node = node,
			.weight = at->weight,
		};
	}
	join(p);
	return 0;
}

/* Half as many slices. */
static void halve(struct times *t, struct parts *parts, size_t n)
{
	t->n_slices /= 2;
	for (size_t i = 0; i < n; i++) {
		for (size_t k = 0; k < parts[i].n; k++)
			parts[i].list[k].slice /= 2;
		join(&parts[i]);
	}
}

static bool are_too_many(const struct parts *parts, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (parts[i].n > PARTS_MOST)
			return true;
	return false;
}

/* ---- writing --------------------------------------------------------------------------------- */

static void string(struct times *t, uint32_t of)
{
	size_t n = 0;
	const char *bytes = of == STRINGS_NONE ? "" : strings_get(t->profile->strings, of, &n);

	protobuf_packed_bytes(t->data, bytes, n);
}

/* The index of the thread's process, or that of none. *at is where the one before was found: threads stand in the order of
 * their processes. */
static size_t process_of(const struct profile *p, const struct moments_thread *thread, size_t *at)
{
	for (size_t i = 0; i < p->n_processes; i++, *at = (*at + 1) % p->n_processes)
		if (p->processes[*at].pid == thread->pid &&
		    p->processes[*at].start_ns == thread->process_ns)
			return *at;
	return p->n_processes;
}

static int write_threads(struct times *t)
{
	const struct profile *p = t->profile;
	uint32_t *commands = commands_name(p->strings, p->processes, p->n_processes);
	size_t n = strings_count(t->threads), at = 0;

	if (!commands)
		return -1;
	protobuf_packed(t->data, n);
	for (size_t i = 0; i < n; i++) {
		const struct moments_thread *thread = t->of[i];
		size_t of = process_of(p, thread, &at);
		bool is_known = of < p->n_processes;

		string(t, is_known ? commands_thread(p->strings, p->processes, p->n_processes,
						     commands, of, thread->name)
				   : thread->name);
		string(t, is_known ? commands[of] : thread->program);
		protobuf_packed(t->data, thread->pid);
		protobuf_packed(t->data, thread->tid);
	}
	free(commands);
	return 0;
}

/* Whether the mark is in the time that is shown; *ns becomes its time. */
static bool is_shown(const struct times *t, const struct profile_process *process,
		     const struct profile_mark *mark, uint64_t *ns)
{
	if (__builtin_mul_overflow(mark->time_us, 1000, ns) ||
	    __builtin_add_overflow(*ns, process->start_ns, ns))
		return false;
	return *ns >= t->begin_ns && *ns <= t->end_ns;
}

static void write_marks(struct times *t)
{
	uint64_t ns, count = 0;

	for (int writes = 0; writes < 2; writes++) {
		uint64_t left = MARKS_MOST;

		if (writes)
			protobuf_packed(t->data, count);
		for (size_t i = 0; i < t->profile->n_processes; i++) {
			const struct profile_process *process = &t->profile->processes[i];

			for (size_t k = 0; left && k < process->n_marks; k++) {
				if (!is_shown(t, process, &process->marks[k], &ns))
					continue;
				left--;
				count += !writes;
				if (!writes)
					continue;
				protobuf_packed(t->data, ns - t->begin_ns);
				string(t, process->marks[k].name);
			}
		}
	}
}

static void write_parts(struct times *t, const struct parts *p)
{
	const struct part *of = p->list;

	protobuf_packed(t->data, p->n);
	for (size_t i = 0; i < p->n; i++)
		protobuf_packed(t->data, of[i].thread - (i ? of[i - 1].thread : 0));
	for (size_t i = 0; i < p->n; i++)
		protobuf_packed(t->data, of[i].slice - (i && of[i].thread == of[i - 1].thread
								? of[i - 1].slice
								: 0));
	for (size_t i = 0; i < p->n; i++)
		protobuf_packed(t->data,
				of[i].node - (i && of[i].thread == of[i - 1].thread &&
							      of[i].slice == of[i - 1].slice
						      ? of[i - 1].node
						      : 0));
	for (size_t i = 0; i < p->n; i++)
		protobuf_packed(t->data, of[i].weight);
}

static int write_all(struct times *t, struct parts *parts)
{
	size_t n = count_columns(t);

	for (size_t i = 0; i < n; i++)
		if (collect(t, i, &parts[i]))
			return -1;
	while (t->n_slices > 1 && are_too_many(parts, n))
		halve(t, parts, n);
	if (are_too_many(parts, n)) {
		protobuf_packed(t->data, 0);
		return 0;
	}
	protobuf_packed(t->data, t->end_ns - t->begin_ns);
	protobuf_packed(t->data, t->n_slices);
	if (write_threads(t))
		return -1;
	write_marks(t);
	for (size_t i = 0; i < n; i++)
		write_parts(t, &parts[i]);
	return 0;
}

void page_times(struct protobuf *data, const struct view_input *in, bool is_compared)
{
	struct times t = {
		.profile = in->profile,
		.tree = in->tree,
		.data = data,
		.n_slices = SLICES,
		.threads = strings_new(),
	};
	struct parts *parts = calloc(count_columns(&t), sizeof(*parts));

	find_times(&t);
	if (is_compared || !are_known(&t) || t.tree->unit == TREE_HITS)
		protobuf_packed(data, 0);
	else if (!t.threads || !parts || find_threads(&t) || write_all(&t, parts))
		data->is_out_of_memory = true;
	for (size_t i = 0; parts && i < count_columns(&t); i++)
		free(parts[i].list);
	free(parts);
	free(t.of);
	strings_free(t.threads);
}

/* ---- page sources ---------------------------------------------------------------------------- */
/*
 * The source lines that were used, with what they used, in the form in which a page holds them.
 *
 * In: the tree by line, source files. Out: numbers and texts, as in page.c.
 *
 *	files      of each: 1, its path, and of each of its lines: the difference to the line before, the text; 0 comes after
 *	           the last line, and after the last file
 *	lines      of each that was used: file + 1, line, function, and of each column self and total; 0 comes after the last
 *
 * These are the lines that --source has: a stack counts once for a line of a function. A page has their text if packs
 * have it, or if somebody asks for it, because not everybody who may see a profile may see the sources.
 */

#define CONTEXT	   10u	 /* lines around one that was used */
#define TEXT_BYTES 1000u /* of a line */

struct used_line {
	uint32_t file, line; /* file: a path in the profile's strings */
	uint32_t name;	     /* in the tree by line */
	uint32_t function;   /* its number in the page */
	uint32_t written;    /* number of the file in the page, or STRINGS_NONE */
};

struct sources {
	const struct view_input *in;
	struct protobuf *data;
	struct code_places places;
	struct used_line *lines; /* by file and line */
	size_t n;
	uint64_t *weights; /* by name and column: self and total */
	size_t n_columns;
	uint32_t n_written; /* files */
};

/* ---- weights --------------------------------------------------------------------------------- */

static uint64_t *weights_of(const struct sources *s, uint32_t name, size_t column)
{
	return &s->weights[2 * ((size_t)name * s->n_columns + column)];
}

static int weigh(struct sources *s, struct error *err)
{
	size_t n_names = s->places.n_names, n;

	s->weights = calloc(2 * s->n_columns * n_names + 1, sizeof(*s->weights));
	for (size_t c = 0; s->weights && c < s->n_columns; c++) {
		struct tree_function *list =
			tree_functions(tree_column(s->in->by_line, c), &n, err);

		if (!list)
			return -1;
		for (size_t i = 0; i < n; i++) {
			weights_of(s, list[i].name, c)[0] = list[i].self;
			weights_of(s, list[i].name, c)[1] = list[i].total;
		}
		free(list);
	}
	return s->weights ? 0 : -1;
}

static bool has_weight(const struct sources *s, uint32_t name)
{
	for (size_t c = 0; c < s->n_columns; c++)
		if (weights_of(s, name, c)[1])
			return true;
	return false;
}

/* ---- lines ----------------------------------------------------------------------------------- */

static int compare_lines(const void *a, const void *b, void *strings)
{
	const struct used_line *x = a, *y = b;

	if (x->file != y->file)
		return strings_compare(strings, x->file, y->file);
	if (x->line != y->line)
		return x->line < y->line ? -1 : 1;
	return (x->function > y->function) - (x->function < y->function);
}

static int list_lines(struct sources *s, const struct id_table *functions)
{
	s->lines = calloc(s->places.n_names + 1, sizeof(*s->lines));
	for (size_t i = 0; s->lines && i < s->places.n_names; i++) {
		const struct code_place *p = &s->places.by_name[i];
		uint32_t function = ID_TABLE_NONE;

		if (p->is_known && p->is.file != STRINGS_NONE && p->is.line)
			function = id_table_find(functions, p->is.function);
		if (function != ID_TABLE_NONE && has_weight(s, (uint32_t)i))
			s->lines[s->n++] = (struct used_line){p->is.file, p->is.line, (uint32_t)i,
							      function, STRINGS_NONE};
	}
	if (!s->lines)
		return -1;
	qsort_r(s->lines, s->n, sizeof(*s->lines), compare_lines, s->in->profile->strings);
	return 0;
}

/* ---- writing --------------------------------------------------------------------------------- */

static size_t shown_bytes(const char *text, size_t n)
{
	size_t used = 0, length = 1;

	if (n <= TEXT_BYTES)
		return n;
	while (used < TEXT_BYTES && length) {
		length = utf8_length(text + used, n - used);
		used += length ? length : 1;
	}
	return used;
}

/* The lines around the n that are used, as far as the file has them. */
static void write_text(struct sources *s, struct source_text *t, const struct used_line *used,
		       size_t n)
{
	uint32_t before = 0, line = 1;

	for (size_t i = 0; i < n; i++) {
		uint32_t last = used[i].line < UINT32_MAX - CONTEXT ? used[i].line + CONTEXT
								    : UINT32_MAX - 1;

		if (used[i].line > CONTEXT && line < used[i].line - CONTEXT)
			line = used[i].line - CONTEXT;
		for (; line <= last; line++) {
			size_t bytes;
			const char *text = source_text_line(t, line, &bytes);

			if (!text)
				continue;
			protobuf_packed(s->data, line - before);
			protobuf_packed_bytes(s->data, text, shown_bytes(text, bytes));
			before = line;
		}
	}
	protobuf_packed(s->data, 0);
}

static struct source_text *open_text(const struct sources *s, const char *path)
{
	const struct view_options *how = s->in->options;

	if (how->with_source)
		return source_text_open(path, how->source_path, s->in->profile->packs);
	return source_text_packed(path, s->in->profile->packs);
}

static void write_file(struct sources *s, struct used_line *used, size_t n)
{
	size_t length;
	const char *path = strings_get(s->in->profile->strings, used->file, &length);
	struct source_text *t = open_text(s, path);

	if (!t)
		return;
	protobuf_packed(s->data, 1);
	protobuf_packed_bytes(s->data, path, length);
	protobuf_packed(s->data, source_text_is_newer(t, run_times_begin(s->in->profile)));
	write_text(s, t, used, n);
	source_text_close(t);
	for (size_t i = 0; i < n; i++)
		used[i].written = s->n_written;
	s->n_written++;
}

static void write_files(struct sources *s)
{
	size_t i, end;

	for (i = 0; i < s->n; i = end) {
		for (end = i + 1; end < s->n && s->lines[end].file == s->lines[i].file;)
			end++;
		write_file(s, &s->lines[i], end - i);
	}
	protobuf_packed(s->data, 0);
}

static void write_lines(struct sources *s)
{
	for (size_t i = 0; i < s->n; i++) {
		const struct used_line *l = &s->lines[i];

		if (l->written == STRINGS_NONE)
			continue;
		protobuf_packed(s->data, (uint64_t)l->written + 1);
		protobuf_packed(s->data, l->line);
		protobuf_packed(s->data, l->function);
		for (size_t k = 0; k < 2 * s->n_columns; k++)
			protobuf_packed(s->data, weights_of(s, l->name, 0)[k]);
	}
	protobuf_packed(s->data, 0);
}

void page_sources(struct protobuf *data, const struct view_input *in,
		  const struct id_table *functions)
{
	struct sources s = {.in = in, .data = data, .n_columns = 1 + in->tree->n_others};
	struct error err;

	if (in->by_line && (code_places_find(&s.places, in->profile, in->symbols_by_line,
					     in->by_line, NULL, &err) ||
			    weigh(&s, &err) || list_lines(&s, functions)))
		data->is_out_of_memory = true;
	write_files(&s);
	write_lines(&s);
	code_places_free(&s.places);
	free(s.lines);
	free(s.weights);
}
