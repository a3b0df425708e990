/* SPDX-License-Identifier: MIT */
/*
 * sources.c - finds the files to be read.
 */
#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/array.h"
#include "libsampler/format.h"
#include "pack/pack_names.h"
#include "pipeline/runs.h"
#include "pipeline/sources.h"
#include "read/decode.h"
#include "view/view.h"

/* All members are zero at first. */
struct sources_named {
	char **list;
	size_t n, size;
};

/* ---- missing --------------------------------------------------------------------------------- */
/*
 * Says what could have been meant by a file that is not there.
 *
 * In: its name. Out: text for an error message: the view of that name, or recordings beside it.
 */

#define SHOWN 3

static int is_recording(const struct dirent *entry)
{
	size_t n = strlen(entry->d_name), suffix = strlen(CPS_SUFFIX);

	return n > suffix && strcmp(entry->d_name + n - suffix, CPS_SUFFIX) == 0;
}

static void append_recordings(const char *directory, struct error *err)
{
	struct dirent **list;
	int n = scandir(directory, &list, is_recording, alphasort);

	for (int i = 0; i < n; i++) {
		if (i < SHOWN)
			error_append(err, "%s %.100s",
				     i ? "," : "; recordings there:", list[i]->d_name);
		free(list[i]);
	}
	if (n > SHOWN)
		error_append(err, ", ...");
	if (n >= 0)
		free(list);
}

/* Set the error: there is no such file, and what is next. Returns -1. */
static int missing_file(const char *name, struct error *err)
{
	const char *slash = strrchr(name, '/');
	char *directory = slash ? strndup(name, (size_t)(slash - name + 1)) : strdup(".");

	error_set(err, "%s: %s", name, strerror(ENOENT));
	if (view_find(name))
		error_append(err, "; the view is --%s", name);
	else if (directory)
		append_recordings(directory, err);
	free(directory);
	return -1;
}

/* ---- sources named --------------------------------------------------------------------------- */
/*
 * Replaces directories and lists of names by the files that they stand for.
 *
 * In: names of files and directories, lists of names. Out: names of files.
 */

/* The list owns the name from now on, also after an error. A name of NULL means that there was no
 * memory to copy it. */
static int add_name(char ***list, size_t *n, size_t *size, char *name, struct error *err)
{
	if (!name || !array_reserve(list, size, *n + 1, sizeof(**list))) {
		free(name);
		return error_memory(err);
	}
	(*list)[(*n)++] = name;
	return 0;
}

static int add_group_name(struct sources_named *g, char *name, struct error *err)
{
	return add_name(&g->list, &g->n, &g->size, name, err);
}

static void sources_named_free(struct sources_named *g)
{
	for (size_t i = 0; i < g->n; i++)
		free(g->list[i]);
	free(g->list);
	*g = (struct sources_named){0};
}

/* ---- directories ----------------------------------------------------------------------------- */

static int compare(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Add the entry of the directory if it is a recording. */
static int add_entry(struct sources_named *g, const char *directory, const char *entry,
		     struct error *err)
{
	size_t n = strlen(directory);
	struct stat st;
	char *name;

	while (n > 1 && directory[n - 1] == '/')
		n--;
	if (asprintf(&name, "%.*s%s%s", (int)n, directory, directory[n - 1] == '/' ? "" : "/",
		     entry) < 0)
		return error_memory(err);
	if (sources_is_recording(name, &st))
		return add_group_name(g, name, err);
	free(name);
	return 0;
}

static bool has_recordings(const char *directory, const char *below)
{
	struct dirent *entry = NULL;
	char *name;
	DIR *d;

	if (asprintf(&name, "%s/%s", directory, below) < 0)
		return false;
	d = opendir(name);
	while (d && (entry = readdir(d)) && !is_recording(entry))
		;
	if (d)
		closedir(d);
	free(name);
	return entry != NULL;
}

/* Set the error: the directory has no recording, and what to do. Returns -1. */
static int no_recording(const char *name, struct error *err)
{
	int n = (int)strlen(name);

	while (n > 1 && name[n - 1] == '/')
		n--;
	if (has_recordings(name, "before") && has_recordings(name, "after"))
		return error_set(err,
				 "%s: has the runs of cpsample --against: cpconv --base "
				 "%.*s/before %.*s/after",
				 name, n, name, n, name);
	return error_set(err,
			 "%s: no *.cps file in this directory (a program that used less "
			 "than a tick leaves none)",
			 name);
}

static int add_directory(struct sources_named *g, const char *name, DIR *directory,
			 struct error *err)
{
	size_t before = g->n;
	struct dirent *entry;
	int status = 0;

	while (!status && (entry = readdir(directory)))
		status = add_entry(g, name, entry->d_name, err);
	if (status)
		return -1;
	if (g->n == before)
		return no_recording(name, err);
	qsort(g->list + before, g->n - before, sizeof(*g->list), compare);
	return 0;
}

/* Add a file, or if the name is that of a directory, all recordings in it, sorted by name. -1: out
 * of memory, or the directory has no recording. */
static int sources_named_add(struct sources_named *g, const char *name, struct error *err)
{
	DIR *directory;
	struct stat st;
	bool is_there = !strcmp(name, "-") || stat(name, &st) == 0;
	int status;

	if (!is_there && errno == ENOENT)
		return missing_file(name, err);
	if (!strcmp(name, "-") || !is_there || !S_ISDIR(st.st_mode))
		return add_group_name(g, strdup(name), err);
	directory = opendir(name);
	if (!directory)
		return error_set(err, "%s: %s", name, strerror(errno));
	status = add_directory(g, name, directory, err);
	closedir(directory);
	return status;
}

/* ---- lists ----------------------------------------------------------------------------------- */

/* The whole file, with a NUL byte after its last byte. NULL: out of memory, or it cannot be
 * read. */
static char *read_all(const char *name, FILE *file, size_t *n, struct error *err)
{
	size_t size = 0, got = 1;
	char *text = NULL;

	for (*n = 0; got; *n += got) {
		if (!array_reserve(&text, &size, *n + 4096, 1)) {
			free(text);
			error_memory(err);
			return NULL;
		}
		got = fread(text + *n, 1, size - *n - 1, file);
	}
	text[*n] = '\0';
	if (!ferror(file))
		return text;
	error_set(err, "%s: %s", name, strerror(errno));
	free(text);
	return NULL;
}

static int add_names(struct sources_named *g, const char *file, char *text, size_t n,
		     struct error *err)
{
	const char end = memchr(text, '\0', n) ? '\0' : '\n';
	char *stop;

	if (n && decode_stream.detect((const unsigned char *)text, n))
		return error_set(
			err, "%s: a recording, not a list of names; name it without --files-from",
			file);
	for (char *name = text; name < text + n; name = stop + 1) {
		stop = memchr(name, end, (size_t)(text + n - name));
		if (!stop)
			stop = text + n;
		*stop = '\0';
		if (*name && sources_named_add(g, name, err))
			return -1;
	}
	return g->n ? 0 : error_set(err, "%s: names no file", file);
}

/* Add what a list of names holds. The list is a file ("-": standard input) with a name on each
 * line, or a NUL byte after each name. -1: it cannot be read, it holds no name, or one of its names
 * cannot be added. */
static int sources_named_add_list(struct sources_named *g, const char *file, struct error *err)
{
	const char *name = strcmp(file, "-") ? file : "standard input";
	FILE *f = strcmp(file, "-") ? fopen(file, "re") : stdin;
	char *text;
	size_t n;
	int status = -1;

	if (!f)
		return error_set(err, "%s: %s", name, strerror(errno));
	text = read_all(name, f, &n, err);
	if (text)
		status = add_names(g, name, text, n, err);
	free(text);
	if (f != stdin)
		fclose(f);
	return status;
}

/* ---- sources packed -------------------------------------------------------------------------- */
/*
 * Replaces packs by the recordings in them.
 *
 * In: names of files. Out: names of recordings, such as "one.cps/0.cpsample.perl.77.cps".
 */

/* The names that replace s->files. */
struct expansion {
	char **files;
	size_t n, size;
};

static int add_recordings(struct expansion *x, const struct pack_file *pack, struct error *err)
{
	struct pack_entry entry;
	struct pack_list list;
	char *name;

	for (uint64_t i = 0; i < pack->n_lists; i++)
		if (pack_file_list(pack, i, &list, err))
			return -1;
	for (uint64_t i = 0; i < pack->n; i++) {
		if (pack_file_entry(pack, i, &entry, err))
			return -1;
		if (asprintf(&name, "%s/%s", pack->path, entry.name) < 0)
			name = NULL;
		if (add_name(&x->files, &x->n, &x->size, name, err))
			return -1;
	}
	return 0;
}

/* A name of a recording in a pack brings the pack's names along. */
static int find_pack(struct sources *s, struct pack_file *pack, const char *name, struct error *err)
{
	struct pack_entry entry;
	const char *slash;
	char *path;
	int rc = pack_file_open(pack, name, err);

	if (rc)
		return rc > 0 && pack_set_add(s->packs, name, err) ? -1 : rc;
	rc = pack_file_find(pack, name, &entry, err);
	if (rc <= 0)
		return rc;
	pack_file_close(pack);
	slash = strrchr(name, '/');
	path = strndup(name, (size_t)(slash - name));
	rc = path ? pack_set_add(s->packs, path, err) : error_memory(err);
	free(path);
	return rc;
}

static int expand(struct sources *s, struct expansion *x, size_t i, struct error *err)
{
	struct pack_file pack;
	int rc = strcmp(s->files[i], "-") ? find_pack(s, &pack, s->files[i], err) : 0;

	if (rc < 0)
		return -1;
	if (!rc) {
		char *name = s->files[i];

		s->files[i] = NULL; /* it moves, or is freed */
		return add_name(&x->files, &x->n, &x->size, name, err);
	}
	rc = add_recordings(x, &pack, err);
	pack_file_close(&pack);
	return rc;
}

static int packs_expand(struct sources *s, struct error *err)
{
	struct expansion x = {0};
	int status = 0;

	s->n_given = s->n;
	s->packs = calloc(1, sizeof(*s->packs));
	if (!s->packs)
		return error_memory(err);
	for (size_t i = 0; !status && i < s->n; i++)
		status = expand(s, &x, i, err);
	for (size_t i = 0; i < s->n; i++)
		free(s->files[i]);
	free(s->files);
	s->files = x.files;
	s->n = x.n;
	s->size = x.size;
	return status;
}

/* ---- sources same ---------------------------------------------------------------------------- */
/*
 * Leaves out recordings that another file has, too: a copy of it, or a pack.
 *
 * In: names of recordings. Out: those without the ones that are of the same process, and of the
 * same moment of it.
 *
 * A pack often lies in the directory whose recordings are in it. Each of them counts once. The one
 * in a pack is read, because it is whole and its perf map is there, unless its process was running
 * when it was packed. Of copies the longest one is read: the others were cut, or made while the process ran.
 */

/* The order in which the same recording is taken from several files. */
enum rank { RANK_PACKED, RANK_FILE, RANK_UNFINISHED };

/* Whose recording it is, and from when on. */
struct owner {
	char *host; /* NULL: it is not known whose it is */
	uint64_t pid, start_ns;
	enum rank rank;
	uint64_t bytes; /* of a file that is no pack */
	size_t place;	/* in the list of files */
	bool no_memory;
};

/* ---- owners ---------------------------------------------------------------------------------- */

static int on_process(void *context, const struct event_process *e, const struct event_sink **next,
		      struct error *err)
{
	struct owner *o = context;

	(void)next;
	(void)err;
	if (e->kind == &decode_stream.kind && e->pid && e->start_ns) {
		o->pid = e->pid;
		o->start_ns = e->start_ns;
		o->host = strndup(e->host.length ? e->host.bytes : "", e->host.length);
		o->no_memory = !o->host;
	}
	return EVENT_ENOUGH;
}

static int find_rank(struct owner *o, const char *file, struct error *err)
{
	struct pack_entry entry;
	struct pack_file pack;
	int rc = pack_file_find(&pack, file, &entry, err);

	if (rc <= 0) {
		o->rank = RANK_FILE;
		return rc;
	}
	pack_file_close(&pack);
	o->rank = entry.life == PACK_RUNNING ? RANK_UNFINISHED : RANK_PACKED;
	return 0;
}

/* Whether it is worth reading: profiles of others may be large, and do not say whose they are. */
static bool begins_as_recording(const char *file)
{
	unsigned char head[CPS_HEAD_BYTES];
	FILE *f = fopen(file, "re");
	size_t n = f ? fread(head, 1, sizeof(head), f) : 0;

	if (f)
		fclose(f);
	return n && decode_stream.detect(head, n);
}

/* What cannot be read is no error yet: it is when the file is read as a whole. Pipes are read only once. */
static int find_owner(struct owner *o, const char *file, struct error *err)
{
	const struct event_sink sink = {.context = o, .process = on_process};
	struct error unused;
	struct stat st;

	if (find_rank(o, file, err))
		return -1;
	if (o->rank == RANK_FILE) {
		if (stat(file, &st) || !S_ISREG(st.st_mode) || !begins_as_recording(file))
			return 0;
		o->bytes = (uint64_t)st.st_size;
	}
	decode_file(file, &sink, &unused);
	return o->no_memory ? error_memory(err) : 0;
}

/* Those that are known come first. */
static int compare_owners(const struct owner *a, const struct owner *b)
{
	if (!a->host || !b->host)
		return !a->host - !b->host;
	if (a->start_ns != b->start_ns)
		return a->start_ns < b->start_ns ? -1 : 1;
	if (a->pid != b->pid)
		return a->pid < b->pid ? -1 : 1;
	return strcmp(a->host, b->host);
}

static int owner_order(const void *a, const void *b)
{
	const struct owner *x = a, *y = b;
	int order = compare_owners(x, y);

	if (!order)
		order = (int)x->rank - (int)y->rank;
	if (!order && x->bytes != y->bytes)
		return x->bytes > y->bytes ? -1 : 1;
	return order ? order : (x->place > y->place) - (x->place < y->place);
}

/* ---- the list ---------------------------------------------------------------------------------- */

/* The file is the same recording as another one, which stands before it in order. */
static int leave_out(struct sources *s, const struct owner *o, const struct owner *other,
		     struct error *err)
{
	const char *file = s->files[o->place], *kept = s->files[other->place];
	char *text;

	if (asprintf(&text, "%s: warning: the same recording as %s%s", file, kept,
		     o->bytes && other->bytes > o->bytes ? ", which is longer" : "") < 0)
		return error_memory(err);
	if (add_name(&s->same, &s->n_same, &s->same_size, text, err))
		return -1;
	if (s->newest && !s->packs->n)
		s->n_given--;
	if (s->newest && !strcmp(s->newest, file)) {
		free(s->newest);
		s->newest = strdup(kept);
		if (!s->newest)
			return error_memory(err);
	}
	free(s->files[o->place]);
	s->files[o->place] = NULL;
	return 0;
}

static int leave_out_same(struct sources *s, const struct owner *owners, struct error *err)
{
	const struct owner *first = owners;
	size_t n = 0;
	int status = 0;

	for (size_t i = 1; !status && i < s->n; i++) {
		const struct owner *o = &owners[i];

		if (!o->host || compare_owners(first, o))
			first = o;
		else
			status = leave_out(s, o, first, err);
	}
	for (size_t i = 0; i < s->n; i++)
		if (s->files[i])
			s->files[n++] = s->files[i];
	s->n = n;
	return status;
}

static int recordings_same(struct sources *s, struct error *err)
{
	const size_t n = s->n;
	struct owner *owners;
	int status = 0;

	if (s->n_given < 2)
		return 0;
	owners = calloc(n, sizeof(*owners));
	if (!owners)
		return error_memory(err);
	for (size_t i = 0; !status && i < n; i++) {
		owners[i].place = i;
		status = find_owner(&owners[i], s->files[i], err);
	}
	if (!status) {
		qsort(owners, n, sizeof(*owners), owner_order);
		status = leave_out_same(s, owners, err);
	}
	for (size_t i = 0; i < n; i++)
		free(owners[i].host);
	free(owners);
	return status;
}

/* ---- sources --------------------------------------------------------------------------------- */

/* ---- named files ----------------------------------------------------------------------------- */

/* The file that a name leads to. A name that leads nowhere is equal to no other one; the error is
 * reported when the file is read. */
struct identity {
	dev_t device;
	ino_t inode;
	size_t place;
	uint64_t bytes;
	bool is_known;
};

static struct identity identify(struct sources *s, const char *name, size_t place)
{
	struct stat st;
	bool is_standard = !strcmp(name, "-");
	int rc = is_standard ? fstat(0, &st) : stat(name, &st);
	bool is_regular = !rc && S_ISREG(st.st_mode);

	s->is_read_once_only |= is_standard || (!rc && !is_regular);
	if (rc || (!is_standard && !is_regular))
		return (struct identity){.place = place};
	return (struct identity){
		.device = st.st_dev,
		.inode = st.st_ino,
		.place = place,
		.bytes = is_regular ? (uint64_t)st.st_size : 0,
		.is_known = true,
	};
}

/* Sorts names of the same file next to each other, in the order in which they were given. */
static int identity_compare(const void *a, const void *b)
{
	const struct identity *x = a, *y = b;

	if (x->is_known != y->is_known)
		return x->is_known - y->is_known;
	if (x->is_known && x->device != y->device)
		return x->device < y->device ? -1 : 1;
	if (x->is_known && x->inode != y->inode)
		return x->inode < y->inode ? -1 : 1;
	return (x->place > y->place) - (x->place < y->place);
}

static bool is_again(const struct identity *before, const struct identity *i)
{
	return i->is_known && before->is_known && i->device == before->device &&
	       i->inode == before->inode;
}

static int add_named(struct sources *s, char *const *names, size_t n, struct error *err)
{
	struct identity *list = calloc(n, sizeof(*list));
	bool *again = calloc(n, sizeof(*again));
	int rc = list && again ? 0 : error_memory(err);

	for (size_t i = 0; !rc && i < n; i++)
		list[i] = identify(s, names[i], i);
	if (!rc)
		qsort(list, n, sizeof(*list), identity_compare);
	for (size_t i = 0; !rc && i < n; i++) {
		again[list[i].place] = i && is_again(&list[i - 1], &list[i]);
		s->bytes += again[list[i].place] ? 0 : list[i].bytes;
	}
	for (size_t i = 0; !rc && i < n; i++)
		rc = again[i] ? add_name(&s->again, &s->n_again, &s->again_size, strdup(names[i]),
					 err)
			      : add_name(&s->files, &s->n, &s->size, strdup(names[i]), err);
	free(list);
	free(again);
	return rc;
}

/* ---- the newest process tree ----------------------------------------------------------------- */

static int add_tree(struct sources *s, struct error *err)
{
	struct process_tree tree;

	s->newest = sources_newest(err);
	if (!s->newest || process_tree_find(&tree, s->newest, err))
		return -1;
	int rc = 0;
	for (size_t i = 0; !rc && i < tree.n; i++) {
		s->bytes += tree.members[i].bytes;
		rc = add_name(&s->files, &s->n, &s->size, strdup(tree.members[i].file), err);
	}
	process_tree_free(&tree);
	return rc;
}

/* All files that are named, and those in directories and lists. */
static int add_all(struct sources *s, char *const *names, size_t n, const char *list,
		   struct error *err)
{
	struct sources_named given = {0};
	int rc = 0;

	for (size_t i = 0; !rc && i < n; i++)
		rc = sources_named_add(&given, names[i], err);
	if (!rc && list)
		rc = sources_named_add_list(&given, list, err);
	if (!rc)
		rc = add_named(s, given.list, given.n, err);
	sources_named_free(&given);
	return rc;
}

int sources_find(struct sources *s, char *const *names, size_t n, const char *list,
		 struct error *err)
{
	struct stat st;
	int rc;

	*s = (struct sources){0};
	rc = n || list ? add_all(s, names, n, list, err) : add_tree(s, err);
	if (!rc && s->n == 1 && !s->newest && sources_is_recording(s->files[0], &st))
		rc = process_tree_tell(s->files[0], &s->alone, err);
	if (!rc)
		rc = packs_expand(s, err);
	return rc ? rc : recordings_same(s, err);
}

int sources_append(struct sources *s, struct sources *other, struct error *err)
{
	if (!array_reserve(&s->files, &s->size, s->n + other->n, sizeof(*s->files)))
		return error_memory(err);
	for (size_t i = 0; i < other->n; i++)
		s->files[s->n++] = other->files[i];
	other->n = 0;
	for (size_t i = 0; other->packs && i < other->packs->n; i++)
		if (pack_set_add(s->packs, other->packs->paths[i], err))
			return -1;
	s->bytes += other->bytes;
	s->is_read_once_only |= other->is_read_once_only;
	return 0;
}

static bool is_file(const struct stat *output, const char *path)
{
	struct stat st;

	return !stat(path, &st) && st.st_dev == output->st_dev && st.st_ino == output->st_ino;
}

int sources_check_output(const struct sources *s, const char *output, struct error *err)
{
	struct stat st;
	bool is_input = false;

	if (!s || !output || stat(output, &st) || !S_ISREG(st.st_mode))
		return 0;
	for (size_t i = 0; !is_input && i < s->n; i++)
		is_input = is_file(&st, s->files[i]);
	for (size_t i = 0; !is_input && s->packs && i < s->packs->n; i++)
		is_input = is_file(&st, s->packs->paths[i]);
	if (!is_input)
		return 0;
	return error_usage(err, "%s is what is read; write to another file", output);
}

void sources_free(struct sources *s)
{
	for (size_t i = 0; i < s->n; i++)
		free(s->files[i]);
	for (size_t i = 0; i < s->n_again; i++)
		free(s->again[i]);
	for (size_t i = 0; i < s->n_same; i++)
		free(s->same[i]);
	free(s->same);
	if (s->packs)
		pack_set_clear(s->packs);
	free(s->packs);
	free(s->files);
	free(s->again);
	free(s->newest);
	free(s->alone);
}

/* ---- sources newest -------------------------------------------------------------------------- */
/*
 * Finds the newest recording in the current directory.
 *
 * In: the current directory. Out: the name of a file.
 */

static bool is_newer(const struct stat *a, const char *a_name, const struct stat *b,
		     const char *b_name)
{
	if (a->st_mtim.tv_sec != b->st_mtim.tv_sec)
		return a->st_mtim.tv_sec > b->st_mtim.tv_sec;
	if (a->st_mtim.tv_nsec != b->st_mtim.tv_nsec)
		return a->st_mtim.tv_nsec > b->st_mtim.tv_nsec;
	return strcmp(a_name, b_name) > 0;
}

bool sources_is_recording(const char *name, struct stat *st)
{
	size_t n = strlen(name), suffix = strlen(CPS_SUFFIX);

	return n > suffix && strcmp(name + n - suffix, CPS_SUFFIX) == 0 && stat(name, st) == 0 &&
	       S_ISREG(st->st_mode);
}

char *sources_newest(struct error *err)
{
	DIR *directory = opendir(".");
	struct dirent *entry;
	struct stat st, best_st = {0};
	char *best = NULL;

	if (!directory) {
		error_set(err, ".: %s", strerror(errno));
		return NULL;
	}
	while ((entry = readdir(directory))) {
		char *name;

		if (!sources_is_recording(entry->d_name, &st) ||
		    (best && !is_newer(&st, entry->d_name, &best_st, best)))
			continue;
		name = strdup(entry->d_name);
		if (!name)
			break;
		free(best);
		best = name;
		best_st = st;
	}
	closedir(directory);
	if (!best)
		error_set(err,
			  "no FILE given, and no *.cps file in the current directory: cpsample "
			  "PROGRAM makes one (a program that used less than a tick leaves "
			  "none)");
	return best;
}
