/* SPDX-License-Identifier: MIT */
/*
 * proc.h - what /proc says of processes, their threads and their mappings.
 */
#ifndef LAUNCHER_PROC_H
#define LAUNCHER_PROC_H

#include <dirent.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* The threads of a process, or all processes, to be closed by proc_close. NULL: the process is gone. */
DIR *proc_threads(int pid);
DIR *proc_processes(void);

/* The next of their numbers; 0: there is none. NULL has none. */
int proc_next(DIR *numbers);
void proc_close(DIR *numbers);

/* Read the first line of /proc/PID/task/TID/FILE, without its end. False: it cannot be read, and the line is empty. */
bool proc_line(int pid, int tid, const char *file, char *line, size_t bytes);

/* What /proc/PID/task/TID/status has behind a name. False: it has no such name, and the value is empty. */
bool proc_status(int pid, int tid, const char *name, char *value, size_t bytes);

/* The same as a number in that base; -1: none. */
long proc_status_number(int pid, int tid, const char *name, int base);

/* Read /proc/PID/task/TID/stat, and return what stands behind the thread's name; NULL: it is gone. */
const char *proc_stat(int pid, int tid, char *text, size_t bytes);

/* The state of a thread as its stat has it; 0: it is gone. */
char proc_state(int pid, int tid);

/* The CPU time in nanoseconds that a thread has used; 0: not known. */
uint64_t proc_used_ns(int pid, int tid);

struct proc_mapping {
	uint64_t begin, end, offset, inode;
	unsigned major, minor;
	char allowed[8]; /* "r-xp" */
	char path[4200]; /* "" if it has none */
};

/* The mappings of a process, to be closed by fclose. NULL: it is gone. */
FILE *proc_mappings(int pid);

/* Read the next one, in the order of addresses. False: there is none. NULL has none. */
bool proc_next_mapping(FILE *mappings, struct proc_mapping *mapping);

#endif
