/* SPDX-License-Identifier: MIT */
/*
 * record.c - writes records: tag, length, payload, checksum.
 *
 * In: the identity of the process, threads, modules, counters. Out: bytes.
 */
#include <string.h>
#include <sys/utsname.h>
#include <zlib.h>

#include "base/sys.h"
#include "format.h"
#include "stream/loss.h"
#include "stream/record.h"
#include "unwind/regs.h"
#include "base/poison.h"

/* The length stands before the payload, but is known only after it. So three bytes are left free
 * for it, which is enough for CPS_RECORD_BYTES_MAX, and leading groups may be zero. */
#define LENGTH_BYTES 3
#define HEAD_BYTES   (1 + LENGTH_BYTES) /* tags are less than 128 */

static uint8_t *begin(struct cps_writer *w, unsigned tag)
{
	cps_put(w, tag);
	if (w->end - w->p < LENGTH_BYTES + 4)
		w->full = true;
	else
		w->p += LENGTH_BYTES;
	return w->p;
}

static void finish(struct cps_writer *w, uint8_t *payload)
{
	size_t n = (size_t)(w->p - payload);
	uint32_t crc;

	if (w->full || n >= CPS_RECORD_BYTES_MAX) {
		w->full = true;
		return;
	}
	payload[-3] = (uint8_t)(n | 0x80);
	payload[-2] = (uint8_t)(n >> 7 | 0x80);
	payload[-1] = (uint8_t)(n >> 14);
	crc = (uint32_t)crc32(0, payload - HEAD_BYTES, (uInt)(n + HEAD_BYTES));
	cps_put_bytes(w, &crc, 4);
}

static void number_field(struct cps_writer *w, unsigned field, uint64_t v)
{
	cps_put(w, field * 2);
	cps_put(w, v);
}

static void text_field(struct cps_writer *w, unsigned field, const char *text)
{
	size_t n;

	if (!text)
		return;
	n = strnlen(text, CPS_TEXT_MAX);
	cps_put(w, field * 2 + 1);
	cps_put_text(w, text, n);
}

void cps_record_process(struct cps_writer *w, const struct cps_identity *identity)
{
	uint8_t *payload = begin(w, CPS_TAG_PROCESS);
	struct utsname host;

	number_field(w, CPS_PROCESS_PID, (uint64_t)cps_sys_getpid());
	number_field(w, CPS_PROCESS_PPID, identity->ppid);
	number_field(w, CPS_PROCESS_START_NS, identity->start_ns);
	text_field(w, CPS_PROCESS_RESOURCE, identity->resource);
	text_field(w, CPS_PROCESS_UNIT, identity->unit);
	number_field(w, CPS_PROCESS_SCALE, identity->scale);
	number_field(w, CPS_PROCESS_INTERVAL, identity->interval);
	text_field(w, CPS_PROCESS_ENGINE, identity->engine);
	text_field(w, CPS_PROCESS_ENGINE_WHY, identity->engine_why);
	text_field(w, CPS_PROCESS_EXE, identity->exe);
	text_field(w, CPS_PROCESS_CWD, identity->cwd);
	if (CPS_SYS(uname, &host, 0, 0, 0) == 0)
		text_field(w, CPS_PROCESS_HOST, host.nodename);
	text_field(w, CPS_PROCESS_MACHINE, CPS_MACHINE);
	text_field(w, CPS_PROCESS_RECORDER, CPS_PROJECT_VERSION);
	number_field(w, CPS_PROCESS_CPU_BEFORE_NS, identity->cpu_before_ns);
	number_field(w, CPS_PROCESS_JOURNAL, identity->journal_id);
	if (identity->tree_pid) {
		number_field(w, CPS_PROCESS_TREE_PID, identity->tree_pid);
		number_field(w, CPS_PROCESS_TREE_START, identity->tree_start);
	}
	for (size_t i = 0; i < identity->n_args; i++)
		text_field(w, CPS_PROCESS_ARG, identity->args[i]);
	finish(w, payload);
}

void cps_record_module(struct cps_writer *w, uint32_t number, const struct cps_module *m)
{
	uint8_t *payload = begin(w, CPS_TAG_MODULE);

	cps_put(w, number);
	cps_put_text(w, m->path, strnlen(m->path, CPS_TEXT_MAX));
	cps_put_text(w, m->build_id, m->build_id_bytes);
	cps_put(w, m->bias);
	cps_put(w, m->is_vdso ? CPS_MODULE_VDSO : 0);
	cps_put(w, m->n_segments);
	for (uint32_t i = 0; i < m->n_segments; i++) {
		const struct cps_segment *s = &m->segments[i];

		cps_put(w, s->vaddr);
		cps_put(w, s->memory_bytes);
		cps_put(w, s->file_offset);
		cps_put(w, s->file_bytes);
		cps_put(w, s->flags);
	}
	finish(w, payload);
}

void cps_record_engine(struct cps_writer *w, const char *engine, const char *why)
{
	uint8_t *payload = begin(w, CPS_TAG_ENGINE);

	cps_put_text(w, engine, strlen(engine));
	cps_put_text(w, why, strlen(why));
	finish(w, payload);
}

void cps_record_mark(struct cps_writer *w, uint64_t time_us, uint32_t thread, const char *name)
{
	uint8_t *payload = begin(w, CPS_TAG_MARK);

	cps_put(w, time_us);
	cps_put(w, thread);
	cps_put_text(w, name, strnlen(name, CPS_MARK_NAME_MAX));
	finish(w, payload);
}

void cps_record_thread(struct cps_writer *w, const struct cps_thread *t)
{
	uint8_t *payload = begin(w, CPS_TAG_THREAD);

	cps_put(w, t->id);
	cps_put(w, (uint64_t)t->tid);
	cps_put(w, t->start_us);
	cps_put_text(w, t->name, strnlen(t->name, sizeof(t->name)));
	finish(w, payload);
}

void cps_record_losses(struct cps_writer *w)
{
	uint8_t *payload = begin(w, CPS_TAG_LOSS);

	for (int i = 0; i < CPS_LOSS_COUNT; i++) {
		cps_put(w, (uint64_t)i);
		cps_put(w, cps_loss_get((enum cps_loss)i));
	}
	finish(w, payload);
}

void cps_record_end(struct cps_writer *w, const struct cps_ending *ending)
{
	uint8_t *payload = begin(w, CPS_TAG_END);

	number_field(w, CPS_END_TIME_US, ending->time_us);
	number_field(w, CPS_END_CPU_NS, ending->cpu_ns);
	number_field(w, CPS_END_TICKS, ending->ticks);
	number_field(w, CPS_END_BYTES, ending->bytes);
	if (ending->own_ns) {
		number_field(w, CPS_END_OWN_NS, ending->own_ns);
		number_field(w, CPS_END_OWN_KERNEL_NS, ending->own_kernel_ns);
	}
	if (ending->denied) {
		number_field(w, CPS_END_DENIED, ending->denied);
		number_field(w, CPS_END_DENIED_ERROR, ending->denied_error);
	}
	if (ending->stop) {
		number_field(w, CPS_END_STOP, ending->stop);
		number_field(w, CPS_END_ERROR, ending->error);
	}
	finish(w, payload);
}

void cps_record_around(struct cps_writer *w, uint8_t checksum[4], unsigned tag,
		       const uint8_t *payload, size_t n)
{
	const uint8_t *head = w->p;
	uint32_t crc;

	cps_put(w, tag);
	cps_put(w, n);
	crc = (uint32_t)crc32(0, head, (uInt)(w->p - head));
	crc = (uint32_t)crc32(crc, payload, (uInt)n);
	memcpy(checksum, &crc, 4);
}
