/* SPDX-License-Identifier: MIT */
/*
 * processes.h - what processes used: their runs, their children, their commands.
 */
#ifndef MODEL_PROCESSES_H
#define MODEL_PROCESSES_H

#include "base/stop.h"
#include "model/profile.h"

/* ---- order ----------------------------------------------------------------------------------- */
/*
 * How processes are sorted.
 */

/* As comparison functions have it: less than, equal to, or more than 0. */
int processes_compare_numbers(uint64_t a, uint64_t b);

/* By process tree. */
int processes_compare_runs(const struct profile_process *a, const struct profile_process *b);

/* By process tree, by process, and the recording first that began first. */
int processes_compare(const struct profile_process *a, const struct profile_process *b);

/* ---- run times ------------------------------------------------------------------------------- */
/*
 * How much CPU time the recorded processes used, and how long that took.
 *
 * In: struct profile. Out: times, and numbers of processes.
 */

struct run_times {
	uint64_t cpu_ns;     /* of all processes, without what recording took */
	uint64_t own_ns;     /* what recording took, of the processes that say it */
	uint64_t elapsed_ns; /* from the first start to the last end, of each run; their sum */
	uint64_t longest_ns; /* the most of them */
	uint64_t over_ns;    /* when the last process ended, since 1970 */
	size_t n_runs;	     /* process trees */
	size_t n_threads;
	/* Index of the process that began first. It is the topmost one that was recorded. */
	size_t first;
};

/* When the first process began, in nanoseconds since 1970; UINT64_MAX without processes. */
uint64_t run_times_begin(const struct profile *p);

/* When the recording of the process ended, in nanoseconds after it began, 0: not known. A recording
 * without an end is known up to its last sample. */
uint64_t run_times_lasted(const struct profile_process *process);

/* The CPU time of a process while it was recorded, without what recording took. Returns false if
 * that is not known. */
bool run_times_cpu(const struct profile *p, const struct profile_process *process, uint64_t *ns);

/* How long the longest run lasted, in nanoseconds; from `run_ns` on (since 1970) if that is not 0, as of several runs on one
 * line of time. 0: not known, as of one that goes on or was killed, or memory is out. */
uint64_t run_times_longest(const struct profile *p, uint64_t run_ns);

/* Fills *r. Returns 1, 0 if the inputs do not say it, or -1 (memory). */
int run_times_find(struct run_times *r, const struct profile *p, struct error *err);

/* ---- children -------------------------------------------------------------------------------- */
/*
 * What the children of recorded processes used, and how much of it no recording shows. The list of those that ended without a
 * recording (profile.shorts) shows it, too.
 *
 * In: struct profile. Out: CPU times.
 */

/* All in nanoseconds. */
struct children {
	uint64_t used_ns;    /* CPU time of children that ended and were waited for, each once */
	uint64_t missing_ns; /* the part of it that is in no recording of the profile */
	uint64_t *
		missing; /* by process, with and then without a recording: such a part of what its children, and theirs, used */
};

/*
 * Each recording says what its process's children used and what theirs did, as getrusage(2) has it. A
 * recording of a child is subtracted from what the nearest recorded ancestor says, so that nothing
 * counts twice. A process that outlived this ancestor was not waited for and is not subtracted. If
 * the recordings of children sum up to more than the ancestor says, as when it ignores SIGCHLD, nothing
 * is missing there. Fills *c; children_free it. Returns 0 or -1 (memory).
 */
int children_find(struct children *c, const struct profile *p, struct error *err);
void children_free(struct children *c);

/* ---- commands -------------------------------------------------------------------------------- */
/*
 * Names each process by its program and the argument that tells its command from those of the
 * others.
 *
 * In: struct profile. Out: texts such as "cc1 arena.c".
 */

/*
 * The texts are strings of the profile, which get new ones; one for each process, in its order. The
 * argument is, of those behind the program's name, the one that the fewest processes of the same
 * program have. Options and names in /tmp are only taken if no other argument differs. Among equals
 * one that looks like a file is taken, rather than the value of an option, and then the first. A file
 * stands there without its directory if that tells as much.
 * The script of an interpreter is a part of its program's name, as in "python3 app.py".
 * A process without arguments has the program's name alone. The caller frees the list. NULL: memory.
 */
uint32_t *commands_name(struct strings *strings, const struct profile_process *processes, size_t n);

/* What a thread of process i is called: by its own name; by the command, of those that commands_name made, if it has none, or
 * if that is its program's and there are other processes. */
uint32_t commands_thread(const struct strings *strings, const struct profile_process *processes,
			 size_t n, const uint32_t *commands, size_t i, uint32_t name);

/* The names of the programs alone, with an interpreter's script, as above, or of the input if no program is known. */
uint32_t *commands_programs(struct strings *strings, const struct profile_process *processes,
			    size_t n);

/* Likewise without the script. Programs of different files that have one name have as many folders before it as tell them
 * apart, here and in the other two: "gcc/as" and "llvm/as". Where no program is known it is PROFILE_UNKNOWN_PROGRAM. */
uint32_t *commands_executables(struct strings *strings, const struct profile_process *processes,
			       size_t n);

/* The process that a run began with, if all are of one run: the one that the run is named after, else
 * the first that began. NULL: there is none, or the processes are not known to be of one run. */
const struct profile_process *commands_launched(const struct profile_process *processes, size_t n);

/* Whether the process's command is the one that its run was launched with. It is not, if the recording does not say that one. */
bool commands_is_launched(const struct strings *strings, const struct profile_process *process);

/* The command that the run was launched with, the program without its directory, if it is that of none of these processes: the
 * driver of a compiler leaves no recording, and those of its children name it. Length 0: it is one's, or not known, or the
 * processes are not known to be of one run. */
struct event_text commands_launched_elsewhere(const struct strings *strings,
					      const struct profile_process *processes, size_t n);

#endif
