/* SPDX-License-Identifier: MIT */
/*
 * place.c - tells whether a stopped thread is where it holds no lock that matters.
 *
 * In: images, registers, memory of the stack. Out: the reason why not.
 */
#include "launcher/place.h"

#include <elfutils/libdwfl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>

#include "launcher/proc.h"

struct range {
	uint64_t begin, end;
	const char *why;
};

static struct range *ranges;
static size_t n_ranges, room;

static void add(uint64_t begin, uint64_t end, const char *why)
{
	if (begin >= end)
		return;
	if (n_ranges == room) {
		room = room * 2 + 256;
		ranges = realloc(ranges, room * sizeof(*ranges));
		if (!ranges)
			abort();
	}
	ranges[n_ranges++] = (struct range){begin, end, why};
}

static const char recorder[] = "the recorder"; /* as a reason, it is compared by address */

#define OWN_SIGNAL 32 /* of the recorder; programs do not block it */

static const char *why_at(uint64_t pc)
{
	for (size_t i = 0; i < n_ranges; i++)
		if (pc >= ranges[i].begin && pc < ranges[i].end)
			return ranges[i].why;
	return NULL;
}

/* ---- learning ---------------------------------------------------------------------------------------- */

/* Functions of the allocator's own object file, with which its static functions lie. */
static const char *const allocators[] = {
	"malloc",
	"calloc",
	"realloc",
	"free",
	"cfree",
	"memalign",
	"valloc",
	"aligned_alloc",
	"pvalloc",
	"mallinfo",
	"posix_memalign",
	"malloc_trim",
	"malloc_info",
	"malloc_usable_size",
	"mallinfo2",
	"mallopt",
	"malloc_stats",
	"__libc_malloc",
	"__libc_free",
	"__libc_calloc",
	"__libc_realloc",
	"__libc_memalign",
	NULL,
};

static const char *const others[] = {
	"pthread_create",
	"pthread_join",
	"pthread_exit",
	"pthread_detach",
	"pthread_cancel",
	"pthread_key_create",
	"pthread_getattr_np",
	"pthread_setattr_default_np",
	"fork",
	"_Fork",
	"vfork",
	"posix_spawn",
	"posix_spawnp",
	"daemon",
	"system",
	"popen",
	"dlopen",
	"dlmopen",
	"dlclose",
	"dlsym",
	"dlvsym",
	"dl_iterate_phdr",
	"dladdr",
	"dladdr1",
	"dlinfo",
	"__libc_dlopen_mode",
	"_dl_find_object",
	"exit",
	"quick_exit",
	"on_exit",
	"atexit",
	"__cxa_atexit",
	"__cxa_finalize",
	"__cxa_thread_atexit_impl",
	"__register_atfork",
	"__libc_start_main_impl",
	"setuid",
	"setgid",
	"seteuid",
	"setegid",
	"setreuid",
	"setregid",
	"setresuid",
	"setresgid",
	"setgroups",
	"_Znwm",
	"_Znam",
	"_ZdlPv",
	"_ZdaPv",
	"_ZdlPvm",
	"_ZdaPvm",
	NULL,
};

/* An object file is not larger. */
#define FAMILY_BYTES (UINT64_C(1) << 20)
#define FAMILY_EDGE  (UINT64_C(1) << 16)

static bool is_among(const char *name, const char *const *list)
{
	while (*list && strcmp(*list, name) != 0)
		list++;
	return *list != NULL;
}

static bool is_function(const Elf64_Sym *s)
{
	int type = ELF64_ST_TYPE(s->st_info);

	return s->st_shndx != SHN_UNDEF && (type == STT_FUNC || type == STT_GNU_IFUNC);
}

static const char *name_of(const struct image *image, const Elf64_Sym *s)
{
	return s->st_name < image->names_bytes ? image->names + s->st_name : "";
}

/* From the end of the exported function before the family to the begin of that behind it. */
static void add_family(const struct image *image, uint64_t low, uint64_t high, const char *why)
{
	uint64_t begin = low > FAMILY_EDGE ? low - FAMILY_EDGE : 0, end = high + FAMILY_EDGE;

	for (size_t i = 1; i < image->n_symbols; i++) {
		const Elf64_Sym *s = &image->symbols[i];

		if (!is_function(s) || is_among(name_of(image, s), allocators))
			continue;
		if (s->st_value + s->st_size <= low && s->st_value + s->st_size > begin)
			begin = s->st_value + s->st_size;
		if (s->st_value >= high && s->st_value < end)
			end = s->st_value;
	}
	add(image->bias + begin, image->bias + end, why);
}

static void learn_image(const struct image *image, const char *why)
{
	uint64_t low = UINT64_MAX, high = 0;

	for (size_t i = 1; i < image->n_symbols; i++) {
		const Elf64_Sym *s = &image->symbols[i];
		uint64_t begin = image->bias + s->st_value;
		const char *name = name_of(image, s);

		if (!is_function(s))
			continue;
		if (is_among(name, others))
			add(begin, begin + s->st_size,
			    "a function of threads, processes or the loader");
		if (!is_among(name, allocators))
			continue;
		add(begin, begin + s->st_size, why);
		low = s->st_value < low ? s->st_value : low;
		high = s->st_value + s->st_size > high ? s->st_value + s->st_size : high;
	}
	if (high && high - low < FAMILY_BYTES)
		add_family(image, low, high, why);
}

static void learn_text(const struct image *image, const char *why)
{
	for (size_t i = 0; i < image->n_headers; i++) {
		const Elf64_Phdr *h = &image->headers[i];

		if (h->p_type == PT_LOAD && h->p_flags & PF_X)
			add(image->bias + h->p_vaddr, image->bias + h->p_vaddr + h->p_memsz, why);
	}
}

static bool is_allocators(const char *path)
{
	const char *name = target_base_name(path);

	return strstr(name, "jemalloc") || strstr(name, "tcmalloc") || strstr(name, "mimalloc");
}

static void learn_mapping(const struct target *t, const struct mapping *m, const struct image *libc)
{
	bool is_loader = strncmp(target_base_name(m->path), "ld-linux", 8) == 0;
	struct image image;

	if (m->offset || m->path[0] != '/' || m->begin == libc->base ||
	    !image_read(t, &image, m->begin))
		return;
	if (is_loader)
		learn_text(&image, "the loader");
	else if (is_allocators(m->path))
		learn_text(&image, "an allocator");
	else if (strstr(m->path, "libcpsample.so"))
		learn_text(&image, recorder);
	else if (image_find(&image, "malloc") || image_find(&image, "_Znwm"))
		learn_image(&image, "an allocator");
	image_free(&image);
}

/* Where handlers of signals return to: mov $15, %rax; syscall. */
static const unsigned char return_code[] = {0x48, 0xc7, 0xc0, 15, 0, 0, 0, 0x0f, 0x05};
static uint64_t returner; /* 0: not known */

#define TEXT_MAX (1u << 28) /* what is larger is forged: a C library's has 2 MB */

static void learn_returner(const struct target *t, const struct image *libc)
{
	returner = 0;
	for (size_t i = 0; i < libc->n_headers && !returner; i++) {
		const Elf64_Phdr *h = &libc->headers[i];
		uint64_t at = libc->bias + h->p_vaddr;
		unsigned char *bytes, *found = NULL;

		if (h->p_type != PT_LOAD || !(h->p_flags & PF_X) || h->p_memsz > TEXT_MAX)
			continue;
		bytes = malloc(h->p_memsz);
		if (bytes && target_read(t, at, bytes, h->p_memsz))
			found = memmem(bytes, h->p_memsz, return_code, sizeof(return_code));
		if (found)
			returner = at + (uint64_t)(found - bytes);
		free(bytes);
	}
}

void place_learn(const struct target *t, const struct image *libc)
{
	n_ranges = 0;
	learn_returner(t, libc);
	learn_image(libc, "malloc");
	for (size_t i = 0; i < t->n_mappings; i++)
		learn_mapping(t, &t->mappings[i], libc);
}

void place_learn_recorder(const struct target *t)
{
	n_ranges = 0;
	for (size_t i = 0; i < t->n_mappings; i++)
		if (strstr(t->mappings[i].path, "libcpsample.so"))
			add(t->mappings[i].begin, t->mappings[i].end, recorder);
}

/* ---- by the words of the stack ------------------------------------------------------------------------ */

#define STACK_MOST (UINT64_C(8) << 20)

/* Whether a call comes before it. */
static bool is_return(const struct target *t, uint64_t pc)
{
	const struct mapping *m = target_mapping(t, pc);
	uint8_t b[8];

	if (!m || m->allowed[2] != 'x' || !target_read(t, pc - sizeof(b), b, sizeof(b)))
		return false;
	if (b[3] == 0xe8)
		return true;
	for (int n = 2; n <= 7; n++) {
		const uint8_t *p = b + 8 - n;

		if (p[0] == 0xff && (p[1] & 0x38) == 0x10)
			return true;
		if (n > 2 && (p[0] & 0xf0) == 0x40 && p[1] == 0xff && (p[2] & 0x38) == 0x10)
			return true;
	}
	return false;
}

/* A handler that runs on a stack of its own may have interrupted another one that does, and so on. */
#define STACKS 4

/* In the frame of a signal, in words behind the address that the handler returns to. */
#define FRAME_SP 21
#define FRAME_PC 22

static const char *why_on_stack(const struct target *t, uint64_t sp, int n_stacks);

/* Whether a handler's frame says that something was interrupted there. Its first word is also in what sigaction(2) is given, which may
 * lie on a stack for long. A jump to nowhere leaves a stack, and a stack that is used up leaves code. */
static bool can_be_interrupted(const struct target *t, uint64_t pc, uint64_t sp)
{
	const struct mapping *code = target_mapping(t, pc);

	return (code && code->allowed[2] == 'x') || target_mapping(t, sp);
}

/* Why the place that a signal has interrupted is unsafe, if words[0] begins the frame of one. That place follows no call.
 * What led to it is on the same stack, which is looked at in any case, or on another one. */
static const char *why_interrupted(const struct target *t, const uint64_t *words, size_t n,
				   const struct mapping *m, uint64_t low, int n_stacks)
{
	const char *why;

	if (!returner || words[0] != returner || n <= FRAME_PC ||
	    !can_be_interrupted(t, words[FRAME_PC], words[FRAME_SP]))
		return NULL;
	why = why_at(words[FRAME_PC]);
	if (!why && n_stacks < STACKS && (words[FRAME_SP] < low || words[FRAME_SP] >= m->end))
		why = why_on_stack(t, words[FRAME_SP], n_stacks + 1);
	return why;
}

/* A call at the end of a function returns to the next one. In wrappers of the recorder's threads are blocked for long; where they
 * are not to be interrupted its signal is blocked (place_is_in_recorder). */
static const char *why_in_words(const struct target *t, const uint64_t *words, size_t n,
				const struct mapping *m, uint64_t low, int n_stacks)
{
	for (size_t i = 0; i < n; i++) {
		const char *why = why_at(words[i] - 1);

		if (why && why != recorder && is_return(t, words[i]))
			return why;
		why = why_interrupted(t, words + i, n - i, m, low, n_stacks);
		if (why)
			return why;
	}
	return NULL;
}

static const char *why_on_stack(const struct target *t, uint64_t sp, int n_stacks)
{
	uint64_t low = sp & -UINT64_C(8), bytes;
	const struct mapping *m = target_mapping(t, low);
	const char *why;
	uint64_t *words;

	if (!m)
		return "a stack that is not mapped";
	bytes = m->end - low < STACK_MOST ? m->end - low : STACK_MOST;
	words = malloc(bytes);
	if (!words || !target_read(t, low, words, bytes))
		why = "a stack that cannot be read";
	else
		why = why_in_words(t, words, bytes / sizeof(*words), m, low, n_stacks);
	free(words);
	return why;
}

bool place_is_in_recorder(const struct target *t, int tid)
{
	bool is_there = false;

	for (size_t i = 0; i < n_ranges; i++)
		is_there |= ranges[i].why == recorder;
	return is_there && proc_status_number(t->pid, tid, "SigBlk", 16) >> (OWN_SIGNAL - 1) & 1;
}

const char *place_unsafe(struct target *t, const struct user_regs_struct *regs)
{
	const char *why = why_at(regs->rip);

	if (why)
		return why;
	if (!target_mapping(t, regs->rsp & -UINT64_C(8)))
		target_read_mappings(t); /* a new thread's */
	return why_on_stack(t, regs->rsp, 1);
}

/* ---- by unwinding --------------------------------------------------------------------------------------- */

static Dwfl *prepare(const struct target *t)
{
	static char *none;
	static const Dwfl_Callbacks callbacks = {.find_elf = dwfl_linux_proc_find_elf,
						 .find_debuginfo = dwfl_standard_find_debuginfo,
						 .debuginfo_path = &none};
	Dwfl *dwfl = dwfl_begin(&callbacks);

	if (!dwfl)
		return NULL;
	if (dwfl_linux_proc_report(dwfl, t->pid) == 0 && dwfl_report_end(dwfl, NULL, NULL) == 0 &&
	    dwfl_linux_proc_attach(dwfl, t->pid, true) == 0)
		return dwfl;
	dwfl_end(dwfl);
	return NULL;
}

static int on_frame(Dwfl_Frame *frame, void *context)
{
	const char **why = context;
	Dwarf_Addr pc;
	bool is_exact;

	if (!dwfl_frame_pc(frame, &pc, &is_exact)) {
		*why = "a frame without an address";
		return DWARF_CB_ABORT;
	}
	*why = why_at(is_exact ? pc : pc - 1);
	if (!is_exact && *why == recorder)
		*why = NULL;
	return *why ? DWARF_CB_ABORT : DWARF_CB_OK;
}

const char *place_unsafe_exactly(const struct target *t, int tid, const char *why)
{
	static bool is_prepared;
	static Dwfl *dwfl;
	const char *found = NULL;
	int result;

	if (!is_prepared)
		dwfl = prepare(t);
	is_prepared = true;
	if (!dwfl || !tid)
		return why;
	result = dwfl_getthread_frames(dwfl, tid, on_frame, &found);
	return found ? found : result ? why : NULL;
}

/* ---- restartable sequences -------------------------------------------------------------------------------- */

#ifndef PTRACE_GET_RSEQ_CONFIGURATION
#define PTRACE_GET_RSEQ_CONFIGURATION 0x420f
#endif

/* Of struct rseq: where the address of the sequence is. Of linux/rseq.h: what describes a sequence. */
#define RSEQ_SEQUENCE 8

struct sequence {
	uint32_t version, flags;
	uint64_t begin, bytes, abort;
};

/* As struct __ptrace_rseq_configuration. */
struct rseq_place {
	uint64_t at;
	uint32_t bytes, signature, flags, padding;
};

bool place_in_sequence(const struct target *t, int tid, const struct user_regs_struct *regs)
{
	struct rseq_place place = {0};
	struct sequence s;
	uint64_t at = 0;

	if (ptrace(PTRACE_GET_RSEQ_CONFIGURATION, tid, sizeof(place), &place) < 0 || !place.at ||
	    !target_read(t, place.at + RSEQ_SEQUENCE, &at, sizeof(at)) || !at ||
	    !target_read(t, at, &s, sizeof(s)))
		return false;
	return regs->rip - s.begin < s.bytes;
}
