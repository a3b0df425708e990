/* SPDX-License-Identifier: MIT */
/*
 * cpsample_wait.c - runs a program for cpsample on a terminal, and says at its end what was recorded.
 *
 * In: cpsample-wait DIRECTORY LIBRARIES PROGRAM ARGUMENT... Out: the program's own exit status, or
 * its death by the same signal; one line on standard error. In: cpsample-wait --keep FILE... Out: nothing.
 * Programs and libraries are kept, those that were recorded or these files (elf/kept_file.h). In: cpsample-wait --calls
 * NAME,... FILE... Out: a line if calls of one of the functions cannot be counted, and status 1 if it is certain. In:
 * cpsample-wait --recorded DIRECTORY SECONDS. Out: the line at the end, for processes that ran already; not on a terminal, only if
 * there is no recording.
 *
 * The program is a child in the same process group, so that the terminal treats it as it would
 * without this program. Of this one it sees only its parent's number (doc/decisions/0060).
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/duration.h"
#include "base/hash.h"
#include "base/line.h"
#include "base/stop.h"
#include "base/utf8.h"
#include "elf/kept_file.h"
#include "graph/function_names.h"
#include "pipeline/runs.h"
#include "pipeline/sources.h"
#include "read/decode.h"

struct before {
	sigset_t mask;
	struct sigaction on_child;
};

static double seconds_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* ---- the program ----------------------------------------------------------------------------- */

/* Signals are taken one after the other, by sigwaitinfo. If those of children were ignored, their
 * exit status would be lost. */
static void take_signals(struct before *before)
{
	const struct sigaction by_default = {.sa_handler = SIG_DFL};
	sigset_t all;

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &before->mask);
	sigaction(SIGCHLD, &by_default, &before->on_child);
}

static void become(char **argv, const char *libraries, const struct before *before)
{
	setenv("LD_PRELOAD", libraries, 1);
	sigaction(SIGCHLD, &before->on_child, NULL);
	sigprocmask(SIG_SETMASK, &before->mask, NULL);
	execvp(argv[0], argv);
	fprintf(stderr, "cpsample: %s: %s\n", argv[0], strerror(errno));
	_exit(errno == ENOENT ? 127 : 126);
}

/* Whoever reads what the program writes waits for the end of all that hold the pipe. */
static void let_go(void)
{
	int null = open("/dev/null", O_RDWR);

	dup2(null, 0);
	dup2(null, 1);
	close_range(3, ~0u, 0);
}

/* Sends the signal on to the program, unless the terminal has sent it to both. */
static void pass_on(pid_t child, const siginfo_t *info)
{
	if (info->si_code != SI_KERNEL)
		kill(child, info->si_signo);
}

/* Waits for the end of the program, and stops whenever it is stopped. */
static int wait_for(pid_t child)
{
	int status = 0;
	siginfo_t info;
	sigset_t all;

	sigfillset(&all);
	for (;;) {
		if (sigwaitinfo(&all, &info) < 0)
			continue;
		if (info.si_signo != SIGCHLD) {
			pass_on(child, &info);
			continue;
		}
		while (waitpid(child, &status, WNOHANG | WUNTRACED) == child) {
			if (!WIFSTOPPED(status))
				return status;
			raise(SIGSTOP);
		}
	}
}

/* Ends as the program has. A second core file would be of this program. */
static int end_as(int status)
{
	int number = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
	sigset_t set;

	if (!number)
		return WEXITSTATUS(status);
	prctl(PR_SET_DUMPABLE, 0);
	signal(number, SIG_DFL);
	sigemptyset(&set);
	sigaddset(&set, number);
	raise(number);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	return 128 + number;
}

/* ---- the line -------------------------------------------------------------------------------- */

/* What is there now is kept under its own build id, also if it is not what ran. */
static void keep(const char *path)
{
	struct elf_file f;
	struct error unused;

	if (elf_file_open(&f, path, &unused) == 0)
		kept_file_add(&f);
	elf_file_close(&f);
}

/* ---- functions whose calls are to be counted -------------------------------------------------- */

/* A program that imports one of these may load other files, or run other programs, in which the function is. */
static const char *const openers[] = {
	"dlopen", "dlmopen", "execve",	"execv",       "execvp",       "execl",	 "execlp",
	"execle", "execvpe", "fexecve", "posix_spawn", "posix_spawnp", "system", "popen",
};

struct callee {
	const char *name;
	size_t length;
	bool is_imported;
	const char *defined_in; /* the first file that has it; NULL: none */
	char similar[128];
	uint32_t distance;
};

static bool opens_files(const char *name)
{
	for (size_t i = 0; i < sizeof(openers) / sizeof(*openers); i++)
		if (strcmp(name, openers[i]) == 0)
			return true;
	return false;
}

static void callee_look(struct callee *f, const char *path, const char *name, bool is_defined,
			bool is_dynamic)
{
	uint32_t distance;

	if (strlen(name) == f->length && memcmp(name, f->name, f->length) == 0) {
		f->is_imported |= is_dynamic && !is_defined;
		if (is_defined && !f->defined_in)
			f->defined_in = path;
		return;
	}
	if (!is_dynamic || is_defined || strlen(name) >= sizeof(f->similar))
		return;
	distance = suggest_distance(f->name, name);
	if (distance < f->distance) {
		f->distance = distance;
		strcpy(f->similar, name);
	}
}

/* Look at the functions of one symbol table. Returns whether the file imports what opens other files, or what it imports is not
 * known. */
static bool callees_look(struct callee *list, size_t n, const struct elf_file *f, const char *path,
			 Elf64_Word type)
{
	const Elf64_Shdr *table = elf_file_section_of_type(f, type);
	unsigned char *symbols = NULL, *names = NULL;
	bool is_opener = false;
	Elf64_Sym symbol;

	if (!table || table->sh_link >= f->n_sections)
		return type == SHT_DYNSYM; /* nothing can be said of it */
	const Elf64_Shdr *strings = &f->sections[table->sh_link];
	if (elf_file_load(f, table->sh_offset, table->sh_size, &symbols) == 0 &&
	    elf_file_load(f, strings->sh_offset, strings->sh_size, &names) == 0)
		for (size_t at = 0; table->sh_size - at >= sizeof(symbol); at += sizeof(symbol)) {
			memcpy(&symbol, symbols + at, sizeof(symbol));
			unsigned kind = ELF64_ST_TYPE(symbol.st_info);

			if (symbol.st_name >= strings->sh_size ||
			    (kind != STT_FUNC && kind != STT_GNU_IFUNC && kind != STT_NOTYPE))
				continue;
			const char *name = (const char *)names + symbol.st_name;
			for (size_t i = 0; i < n; i++)
				callee_look(&list[i], path, name, symbol.st_shndx != SHN_UNDEF,
					    type == SHT_DYNSYM);
			is_opener |= symbol.st_shndx == SHN_UNDEF && opens_files(name);
		}
	free(symbols);
	free(names);
	return is_opener;
}

/* Say in one line why calls of the function cannot be counted. */
static void callee_tell(const struct callee *f, const char *program, bool is_certain)
{
	const char *later =
		is_certain ? "" : "; a file or program that is loaded later may call it";

	const char *warning = is_certain ? "" : "warning: ";

	if (f->defined_in)
		line_say("cpsample: %scalls:%s: it is called within %s alone, which needs no "
			 "linkage "
			 "table and cannot be counted; cpsample_count (cpsample.h) can%s",
			 warning, f->name, f->defined_in, later);
	else if (f->distance != SUGGEST_FAR)
		line_say("cpsample: %scalls:%s: %s and its libraries have no such function; "
			 "similar: %s%s",
			 warning, f->name, program, f->similar, later);
	else
		line_say("cpsample: %scalls:%s: %s and its libraries have no such function%s",
			 warning, f->name, program, later);
}

/* NAME,...; the files are a program and its libraries. */
static int calls_check(char *wanted, char **files, int n_files)
{
	struct callee list[16];
	size_t n = 0;
	bool may_open = false, is_wrong = false;

	for (char *name = strtok(wanted, ","); name && n < 16; name = strtok(NULL, ","))
		list[n++] = (struct callee){
			.name = name, .length = strlen(name), .distance = SUGGEST_FAR};
	for (int i = 0; i < n_files; i++) {
		struct elf_file f = {0};
		struct error unused;

		if (elf_file_open(&f, files[i], &unused) == 0) {
			may_open |= callees_look(list, n, &f, files[i], SHT_DYNSYM);
			callees_look(list, n, &f, files[i], SHT_SYMTAB);
		} else {
			may_open = true;
		}
		elf_file_close(&f);
	}
	for (size_t i = 0; i < n; i++) {
		if (list[i].is_imported)
			continue;
		callee_tell(&list[i], files[0], !may_open);
		is_wrong = true;
	}
	return is_wrong && !may_open;
}

/* ---- counting what was recorded --------------------------------------------------------------- */

struct counting {
	uint64_t samples, cpu_ns;
	struct strings *paths; /* of modules */
};

static int on_sample(void *context, const struct event_sample *e, struct error *err)
{
	(void)err;
	((struct counting *)context)->samples += e->hits;
	return 0;
}

static int on_end(void *context, const struct event_end *e, struct error *err)
{
	(void)err;
	((struct counting *)context)->cpu_ns += e->cpu_ns;
	return 0;
}

/* The processes of a run have the same libraries. */
static int on_module(void *context, const struct event_module *e, struct error *err)
{
	struct strings *paths = ((struct counting *)context)->paths;
	size_t n = paths ? strings_count(paths) : 0;
	uint32_t number;

	(void)err;
	if (!paths || e->is_vdso || !e->path.length || *e->path.bytes != '/')
		return 0;
	number = strings_add(paths, e->path.bytes, e->path.length);
	if (number == n)
		keep(strings_get(paths, number, NULL));
	return 0;
}

/* Programs and libraries are kept on the way, because the recordings need not be read twice then. */
static struct counting count_samples(const struct process_tree *tree)
{
	struct counting c = {.paths = strings_new()};
	const struct event_sink sink = {
		.context = &c, .sample = on_sample, .module = on_module, .end = on_end};
	struct error unused;

	for (size_t i = 0; i < tree->n; i++)
		decode_file(tree->members[i].file, &sink, &unused);
	if (c.paths)
		strings_free(c.paths);
	return c;
}

static double cpu_seconds_of_children(void)
{
	struct rusage u;

	getrusage(RUSAGE_CHILDREN, &u);
	return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
	       (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e6;
}

/* Without a sample there is no file, and cpconv without a name would show what an earlier run has left. */
static void say_nothing(FILE *f, double elapsed, bool is_attached)
{
	const char *delay = getenv("CPSAMPLE_DELAY");
	struct error unused;
	char *newest = sources_newest(&unused);

	if (delay && elapsed < duration_seconds(delay))
		fprintf(f, "no recording, since the program ended after %.2f s, before --delay %s",
			elapsed, delay);
	else if (is_attached)
		fputs("no recording: no CPU time was used, or no file could be written there, or "
		      "it was removed",
		      f);
	else
		fputs("no recording, since nothing was sampled", f);
	if (newest) {
		utf8_clean(newest);
		fprintf(f, "; the newest one there, %s, is of an earlier run", newest);
	}
	free(newest);
}

/* Whether a terminal could obey a part of it, or show nothing there. */
static bool has_hidden(const char *word)
{
	for (size_t n = strlen(word), length; n; word += length, n -= length) {
		length = utf8_length(word, n);
		if (!length || utf8_control_length(word, n))
			return true;
	}
	return false;
}

/* A word of a shell's command line. What a terminal must not get is said by numbers, in the shells' $'...'. */
static void say_word(const char *directory, const char *file)
{
	char word[8192];
	bool has;

	snprintf(word, sizeof(word), "%s%s%s%s", directory, *directory ? "/" : "",
		 !*directory && *file == '-' ? "./" : "", file);
	if (!word[strspn(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
			       "0123456789_./%+,:@-")]) {
		fputs(word, stderr);
		return;
	}
	has = has_hidden(word);
	fputs(has ? "$'" : "'", stderr);
	for (const char *c = word; *c; c++)
		if (has && (*c == '\'' || *c == '\\'))
			fprintf(stderr, "\\%c", *c);
		else if (has && (*c < ' ' || *c > '~'))
			fprintf(stderr, "\\%03o", (unsigned char)*c);
		else if (*c == '\'')
			fputs("'\\''", stderr);
		else
			fputc(*c, stderr);
	fputc('\'', stderr);
}

/* What shows the run: its only recording, by name, or all of them, which cpconv finds where they are. */
static void say_next(const struct process_tree *tree, const char *directory)
{
	fputs("; next: ", stderr);
	if (tree->n > 1 && *directory) {
		fputs("cd ", stderr);
		say_word("", directory);
		fputs(" && cpconv", stderr);
	} else if (tree->n > 1) {
		fputs("cpconv", stderr);
	} else {
		fputs("cpconv ", stderr);
		say_word(directory, tree->members[0].file);
	}
}

static void say(const struct process_tree *tree, const char *directory, double elapsed, int status,
		bool is_attached)
{
	struct counting c = count_samples(tree);
	char *text = NULL;
	size_t n;
	FILE *f = open_memstream(&text, &n);

	if (!f)
		return;
	fprintf(f, "cpsample: %llu sample%s, %.2f s of CPU time in %.2f s, ",
		(unsigned long long)c.samples, c.samples == 1 ? "" : "s",
		is_attached ? (double)c.cpu_ns / 1e9 : cpu_seconds_of_children(), elapsed);
	if (tree->n)
		fprintf(f, "%zu process%s", tree->n, tree->n == 1 ? "" : "es");
	else
		say_nothing(f, elapsed, is_attached);
	if (WIFSIGNALED(status))
		fprintf(f, "%s ended by signal %d (%s)", tree->n ? "," : ";", WTERMSIG(status),
			strsignal(WTERMSIG(status)));
	fclose(f);
	if (tree->n) { /* a command, which is not broken */
		fputs(text, stderr);
		say_next(tree, directory);
		fputs("\n", stderr);
	} else {
		line_say("%s", text);
	}
	free(text);
}

/* The caller has found out that the directory is not there. */
static void say_gone(const char *directory)
{
	line_say("cpsample: %s: no recording can be had from there: %s", directory,
		 strerror(errno));
}

/* is_attached: the processes are no children of this one. */
static void report(const char *directory, double elapsed, int status, bool is_attached)
{
	const char *run = getenv("CPSAMPLE_RUN");
	unsigned long long pid, start;
	char here[4096];
	struct process_tree tree;
	struct error unused;

	if (!run || sscanf(run, "%llu.%llu", &pid, &start) != 2)
		return;
	if (getcwd(here, sizeof(here)) && !strcmp(here, directory))
		directory = "";
	else if (chdir(directory) != 0) {
		say_gone(directory);
		return;
	}
	if (process_tree_of(&tree, pid, start, &unused))
		return;
	if (!tree.n) { /* nobody would read what belongs to no recording */
		snprintf(here, sizeof(here), CPS_SHORT_PREFIX "%llu.%llu" CPS_SHORT_SUFFIX, pid,
			 start);
		unlink(here);
	}
	if (!is_attached || !tree.n || isatty(2))
		say(&tree, directory, elapsed, status, is_attached);
	process_tree_free(&tree);
}

int main(int argc, char **argv)
{
	double begin = seconds_now();
	struct before before;
	pid_t child;
	int status;

	kept_file_use();
	if (argc > 1 && !strcmp(argv[1], "--keep")) {
		signal(SIGXFSZ, SIG_IGN);
		for (int i = 2; i < argc; i++)
			keep(argv[i]);
		return 0;
	}
	if (argc > 3 && !strcmp(argv[1], "--calls"))
		return calls_check(argv[2], argv + 3, argc - 3);
	if (argc > 3 && !strcmp(argv[1], "--recorded")) {
		report(argv[2], atof(argv[3]), 0, true);
		return 0;
	}
	if (argc < 4) {
		fputs("usage: cpsample-wait DIRECTORY LIBRARIES PROGRAM [ARGUMENT...]\n", stderr);
		return 125;
	}
	take_signals(&before);
	child = fork();
	if (child <= 0) /* without a second process there is no line at the end */
		become(argv + 3, argv[2], &before);
	let_go();
	status = wait_for(child);
	report(argv[1], seconds_now() - begin, status, false);
	return end_as(status);
}
