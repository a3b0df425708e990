/* SPDX-License-Identifier: MIT */
/*
 * demo_stream.h - a small stream with a record of every kind in it, for tests to damage.
 */
#ifndef DEMO_STREAM_H
#define DEMO_STREAM_H

#include "event_log.h"
#include "stream_writer.h"

#define DEMO_SAMPLES 95
#define DEMO_JOURNAL 5 /* the journal's id */

/* Process 77, "cpu" in "ns", scale 1000. */
void demo_process(struct bytes *records);

/* A batch of that many items, in `payload` or as a record. Buffer 1, three threads, depths 3 to 5. */
void demo_batch_payload(struct bytes *payload, unsigned sequence, unsigned items);
void demo_batch(struct bytes *records, unsigned sequence, unsigned items);

/* Process, batch 0 of 30 items, a module, a thread, batch 1 of 25, losses, batch 2 of 40, end. */
void demo_records(struct bytes *records, bool finished);

/* The file of it, see writer_stream. */
void demo_stream(struct bytes *file, size_t piece, bool finished);

/* Decode a stream of demo_process and this record: 0, or -1 with the message in log->text. */
int demo_decode(struct event_log *log, uint64_t tag, const struct bytes *payload);

#endif
