/* SPDX-License-Identifier: MIT */
/*
 * event.h - what decoders push and sinks receive.
 *
 * A decoder reads an input and calls the sink's callbacks, one event at a time. Pointers in an
 * event belong to the decoder and are valid during the call only. The decoder skips a callback that
 * is NULL. A callback returns 0 to go on, or -1 with the error set to stop. `process` may also
 * return EVENT_DECLINED: then the decoder pushes no more of this resource. If it returns EVENT_ENOUGH,
 * the decoder stops reading this input.
 *
 * The process event comes first. It tells the sink what the input holds, so that its callback may
 * name another sink for the events after it. The end event or the cut event comes last; each input
 * has exactly one of them. Modules and threads may come after samples that refer to them.
 *
 * An input that counts several resources has a process event for each of them. The decoder pushes
 * these in turn until the sink does not decline one, and then the events of that resource alone. The
 * first one is of the resource that was asked for first.
 *
 * A call graph without stacks (event_kind: has_calls) has `self` and `call` events instead of
 * samples.
 */
#ifndef EVENT_H
#define EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/stop.h"
#include "libsampler/format.h"

#define EVENT_CALLS_TIME "calls-time" /* the resource of times that were measured at hooks */
#define EVENT_NO_MODULE	 UINT32_MAX
#define EVENT_DECLINED	 1
#define EVENT_ENOUGH	 2

struct event_text {
	const char *bytes; /* not terminated, any bytes; NULL with length 0 when absent */
	size_t length;
};

/* The text of a terminated string, or of NULL. */
static inline struct event_text event_text_of(const char *text)
{
	return (struct event_text){text, text ? strlen(text) : 0};
}

/* A kind of input. Its decoder declares what it is called and what its files say. */
struct event_kind {
	const char *name;    /* for messages: "folded stacks", "a recording of libcpsample" */
	bool has_names;	     /* frames are names, not addresses; then the name is a plural */
	bool has_calls;	     /* a call graph without stacks */
	bool has_inclusive;  /* whose functions and calls have inclusive weights */
	bool has_shares;     /* those of calls are shares of the callee's, by their number */
	bool has_times;	     /* samples have times */
	bool has_threads;    /* samples have threads */
	bool has_pid;	     /* a process event has the process's id, unless that is 0 ... */
	bool has_executable; /* ... and the executable */
};

struct event_process {
	const struct event_kind *kind;
	const char *file; /* name of the input, for messages */
	uint64_t pid, ppid, start_ns;
	struct event_text resource; /* "cpu", "signals"; for folded text "samples" */
	struct event_text unit;	    /* "ns", "signals", "samples": what one gtick is */
	uint64_t scale;	   /* gticks per unit of weight in the file; weights are scaled already */
	uint64_t interval; /* gticks, 0 = none */
	struct event_text engine, engine_why, exe, cwd, host, machine, recorder;
	struct event_text started_as; /* a link to exe that was executed, with another name */
	struct event_text
		launched; /* the command of the tree's first process, if that is another one */
	struct event_text unwinder, unwinder_why; /* no unwinder: the native one */
	const struct event_text *args;
	size_t n_args;
	uint64_t cpu_before_ns;
	uint64_t
		began_ns; /* when the process was made, if recording was begun from outside; else 0 */
	uint64_t tree_pid, tree_start; /* with the host they name a process tree; pid 0: none */
	uint64_t ancestors[CPS_ANCESTORS_MAX]; /* their pids, the parent's first */
	size_t n_ancestors;
	bool has_owner, has_rank;
	uint64_t owner; /* the id of the user who owns the input */
	uint64_t rank;	/* among the processes of a launcher, below CPS_RANKS */
};

struct event_segment {
	uint64_t vaddr, memory_bytes, file_offset, file_bytes;
	uint32_t flags; /* ELF: 1 executable, 2 writable, 4 readable */
};

struct event_module {
	uint32_t id;
	struct event_text path, build_id; /* build id: raw bytes */
	uint64_t bias;
	bool is_vdso;
	const struct event_segment *segments;
	size_t n_segments;
};

/* The thread of what is known of all together, as what counted calls have used. */
#define EVENT_ALL_THREADS UINT32_MAX

struct event_thread {
	uint32_t id;
	uint64_t tid, start_us;
	struct event_text name;
};

/* One frame: an address of a module, an address of the process (EVENT_NO_MODULE), or a name. */
struct event_frame {
	uint32_t module;
	uint32_t id;		/* see `generation` of a sample; 0: none */
	uint64_t address;	/* the module's virtual address */
	struct event_text name; /* set when the kind of the input has_names */
};

struct event_sample {
	uint32_t thread;
	uint64_t time_us;  /* since the process's start */
	uint64_t weight;   /* gticks */
	uint64_t hits;	   /* raw samples: 1 for a tick, 0 for a tail, the count for folded text */
	uint32_t mark;	   /* enum cps_mark of libsampler/format.h */
	uint32_t state;	   /* the number of a state event; 0: none */
	bool is_in_kernel; /* the thread was in the kernel, which the innermost frame had called */
	uint64_t block;	   /* the number of the block of memory that was allocated; 0: none */
	size_t depth;
	size_t keep; /* the outermost `keep` frames are those of the previous sample event */
	/* The whole stack, outermost first; depth entries. */
	const struct event_frame *frames;
	/* In samples of one generation, which follow each other, frames with the same id are the
	 * same. Ids are 1 to CPS_COLUMN_IDS. */
	uint32_t generation;
	/* 0, or a number from 1 to CPS_STACKS for the sample's stack, which later samples may
	 * repeat. A sample with is_again repeats a stack: its stack, thread and mark are those of
	 * the latest sample of this generation that had this number and was not is_again. Its depth
	 * and keep are 0, and frames is NULL; the `keep` of the next sample ignores it. */
	uint32_t stack;
	bool is_again;
};

/* What a thread did when samples of this state were taken: "running", "io". It comes before the
 * first of them. Several numbers may have the same name. */
struct event_state {
	uint32_t number; /* from 1 up */
	struct event_text name;
};

/* The block of memory with that number was freed. It comes after the sample of the block or before
 * it; a number without a sample means nothing. */
struct event_freed {
	uint64_t number, time_us;
};

/* A resource that the input counts, whichever one is read. These come before the end event or the
 * cut event, from inputs that can have several. */
struct event_resource {
	struct event_text name, unit, engine, why;
	uint64_t interval; /* gticks, 0 = none */
	bool is_time;	   /* it is CPU time or real time */
	bool is_live;	   /* it has the samples of alloc whose blocks are not freed */
	const struct event_text *states; /* that its samples may have, each once */
	const uint64_t *in_states;	 /* of `credited`, by state */
	size_t n_states;
	/* Of all samples that count it, in gticks; of memory that is live, at the moment of the sink. */
	uint64_t credited, samples;
	bool has_counted; /* the recorder has counted it, too, independently of samples */
	uint64_t counted; /* gticks */
	uint64_t events;  /* 0: not known */
};

/* A function of a call graph. Two functions are the same if all of this is. */
struct event_function {
	struct event_text name, file, object; /* file and object may be absent */
	uint32_t line; /* of the file, where a function of Python begins; 0: not known */
};

/* The self weight of a function. A function may have several such events: their sum counts. */
struct event_self {
	struct event_function function;
	uint64_t weight; /* gticks */
	uint64_t hits;	 /* raw samples; the weight if it was counted, not sampled */
	/* The weight of the function and of its calls, without its calls of itself; 0 unless the
	 * kind has_inclusive. */
	uint64_t inclusive_weight;
	uint64_t calls; /* of the function, beside those that have call events */
};

/* Calls of one function by another, or by itself. A pair of functions may have several such events:
 * their sum counts. */
struct event_call {
	struct event_function caller, callee;
	uint64_t count;
	/* The inclusive weight of these calls in gticks, without calls of functions that were
	 * running already; 0 unless the kind has_inclusive. */
	uint64_t weight;
};

/* A function of which calls were counted. Numbers go from 0 up; the address is one in the function. */
struct event_called {
	uint32_t number;
	struct event_frame frame;
};

/* A machine that has counted calls: several threads may have had it, one after the other. What was said before of it is
 * replaced. */
struct event_machine {
	uint32_t number;
	uint64_t transitions, missed; /* calls that are in no state */
};

/* Calls that were counted in a context: a state of the latest machine event's machine. Its history is what the steps A1 to A5
 * (contexts.h) make of that of `from` and a call of the function. */
struct event_counted {
	uint32_t state, from; /* from 1 up; from < state, 0: nothing was running */
	uint32_t function;    /* the number of a called event */
	bool is_cut; /* only the running function of `from` is known of what is before the function */
	uint64_t entered; /* calls that led to it */
	uint64_t direct;  /* direct recursions in it */
};

struct event_loss {
	uint32_t reason; /* enum cps_loss, or beyond */
	uint64_t count;	 /* total so far */
};

/* A moment that the program gave a name to. */
struct event_mark {
	uint64_t time_us; /* since the process's start */
	uint32_t thread;
	struct event_text name;
};

/* Another engine takes the samples from here on. */
struct event_engine {
	struct event_text engine, why;
};

/* A piece of the process's perf map, which may begin and end in the middle of a line. */
struct event_jit {
	struct event_text text;
};

struct event_end {
	uint64_t time_us, cpu_ns, ticks, bytes;
	uint64_t own_ns;	 /* CPU time that recording took; it is not credited */
	uint64_t own_kernel_ns;	 /* the part of it that the kernel took to bring ticks */
	uint64_t children_ns;	 /* CPU time of children that were waited for, and of theirs */
	uint64_t denied;	 /* processes made by fork that could not write recordings */
	uint64_t denied_error;	 /* errno of the latest of them, 0: none */
	uint64_t python;	 /* Python functions that stacks have by name */
	uint64_t python_unnamed; /* evaluators of Python whose functions have no names */
	uint64_t interrupted;	 /* calls that a tick has ended, which nobody went on with */
	uint64_t hooks_ns;	 /* the part of own_ns in which calls were counted */
	bool has_lost_calls;	 /* not all counted calls could be read: none of them count */
	uint64_t ready_ns; /* time of threads ready to run without a processor; 0: not known */
	uint64_t stop;	   /* enum cps_stop, or beyond */
	uint64_t error;	   /* errno that goes with it, 0: none */
	const char *note;  /* NULL, or what is wrong with the journal beside the file */
	bool has_totals; /* call graph: `inclusive_weight` of a function counts no recursion twice */
};

/* Why an input has no end. */
enum event_unended {
	EVENT_CUT,     /* the file is not whole, or recording stopped before the program did */
	EVENT_RUNNING, /* its process is still writing it */
	EVENT_BECAME,  /* its process became another program, past the C library */
	EVENT_KILLED,  /* its process was killed, or ended past the C library */
	EVENT_DAMAGED, /* a part of the file is not what was written; what is around it was read */
	EVENT_LEFT, /* the same as EVENT_KILLED, but its program always ends so, and nothing is missing */
};

#define EVENT_BECAME_TEXT "the process became another program, past the C library"
#define EVENT_KILLED_TEXT                                                                          \
	"the process was killed by a signal, or ended by a system call past the C library"
#define EVENT_LEFT_TEXT "the program ended past the C library, as Go's programs do, or was killed"

/* The input ends too early. */
struct event_cut {
	enum event_unended how;
	uint64_t
		offset; /* bytes of the file that could be used; EVENT_DAMAGED: those before the damage */
	const char *why;      /* "the file ends inside a record", ... */
	uint64_t stop, error; /* as above, if that is known; else 0 */
	uint64_t children_ns; /* likewise, some time before the latest sample */
	uint64_t calls_us;    /* if there is no end record: calls were counted until then; 0: no */
	uint64_t hooks_ns;    /* until then, as in event_end */
	bool has_lost_calls;  /* as in event_end */
};

/* The moment at which memory has to be live for the resource "alloc-live". */
enum event_at_what { EVENT_AT_END, EVENT_AT_PEAK, EVENT_AT_TIME };

struct event_at {
	enum event_at_what what;
	uint64_t ns;	 /* EVENT_AT_TIME: since the run began ... */
	uint64_t run_ns; /* ... which was then, in the clock of start_ns; 0: when the input began */
};

struct event_sink {
	void *context;
	struct event_at at; /* of the sink that gets the first process event */
	/* *next is this sink; the callback may set it to the sink of all events that follow. */
	int (*process)(void *context, const struct event_process *, const struct event_sink **next,
		       struct error *);
	int (*module)(void *context, const struct event_module *, struct error *);
	int (*thread)(void *context, const struct event_thread *, struct error *);
	int (*state)(void *context, const struct event_state *, struct error *);
	int (*sample)(void *context, const struct event_sample *, struct error *);
	int (*freed)(void *context, const struct event_freed *, struct error *);
	int (*self)(void *context, const struct event_self *, struct error *);
	int (*call)(void *context, const struct event_call *, struct error *);
	int (*called)(void *context, const struct event_called *, struct error *);
	int (*machine)(void *context, const struct event_machine *, struct error *);
	int (*counted)(void *context, const struct event_counted *, struct error *);
	int (*loss)(void *context, const struct event_loss *, struct error *);
	int (*mark)(void *context, const struct event_mark *, struct error *);
	int (*engine)(void *context, const struct event_engine *, struct error *);
	int (*jit)(void *context, const struct event_jit *, struct error *);
	int (*resource)(void *context, const struct event_resource *, struct error *);
	int (*end)(void *context, const struct event_end *, struct error *);
	int (*cut)(void *context, const struct event_cut *, struct error *);
};

/* Push a process event to *sink, and make *sink the sink of the events that follow. */
static inline int event_push_process(const struct event_sink **sink, const struct event_process *e,
				     struct error *err)
{
	const struct event_sink *first = *sink;

	return first->process ? first->process(first->context, e, sink, err) : 0;
}

#endif
