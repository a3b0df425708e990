/* SPDX-License-Identifier: MIT */
/*
 * record.c - writes records of the stream, and those that samples need before them.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/utsname.h>
#include <zlib.h>

#include "arch/arch.h"
#include "base/memory.h"
#include "base/subject.h"
#include "base/sys.h"
#include "base/text.h"
#include "python/functions.h"
#include "python/python.h"
#include "stream/drain.h"
#include "stream/loss.h"
#include "stream/record.h"
#include "format.h"
#include "base/poison.h"

/* ---- lineage --------------------------------------------------------------------------------- */
/*
 * Finds a process's ancestors and the root of its process tree.
 *
 * In: /proc. Out: pids, and the root's start. They are looked for only when a recording is created,
 * since most processes of a tree are never sampled (doc/decisions/0055).
 */

#define GENERATIONS 64
#define VARIABLE    "LD_PRELOAD="
#define NAME	    "libcpsample"
#define NO_MATCH    SIZE_MAX

static const char *compose(char *path, uint64_t pid, const char *file)
{
	char digits[24];
	const char *p = cps_digits(digits + sizeof(digits), pid);
	size_t n = strlen(p);

	memcpy(path, "/proc/", 6);
	memcpy(path + 6, p, n);
	memcpy(path + 6 + n, file, strlen(file) + 1);
	return path;
}

static uint64_t number(const char **p)
{
	uint64_t n = 0;

	for (; **p >= '0' && **p <= '9'; ++*p)
		n = n * 10 + (uint64_t)(**p - '0');
	return n;
}

/* Skips so many spaces, and what stands before them. */
static const char *skip(const char *p, int fields)
{
	for (; *p && fields; p++)
		fields -= *p == ' ';
	return p;
}

/* Reads fields 4 and 22 of /proc/PID/stat. Field 2, the program's name in parentheses, may contain
 * anything, so fields are counted from the last parenthesis. */
bool cps_lineage_read(uint64_t pid, uint64_t *ppid, uint64_t *start)
{
	char path[48], text[1024];
	int fd = cps_descriptor_open(compose(path, pid, "/stat"), O_RDONLY, 0);
	const char *p = NULL;
	long n;

	if (fd < 0)
		return false;
	n = cps_sys_read(fd, text, sizeof(text) - 1);
	cps_sys_close(fd);
	if (n <= 0)
		return false;
	text[n] = '\0';
	for (long i = 0; i < n; i++)
		if (text[i] == ')')
			p = text + i;
	if (!p)
		return false;
	p = skip(p, 2);
	*ppid = number(&p);
	p = skip(p, 18);
	*start = number(&p);
	return *start != 0;
}

/* How much of VARIABLE stands at the beginning of an entry of the environment, or NO_MATCH, and how
 * much of NAME stands at the end of what has been read of its value. */
struct preload_search {
	size_t variable, name;
};

/* Whether NAME is complete with this byte. */
static bool completes_name(struct preload_search *s, char c)
{
	if (c == '\0')
		*s = (struct preload_search){0};
	else if (s->variable < sizeof(VARIABLE) - 1)
		s->variable = c == VARIABLE[s->variable] ? s->variable + 1 : NO_MATCH;
	else if (s->variable != NO_MATCH)
		s->name = c == NAME[s->name] ? s->name + 1 : c == NAME[0];
	return s->name == sizeof(NAME) - 1;
}

/* Whether the environment that the process was started with preloads the recorder. Other variables
 * may contain its name, too, for example PWD in a clone of this repository. */
static bool is_preloaded(uint64_t pid)
{
	char path[48], text[2048];
	int fd = cps_descriptor_open(compose(path, pid, "/environ"), O_RDONLY, 0);
	struct preload_search search = {0};
	bool found = false;
	long n;

	if (fd < 0)
		return false;
	while (!found && (n = cps_sys_read(fd, text, sizeof(text))) > 0)
		for (long i = 0; i < n && !found; i++)
			found = completes_name(&search, text[i]);
	cps_sys_close(fd);
	return found;
}

#define WAITS	   "cpsample-wait"
#define WAITS_ARGS 3 /* words before the program's: its own name, a directory, libraries */

/* Of a command's words, which end with a NUL each. */
struct words {
	char *text;
	size_t n, first; /* where the latest word begins */
	unsigned left_out, number;
	bool is_over;
};

static bool is_waiting(const char *word, size_t n)
{
	size_t k = sizeof(WAITS) - 1;

	return n >= k && memcmp(word + n - k, WAITS, k) == 0 && (n == k || word[n - k - 1] == '/');
}

static void word_end(struct words *w)
{
	if (!w->number++ && is_waiting(w->text, w->n)) {
		w->left_out = WAITS_ARGS - 1;
		w->n = w->number = 0;
	} else if (w->left_out) {
		w->left_out--;
		w->number = 0;
	} else {
		w->text[w->n++] = ' ';
	}
	w->first = w->n;
}

/* The room is for the byte and for what ends a command that is cut. */
static void word_put(struct words *w, char c)
{
	static const char more[] = "...";

	if (!c)
		word_end(w);
	else if (!w->left_out)
		w->text[w->n++] = c;
	if (w->n + sizeof(more) < CPS_LAUNCHED_BYTES)
		return;
	w->n = w->first ? w->first : w->n;
	memcpy(w->text + w->n, more, sizeof(more));
	w->n += sizeof(more);
	w->is_over = true;
}

static void read_command(struct cps_lineage *l)
{
	char path[48], some[256];
	int fd = cps_descriptor_open(compose(path, l->tree_pid, "/cmdline"), O_RDONLY, 0);
	struct words w = {.text = l->launched};
	long n;

	if (fd < 0)
		return;
	while (!w.is_over && (n = cps_sys_read(fd, some, sizeof(some))) > 0)
		for (long i = 0; i < n && !w.is_over; i++) {
			word_put(&w, some[i]);
			w.is_over |= l->is_without_args && w.number;
		}
	cps_sys_close(fd);
	if (w.n) /* the space or the NUL behind the last word */
		l->launched[w.n - 1] = '\0';
}

/* The root may have ended, and another process may have its number. */
static void find_command(struct cps_lineage *l)
{
	uint64_t unused, start;

	memset(l->launched, 0, sizeof(l->launched));
	if (l->tree_pid && !l->is_attached && l->tree_pid != (uint64_t)cps_subject_pid() &&
	    cps_lineage_read(l->tree_pid, &unused, &start) && start == l->tree_start)
		read_command(l);
}

static void find_ancestors(struct cps_lineage *l)
{
	uint64_t now = (uint64_t)cps_subject_pid(), parent, start, next;
	bool is_known = l->tree_pid != 0;

	l->n_ancestors = 0;
	if (!cps_lineage_read(now, &parent, &start))
		return;
	for (int i = 0; i < GENERATIONS; i++) {
		if (!is_known) {
			l->tree_pid = now;
			l->tree_start = start;
		}
		if (parent <= 1 || (is_known ? now == l->tree_pid : !is_preloaded(parent)) ||
		    !cps_lineage_read(parent, &next, &start))
			return;
		if (l->n_ancestors < CPS_ANCESTORS_MAX)
			l->ancestors[l->n_ancestors++] = parent;
		now = parent;
		parent = next;
	}
}

void cps_lineage_find(struct cps_lineage *l)
{
	find_ancestors(l);
	find_command(l);
}

/* ---- record ---------------------------------------------------------------------------------- */
/*
 * Writes records: tag, length, payload, checksum.
 *
 * In: the identity of the process, threads, modules, counters. Out: bytes.
 */

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

	number_field(w, CPS_PROCESS_PID,
		     identity->seen_as ? identity->seen_as : (uint64_t)cps_subject_pid());
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
	if (identity->began_ns)
		number_field(w, CPS_PROCESS_BEGAN_NS, identity->began_ns);
	number_field(w, CPS_PROCESS_JOURNAL, identity->journal_id);
	if (identity->lineage.tree_pid) {
		number_field(w, CPS_PROCESS_TREE_PID, identity->lineage.tree_pid);
		number_field(w, CPS_PROCESS_TREE_START, identity->lineage.tree_start);
	}
	if (cps_atoms_bits())
		number_field(w, CPS_PROCESS_ATOM_BITS, cps_atoms_bits());
	text_field(w, CPS_PROCESS_LAUNCHED,
		   *identity->lineage.launched ? identity->lineage.launched : NULL);
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

/* The name in the record is t->name. */
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
		uint64_t n = cps_loss_get((enum cps_loss)i);

		if (i < CPS_LOSS_DAMAGED || n) {
			cps_put(w, (uint64_t)i);
			cps_put(w, n);
		}
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
	if (ending->ready_ns)
		number_field(w, CPS_END_READY_NS, ending->ready_ns);
	if (ending->profiling_ns)
		number_field(w, CPS_END_HOOKS_NS, ending->profiling_ns);
	if (ending->stop) {
		number_field(w, CPS_END_STOP, ending->stop);
		number_field(w, CPS_END_ERROR, ending->error);
	}
	finish(w, payload);
}

void cps_record_block(struct cps_writer *w, uint64_t number)
{
	uint8_t *payload = begin(w, CPS_TAG_BLOCK);

	cps_put(w, number);
	finish(w, payload);
}

/* ---- programs without a recording ---- */

#define CRC_BYTES	4
#define SHORT_NAME_MAX	64
#define SHORT_DIR_MAX	80
#define SHORT_ARG_MAX	80
#define SHORT_ARG_LEAST 24 /* bytes of room; with less, an argument would tell nothing */

static const char *last_part(const char *path)
{
	const char *last = path;

	for (; *path; path++)
		if (path[0] == '/' && path[1])
			last = path + 1;
	return last;
}

/* The end of a path tells more than its beginning, if it does not fit. */
static bool is_path(const char *text)
{
	if (*text != '/' && *text != '.')
		return false;
	while (*text && *text != ' ' && *text != '\n')
		text++;
	return !*text;
}

static bool is_long_option(const char *text)
{
	return text[0] == '-' && text[1] && text[2];
}

static size_t room_of(const struct cps_writer *w)
{
	size_t n = (size_t)(w->end - w->p);

	return w->full || n < CRC_BYTES ? 0 : n - CRC_BYTES;
}

static void short_arg(struct cps_writer *w, const char *text)
{
	size_t room = room_of(w), n = strnlen(text, CPS_TEXT_MAX), most = SHORT_ARG_MAX;

	if (room < SHORT_ARG_LEAST)
		return;
	if (most > room - 12)
		most = room - 12;
	if (n > most && is_path(text))
		text += n - most;
	cps_put(w, CPS_SHORT_ARG * 2 + 1);
	cps_put_text(w, text, n < most ? n : most);
}

/* A program of that name may also lie elsewhere. What does not fit goes first, by whole folders. */
static void short_directory(struct cps_writer *w, const char *path, const char *name)
{
	size_t n = (size_t)(name - path);

	if (n > SHORT_DIR_MAX) {
		path += n - SHORT_DIR_MAX;
		while (path[-1] != '/')
			path++;
		n = (size_t)(name - path);
	}
	if (!n)
		return;
	cps_put(w, CPS_SHORT_DIRECTORY * 2 + 1);
	cps_put_text(w, path, n);
}

/* Options beyond a letter go first, if there is no room for all. Those of a letter may have values, by which the reader finds
 * the script of an interpreter. */
static void short_args(struct cps_writer *w, const struct cps_identity *identity)
{
	size_t room = room_of(w), all = 0;

	for (size_t i = 1; i < identity->n_args && all <= room; i++)
		all += 12 + strnlen(identity->args[i], SHORT_ARG_MAX);
	for (size_t i = 1; i < identity->n_args && room_of(w) >= SHORT_ARG_LEAST; i++)
		if (all <= room || !is_long_option(identity->args[i]))
			short_arg(w, identity->args[i]);
}

void cps_record_short(struct cps_writer *w, const struct cps_identity *identity,
		      const struct cps_short_use *use)
{
	const char *path = identity->started_as ? identity->started_as : identity->exe;
	const char *name = last_part(path);
	uint8_t *payload;

	cps_put_bytes(w, CPS_SHORT_MAGIC, CPS_MAGIC_BYTES);
	payload = begin(w, CPS_TAG_SHORT);
	number_field(w, CPS_SHORT_PID, (uint64_t)cps_sys_getpid());
	number_field(w, CPS_SHORT_PPID, identity->ppid);
	number_field(w, CPS_SHORT_START_NS, identity->start_ns);
	number_field(w, CPS_SHORT_TIME_US, use->time_us);
	number_field(w, CPS_SHORT_CPU_NS, use->cpu_ns);
	number_field(w, CPS_SHORT_CPU_BEFORE_NS, identity->cpu_before_ns);
	if (use->children_ns)
		number_field(w, CPS_SHORT_CHILDREN_NS, use->children_ns);
	if (identity->children_before_ns)
		number_field(w, CPS_SHORT_CHILDREN_BEFORE_NS, identity->children_before_ns);
	if (use->stop)
		number_field(w, CPS_SHORT_STOP, use->stop);
	cps_put(w, CPS_SHORT_NAME * 2 + 1);
	cps_put_text(w, name, strnlen(name, SHORT_NAME_MAX));
	short_directory(w, path, name);
	short_args(w, identity);
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

/* ---- announce -------------------------------------------------------------------------------- */
/*
 * Puts records of threads, modules and Python functions into the journal's buffer 0.
 *
 * In: what samples mention. Out: records. If the buffer is busy the announcement is made later, at
 * the latest at the end.
 */

bool cps_announce_record(const uint8_t *record, size_t n)
{
	struct cps_buffer *b = cps_journal_acquire_number(0);
	bool done;

	if (!b)
		return false;
	done = cps_journal_add_record(b, record, n);
	if (!done && cps_drain(b) == 0)
		done = cps_journal_add_record(b, record, n);
	cps_journal_release(b);
	return done;
}

static bool announce(const struct cps_writer *w, const uint8_t *record)
{
	return !w->full && cps_announce_record(record, (size_t)(w->p - record));
}

void cps_announce_thread(struct cps_thread *t)
{
	uint8_t bytes[128];
	struct cps_writer w = {bytes, bytes + sizeof(bytes), false};
	char name[CPS_THREAD_NAME_BYTES];

	cps_thread_read_name(t, name);
	if (t->announced && (!name[0] || memcmp(name, t->name, sizeof(name)) == 0))
		return;
	memcpy(t->name, name, sizeof(name));
	cps_record_thread(&w, t);
	t->announced = announce(&w, bytes);
}

/* The entry belongs to who adds a sample of the thread. If another thread does so now, that announces it. */
void cps_announce_thread_end(struct cps_thread *t)
{
	if (atomic_exchange(&t->busy, true))
		return;
	if (t->is_sampled)
		cps_announce_thread(t);
	atomic_store(&t->busy, false);
}

static void announce_module(uint32_t number, struct cps_module *m)
{
	/* A record of a module is too large for a small signal stack, so its memory is mapped for
	 * the moment. */
	size_t room = CPS_TEXT_MAX + 8192;
	uint8_t *bytes = cps_arena_pages(room);
	struct cps_writer w = {bytes, bytes, false};
	bool done = false;

	if (bytes) {
		w.end += room;
		cps_record_module(&w, number, m);
		done = announce(&w, bytes);
		cps_sys_munmap(bytes, room);
	}
	if (!done) {
		atomic_store(&m->announced, false);
		cps_module_set_news();
	}
}

static void announce_modules(void)
{
	if (!cps_module_take_news())
		return;
	for (uint32_t i = 0; i < cps_module_count(); i++) {
		struct cps_module *m = cps_module_get(i);

		if (atomic_load_explicit(&m->used, memory_order_relaxed) &&
		    !atomic_exchange(&m->announced, true))
			announce_module(i, m);
	}
}

/* The path comes first: who has the name has the path. */
static bool announce_function(uint32_t number, const char *name, const char *path)
{
	uint8_t bytes[CPS_PYTHON_NAME_BYTES + CPS_PYTHON_PATH_BYTES + 128];
	struct cps_writer w = {bytes, bytes + sizeof(bytes), false};
	uint64_t address = cps_python_address(number);

	if (*path)
		cps_record_function(&w, address + CPS_PYTHON_PATHS, CPS_PYTHON_LINES, path);
	cps_record_function(&w, address, CPS_PYTHON_LINES, name);
	return announce(&w, bytes);
}

void cps_announce_news(void)
{
	announce_modules();
	cps_python_functions_tell(announce_function);
}
