/* SPDX-License-Identifier: MIT */
/*
 * rows.c - compares the recorder's unwind rows with libdw's, over all files of folders.
 *
 * usage: rows [-n FILES] [-j PROCESSES] FOLDER|FILE...
 *
 * -n takes only so many of the files, spread evenly. Each file is compared by a process of its own:
 * so memory is bounded, and a file on which libdw crashes is counted and left. The exit status is 0
 * if nothing differs, 1 if something does, 2 if the arguments are wrong or nothing was compared.
 *
 * Seen to fail: with one change at a time of cfi.c (remembered states, where a row ends, the CFA's
 * offset), fde.c (the search, the last byte of a function), expression.c (a shift, a comparison) and
 * row.c (the range of an entry).
 */
#include <elf.h>
#include <errno.h>
#include <fts.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "file.h"

#define PROCESSES_MAX 64
#define MEMORY_MAX    (UINT64_C(2) << 30) /* of one process */

struct files {
	char **paths;
	size_t n, room;
};

/* What parent and child share. */
struct slot {
	pid_t pid; /* 0: free */
	const char *path;
	volatile enum rows_stage stage;
	enum file_result result;
	struct rows_count count;
};

struct totals {
	size_t files, done, n_of[FILE_COMPARED + 1];
	struct rows_count count;
};

static __attribute__((noreturn)) void die(const char *what)
{
	fprintf(stderr, "rows: %s: %s\n", what, strerror(errno));
	exit(2);
}

/* ---- which files -------------------------------------------------------------------------------- */

#ifdef __aarch64__
#define OUR_MACHINE EM_AARCH64
#else
#define OUR_MACHINE EM_X86_64
#endif

/* Whether it is a program or a library for the machine that this was compiled for, by its header. */
static bool is_ours(const char *path)
{
	Elf64_Ehdr header;
	FILE *f = fopen(path, "re");
	bool is = f && fread(&header, sizeof(header), 1, f) == 1 &&
		  !memcmp(header.e_ident, ELFMAG, SELFMAG) && header.e_machine == OUR_MACHINE &&
		  header.e_ident[EI_CLASS] == ELFCLASS64 &&
		  (header.e_type == ET_DYN || header.e_type == ET_EXEC);

	if (f)
		fclose(f);
	return is;
}

static void add(struct files *files, const char *path)
{
	if (files->n == files->room) {
		files->room = files->room ? 2 * files->room : 1024;
		files->paths = realloc(files->paths, files->room * sizeof(*files->paths));
	}
	if (!files->paths || !(files->paths[files->n++] = strdup(path)))
		die("files");
}

static int compare_names(const FTSENT **a, const FTSENT **b)
{
	return strcmp((*a)->fts_name, (*b)->fts_name);
}

static void list_files(struct files *files, char **folders)
{
	FTS *walk = fts_open(folders, FTS_PHYSICAL | FTS_COMFOLLOW | FTS_NOCHDIR, compare_names);
	FTSENT *e;

	if (!walk)
		die("fts_open");
	while ((e = fts_read(walk))) {
		if (e->fts_level == FTS_ROOTLEVEL && e->fts_info == FTS_NS) {
			errno = e->fts_errno;
			die(e->fts_path);
		}
		if (e->fts_info == FTS_F && is_ours(e->fts_path))
			add(files, e->fts_path);
	}
	fts_close(walk);
}

/* Keep n files, spread evenly over the list. */
static void thin_out(struct files *files, size_t n)
{
	if (n >= files->n)
		return;
	for (size_t i = 0; i < n; i++) {
		char **chosen = &files->paths[i * files->n / n], *path = *chosen;

		*chosen = files->paths[i]; /* a path that was passed over */
		files->paths[i] = path;
	}
	files->n = n;
}

/* ---- the processes ------------------------------------------------------------------------------ */

static void start(struct slot *s, const char *path)
{
	struct rlimit limit = {MEMORY_MAX, MEMORY_MAX};
	pid_t pid;

	*s = (struct slot){.path = path};
	fflush(stdout);
	pid = fork();
	if (pid < 0)
		die("fork");
	if (pid > 0) {
		s->pid = pid;
		return;
	}
	setrlimit(RLIMIT_DATA, &limit);
	limit = (struct rlimit){0, 0};
	setrlimit(RLIMIT_CORE, &limit);
	s->result = file_compare(path, &s->count, &s->stage);
	_exit(0);
}

/* A file that kills libdw, or makes it run for ever, is refused by it. */
static void judge_end(struct slot *s, int status)
{
	if (WIFEXITED(status))
		return;
	s->result = FILE_REFUSED;
	if (s->stage != ROWS_RECORDER)
		return;
	s->result = FILE_COMPARED;
	s->count.differences++;
	printf("%s: the recorder's code ended by %s\n", s->path, strsignal(WTERMSIG(status)));
}

static void add_count(struct rows_count *sum, const struct rows_count *c)
{
	sum->addresses += c->addresses;
	sum->rows += c->rows;
	sum->code_bytes += c->code_bytes;
	sum->refused += c->refused;
	sum->differences += c->differences;
	for (int i = 0; i <= CPS_ROW_SLOW; i++)
		sum->kinds[i] += c->kinds[i];
}

static void finish(struct slot *slots, struct totals *t)
{
	int status, i = 0;
	pid_t pid = wait(&status);

	if (pid < 0)
		die("wait");
	while (slots[i].pid != pid)
		i++;
	judge_end(&slots[i], status);
	slots[i].pid = 0;
	t->n_of[slots[i].result]++;
	t->done++;
	add_count(&t->count, &slots[i].count);
	if (isatty(STDERR_FILENO))
		fprintf(stderr, "\r%zu of %zu files, %" PRIu64 " rows, %" PRIu64 " differences ",
			t->done, t->files, t->count.rows, t->count.differences);
}

static void compare_all(const struct files *files, int processes, struct totals *t)
{
	struct slot *slots = mmap(NULL, PROCESSES_MAX * sizeof(*slots), PROT_READ | PROT_WRITE,
				  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	size_t next = 0;

	if (slots == MAP_FAILED)
		die("mmap");
	t->files = files->n;
	while (t->done < files->n) {
		for (int i = 0; i < processes && next < files->n; i++)
			if (!slots[i].pid)
				start(&slots[i], files->paths[next++]);
		finish(slots, t);
	}
	if (isatty(STDERR_FILENO))
		fprintf(stderr, "\r\033[K");
}

/* ---- the table ---------------------------------------------------------------------------------- */

static void print_table(const struct totals *t)
{
	const struct rows_count *c = &t->count;

	printf("%12zu files compared\n", t->n_of[FILE_COMPARED]);
	printf("%12zu without unwind tables\n", t->n_of[FILE_HAS_NO_ROWS]);
	printf("%12zu refused by libelf, libdw or the loader\n", t->n_of[FILE_REFUSED]);
	printf("%12" PRIu64 " addresses compared\n", c->addresses);
	printf("%12" PRIu64 " addresses refused by libdw\n", c->refused);
	printf("%12" PRIu64 " rows, for %" PRIu64 " bytes of code:\n", c->rows, c->code_bytes);
	printf("%12" PRIu64 " fast\n%12" PRIu64 " slow\n%12" PRIu64
	       " of outermost frames\n%12" PRIu64 " of signal frames\n",
	       c->kinds[CPS_ROW_FAST], c->kinds[CPS_ROW_SLOW], c->kinds[CPS_ROW_END],
	       c->kinds[CPS_ROW_SIGNAL]);
	printf("%12" PRIu64 " differences\n", c->differences);
}

static int number(const char *text, int max)
{
	char *end;
	long n = strtol(text, &end, 10);

	if (*end || n < 1 || n > max) {
		fprintf(stderr, "rows: not a number from 1 to %d: %s\n", max, text);
		exit(2);
	}
	return (int)n;
}

int main(int argc, char **argv)
{
	struct files files = {0};
	struct totals totals = {0};
	int processes = (int)sysconf(_SC_NPROCESSORS_ONLN), n = 0, option;

	while ((option = getopt(argc, argv, "n:j:")) != -1) {
		if (option == 'n')
			n = number(optarg, 1000000);
		else if (option == 'j')
			processes = number(optarg, PROCESSES_MAX);
		else
			return 2;
	}
	if (optind == argc) {
		fprintf(stderr, "usage: rows [-n FILES] [-j PROCESSES] FOLDER|FILE...\n");
		return 2;
	}
	list_files(&files, argv + optind);
	if (n)
		thin_out(&files, (size_t)n);
	compare_prepare();
	compare_all(&files, processes < PROCESSES_MAX ? processes : PROCESSES_MAX, &totals);
	print_table(&totals);
	if (totals.count.differences)
		return 1;
	return totals.count.rows ? 0 : 2;
}
