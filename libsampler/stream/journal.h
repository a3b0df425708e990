/* SPDX-License-Identifier: MIT */
/*
 * journal.h - keeps the latest records in memory, and a copy of them in a file.
 */
#ifndef CPS_JOURNAL_H
#define CPS_JOURNAL_H

#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/sys.h"
#include "stream/batch.h"
#include "format.h"

/* ---- journal file ---------------------------------------------------------------------------- */
/*
 * The journal's file: its space on the disk, and its place in memory.
 */

/* [signal] Whether the page of this address takes a store. The kernel is made to store the eight bytes of the
 * signal mask there. It fails where a store of ours would raise SIGBUS: behind the end of a file that
 * somebody has truncated, or where the file system has no free space for the page. */
static inline bool cps_journal_file_takes_store(uint8_t *at)
{
	return CPS_SYS(rt_sigprocmask, SIG_BLOCK, NULL, at, 8) == 0;
}

/* ---- pace ------------------------------------------------------------------------------------ */
/*
 * How often the journal's file is written to, so that a slow file does not slow the target.
 *
 * When a btrfs is full, or a quota of it is used up, it first writes all out and waits, 10 ms or
 * more, for each page that is written to after it was written out, even if it overwrites the page
 * in place then. A target that waited so at each sample came to a hundredth of its speed. So stores
 * are timed on file systems that copy on write, and after slow ones the file rests
 * (doc/decisions/0043).
 */

/* [signal] A file begins. Unless it copies on write, its stores are not timed, and it never rests. */
void cps_pace_reset(bool copies_on_write);

/* [signal] Whether nothing is to be written now. */
bool cps_pace_rests(void);

/* [signal] Stores begin. The result is for cps_pace_end. */
uint64_t cps_pace_begin(void);

/* [signal] Stores have ended. Returns for how many milliseconds the file rests from now on. */
uint32_t cps_pace_end(uint64_t begin);

/* ---- journal --------------------------------------------------------------------------------- */
/*
 * The buffers in which records wait to be deflated, and a copy of them in a file, which survives
 * the process.
 *
 * The recorder only writes to the file: nothing that the file says decides what the recorder does.
 * The file is mapped, since the recorder keeps no descriptor. If somebody truncates the file, or a
 * disk is full, a store into the mapping would end the target by SIGBUS. So before each store the
 * kernel is asked whether the page takes one, and when it does not, the recording continues without
 * a journal. While the file is slow, it has the samples somewhat later (journal.h). One case is left:
 * a truncation within the some ten nanoseconds between question and store (doc/decisions/0043).
 *
 * Locks: each buffer has one, which is tried and never waited for. A thread or handler that has
 * acquired a buffer owns it until it releases it.
 *
 * Order: a buffer belongs to who has acquired its lock, and so does its area of the file. A reader
 * of the file finds the two numbers of an area in one word, stored behind the bytes that they
 * count. The map and its names are there before the recording is open (recording.h). The other
 * words stand for themselves.
 */

#define CPS_BUFFERS	 16u /* buffers of samples; buffer 0 is one more, for other records */
#define CPS_BUFFER_BYTES (64u << 10)
#define CPS_BUFFER_ROOM	 (CPS_BUFFER_BYTES / CPS_JOURNAL_ALIGN * CPS_JOURNAL_PAGE_ROOM)

struct cps_buffer {
	atomic_flag lock;
	uint32_t number;
	uint32_t area;		      /* the area of the journal that it writes to now */
	bool is_begun;		      /* its batch has begun */
	struct cps_batch *batch;      /* NULL until it is first used, and for number 0 */
	uint32_t committed, sequence; /* the numbers that the journal has a copy of */
	uint32_t shown, shown_ticks;  /* bytes and samples of them that the file has */
	uint32_t in_pages;	      /* bytes that are in the area's pages, not in its entry */
	uint8_t *bytes;		      /* CPS_BUFFER_BYTES of memory; the journal has a copy */
};

/* [signal] Make the journal's file again, at the same place in memory. It was removed, and all
 * buffers are acquired and empty. All buffers are released. */
void cps_journal_renew(const char *path, uint64_t id);

/*
 * [signal] Make the journal: the file `path`, or if that cannot be made plain memory. -errno when
 * there is not even memory. `bytes` is space for samples, if it is to be more than the buffers
 * need.
 */
int cps_journal_open(const char *path, uint64_t id, uint64_t bytes);

/* [signal] Acquire a buffer of samples, whose batch has begun; the same one for the same wish.
 * NULL: it is busy; or *has_memory is false, and there is no memory for it. */
struct cps_buffer *cps_journal_acquire(uint32_t wish, bool *has_memory);

/* [signal] Acquire the buffer with this number (0 too) as it is. NULL: it is busy. */
struct cps_buffer *cps_journal_acquire_number(uint32_t number);

/* [signal] */
void cps_journal_release(struct cps_buffer *b);

/*
 * [signal] For a buffer that is full and cannot be emptied: its bytes stay in the journal for good,
 * and the buffer continues in a free area. False: there is no free area, or the journal would not
 * outlive the process.
 */
bool cps_journal_seal(struct cps_buffer *b);

/* [signal] Append a sample. False: it does not fit, and the buffer must be emptied first. */
bool cps_journal_add(struct cps_buffer *b, const struct cps_item *item);

/* [signal] Keep what children have used, for the case that the process has no end. */
void cps_journal_keep_children(uint64_t children_ns);

/* [signal] Append a whole record to buffer 0. False: it does not fit. */
bool cps_journal_add_record(struct cps_buffer *b, const uint8_t *record, size_t n);

/* [signal] The bytes that wait in the buffer. */
uint32_t cps_journal_waiting(const struct cps_buffer *b);

/* [signal] To be called when the buffer's bytes are in the stream: begins the next sequence number,
 * at a time that no sample in it will precede. */
void cps_journal_empty(struct cps_buffer *b, uint64_t time_us);
/* [signal] Empty a buffer whose bytes never get into the stream. Returns how many ticks are
 * lost. */
uint32_t cps_journal_drop(struct cps_buffer *b);

/*
 * [signal] At the end, for a buffer that cannot be emptied: the file gets what it lacks of it, however
 * slow it is, unless all of this has taken a second. Returns how many ticks are lost, since the file
 * does not have them. Nothing may be added afterwards.
 */
uint32_t cps_journal_settle(struct cps_buffer *b);

/* [signal] At the very end: the file gets the losses and the reason of the stop. */
void cps_journal_settle_losses(void);

/* [signal] Remove the journal's file, which is not needed any more. */
void cps_journal_remove(void);

/* [signal] The process goes on for long, and is not recorded any more: let the kernel have the file. What a thread is about to write
 * there goes nowhere. */
void cps_journal_let_go(void);

/* [signal] Unmap the journal and free all buffers, in a child, which begins a stream of its own.
 * The parent's file is not touched. */
void cps_journal_reset(void);

/* [signal] The number of samples that are ticks, in the stream and in the journal. */
uint64_t cps_journal_ticks(void);

#endif
