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

/* What is counted: the first of several resources, or what the clock measures. */
static void put_counted(struct cps_writer *w, const struct cps_identity *identity)
{
	const struct cps_atoms_resource *first = cps_atoms_resource(0);
	const struct cps_atoms_resource one = {identity->resource,
					       identity->unit,
					       identity->engine,
					       identity->engine_why,
					       identity->scale,
					       identity->interval,
					       false,
					       false};

	if (!first)
		first = &one;
	text_field(w, CPS_PROCESS_RESOURCE, first->name);
	text_field(w, CPS_PROCESS_UNIT, first->unit);
	number_field(w, CPS_PROCESS_SCALE, first->scale);
	number_field(w, CPS_PROCESS_INTERVAL, first->interval);
	text_field(w, CPS_PROCESS_ENGINE, first->engine);
	text_field(w, CPS_PROCESS_ENGINE_WHY, first->why);
}

void cps_record_process(struct cps_writer *w, const struct cps_identity *identity)
{
	uint8_t *payload = begin(w, CPS_TAG_PROCESS);
	struct utsname host;

	number_field(w, CPS_PROCESS_PID, (uint64_t)cps_sys_getpid());
	number_field(w, CPS_PROCESS_PPID, identity->ppid);
	number_field(w, CPS_PROCESS_START_NS, identity->start_ns);
	put_counted(w, identity);
	text_field(w, CPS_PROCESS_EXE, identity->exe);
	text_field(w, CPS_PROCESS_STARTED_AS, identity->started_as);
	text_field(w, CPS_PROCESS_CWD, identity->cwd);
	if (CPS_SYS(uname, &host, 0, 0, 0) == 0)
		text_field(w, CPS_PROCESS_HOST, host.nodename);
	text_field(w, CPS_PROCESS_MACHINE, CPS_MACHINE);
	text_field(w, CPS_PROCESS_RECORDER, CPS_PROJECT_VERSION);
	number_field(w, CPS_PROCESS_CPU_BEFORE_NS, identity->cpu_before_ns);
	number_field(w, CPS_PROCESS_JOURNAL, identity->journal_id);
	if (identity->lineage.tree_pid) {
		number_field(w, CPS_PROCESS_TREE_PID, identity->lineage.tree_pid);
		number_field(w, CPS_PROCESS_TREE_START, identity->lineage.tree_start);
	}
	if (cps_atoms_bits())
		number_field(w, CPS_PROCESS_ATOM_BITS, cps_atoms_bits());
	text_field(w, CPS_PROCESS_RUNTIME, identity->runtime);
	if (identity->has_rank)
		number_field(w, CPS_PROCESS_RANK, identity->rank);
	text_field(w, CPS_PROCESS_UNWINDER, identity->unwinder);
	text_field(w, CPS_PROCESS_UNWINDER_WHY, identity->unwinder_why);
	for (size_t i = 0; i < identity->lineage.n_ancestors; i++)
		number_field(w, CPS_PROCESS_ANCESTOR, identity->lineage.ancestors[i]);
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

void cps_record_resource(struct cps_writer *w, uint32_t id,
			 const struct cps_atoms_resource *resource)
{
	uint8_t *payload = begin(w, CPS_TAG_RESOURCE);

	number_field(w, CPS_RESOURCE_ID, id);
	text_field(w, CPS_RESOURCE_NAME, resource->name);
	text_field(w, CPS_RESOURCE_UNIT, resource->unit);
	number_field(w, CPS_RESOURCE_SCALE, resource->scale);
	number_field(w, CPS_RESOURCE_INTERVAL, resource->interval);
	text_field(w, CPS_RESOURCE_ENGINE, resource->engine);
	text_field(w, CPS_RESOURCE_WHY, resource->why);
	if (resource->is_time || resource->is_live)
		number_field(w, CPS_RESOURCE_FLAGS,
			     resource->is_time ? CPS_RESOURCE_IS_TIME : CPS_RESOURCE_IS_LIVE);
	finish(w, payload);
}

void cps_record_atom(struct cps_writer *w, uint32_t id, const char *state, uint32_t resources,
		     uint32_t grain, uint32_t flags)
{
	uint8_t *payload = begin(w, CPS_TAG_ATOM);

	number_field(w, CPS_ATOM_ID, id);
	text_field(w, CPS_ATOM_STATE, state);
	for (uint32_t i = 0; i < CPS_ATOMS_RESOURCES; i++)
		if (resources >> i & 1)
			number_field(w, CPS_ATOM_RESOURCE, i);
	number_field(w, CPS_ATOM_GRAIN, grain);
	if (flags)
		number_field(w, CPS_ATOM_FLAGS, flags);
	finish(w, payload);
}

void cps_record_counted(struct cps_writer *w, const uint64_t (*triples)[3], uint32_t n)
{
	uint8_t *payload = begin(w, CPS_TAG_COUNTED);

	for (uint32_t i = 0; i < n; i++)
		for (uint32_t k = 0; k < 3; k++)
			cps_put(w, triples[i][k]);
	finish(w, payload);
}

void cps_record_freed(struct cps_writer *w, const uint64_t (*pairs)[2], uint32_t n)
{
	uint8_t *payload = begin(w, CPS_TAG_FREED);
	uint64_t number = 0, time_us = n ? pairs[0][1] : 0;

	cps_put(w, time_us);
	for (uint32_t i = 0; i < n; i++) {
		cps_put_signed(w, (int64_t)(pairs[i][0] - number));
		cps_put(w, pairs[i][1] - time_us);
		number = pairs[i][0];
		time_us = pairs[i][1];
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

static void put_hex(struct cps_writer *w, uint64_t n, int digits)
{
	while (digits < 16 && n >> 4 * digits)
		digits++;
	while (digits-- > 0)
		cps_put_bytes(w, &"0123456789abcdef"[n >> 4 * digits & 15], 1);
	cps_put_bytes(w, " ", 1);
}

void cps_record_function(struct cps_writer *w, uint64_t address, uint64_t n, const char *name)
{
	uint8_t *payload = begin(w, CPS_TAG_JIT);

	put_hex(w, address, 16);
	put_hex(w, n, 1);
	cps_put_bytes(w, name, strlen(name));
	cps_put_bytes(w, "\n", 1);
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
	if (ending->children_ns)
		number_field(w, CPS_END_CHILDREN_NS, ending->children_ns);
	if (ending->denied) {
		number_field(w, CPS_END_DENIED, ending->denied);
		number_field(w, CPS_END_DENIED_ERROR, ending->denied_error);
	}
	if (ending->python)
		number_field(w, CPS_END_PYTHON, ending->python);
	if (ending->python_unnamed)
		number_field(w, CPS_END_PYTHON_UNNAMED, ending->python_unnamed);
	if (ending->interrupted)
		number_field(w, CPS_END_INTERRUPTED, ending->interrupted);
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
