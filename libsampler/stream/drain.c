/* SPDX-License-Identifier: MIT */
/*
 * drain.c - empties buffers of the journal into the stream.
 *
 * In: full buffers. Out: records, deflated. A buffer is emptied only after its bytes are in the
 * file. If the process is killed in between, both the stream and the journal have them, and the
 * reader recognises them by their sequence number.
 */
#include <errno.h>
#include <string.h>

#include "base/memory.h"
#include "base/sys.h"
#include "python/functions.h"
#include "python/python.h"
#include "stream/atoms.h"
#include "stream/drain.h"
#include "stream/loss.h"
#include "stream/record.h"
#include "stream/recode.h"
#include "stream/recording.h"
#include "base/poison.h"

#define LITTLE	    1024	 /* bytes for the counters and the end of a recording */
#define STATE_BYTES (512u << 10) /* for all modules, and more */

static uint64_t losses_told;
static uint64_t names_block; /* the number of the block that has said all names again; 0: none */
static struct cps_buffer *acquired[CPS_BUFFERS + 1]; /* by cps_drain_all */

/* Buffer 0 holds records as they are. */
static int drain_records(struct cps_buffer *b)
{
	int error = 0;

	if (cps_journal_waiting(b))
		error = cps_deflate_out_append(b->bytes, cps_journal_waiting(b));
	if (!error)
		cps_journal_empty(b, 0);
	return error;
}

/* Empties buffer 0, so that threads and modules are in the stream before the samples that mention
 * them: later there may be no space for them. */
static void drain_records_first(void)
{
	struct cps_buffer *b = cps_journal_acquire_number(0);

	if (!b)
		return;
	drain_records(b);
	cps_journal_release(b);
}

/* Makes the next batch the first one of a block, if it is time and there is memory: with the record that says so, and what
 * batches need to be read. */
static void begin_block(void)
{
	uint8_t *bytes;
	struct cps_writer w;

	if (!cps_deflate_out_block_is_full())
		return;
	bytes = cps_arena_pages(STATE_BYTES);
	w = (struct cps_writer){bytes, bytes, false};
	if (!bytes)
		return;
	w.end += STATE_BYTES;
	cps_record_block(&w, cps_deflate_out_blocks() + 1);
	cps_atoms_write(&w, 0, 0);
	if (!w.full && !cps_deflate_out_append_block(bytes, (size_t)(w.p - bytes)))
		cps_columnar_forget();
	cps_sys_munmap(bytes, STATE_BYTES);
}

static int append_batch(const struct cps_buffer *b)
{
	const uint8_t *payload = b->bytes;
	size_t n = cps_journal_waiting(b);

	uint8_t before[LITTLE], checksum[4];
	struct cps_writer w = {before, before + sizeof(before), false};
	struct cps_piece pieces[1 + CPS_RECODE_PIECES];
	size_t more;

	begin_block();
	if (losses_told != cps_loss_sum()) {
		losses_told = cps_loss_sum();
		cps_record_losses(&w);
	}
	more = cps_recode(payload, n, b->batch ? &b->batch->latest : NULL, pieces + 1);
	if (!more) {
		cps_record_around(&w, checksum, CPS_TAG_SAMPLES, payload, n);
		pieces[1] = (struct cps_piece){payload, n};
		pieces[2] = (struct cps_piece){checksum, sizeof(checksum)};
		more = 2;
	}
	pieces[0] = (struct cps_piece){before, (size_t)(w.p - before)};
	return cps_deflate_out_append_pieces(pieces, 1 + more);
}

static int drain_samples(struct cps_buffer *b)
{
	int error = 0;

	if (cps_journal_waiting(b) && cps_deflate_out_error())
		return cps_deflate_out_error(); /* before any work is done */
	if (cps_journal_waiting(b)) {
		drain_records_first();
		error = append_batch(b);
	}
	if (!error)
		cps_journal_empty(b, b->batch ? b->batch->time_us : 0);
	return error;
}

int cps_drain(struct cps_buffer *b)
{
	int error;

	if (!cps_deflate_out_try())
		return -EBUSY;
	error = cps_deflate_out_ready(); /* before any work is done */
	if (!error)
		error = b->number ? drain_samples(b) : drain_records(b);
	cps_deflate_out_release();
	if (error == CPS_PACK_LIMIT)
		cps_loss_stop(CPS_STOP_LIMIT, 0);
	return error;
}

void cps_drain_continue(void)
{
	losses_told = 0;
	cps_columnar_forget();
	memset(acquired, 0, sizeof(acquired));
}

void cps_drain_reset(void)
{
	cps_drain_continue();
	names_block = 0;
}

static struct cps_buffer *acquire_patiently(uint32_t number, uint64_t *until)
{
	struct cps_buffer *b;

	do
		b = cps_journal_acquire_number(number);
	while (!b && cps_sys_patience(until));
	return b;
}

bool cps_drain_is_complete(void)
{
	uint64_t until = 0;

	for (uint32_t i = 0; i <= CPS_BUFFERS; i++) {
		if (!acquired[i])
			acquired[i] = acquire_patiently(i, &until);
		if (!acquired[i])
			return false;
	}
	return true;
}

/* What could not be written stays in the journal, as far as it is a file. But if the limit of bytes is
 * reached, nothing may be left in a file beside the stream. */
static void keep_or_drop(struct cps_buffer *b)
{
	if (!cps_journal_waiting(b))
		return;
	if (cps_deflate_out_error() == CPS_PACK_LIMIT)
		cps_loss_add(CPS_LOSS_OUTPUT, cps_journal_drop(b));
	else
		cps_loss_add(CPS_LOSS_OUTPUT, cps_journal_settle(b));
}

/* Empties all buffers; those of samples first, because they may mention new modules and threads.
 * They are never released, so that nothing can be added after the end. */
static int drain_buffers(void)
{
	uint64_t until = 0;
	int error = 0;

	for (uint32_t i = 0; i <= CPS_BUFFERS; i++) {
		struct cps_buffer *b = acquire_patiently((i + 1) % (CPS_BUFFERS + 1), &until);
		int e = -EBUSY;

		if (b)
			e = b->number ? drain_samples(b) : drain_records(b);
		acquired[(i + 1) % (CPS_BUFFERS + 1)] = b;
		if (e != CPS_PACK_LIMIT)
			error = error ? error : e;
	}
	for (uint32_t i = 0; i <= CPS_BUFFERS; i++)
		if (acquired[i])
			keep_or_drop(acquired[i]);
	if (cps_deflate_out_error() == CPS_PACK_LIMIT)
		cps_loss_stop(CPS_STOP_LIMIT, 0);
	if (!error && cps_deflate_out_error() != CPS_PACK_LIMIT)
		error = cps_deflate_out_error();
	return error;
}

static void put_thread(struct cps_thread *t, void *context)
{
	if (t->announced)
		cps_record_thread(context, t);
}

/* If the stream has several blocks, the last one says again which modules and threads there are, because a part of
 * the file that becomes damaged may be the one that says it. Those that have no room are left out. If an exec has failed,
 * the last block may be one that does so: names that are new in it are of use to nothing that could be read without it. */
static void write_names_again(void)
{
	bool is_said = cps_deflate_out_blocks() == names_block;
	uint8_t *bytes = is_said ? NULL : cps_arena_pages(STATE_BYTES), *whole;
	struct cps_writer w = {bytes, bytes, false};

	if (!bytes)
		return;
	w.end += STATE_BYTES;
	cps_record_block(&w, cps_deflate_out_blocks() + 1);
	cps_atoms_write(&w, 0, 0);
	whole = w.p;
	for (uint32_t i = 0; i < cps_module_count() && !w.full; i++) {
		if (cps_module_get(i)->announced)
			cps_record_module(&w, i, cps_module_get(i));
		whole = w.full ? whole : w.p;
	}
	if (!w.full)
		cps_thread_each(put_thread, &w);
	whole = w.full ? whole : w.p;
	if (!cps_deflate_out_append_block(bytes, (size_t)(whole - bytes)))
		names_block = cps_deflate_out_blocks();
	cps_columnar_forget();
	cps_sys_munmap(bytes, STATE_BYTES);
}

static int write_end(struct cps_ending *end)
{
	uint8_t bytes[LITTLE];
	struct cps_writer w = {bytes, bytes + sizeof(bytes), false};
	int error;

	if (!end->stop) {
		end->stop = cps_loss_stop_reason(&error);
		end->error = (uint32_t)error;
	}
	end->bytes = cps_deflate_out_bytes();
	end->ticks = cps_journal_ticks();
	end->own_ns = cps_own_time_sum();
	end->own_kernel_ns = cps_own_time_kernel();
	end->profiling_ns = cps_own_time_profiling();
	end->denied = cps_denied_count(&end->denied_error);
	end->python = cps_python_functions();
	end->python_unnamed = cps_python_unnamed();
	end->ready_ns = cps_ready_ns();
	end->interrupted = cps_interrupted_count();
	cps_record_losses(&w);
	cps_atoms_write_counts(&w);
	cps_record_end(&w, end);
	return cps_deflate_out_finish(bytes, (size_t)(w.p - bytes));
}

bool cps_drain_discard(void)
{
	if (!cps_deflate_out_wait())
		return false;
	cps_drain_is_complete();
	cps_deflate_out_discard();
	cps_journal_remove();
	cps_deflate_out_release();
	return true;
}

int cps_drain_all(struct cps_ending *end)
{
	int error = -EBUSY, e;

	if (cps_deflate_out_wait()) {
		error = drain_buffers();
		if (error)
			cps_loss_stop(CPS_STOP_WRITE, error);
		write_names_again();
		e = write_end(end);
		error = error ? error : e;
		cps_deflate_out_release();
	}
	if (error) {
		cps_loss_stop(CPS_STOP_WRITE, error);
		cps_journal_settle_losses();
	}
	return error;
}
