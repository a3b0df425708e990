/* SPDX-License-Identifier: MIT */
/*
 * view_firefox.c - a profile as the Firefox Profiler reads it (profiler.firefox.com).
 *
 * In: a profile, and the symbols of its frames. Out: JSON, in version 66 of the processed profile
 * (github.com/firefox-devtools/profiler, docs-developer/CHANGELOG-formats.md). Its readers take all older versions,
 * and refuse newer ones than they know: so the version stays.
 *
 * Each track (tracks.h) is a thread. A sample is there from its time on until the next one is, while ours stand for the
 * time before them: so it begins as much earlier as it weighs, and where nothing was used then, a sample without a stack
 * and without weight follows.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "export/firefox.h"
#include "export/tracks.h"
#include "model/processes.h"
#include "view/view.h"
#include "write/json_text.h"

struct writer {
	const struct view_input *in;
	const struct profile *profile;
	struct places places;
	struct tracks tracks;
	struct track_marks marks;
	size_t n_marks; /* of those that have been written; they are in the order of tracks */
	struct firefox_tables tables;
	uint64_t begin_ns; /* of all times */
	struct out *out;
	/* The track that is being written: its rows, made of its samples. */
	struct row *rows;
	size_t n_rows;
};

/* A sample of theirs. */
struct row {
	uint64_t ns, weight, cpu_ns; /* cpu_ns: what was used since the row before */
	uint32_t stack;		     /* UINT32_MAX: none */
};

static const char *unit_of(const struct profile *p, uint32_t column)
{
	return strings_get(p->strings, p->n_columns ? p->columns[column].unit : p->unit, NULL);
}

static bool is_time(const struct writer *w, const struct track *track)
{
	return strcmp(unit_of(w->profile, track->column), "ns") == 0;
}

/* ---- marks ----------------------------------------------------------------------------------- */

static void write_marks(struct writer *w, const struct track_mark *marks, size_t n)
{
	struct json_table table;

	json_table_begin(&table, w->out, "markers", n);
	json_table_same(&table, "data", "{\"type\":\"Mark\"}", n);
	json_table_column(&table, "name");
	for (size_t i = 0; i < n; i++) {
		size_t length;
		const char *name = strings_get(w->profile->strings, marks[i].name, &length);

		json_table_number(&table, firefox_text(&w->tables, name, length));
	}
	json_table_column(&table, "startTime");
	for (size_t i = 0; i < n; i++)
		json_table_ms(&table, marks[i].ns);
	json_table_same(&table, "endTime", "null", n);
	json_table_same(&table, "phase", "0", n);
	json_table_same(&table, "category", "0", n);
	json_table_end(&table);
}

/* ---- samples --------------------------------------------------------------------------------- */

/* Of CPU time all of it, of real time what was used while running. */
static uint64_t used(const struct writer *w, const struct track *track,
		     const struct track_sample *sample)
{
	const struct strings *s = w->profile->strings;

	if (!is_time(w, track))
		return 0;
	if (sample->state == STRINGS_NONE)
		return sample->weight;
	return strcmp(strings_get(s, sample->state, NULL), "running") == 0 ? sample->weight : 0;
}

static void add_gap(struct writer *w, uint64_t ns, uint64_t cpu_ns)
{
	w->rows[w->n_rows++] = (struct row){.ns = ns, .cpu_ns = cpu_ns, .stack = UINT32_MAX};
}

/* When the track begins: with its process. */
static uint64_t start_of(const struct writer *w, const struct track *track)
{
	const struct moments_thread *t = track->thread;

	return t && t->process_ns > w->begin_ns ? t->process_ns - w->begin_ns : 0;
}

/* Without times samples follow each other: for as long as they weigh, or 1 ms each. What is before the first row and
 * behind the last one is not shown: so marks, up to `until`, are between them. */
static void make_rows(struct writer *w, const struct track *track, uint64_t until)
{
	const struct track_sample *samples = &w->tracks.samples[track->first];
	uint64_t end = start_of(w, track), cpu_ns = 0;

	w->n_rows = 0;
	for (size_t i = 0; i < track->n; i++) {
		const struct track_sample *s = &samples[i];
		uint64_t length = is_time(w, track) ? s->weight : 0;
		uint64_t at = s->time_ns > w->begin_ns ? s->time_ns - w->begin_ns : 0;
		uint64_t begin = at > length ? at - length : 0;

		if (!w->tracks.has_times)
			begin = end, at = end + (is_time(w, track) ? length : 1000000);
		if (begin > end) {
			add_gap(w, end, cpu_ns);
			cpu_ns = 0;
		}
		begin = begin > end ? begin : end;
		w->rows[w->n_rows++] =
			(struct row){begin, s->weight, cpu_ns, firefox_stack(&w->tables, s)};
		cpu_ns = used(w, track, s);
		end = at > begin ? at : begin;
	}
	add_gap(w, end, cpu_ns);
	if (until > end)
		add_gap(w, until, 0);
}

static const char *weight_type(const struct writer *w, const struct track *track)
{
	const char *unit = unit_of(w->profile, track->column);

	return is_time(w, track) ? "tracing-ms" : strcmp(unit, "bytes") == 0 ? unit : "samples";
}

static void write_samples(struct writer *w, const struct track *track, uint64_t until)
{
	bool time = is_time(w, track);
	struct json_table table;

	make_rows(w, track, until);
	json_table_begin(&table, w->out, "samples", w->n_rows);
	json_table_column(&table, "stack");
	for (size_t i = 0; i < w->n_rows; i++)
		json_table_index(&table, w->rows[i].stack);
	json_table_column(&table, "timeDeltas");
	for (size_t i = 0; i < w->n_rows; i++)
		json_table_ms(&table, w->rows[i].ns - (i ? w->rows[i - 1].ns : 0));
	json_table_column(&table, "weight");
	for (size_t i = 0; i < w->n_rows; i++)
		if (time)
			json_table_ms(&table, w->rows[i].weight);
		else
			json_table_number(&table, w->rows[i].weight);
	if (time) {
		json_table_column(&table, "threadCPUDelta");
		for (size_t i = 0; i < w->n_rows; i++)
			json_table_number(&table, w->rows[i].cpu_ns);
	}
	json_table_key(&table, "weightType", weight_type(w, track));
	json_table_end(&table);
}

/* ---- threads, and the rest ------------------------------------------------------------------- */

/* The same thread is there for each resource, and needs another id then. */
static void write_thread(struct writer *w, size_t i)
{
	const struct track *track = &w->tracks.list[i];
	const struct moments_thread *t = track->thread;
	uint64_t start = start_of(w, track), until = 0;
	const struct track_mark *list = w->marks.list;
	size_t first = w->n_marks, end = first;

	for (; end < w->marks.n && list[end].track == i; end++)
		until = list[end].ns > until ? list[end].ns : until;
	w->n_marks = end;
	out_text(w->out, "{\"name\":");
	json_text(w->out, track->name, strlen(track->name));
	out_format(w->out, ",\"isMainThread\":%s,\"processType\":\"default\",\"processName\":",
		   t && t->pid == t->tid && !track->column ? "true" : "false");
	json_text_string(w->out, w->profile->strings, t ? t->program : w->profile->resource);
	out_text(w->out, ",\"processStartupTime\":");
	json_table_ms_alone(w->out, start);
	out_text(w->out, ",\"processShutdownTime\":null,\"registerTime\":");
	json_table_ms_alone(w->out, start);
	out_format(w->out, ",\"unregisterTime\":null,\"pausedRanges\":[],\"pid\":\"%" PRIu64,
		   t ? t->pid : 0);
	if (w->tracks.has_same_pids)
		out_format(w->out, ".%" PRIu64, t->process_ns);
	out_format(w->out, "\",\"tid\":\"%" PRIu64, t ? t->tid : i);
	if (track->column || w->profile->by)
		out_format(w->out, ".%zu", i);
	out_text(w->out, "\",\n");
	write_samples(w, track, until);
	out_text(w->out, ",\n");
	write_marks(w, list + first, end - first);
	out_text(w->out, "}");
}

static void write_meta(const struct writer *w)
{
	const struct profile *p = w->profile;
	uint64_t interval = p->n_processes && is_time(w, &w->tracks.list[0])
				    ? p->processes[0].interval
				    : 1000000;

	out_text(w->out,
		 "{\"meta\":{\"preprocessedProfileVersion\":66,\"version\":24,\"processType\":0,"
		 "\"stackwalk\":1,\"symbolicated\":true,\"usesOnlyOneStackType\":true,"
		 "\"sourceCodeIsNotOnSearchfox\":true,\"doesNotUseFrameImplementation\":true,\n"
		 "\"sampleUnits\":{\"time\":\"ms\",\"eventDelay\":\"ms\",\"threadCPUDelta\":\"ns\"}"
		 ",\n"
		 "\"markerSchema\":[{\"name\":\"Mark\",\"display\":[\"marker-chart\",\"marker-"
		 "table\","
		 "\"timeline-overview\"],\"fields\":[]}],\n"
		 "\"importedFrom\":\"libcpsample " CPS_PROJECT_VERSION "\",\"product\":");
	json_text_string(w->out, p->strings,
			 w->tracks.list[0].thread ? w->tracks.list[0].thread->program
						  : p->resource);
	out_text(w->out, ",\n\"interval\":");
	json_table_ms_alone(w->out, interval ? interval : 1000000);
	out_text(w->out, ",\"startTime\":");
	json_table_ms_alone(w->out, w->begin_ns);
	out_format(w->out,
		   ",\"initialSelectedThreads\":[%zu],\n\"categories\":", w->tracks.heaviest);
	firefox_write_categories(&w->tables, w->out);
	out_text(w->out, "},\n\"libs\":");
	firefox_write_libs(&w->tables, w->out);
}

static int write_file(struct writer *w, struct error *err)
{
	size_t most = 0;

	for (size_t i = 0; i < w->tracks.n; i++)
		most = w->tracks.list[i].n > most ? w->tracks.list[i].n : most;
	w->rows = calloc(2 * most + 2, sizeof(*w->rows));
	if (!w->rows)
		return error_memory(err);
	if (w->tracks.has_times)
		w->begin_ns = run_times_begin(w->profile);
	if (track_marks_find(&w->marks, w->profile, &w->tracks, w->begin_ns, err))
		return -1;
	write_meta(w);
	out_text(w->out, ",\n\"threads\":[");
	for (size_t i = 0; i < w->tracks.n; i++) {
		out_text(w->out, i ? ",\n" : "\n");
		write_thread(w, i);
	}
	out_text(w->out, "],\n\"shared\":");
	firefox_write_shared(&w->tables, w->out);
	out_text(w->out, "}\n");
	return w->tables.is_out_of_memory ? error_memory(err) : 0;
}

static int emit(const struct view_input *in, struct out *o, struct error *err)
{
	struct writer w = {.in = in, .profile = in->profile, .out = o};
	int status = places_find(&w.places, in, err) || tracks_find(&w.tracks, in->profile, err) ||
		     firefox_tables_make(&w.tables, in->profile, &w.places, &w.tracks, err) ||
		     write_file(&w, err);

	free(w.rows);
	track_marks_free(&w.marks);
	firefox_tables_free(&w.tables);
	tracks_free(&w.tracks);
	places_free(&w.places);
	return status ? -1 : 0;
}

const struct view view_firefox = {
	.name = "firefox",
	.help = "threads, time and marks, for the Firefox Profiler",
	.needs = VIEW_NEEDS_NAMES | VIEW_NEEDS_LINES | VIEW_NEEDS_MOMENTS,
	.ignores = VIEW_OPTIONS("top", "unit", "granularity"),
	.has_columns = true,
	.commands = {{.argument = VIEW_ARGUMENT_FILE,
		      .is_needed = true,
		      .help = "write a profile for the Firefox Profiler to a file"}},
	.emit = emit,
};
