/* SPDX-License-Identifier: MIT */
/*
 * view_pprof.c - a profile as pprof and the tools that took over its format read it.
 *
 * In: a profile, and the symbols of its frames. Out: a message Profile of profile.proto (github.com/google/pprof),
 * compressed by gzip.
 *
 * A sample is a stack with one value for each type: how many samples were taken of the first resource, and the weights
 * of all. Tools show the last type first, so that is the first resource. A location is a frame of the profile, with a line for the function
 * and one for each function that is inlined there, innermost first. If calls were counted, there is a type for them behind
 * that of samples, and a sample without weights for each of their paths. Addresses are the modules' own, those of a
 * calling frame lie inside its call instruction; a mapping is the part of a module that holds code.
 *
 * Of two programs that are compared, the samples of the one before have negative values and a label that tools know
 * (pprof's doc/README.md, Comparing profiles): they show the difference.
 */
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/pprof_fields.h"
#include "base/utf8.h"
#include "export/places.h"
#include "export/protobuf.h"
#include "export/tracks.h"
#include "view/view.h"

struct writer {
	const struct view_input *in;
	const struct profile *profile;
	const struct profile_counted *counted; /* NULL: no calls */
	struct stack_groups *groups;
	struct strings *strings;       /* the table of the file; number 0 is empty */
	struct pair_table functions;   /* (name, file) -> number of the function - 1 */
	struct protobuf file, message; /* message: the field of the file that is being written */
	struct protobuf inner;	       /* a field of that */
	unsigned char *is_used;	  /* by frame, of samples and then of calls: 1 if a sample has it */
	unsigned char *is_mapped; /* by module */
	struct differences *differences;
	char *text; /* of a string that is cleaned */
	size_t text_room;
};

/* The number of a text in the table. Tools print names as they are, and want UTF-8. */
static uint32_t text(struct writer *w, const char *bytes, size_t n)
{
	size_t length = 0;

	if (n + 1 > w->text_room) {
		char *room = realloc(w->text, 2 * n + 64);

		if (!room) {
			w->file.is_out_of_memory = true;
			return 0;
		}
		w->text = room;
		w->text_room = 2 * n + 64;
	}
	for (size_t i = 0; i < n;) {
		size_t character = utf8_length(bytes + i, n - i);

		if (!character || utf8_control_length(bytes + i, n - i)) {
			w->text[length++] = '?';
			i += character ? character : 1;
			continue;
		}
		memcpy(w->text + length, bytes + i, character);
		length += character;
		i += character;
	}
	length = strings_add(w->strings, w->text, length);
	w->file.is_out_of_memory |= length == STRINGS_NONE;
	return (uint32_t)length;
}

static uint32_t word(struct writer *w, const char *text_)
{
	return text(w, text_, strlen(text_));
}

static uint32_t string(struct writer *w, uint32_t number)
{
	size_t n;
	const char *bytes;

	if (number == STRINGS_NONE)
		return 0;
	bytes = strings_get(w->profile->strings, number, &n);
	return text(w, bytes, n);
}

/* ---- types of values ------------------------------------------------------------------------- */

static void write_type(struct writer *w, unsigned field, uint32_t type, uint32_t unit)
{
	protobuf_number(&w->message, PPROF_TYPE_TYPE, type);
	protobuf_number(&w->message, PPROF_TYPE_UNIT, unit);
	protobuf_message(&w->file, field, &w->message);
}

/* pprof scales "nanoseconds" and "bytes", and prints other units as they are. */
static uint32_t unit_text(struct writer *w, uint32_t unit)
{
	size_t n;
	const char *name = strings_get(w->profile->strings, unit, &n);

	return n == 2 && memcmp(name, "ns", 2) == 0 ? word(w, "nanoseconds") : text(w, name, n);
}

static uint32_t column_unit(const struct profile *p, size_t column)
{
	return p->n_columns ? p->columns[column].unit : p->unit;
}

/* How many resources there are: columns of a comparison are runs, of one resource. */
static size_t count_resources(const struct profile *p)
{
	return p->n_base ? 1 : profile_count_shown(p);
}

static void write_types(struct writer *w)
{
	const struct profile *p = w->profile;

	write_type(w, PPROF_SAMPLE_TYPE, word(w, "samples"), word(w, "count"));
	if (w->counted)
		write_type(w, PPROF_SAMPLE_TYPE, word(w, "calls"), word(w, "count"));
	for (size_t i = count_resources(p); i-- > 0;)
		write_type(w, PPROF_SAMPLE_TYPE, string(w, profile_shown(p, i)),
			   unit_text(w, column_unit(p, i)));
	protobuf_number(&w->file, PPROF_DEFAULT_SAMPLE_TYPE, string(w, profile_shown(p, 0)));
	if (p->n_processes && p->processes[0].interval) {
		write_type(w, PPROF_PERIOD_TYPE, string(w, profile_shown(p, 0)),
			   unit_text(w, column_unit(p, 0)));
		protobuf_number(&w->file, PPROF_PERIOD, p->processes[0].interval);
	}
}

/* ---- samples --------------------------------------------------------------------------------- */

/* The column of a stack, and its locations from the innermost frame on. A group is a label. */
static size_t write_locations(struct writer *w, size_t node, uint32_t *group)
{
	const struct profile *p = w->profile;
	size_t column = 0;

	*group = STRINGS_NONE;
	for (; node; node = p->nodes[node].parent) {
		uint32_t frame = p->nodes[node].frame;

		if (profile_is_column(p, node)) {
			column = (size_t)p->frames[frame].address;
		} else if (profile_is_group(p, node)) {
			*group = p->frames[frame].name;
		} else {
			protobuf_packed(&w->inner, (uint64_t)frame + 1);
			w->is_used[frame] = 1;
		}
	}
	protobuf_message(&w->message, PPROF_SAMPLE_LOCATION, &w->inner);
	return column;
}

static void write_label(struct writer *w, uint32_t key, uint32_t text_)
{
	protobuf_number(&w->inner, PPROF_LABEL_KEY, key);
	protobuf_number(&w->inner, PPROF_LABEL_STR, text_);
	protobuf_message(&w->message, PPROF_SAMPLE_LABEL, &w->inner);
}

/* pprof takes a label for none if it has neither a text nor a unit and its number is 0. If a label says no unit, pprof
 * takes its key for one. */
static void write_number_label(struct writer *w, const char *key, uint64_t number)
{
	protobuf_number(&w->inner, PPROF_LABEL_KEY, word(w, key));
	protobuf_number(&w->inner, PPROF_LABEL_NUM, number);
	protobuf_number(&w->inner, PPROF_LABEL_UNIT, word(w, key));
	protobuf_message(&w->message, PPROF_SAMPLE_LABEL, &w->inner);
}

/* The group has all in one text, which is first because --by of what reads it takes the first one. The others are what
 * tools filter by. */
static void write_group(struct writer *w, uint32_t name)
{
	const struct stack_group g = stack_groups_find(w->groups, name);

	write_label(w, word(w, "group"), string(w, name));
	if (g.thread && g.thread->name != STRINGS_NONE)
		write_label(w, word(w, "thread"), string(w, g.thread->name));
	if (g.thread && g.thread->tid)
		write_number_label(w, "tid", g.thread->tid);
	if (g.process && g.process->pid)
		write_number_label(w, "pid", g.process->pid);
	if (g.has_rank)
		write_number_label(w, "rank", g.rank);
}

static void write_sample(struct writer *w, size_t number)
{
	const struct profile *p = w->profile;
	const struct profile_node *node = &p->nodes[number];
	uint32_t group;
	size_t column = write_locations(w, number, &group);

	if (p->n_base) {
		struct difference d = differences_add(w->differences, column, node);

		protobuf_packed(&w->inner, d.hits);
		protobuf_packed(&w->inner, d.weight);
	} else {
		protobuf_packed(&w->inner, column ? 0 : node->self_hits);
		if (w->counted)
			protobuf_packed(&w->inner, 0);
		for (size_t i = profile_count_shown(p); i-- > 0;)
			protobuf_packed(&w->inner, i == column ? node->self_weight : 0);
	}
	protobuf_message(&w->message, PPROF_SAMPLE_VALUE, &w->inner);
	if (group != STRINGS_NONE)
		write_group(w, group);
	if (column < p->n_base)
		write_label(w, word(w, "pprof::base"), word(w, "true"));
	protobuf_message(&w->file, PPROF_SAMPLE, &w->message);
}

static void write_samples(struct writer *w)
{
	const struct profile *p = w->profile;

	for (size_t i = 1; i < p->n_nodes; i++)
		if (p->nodes[i].self_weight || p->nodes[i].self_hits)
			write_sample(w, i);
}

/* ---- calls ----------------------------------------------------------------------------------- */

static void add_called(struct writer *w, uint32_t frame)
{
	size_t number = w->profile->n_frames + frame;

	protobuf_packed(&w->inner, number + 1);
	w->is_used[number] = 1;
}

/* The path of calls that led to the node, or of those of its function by itself. */
static void write_path(struct writer *w, size_t number, uint64_t calls, bool is_direct)
{
	const struct profile_counted *c = w->counted;

	if (!calls)
		return;
	if (is_direct)
		add_called(w, c->nodes[number].frame);
	for (size_t i = number; i; i = c->nodes[i].parent)
		add_called(w, c->nodes[i].frame);
	protobuf_message(&w->message, PPROF_SAMPLE_LOCATION, &w->inner);
	protobuf_packed(&w->inner, 0);
	protobuf_packed(&w->inner, calls);
	for (size_t i = count_resources(w->profile); i-- > 0;)
		protobuf_packed(&w->inner, 0);
	protobuf_message(&w->message, PPROF_SAMPLE_VALUE, &w->inner);
	protobuf_message(&w->file, PPROF_SAMPLE, &w->message);
}

static void write_calls(struct writer *w)
{
	for (size_t i = 1; w->counted && i < w->counted->n_nodes; i++) {
		write_path(w, i, w->counted->nodes[i].self_weight, false);
		write_path(w, i, w->counted->nodes[i].self_hits, true);
	}
}

/* ---- locations and functions ----------------------------------------------------------------- */

static uint64_t function(struct writer *w, const struct symbols_place *place)
{
	uint32_t name = string(w, symbols_exported(w->in->symbols, place->function)),
		 file = string(w, place->file);
	uint32_t known = w->functions.count, number = pair_table_number(&w->functions, name, file);

	if (number == PAIR_TABLE_NONE)
		w->file.is_out_of_memory = true;
	if (number == known) { /* it is new */
		struct protobuf f = {0};

		protobuf_number(&f, PPROF_FUNCTION_ID, (uint64_t)number + 1);
		protobuf_number(&f, PPROF_FUNCTION_NAME, name);
		protobuf_number(&f, PPROF_FUNCTION_SYSTEM_NAME, name);
		protobuf_number(&f, PPROF_FUNCTION_FILENAME, file);
		protobuf_message(&w->file, PPROF_FUNCTION, &f);
		protobuf_free(&f);
	}
	return (uint64_t)number + 1;
}

static int write_location(struct writer *w, uint32_t number, struct error *err)
{
	const size_t n_own = w->profile->n_frames;
	bool is_called = number >= n_own;
	const struct profile_frame *frame =
		is_called ? &w->counted->frames[number - n_own] : &w->profile->frames[number];
	const struct symbols_place *places;
	size_t n;

	if (symbols_expand(w->in->symbols, frame, &places, &n, err))
		return -1;
	n = is_called ? 1 : n; /* what is inlined there is not what was called */
	protobuf_number(&w->message, PPROF_LOCATION_ID, (uint64_t)number + 1);
	if (frame->module != PROFILE_NO_MODULE) {
		protobuf_number(&w->message, PPROF_LOCATION_MAPPING, (uint64_t)frame->module + 1);
		protobuf_number(&w->message, PPROF_LOCATION_ADDRESS, frame->address);
		w->is_mapped[frame->module] = 1;
	}
	while (n-- > 0) {
		protobuf_number(&w->inner, PPROF_LINE_FUNCTION, function(w, &places[n]));
		protobuf_number(&w->inner, PPROF_LINE_LINE, places[n].line);
		protobuf_number(&w->inner, PPROF_LINE_COLUMN, places[n].column);
		protobuf_message(&w->message, PPROF_LOCATION_LINE, &w->inner);
	}
	protobuf_message(&w->file, PPROF_LOCATION, &w->message);
	return 0;
}

static size_t count_frames(const struct writer *w)
{
	return w->profile->n_frames + (w->counted ? w->counted->n_frames : 0);
}

/* The symbols may add frames' names to the profile, but no frames. */
static int write_all_locations(struct writer *w, struct error *err)
{
	for (size_t i = 0; i < count_frames(w); i++)
		if (w->is_used[i] && write_location(w, (uint32_t)i, err))
			return -1;
	return 0;
}

/* ---- mappings and the rest ------------------------------------------------------------------- */

static const struct profile_segment *code_of(const struct profile_module *m)
{
	for (size_t i = 0; i < m->n_segments; i++)
		if (m->segments[i].flags & PF_X)
			return &m->segments[i];
	return NULL;
}

static uint32_t build_id(struct writer *w, const struct profile_module *m)
{
	static const char digits[] = "0123456789abcdef";
	char hex[2 * 64];
	size_t n = m->build_id_bytes < sizeof(hex) / 2 ? m->build_id_bytes : sizeof(hex) / 2;

	for (size_t i = 0; i < n; i++) {
		hex[2 * i] = digits[m->build_id[i] >> 4];
		hex[2 * i + 1] = digits[m->build_id[i] & 15];
	}
	return text(w, hex, 2 * n);
}

/* All that can be known of functions is in the file: pprof need not look for more. */
static void write_mapping(struct writer *w, size_t number)
{
	const struct profile_module *m = &w->profile->modules[number];
	const struct profile_segment *code = code_of(m);

	protobuf_number(&w->message, PPROF_MAPPING_ID, (uint64_t)number + 1);
	if (code) {
		protobuf_number(&w->message, PPROF_MAPPING_START, code->vaddr);
		protobuf_number(&w->message, PPROF_MAPPING_LIMIT, code->vaddr + code->memory_bytes);
		protobuf_number(&w->message, PPROF_MAPPING_OFFSET, code->file_offset);
	}
	protobuf_number(&w->message, PPROF_MAPPING_FILENAME, string(w, m->path));
	protobuf_number(&w->message, PPROF_MAPPING_BUILD_ID, build_id(w, m));
	for (unsigned field = PPROF_MAPPING_HAS_FUNCTIONS; field <= PPROF_MAPPING_HAS_INLINE_FRAMES;
	     field++)
		protobuf_number(&w->message, field, 1);
	protobuf_message(&w->file, PPROF_MAPPING, &w->message);
}

/* When the first process began, and how long it took until the last one had ended. */
static void write_times(struct writer *w)
{
	const struct profile *p = w->profile;
	uint64_t begin = UINT64_MAX, end = 0;

	for (size_t i = 0; i < p->n_processes; i++) {
		const struct profile_process *process = &p->processes[i];
		uint64_t us = process->ended ? process->end_us : process->last_us;

		if (!process->start_ns || us > (UINT64_MAX - process->start_ns) / 1000)
			continue;
		begin = process->start_ns < begin ? process->start_ns : begin;
		end = process->start_ns + us * 1000 > end ? process->start_ns + us * 1000 : end;
	}
	if (begin >= end || p->n_base)
		return; /* runs that are compared have no time together */
	protobuf_number(&w->file, PPROF_TIME, begin);
	protobuf_number(&w->file, PPROF_DURATION, end - begin);
}

static void write_strings(struct writer *w)
{
	for (size_t i = 0; i < strings_count(w->strings); i++) {
		size_t n;
		const char *bytes = strings_get(w->strings, (uint32_t)i, &n);

		protobuf_bytes(&w->file, PPROF_STRING, bytes, n);
	}
}

static int write_profile(struct writer *w, struct error *err)
{
	text(w, "", 0);
	write_types(w);
	write_samples(w);
	write_calls(w);
	if (write_all_locations(w, err))
		return -1;
	for (size_t i = 0; i < w->profile->n_modules; i++)
		if (w->is_mapped[i])
			write_mapping(w, i);
	write_times(w);
	write_strings(w);
	return w->file.is_out_of_memory ? error_memory(err) : 0;
}

static int emit(const struct view_input *in, struct out *o, struct error *err)
{
	const struct profile *p = in->profile;
	struct writer w = {
		.in = in,
		.profile = p,
		.counted = view_input_counted(in),
		.strings = strings_new(),
	};
	int status = -1;

	if (out_width(o))
		error_usage(err,
			    "a profile for pprof is not to be read on a terminal: say where to "
			    "write it, -o profile.pb.gz, or send it through a pipe");
	else if (!(w.is_used = calloc(count_frames(&w) + 1, 1)) ||
		 !(w.is_mapped = calloc(p->n_modules + 1, 1)) ||
		 !(w.groups = stack_groups_new(p)) ||
		 !(w.differences = differences_new(p, in->options->normalize)) || !w.strings)
		error_memory(err);
	else
		status = places_settle(in, err) || write_profile(&w, err) ||
					 gzip_write(o, &w.file, err)
				 ? -1
				 : 0;
	stack_groups_free(w.groups);
	strings_free(w.strings);
	pair_table_clear(&w.functions);
	protobuf_free(&w.file);
	protobuf_free(&w.message);
	protobuf_free(&w.inner);
	free(w.is_used);
	free(w.is_mapped);
	free(w.differences);
	free(w.text);
	return status;
}

const struct view view_pprof = {
	.name = "pprof",
	.help = "a profile for pprof and what reads its files",
	.needs = VIEW_NEEDS_NAMES | VIEW_NEEDS_LINES,
	.ignores = VIEW_OPTIONS("top", "unit", "granularity"),
	.has_columns = true,
	.has_base = true,
	.commands = {{.argument = VIEW_ARGUMENT_FILE,
		      .is_needed = true,
		      .help = "write a profile for pprof to a file"}},
	.emit = emit,
};
