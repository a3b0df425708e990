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
		error = cps_pack_append(b->bytes, cps_journal_waiting(b), CPS_PACK_SYNC);
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
		error = cps_pack_append(scratch, (size_t)(w.p - scratch), CPS_PACK_SYNC);
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
	if (error)
		cps_fuse_blow("the output cannot be written", error);
	return error;
}

static void yield(void)
{
	CPS_SYS(sched_yield, 0, 0, 0, 0);
}

static struct cps_buffer *acquire_patiently(uint32_t number)
{
	struct cps_buffer *b = cps_journal_acquire_number(number);

	for (int i = 0; !b && i < PATIENCE; i++) {
		yield();
		b = cps_journal_acquire_number(number);
	}
	return b;
}

/* All buffers, samples first: their modules and threads may be news. They are never released: nothing
 * may come after the end. */
static int drain_buffers(void)
{
	int error = 0;

	for (uint32_t i = 0; i <= CPS_BUFFERS && !error; i++) {
		struct cps_buffer *b = acquire_patiently((i + 1) % (CPS_BUFFERS + 1));

		if (!b)
			return -EBUSY;
		error = b->number ? drain_samples(b) : drain_records(b);
	}
	return error;
}

static int write_end(struct cps_ending *end)
{
	struct cps_writer w = {scratch, scratch + sizeof(scratch), false};

	end->bytes = cps_pack_bytes();
	cps_record_losses(&w);
	cps_record_end(&w, end);
	return cps_pack_append(scratch, (size_t)(w.p - scratch), CPS_PACK_FINISH);
}

int cps_drain_all(struct cps_ending *end)
{
	int error = -EBUSY;

	for (int i = 0; error && i < PATIENCE; i++) {
		if (cps_pack_try())
			error = 0;
		else
			yield();
	}
	if (!error) {
		error = drain_buffers();
		if (!error)
			error = write_end(end);
		cps_pack_release();
	}
	if (error)
		cps_fuse_blow("the recording could not be ended", error);
	return error;
}
