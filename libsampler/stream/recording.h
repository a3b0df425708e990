/* SPDX-License-Identifier: MIT */
/*
 * recording.h - the states of a recording: not there yet, open, over.
 */
#ifndef CPS_RECORDING_H
#define CPS_RECORDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <ucontext.h>

#include "base/memory.h"
#include "stream/batch.h"
#include "stream/kernel_names.h"
#include "stream/record.h"
#include "stream/thread.h"
#include "unwind/trail.h"

/* ---- denied ---------------------------------------------------------------------------------- */
/*
 * A child of fork that cannot write its recording leaves word in its parent's.
 *
 * Such a child has given up its rights (setuid, chroot), so the word goes through a page of memory
 * that both share.
 */

/* [signal] How many of the children, and of theirs, have told so; and the latest errno. */
uint64_t cps_denied_count(uint32_t *error);

/* ---- recording ------------------------------------------------------------------------------- */
/*
 * The life of one recording: nothing, then a stream with its journal, then its end.
 *
 * Order: the file, its journal and their names are there before the state OPEN is released, and
 * used by who has acquired it. What is in them belongs to who holds a buffer, or the lock of the
 * stream (deflate_out.h).
 */

/* Where the recording is written: the name is `stem` + `suffix`, or if that exists `stem` + ".1" +
 * `suffix`, and so on. All texts and the identity must stay valid. */
struct cps_output {
	const char *stem, *suffix;
	bool makes_directories;	       /* those that are missing */
	struct cps_identity *identity; /* its lineage is set when the stream is made */
	uint64_t max_bytes;	       /* of the stream; 0: no limit */
	uint64_t journal_bytes;	       /* space for samples in the journal, if more than usual */
};

/* [signal] Set where to record, once. Nothing is created yet. */
void cps_recording_prepare(const struct cps_output *output);

/* [signal] Whether samples can be added. The first call creates the stream. If it cannot, a loss is
 * counted. */
bool cps_recording_ready(void);

/* [signal] Microseconds since the start. */
uint64_t cps_recording_now_us(void);

/* What a sample is credited with. */
struct cps_credit {
	uint64_t weight; /* in units */
	uint64_t number; /* of the block of memory that the sample is of; 0: none */
	uint64_t leaf; /* address of the innermost function, which the walk does not see; 0: none */
	const struct cps_kernel_chain *kernel; /* what that has called; NULL: nothing */
	uint32_t atom;			       /* atoms.h; 0 in a plain recording */
	uint32_t resource;		       /* whose point process has drawn the weight ... */
	uint64_t gticks;		       /* ... of which this is; 0: none has */
	uint64_t at_ns; /* when it was taken, in ns of cps_moment_ns; 0: now */
	bool is_tail;
	struct cps_code_range outside; /* as in struct cps_stack */
};

/*
 * [signal] Unwind from the frame that `context` has interrupted, with `peek`, or take `given` as it
 * is, and add a sample for thread t. False: that was not possible, and a loss was counted.
 */
bool cps_recording_add(struct cps_thread *t, const ucontext_t *context, struct cps_peek *peek,
		       const struct cps_stack *given, const struct cps_credit *credit);

/* [signal] To be called when a thread ends: its name may have changed for the last time. */
void cps_recording_thread_ends(struct cps_thread *t);

/* [signal] Mark the moment in the stream. */
void cps_recording_mark(const struct cps_thread *t, const char *name);

/* [signal] Add a whole record. Like a mark, not for the handler: it waits for other threads. */
void cps_recording_tell(const uint8_t *record, size_t n);

/* [signal] Note that another clock ticks from here on. Both texts are literals. */
void cps_recording_engine(const char *engine, const char *why);

/* [signal] Write all that waits to the stream, except what other threads are using. */
void cps_recording_flush(void);

/* [signal] All is recorded that the program has done: the recording's last moment is now, however long it takes to end it. */
void cps_recording_over(void);

/* [signal] End the recording: write all that waits to the stream, with an end record. cpu_ns is
 * what the process has used until now. Waits, some seconds at most, for handlers in other threads,
 * so it is not for the handler. Returns false if the journal had to stay. */
bool cps_recording_end(uint64_t cpu_ns, enum cps_stop why);

/* [signal] Whether the file was gone at the end, because somebody has removed it. */
bool cps_recording_is_removed(void);

/* A process that has used less time is one that does nothing to speak of, and leaves no recording for it: ns of CPU time,
 * or of waiting in calls, if that is counted. */
#define CPS_RECORDING_WORTH_NS 10000000

/* [signal] There is a reason for the recording however little the process uses: the program has set a mark, or calls are counted. */
void cps_recording_keep(void);
/* [signal] The number by which the journal, and what else is beside the recording, is known as its own. */
uint64_t cps_recording_id(void);
/* [signal] A tick was a sample, of a thread that has used so many gticks since its last one. That is a reason, too, if it is
 * half of the mean interval: otherwise it is the recorder's own work that has brought the tick. */
void cps_recording_note_tick(int64_t used);
/* [signal] */
bool cps_recording_is_kept(void);

/* [signal] End the recording and remove its files: there was no reason for it. False: it stays. */
bool cps_recording_discard(void);

/* [signal] Continue the recording after its end, because an exec has failed. One that was discarded begins anew.
 * Returns whether what was written before stays. */
bool cps_recording_continue(void);

/* [signal] Begin anew, in a child that has no recording yet. */
void cps_recording_reset(void);

/* [signal] The file's name, or NULL if nothing was created; and the number of samples so far. */
const char *cps_recording_path(void);
/* [signal] */
uint64_t cps_recording_ticks(void);

#endif
