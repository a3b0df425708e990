/* SPDX-License-Identifier: MIT */
/*
 * view_speedscope.c - a profile as speedscope reads it, in its own format.
 *
 * In: a profile, and the symbols of its frames. Out: JSON (github.com/jlfwong/speedscope, src/lib/file-format-spec.ts).
 *
 * Each track (tracks.h) is a profile of speedscope: samples with stacks and weights, in order of time. A frame there is
 * a function, so that speedscope's totals are ours. Samples of one stack that follow each other are one.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "export/places.h"
#include "export/tracks.h"
#include "view/view.h"
#include "write/json_text.h"

#define SCHEMA "https://www.speedscope.app/file-format-schema.json"

struct writer {
	const struct profile *profile;
	struct places places;
	struct tracks tracks;
	uint32_t *path; /* room for the nodes of a stack */
	struct out *out;
};

static void write_frames(const struct writer *w)
{
	const struct strings *s = w->profile->strings;

	out_text(w->out, "\"shared\":{\"frames\":[");
	for (size_t i = 0; i < w->places.n_functions; i++) {
		out_text(w->out, i ? ",\n{\"name\":" : "\n{\"name\":");
		json_text_string(w->out, s, w->places.names[i]);
		if (w->places.files[i] != STRINGS_NONE) {
			out_text(w->out, ",\"file\":");
			json_text_string(w->out, s, w->places.files[i]);
		}
		out_text(w->out, "}");
	}
	out_text(w->out, "]},\n");
}

/* The functions of a stack, outermost first. */
static void write_stack(const struct writer *w, uint32_t node)
{
	const struct profile *p = w->profile;
	const char *comma = "";
	size_t n = 0;

	for (; node; node = p->nodes[node].parent)
		if (!places_is_none(p, node))
			w->path[n++] = node;
	out_text(w->out, "[");
	while (n-- > 0) {
		const struct places_chain *c = &w->places.of_frame[p->nodes[w->path[n]].frame];

		for (uint32_t i = 0; i < c->n; i++, comma = ",") {
			out_text(w->out, comma);
			out_count(w->out, w->places.all[c->first + i].function);
		}
	}
	out_text(w->out, "]");
}

/* How many samples from i on have the same stack. */
static size_t run_of(const struct writer *w, const struct track *track, size_t i)
{
	const struct track_sample *samples = &w->tracks.samples[track->first];
	size_t n = 1;

	while (i + n < track->n && samples[i + n].node == samples[i].node)
		n++;
	return n;
}

static void write_samples(const struct writer *w, const struct track *track)
{
	const struct track_sample *samples = &w->tracks.samples[track->first];

	out_text(w->out, "\"samples\":[");
	for (size_t i = 0; i < track->n; i += run_of(w, track, i)) {
		out_text(w->out, i ? ",\n" : "\n");
		write_stack(w, samples[i].node);
	}
	out_text(w->out, "],\n\"weights\":[");
	for (size_t i = 0, n; i < track->n; i += n) {
		uint64_t weight = 0;

		n = run_of(w, track, i);
		for (size_t k = 0; k < n; k++)
			weight += samples[i + k].weight;
		out_format(w->out, "%s%" PRIu64, i ? "," : "", weight);
	}
	out_text(w->out, "]");
}

static const char *unit_of(const struct profile *p, uint32_t column)
{
	const char *unit =
		strings_get(p->strings, p->n_columns ? p->columns[column].unit : p->unit, NULL);

	return strcmp(unit, "ns") == 0 ? "nanoseconds" : strcmp(unit, "bytes") == 0 ? unit : "none";
}

static void write_track(const struct writer *w, const struct track *track)
{
	out_text(w->out, "{\"type\":\"sampled\",\"name\":");
	json_text(w->out, track->name, strlen(track->name));
	out_format(w->out, ",\"unit\":\"%s\",\"startValue\":0,\"endValue\":%" PRIu64 ",\n",
		   unit_of(w->profile, track->column), track->weight);
	write_samples(w, track);
	out_text(w->out, "}");
}

static void write_file(const struct writer *w)
{
	const struct profile *p = w->profile;

	out_text(w->out, "{\"$schema\":\"" SCHEMA
			 "\",\n\"exporter\":\"libcpsample " CPS_PROJECT_VERSION "\",\n\"name\":");
	json_text_string(w->out, p->strings, p->n_processes ? p->processes[0].file : STRINGS_NONE);
	out_format(w->out, ",\n\"activeProfileIndex\":%zu,\n", w->tracks.heaviest);
	write_frames(w);
	out_text(w->out, "\"profiles\":[");
	for (size_t i = 0; i < w->tracks.n; i++) {
		out_text(w->out, i ? ",\n" : "\n");
		write_track(w, &w->tracks.list[i]);
	}
	out_text(w->out, "]}\n");
}

static int emit(const struct view_input *in, struct out *o, struct error *err)
{
	struct writer w = {.profile = in->profile, .out = o};
	int status = places_find(&w.places, in, err) || tracks_find(&w.tracks, in->profile, err);

	w.path = calloc(in->profile->n_nodes, sizeof(*w.path));
	if (!status && !w.path)
		status = error_memory(err);
	if (!status)
		write_file(&w);
	places_free(&w.places);
	tracks_free(&w.tracks);
	free(w.path);
	return status ? -1 : 0;
}

const struct view view_speedscope = {
	.name = "speedscope",
	.help = "a profile for speedscope, thread by thread",
	.needs = VIEW_NEEDS_NAMES | VIEW_NEEDS_LINES | VIEW_NEEDS_MOMENTS,
	.ignores = VIEW_OPTIONS("top", "unit", "granularity"),
	.has_columns = true,
	.commands = {{.argument = VIEW_ARGUMENT_FILE,
		      .is_needed = true,
		      .help = "write a profile for speedscope to a file"}},
	.emit = emit,
};
