/* SPDX-License-Identifier: MIT */
/*
 * pack.c - packs recordings into one file.
 */
#include <ctype.h>
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "annotate/instructions.h"
#include "annotate/source_text.h"
#include "base/array.h"
#include "libsampler/format.h"
#include "model/perf_map.h"
#include "model/processes.h"
#include "pipeline/load.h"
#include "pipeline/message.h"
#include "pipeline/pack.h"
#include "read/decode.h"
#include "symbols/symbols.h"

/* ---- pack code ------------------------------------------------------------------------------- */
/*
 * Puts the code of functions into a pack.
 *
 * In: a profile, the files of its modules. Out: pieces of code, places.
 *
 * A view of instructions asks what is known of each of them, and of each target of a jump.
 */

/* How much may be added yet, and how much was. */
struct pack_code_room {
	uint64_t left; /* bytes of code */
	size_t n;      /* functions */
};

/* All functions of a compiler's run have a half of it. */
#define PACK_CODE_BYTES_MAX (4u << 20)

/* Of a function. Larger ones are tables, or code that a program has generated. */
#define PACK_CODE_PIECE_MAX (1u << 20)

#define PACK_CODE_ROOM ((struct pack_code_room){.left = PACK_CODE_BYTES_MAX})

struct function {
	uint32_t module;
	uint64_t start, end, self;
};

struct functions {
	struct function *list;
	size_t n;
};

/* ---- which functions --------------------------------------------------------------------------- */

static int compare_extents(const struct function *a, const struct function *b)
{
	if (a->module != b->module)
		return a->module < b->module ? -1 : 1;
	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return (a->end > b->end) - (a->end < b->end);
}

static int by_extent(const void *a, const void *b)
{
	return compare_extents(a, b);
}

static int by_weight(const void *a, const void *b)
{
	const struct function *x = a, *y = b;

	if (x->self != y->self)
		return x->self > y->self ? -1 : 1;
	return compare_extents(x, y);
}

static int list_functions(struct functions *f, const struct profile *p, const uint64_t *self,
			  struct symbols *s, struct error *err)
{
	for (size_t i = 0; i < p->n_frames; i++) {
		struct function *to = &f->list[f->n];

		*to = (struct function){.module = p->frames[i].module, .self = self[i]};
		if (profile_is_named(&p->frames[i]))
			continue;
		if (symbols_pack_extent(s, &p->frames[i], &to->start, &to->end, err))
			return -1;
		f->n += to->end > to->start;
	}
	return 0;
}

/* Each function once, the heaviest ones first. */
static void merge(struct functions *f)
{
	size_t n = 0;

	qsort(f->list, f->n, sizeof(*f->list), by_extent);
	for (size_t i = 0; i < f->n; i++) {
		if (n && !compare_extents(&f->list[n - 1], &f->list[i]))
			f->list[n - 1].self += f->list[i].self;
		else
			f->list[n++] = f->list[i];
	}
	f->n = n;
	qsort(f->list, f->n, sizeof(*f->list), by_weight);
}

static int find_functions(struct functions *f, const struct profile *p, struct symbols *s,
			  struct error *err)
{
	uint64_t *self = calloc(p->n_frames + 1, sizeof(*self));
	int status = 0;

	f->list = calloc(p->n_frames + 1, sizeof(*f->list));
	if (!f->list || !self)
		status = error_memory(err);
	for (size_t i = 1; !status && i < p->n_nodes; i++)
		if (p->nodes[i].frame < p->n_frames)
			self[p->nodes[i].frame] += p->nodes[i].self_weight;
	if (!status)
		status = list_functions(f, p, self, s, err);
	if (!status)
		merge(f);
	free(self);
	return status;
}

/* ---- their code -------------------------------------------------------------------------------- */

static struct profile_frame frame_at(const struct function *f, uint64_t address)
{
	return (struct profile_frame){
		.module = f->module, .name = STRINGS_NONE, .address = address};
}

/* What is known of each instruction, and of where those lead that lead elsewhere. */
static int add_places(struct pack_builder *b, const struct function *f,
		      const struct instructions *code, struct symbols *s, struct error *err)
{
	struct profile_frame *frames = calloc(2 * code->n + 1, sizeof(*frames));
	size_t n = 0;
	int status;

	if (!frames)
		return error_memory(err);
	for (size_t i = 0; i < code->n; i++) {
		const struct instruction *is = &code->list[i];

		frames[n++] = frame_at(f, code->start + is->offset);
		if (is->has_target && instructions_find(code, is->target) == code->n)
			frames[n++] = frame_at(f, is->target);
	}
	status = symbols_pack(s, b, frames, n, false, err);
	free(frames);
	return status;
}

/* Code that cannot be read is left out, and so is what another resource has brought already. */
static int add_function(struct pack_builder *b, struct pack_code_room *room,
			const struct function *f, struct symbols *s, struct error *err)
{
	struct pack_piece piece = {.start = f->start, .end = f->end};
	struct instructions code;
	struct error why;
	int status = 0;

	if (!instructions_read(&code, s, f->module, f->start, f->end, &why) && code.n_code) {
		piece.code = (struct pack_text){(const char *)code.code, code.n_code};
		status = symbols_pack_code(s, b, f->module, &piece, err);
	}
	if (!status && piece.code.length) {
		status = add_places(b, f, &code, s, err);
		room->left -= code.n_code;
		room->n++;
	}
	instructions_free(&code);
	return status < 0 ? -1 : 0;
}

/* Add the code of the functions of the profile, the heaviest ones first, as long as there is room, with what is known of each
 * instruction and of where it jumps. The options of s are those of symbols_pack(). -1: out of memory. */
static int pack_code(struct pack_builder *b, struct pack_code_room *room, const struct profile *p,
		     struct symbols *s, struct error *err)
{
	struct functions f = {0};
	int status = find_functions(&f, p, s, err);

	for (size_t i = 0; !status && i < f.n; i++) {
		const struct function *at = &f.list[i];
		uint64_t bytes = at->end - at->start;

		if (bytes > PACK_CODE_PIECE_MAX || bytes > room->left)
			continue;
		status = add_function(b, room, at, s, err);
	}
	free(f.list);
	return status;
}

/* ---- pack journal ---------------------------------------------------------------------------- */
/*
 * Makes a journal small.
 *
 * In: the journal of a process that was killed, or is running. Out: a journal that says the same.
 *
 * A journal has a mebibyte for the buffers of sixteen threads, of which a killed process has used
 * some pages. Its head says how large buffers are, so one with smaller ones is a journal like
 * others (format.h). Buffers keep their numbers, because batches have them inside.
 */

/* No recorder makes a journal that has so much in it. */
#define JOURNAL_BYTES_MAX (UINT64_C(64) << 20)

struct journal {
	int fd;
	struct pack_span at;
	struct cps_journal_head head;
	struct cps_journal_buffer *table;
	uint32_t buffers, buffer_bytes, data_offset, page_room;
};

static bool read_at(const struct journal *j, void *bytes, size_t n, uint64_t offset)
{
	size_t have = 0;

	if (offset > j->at.bytes || n > j->at.bytes - offset)
		return false;
	while (have < n) {
		ssize_t got = pread(j->fd, (char *)bytes + have, n - have,
				    (off_t)(j->at.offset + offset + have));

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return false;
		have += (size_t)got;
	}
	return true;
}

static size_t table_end(uint32_t buffers)
{
	return sizeof(struct cps_journal_head) + buffers * sizeof(struct cps_journal_buffer);
}

static bool read_head(struct journal *j)
{
	const struct cps_journal_head *h = &j->head;

	if (!read_at(j, &j->head, sizeof(j->head), 0) ||
	    memcmp(h->magic, CPS_JOURNAL_MAGIC, sizeof(h->magic)) != 0 ||
	    (le32toh(h->version) != CPS_JOURNAL_VERSION &&
	     le32toh(h->version) != CPS_JOURNAL_OLD_VERSION))
		return false;
	j->buffers = le32toh(h->buffers);
	j->buffer_bytes = le32toh(h->buffer_bytes);
	j->data_offset = le32toh(h->data_offset);
	j->page_room = le32toh(h->page_room);
	return j->buffers && j->buffers <= CPS_JOURNAL_BUFFERS_MAX && j->page_room &&
	       j->page_room <= CPS_JOURNAL_ALIGN && j->buffer_bytes <= CPS_RECORD_BYTES_MAX &&
	       j->data_offset >= table_end(j->buffers);
}

/* The pages that a buffer has in use. */
static uint32_t pages_of(const struct journal *j, uint32_t i)
{
	uint32_t committed = le32toh(j->table[i].committed) & CPS_JOURNAL_COMMITTED;

	return committed / j->page_room + (committed % j->page_room != 0);
}

/* How large the buffers have to be, and how many there are up to the last one in use. False: one has more than it can. */
static bool measure(const struct journal *j, uint32_t *pages, uint32_t *buffers)
{
	*pages = *buffers = 1;
	for (uint32_t i = 0; i < j->buffers; i++) {
		uint32_t used = pages_of(j, i);

		if (used > j->buffer_bytes / CPS_JOURNAL_ALIGN)
			return false;
		*pages = used > *pages ? used : *pages;
		*buffers = used ? i + 1 : *buffers;
	}
	return true;
}

static bool copy(const struct journal *j, unsigned char *to, uint32_t buffers, size_t data,
		 size_t buffer_bytes)
{
	struct cps_journal_head head = j->head;

	head.buffers = htole32(buffers);
	head.buffer_bytes = htole32((uint32_t)buffer_bytes);
	head.data_offset = htole32((uint32_t)data);
	memcpy(to, &head, sizeof(head));
	memcpy(to + sizeof(head), j->table, table_end(buffers) - sizeof(head));
	if (j->data_offset >= table_end(j->buffers + 1) && /* more losses */
	    !read_at(j, to + table_end(buffers), sizeof(*j->table), table_end(j->buffers)))
		return false;
	for (uint32_t i = 0; i < buffers; i++)
		if (!read_at(j, to + data + i * buffer_bytes,
			     (size_t)pages_of(j, i) * CPS_JOURNAL_ALIGN,
			     j->data_offset + (uint64_t)i * j->buffer_bytes))
			return false;
	return true;
}

static int shrink(const struct journal *j, unsigned char **bytes, size_t *n)
{
	uint32_t pages, buffers;
	uint64_t all;
	size_t data;

	if (!measure(j, &pages, &buffers))
		return 0;
	data = (table_end(buffers + 1) + CPS_JOURNAL_ALIGN - 1) / CPS_JOURNAL_ALIGN *
	       CPS_JOURNAL_ALIGN;
	all = data + (uint64_t)buffers * pages * CPS_JOURNAL_ALIGN;
	if (all >= j->at.bytes || all > JOURNAL_BYTES_MAX)
		return 0;
	*n = (size_t)all;
	*bytes = calloc(1, *n);
	if (!*bytes)
		return -1;
	return copy(j, *bytes, buffers, data, (size_t)pages * CPS_JOURNAL_ALIGN);
}

/* Write the journal in a part of an open file anew, with room for no more than its buffers hold. The caller frees
 * *bytes. Returns 1; 0 if the journal is damaged or would not become smaller; -1 if memory is out. */
static int pack_journal_shrink(int fd, const struct pack_span *from, unsigned char **bytes,
			       size_t *n)
{
	struct journal j = {.fd = fd, .at = *from};
	size_t table;
	int rc = 0;

	*bytes = NULL;
	if (!read_head(&j))
		return 0;
	table = table_end(j.buffers) - sizeof(j.head);
	j.table = malloc(table);
	if (!j.table)
		return -1;
	if (read_at(&j, j.table, table, sizeof(j.head)))
		rc = shrink(&j, bytes, n);
	free(j.table);
	return rc;
}

/* ---- pack sources ---------------------------------------------------------------------------- */
/*
 * Puts the text of source lines into a pack.
 *
 * In: numbers of lines, source files. Out: excerpts.
 */

/* Lines around one that is used. Views show three. */
#define CONTEXT 10u

struct excerpts {
	struct pack_builder *b;
	struct source_text *file; /* NULL: it was not found */
	uint32_t path;		  /* of the file; PACK_NONE at first */
	uint32_t *lines;
	size_t size;
};

/* A line is packed as a text, and thus ends at a NUL. */
static int add_line(struct excerpts *x, size_t n, const char *text, size_t bytes)
{
	char *copy = strndup(text, bytes);
	uint32_t number = copy ? pack_builder_text(x->b, copy) : PACK_NONE;

	free(copy);
	if (number == PACK_NONE || !array_reserve(&x->lines, &x->size, n + 1, sizeof(*x->lines)))
		return -1;
	x->lines[n] = number;
	return 0;
}

/* Lines may be missing: the last ones if a file has changed, and others if it is in a pack. What is behind them is another
 * excerpt. */
static int add_excerpt(struct excerpts *x, const struct pack_excerpt *e)
{
	size_t n = 0, bytes;

	for (uint32_t i = 0; i < e->n; i++) {
		const char *text = source_text_line(x->file, e->line + i, &bytes);

		if (text && add_line(x, n, text, bytes))
			return -1;
		n += text != NULL;
		if (n && (!text || i + 1 == e->n)) {
			if (pack_builder_excerpt(x->b, e->path, e->line + i + !!text - (uint32_t)n,
						 x->lines, n))
				return -1;
			n = 0;
		}
	}
	return 0;
}

/* Where source files are looked for, and as of when. */
struct source_places {
	const struct pack_set *packs; /* NULL: none */
	const char *directories;      /* NULL: none */
	uint64_t begin_ns;	      /* of the recordings */
};

/* What was changed later would stand beside figures of other lines. Whoever names directories knows what is there. */
static struct source_text *open_source(const char *path, const struct source_places *in)
{
	struct source_text *t = source_text_open(path, in->directories, in->packs);

	if (!t || in->directories || !source_text_is_newer(t, in->begin_ns))
		return t;
	message("warning: %s: changed after it was recorded, so its lines are not packed; "
		"--source-path DIR packs them nevertheless",
		source_text_path(t));
	source_text_close(t);
	return NULL;
}

/* Add the text of all lines that the builder has noted, and of some around them, as far as the files are found. -1: out of
 * memory. */
static int pack_sources(struct pack_builder *b, const struct source_places *in, struct error *err)
{
	struct excerpts x = {.b = b, .path = PACK_NONE};
	struct pack_excerpt e;
	int status = 0;

	for (size_t at = 0; !status && pack_builder_lines(b, CONTEXT, &at, &e);) {
		if (e.path != x.path) {
			source_text_close(x.file);
			x.file = open_source(pack_builder_get(b, e.path), in);
			x.path = e.path;
		}
		if (x.file)
			status = add_excerpt(&x, &e);
	}
	source_text_close(x.file);
	free(x.lines);
	return status ? error_memory(err) : 0;
}

/* ---- pack copy ------------------------------------------------------------------------------- */
/*
 * Copies a recording, and what belongs to it, into a pack.
 *
 * In: a recording, which may be in another pack. Out: files of the archive, a line of its index.
 */

/* What has to be known of a recording before it is copied. */
struct looking {
	struct perf_map_process process;
	char *host;
	bool has_owner, has_map, is_foreign;
	char life;
};

/* ---- what is known ----------------------------------------------------------------------------- */

static int on_process(void *context, const struct event_process *e, const struct event_sink **next,
		      struct error *err)
{
	struct looking *l = context;

	(void)next;
	l->is_foreign = e->kind != &decode_stream.kind;
	if (l->is_foreign)
		return error_set(err, "%s: --pack packs recordings, and these are %s", e->file,
				 e->kind->name);
	l->process = (struct perf_map_process){
		.pid = e->pid, .start_ns = e->start_ns, .owner = e->owner};
	l->has_owner = e->has_owner;
	l->host = strndup(e->host.length ? e->host.bytes : "", e->host.length);
	if (!l->host)
		return error_memory(err);
	l->process.host = event_text_of(l->host);
	return 0;
}

static int on_jit(void *context, const struct event_jit *e, struct error *err)
{
	struct looking *l = context;

	(void)e;
	(void)err;
	l->has_map = true;
	return 0;
}

static int on_cut(void *context, const struct event_cut *e, struct error *err)
{
	struct looking *l = context;

	(void)err;
	if (e->how == EVENT_RUNNING)
		l->life = PACK_RUNNING;
	else if (e->how == EVENT_BECAME)
		l->life = PACK_BECAME;
	return 0;
}

static int look(struct looking *l, const char *path, struct error *err)
{
	const struct event_sink sink = {
		.context = l, .process = on_process, .jit = on_jit, .cut = on_cut};

	*l = (struct looking){.life = PACK_OVER};
	if (!strcmp(path, "-"))
		return error_set(err,
				 "standard input can be read only once, and --pack has to read "
				 "recordings twice");
	return decode_file(path, &sink, err);
}

/* ---- what is copied ---------------------------------------------------------------------------- */

/* An open file, and the part of it that is to be copied. */
struct origin {
	int fd; /* -1: there is none */
	struct pack_span part;
};

static struct origin open_regular(const char *path)
{
	struct origin o = {.fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
	struct stat st;

	if (o.fd >= 0 && (fstat(o.fd, &st) || !S_ISREG(st.st_mode))) {
		close(o.fd);
		o.fd = -1;
	}
	o.part.bytes = o.fd >= 0 ? (uint64_t)st.st_size : 0;
	return o;
}

static struct origin open_map(const struct looking *l)
{
	struct origin o = {.fd = l->has_map || !l->has_owner ? -1
							     : perf_map_file_open(&l->process)};
	struct stat st = {0};

	if (o.fd >= 0)
		fstat(o.fd, &st);
	o.part.bytes =
		st.st_size < (off_t)PERF_MAP_BYTES_MAX ? (uint64_t)st.st_size : PERF_MAP_BYTES_MAX;
	return o;
}

static struct origin open_part(const struct looking *l, const char *path, enum pack_part part)
{
	struct origin o;
	char *name;

	if (part == PACK_RECORDING)
		return open_regular(path);
	if (part == PACK_MAP)
		return open_map(l);
	if (asprintf(&name, "%s" CPS_JOURNAL_SUFFIX, path) < 0)
		return (struct origin){.fd = -1};
	o = open_regular(name);
	free(name);
	return o;
}

/* The names that are given to them. */
static const char *const suffixes[] = {
	[PACK_RECORDING] = "",
	[PACK_JOURNAL] = CPS_JOURNAL_SUFFIX,
	[PACK_MAP] = ".map",
};

/* Returns 1; 0 if the journal has to be copied as it is. */
static int copy_journal(struct pack_tar *t, const char *name, const struct origin *o,
			struct pack_entry *e, struct error *err)
{
	unsigned char *bytes;
	size_t n;
	int rc = pack_journal_shrink(o->fd, &o->part, &bytes, &n);

	if (rc > 0)
		e->parts[PACK_JOURNAL] = pack_tar_write(t, name, bytes, n);
	free(bytes);
	return rc < 0 ? error_memory(err) : rc;
}

/* Nothing is written for a part that is not there, or is empty. */
static int copy_part(struct pack_tar *t, const struct origin *o, enum pack_part part,
		     const char *path, struct pack_entry *e, struct error *err)
{
	char name[PACK_NAME_BYTES + 16];
	int rc = 0;

	if (o->fd < 0 && part == PACK_RECORDING)
		return error_set(err, "%s: cannot be read again, as --pack has to", path);
	if (o->fd < 0 || (!o->part.bytes && part != PACK_RECORDING))
		return 0;
	snprintf(name, sizeof(name), "%s%s", e->name, suffixes[part]);
	if (part == PACK_JOURNAL)
		rc = copy_journal(t, name, o, e, err);
	if (rc)
		return rc < 0 ? -1 : 0;
	return pack_tar_copy(t, name, o->fd, &o->part, path, &e->parts[part], err);
}

/* What was copied of a recording that is still being written must not lack what has just moved from the
 * journal to the recording. So the journal comes first. */
static const enum pack_part order[PACK_PARTS] = {PACK_JOURNAL, PACK_RECORDING, PACK_MAP};

static int copy_file(struct pack_tar *t, const struct looking *l, const char *path,
		     struct pack_entry *e, struct error *err)
{
	int status = 0;

	for (int i = 0; !status && i < PACK_PARTS; i++) {
		struct origin o = open_part(l, path, order[i]);

		status = copy_part(t, &o, order[i], path, e, err);
		if (o.fd >= 0)
			close(o.fd);
	}
	return status;
}

static int copy_packed(struct pack_tar *t, struct pack_file *pack, const struct pack_entry *from,
		       const char *path, struct pack_entry *e, struct error *err)
{
	int status = 0;

	for (int i = 0; !status && i < PACK_PARTS; i++) {
		const struct origin o = {pack->fd, from->parts[order[i]]};

		status = copy_part(t, &o, order[i], path, e, err);
	}
	pack_file_close(pack);
	return status;
}

/* The name in the pack: the number of the recording, and the last part of its path. */
static void name_entry(struct pack_entry *e, size_t number, const char *path, bool is_packed)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	size_t n;

	if (is_packed) /* it has a number already */
		name += strspn(name, "0123456789") + 1;
	snprintf(e->name, sizeof(e->name), "%zu.%s", number, name);
	for (char *c = e->name; *c; c++)
		if (iscntrl((unsigned char)*c))
			*c = '_';
	n = strlen(e->name);
	if (e->name[n - 1] == ' ')
		e->name[n - 1] = '_';
}

/* Copy the recording at the path, its journal and the perf map of its process. -1: it is no recording, or
 * cannot be read. */
static int pack_copy(struct pack_tar *t, const char *path, struct error *err)
{
	struct pack_entry entry = {0}, from;
	struct pack_file pack;
	struct looking l;
	int status = look(&l, path, err), is_packed = 0;

	if (!status)
		is_packed = pack_file_find(&pack, path, &from, err);
	if (!status && is_packed >= 0) {
		name_entry(&entry, t->n, path, is_packed);
		entry.life = l.life;
		status = is_packed ? copy_packed(t, &pack, &from, path, &entry, err)
				   : copy_file(t, &l, path, &entry, err);
	}
	free(l.host);
	return status || is_packed < 0 ? -1 : pack_tar_add(t, &entry, err);
}

/* ---- pack ------------------------------------------------------------------------------------ */
/*
 * First the recordings are copied as they are, then all of them are read, for the addresses whose
 * names are wanted. One that is still being written has, when it is read, at least what was copied.
 */

/* What is collected for a pack. */
struct collection {
	struct pack_builder *names, *code;
	struct pack_code_room room;
};

static int add_names(struct collection *c, const struct profile *p, const struct options *opt,
		     struct error *err)
{
	const struct symbols_options all = {
		.names = SYMBOLS_LINKER,
		.inlines = true,
		.lines = true,
		.granularity = SYMBOLS_BY_FUNCTION,
		.code = true,
		.search = opt->of_symbols.search,
	};
	struct symbols *s = symbols_new(p, &all, err);
	int status =
		s ? symbols_pack(s, c->names, p->frames, p->n_frames, opt->of_view.with_source, err)
		  : -1;

	if (!status)
		status = pack_code(c->code, &c->room, p, s, err);
	if (!status)
		warnings_modules(p, s);
	if (s)
		symbols_free(s);
	return status;
}

/* The names of all addresses, whatever is counted there. */
static int find_names(struct collection *c, const struct sources *from, const struct options *opt,
		      struct error *err)
{
	struct load_result result;
	int status;

	if (load_profiles(from, opt, LOAD_BY_RESOURCE, &result, err))
		return -1;
	status = warnings_profile(result.list[0], opt->strict, err);
	progress_begin("looking up names");
	for (size_t i = 0; !status && i < result.n; i++)
		status = add_names(c, result.list[i], opt, err);
	if (!status && opt->of_view.with_source)
		status = pack_sources(c->names,
				      &(struct source_places){
					      .packs = from->packs,
					      .directories = opt->of_view.source_path,
					      .begin_ns = run_times_begin(result.list[0]),
				      },
				      err);
	progress_end();
	for (size_t i = 0; i < result.n; i++)
		profile_free(result.list[i]);
	free(result.list);
	selection_match_free(&result.match);
	return status;
}

static int encode(const struct pack_builder *b, bool has_code, struct pack_tar_part *part,
		  struct error *err)
{
	part->bytes = pack_builder_encode(b, has_code, &part->n, err);
	return part->bytes ? 0 : -1;
}

static int write_names(struct pack_tar *t, const struct sources *from, const struct options *opt,
		       struct error *err)
{
	struct collection c = {
		.names = pack_builder_new(), .code = pack_builder_new(), .room = PACK_CODE_ROOM};
	struct pack_tar_part names = {0}, code = {0};
	int status = c.names && c.code ? find_names(&c, from, opt, err) : error_memory(err);

	if (!status)
		status = encode(c.names, false, &names, err);
	if (!status && c.room.n)
		status = encode(c.code, true, &code, err);
	if (!status)
		pack_tar_end(t, &names, &code);
	free(names.bytes);
	free(code.bytes);
	pack_builder_free(c.names);
	pack_builder_free(c.code);
	return status;
}

int pack_write(const struct sources *from, const struct options *opt, struct error *err)
{
	struct pack_tar t = {.out = out_open(opt->output, err)};
	struct error unused;
	int status = 0;

	if (!t.out)
		return -1;
	pack_tar_begin(&t);
	for (size_t i = 0; !status && i < from->n; i++)
		status = pack_copy(&t, from->files[i], err);
	if (!status)
		status = write_names(&t, from, opt, err);
	pack_tar_free(&t);
	if (out_close(t.out, !status, status ? &unused : err))
		status = -1;
	return status;
}
