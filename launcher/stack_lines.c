/* SPDX-License-Identifier: MIT */
/*
 * stack_lines.c - names what a thread is in.
 *
 * In: frames, Python functions, files. Out: lines. The converters' symbols name the frames, as if they were of a recording
 * whose modules are those of the process.
 */
#include "launcher/stack_lines.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "launcher/generated.h"
#include "symbols/symbols.h"

struct stack_lines {
	struct snapshot *snapshot;
	const struct modules *modules;
	const struct python_stacks *python;
	struct native_stacks *native;
	struct native_stack stack; /* the latest thread's */
	struct profile profile;
	struct symbols *symbols;
	struct perf_map *generated; /* names of code that has no file; NULL: there are none */
	char *root, *debug;	    /* where files are */
};

/* ---- open and close ---------------------------------------------------------------------------------------------- */

static bool add_module(struct profile *p, const struct module *m)
{
	struct profile_module *to = &p->modules[p->n_modules];

	to->path = strings_add(p->strings, m->file, strlen(m->file));
	to->is_vdso = m->is_vdso;
	to->build_id = malloc(sizeof(m->build_id));
	if (!to->build_id || to->path == STRINGS_NONE)
		return false;
	memcpy(to->build_id, m->build_id, sizeof(m->build_id));
	to->build_id_bytes = m->build_id_bytes;
	p->n_modules++;
	return true;
}

static bool make_profile(struct stack_lines *l)
{
	struct profile *p = &l->profile;
	int pid = l->snapshot->target->pid;

	p->strings = strings_new();
	p->modules = calloc(l->modules->n + 1, sizeof(*p->modules));
	if (!p->strings || !p->modules || asprintf(&l->root, "/proc/%d", pid) < 0 ||
	    asprintf(&l->debug, "/proc/%d/root/usr/lib/debug", pid) < 0)
		return false;
	for (size_t i = 0; i < l->modules->n; i++)
		if (!add_module(p, &l->modules->list[i]))
			return false;
	return true;
}

struct stack_lines *stack_lines_open(struct snapshot *s, const struct modules *m,
				     const struct python_stacks *p, struct error *err)
{
	struct stack_lines *l = calloc(1, sizeof(*l));
	struct symbols_options options = {
		.inlines = true, .lines = true, .granularity = SYMBOLS_BY_LINE};

	if (!l) {
		error_memory(err);
		return NULL;
	}
	*l = (struct stack_lines){.snapshot = s, .modules = m, .python = p};
	if (!make_profile(l)) {
		error_memory(err);
		stack_lines_close(l);
		return NULL;
	}
	options.search = (struct file_search){.sysroot = l->root, .debug_dir = l->debug};
	l->symbols = symbols_new(&l->profile, &options, err);
	l->native = native_stacks_open(s, m);
	l->generated = generated_open(s->target);
	if (l->symbols && l->native)
		return l;
	if (l->symbols)
		error_set(err, "libdw cannot follow stacks here");
	stack_lines_close(l);
	return NULL;
}

void stack_lines_close(struct stack_lines *l)
{
	if (l->symbols)
		symbols_free(l->symbols);
	if (l->native)
		native_stacks_close(l->native);
	perf_map_free(l->generated);
	for (size_t i = 0; i < l->profile.n_modules; i++)
		free(l->profile.modules[i].build_id);
	free(l->profile.modules);
	strings_free(l->profile.strings);
	free(l->stack.frames);
	free(l->root);
	free(l->debug);
	free(l);
}

/* ---- frames of the machine -------------------------------------------------------------------------------------------- */

static bool put(struct stack_list *list, struct stack_line line)
{
	if (line.name == STRINGS_NONE ||
	    !array_reserve(&list->lines, &list->room, list->n + 1, sizeof(line)))
		return false;
	list->lines[list->n++] = line;
	return true;
}

static bool put_text(struct stack_lines *l, struct stack_list *list, const char *text)
{
	return put(list, (struct stack_line){
				 .name = strings_add(l->profile.strings, text, strlen(text))});
}

/* A function whose line is not known is told with its file; one without a name is named after that. */
static bool put_place(struct stack_lines *l, struct stack_list *list, const struct module *m,
		      const struct symbols_place *place)
{
	const char *file = target_base_name(m->path);
	char *text;
	bool is_put;

	if (place->has_symbol || place->is_inline)
		return put(list, (struct stack_line){place->name, place->line ? NULL : file,
						     place->is_inline, false});
	if (asprintf(&text, "[%s+0x%lx]", file, place->start) < 0)
		return false;
	is_put = put_text(l, list, text);
	free(text);
	return is_put;
}

static bool put_unknown(struct stack_lines *l, struct stack_list *list, uint64_t pc)
{
	const struct mapping *m = target_mapping(l->snapshot->target, pc);
	size_t n = 0;
	const char *name = l->generated ? perf_map_find(l->generated, pc, &n) : NULL;
	char text[200];

	if (name)
		return put(list,
			   (struct stack_line){.name = strings_add(l->profile.strings, name, n)});
	if (m && m->path[0] != '\0')
		snprintf(text, sizeof(text), "[0x%lx] (%.100s)", pc, target_base_name(m->path));
	else
		snprintf(text, sizeof(text), "[0x%lx]%s", pc,
			 m && m->allowed[2] == 'x' ? " (generated code)" : "");
	return put_text(l, list, text);
}

/* The code of a frame, within the call if it has called. */
static uint64_t code_of(const struct native_frame *f)
{
	return f->is_exact || !f->pc ? f->pc : f->pc - 1;
}

static bool put_frame(struct stack_lines *l, struct stack_list *list, const struct native_frame *f)
{
	const struct module *m = modules_at(l->modules, code_of(f));
	struct profile_frame frame = {.name = STRINGS_NONE};
	const struct symbols_place *places;
	struct error err;
	size_t n, first = list->n;

	if (!m)
		return put_unknown(l, list, code_of(f));
	frame.module = (uint32_t)(m - l->modules->list);
	frame.address = code_of(f) - m->bias;
	if (symbols_expand(l->symbols, &frame, &places, &n, &err))
		return false;
	for (size_t i = n; i-- > 0;)
		if (!put_place(l, list, m, &places[i]))
			return false;
	for (; first < list->n; first++)
		list->lines[first].is_guess = f->is_guess;
	return true;
}

/* ---- Python ------------------------------------------------------------------------------------------------------------ */

struct merge {
	const struct python_evaluator *list; /* the thread's, innermost first */
	size_t n, next;
	bool is_counted; /* there are as many evaluators as frames of the evaluator's code */
	bool is_skipped; /* the innermost of those has none yet */
};

static bool is_in_evaluator(const struct stack_lines *l, const struct native_frame *f)
{
	uint64_t code = code_of(f);

	return code >= l->python->evaluate && code < l->python->evaluate_end;
}

static struct merge begin_merge(const struct stack_lines *l, size_t thread)
{
	const struct python_stacks *p = l->python;
	struct merge m = {0};
	size_t n = 0;

	for (size_t i = 0; i < p->n_evaluators; i++)
		if (p->evaluators[i].thread == thread) {
			m.list = m.n ? m.list : &p->evaluators[i];
			m.n++;
		}
	for (size_t i = 0; i < l->stack.n; i++)
		n += is_in_evaluator(l, &l->stack.frames[i]);
	m.is_skipped = n == m.n + 1 && l->stack.n && is_in_evaluator(l, &l->stack.frames[0]);
	m.is_counted = p->layout.kind == CPS_PYTHON_FRAMES && (n == m.n || m.is_skipped);
	return m;
}

/* Whether the next evaluator runs in frame number i of the machine's. */
static bool is_next(const struct stack_lines *l, const struct merge *m, size_t i)
{
	const struct native_stack *s = &l->stack;
	uint64_t at;

	if (m->next == m->n)
		return false;
	if (l->python->layout.kind == CPS_PYTHON_FRAMES)
		return m->is_counted && is_in_evaluator(l, &s->frames[i]) &&
		       !(m->is_skipped && i == 0);
	at = m->list[m->next].at;
	return at && i + 1 < s->n && s->frames[i].sp && at >= s->frames[i].sp &&
	       at < s->frames[i + 1].sp;
}

static bool put_evaluator(struct stack_lines *l, struct stack_list *list,
			  const struct python_evaluator *e)
{
	for (size_t i = 0; i < e->n; i++) {
		char *text = python_stacks_text(l->python, &l->python->frames[e->first + i]);
		bool is_put = !text || put_text(l, list, text);

		free(text);
		if (!is_put)
			return false;
	}
	return true;
}

/* The interpreter's function that has called the evaluator says nothing that the Python function does not. */
static bool is_caller(const struct stack_lines *l, const struct merge *m, size_t i)
{
	const struct module *of = modules_at(l->modules, l->python->evaluate);

	return i < l->stack.n && of && modules_at(l->modules, code_of(&l->stack.frames[i])) == of &&
	       !is_in_evaluator(l, &l->stack.frames[i]) && !is_next(l, m, i);
}

/* Evaluators that lie in no frame are told of at the end. */
static bool put_rest(struct stack_lines *l, struct stack_list *list, const struct merge *m)
{
	static const char text[] = "(Python, whose place among these is not known:)";
	size_t before = list->n;

	for (size_t i = m->next; i < m->n; i++) {
		if (m->list[i].n && list->n == before && !put_text(l, list, text))
			return false;
		if (!put_evaluator(l, list, &m->list[i]))
			return false;
	}
	return true;
}

bool stack_lines_of(struct stack_lines *l, size_t thread, struct stack_list *list)
{
	struct merge m;

	list->n = 0;
	native_stacks_walk(l->native, thread, &l->stack);
	list->is_whole = l->stack.is_whole;
	m = begin_merge(l, thread);
	for (size_t i = 0; i < l->stack.n; i++) {
		if (!is_next(l, &m, i) || !m.list[m.next].n) {
			m.next += is_next(l, &m, i);
			if (!put_frame(l, list, &l->stack.frames[i]))
				return false;
			continue;
		}
		if (!put_evaluator(l, list, &m.list[m.next++]))
			return false;
		i += is_caller(l, &m, i + 1);
	}
	return put_rest(l, list, &m);
}

/* ---- names --------------------------------------------------------------------------------------------------------------- */

void stack_lines_shorten(struct stack_lines *l)
{
	size_t n = strings_count(l->profile.strings);
	uint32_t *names = calloc(n + 1, sizeof(*names));
	struct error err;

	for (size_t i = 0; names && i < n; i++)
		names[i] = (uint32_t)i;
	if (names)
		symbols_shorten(l->symbols, names, n, &err);
	free(names);
}

const struct strings *stack_lines_strings(const struct stack_lines *l)
{
	return l->profile.strings;
}
