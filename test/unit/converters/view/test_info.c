/* SPDX-License-Identifier: MIT */
/* test_info.c - what --info makes of a recording's own account of itself. */
#include "libsampler/format.h"
#include "model/profile_builder.h"
#include "out_text.h"
#include "read/decode.h"
#include "stream_writer.h"
#include "view/view.h"

static void field(struct bytes *b, unsigned number, uint64_t value)
{
	bytes_field(b, number, value);
}

static void record(struct bytes *records, unsigned tag, struct bytes *payload)
{
	bytes_record(records, tag, payload->at, payload->n);
	payload->n = 0;
}

static void put_process(struct bytes *records, struct bytes *payload)
{
	bytes_process(payload, 77, 1000, 0);
	field(payload, CPS_PROCESS_TREE_PID, 70);
	field(payload, CPS_PROCESS_TREE_START, 123456);
	bytes_field_text(payload, CPS_PROCESS_ENGINE, "timer");
	record(records, CPS_TAG_PROCESS, payload);
}

static void put_others(struct bytes *records, struct bytes *payload)
{
	bytes_thread(payload, 3, 1235, "wor\tker");
	record(records, CPS_TAG_THREAD, payload);
	bytes_text(payload, "itimer");
	bytes_text(payload, "timers ran out");
	record(records, CPS_TAG_ENGINE, payload);
	bytes_varint(payload, 1500000);
	bytes_varint(payload, 3);
	bytes_text(payload, "phase\ntwo");
	record(records, CPS_TAG_MARK, payload);
	bytes_varint(payload, 20);
	bytes_varint(payload, 9);
	bytes_text(payload, "");
	record(records, CPS_TAG_MARK, payload);
}

/* A stream that says all of it, and ends with that stop. */
static void make(const char *name, uint64_t stop, uint64_t error, bool finished)
{
	struct bytes records = {0}, payload = {0}, file = {0};

	put_process(&records, &payload);
	put_others(&records, &payload);
	field(&payload, CPS_END_TIME_US, 1200000);
	field(&payload, CPS_END_CPU_NS, 4000000);
	field(&payload, CPS_END_OWN_NS, 1000000);
	field(&payload, CPS_END_OWN_KERNEL_NS, 250000);
	field(&payload, CPS_END_STOP, stop);
	field(&payload, CPS_END_ERROR, error);
	if (finished)
		record(&records, CPS_TAG_END, &payload);
	writer_stream(&file, &records, 1000, finished);
	writer_file(name, file.at, file.n);
	bytes_free(&records), bytes_free(&payload), bytes_free(&file);
}

/* What the view writes of the file; free() it. */
static char *info(const char *name, enum view_format format)
{
	const struct view_options options = {.format = format};
	struct view_input in = {.options = &options};
	struct error err = {0};
	struct out *o = open_text();
	struct profile_builder *b = profile_builder_new(&err);

	cr_assert_eq(decode_file(name, profile_builder_sink(b), &err), 0, "%s", err.text);
	struct profile *p = profile_builder_finish(b, &err);
	in.profile = p;
	cr_assert_eq(view_info.emit(&in, o, &err), 0);
	cr_assert_eq(out_close(o, true, &err), 0);
	profile_free(p);
	return text_of_file("text");
}

static void says(enum view_format format, uint64_t stop, uint64_t error, const char *want)
{
	char *text;

	enter_new_directory();
	make("x.cps", stop, error, true);
	text = info("x.cps", format);
	cr_assert(strstr(text, want), "%s: %s", want, text);
	free(text);
}

Test(info, rows_of_threads_and_marks)
{
	says(VIEW_TSV, 0, 0,
	     "\nthread\t3\t1235\t0\t0\twor\\tker\nthread\t9\t0\t0\t0\t\n"
	     "mark\t1500000\t3\tphase\\ntwo\nmark\t20\t9\t\n");
	says(VIEW_TSV, 0, 0, "\nmarks\t2\n");
	says(VIEW_TSV, 0, 0, "\nppid\t0\ntree_pid\t70\ntree_start\t123456\n");
	says(VIEW_TSV, 0, 0, "\nprocess_cpu_ns\t4000000\nown_ns\t1000000\nown_kernel_ns\t250000\n");
	says(VIEW_TSV, 0, 0, "\nengine\titimer\nengine_why\ttimers ran out\n");
}

/* Numbers are numbers; texts are as they were. */
Test(info, json)
{
	says(VIEW_JSON, 0, 0,
	     "{\"view\": \"info\", \"resource\": \"cpu\", \"unit\": \"ns\", "
	     "\"samples\": 0, \"rows\": [\n {\"key\": \"file\", "
	     "\"value\": \"x.cps\"},\n {\"key\": \"pid\", \"value\": 77},\n");
	says(VIEW_JSON, 0, 0,
	     "\n {\"key\": \"command\", \"value\": \"demo \"},\n "
	     "{\"key\": \"cwd\", \"value\": \"\"},\n");
	says(VIEW_JSON, 0, 0, "\n {\"key\": \"complete_percent\", \"value\": 0},\n");
	says(VIEW_JSON, 0, 0,
	     "\n {\"key\": \"thread\", \"id\": 3, \"tid\": 1235, \"gticks\": 0, "
	     "\"samples\": 0, \"name\": \"wor\\u0009ker\"},\n");
	says(VIEW_JSON, 0, 0,
	     "\n {\"key\": \"mark\", \"time_us\": 20, \"thread\": 9, "
	     "\"name\": \"\"}\n]}\n");
}

Test(info, text)
{
	says(VIEW_TEXT, 0, 0, "\nprocess      77, in the process tree of 70\n");
	says(VIEW_TEXT, 0, 0, "\nengine       itimer\n             timers ran out\n");
	says(VIEW_TEXT, 0, 0,
	     "\n2 marks\n     seconds  thread  name\n    1.500000       3  phase\\x0atwo\n"
	     "    0.000020       9  \n");
	says(VIEW_TEXT, 0, 0, "\nrecorded     1.200 s, ended clean\n");
	says(VIEW_TEXT, 0, 0,
	     "\nnot credited 1.000 ms (25.00 % of the CPU time) that recording took, 250.000 us of "
	     "it in the "
	     "kernel\n");
	says(VIEW_TEXT, CPS_STOP_WRITE, 28,
	     "\nrecorded     1.200 s, stopped: output cannot be written: No space left on "
	     "device\n");
	says(VIEW_TEXT, 99, UINT64_MAX, "stopped: reason 99, which this program does not know\n");
}

Test(info, words_of_stops)
{
	static const char *const words[] = {"clean",  "exec",  "duration", "seccomp", "limit",
					    "create", "write", "clock",	   "switch"};
	char row[64];

	for (unsigned stop = 0; stop < CPS_STOP_COUNT; stop++) {
		snprintf(row, sizeof(row), "\nended\t%s\n", words[stop]);
		says(VIEW_TSV, stop, 0, row);
	}
	says(VIEW_TSV, CPS_STOP_COUNT, 0, "\nended\tother\n");
	says(VIEW_TSV, CPS_STOP_WRITE, 28,
	     "\nended\twrite\nstop_error\t28\nduration_us\t1200000\n");
	make("cut.cps", 0, 0, false);
	char *text = info("cut.cps", VIEW_TSV);
	cr_assert(strstr(text, "\nended\tkilled\nduration_us\t0\ncut_offset\t"), "%s", text);
	free(text);
}
