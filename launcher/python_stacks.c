/* SPDX-License-Identifier: MIT */
/*
 * python_stacks.c - the functions of a Python program that threads of a process are in, read from outside.
 *
 * In: the process's memory. Out: for each evaluator on a thread's stack the functions that it runs, with their lines. Nothing
 * that is read is believed: lists end after so many steps, and a code object is one only if it says so.
 */
#include "launcher/python_stacks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "libsampler/python/lines.h"

#define RUNTIME_BYTES	  8192	/* of _PyRuntime, in which the interpreters are looked for */
#define INTERPRETER_BYTES 16384 /* of one, in which its threads are */
#define STATES_MAX	  100000
#define FRAMES_MAX	  1000000
#define EVALUATORS_MAX	  100000
#define STEPS		  512  /* between two looks at the time */
#define TEXT_BYTES	  4352 /* of a string: a whole path */
#define STATE_NEXT	  8    /* PyThreadState: the one before is at 0 */

/* ---- the interpreter ------------------------------------------------------------------------------------------ */

static const struct image *searched;
static const unsigned long *searched_version;

static void *find_symbol(const char *name)
{
	static const char there;

	if (strcmp(name, "Py_Version") == 0)
		return (void *)(uintptr_t)searched_version;
	return image_find(searched, name) ? (void *)(uintptr_t)&there : NULL;
}

static uint32_t version_of(const struct target *t, const struct image *image)
{
	uint64_t at = image_find(image, "Py_Version");
	unsigned long version = 0;

	searched = image;
	searched_version = at && target_read(t, at, &version, sizeof(version)) ? &version : NULL;
	return cps_python_version(find_symbol);
}

/* The end of the function that begins there. */
static uint64_t end_of(const struct image *image, uint64_t begin)
{
	for (size_t i = 1; i < image->n_symbols; i++)
		if (image->bias + image->symbols[i].st_value == begin)
			return begin + image->symbols[i].st_size;
	return begin;
}

static uint64_t word_at(const unsigned char *bytes, size_t offset)
{
	uint64_t word;

	memcpy(&word, bytes + offset, sizeof(word));
	return word;
}

/* The offset of the first thread's state in an interpreter; 0: it is none. That state names the interpreter, and comes before
 * all others. */
static uint64_t find_state(const struct python_stacks *p, struct copied *c, uint64_t interpreter)
{
	static unsigned char bytes[INTERPRETER_BYTES];
	size_t n = copied_read_some(c, interpreter, bytes, sizeof(bytes));
	uint64_t owner, before;

	for (size_t i = 8; i + 8 <= n; i += 8) {
		uint64_t state = word_at(bytes, i);

		if (state >= 4096 && !(state & 7) &&
		    copied_read(c, state + p->layout.interpreter, &owner, 8) &&
		    owner == interpreter && copied_read(c, state, &before, 8) && !before)
			return i;
	}
	return 0;
}

static void find_interpreters(struct python_stacks *p, const struct target *t, uint64_t runtime)
{
	static unsigned char bytes[RUNTIME_BYTES];
	struct copied c = {.target = t, .is_live = true};
	size_t n = copied_read_some(&c, runtime, bytes, sizeof(bytes));

	for (size_t i = 0; i + 8 <= n && p->n_interpreters < 8; i += 8) {
		uint64_t one = word_at(bytes, i), offset;
		size_t k = 0;

		while (k < p->n_interpreters && p->interpreters[k] != one)
			k++;
		if (k < p->n_interpreters || one < 4096 || one & 7)
			continue;
		offset = find_state(p, &c, one);
		if (!offset || (p->first_state && offset != p->first_state))
			continue;
		p->first_state = offset;
		p->interpreters[p->n_interpreters++] = one;
	}
	copied_free(&c);
}

static bool take_image(struct python_stacks *p, const struct target *t, const struct image *image)
{
	uint64_t runtime = image_find(image, "_PyRuntime");
	unsigned char bytes[1024] = "";

	p->version = runtime ? version_of(t, image) : 0;
	if (!p->version || !target_read(t, runtime, bytes, sizeof(bytes)) ||
	    !cps_python_layout_find(&p->layout, p->version, bytes))
		return false;
	p->types = (struct cps_python_types){image_find(image, "PyCode_Type"),
					     image_find(image, "PyUnicode_Type"),
					     image_find(image, "PyBytes_Type"), &p->layout};
	p->evaluate = image_find(image, "_PyEval_EvalFrameDefault");
	p->evaluate_end = end_of(image, p->evaluate);
	find_interpreters(p, t, runtime);
	return p->types.code && p->types.unicode && p->types.bytes && p->n_interpreters;
}

/* A program that has the interpreter in itself may have any name. */
static bool may_have_it(const struct target *t, size_t i)
{
	const struct mapping *m = &t->mappings[i];

	return !m->offset && m->path[0] == '/' &&
	       (i == 0 || strstr(target_base_name(m->path), "python"));
}

void python_stacks_find(struct python_stacks *p, const struct target *t)
{
	struct image image;

	*p = (struct python_stacks){0};
	for (size_t i = 0; i < t->n_mappings && !p->is_there; i++)
		if (may_have_it(t, i) && image_read(t, &image, t->mappings[i].begin)) {
			p->is_there = take_image(p, t, &image);
			image_free(&image);
		}
}

/* ---- code objects ---------------------------------------------------------------------------------------------- */

static bool get_text(struct python_stacks *p, struct copied *c, uint64_t object, bool is_end,
		     unsigned char copy[TEXT_BYTES], struct cps_python_text *text)
{
	size_t n = object & 7 ? 0 : copied_read_some(c, object, copy, TEXT_BYTES);

	return cps_python_text_take(text, copy, n, &p->types, is_end);
}

/* The table is an object, and is kept as one. What it says of its length need not be true. */
static unsigned char *copy_lines(struct copied *c, uint64_t object)
{
	size_t most = CPS_PYTHON_LINES_MOST + 64;
	unsigned char *bytes = object & 7 ? NULL : calloc(1, most);
	uint64_t n = 0;

	if (!bytes || !copied_read(c, object + CPS_PYTHON_LENGTH, &n, 8)) {
		free(bytes);
		return NULL;
	}
	copied_read_some(c, object, bytes, n < most - 64 ? (size_t)n + 64 : most);
	return bytes;
}

static void take_code(struct python_stacks *p, struct copied *c, struct python_code *code)
{
	static unsigned char name_bytes[TEXT_BYTES], file_bytes[TEXT_BYTES];
	static char name[CPS_PYTHON_NAME_BYTES];
	uint8_t bytes[CPS_PYTHON_CODE_BYTES];
	struct cps_python_code object;
	struct cps_python_text text, file;

	if (code->at & 7 || !copied_read(c, code->at, bytes, sizeof(bytes)))
		return;
	cps_python_code_take(&p->layout, bytes, &object);
	if (object.type != p->types.code ||
	    !get_text(p, c, object.name, false, name_bytes, &text) ||
	    !get_text(p, c, object.file, true, file_bytes, &file))
		return;
	code->is_own = object.name == object.file;
	code->first_line = object.first_line;
	cps_python_text_name(name, &text, &file, (uint32_t)object.first_line);
	code->name = strdup(name);
	code->lines = copy_lines(c, object.lines);
}

/* Recursion and threads that do the same have few of them: the latest are looked at first. */
static bool number_of(struct python_stacks *p, struct copied *c, uint64_t at, uint32_t *number)
{
	static uint32_t recent[1024];
	uint32_t *slot = &recent[at / 16 % 1024];

	if (*slot < p->n_codes && p->codes[*slot].at == at) {
		*number = *slot;
		return true;
	}
	for (size_t i = p->n_codes; i-- > 0;)
		if (p->codes[i].at == at) {
			*number = *slot = (uint32_t)i;
			return true;
		}
	if (!array_reserve(&p->codes, &p->codes_room, p->n_codes + 1, sizeof(*p->codes)))
		return false;
	p->codes[p->n_codes] = (struct python_code){.at = at};
	take_code(p, c, &p->codes[p->n_codes]);
	*number = *slot = (uint32_t)p->n_codes++;
	return true;
}

/* ---- frames ------------------------------------------------------------------------------------------------------ */

struct walk {
	struct python_stacks *p;
	struct copied *c;
	size_t thread;
	uint64_t until;
	size_t n_steps;
};

struct frame {
	uint64_t code, previous, instruction;
	bool is_entry, is_machine; /* as in libsampler/python/python.c */
};

static bool read_word(const struct walk *w, uint64_t at, uint64_t *word)
{
	return !(at & 7) && at >= 4096 && copied_read(w->c, at, word, 8);
}

static bool read_frame(struct walk *w, uint64_t at, struct frame *f)
{
	const struct cps_python_layout *l = &w->p->layout;
	unsigned char bytes[1024];
	unsigned owner;

	if (at & 7 || at < 4096 || l->frame_bytes > sizeof(bytes) ||
	    !copied_read(w->c, at, bytes, l->frame_bytes) ||
	    (++w->n_steps % STEPS == 0 && stop_now() > w->until) || w->n_steps > FRAMES_MAX)
		return false;
	f->code = word_at(bytes, l->frame_code);
	f->previous = word_at(bytes, l->frame_previous);
	f->instruction = word_at(bytes, l->frame_instruction);
	if (l->unit) {
		int32_t unit;

		memcpy(&unit, bytes + l->frame_instruction, sizeof(unit));
		f->instruction = (uint64_t)(int64_t)unit;
	}
	f->is_machine = f->is_entry = l->kind == CPS_PYTHON_FRAMES;
	if (l->kind == CPS_PYTHON_FRAMES) {
		f->is_machine = false;
		return true;
	}
	owner = bytes[l->frame_owner];
	f->is_machine = !l->frame_entry && owner == CPS_PYTHON_OWNER_MACHINE;
	f->is_entry = l->frame_entry ? bytes[l->frame_entry] != 0 : f->is_machine;
	return true;
}

static struct python_evaluator *begin_evaluator(struct walk *w, uint64_t at)
{
	struct python_stacks *p = w->p;

	if (p->n_evaluators >= EVALUATORS_MAX ||
	    !array_reserve(&p->evaluators, &p->evaluators_room, p->n_evaluators + 1,
			   sizeof(*p->evaluators)))
		return NULL;
	p->evaluators[p->n_evaluators] =
		(struct python_evaluator){.thread = w->thread, .at = at, .first = p->n_frames};
	return &p->evaluators[p->n_evaluators++];
}

static bool put_frame(struct walk *w, struct python_evaluator *e, const struct frame *f)
{
	struct python_stacks *p = w->p;
	struct python_frame frame = {.instruction = f->instruction};

	if (!number_of(p, w->c, f->code, &frame.code) ||
	    !array_reserve(&p->frames, &p->frames_room, p->n_frames + 1, sizeof(frame)))
		return false;
	p->frames[p->n_frames++] = frame;
	e->n++;
	return true;
}

/* Puts the frames of one evaluator. Returns the next frame outwards; 0: there is none, or it cannot be read. *entry is the
 * last frame. */
static uint64_t put_frames(struct walk *w, struct python_evaluator *e, uint64_t at, uint64_t *entry)
{
	struct frame f;

	*entry = 0;
	while (at && read_frame(w, at, &f)) {
		*entry = at;
		if (!f.is_machine && !put_frame(w, e, &f))
			return 0;
		if (f.is_entry)
			return f.previous;
		at = f.previous;
	}
	return 0;
}

static void walk_cframes(struct walk *w, uint64_t cframe, uint64_t root)
{
	const struct cps_python_layout *l = &w->p->layout;
	uint64_t current, previous, entry;

	while (cframe && cframe != root && w->n_steps < FRAMES_MAX) {
		struct python_evaluator *e;

		if (!read_word(w, cframe + l->cframe_current, &current) ||
		    !read_word(w, cframe + l->cframe_previous, &previous) || previous == cframe)
			return;
		e = begin_evaluator(w, cframe);
		if (!e)
			return;
		put_frames(w, e, current, &entry);
		w->n_steps++;
		cframe = previous;
	}
}

/* Until 3.10 each evaluator runs one; from 3.13 on the outermost frame of an evaluator lies in the machine's. */
static void walk_frames(struct walk *w, uint64_t at)
{
	bool is_in_machine = w->p->layout.kind == CPS_PYTHON_ENTRIES;
	uint64_t entry;

	while (at) {
		struct python_evaluator *e = begin_evaluator(w, 0);

		if (!e)
			return;
		at = put_frames(w, e, at, &entry);
		e = &w->p->evaluators[w->p->n_evaluators - 1];
		e->at = is_in_machine ? entry : 0;
	}
}

static bool find_thread(const struct snapshot *s, uint64_t pointer, size_t *thread)
{
	for (size_t i = 0; i < s->n_threads; i++)
		if (s->threads[i].has_stopped &&
		    stop_thread_pointer(&s->threads[i].at.regs) == pointer) {
			*thread = i;
			return true;
		}
	return false;
}

static void take_state(struct walk *w, const struct snapshot *s, uint64_t state)
{
	const struct cps_python_layout *l = &w->p->layout;
	uint64_t pointer, first;

	if (!read_word(w, state + l->thread, &pointer) || !find_thread(s, pointer, &w->thread) ||
	    !read_word(w, state + l->frame, &first))
		return;
	w->n_steps = 0;
	if (l->kind == CPS_PYTHON_CFRAMES)
		walk_cframes(w, first, state + l->root);
	else
		walk_frames(w, first);
}

void python_stacks_copy(struct python_stacks *p, struct snapshot *s, uint64_t until)
{
	struct walk w = {.p = p, .c = &s->memory, .until = until};
	uint64_t state, owner;

	for (size_t i = 0; p->is_there && i < p->n_interpreters; i++) {
		if (!read_word(&w, p->interpreters[i] + p->first_state, &state))
			continue;
		for (size_t n = 0; n < STATES_MAX && state && stop_now() < until; n++) {
			if (!read_word(&w, state + p->layout.interpreter, &owner) ||
			    owner != p->interpreters[i])
				break;
			take_state(&w, s, state);
			if (!read_word(&w, state + STATE_NEXT, &state))
				break;
		}
	}
}

/* ---- texts ----------------------------------------------------------------------------------------------------------- */

static uint32_t line_of(const struct python_stacks *p, const struct python_code *code,
			uint64_t instruction)
{
	const struct cps_python_layout *l = &p->layout;
	int64_t offset = l->unit ? (int64_t)instruction * l->unit
				 : (int64_t)(instruction - code->at - l->code_begin);
	uint32_t line = 0;

	if (!code->lines || !cps_python_line_find((uintptr_t)code->lines, &p->types,
						  code->first_line, offset, true, &line))
		return code->first_line > 0 ? (uint32_t)code->first_line : 0;
	return line;
}

char *python_stacks_text(const struct python_stacks *p, const struct python_frame *frame)
{
	const struct python_code *code = &p->codes[frame->code];
	const char *file;
	int name_bytes, file_bytes;
	char *text;

	if (code->is_own)
		return NULL;
	if (!code->name)
		return strdup("[unknown Python function]");
	file = strrchr(code->name, '(');
	name_bytes = (int)(file - code->name) - 1;
	file_bytes = (int)strcspn(++file, ":)");
	if (asprintf(&text, "%.*s %.*s:%u", name_bytes, code->name, file_bytes, file,
		     line_of(p, code, frame->instruction)) < 0)
		return NULL;
	return text;
}

void python_stacks_free(struct python_stacks *p)
{
	for (size_t i = 0; i < p->n_codes; i++) {
		free(p->codes[i].name);
		free(p->codes[i].lines);
	}
	free(p->codes);
	free(p->frames);
	free(p->evaluators);
	*p = (struct python_stacks){0};
}
