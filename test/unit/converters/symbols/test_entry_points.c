/* SPDX-License-Identifier: MIT */
/*
 * test_entry_points.c - random call paths through a stripped program and a library that has
 * __libc_start_main: what is named _start and main is what the definition says.
 *
 * Seen to fail: with half of the conditions of symbols_locate.c turned round, one at a time.
 */
#include "module_fixture.h"
#include "scarce_memory.h"
#include "symbols/symbols_locate.h"

#define FUNCTIONS 40u /* of the program */
#define NODES	  60u

/* A frame's kind as a letter: the program, the start-up function, other functions of the library
 * without and with a symbol, an unknown address. */
static const char OF_LIBRARY[] = "Sle?";
#define KINDS (sizeof(OF_LIBRARY) - 1)
#define GROUP (FUNCTIONS + KINDS)

struct scene {
	struct subject *program, *library;
	struct profile_module modules[2];
	uint32_t process_modules[2];
	struct profile_frame frames[GROUP + 1];
	struct profile_node nodes[NODES];
	struct profile *profile;
	struct symbols *symbols;
	bool is_start[FUNCTIONS], is_main[FUNCTIONS];
};

static unsigned below(unsigned n)
{
	return (unsigned)rand() % n;
}

static char kind_of(uint32_t frame)
{
	return frame < FUNCTIONS ? 'p' : OF_LIBRARY[frame - FUNCTIONS];
}

static void write_sources(void)
{
	char text[FUNCTIONS * 80] = "int n;\n";

	for (unsigned i = 0; i < FUNCTIONS; i++)
		sprintf(text + strlen(text),
			"__attribute__((noinline)) int f%u(int x) { return x + n * %u; }\n", i, i);
	put("p.c", strcat(text, "int main(void) { return n; }\n"));
	put("l.c",
	    "static __attribute__((noinline)) int other(int x) { __asm__(\"\"); return x; }\n"
	    "int __libc_start_main(int x) { return other(x) + 1; }\n"
	    "int exported(int x) { return x; }\n");
	sh("gcc -O1 -o p p.c && gcc -O1 -shared -fPIC -nostdlib -o l.so l.c");
}

/* Set the addresses of the program's functions, each one behind its first byte. */
static void find_functions(struct scene *s)
{
	FILE *nm = popen("nm p", "r");
	char line[256];
	unsigned i;
	uint64_t start;

	cr_assert(nm);
	while (fgets(line, sizeof(line), nm))
		if (sscanf(line, "%" SCNx64 " T f%u", &start, &i) == 2 && i < FUNCTIONS)
			s->frames[i] = (struct profile_frame){0, STRINGS_NONE, start + 1};
	pclose(nm);
}

static struct profile_frame in_library(const char *function)
{
	return (struct profile_frame){1, STRINGS_NONE, address_of("l.so", function) + 1};
}

static struct scene *scene_new(void)
{
	struct scene *s = calloc(1, sizeof(*s));

	write_sources();
	find_functions(s);
	s->frames[FUNCTIONS] = in_library("__libc_start_main");
	s->frames[FUNCTIONS + 1] = in_library("other");
	s->frames[FUNCTIONS + 2] = in_library("exported");
	s->frames[FUNCTIONS + 3] = (struct profile_frame){PROFILE_NO_MODULE, STRINGS_NONE, 0x10};
	sh("strip p l.so");
	s->program = subject_recorded("p");
	s->library = subject_recorded("l.so");
	return s;
}

/* The group's frame for a group, else any; often one that a program begins with. */
static uint32_t some_frame(const struct scene *s, uint32_t parent)
{
	bool is_outermost = parent == 0 || (s->profile->by && s->nodes[parent].parent == 0);

	if (s->profile->by && parent == 0)
		return GROUP;
	if (is_outermost && below(2))
		return below(FUNCTIONS);
	return below(2) ? FUNCTIONS + below(KINDS) : below(FUNCTIONS);
}

/* A profile of random call paths. All frames are in it, whether a path has them or not. */
static void take_paths(struct scene *s)
{
	struct profile *p = s->profile = &s->program->profile;

	s->modules[0] = s->program->module;
	s->modules[1] = s->library->module;
	s->modules[1].path = strings_add(p->strings, "l.so", 4);
	p->modules = s->modules;
	p->n_modules = 2;
	s->process_modules[1] = 1;
	p->processes[0].modules = s->process_modules;
	p->processes[0].n_modules = 2;
	p->frames = s->frames;
	p->n_frames = GROUP + 1;
	p->nodes = s->nodes;
	p->n_nodes = NODES;
	p->by = below(2) ? PROFILE_BY_THREAD : PROFILE_BY_NOTHING;
	s->frames[GROUP] =
		(struct profile_frame){PROFILE_NO_MODULE, strings_add(p->strings, "group", 5), 0};
	for (uint32_t i = 1; i < NODES; i++) {
		uint32_t near = i < 4 ? i : 4; /* most paths are about as long as those to main */
		uint32_t parent = below(3) ? i - 1 - below(near) : below(i);

		s->nodes[i] =
			(struct profile_node){.parent = parent, .frame = some_frame(s, parent)};
	}
}

/* The path of a node by the kinds of its frames, without the group: "pSp". Returns its outermost
 * frame. */
static uint32_t path_of(const struct scene *s, uint32_t node, char path[NODES])
{
	uint32_t outermost = 0, n = 0;

	for (; node && !(s->profile->by && s->nodes[node].parent == 0);
	     node = s->nodes[node].parent) {
		outermost = s->nodes[node].frame;
		memmove(path + 1, path, n++);
		path[0] = kind_of(outermost);
	}
	path[n] = '\0';
	return outermost;
}

static bool reaches_main(const char *path)
{
	return !strcmp(path, "pSp") || !strcmp(path, "pSlp") || !strcmp(path, "pSep") ||
	       !strcmp(path, "pSSp");
}

/* The definition, in words, is in symbols_locate.h. Returns how many paths reach main. */
static unsigned mark_expected(struct scene *s)
{
	unsigned n = 0;
	char path[NODES];

	memset(s->is_start, 0, sizeof(s->is_start));
	memset(s->is_main, 0, sizeof(s->is_main));
	for (uint32_t i = 1; i < NODES; i++) {
		uint32_t outermost = path_of(s, i, path);

		if (!reaches_main(path))
			continue;
		s->is_start[outermost] = s->is_main[s->nodes[i].frame] = true;
		n++;
	}
	return n;
}

static const char *name_of_frame(struct scene *s, uint32_t frame)
{
	struct symbols_place place;
	struct error err;

	cr_assert_eq(symbols_frame(s->symbols, &s->frames[frame], &place, &err), 0);
	return strings_get(s->profile->strings, place.function, NULL);
}

/* A function may be both in random paths; then it has one of the two names. */
static void names_are_as_expected(struct scene *s)
{
	for (uint32_t i = 0; i < FUNCTIONS; i++) {
		const char *name = name_of_frame(s, i);

		if (!strcmp(name, "_start"))
			cr_assert(s->is_start[i]);
		else if (!strcmp(name, "main"))
			cr_assert(s->is_main[i]);
		else
			cr_assert(name[0] == '[' && !s->is_start[i] && !s->is_main[i], "%s", name);
	}
	cr_assert_str_eq(name_of_frame(s, FUNCTIONS), "__libc_start_main");
	cr_assert(strstr(name_of_frame(s, FUNCTIONS + 1), "[l.so+0x"));
	cr_assert_str_eq(name_of_frame(s, FUNCTIONS + 2), "exported");
	cr_assert_str_eq(name_of_frame(s, FUNCTIONS + 3), SYMBOLS_UNKNOWN);
}

TestSuite(entry_points, .init = enter_fixture, .fini = leave_fixture);

Test(entry_points, names_follow_from_the_paths)
{
	struct scene *s = scene_new();
	unsigned n = 0;
	struct error err;

	srand(7);
	for (int round = 0; round < 100; round++) {
		take_paths(s);
		n += mark_expected(s);
		s->symbols = symbols_new(s->profile, &s->program->options, &err);
		cr_assert_eq(entry_points_name(s->symbols, s->profile, &err), 0);
		names_are_as_expected(s);
		symbols_free(s->symbols);
	}
	cr_assert_gt(n, 30, "only %u paths reach main", n);
	subject_free(s->program);
	subject_free(s->library);
	free(s);
}

/* Read the modules' files; a failure for want of memory would count as a broken file there. */
static void read_files(struct scene *s)
{
	for (uint32_t i = FUNCTIONS - 1; i <= FUNCTIONS; i++)
		name_of_frame(s, i);
}

/* Find all names. -1: memory was out. */
static int find_names(struct scene *s, struct error *err)
{
	struct symbols_place place;

	if (entry_points_name(s->symbols, s->profile, err))
		return -1;
	for (uint32_t i = 0; i < FUNCTIONS; i++)
		if (symbols_frame(s->symbols, &s->frames[i], &place, err))
			return -1;
	return 0;
}

/* Whichever allocation fails, either there is an error or all names are right. */
Test(entry_points, scarce_memory_is_an_error)
{
	struct scene *s = scene_new();
	struct error err = {0};
	bool has_failed = MEMORY_CAN_BE_SCARCE;

	srand(8);
	do
		take_paths(s);
	while (!mark_expected(s));
	for (size_t i = 0; has_failed; i++) {
		int rc;

		/* The names of the round before must not help. */
		s->profile->strings = strings_new();
		s->modules[0].path = strings_add(s->profile->strings, "p", 1);
		s->modules[1].path = strings_add(s->profile->strings, "l.so", 4);
		s->profile->processes[0].cwd =
			strings_add(s->profile->strings, fixture_dir, strlen(fixture_dir));
		s->symbols = symbols_new(s->profile, &s->program->options, &err);
		read_files(s);
		err = (struct error){0};
		scarce_begin(i);
		rc = find_names(s, &err);
		has_failed = scarce_end();
		cr_assert_eq(err.is_set, rc != 0, "allocation %zu", i);
		if (rc == 0)
			names_are_as_expected(s);
		else
			cr_assert(has_failed);
		symbols_free(s->symbols);
		strings_free(s->profile->strings);
	}
}
