/* SPDX-License-Identifier: MIT */
/*
 * recording.c - the states of a recording: not there yet, open, over.
 */
#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/moment.h"
#include "base/subject.h"
#include "base/sys.h"
#include "base/text.h"
#include "stream/atoms.h"
#include "stream/batch.h"
#include "stream/deflate_out.h"
#include "stream/drain.h"
#include "stream/journal.h"
#include "stream/loss.h"
#include "stream/record.h"
#include "stream/recording.h"
#include "unwind/unlisted.h"
#include "unwind/unwind.h"
#include "format.h"
#include "base/poison.h"

/* ---- file name ------------------------------------------------------------------------------- */
/*
 * Composes the name of a recording, which replaces no other.
 *
 * In: what comes before and after a number. Out: a name, and its directories.
 */

/* Compose `stem` + `suffix`, or for n > 0 `stem` + ".n" + `suffix`. False: it does not fit. */
static bool cps_file_name(char *name, size_t room, const char *stem, unsigned n, const char *suffix)
{
	char number[16], *p = number + sizeof(number);
	struct cps_writer w = {(uint8_t *)name, (uint8_t *)name + room, false};

	*--p = '\0';
	for (unsigned rest = n; rest; rest /= 10)
		*--p = (char)('0' + rest % 10);
	if (n)
		*--p = '.';
	cps_put_bytes(&w, stem, strlen(stem));
	cps_put_bytes(&w, p, strlen(p));
	cps_put_bytes(&w, suffix, strlen(suffix) + 1);
	return !w.full;
}

/* Make the directories of the path that are missing. An error shows when the file is created. */
static void cps_file_name_make_directories(char *name)
{
	for (char *p = name + 1; *p; p++) {
		if (*p != '/')
			continue;
		*p = '\0';
		CPS_SYS(mkdirat, AT_FDCWD, name, 0777, 0);
		*p = '/';
	}
}

/* ---- creation -------------------------------------------------------------------------------- */
/*
 * Creates the two files of a recording.
 *
 * One thread at a time does so.
 *
 * In: where to record. Out: a stream that says what process it is of, and an empty journal.
 */

#define PATH_BYTES     8192
#define NAMES_TO_TRY   10000
#define IDENTITY_BYTES (512u << 10)

static char path[PATH_BYTES], journal_path[PATH_BYTES];

/* Creates the stream's file. It replaces no recording, and does not use the name of a recording
 * that was moved away while its journal stayed. */
static int create_file(const struct cps_output *output)
{
	int error = -ENAMETOOLONG;

	if (output->makes_directories && cps_file_name(path, PATH_BYTES, output->stem, 0, ""))
		cps_file_name_make_directories(path);
	for (unsigned n = 0; n < NAMES_TO_TRY; n++) {
		if (!cps_file_name(path, PATH_BYTES - 32, output->stem, n, output->suffix))
			break;
		memcpy(journal_path, path, sizeof(path));
		memcpy(journal_path + strlen(path), CPS_JOURNAL_SUFFIX, sizeof(CPS_JOURNAL_SUFFIX));
		error = -EEXIST;
		if (CPS_SYS(faccessat, AT_FDCWD, journal_path, F_OK, 0) != 0)
			error = cps_deflate_out_create(path, output->max_bytes,
						       cps_atoms_are_plain() ? CPS_VERSION_CLOCK
									     : CPS_VERSION);
		if (error != -EEXIST)
			break;
	}
	return error;
}

static int write_identity(const struct cps_output *output)
{
	uint8_t *bytes = cps_arena_pages(IDENTITY_BYTES);
	struct cps_writer w = {bytes, bytes, false};
	int error;

	if (!bytes)
		return -ENOMEM;
	w.end += IDENTITY_BYTES;
	if (!output->identity->seen_as) /* ancestors have other numbers, too */
		cps_lineage_find(&output->identity->lineage);
	cps_record_process(&w, output->identity);
	cps_atoms_write(&w, 0, 0);
	error = w.full ? -E2BIG : cps_deflate_out_append(bytes, (size_t)(w.p - bytes));
	cps_sys_munmap(bytes, IDENTITY_BYTES);
	return error;
}

/* There is no stream any more, or it is another process's. */
static void cps_creation_forget(void)
{
	path[0] = '\0';
}

/* Create them. 0 or -errno, and nothing was created; -EBUSY: another thread is using the stream. */
static int cps_creation_make(const struct cps_output *output)
{
	int error;

	if (!cps_deflate_out_try())
		return -EBUSY;
	error = create_file(output);
	if (!error)
		error = write_identity(output);
	if (!error)
		error = cps_journal_open(journal_path, output->identity->journal_id,
					 output->journal_bytes);
	if (error) {
		cps_deflate_out_discard();
		cps_creation_forget();
	}
	cps_deflate_out_release();
	return error;
}

/* The stream's name; NULL: there is none. And its journal's. */
static const char *cps_creation_path(void)
{
	return path[0] ? path : NULL;
}

static const char *cps_creation_journal_path(void)
{
	return journal_path;
}

/* ---- denied ---------------------------------------------------------------------------------- */
/*
 * Counts the children of fork that cannot write their recordings.
 *
 * In: what children tell. Out: a number and an errno, for the parent's end record. A page is
 * touched only by a child that has something to tell.
 *
 * Order: the error is stored before the number, and read after it.
 */

#define BYTES 4096

struct word {
	_Atomic uint64_t n;
	_Atomic uint32_t error;
};

static struct word *above, *own; /* the parent's, and that for our children; NULL: none */

/* To be called when recording begins, and again in a child of fork: children made from now on can leave word. */
static void cps_denied_begin(void)
{
	cps_arena_unmap(above, BYTES);
	above = own;
	own = cps_sys_mmap(BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1);
	if (own)
		cps_arena_unlock(own, BYTES);
}

/* Tell the parent, if this is a child of fork, that n more processes could not write their recordings, and the
 * latest -errno. */
static void cps_denied_tell(uint64_t n, int error)
{
	if (!above || !n)
		return;
	atomic_store(&above->error, error < 0 ? (uint32_t)-error : 0);
	atomic_fetch_add(&above->n, n);
}

uint64_t cps_denied_count(uint32_t *error)
{
	uint64_t n = own ? atomic_load(&own->n) : 0;

	*error = n ? atomic_load(&own->error) : 0;
	return n;
}

/* ---- jit ------------------------------------------------------------------------------------- */
/*
 * Keeps the names of code that the target has generated.
 *
 * In: /tmp/perf-PID.map. Out: records.
 */

#define PIECE_BYTES (32u << 10)
#define PIECES_MAX  8192u /* 256 MiB */

static void compose(char *name, unsigned pid)
{
	static const char before[] = "/tmp/perf-", behind[] = ".map";
	char digits[24];
	const char *p = cps_digits(digits + sizeof(digits), pid);
	size_t n = strlen(p);

	memcpy(name, before, sizeof(before) - 1);
	memcpy(name + sizeof(before) - 1, p, n);
	memcpy(name + sizeof(before) - 1 + n, behind, sizeof(behind));
}

/* Opens the map only if it is a plain file of the same user, because anybody may write to /tmp. */
static int open_map(void)
{
	struct stat st;
	char name[64];
	int fd;

	compose(name, (unsigned)cps_subject_pid());
	fd = cps_descriptor_open(name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK, 0);
	if (fd < 0)
		return fd;
	if (CPS_SYS(fstat, fd, &st, 0, 0) == 0 && S_ISREG(st.st_mode) &&
	    st.st_uid == (uid_t)cps_subject_user())
		return fd;
	cps_sys_close(fd);
	return -1;
}

static void copy(int fd, uint8_t *piece)
{
	for (unsigned i = 0; i < PIECES_MAX; i++) {
		uint8_t head[32], checksum[4];
		struct cps_writer w = {head, head + sizeof(head), false};
		long n = cps_sys_read(fd, piece, PIECE_BYTES);

		if (n <= 0)
			return;
		cps_record_around(&w, checksum, CPS_TAG_JIT, piece, (size_t)n);
		if (cps_deflate_out_append_pieces(
			    (struct cps_piece[]){{head, (size_t)(w.p - head)},
						 {piece, (size_t)n},
						 {checksum, sizeof(checksum)}},
			    3) != 0)
			return;
	}
}

/* If samples lie in generated code, copy the code's names from /tmp/perf-PID.map into the stream. Just-in-time
 * compilers write this file for perf(1). When the recording is read, it may be gone, or belong to another
 * process. */
static void cps_jit_keep(void)
{
	uint8_t *bytes;
	int fd;

	if (!cps_batch_saw_generated() || cps_deflate_out_error())
		return;
	fd = open_map();
	if (fd < 0)
		return;
	bytes = cps_arena_pages(PIECE_BYTES);
	if (bytes && cps_deflate_out_wait()) {
		copy(fd, bytes);
		cps_deflate_out_release();
	}
	cps_arena_unmap(bytes, PIECE_BYTES);
	cps_sys_close(fd);
}

/* ---- recording ------------------------------------------------------------------------------- */
/*
 * In: samples. Out: a file. No file is created before there is something to record; and if it turns
 * out at the end that the process has done nothing to speak of, the file is removed.
 */

#define MARK_PATIENCE 400    /* times 50 us, for other threads to release the buffer */
#define CHILDREN_US   20000u /* between two questions what children used */

enum state { IDLE, CREATING, OPEN, OVER };

static _Atomic int state;
static struct cps_output output;
static atomic_bool is_kept, is_discarded, is_removed;
static _Atomic uint64_t over_us; /* when all had been said of the program; 0: not yet */

static bool is_open(void)
{
	return atomic_load_explicit(&state, memory_order_acquire) == OPEN &&
	       !cps_loss_stop_reason(NULL);
}

void cps_recording_prepare(const struct cps_output *o)
{
	output = *o;
	cps_denied_begin();
}

static uint64_t us_of(uint64_t ns)
{
	return (ns - output.identity->start_monotonic_ns) / 1000;
}

uint64_t cps_recording_now_us(void)
{
	return us_of(cps_moment_ns());
}

const char *cps_recording_path(void)
{
	return atomic_load(&state) >= OPEN ? cps_creation_path() : NULL;
}

uint64_t cps_recording_ticks(void)
{
	return cps_journal_ticks();
}

bool cps_recording_ready(void)
{
	int now = IDLE, error;

	if (is_open())
		return true;
	if (!atomic_compare_exchange_strong(&state, &now, CREATING)) {
		cps_loss_add(now == CREATING ? CPS_LOSS_CREATING : CPS_LOSS_OUTPUT, 1);
		return false;
	}
	error = cps_creation_make(&output);
	/* What does not last is tried again later. */
	if (error == -EMFILE || error == -ENFILE || error == -EBUSY) {
		cps_loss_add(error == -EBUSY ? CPS_LOSS_CREATING : CPS_LOSS_DESCRIPTORS, 1);
		atomic_store(&state, IDLE);
		return false;
	}
	if (error) {
		cps_loss_stop(error == CPS_PACK_LIMIT ? CPS_STOP_LIMIT : CPS_STOP_CREATE, error);
		if (error != CPS_PACK_LIMIT)
			cps_denied_tell(1, error);
		cps_loss_add(CPS_LOSS_OUTPUT, 1);
	}
	atomic_store(&state, error ? OVER : OPEN);
	return !error;
}

/* Keeps what children have used, now and then. A child of fork begins with its parent's time, which is larger. */
static void keep_children(uint64_t now_us)
{
	static _Atomic uint64_t asked_us;
	uint64_t asked = atomic_load_explicit(&asked_us, memory_order_relaxed);

	if (now_us - asked >= CHILDREN_US &&
	    atomic_compare_exchange_strong(&asked_us, &asked, now_us))
		cps_journal_keep_children(cps_sys_children_ns(output.identity->children_before_ns));
}

/* Appends the item. Time never goes back within a batch. */
static bool add_now(struct cps_buffer *b, struct cps_item *item, uint64_t at_ns)
{
	item->time_us = us_of(at_ns ? at_ns : cps_moment_ns());
	if (item->time_us < b->batch->time_us)
		item->time_us = b->batch->time_us;
	keep_children(item->time_us);
	return cps_journal_add(b, item);
}

/* Appends the item, and empties the buffer first if need be. */
static bool add(struct cps_buffer *b, struct cps_item *item, struct cps_stack *stack,
		uint64_t at_ns)
{
	int error;

	if (add_now(b, item, at_ns))
		return true;
	cps_unlisted_check();
	error = cps_drain(b);
	if (error == -EBUSY || error == CPS_PACK_LIMIT || (error && !cps_journal_seal(b)))
		return false;
	if (add_now(b, item, at_ns))
		return true;
	/* The stack's new addresses fill a whole buffer, so only both its ends are recorded. */
	if (stack->depth <= 2001)
		return false;
	cps_trail_stack_cut(stack, 1000);
	item->path = NULL;
	cps_journal_empty(b, item->time_us);
	return add_now(b, item, at_ns);
}

/* What a sample is made of: a frame to unwind from, or a stack that is given. */
struct source {
	const ucontext_t *context;
	struct cps_peek *peek;
	const struct cps_stack *given;
	const struct cps_thread *thread;
	const struct cps_credit *credit;
	struct cps_stack *stack; /* the result */
};

static bool try_stack(struct cps_buffer *b, const struct source *from)
{
	struct cps_stack *stack = from->stack;
	const struct cps_credit *credit = from->credit;
	uint32_t most = from->thread->stack_room;

	*stack = cps_batch_stack(b->batch);
	stack->until = from->thread->walk_until;
	stack->keep = most ? most : CPS_DEPTH_MAX;
	stack->outside = credit->outside;
	if (!from->given && stack->room > stack->keep)
		stack->room = stack->keep;
	if (!from->given)
		cps_unwinder_in_use()->walk(from->context, from->peek, stack);
	else
		cps_trail_stack_copy(stack, from->given);
	cps_trail_stack_put(stack, &credit->leaf, credit->leaf != 0);
	if (credit->kernel)
		cps_trail_stack_put(stack, credit->kernel->pcs, credit->kernel->n);
	return stack->depth > 0;
}

/* If the stack does not fit, and there is memory for all of it, it is taken again. */
static bool take_stack(struct cps_buffer *b, const struct source *from, struct cps_item *item)
{
	bool done = try_stack(b, from);

	if (from->stack->seen > from->stack->room && from->stack->room < from->stack->keep &&
	    cps_batch_make_room(b->batch, from->stack->seen))
		done = try_stack(b, from);
	item->path = done ? cps_shown_path(b->batch, from->stack, from->peek) : NULL;
	return done;
}

/* Whether the buffer can never take a sample again, so that the stack need not be walked. */
static bool is_full_for_good(struct cps_buffer *b)
{
	return b->batch->is_full && cps_deflate_out_error() && !cps_journal_seal(b);
}

/* Puts the item into the thread's own buffer. If that is busy, or is full while another thread is
 * deflating, the next buffer that can take it is used (doc/decisions/0016). */
static bool place(struct cps_item *item, const struct source *from, enum cps_loss *why)
{
	bool done = false, has_stack = true;

	*why = CPS_LOSS_BUSY;
	for (uint32_t i = 0; i < CPS_BUFFERS && !done && is_open(); i++) {
		bool has_memory;
		struct cps_buffer *b = cps_journal_acquire(from->thread->id + i, &has_memory);

		if (!has_memory)
			*why = CPS_LOSS_MEMORY;
		if (!b)
			continue;
		if (is_full_for_good(b))
			*why = CPS_LOSS_BUSY;
		else if (take_stack(b, from, item))
			done = add(b, item, from->stack, from->credit->at_ns);
		else
			has_stack = false;
		cps_journal_release(b);
		if (!has_stack) {
			*why = from->stack->is_busy ? CPS_LOSS_UNWINDER : CPS_LOSS_STACK;
			return false;
		}
	}
	if (!done && *why == CPS_LOSS_BUSY && cps_deflate_out_error())
		cps_loss_stop(CPS_STOP_WRITE, cps_deflate_out_error());
	if (*why == CPS_LOSS_BUSY && cps_deflate_out_lacks_descriptor())
		*why = CPS_LOSS_DESCRIPTORS;
	if (!is_open())
		*why = CPS_LOSS_OUTPUT;
	return done;
}

bool cps_recording_add(struct cps_thread *t, const ucontext_t *context, struct cps_peek *peek,
		       const struct cps_stack *given, const struct cps_credit *credit)
{
	struct cps_stack stack;
	struct cps_item item = {.thread = t->id << cps_atoms_bits() | credit->atom,
				.is_tail = credit->is_tail,
				.weight = credit->weight,
				.number = credit->number,
				.stack = &stack};
	struct source from = {context, peek, given, t, credit, &stack};
	enum cps_loss why;

	if (!place(&item, &from, &why)) {
		cps_loss_add(why, 1);
		return false;
	}
	t->is_sampled = true;
	if (!t->announced)
		cps_announce_thread(t);
	cps_announce_news();
	return true;
}

void cps_recording_thread_ends(struct cps_thread *t)
{
	if (is_open())
		cps_announce_thread_end(t);
}

static void rest_a_moment(void)
{
	const struct timespec moment = {.tv_nsec = 50000};

	CPS_SYS(nanosleep, &moment, NULL, 0, 0);
}

/* Adds the record, with all signals blocked except while it waits for threads that use the buffer. */
static void add_mark(const uint8_t *bytes, size_t n, int rest)
{
	uint64_t mask = cps_sys_block_signals();
	bool is_lost = !cps_recording_ready();

	while (!is_lost && !cps_announce_record(bytes, n)) {
		is_lost = !is_open() || cps_deflate_out_error() || rest-- <= 0;
		if (is_lost)
			cps_loss_add(CPS_LOSS_MARKS, 1);
		cps_sys_set_mask(mask);
		if (!is_lost)
			rest_a_moment();
		cps_sys_block_signals();
	}
	cps_sys_set_mask(mask);
}

void cps_recording_keep(void)
{
	if (!atomic_load_explicit(&is_kept, memory_order_relaxed))
		atomic_store(&is_kept, true);
}

/* Unlike an announcement, a mark cannot be made later, so this waits. A mark is something to record,
 * and creates the stream. */
void cps_recording_mark(const struct cps_thread *t, const char *name)
{
	uint64_t now_us = cps_recording_now_us();
	uint8_t bytes[CPS_MARK_NAME_MAX + 64];
	struct cps_writer w = {bytes, bytes + sizeof(bytes), false};
	int rest = MARK_PATIENCE;

	cps_recording_keep();
	while (atomic_load(&state) == CREATING && rest-- > 0)
		rest_a_moment();
	cps_record_mark(&w, now_us, t ? t->id : 0, name);
	add_mark(bytes, (size_t)(w.p - bytes), rest);
}

uint64_t cps_recording_id(void)
{
	return output.identity->journal_id;
}

void cps_recording_tell(const uint8_t *record, size_t n)
{
	add_mark(record, n, MARK_PATIENCE);
}

void cps_recording_engine(const char *engine, const char *why)
{
	uint8_t bytes[512];
	struct cps_writer w = {bytes, bytes + sizeof(bytes), false};

	cps_record_engine(&w, engine, why);
	if (is_open() && !w.full)
		cps_announce_record(bytes, (size_t)(w.p - bytes));
}

static void flush(void)
{
	cps_announce_news();
	for (uint32_t i = 0; i <= CPS_BUFFERS; i++) {
		struct cps_buffer *b = cps_journal_acquire_number(i);

		if (!b)
			continue;
		if (cps_journal_waiting(b))
			cps_drain(b);
		cps_journal_release(b);
	}
}

void cps_recording_flush(void)
{
	if (is_open())
		flush();
}

/* Children's word is something to record, too. If this process cannot write it, it is for the parent
 * of this one. */
static void keep_word_of_children(void)
{
	uint32_t error;
	uint64_t n = cps_denied_count(&error);

	if (n && !cps_creation_path() && !cps_recording_ready())
		cps_denied_tell(n, -(int)error);
}

void cps_recording_over(void)
{
	atomic_store(&over_us, cps_recording_now_us());
}

bool cps_recording_end(uint64_t cpu_ns, enum cps_stop why)
{
	struct cps_ending end = {.time_us = atomic_load(&over_us), .cpu_ns = cpu_ns, .stop = why};
	uint64_t until = 0;
	int now = OPEN;
	bool done;

	if (!end.time_us)
		end.time_us = cps_recording_now_us();
	while (atomic_load(&state) == CREATING && cps_sys_patience(&until))
		;
	keep_word_of_children();
	end.children_ns = cps_sys_children_ns(output.identity->children_before_ns);
	if (!atomic_compare_exchange_strong(&state, &now, OVER))
		return now != CREATING;
	flush(); /* samples first: the names of generated code may reach the limit */
	cps_jit_keep();
	cps_kernel_keep_names();
	done = cps_drain_all(&end) == 0;
	atomic_store(&is_removed, !done && CPS_SYS(faccessat, AT_FDCWD, cps_creation_path(), F_OK,
						   0) == -ENOENT);
	if (done || cps_recording_is_removed()) /* nobody can read the journal without the file */
		cps_journal_remove();
	return done;
}

bool cps_recording_is_removed(void)
{
	return atomic_load(&is_removed);
}

/* Intervals are drawn from half of the mean on. */
void cps_recording_note_tick(int64_t used)
{
	if (used >= (int64_t)(output.identity->interval / 2))
		cps_recording_keep();
}

bool cps_recording_is_kept(void)
{
	return atomic_load(&is_kept);
}

bool cps_recording_discard(void)
{
	int now = OPEN;

	if (!atomic_compare_exchange_strong(&state, &now, OVER) || !cps_drain_discard())
		return false;
	cps_creation_forget();
	atomic_store(&is_discarded, true);
	return true;
}

static void forget_announced(struct cps_thread *t, void *context)
{
	(void)context;
	t->is_sampled = t->announced = false;
}

/* A recording that was thrown away has left nothing that another one could go on from. */
static void begin_anew(void)
{
	if (!cps_drain_is_complete())
		return;
	cps_recording_reset();
	cps_module_forget_announced();
	cps_thread_each(forget_announced, NULL);
}

bool cps_recording_continue(void)
{
	if (atomic_exchange(&is_discarded, false)) {
		begin_anew();
		return false;
	}
	if (atomic_load(&state) != OVER || !cps_creation_path() || cps_loss_stop_reason(NULL) ||
	    !cps_drain_is_complete() || cps_deflate_out_unfinish() != 0)
		return false;
	cps_drain_continue();
	cps_journal_renew(cps_creation_journal_path(), output.identity->journal_id);
	atomic_store(&over_us, 0);
	atomic_store(&state, OPEN);
	return true;
}

void cps_recording_reset(void)
{
	cps_journal_reset();
	cps_deflate_out_reset();
	cps_drain_reset();
	cps_loss_reset();
	cps_atoms_forget_counts();
	cps_own_time_reset();
	cps_batch_forget_generated();
	cps_python_reset();
	cps_kernel_reset();
	cps_interrupted_reset();
	cps_creation_forget();
	atomic_store(&is_kept, false);
	atomic_store(&is_discarded, false);
	atomic_store(&is_removed, false);
	atomic_store(&over_us, 0);
	atomic_store(&state, IDLE);
}
