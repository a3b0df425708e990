/* SPDX-License-Identifier: MIT */
/*
 * firefox.c - makes stacks of nodes, and writes the tables that all threads share.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "export/firefox.h"
#include "write/json_text.h"

/* ---- json table ------------------------------------------------------------------------------ */

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

/* Any value of JSON. */
static void json_table_text(struct json_table *t, const char *json)
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

/* ---- firefox --------------------------------------------------------------------------------- */
/*
 * Makes stacks of nodes, and writes the tables that all threads share.
 *
 * In: nodes, places, states. Out: JSON, in version 66 of the processed profile
 * (github.com/firefox-devtools/profiler, docs-developer/CHANGELOG-formats.md).
 */

#define FIREFOX_NO_CATEGORY UINT32_MAX

#define NONE UINT32_MAX

/* ---- stacks ---------------------------------------------------------------------------------- */

static uint32_t add_frame(struct firefox_tables *t, uint32_t place, uint32_t depth,
			  uint32_t category)
{
	if (!array_reserve(&t->frames, &t->frames_size, t->n_frames + 1, sizeof(*t->frames)))
		return NONE;
	t->frames[t->n_frames] = (struct firefox_frame){place, depth, category};
	return (uint32_t)t->n_frames++;
}

static uint32_t add_stack(struct firefox_tables *t, uint32_t frame, uint32_t caller)
{
	uint32_t number = (uint32_t)t->n_stacks;

	if (frame == NONE ||
	    !array_reserve(&t->stacks, &t->stacks_size, t->n_stacks + 1, sizeof(*t->stacks)))
		return NONE;
	t->stacks[t->n_stacks++] =
		(struct firefox_stack){frame, caller == NONE ? 0 : number - caller};
	return number;
}

/* The first frame of each frame of the profile; those inlined there follow it. */
static int add_frames(struct firefox_tables *t, uint32_t *of_frame)
{
	const struct places *x = t->places;

	for (size_t i = 0; i < t->profile->n_frames; i++)
		for (uint32_t k = 0; k < x->of_frame[i].n; k++) {
			uint32_t frame =
				add_frame(t, x->of_frame[i].first + k, k, FIREFOX_NO_CATEGORY);

			if (frame == NONE)
				return -1;
			of_frame[i] = k ? of_frame[i] : frame;
		}
	return 0;
}

static int add_stacks(struct firefox_tables *t, const uint32_t *of_frame)
{
	const struct profile *p = t->profile;

	t->of_node[0] = NONE;
	for (size_t i = 1; i < p->n_nodes; i++) {
		uint32_t frame = p->nodes[i].frame, stack = t->of_node[p->nodes[i].parent];

		for (uint32_t k = 0; !places_is_none(p, i) && k < t->places->of_frame[frame].n;
		     k++) {
			stack = add_stack(t, of_frame[frame] + k, stack);
			if (stack == NONE)
				return -1;
		}
		t->of_node[i] = stack;
	}
	t->first = t->n_stacks;
	return 0;
}

/* ---- states ---------------------------------------------------------------------------------- */

static uint32_t category_of(const struct firefox_tables *t, uint32_t state)
{
	for (size_t i = 0; i < t->n_states; i++)
		if (t->states[i] == state)
			return (uint32_t)i + 1;
	return FIREFOX_NO_CATEGORY;
}

/* The stack of a node in samples of a state: as the node's, but for the category. */
static int add_state(struct firefox_tables *t, uint32_t node, uint32_t state)
{
	const struct firefox_stack *like;
	uint32_t category = category_of(t, state), count = t->pairs.count, number, frame;

	if (t->of_node[node] == NONE)
		return 0;
	if (category == FIREFOX_NO_CATEGORY) {
		if (!array_reserve(&t->states, &t->states_size, t->n_states + 1,
				   sizeof(*t->states)))
			return -1;
		t->states[t->n_states++] = state;
		category = (uint32_t)t->n_states;
	}
	number = pair_table_number(&t->pairs, node, category);
	if (number != count)
		return number == PAIR_TABLE_NONE ? -1 : 0;
	like = &t->stacks[t->of_node[node]];
	frame = add_frame(t, t->frames[like->frame].place, t->frames[like->frame].depth, category);
	return add_stack(t, frame, like->offset ? t->of_node[node] - like->offset : NONE) == NONE
		       ? -1
		       : 0;
}

uint32_t firefox_stack(struct firefox_tables *t, const struct track_sample *sample)
{
	uint32_t count = t->pairs.count, number;

	if (sample->state == STRINGS_NONE || t->of_node[sample->node] == NONE)
		return t->of_node[sample->node];
	number = pair_table_number(&t->pairs, sample->node, category_of(t, sample->state));
	return number < count ? (uint32_t)t->first + number : t->of_node[sample->node];
}

uint32_t firefox_text(struct firefox_tables *t, const char *bytes, size_t n)
{
	uint32_t number = strings_add(t->strings, bytes, n);

	t->is_out_of_memory |= number == STRINGS_NONE;
	return number;
}

static int make(struct firefox_tables *t, uint32_t *of_frame, const struct tracks *tracks)
{
	if (!of_frame || !t->of_node || !t->strings || add_frames(t, of_frame) ||
	    add_stacks(t, of_frame))
		return -1;
	for (size_t i = 0; i < tracks->n_samples; i++)
		if (tracks->samples[i].state != STRINGS_NONE &&
		    add_state(t, tracks->samples[i].node, tracks->samples[i].state))
			return -1;
	return 0;
}

int firefox_tables_make(struct firefox_tables *t, const struct profile *p,
			const struct places *places, const struct tracks *tracks, struct error *err)
{
	uint32_t *of_frame = calloc(p->n_frames + 1, sizeof(*of_frame));
	int status;

	*t = (struct firefox_tables){.profile = p,
				     .places = places,
				     .strings = strings_new(),
				     .of_node = calloc(p->n_nodes, sizeof(*t->of_node))};
	status = make(t, of_frame, tracks);
	free(of_frame);
	return status ? error_memory(err) : 0;
}

void firefox_tables_free(struct firefox_tables *t)
{
	strings_free(t->strings);
	pair_table_clear(&t->pairs);
	free(t->of_node);
	free(t->frames);
	free(t->stacks);
	free(t->states);
}

/* ---- JSON ------------------------------------------------------------------------------------ */

/* The number in the file's strings of one of the profile's. */
static uint32_t string(struct firefox_tables *t, uint32_t number)
{
	size_t n = 0;
	const char *bytes =
		number == STRINGS_NONE ? "" : strings_get(t->profile->strings, number, &n);

	return firefox_text(t, bytes, n);
}

static const char *colour_of(const char *state)
{
	static const char *const colours[][2] = {{"running", "green"}, {"ready", "orange"},
						 {"stalled", "red"},   {"io", "blue"},
						 {"lock", "magenta"},  {"wait", "grey"}};

	for (size_t i = 0; i < sizeof(colours) / sizeof(*colours); i++)
		if (strcmp(state, colours[i][0]) == 0)
			return colours[i][1];
	return "brown";
}

void firefox_write_categories(const struct firefox_tables *t, struct out *o)
{
	const struct strings *s = t->profile->strings;

	out_text(o, "[{\"name\":\"Other\",\"color\":\"yellow\",\"subcategories\":[\"Other\"]}");
	for (size_t i = 0; i < t->n_states; i++) {
		out_text(o, ",{\"name\":");
		json_text_string(o, s, t->states[i]);
		out_format(o, ",\"color\":\"%s\",\"subcategories\":[\"Other\"]}",
			   colour_of(strings_get(s, t->states[i], NULL)));
	}
	out_text(o, "]");
}

static const char *name_of(const struct firefox_tables *t, const struct profile_module *m)
{
	const char *path =
		m->path == STRINGS_NONE ? "" : strings_get(t->profile->strings, m->path, NULL);
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* As Breakpad has them: the first 16 bytes as a GUID, whose three first parts are in little-endian order. */
static void write_ids(const struct profile_module *m, struct out *o)
{
	static const unsigned char order[16] = {3, 2, 1,  0,  5,  4,  7,  6,
						8, 9, 10, 11, 12, 13, 14, 15};

	out_text(o, ",\"breakpadId\":\"");
	for (size_t i = 0; m->build_id_bytes >= sizeof(order) && i < sizeof(order); i++)
		out_format(o, "%02X", m->build_id[order[i]]);
	out_text(o, m->build_id_bytes >= sizeof(order) ? "0\",\"codeId\":\"" : "\",\"codeId\":\"");
	for (size_t i = 0; i < m->build_id_bytes; i++)
		out_format(o, "%02x", m->build_id[i]);
	out_text(o, "\"}");
}

void firefox_write_libs(const struct firefox_tables *t, struct out *o)
{
	const char *machine = profile_machine(t->profile);

	if (!machine) /* not recorded by us, or on several */
		machine = "";
	out_text(o, "[");
	for (size_t i = 0; i < t->profile->n_modules; i++) {
		const struct profile_module *m = &t->profile->modules[i];
		const char *name = name_of(t, m);

		out_text(o, i ? ",\n{\"arch\":" : "\n{\"arch\":");
		json_text(o, machine, strlen(machine));
		out_text(o, ",\"name\":");
		json_text(o, name, strlen(name));
		out_text(o, ",\"debugName\":");
		json_text(o, name, strlen(name));
		out_text(o, ",\"path\":");
		json_text_string(o, t->profile->strings, m->path);
		out_text(o, ",\"debugPath\":");
		json_text_string(o, t->profile->strings, m->path);
		write_ids(m, o);
	}
	out_text(o, "]");
}

static void write_stacks(const struct firefox_tables *t, struct out *o)
{
	struct json_table table;

	json_table_begin(&table, o, "stackTable", t->n_stacks);
	json_table_column(&table, "frame");
	for (size_t i = 0; i < t->n_stacks; i++)
		json_table_number(&table, t->stacks[i].frame);
	json_table_column(&table, "prefixOffset");
	for (size_t i = 0; i < t->n_stacks; i++)
		json_table_number(&table, t->stacks[i].offset);
	json_table_end(&table);
}

static void write_frames(const struct firefox_tables *t, struct out *o)
{
	const struct place *places = t->places->all;
	struct json_table table;
	size_t n = t->n_frames;

	json_table_begin(&table, o, "frameTable", n);
	json_table_same(&table, "address", "-1", n);
	json_table_column(&table, "inlineDepth");
	for (size_t i = 0; i < n; i++)
		json_table_number(&table, t->frames[i].depth);
	json_table_column(&table, "category");
	for (size_t i = 0; i < n; i++)
		json_table_index(&table, t->frames[i].category);
	json_table_column(&table, "subcategory");
	for (size_t i = 0; i < n; i++)
		json_table_text(&table,
				t->frames[i].category == FIREFOX_NO_CATEGORY ? "null" : "0");
	json_table_column(&table, "func");
	for (size_t i = 0; i < n; i++)
		json_table_number(&table, places[t->frames[i].place].function);
	json_table_same(&table, "nativeSymbol", "null", n);
	json_table_same(&table, "innerWindowID", "0", n);
	json_table_column(&table, "line");
	for (size_t i = 0; i < n; i++)
		json_table_index(&table, places[t->frames[i].place].line
						 ? places[t->frames[i].place].line
						 : NONE);
	json_table_column(&table, "column");
	for (size_t i = 0; i < n; i++)
		json_table_index(&table, places[t->frames[i].place].column
						 ? places[t->frames[i].place].column
						 : NONE);
	json_table_same(&table, "originalLocation", "null", n);
	json_table_end(&table);
}

/* Each function has a row of its own in `sources`, if its file is known. */
static void write_functions(struct firefox_tables *t, struct out *o)
{
	const struct places *x = t->places;
	size_t n = x->n_functions;
	struct json_table table;
	uint32_t sources = 0;

	json_table_begin(&table, o, "funcTable", n);
	json_table_column(&table, "name");
	for (size_t i = 0; i < n; i++)
		json_table_number(&table, string(t, x->names[i]));
	json_table_same(&table, "isJS", "false", n);
	json_table_same(&table, "relevantForJS", "false", n);
	json_table_column(&table, "resource");
	for (size_t i = 0; i < n; i++)
		if (x->modules[i] == PROFILE_NO_MODULE)
			json_table_text(&table, "-1");
		else
			json_table_number(&table, x->modules[i]);
	json_table_column(&table, "source");
	for (size_t i = 0; i < n; i++)
		json_table_index(&table, x->files[i] == STRINGS_NONE ? NONE : sources++);
	json_table_same(&table, "lineNumber", "null", n);
	json_table_same(&table, "columnNumber", "null", n);
	json_table_same(&table, "originalLocation", "null", n);
	json_table_end(&table);
	out_text(o, ",\n");
	json_table_begin(&table, o, "sources", sources);
	json_table_same(&table, "id", "null", sources);
	json_table_column(&table, "filename");
	for (size_t i = 0; i < n; i++)
		if (x->files[i] != STRINGS_NONE)
			json_table_number(&table, string(t, x->files[i]));
	json_table_same(&table, "startLine", "1", sources);
	json_table_same(&table, "startColumn", "1", sources);
	json_table_same(&table, "sourceMapURL", "null", sources);
	json_table_same(&table, "content", "null", sources);
	json_table_end(&table);
}

static void write_resources(struct firefox_tables *t, struct out *o)
{
	size_t n = t->profile->n_modules;
	struct json_table table;

	json_table_begin(&table, o, "resourceTable", n);
	json_table_column(&table, "lib");
	for (size_t i = 0; i < n; i++)
		json_table_number(&table, i);
	json_table_column(&table, "name");
	for (size_t i = 0; i < n; i++) {
		const char *name = name_of(t, &t->profile->modules[i]);

		json_table_number(&table, firefox_text(t, name, strlen(name)));
	}
	json_table_same(&table, "host", "null", n);
	json_table_same(&table, "type", "1", n);
	json_table_end(&table);
}

void firefox_write_shared(struct firefox_tables *t, struct out *o)
{
	out_text(o, "{");
	write_stacks(t, o);
	out_text(o, ",\n");
	write_frames(t, o);
	out_text(o, ",\n");
	write_functions(t, o);
	out_text(o, ",\n");
	write_resources(t, o);
	out_text(o, ",\n\"nativeSymbols\":{\"length\":0,\"libIndex\":[],\"address\":[],\"name\":[],"
		    "\"functionSize\":[]},\n\"sourceLocationTable\":{\"length\":0,\"source\":[],"
		    "\"line\":[],\"column\":[]},\n\"stringArray\":");
	for (size_t i = 0; i < strings_count(t->strings); i++) {
		out_text(o, i ? ",\n" : "[");
		json_text_string(o, t->strings, (uint32_t)i);
	}
	out_text(o, strings_count(t->strings) ? "]}" : "[]}");
}
