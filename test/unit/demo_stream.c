/* SPDX-License-Identifier: MIT */
/*
 * demo_stream.c - writes the small stream that tests damage.
 *
 * In: nothing. Out: records and files, always the same.
 */
#include "demo_stream.h"

#include <string.h>

#include "libsampler/format.h"

void demo_process(struct bytes *records)
{
	struct bytes payload = {0};

	bytes_process(&payload, 77, 1000, DEMO_JOURNAL);
	bytes_record(records, CPS_TAG_PROCESS, payload.at, payload.n);
	bytes_free(&payload);
}

void demo_batch_payload(struct bytes *payload, unsigned sequence, unsigned items)
{
	static struct batch_writer w;
	static struct writer_item item;

	memset(&item, 0, sizeof(item));
	batch_writer_begin(&w, WRITER_SHORT, 1, sequence, 1000 * sequence);
	for (unsigned i = 0; i < items; i++) {
		item.depth = 3 + i % 3;
		for (unsigned k = 0; k < item.depth; k++)
			item.stack[k] = (struct writer_frame){k % 2, 0x1000 + k * (1 + i % 2)};
		item.thread = i / 10;
		item.weight = 100 + i % 4;
		item.time_us += item.weight;
		batch_writer_item(&w, &item);
	}
	bytes_put(payload, w.payload.at, w.payload.n);
	batch_writer_free(&w);
}

void demo_batch(struct bytes *records, unsigned sequence, unsigned items)
{
	struct bytes payload = {0};

	demo_batch_payload(&payload, sequence, items);
	bytes_record(records, CPS_TAG_SAMPLES, payload.at, payload.n);
	bytes_free(&payload);
}

void demo_records(struct bytes *records, bool finished)
{
	struct bytes payload = {0};

	demo_process(records);
	demo_batch(records, 0, 30);
	bytes_module(&payload, 0, "/bin/demo", "\xab\xcd");
	bytes_record(records, CPS_TAG_MODULE, payload.at, payload.n);
	payload.n = 0;
	bytes_thread(&payload, 1, 4242, "worker");
	bytes_record(records, CPS_TAG_THREAD, payload.at, payload.n);
	demo_batch(records, 1, 25);
	bytes_record(records, CPS_TAG_LOSS, "\1\3", 2);
	demo_batch(records, 2, 40);
	payload.n = 0;
	bytes_field(&payload, CPS_END_TICKS, DEMO_SAMPLES);
	if (finished)
		bytes_record(records, CPS_TAG_END, payload.at, payload.n);
	bytes_free(&payload);
}

void demo_stream(struct bytes *file, size_t piece, bool finished)
{
	struct bytes records = {0};

	demo_records(&records, finished);
	writer_stream(file, &records, piece, finished);
	bytes_free(&records);
}

int demo_decode(struct event_log *log, uint64_t tag, const struct bytes *payload)
{
	struct bytes records = {0}, file = {0};
	int status;

	demo_process(&records);
	bytes_record(&records, tag, payload->at, payload->n);
	writer_stream(&file, &records, 100000, true);
	status = event_log_decode_bytes(log, file.at, file.n);
	bytes_free(&records);
	bytes_free(&file);
	return status;
}
