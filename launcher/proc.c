/* SPDX-License-Identifier: MIT */
/*
 * proc.c - reads what /proc says of processes, their threads and their mappings.
 *
 * In: process ids. Out: numbers and texts.
 */
#include "launcher/proc.h"

#include <stdlib.h>
#include <string.h>

DIR *proc_processes(void)
{
	return opendir("/proc");
}

DIR *proc_threads(int pid)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	return opendir(path);
}

int proc_next(DIR *numbers)
{
	struct dirent *d;

	while (numbers && (d = readdir(numbers)))
		if (atoi(d->d_name) > 0)
			return atoi(d->d_name);
	return 0;
}

void proc_close(DIR *numbers)
{
	if (numbers)
		closedir(numbers);
}

static FILE *open_of(int pid, int tid, const char *file)
{
	char path[80];

	snprintf(path, sizeof(path), "/proc/%d/task/%d/%s", pid, tid, file);
	return fopen(path, "re");
}

bool proc_line(int pid, int tid, const char *file, char *line, size_t bytes)
{
	FILE *f = open_of(pid, tid, file);
	bool is_read = f && fgets(line, (int)bytes, f);

	if (f)
		fclose(f);
	if (!is_read)
		line[0] = '\0';
	line[strcspn(line, "\n")] = '\0';
	return is_read;
}

bool proc_status(int pid, int tid, const char *name, char *value, size_t bytes)
{
	FILE *f = open_of(pid, tid, "status");
	size_t n = strlen(name), room = 0;
	bool found = false;
	char *line = NULL;

	value[0] = '\0';
	while (f && !found && getline(&line, &room, f) > 0) {
		found = strncmp(line, name, n) == 0 && line[n] == ':';
		if (found)
			snprintf(value, bytes, "%s", line + n + 1);
	}
	free(line);
	if (f)
		fclose(f);
	return found;
}

long proc_status_number(int pid, int tid, const char *name, int base)
{
	char value[64];

	return proc_status(pid, tid, name, value, sizeof(value)) ? (long)strtoul(value, NULL, base)
								 : -1;
}

const char *proc_stat(int pid, int tid, char *text, size_t bytes)
{
	FILE *f = open_of(pid, tid, "stat");
	const char *end;
	size_t n;

	if (!f)
		return NULL;
	n = fread(text, 1, bytes - 1, f); /* a name may have ends of lines in it */
	fclose(f);
	text[n] = '\0';
	end = strrchr(text, ')');
	return end ? end + 1 : NULL;
}

char proc_state(int pid, int tid)
{
	char text[512];
	const char *state = proc_stat(pid, tid, text, sizeof(text));

	return state && *state ? state[1] : 0;
}

uint64_t proc_used_ns(int pid, int tid)
{
	char line[128];

	return proc_line(pid, tid, "schedstat", line, sizeof(line)) ? strtoull(line, NULL, 10) : 0;
}

FILE *proc_mappings(int pid)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	return fopen(path, "re");
}

bool proc_next_mapping(FILE *mappings, struct proc_mapping *m)
{
	size_t room = 0;
	char *line = NULL;
	bool found = false;

	while (mappings && !found && getline(&line, &room, mappings) > 0) {
		m->path[0] = '\0';
		found = sscanf(line, "%lx-%lx %7s %lx %x:%x %lu %4199[^\n]", &m->begin, &m->end,
			       m->allowed, &m->offset, &m->major, &m->minor, &m->inode,
			       m->path) >= 7;
	}
	free(line);
	return found;
}
