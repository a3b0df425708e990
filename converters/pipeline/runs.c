/* SPDX-License-Identifier: MIT */
/*
 * runs.c - tells runs and their process trees apart by process records.
 */
#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>

#include "base/array.h"
#include "model/profile.h"
#include "pipeline/runs.h"
#include "pipeline/sources.h"
#include "read/decode.h"

/* ---- run start ------------------------------------------------------------------------------- */

static int on_process(void *context, const struct event_process *e, const struct event_sink **next,
		      struct error *err)
{
	uint64_t *start_ns = context;

	(void)next;
	(void)err;
	if (e->start_ns && (!*start_ns || e->start_ns < *start_ns))
		*start_ns = e->start_ns;
	return EVENT_ENOUGH;
}

int run_start(const struct sources *from, uint64_t *start_ns, struct error *err)
{
	const struct event_sink sink = {.context = start_ns, .process = on_process};
	struct error unused;
	struct stat st;

	*start_ns = 0;
	if (from->n < 2)
		return 0;
	for (size_t i = 0; i < from->n; i++) {
		const char *name = from->files[i];

		if (!strcmp(name, "-") || (!stat(name, &st) && !S_ISREG(st.st_mode)))
			return error_set(err,
					 "%s: cannot be read twice, which --from and --to "
					 "need when there are several inputs",
					 strcmp(name, "-") ? name : "standard input");
		decode_file(name, &sink, &unused);
	}
	return 0;
}

/* ---- process tree ---------------------------------------------------------------------------- */
/*
 * Only one file is open at a time, so that the number of recordings is not limited by the number
 * of descriptors.
 */

/* What the process record at the head of a file says of its process tree. */
struct process_tree_head {
	char *host;    /* NULL if the record has none */
	char *program; /* likewise */
	uint64_t pid, start;
	uint64_t start_ns; /* of the process */
};

struct reading {
	struct process_tree_head head;
	bool no_memory;
};

static int on_tree_process(void *context, const struct event_process *e,
			   const struct event_sink **next, struct error *err)
{
	struct reading *r = context;
	struct process_tree_head *h = &r->head;
	const struct event_text program = profile_program(e);

	(void)next;
	(void)err;
	h->pid = e->tree_pid;
	h->start = e->tree_start;
	h->start_ns = e->start_ns;
	if (e->host.length && !h->host) {
		h->host = strndup(e->host.bytes, e->host.length);
		r->no_memory = !h->host;
	}
	if (program.length && !h->program) {
		h->program = strndup(program.bytes, program.length);
		r->no_memory |= !h->program;
	}
	return EVENT_ENOUGH;
}

static void process_tree_head_clear(struct process_tree_head *h)
{
	free(h->host);
	free(h->program);
	h->host = h->program = NULL;
}

/* Read the head of a file. Returns 1; 0 if it cannot be read or names no tree: then pid is 0; -1 if memory
 * is out. */
static int process_tree_head_read(struct process_tree_head *h, const char *file)
{
	struct reading r = {0};
	const struct event_sink sink = {.context = &r, .process = on_tree_process};
	struct error unused;
	int status = decode_file(file, &sink, &unused);

	*h = r.head;
	if (!r.no_memory && !status && h->pid)
		return 1;
	process_tree_head_clear(h);
	h->pid = 0;
	return r.no_memory ? -1 : 0;
}

static bool process_tree_is_same(const struct process_tree_head *a,
				 const struct process_tree_head *b)
{
	return a->pid == b->pid && a->start == b->start && !a->host == !b->host &&
	       (!a->host || !strcmp(a->host, b->host));
}

static int add_member(struct process_tree *t, const char *file, uint64_t start_ns, off_t bytes)
{
	if (!array_reserve(&t->members, &t->size, t->n + 1, sizeof(*t->members)))
		return -1;
	t->members[t->n] = (struct process_tree_member){strdup(file), start_ns, (uint64_t)bytes};
	return t->members[t->n].file ? (t->n++, 0) : -1;
}

/* Add the directory entry to the members if it is a recording of the tree. -1: out of memory. */
static int add_entry(struct process_tree *t, const struct process_tree_head *tree, const char *file)
{
	struct process_tree_head h;
	struct stat st;
	int rc;

	if (!sources_is_recording(file, &st))
		return 0;
	rc = process_tree_head_read(&h, file);
	if (rc > 0)
		rc = process_tree_is_same(tree, &h) ? add_member(t, file, h.start_ns, st.st_size)
						    : 0;
	process_tree_head_clear(&h);
	return rc;
}

static int member_compare(const void *a, const void *b)
{
	const struct process_tree_member *x = a, *y = b;

	if (x->start_ns != y->start_ns)
		return x->start_ns < y->start_ns ? -1 : 1;
	return strcmp(x->file, y->file);
}

/* Add all recordings of the tree in the current directory but the newest, which is a member
 * already. */
static int add_others(struct process_tree *t, const struct process_tree_head *tree,
		      const char *newest)
{
	DIR *directory = opendir(".");
	struct dirent *entry;
	int rc = 0;

	if (!directory)
		return 0;
	while (!rc && (entry = readdir(directory)))
		if (strcmp(entry->d_name, newest) != 0)
			rc = add_entry(t, tree, entry->d_name);
	closedir(directory);
	return rc;
}

int process_tree_find(struct process_tree *t, const char *newest, struct error *err)
{
	struct stat st = {0};
	struct process_tree_head tree;
	int is_tree = process_tree_head_read(&tree, newest), rc;

	*t = (struct process_tree){0};
	stat(newest, &st);
	rc = is_tree < 0 ? -1 : add_member(t, newest, tree.start_ns, st.st_size);
	if (!rc && is_tree)
		rc = add_others(t, &tree, newest);
	process_tree_head_clear(&tree);
	if (rc) {
		process_tree_free(t);
		return error_memory(err);
	}
	qsort(t->members, t->n, sizeof(*t->members), member_compare);
	return 0;
}

int process_tree_of(struct process_tree *t, uint64_t pid, uint64_t start, struct error *err)
{
	struct utsname host;
	const struct process_tree_head tree = {
		.host = uname(&host) ? NULL : host.nodename, .pid = pid, .start = start};

	*t = (struct process_tree){0};
	if (add_others(t, &tree, "")) {
		process_tree_free(t);
		return error_memory(err);
	}
	if (t->n)
		qsort(t->members, t->n, sizeof(*t->members), member_compare);
	return 0;
}

void process_tree_free(struct process_tree *t)
{
	for (size_t i = 0; i < t->n; i++)
		free(t->members[i].file);
	free(t->members);
	*t = (struct process_tree){0};
}

/* The name with a number before its suffix. */
static char *numbered(const char *file, size_t number)
{
	size_t n = strlen(file), suffix = n > 4 && !strcmp(file + n - 4, ".cps") ? 4 : 0;
	char *name;

	if (asprintf(&name, "%.*s.%zu%s", (int)(n - suffix), file, number, file + n - suffix) < 0)
		return NULL;
	return name;
}

/* Whether that recording is there and of the tree. *head is to be cleared. -1: out of memory. */
static int is_numbered(const char *name, const struct process_tree_head *tree,
		       struct process_tree_head *head)
{
	struct stat st;
	int rc;

	*head = (struct process_tree_head){0};
	if (!name)
		return -1;
	rc = !stat(name, &st) && S_ISREG(st.st_mode) ? process_tree_head_read(head, name) : 0;
	return rc > 0 ? process_tree_is_same(tree, head) : rc;
}

/* Count those that follow without a gap, which is how the recorder numbers them. */
static int tell(const char *file, const struct process_tree_head *tree, char **text)
{
	struct process_tree_head first, next;
	char *name = numbered(file, 1), *last = NULL;
	int rc = is_numbered(name, tree, &first), more = rc;
	size_t n = 0;

	while (more > 0) {
		free(last);
		last = numbered(file, ++n + 1);
		more = is_numbered(last, tree, &next);
		process_tree_head_clear(&next);
	}
	free(last);
	last = more < 0 || !n ? NULL : numbered(file, n);
	if (rc > 0 && last &&
	    asprintf(text, "%s: one of %zu recordings of its run; %s is of %s%s%s", file, n + 1,
		     name, first.program ? first.program : "another process",
		     n > 1 ? ", and the others go on to " : "", n > 1 ? last : "") < 0)
		more = -1;
	if (rc > 0 && !last)
		more = -1;
	if (more < 0)
		*text = NULL;
	process_tree_head_clear(&first);
	free(name);
	free(last);
	return rc < 0 || more < 0 ? -1 : 0;
}

int process_tree_tell(const char *file, char **text, struct error *err)
{
	struct process_tree_head tree;
	char *name = numbered(file, 1);
	struct stat st;
	int rc = 0;

	*text = NULL;
	if (name && !stat(name, &st)) { /* most often there is none */
		rc = process_tree_head_read(&tree, file);
		rc = rc > 0 ? tell(file, &tree, text) : rc;
		process_tree_head_clear(&tree);
	}
	rc = name ? rc : -1;
	free(name);
	return rc ? error_memory(err) : 0;
}

/* ---- runs ------------------------------------------------------------------------------------ */

/* Columns of a profile have numbers of 16 bits. */
#define RUNS_MAX UINT16_MAX

/* The tree of each run; trees[i].pid is 0 if the run is one file. */
struct finding {
	struct runs *runs;
	struct process_tree_head *trees;
};

static bool is_read_once(const char *file)
{
	struct stat st;

	return !strcmp(file, "-") || (!stat(file, &st) && !S_ISREG(st.st_mode));
}

/* The run among those from `first` on that has this tree, or a new one. */
static size_t find_run(struct finding *f, size_t first, struct process_tree_head *head)
{
	struct runs *r = f->runs;
	size_t i = head->pid ? first : r->n;

	while (i < r->n && !(f->trees[i].pid && process_tree_is_same(&f->trees[i], head)))
		i++;
	if (i < r->n) {
		process_tree_head_clear(head);
		if (head->start_ns < r->starts_ns[i])
			r->starts_ns[i] = head->start_ns;
		return i;
	}
	f->trees[r->n] = *head;
	r->starts_ns[r->n] = head->start_ns;
	return r->n++;
}

static int find(struct finding *f, const struct sources *from, size_t n_base)
{
	size_t first = 0;

	for (size_t i = 0; i < from->n; i++) {
		struct process_tree_head head = {0};

		if (i == n_base)
			first = f->runs->n_base = f->runs->n;
		if (!is_read_once(from->files[i]) &&
		    process_tree_head_read(&head, from->files[i]) < 0)
			return -1;
		f->runs->of[i] = (uint32_t)find_run(f, first, &head);
	}
	if (from->n <= n_base)
		f->runs->n_base = f->runs->n;
	return 0;
}

int runs_find(struct runs *r, const struct sources *from, size_t n_base, struct error *err)
{
	struct finding f = {.runs = r};
	int status = -1;

	*r = (struct runs){
		.of = calloc(from->n + 1, sizeof(*r->of)),
		.starts_ns = calloc(from->n + 1, sizeof(*r->starts_ns)),
	};
	f.trees = calloc(from->n + 1, sizeof(*f.trees));
	if (r->of && r->starts_ns && f.trees)
		status = find(&f, from, n_base);
	for (size_t i = 0; f.trees && i < r->n; i++)
		process_tree_head_clear(&f.trees[i]);
	free(f.trees);
	if (status)
		return error_memory(err);
	if (r->n > RUNS_MAX)
		return error_set(err, "%zu runs are more than can be compared at a time (%u)", r->n,
				 (unsigned)RUNS_MAX);
	return 0;
}

/* ---- what is on both sides ------------------------------------------------------------------- */

/* Where a name leads to: a file, or what is in a pack. */
struct target {
	dev_t device;
	ino_t inode;	    /* of the file or of the pack */
	const char *inside; /* borrowed; "" of a file */
	const char *name;   /* borrowed */
	bool is_known;	    /* not of pipes, and not of what is not there */
};

static struct target target_of(const char *name)
{
	struct target t = {.inside = "", .name = name};
	const char *slash = strrchr(name, '/');
	struct stat st;
	int rc = stat(name, &st);

	if (rc && slash) {
		char *pack = strndup(name, (size_t)(slash - name));

		rc = pack ? stat(pack, &st) : -1;
		t.inside = slash + 1;
		free(pack);
	}
	if (!rc && S_ISREG(st.st_mode)) {
		t.device = st.st_dev;
		t.inode = st.st_ino;
		t.is_known = true;
	}
	return t;
}

static int target_compare(const void *a, const void *b)
{
	const struct target *x = a, *y = b;

	if (x->is_known != y->is_known)
		return x->is_known - y->is_known;
	if (x->device != y->device)
		return x->device < y->device ? -1 : 1;
	if (x->inode != y->inode)
		return x->inode < y->inode ? -1 : 1;
	return strcmp(x->inside, y->inside);
}

static struct target *targets_of(const struct sources *s)
{
	struct target *list = calloc(s->n + 1, sizeof(*list));

	for (size_t i = 0; list && i < s->n; i++)
		list[i] = target_of(s->files[i]);
	if (list && s->n)
		qsort(list, s->n, sizeof(*list), target_compare);
	return list;
}

/* A run on both sides would be compared with itself. */
static int refuse_common(const struct sources *before, const struct sources *after,
			 struct error *err)
{
	struct target *base = targets_of(before), *others = targets_of(after);
	const char *common = NULL;
	size_t n = 0;

	for (size_t i = 0, k = 0; base && others && k < after->n; k++) {
		while (i < before->n && target_compare(&base[i], &others[k]) < 0)
			i++;
		if (i < before->n && others[k].is_known && !target_compare(&base[i], &others[k])) {
			common = others[k].name;
			n++;
		}
	}
	if (!base || !others)
		error_memory(err);
	else if (n && n == before->n && n == after->n)
		error_usage(err, "--base: both sides are the same recording%s", n > 1 ? "s" : "");
	else if (n)
		error_usage(err, "--base: %s is on both sides; name those before and those after",
			    common);
	n += !base || !others;
	free(base);
	free(others);
	return n ? -1 : 0;
}

int runs_compare(struct runs *r, struct sources *from, struct sources *later, struct error *err)
{
	size_t n_base = from->n;

	for (size_t i = 0; i < from->n; i++)
		for (size_t k = 0; !strcmp(from->files[i], "-") && k < later->n; k++)
			if (!strcmp(later->files[k], "-"))
				return error_usage(err,
						   "standard input can be read once, and cannot "
						   "be compared with itself");
	if (refuse_common(from, later, err) || sources_append(from, later, err) ||
	    runs_find(r, from, n_base, err))
		return -1;
	from->runs = r;
	return 0;
}

void runs_free(struct runs *r)
{
	free(r->of);
	free(r->starts_ns);
	*r = (struct runs){0};
}
