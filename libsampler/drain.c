/* SPDX-License-Identifier: MIT */
/*
 * drain.c - empties buffers of the journal into the stream.
 *
 * Room: signal. In: full buffers. Out: records, deflated. A buffer is emptied only after its bytes are
 * in the file: killed in between, both have them, and the reader knows them by their sequence.
 */
#include <errno.h>

#include "drain.h"
#include "loss.h"
#include "pack.h"
#include "sys.h"
#include "poison.h"

#define PATIENCE 2000 /* yields for a handler in another thread to finish */

static uint8_t scratch[CPS_BUFFER_BYTES + 512]; /* this and the next: under the pack's lock */
static uint64_t losses_told;

/* Buffer 0 holds records as they are. */
static int drain_records(struct cps_buffer *b)
{
	int error = 0;

	if (cps_journal_waiting(b))
		error = cps_pack_append(b->bytes, cps_journal_waiting(b));
	if (!error)
		cps_journal_empty(b, 0);
	return error;
}

static int drain_samples(struct cps_buffer *b)
{
	struct cps_writer w = {scratch, scratch + sizeof(scratch), false};
	int error = 0;

	if (cps_journal_waiting(b)) {
		if (losses_told != cps_loss_sum()) {
			losses_told = cps_loss_sum();
			cps_record_losses(&w);
		}
		cps_record_wrap(&w, CPS_TAG_SAMPLES, b->bytes, cps_journal_waiting(b));
		error = cps_pack_append(scratch, (size_t)(w.p - scratch));
	}
	if (!error)
		cps_journal_empty(b, b->batch ? b->batch->time_us : 0);
	return error;
}

int cps_drain(struct cps_buffer *b)
{
	int error;

	if (!cps_pack_try())
		return -EBUSY;
	error = b->number ? drain_samples(b) : drain_records(b);
	cps_pack_release();
	if (error == -EDQUOT)
		cps_fuse_blow(CPS_STOP_LIMIT, 0);
	return error;
}

void cps_drain_reset(void)
{
	losses_told = 0;
}

static struct cps_buffer *acquire_patiently(uint32_t number)
{
	struct cps_buffer *b = cps_journal_acquire_number(number);

	for (int i = 0; !b && i < PATIENCE; i++) {
		CPS_SYS(sched_yield, 0, 0, 0, 0);
		b = cps_journal_acquire_number(number);
	}
	return b;
}

/* Over the limit there is to be nothing beside the stream either. */
static void drop(struct cps_buffer *b, struct cps_ending *end)
{
	uint32_t ticks = cps_journal_waiting(b) && b->batch ? b->batch->n_ticks : 0;

	cps_loss_add(CPS_LOSS_OUTPUT, ticks);
	end->ticks -= ticks;
	cps_journal_empty(b, 0);
}

/* All buffers, samples first: their modules and threads may be news. They are never released: nothing
 * may come after the end. */
static int drain_buffers(struct cps_ending *end)
{
	int error = 0;

	for (uint32_t i = 0; i <= CPS_BUFFERS; i++) {
		struct cps_buffer *b = acquire_patiently((i + 1) % (CPS_BUFFERS + 1));
		int e = -EBUSY;

		if (b)
			e = b->number ? drain_samples(b) : drain_records(b);
		if (e == -EDQUOT) {
			cps_fuse_blow(CPS_STOP_LIMIT, 0);
			drop(b, end);
			e = 0;
		}
		error = error ? error : e;
	}
	if (cps_journal_has_sealed())
		error = error ? error : -EPERM;
	return error;
}

static int write_end(struct cps_ending *end)
{
	struct cps_writer w = {scratch, scratch + sizeof(scratch), false};
	int error;

	if (!end->stop) {
		end->stop = cps_fuse_reason(&error);
		end->error = (uint32_t)error;
	}
	end->bytes = cps_pack_bytes();
	cps_record_losses(&w);
	cps_record_end(&w, end);
	return cps_pack_finish(scratch, (size_t)(w.p - scratch));
}

int cps_drain_all(struct cps_ending *end)
{
	int error = -EBUSY, e;

	if (cps_pack_wait()) {
		error = drain_buffers(end);
		if (error)
			cps_fuse_blow(CPS_STOP_WRITE, error);
		e = write_end(end);
		error = error ? error : e;
		cps_pack_release();
	}
	if (error)
		cps_fuse_blow(CPS_STOP_WRITE, error);
	return error;
}
