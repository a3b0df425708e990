/* SPDX-License-Identifier: MIT */
/*
 * symbols_expand.c - all places that a frame is, under the names that were asked for.
 *
 * Room: names. In: a frame of the profile. Out: its function and those inlined there.
 */
#include <inttypes.h>
#include <string.h>

#include "array.h"
#include "symbols_module.h"

bool symbols_merge_calls(const struct symbols *s)
{
	return s->opt.granularity == SYMBOLS_BY_MODULE;
}

/* Frames with a name are of generated code, or stand for what is missing. */
static int expand_module(struct symbols *s, const struct profile_frame *frame,
			 struct symbols_place *place, struct error *err)
{
	const char *label = SYMBOLS_GENERATED, *name;

	*place = (struct symbols_place){.start = frame->address};
	if (frame->name != STRINGS_NONE) {
		name = strings_get(s->profile->strings, frame->name, NULL);
		label = strcmp(name, PROFILE_INCOMPLETE) == 0 ? PROFILE_INCOMPLETE : label;
	} else if (frame->module >= s->profile->n_modules) {
		label = frame->address == CPS_CUT_ADDRESS ? SYMBOLS_CUT : SYMBOLS_UNKNOWN;
	} else {
		label = symbols_label(s, frame->module);
		label = label ? label : SYMBOLS_UNKNOWN_MODULE;
	}
	if (symbols_add_text(s, label, &place->function, err))
		return -1;
	place->name = place->function;
	return 0;
}

/* "f+0x1f". The return of a signal handler may stand a byte before its symbol. */
static int name_address(struct symbols *s, const struct profile_frame *frame,
			struct symbols_place *place, struct error *err)
{
	const char *function = strings_get(s->profile->strings, place->function, NULL);

	if (!place->has_start || frame->address < place->start)
		return 0;
	return symbols_add_format(s, &place->name, err, "%s+0x%" PRIx64, function,
				  frame->address - place->start);
}

int symbols_expand(struct symbols *s, const struct profile_frame *frame,
		   const struct symbols_place **places, size_t *n, struct error *err)
{
	int rc;

	if (!array_reserve(&s->places, &s->places_room, 1, sizeof(*s->places)))
		return error_memory(err);
	if (symbols_merge_calls(s))
		rc = expand_module(s, frame, s->places, err);
	else
		rc = symbols_frame(s, frame, s->places, err);
	if (!rc && s->opt.granularity == SYMBOLS_BY_ADDRESS)
		rc = name_address(s, frame, s->places, err);
	*places = s->places;
	*n = 1;
	return rc;
}
