/* SPDX-License-Identifier: MIT */
/*
 * processes.c - what processes used: their runs, their commands.
 */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "model/processes.h"

/* ---- run times ------------------------------------------------------------------------------- */

static uint64_t add(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

uint64_t run_times_begin(const struct profile *p)
{
	uint64_t least = UINT64_MAX;

	for (size_t i = 0; i < p->n_processes; i++)
		least = p->processes[i].start_ns < least ? p->processes[i].start_ns : least;
	return least;
}

uint64_t run_times_lasted(const struct profile_process *process)
{
	uint64_t us = process->ended ? process->end_us : process->last_us, ns;

	return __builtin_mul_overflow(us, 1000, &ns) ? UINT64_MAX : ns;
}

/* What recording took of the CPU time. Of a process without an end only that part is known in which calls were counted. */
static uint64_t own_of(const struct profile_process *process)
{
	if (!process->ended)
		return process->calls.hooks_ns;
	return process->own_ns < process->cpu_ns ? process->own_ns : process->cpu_ns;
}

bool run_times_cpu(const struct profile *p, const struct profile_process *process, uint64_t *ns)
{
	if (process->ended) {
		*ns = process->cpu_ns - own_of(process);
		return true;
	}
	for (size_t i = 0; i < process->n_resources; i++)
		if (profile_text_is(p, process->resources[i].name, "cpu")) {
			*ns = process->resources[i].credited;
			return true;
		}
	*ns = process->weight;
	return profile_text_is(p, p->resource, "cpu") && profile_text_is(p, p->unit, "ns");
}

int processes_compare_numbers(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

int processes_compare_runs(const struct profile_process *a, const struct profile_process *b)
{
	int order = processes_compare_numbers(a->host, b->host);

	order = order ? order : processes_compare_numbers(a->tree_pid, b->tree_pid);
	return order ? order : processes_compare_numbers(a->tree_start, b->tree_start);
}

int processes_compare(const struct profile_process *a, const struct profile_process *b)
{
	int order = processes_compare_runs(a, b);

	order = order ? order : processes_compare_numbers(a->pid, b->pid);
	return order ? order : processes_compare_numbers(a->start_ns, b->start_ns);
}

static int compare_processes(const void *a, const void *b, void *context)
{
	const struct profile_process *processes = context;
	const struct profile_process *x = &processes[*(const size_t *)a];
	const struct profile_process *y = &processes[*(const size_t *)b];
	int order = processes_compare_runs(x, y);

	return order ? order : processes_compare_numbers(x->start_ns, y->start_ns);
}

/* The processes of a run follow each other, the one that began first before the others. */
static void add_run(struct run_times *r, const struct profile *p, const size_t *order, size_t n)
{
	const struct profile_process *first = &p->processes[order[0]];
	uint64_t end = first->start_ns;

	for (size_t i = 0; i < n; i++) {
		const struct profile_process *process = &p->processes[order[i]];
		uint64_t over = add(process->start_ns, run_times_lasted(process));

		end = over > end ? over : end;
	}
	r->elapsed_ns = add(r->elapsed_ns, end - first->start_ns);
	if (end - first->start_ns > r->longest_ns)
		r->longest_ns = end - first->start_ns;
	r->over_ns = end > r->over_ns ? end : r->over_ns;
	r->n_runs++;
	if (first->start_ns < p->processes[r->first].start_ns)
		r->first = order[0];
}

static void add_runs(struct run_times *r, const struct profile *p, size_t *order)
{
	size_t i, begin = 0, n = p->n_processes;

	for (i = 0; i < n; i++)
		order[i] = i;
	qsort_r(order, n, sizeof(*order), compare_processes, p->processes);
	r->first = order[0];
	for (i = 1; i <= n; i++) {
		if (i < n &&
		    !processes_compare_runs(&p->processes[order[i]], &p->processes[order[begin]]))
			continue;
		add_run(r, p, order + begin, i - begin);
		begin = i;
	}
}

uint64_t run_times_longest(const struct profile *p, uint64_t run_ns)
{
	size_t *order = malloc((p->n_processes + 1) * sizeof(*order));
	struct run_times r = {0};
	bool is_known = order && p->n_processes;

	for (size_t i = 0; is_known && i < p->n_processes; i++)
		is_known =
			p->processes[i].start_ns && p->processes[i].ended && p->processes[i].end_us;
	if (is_known)
		add_runs(&r, p, order);
	free(order);
	return !run_ns ? r.longest_ns : r.over_ns > run_ns ? r.over_ns - run_ns : 0;
}

int run_times_find(struct run_times *r, const struct profile *p, struct error *err)
{
	size_t *order;
	uint64_t ns;

	*r = (struct run_times){0};
	for (size_t i = 0; i < p->n_processes; i++) {
		const struct profile_process *process = &p->processes[i];

		if (!process->start_ns || !run_times_cpu(p, process, &ns))
			return 0;
		r->cpu_ns = add(r->cpu_ns, ns);
		r->own_ns = add(r->own_ns, own_of(process));
		r->n_threads += process->n_threads;
	}
	if (!p->n_processes)
		return 0;
	order = malloc(p->n_processes * sizeof(*order));
	if (!order)
		return error_memory(err);
	add_runs(r, p, order);
	free(order);
	return 1;
}

/* ---- commands -------------------------------------------------------------------------------- */

#define COMMAND_MOST 1000 /* bytes of an argument, such as a script's text */

/* ---- how many processes of a program have an argument ---------------------------------------- */

struct use {
	uint32_t count, last; /* processes that have the argument; the latest of them + 1 */
};

struct commands {
	struct strings *strings;
	struct pair_table *places; /* (program, argument) -> index of `uses` */
	struct use *uses;
	size_t size;
};

static int commands_begin(struct commands *c, struct strings *strings)
{
	*c = (struct commands){.strings = strings, .places = calloc(1, sizeof(*c->places))};
	return c->places ? 0 : -1;
}

static void commands_end(struct commands *c)
{
	if (c->places)
		pair_table_clear(c->places);
	free(c->places);
	free(c->uses);
}

static int grow(struct commands *c, size_t needed)
{
	size_t larger = c->size ? 2 * c->size : 64;
	struct use *uses;

	if (needed <= c->size)
		return 0;
	uses = reallocarray(c->uses, larger, sizeof(*uses));
	if (!uses)
		return -1;
	memset(uses + c->size, 0, (larger - c->size) * sizeof(*uses));
	c->uses = uses;
	c->size = larger;
	return 0;
}

/* The place of an argument of a program. UINT32_MAX: memory. */
static uint32_t place_of(struct commands *c, uint32_t program, uint32_t argument)
{
	uint32_t place = pair_table_number(c->places, program, argument);

	return place != PAIR_TABLE_NONE && !grow(c, (size_t)place + 1) ? place : UINT32_MAX;
}

/* A process may have the same argument twice. The program itself is counted at STRINGS_NONE. */
static int count(struct commands *c, const struct profile_process *p, uint32_t program, size_t i)
{
	for (size_t k = 0; k == 0 || k < p->n_args; k++) {
		uint32_t place = place_of(c, program, k ? p->args[k] : STRINGS_NONE);

		if (place == UINT32_MAX)
			return -1;
		if (c->uses[place].last != i + 1)
			c->uses[place].count++;
		c->uses[place].last = (uint32_t)(i + 1);
	}
	return 0;
}

/* ---- scripts --------------------------------------------------------------------------------- */

/* Whether the program runs a script: its name is one of these, perhaps with a version behind it. */
static bool is_interpreter(struct event_text name)
{
	static const char *const names[] = {"python", "pypy", "perl",  "ruby",	  "node",
					    "php",    "lua",  "sh",    "bash",	  "dash",
					    "zsh",    "ksh",  "tclsh", "Rscript", NULL};
	size_t n = name.length;

	while (n && strchr("0123456789.-", name.bytes[n - 1]))
		n--;
	for (size_t i = 0; names[i]; i++)
		if (n == strlen(names[i]) && !memcmp(name.bytes, names[i], n))
			return true;
	return false;
}

/* Whether -m names a module, which is run like a script. */
static bool runs_modules(struct event_text interpreter)
{
	return *interpreter.bytes == 'p' && interpreter.bytes[1] == 'y';
}

/* The index of the argument that names the script of an interpreter, or 0. */
static size_t script_of(const struct strings *strings, const struct profile_process *p)
{
	const struct event_text program = profile_program_of(strings, p);

	if (!is_interpreter(program))
		return 0;
	for (size_t k = 1; k < p->n_args; k++) {
		const char *text = strings_get(strings, p->args[k], NULL);

		if (*text != '-')
			return k;
		if (!strcmp(text, "-W") || !strcmp(text, "-X") || !strcmp(text, "-o") ||
		    !strcmp(text, "-r") || !strcmp(text, "--require") || !strcmp(text, "-I"))
			k++; /* a value follows */
		else if (!strcmp(text, "-m") && runs_modules(program) && k + 1 < p->n_args)
			return k + 1;
		else if (strlen(text) == 2 && strchr("cme-", text[1]))
			return 0; /* what is run is no file, and is chosen as other arguments are */
	}
	return 0;
}

/* ---- the one that tells most ----------------------------------------------------------------- */

enum looks {
	LOOKS_LIKE_A_FILE,
	LOOKS_LIKE_ANYTHING,
	LOOKS_LIKE_A_FILE_BEHIND, /* an option, whose value it may be */
	LOOKS_LIKE_A_VALUE,	  /* of the option before */
	LOOKS_PASSING,		  /* a temporary file, or the value of -o */
	LOOKS_LIKE_AN_OPTION,
};

static enum looks looks_of(const struct commands *c, const struct profile_process *p, size_t k)
{
	size_t n;
	const char *before = strings_get(c->strings, p->args[k - 1], NULL);
	const char *text = strings_get(c->strings, p->args[k], &n);

	if (!n || *text == '-')
		return LOOKS_LIKE_AN_OPTION;
	if (strncmp(text, "/tmp/", 5) == 0 || strcmp(before, "-o") == 0)
		return LOOKS_PASSING;
	if (*before == '-')
		return strpbrk(text, "./") && *text != '.' ? LOOKS_LIKE_A_FILE_BEHIND
							   : LOOKS_LIKE_A_VALUE;
	return strpbrk(text, "./ ") ? LOOKS_LIKE_A_FILE : LOOKS_LIKE_ANYTHING;
}

/* A file that a compiler's driver has made for the time between two of its programs: "/tmp/ccdBYB6t.s". */
static bool is_of_driver(const char *text)
{
	static const char begin[] = "/tmp/cc";

	return strncmp(text, begin, strlen(begin)) == 0 &&
	       strcspn(text + strlen(begin), "./") == 6 && text[strlen(begin) + 6] == '.';
}

/* The lower, the more an argument tells. One that all processes of the program have tells nothing, nor
 * does the name of a temporary file; an option only tells if nothing else does. */
static uint64_t rank_of(const struct commands *c, const struct profile_process *p, size_t k,
			uint32_t others, uint32_t all)
{
	enum looks looks = looks_of(c, p, k);
	bool tells = others < all && looks != LOOKS_PASSING;
	uint64_t kind = !tells ? 2 : looks == LOOKS_LIKE_AN_OPTION ? 1 : 0;

	return kind << 40 | (uint64_t)(tells ? others : 0) << 8 | looks;
}

/* The index of the argument; 0: there is none. `all` is how many processes the program has. */
static size_t choose(struct commands *c, const struct profile_process *p, uint32_t program,
		     uint32_t all)
{
	size_t chosen = 0, script = script_of(c->strings, p);
	uint64_t best =
		script ? 2ull << 40 : UINT64_MAX; /* beside a script one has to tell something */
	bool is_driven = false;

	for (size_t k = 1; k < p->n_args; k++) {
		uint32_t place = place_of(c, program, p->args[k]);
		uint64_t rank = place == UINT32_MAX ? UINT64_MAX
						    : rank_of(c, p, k, c->uses[place].count, all);

		if (is_of_driver(strings_get(c->strings, p->args[k], NULL))) {
			is_driven = true;
			continue;
		}
		if (k == script || rank >= best)
			continue;
		chosen = k;
		best = rank;
	}
	/* What a driver gives its programs beside files tells nothing of them. */
	if (chosen && is_driven && looks_of(c, p, chosen) == LOOKS_LIKE_AN_OPTION)
		return 0;
	return chosen;
}

/* ---- texts ----------------------------------------------------------------------------------- */

/* An argument and the part of it that is shown, which is all of it or a file without its directory. */
struct part {
	const char *text;
	size_t length;
	uint32_t argument, file; /* STRINGS_NONE: there is none */
};

static struct part part_of(struct commands *c, const struct profile_process *p, uint32_t program)
{
	uint32_t place = place_of(c, program, STRINGS_NONE);
	size_t k = place == UINT32_MAX ? 0 : choose(c, p, program, c->uses[place].count);
	struct part part = {.argument = k ? p->args[k] : STRINGS_NONE, .file = STRINGS_NONE};
	const char *slash;

	if (!k)
		return part;
	part.text = strings_get(c->strings, part.argument, &part.length);
	slash = memrchr(part.text, '/', part.length);
	if (slash && slash + 1 < part.text + part.length && *part.text != '-' &&
	    !memchr(part.text, ' ', part.length))
		part.file = strings_add(c->strings, slash + 1,
					part.length - (size_t)(slash + 1 - part.text));
	return part;
}

/* Count the arguments that are shown, by their files' names. */
static int count_files(struct commands *files, struct part *parts, const uint32_t *programs,
		       size_t n)
{
	for (size_t i = 0; i < n; i++) {
		uint32_t place;

		if (parts[i].file == STRINGS_NONE)
			continue;
		place = place_of(files, programs[i], parts[i].file);
		if (place == UINT32_MAX)
			return -1;
		/* `last` is the first argument of that name, `count` is more than 1 if another one has it. */
		if (!files->uses[place].count)
			files->uses[place] = (struct use){1, parts[i].argument};
		else if (files->uses[place].last != parts[i].argument)
			files->uses[place].count = 2;
	}
	return 0;
}

/* A file's directory is left out if no other file of that name is an argument of the program. */
static void leave_out_directory(struct commands *files, struct part *part, uint32_t program)
{
	uint32_t place;

	if (part->file == STRINGS_NONE)
		return;
	place = place_of(files, program, part->file);
	if (place != UINT32_MAX && files->uses[place].count == 1)
		part->text = strings_get(files->strings, part->file, &part->length);
}

static uint32_t command_text(struct strings *strings, const struct part *part, uint32_t program)
{
	size_t n, more = part->length < COMMAND_MOST ? part->length : COMMAND_MOST;
	const char *name = strings_get(strings, program, &n);
	char *text;
	uint32_t number;

	if (part->argument == STRINGS_NONE)
		return program;
	text = malloc(n + 1 + more);
	if (!text)
		return STRINGS_NONE;
	memcpy(text, name, n);
	text[n] = ' ';
	memcpy(text + n + 1, part->text, more);
	for (char *at = text; (at = memchr(at, '\n', n + 1 + more - (size_t)(at - text)));)
		*at = ' ';
	number = strings_add(strings, text, n + 1 + more);
	free(text);
	return number;
}

/* The names of programs become those of commands. */
static int name_all(struct commands *c, const struct profile_process *processes, size_t n,
		    uint32_t *names)
{
	struct commands files;
	struct part *parts = calloc(n + 1, sizeof(*parts));
	bool ok = !commands_begin(&files, c->strings) && parts;

	for (size_t i = 0; ok && i < n; i++)
		parts[i] = part_of(c, &processes[i], names[i]);
	ok = ok && !count_files(&files, parts, names, n);
	for (size_t i = 0; ok && i < n; i++) {
		leave_out_directory(&files, &parts[i], names[i]);
		names[i] = command_text(c->strings, &parts[i], names[i]);
		ok = names[i] != STRINGS_NONE;
	}
	commands_end(&files);
	free(parts);
	return ok ? 0 : -1;
}

/* ---- programs of one name --------------------------------------------------------------------- */

struct program {
	struct event_text name,
		path; /* of the path the end, without a slash before it, if it was cut; empty: not known */
	size_t process;
};

/* Names by their bytes, of a name paths by their bytes from the last one on: a path follows its end. */
static int compare_programs(const void *a, const void *b)
{
	const struct program *x = a, *y = b;
	size_t least = x->name.length < y->name.length ? x->name.length : y->name.length;
	int order = least ? memcmp(x->name.bytes, y->name.bytes, least) : 0;

	if (order || x->name.length != y->name.length)
		return order ? order : x->name.length < y->name.length ? -1 : 1;
	for (size_t i = 1; i <= x->path.length && i <= y->path.length; i++) {
		unsigned char of_x = (unsigned char)x->path.bytes[x->path.length - i];
		unsigned char of_y = (unsigned char)y->path.bytes[y->path.length - i];

		if (of_x != of_y)
			return of_x < of_y ? -1 : 1;
	}
	return (x->path.length > y->path.length) - (x->path.length < y->path.length);
}

static bool has_name_of(const struct program *x, const struct program *y)
{
	return x->name.length == y->name.length &&
	       !memcmp(x->name.bytes, y->name.bytes, x->name.length);
}

/* How many bytes both paths end with. */
static size_t same_end(struct event_text x, struct event_text y)
{
	size_t n = 0;

	while (n < x.length && n < y.length &&
	       x.bytes[x.length - 1 - n] == y.bytes[y.length - 1 - n])
		n++;
	return n;
}

static bool is_same(struct event_text x, struct event_text y)
{
	return x.length == y.length && same_end(x, y) == x.length;
}

/* A path that was cut is that of the next one, if it is its end. */
static void complete_paths(struct program *list, size_t n)
{
	for (size_t i = n; i-- > 1;) {
		struct event_text *path = &list[i - 1].path;
		const struct event_text next = list[i].path;
		const size_t more = next.length - path->length;

		if (path->length && *path->bytes != '/' && next.length > path->length &&
		    has_name_of(&list[i - 1], &list[i]) && same_end(*path, next) == path->length &&
		    next.bytes[more - 1] == '/')
			*path = next;
	}
}

/* The name with as many folders as none of the others has before it, of which each ends with at most `shared` bytes of it. */
static struct event_text told_apart(const struct program *p, size_t shared)
{
	size_t begin = p->path.length > shared ? p->path.length - shared : 0;

	if (!p->path.length)
		return p->name;
	while (begin && p->path.bytes[begin - 1] != '/')
		begin--;
	return (struct event_text){p->path.bytes + begin, p->path.length - begin};
}

/* Programs of one name. Those with the same end follow each other. */
static int name_programs(struct strings *strings, const struct program *list, size_t n,
			 uint32_t *names)
{
	size_t before = 0, end;

	for (size_t i = 0; i < n; i = end) {
		struct event_text text = list[i].name;
		size_t after, shared;

		for (end = i + 1; end < n && is_same(list[end].path, list[i].path);)
			end++;
		after = end < n ? same_end(list[i].path, list[end].path) : 0;
		shared = before > after ? before : after;
		if (shared)
			text = told_apart(&list[i], shared);
		before = after;
		for (size_t k = i; k < end; k++) {
			uint32_t *name = &names[list[k].process];

			*name = strings_add(strings, text.bytes, text.length);
			if (*name == STRINGS_NONE)
				return -1;
		}
	}
	return 0;
}

static int name_executables(struct strings *strings, struct program *list, size_t n,
			    uint32_t *names)
{
	size_t end;

	qsort(list, n, sizeof(*list), compare_programs);
	complete_paths(list, n);
	for (size_t i = 0; i < n; i = end) {
		for (end = i + 1; end < n && has_name_of(&list[i], &list[end]);)
			end++;
		if (name_programs(strings, list + i, end - i, names))
			return -1;
	}
	return 0;
}

uint32_t *commands_executables(struct strings *strings, const struct profile_process *processes,
			       size_t n)
{
	struct program *list = calloc(n + 1, sizeof(*list));
	uint32_t *names = calloc(n + 1, sizeof(*names));
	bool ok = list && names;

	for (size_t i = 0; ok && i < n; i++) {
		list[i] = (struct program){profile_program_of(strings, &processes[i]),
					   profile_program_path_of(strings, &processes[i]), i};
		if (!list[i].name.length)
			list[i].name = (struct event_text){PROFILE_UNKNOWN_PROGRAM,
							   strlen(PROFILE_UNKNOWN_PROGRAM)};
	}
	ok = ok && !name_executables(strings, list, n, names);
	free(list);
	if (ok)
		return names;
	free(names);
	return NULL;
}

/* The same with an interpreter's script, or the name of the input if no program is known. `name` is that of the program. */
static uint32_t program_of(struct strings *strings, const struct profile_process *p, uint32_t name)
{
	size_t script = script_of(strings, p);
	struct part part = {.file = STRINGS_NONE};
	const char *slash;

	if (!script)
		return profile_program_of(strings, p).length ? name : p->file;
	part.argument = p->args[script];
	part.text = strings_get(strings, part.argument, NULL);
	slash = strrchr(part.text, '/');
	part.text = slash && slash[1] ? slash + 1 : part.text;
	part.length = strlen(part.text);
	return command_text(strings, &part, name);
}

uint32_t *commands_programs(struct strings *strings, const struct profile_process *processes,
			    size_t n)
{
	uint32_t *names = commands_executables(strings, processes, n);

	for (size_t i = 0; names && i < n; i++) {
		names[i] = program_of(strings, &processes[i], names[i]);
		if (names[i] != STRINGS_NONE)
			continue;
		free(names);
		return NULL;
	}
	return names;
}

uint32_t *commands_name(struct strings *strings, const struct profile_process *processes, size_t n)
{
	uint32_t *names = commands_programs(strings, processes, n);
	struct commands c;
	bool ok = !commands_begin(&c, strings) && names;

	for (size_t i = 0; ok && i < n; i++)
		ok = !count(&c, &processes[i], names[i], i);
	ok = ok && !name_all(&c, processes, n, names);
	commands_end(&c);
	if (ok)
		return names;
	free(names);
	return NULL;
}

#define COMM_BYTES 15u /* of a name, as the kernel keeps it */

uint32_t commands_thread(const struct strings *strings, const struct profile_process *processes,
			 size_t n, const uint32_t *commands, size_t i, uint32_t name)
{
	const struct event_text program = profile_program_of(strings, &processes[i]);
	size_t kept = program.length < COMM_BYTES ? program.length : COMM_BYTES, length = 0;
	const char *text = name == STRINGS_NONE ? NULL : strings_get(strings, name, &length);

	if (!length)
		return commands[i];
	return n > 1 && length == kept && !memcmp(text, program.bytes, kept) ? commands[i] : name;
}

const struct profile_process *commands_launched(const struct profile_process *processes, size_t n)
{
	const struct profile_process *first = processes;

	if (!n || (n > 1 && !processes[0].tree_pid))
		return NULL;
	for (size_t i = 1; i < n; i++) {
		const struct profile_process *p = &processes[i];
		bool is_root = p->pid == p->tree_pid, was_root = first->pid == first->tree_pid;

		if (processes_compare_runs(p, first) != 0)
			return NULL;
		if (is_root != was_root ? is_root : p->start_ns < first->start_ns)
			first = p;
	}
	return first;
}

/* Whether the arguments from the i-th on begin with the text. */
static bool begins_with(const struct strings *strings, const struct profile_process *p, size_t i,
			const char *text, size_t n)
{
	for (; i < p->n_args; i++) {
		size_t length;
		const char *arg = strings_get(strings, p->args[i], &length);

		if (memcmp(arg, text, length < n ? length : n) != 0)
			return false;
		if (length >= n)
			return true;
		text += length;
		n -= length;
		if (*text++ != ' ')
			return false;
		if (!--n)
			return i + 1 < p->n_args;
	}
	return false;
}

/* Whether the text is what the arguments end with: an interpreter stands before its script. A long text is cut. */
static bool is_command_of(const struct strings *strings, const struct profile_process *p,
			  const char *text, size_t n)
{
	static const char cut[] = "...";
	size_t whole = n - (sizeof(cut) - 1);

	if (n >= sizeof(cut) && !memcmp(text + whole, cut, sizeof(cut) - 1))
		for (size_t i = 0; i < p->n_args; i++)
			if (begins_with(strings, p, i, text, whole))
				return true;
	for (size_t i = p->n_args; i-- > 0;) {
		size_t length;
		const char *arg = strings_get(strings, p->args[i], &length);

		if (length > n || memcmp(text + n - length, arg, length) != 0)
			return false;
		n -= length;
		if (!n)
			return true;
		if (text[--n] != ' ')
			return false;
	}
	return false;
}

bool commands_is_launched(const struct strings *strings, const struct profile_process *process)
{
	size_t n;
	const char *text = process->launched == STRINGS_NONE
				   ? NULL
				   : strings_get(strings, process->launched, &n);

	return text && is_command_of(strings, process, text, n);
}

struct event_text commands_launched_elsewhere(const struct strings *strings,
					      const struct profile_process *processes, size_t n)
{
	const struct profile_process *first = commands_launched(processes, n), *says = NULL;
	struct event_text text = {"", 0};
	const char *slash;

	for (size_t i = 0; first && i < n; i++)
		if (processes[i].launched != STRINGS_NONE &&
		    (!says || processes[i].start_ns < says->start_ns))
			says = &processes[i];
	if (!says || first->pid == first->tree_pid)
		return text;
	text.bytes = strings_get(strings, says->launched, &text.length);
	for (size_t i = 0; i < n; i++)
		if (is_command_of(strings, &processes[i], text.bytes, text.length))
			return (struct event_text){"", 0};
	slash = memrchr(text.bytes, '/', strcspn(text.bytes, " "));
	if (slash) {
		text.length -= (size_t)(slash + 1 - text.bytes);
		text.bytes = slash + 1;
	}
	return text;
}
