/* SPDX-License-Identifier: MIT */
/*
 * decode_gperftools.c - decodes the CPU profiles of gperftools' libprofiler.
 *
 * In: words of 8 bytes, little endian, then the text of /proc/self/maps (gperftools,
 * docs/cpuprofile-fileformat.adoc). Out: a sample event per record, and the modules of the text.
 *
 *	0 3 0 PERIOD_US 0	the header
 *	COUNT DEPTH PC...	a stack, innermost first; callers have return addresses
 *	0 1 0			the end
 */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "elf/elf_file.h"
#include "import/stack.h"
#include "read/decode.h"

#define WORD	     8u
#define HEADER_WORDS 5u
#define USER_END     (UINT64_C(1) << 47) /* where the kernel's addresses may begin */

struct mapping {
	uint64_t start, end, offset;
	struct event_text path;
	uint64_t bias; /* address - bias is the module's virtual address */
};

struct gperftools {
	const struct event_sink *sink;
	struct error *err;
	const char *name;
	const unsigned char *bytes;
	size_t n, at;
	uint64_t period_ns, hits;
	struct mapping *mappings;  /* with code, by start; a module each */
	struct event_text program; /* the first one of the text */
	size_t n_mappings, mappings_size;
	uint64_t listed;      /* the end of the highest mapping, with code or not */
	uint64_t highest;     /* the highest address of a stack below USER_END */
	struct event_cut cut; /* without `why`: the text is whole, as far as that can be told */
	struct event_frame *frames;
	size_t frames_size;
};

static int wrong(const struct gperftools *g, const char *what)
{
	return error_set(g->err, "%s: %s at byte %zu", g->name, what, g->at);
}

/* The word at a place that is within the file. */
static uint64_t word(const struct gperftools *g, size_t at)
{
	uint64_t value = 0;

	for (size_t i = WORD; i-- > 0;)
		value = value << 8 | g->bytes[at + i];
	return value;
}

static bool has_words(const struct gperftools *g, uint64_t n)
{
	return n <= (g->n - g->at) / WORD;
}

/* ---- the text --------------------------------------------------------------------------------- */

static bool take_hex(const char **at, const char *end, uint64_t *value)
{
	const char *begin = *at;

	for (*value = 0; *at < end && *at - begin < 16; ++*at) {
		int digit = **at >= '0' && **at <= '9'	 ? **at - '0'
			    : **at >= 'a' && **at <= 'f' ? **at - 'a' + 10
							 : -1;
		if (digit < 0)
			break;
		*value = *value << 4 | (uint64_t)digit;
	}
	return *at > begin;
}

/* Where the file's addresses begin: a segment need not have the same address as offset. */
static uint64_t bias_of(const struct mapping *m)
{
	char *path = strndup(m->path.bytes, m->path.length);
	uint64_t bias = m->start - m->offset;
	struct elf_file f;
	struct error unused;

	if (!path || *path != '/' || elf_file_open(&f, path, &unused)) {
		free(path);
		return bias;
	}
	for (size_t i = 0; i < f.n_segments; i++) {
		const Elf64_Phdr *p = &f.segments[i];

		if (p->p_type == PT_LOAD && p->p_flags & PF_X && m->offset + 4096 > p->p_offset &&
		    m->offset < p->p_offset + p->p_filesz) {
			bias = m->start - m->offset - (p->p_vaddr - p->p_offset);
			break;
		}
	}
	elf_file_close(&f);
	free(path);
	return bias;
}

/* "5581-5582 r-xp 00001000 fe:01 123   /usr/bin/lua". Lines of another form are left out. */
static int take_mapping(struct gperftools *g, const char *at, const char *end)
{
	struct mapping m = {0};
	const char *flags;

	if (!take_hex(&at, end, &m.start) || at == end || *at++ != '-' ||
	    !take_hex(&at, end, &m.end) || m.end <= m.start || end - at < 6 || *at != ' ')
		return 0;
	g->listed = m.end > g->listed ? m.end : g->listed;
	flags = at + 1;
	at += 6;
	if (flags[2] != 'x' || !take_hex(&at, end, &m.offset))
		return 0;
	for (int skipped = 0; skipped < 2; skipped++) { /* the device and the inode */
		while (at < end && *at == ' ')
			at++;
		while (at < end && *at != ' ')
			at++;
	}
	while (at < end && *at == ' ')
		at++;
	if (at == end)
		return 0;
	m.path = (struct event_text){at, (size_t)(end - at)};
	if (!array_reserve(&g->mappings, &g->mappings_size, g->n_mappings + 1,
			   sizeof(*g->mappings)))
		return error_memory(g->err);
	m.bias = bias_of(&m);
	if (!g->n_mappings)
		g->program = m.path;
	g->mappings[g->n_mappings++] = m;
	return 0;
}

static void set_cut(struct gperftools *g, const char *at, const char *why)
{
	g->cut.offset = (uint64_t)(at - (const char *)g->bytes);
	g->cut.why = why;
}

/* The kernel lists mappings in the order of their addresses, and after the last code there is more, at least the stack.
 * Nothing else tells where the text should end. */
static int take_text(struct gperftools *g, size_t from)
{
	const char *at = (const char *)g->bytes + from, *end = (const char *)g->bytes + g->n, *stop;

	if (at == end)
		set_cut(g, at, "it ends before its mappings");
	for (; at < end; at = stop + 1) {
		stop = memchr(at, '\n', (size_t)(end - at));
		if (!stop) {
			set_cut(g, at, "it ends within a line of its mappings, which is left out");
			return 0;
		}
		if (take_mapping(g, at, stop))
			return -1;
	}
	if (!g->cut.why && g->listed <= g->highest)
		set_cut(g, end, "it ends before the mappings that its stacks are in");
	return 0;
}

static int compare(const void *a, const void *b)
{
	const struct mapping *x = a, *y = b;

	return x->start < y->start ? -1 : x->start > y->start;
}

static int push_modules(struct gperftools *g)
{
	for (size_t i = 0; i < g->n_mappings; i++) {
		const struct mapping *m = &g->mappings[i];
		const struct event_module e = {
			.id = (uint32_t)i,
			.path = m->path,
			.bias = m->bias,
			.is_vdso = m->path.length == 6 && !memcmp(m->path.bytes, "[vdso]", 6),
		};

		if (g->sink->module && g->sink->module(g->sink->context, &e, g->err))
			return -1;
	}
	return 0;
}

/* ---- stacks ----------------------------------------------------------------------------------- */

static struct event_frame frame_at(const struct gperftools *g, uint64_t pc)
{
	size_t low = 0, high = g->n_mappings;

	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;

		if (g->mappings[middle].start <= pc)
			low = middle;
		else
			high = middle;
	}
	if (high && pc >= g->mappings[low].start && pc < g->mappings[low].end)
		return (struct event_frame){.module = (uint32_t)low,
					    .address = pc - g->mappings[low].bias};
	return (struct event_frame){.module = EVENT_NO_MODULE, .address = pc};
}

/* Find the end of the stacks, and the highest address of theirs. */
static int find_end(struct gperftools *given, size_t *at)
{
	struct gperftools g = *given;
	uint64_t count, depth, pc;

	for (;; g.at += (size_t)(2 + depth) * WORD) {
		if (!has_words(&g, 2))
			return wrong(&g, "the file ends before the end of its stacks");
		count = word(&g, g.at);
		depth = word(&g, g.at + WORD);
		if (!depth)
			return wrong(&g, "a stack without frames");
		if (!has_words(&g, 3) || depth > (g.n - g.at) / WORD - 2)
			return wrong(&g, "the file ends inside a stack");
		if (!count && depth == 1 && !word(&g, g.at + 2 * WORD))
			break;
		for (size_t i = 0; i < depth; i++) {
			pc = word(&g, g.at + (2 + i) * WORD);
			if (pc < USER_END && pc > given->highest)
				given->highest = pc;
		}
	}
	*at = g.at + 3 * WORD;
	return 0;
}

static int push_stack(struct gperftools *g, uint64_t count, size_t depth)
{
	struct event_sample e = {.hits = count, .depth = depth};
	size_t i;

	if (__builtin_mul_overflow(count, g->period_ns, &e.weight) ||
	    __builtin_add_overflow(g->hits, count, &g->hits))
		return wrong(g, "overflow: the time does not fit 64 bits");
	if (!array_reserve(&g->frames, &g->frames_size, depth, sizeof(*g->frames)))
		return error_memory(g->err);
	for (i = 0; i < depth; i++) {
		uint64_t pc = word(g, g->at + (2 + i) * WORD);

		/* A call may be the last instruction of its function. */
		g->frames[depth - 1 - i] = frame_at(g, i && pc ? pc - 1 : pc);
	}
	e.frames = g->frames;
	if (g->sink->sample && g->sink->sample(g->sink->context, &e, g->err))
		return error_append(g->err, " at byte %zu", g->at);
	return 0;
}

static int push_stacks(struct gperftools *g, size_t end)
{
	while (g->at < end - 3 * WORD) {
		size_t depth = (size_t)word(g, g->at + WORD);

		if (push_stack(g, word(g, g->at), depth))
			return -1;
		g->at += (2 + depth) * WORD;
	}
	return 0;
}

/* ---- the input -------------------------------------------------------------------------------- */

static int push_process(struct gperftools *g)
{
	const struct event_process e = {
		.kind = &decode_gperftools.kind,
		.file = g->name,
		.resource = event_text_of("cpu"),
		.unit = event_text_of("ns"),
		.scale = 1,
		.interval = g->period_ns,
		.engine = event_text_of("gperftools"),
		.exe = g->program,
		.recorder = event_text_of("gperftools"),
	};

	return event_push_process(&g->sink, &e, g->err);
}

static int push_end(struct gperftools *g)
{
	const struct event_end e = {.ticks = g->hits, .bytes = g->n};

	if (g->cut.why)
		return g->sink->cut ? g->sink->cut(g->sink->context, &g->cut, g->err) : 0;
	return g->sink->end ? g->sink->end(g->sink->context, &e, g->err) : 0;
}

static int decode(struct gperftools *g)
{
	size_t end = 0;
	int status;

	if (!has_words(g, HEADER_WORDS))
		return wrong(g, "the file ends inside its header");
	if (__builtin_mul_overflow(word(g, 3 * WORD), 1000, &g->period_ns) || !g->period_ns)
		return wrong(g, "a period that is none");
	if (!has_words(g, word(g, WORD)) || !has_words(g, word(g, WORD) + 2))
		return wrong(g, "the file ends inside its header");
	g->at = (size_t)(2 + word(g, WORD)) * WORD;
	if (find_end(g, &end) || take_text(g, end))
		return -1;
	if (g->n_mappings)
		qsort(g->mappings, g->n_mappings, sizeof(*g->mappings), compare);
	status = push_process(g);
	if (!status)
		status = push_modules(g) || push_stacks(g, end) || push_end(g) ? -1 : 0;
	return status;
}

static int run(struct input *in, const char *path, const struct event_sink *sink, struct error *err)
{
	struct whole_input w;
	struct gperftools g = {.sink = sink, .err = err, .name = input_name(in)};
	int status = whole_input_read(&w, in, err);

	(void)path;
	g.bytes = w.bytes;
	g.n = w.n;
	if (!status)
		status = decode(&g);
	free(g.mappings);
	free(g.frames);
	whole_input_free(&w);
	return status < 0 ? -1 : 0;
}

static int detect(const unsigned char *head, size_t n)
{
	static const unsigned char begin[] = {0, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0,
					      0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};

	return n >= sizeof(begin) && !memcmp(head, begin, sizeof(begin));
}

const struct decoder decode_gperftools = {
	.kind = {.name = "a CPU profile of gperftools", .has_executable = true},
	.detect = detect,
	.run = run,
};
