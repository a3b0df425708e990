/* SPDX-License-Identifier: MIT */
/*
 * journal.h - the buffers in which records wait to be deflated, in memory that survives the
 * process.
 *
 * Locks: each buffer has one, which is tried and never waited for. Whoever has acquired a buffer
 * owns it, also in a handler, until it releases it.
 */
#ifndef CPS_JOURNAL_H
#define CPS_JOURNAL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "format.h"
#include "stream/batch.h"

#define CPS_BUFFERS	 16u /* of samples; number 0 is one more, for other records */
#define CPS_BUFFER_BYTES (64u << 10)

struct cps_buffer {
	atomic_flag lock;
	uint32_t number;
	uint32_t area;			 /* of the journal, where it writes now */
	bool is_begun;			 /* its batch is */
	struct cps_batch *batch;	 /* NULL until it is first used, and for number 0 */
	struct cps_journal_buffer *head; /* in the journal */
	uint8_t *bytes;			 /* CPS_BUFFER_BYTES, in the journal */
};

/* [signal] After its removal, all buffers acquired and empty: make the file again, at the same
 * place in memory. All buffers are released. */
void cps_journal_renew(const char *path, uint64_t id);

/*
 * [signal] Make the journal: the file PATH, or if there cannot be one plain memory. -errno when
 * there is not even that. `bytes`: room for samples, if it is to have more than the buffers need.
 */
int cps_journal_open(const char *path, uint64_t id, uint64_t bytes);

/* [signal] A buffer of samples, its batch begun, the same one for the same wish; NULL: busy, or not
 * *has_memory: there is none for what it needs. */
struct cps_buffer *cps_journal_acquire(uint32_t wish, bool *has_memory);

/* [signal] That buffer, as it is (number 0 too); NULL: busy. */
struct cps_buffer *cps_journal_acquire_number(uint32_t number);

/* [signal] */
void cps_journal_release(struct cps_buffer *b);

/*
 * [signal] The buffer is full and cannot be emptied: what it holds stays in the journal for good,
 * and the buffer goes on in a free part of it. False: there is none, or the journal would not
 * outlive the process.
 */
bool cps_journal_seal(struct cps_buffer *b);
/* [signal] Is it a file, which outlives the process? */
bool cps_journal_is_file(void);

/* [signal] Append a sample; false: it does not fit, the buffer must be emptied first. */
bool cps_journal_add(struct cps_buffer *b, const struct cps_item *item);

/* [signal] Append a whole record to buffer 0; false: it does not fit. */
bool cps_journal_add_record(struct cps_buffer *b, const uint8_t *record, size_t n);

/* [signal] Bytes that wait in it. */
uint32_t cps_journal_waiting(const struct cps_buffer *b);

/* [signal] What waited is in the stream now: begin the next sequence, at a time that no sample in
 * it will precede. */
void cps_journal_empty(struct cps_buffer *b, uint64_t time_us);
/* [signal] What waits never gets there: empty it. Returns how many ticks are lost. */
uint32_t cps_journal_drop(struct cps_buffer *b);

/* [signal] The journal is needed no more: remove its file. */
void cps_journal_remove(void);

/* [signal] There is no journal: all buffers are free, and nothing of it is touched any more but
 * by its file's readers. In a child, which begins a stream of its own. */
void cps_journal_reset(void);

/* [signal] Samples that are ticks, in the stream or in the journal. */
uint64_t cps_journal_ticks(void);

#endif
