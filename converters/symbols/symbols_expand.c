/* SPDX-License-Identifier: MIT */
/*
 * symbols_expand.c - lists the places of a frame, with names in the granularity of the options.
 *
 * In: a frame of the profile. Out: its function and the functions inlined there.
 */
#include <inttypes.h>
#include <string.h>

#include "base/array.h"
#include "symbols/symbols_locate.h"

bool symbols_has_places(const struct symbols *s)
{
	return s->opt.granularity == SYMBOLS_BY_LINE || s->opt.granularity == SYMBOLS_BY_ADDRESS ||
	       s->opt.granularity == SYMBOLS_BY_CODE || s->opt.granularity == SYMBOLS_BY_SOURCE;
}

bool symbols_merge_calls(const struct symbols *s)
{
	return s->opt.granularity == SYMBOLS_BY_MODULE;
}

/* A frame with a recorded name is of generated code, or stands for missing frames. */
static int expand_module(struct symbols *s, const struct profile_frame *frame,
			 struct symbols_place *place, struct error *err)
{
	const char *label = SYMBOLS_GENERATED, *name;

	*place = (struct symbols_place){.start = frame->address, .file = STRINGS_NONE};
	if (profile_is_named(frame)) {
		name = strings_get(s->profile->strings, frame->name, NULL);
		label = strcmp(name, PROFILE_INCOMPLETE) == 0 ? PROFILE_INCOMPLETE : label;
	} else if (frame->module >= s->profile->n_modules) {
		label = profile_stand_in(frame);
		label = label ? label : SYMBOLS_UNKNOWN;
	} else {
		label = symbols_label(s, frame->module);
		label = label ? label : SYMBOLS_UNKNOWN_MODULE;
	}
	if (symbols_add_text(s, label, &place->function, err))
		return -1;
	place->name = place->function;
	return 0;
}

/* Makes the name "f file.c:12"; it stays "f" if the line is not known. */
static int name_line(struct symbols *s, struct symbols_place *place, struct error *err)
{
	const char *path, *slash;

	if (place->file == STRINGS_NONE || place->line == 0)
		return 0;
	path = strings_get(s->profile->strings, place->file, NULL);
	slash = strrchr(path, '/');
	return symbols_add_format(s, &place->name, err, "%s %s:%" PRIu32,
				  strings_get(s->profile->strings, place->function, NULL),
				  slash ? slash + 1 : path, place->line);
}

/* Makes the name "f 1f:12", with the number of the file's path. */
static int name_source(struct symbols *s, struct symbols_place *place, struct error *err)
{
	if (place->file == STRINGS_NONE || place->line == 0)
		return 0;
	return symbols_add_format(s, &place->name, err, "%s %" PRIx32 ":%" PRIu32,
				  strings_get(s->profile->strings, place->function, NULL),
				  place->file, place->line);
}

/* Makes the name "f+0x1f". It stays "f" if the address is below the function's start: the address
 * that a signal handler returns to may be one byte before its symbol. */
static int name_address(struct symbols *s, const struct profile_frame *frame,
			struct symbols_place *place, struct error *err)
{
	if (!place->has_start || frame->address < place->start)
		return 0;
	return symbols_add_format(s, &place->name, err, "%s+0x%" PRIx64,
				  strings_get(s->profile->strings, place->function, NULL),
				  frame->address - place->start);
}

/* Makes the name "f+0xN", where N has the module in its upper bits and the address in the others. */
static int name_code(struct symbols *s, const struct profile_frame *frame,
		     struct symbols_place *place, struct error *err)
{
	if (!place->has_start)
		return 0;
	return symbols_add_format(s, &place->name, err, "%s+0x%" PRIx32 "%016" PRIx64,
				  strings_get(s->profile->strings, place->function, NULL),
				  frame->module, frame->address);
}

static int name_place(struct symbols *s, const struct profile_frame *frame,
		      struct symbols_place *place, struct error *err)
{
	int status = 0;

	if (profile_is_named(frame))
		return 0;
	if (s->opt.granularity == SYMBOLS_BY_LINE)
		status = name_line(s, place, err);
	else if (s->opt.granularity == SYMBOLS_BY_SOURCE)
		status = name_source(s, place, err);
	else if (s->opt.granularity == SYMBOLS_BY_ADDRESS)
		status = name_address(s, frame, place, err);
	else if (s->opt.granularity == SYMBOLS_BY_CODE)
		status = name_code(s, frame, place, err);
	if (!status && short_names_add_place(&s->short_names, s->profile->strings, place->name,
					     place->function))
		return error_memory(err);
	return status;
}

static int set_source(struct symbols *s, struct symbols_place *place,
		      const struct debug_function *from, struct error *err)
{
	if (!from->file)
		return 0;
	place->line = (uint32_t)from->line;
	place->column = (uint32_t)from->column;
	if (from->directory)
		return symbols_add_format(s, &place->file, err, "%s/%s", from->directory,
					  from->file);
	return symbols_add_text(s, from->file, &place->file, err);
}

/* Adds the inlined calls, except those of functions without a name. */
static int add_inlined(struct symbols *s, const struct symbols_location *l,
		       const struct debug_function *functions, size_t n, size_t *n_places,
		       struct error *err)
{
	for (size_t i = 1; i < n; i++) {
		struct symbols_place *place = &s->places[*n_places];

		*place = (struct symbols_place){.is_inline = true, .file = STRINGS_NONE};
		if (symbols_debug_name(s, l, &functions[i], &place->function, err))
			return -1;
		if (place->function == STRINGS_NONE)
			continue;
		place->name = place->function;
		if (set_source(s, place, &functions[i], err))
			return -1;
		(*n_places)++;
	}
	return 0;
}

/* Adds source lines and inlined calls from the module's debug information, if it has any. */
static int expand_inlined(struct symbols *s, const struct profile_frame *frame, bool wants_inlined,
			  size_t *n_places, struct error *err)
{
	const struct debug_function *functions;
	struct symbols_location l;
	size_t n;

	if (profile_is_named(frame) || frame->module >= s->profile->n_modules)
		return 0;
	if (symbols_locate(s, frame->module, frame->address, &l, err) ||
	    symbols_location_functions(s, &l, &functions, &n, err))
		return -1;
	if (!array_reserve(&s->places, &s->places_room, n + 1, sizeof(*s->places)))
		return error_memory(err);
	if (n > 0 && set_source(s, &s->places[0], &functions[0], err))
		return -1;
	return wants_inlined ? add_inlined(s, &l, functions, n, n_places, err) : 0;
}

int symbols_expand(struct symbols *s, const struct profile_frame *frame,
		   const struct symbols_place **places, size_t *n, struct error *err)
{
	if (!array_reserve(&s->places, &s->places_room, 1, sizeof(*s->places)))
		return error_memory(err);
	*n = 1;
	if (symbols_merge_calls(s)) {
		if (expand_module(s, frame, s->places, err))
			return -1;
	} else if (symbols_frame(s, frame, s->places, err) ||
		   expand_inlined(s, frame, symbols_wants_inlines(&s->opt), n, err)) {
		return -1;
	}
	for (size_t i = 0; i < *n; i++)
		if (name_place(s, frame, &s->places[i], err))
			return -1;
	*places = s->places;
	return 0;
}

int symbols_source(struct symbols *s, const struct profile_frame *frame,
		   const struct symbols_place **places, size_t *n, struct error *err)
{
	*n = 1;
	if (!array_reserve(&s->places, &s->places_room, 1, sizeof(*s->places)))
		return error_memory(err);
	if (symbols_frame(s, frame, s->places, err) || expand_inlined(s, frame, true, n, err))
		return -1;
	*places = s->places;
	return 0;
}
