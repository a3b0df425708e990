/* SPDX-License-Identifier: MIT */
/*
 * native_stacks.c - follows stacks of threads that were copied, by the unwind tables of their files.
 *
 * In: registers, copies of memory, files. Out: frames. Where a module has no table, libdw follows frame pointers.
 */
#include "launcher/native_stacks.h"

#include <elfutils/libdwfl.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/regular.h"

#define FRAMES_MAX 200000 /* what is damaged may lead in a circle */
#define VDSO_MAX   (1u << 20)

/* What libdw is told of a thread. */
struct thread_of {
	struct native_stacks *of;
	const struct snapshot_thread *thread;
};

struct native_stacks {
	struct snapshot *snapshot;
	const struct modules *modules;
	Dwfl *dwfl;
	Elf *elf; /* of this program: what a machine has does not depend on a file of the process */
	int fd;
	struct thread_of thread;     /* that is walked */
	uint64_t guess_pc, guess_sp; /* where to go on; pc 0: where the thread is */
};

/* ---- files ---------------------------------------------------------------------------------------------------- */

/* What libdw asks for has no context of ours but the address. */
static const struct modules *known;

static Elf *elf_of_vdso(const struct module *m)
{
	size_t n = m->end - m->begin < VDSO_MAX ? m->end - m->begin : VDSO_MAX;
	char *bytes = malloc(n); /* libelf refers to it until the end */

	if (bytes && target_read(known->target, m->begin, bytes, n))
		return elf_memory(bytes, n);
	free(bytes);
	return NULL;
}

static int find_elf(Dwfl_Module *module, void **user, const char *name, Dwarf_Addr base,
		    char **file_name, Elf **elf)
{
	const struct module *m = modules_at(known, base);
	struct stat s;
	int fd;

	(void)module, (void)user, (void)name;
	if (!m)
		return -1;
	if (m->is_vdso) {
		*elf = elf_of_vdso(m);
		return -1;
	}
	if (asprintf(file_name, "/proc/%d%s", known->target->pid, m->file) < 0) {
		*file_name = NULL;
		return -1;
	}
	fd = regular_open(*file_name, &s);
	if (fd < 0) {
		free(*file_name);
		*file_name = NULL;
	}
	return fd;
}

static int find_no_debuginfo(Dwfl_Module *module, void **user, const char *name, Dwarf_Addr base,
			     const char *file, const char *link, GElf_Word crc, char **path)
{
	(void)module, (void)user, (void)name, (void)base, (void)file, (void)link, (void)crc,
		(void)path;
	return -1;
}

/* ---- threads ---------------------------------------------------------------------------------------------------- */

static pid_t next_thread(Dwfl *dwfl, void *context, void **thread)
{
	(void)dwfl, (void)context, (void)thread;
	return 0;
}

static bool get_thread(Dwfl *dwfl, pid_t tid, void *context, void **thread)
{
	struct native_stacks *n = context;

	(void)dwfl;
	for (size_t i = 0; i < n->snapshot->n_threads; i++)
		if (n->snapshot->threads[i].at.tid == tid) {
			n->thread = (struct thread_of){n, &n->snapshot->threads[i]};
			*thread = &n->thread;
			return true;
		}
	return false;
}

static bool read_memory(Dwfl *dwfl, Dwarf_Addr at, Dwarf_Word *word, void *context)
{
	struct native_stacks *n = context;

	(void)dwfl;
	return copied_read(&n->snapshot->memory, at, word, sizeof(*word));
}

static bool set_registers(Dwfl_Thread *of, void *context)
{
	const struct thread_of *thread = context;
	const struct snapshot_thread *t = thread->thread;
	const struct native_stacks *n = thread->of;
	uint64_t registers[STOP_DWARF_REGISTERS];
	Dwarf_Word words[STOP_DWARF_REGISTERS];

	stop_dwarf(&t->at.regs, registers);
	for (size_t i = 0; i < STOP_DWARF_REGISTERS; i++)
		words[i] = registers[i];
	if (n->guess_pc)
		words[STOP_DWARF_SP] = n->guess_sp;
	dwfl_thread_state_register_pc(of, n->guess_pc ? n->guess_pc : stop_pc(&t->at.regs));
	if (!t->has_stopped)
		return dwfl_thread_state_registers(of, STOP_DWARF_SP, 1, words + STOP_DWARF_SP);
	return dwfl_thread_state_registers(of, 0, STOP_DWARF_REGISTERS, words);
}

/* ---- open and close ------------------------------------------------------------------------------------------------ */

static bool report(struct native_stacks *n)
{
	char name[24];

	for (size_t i = 0; i < n->modules->n; i++) {
		const struct module *m = &n->modules->list[i];

		snprintf(name, sizeof(name), "%zu", i);
		dwfl_report_module(n->dwfl, name, m->begin, m->end);
	}
	return dwfl_report_end(n->dwfl, NULL, NULL) == 0;
}

struct native_stacks *native_stacks_open(struct snapshot *s, const struct modules *m)
{
	static char *none;
	static const Dwfl_Callbacks callbacks = {
		.find_elf = find_elf, .find_debuginfo = find_no_debuginfo, .debuginfo_path = &none};
	static const Dwfl_Thread_Callbacks threads = {.next_thread = next_thread,
						      .get_thread = get_thread,
						      .memory_read = read_memory,
						      .set_initial_registers = set_registers};
	struct native_stacks *n = calloc(1, sizeof(*n));

	if (!n)
		return NULL;
	elf_version(EV_CURRENT);
	known = m;
	n->snapshot = s;
	n->modules = m;
	n->fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	n->elf = elf_begin(n->fd, ELF_C_READ, NULL);
	n->dwfl = dwfl_begin(&callbacks);
	if (n->elf && n->dwfl && report(n) &&
	    dwfl_attach_state(n->dwfl, n->elf, s->target->pid, &threads, n))
		return n;
	native_stacks_close(n);
	return NULL;
}

void native_stacks_close(struct native_stacks *n)
{
	if (n->dwfl)
		dwfl_end(n->dwfl);
	if (n->elf)
		elf_end(n->elf);
	if (n->fd >= 0)
		close(n->fd);
	free(n);
}

/* ---- guesses -------------------------------------------------------------------------------------------------------- */
/*
 * Files without tables are musl's library and what is written in assembly. There the next word of the stack that follows a call is
 * taken for where the function returns to, if that call leads into the file that the function is in, or is an indirect one.
 */

#define WORDS_LOOKED_AT 1024
#define GUESSES_MAX	64

static bool is_code(const struct native_stacks *n, uint64_t pc)
{
	const struct mapping *m = target_mapping(n->snapshot->target, pc);

	return m && m->allowed[2] == 'x';
}

/* Where a call of a linkage table leads in the end: endbr64; jmp *there(%rip) */
static uint64_t behind_stub(const struct target *t, uint64_t stub)
{
	static const uint8_t mark[] = {0xf3, 0x0f, 0x1e, 0xfa};
	uint8_t b[16];
	uint64_t to;
	int32_t offset;
	size_t i = 0;

	if (!target_read(t, stub, b, sizeof(b)))
		return stub;
	i += memcmp(b, mark, sizeof(mark)) == 0 ? sizeof(mark) : 0;
	i += b[i] == 0xf2;
	if (b[i] != 0xff || b[i + 1] != 0x25)
		return stub;
	memcpy(&offset, b + i + 2, sizeof(offset));
	return target_read(t, stub + i + 6 + (uint64_t)(int64_t)offset, &to, sizeof(to)) ? to
											 : stub;
}

static bool is_return(const struct native_stacks *n, uint64_t pc, const struct module *to)
{
	const struct target *t = n->snapshot->target;
	uint64_t callee;
	int32_t offset;
	uint8_t b[8];

	if (!modules_at(n->modules, pc) || !target_read(t, pc - sizeof(b), b, sizeof(b)))
		return false;
	if (b[3] == 0xe8) {
		memcpy(&offset, b + 4, sizeof(offset));
		callee = pc + (uint64_t)(int64_t)offset;
		return modules_at(n->modules, callee) == to ||
		       modules_at(n->modules, behind_stub(t, callee)) == to;
	}
	for (int i = 2; i <= 7; i++)
		if (b[8 - i] == 0xff && (b[9 - i] & 0x38) == 0x10)
			return true;
	return false;
}

/* Sets where to go on behind the last frame. False: nothing looks like that. */
static bool guess(struct native_stacks *n, const struct native_frame *last)
{
	const struct module *m = modules_at(n->modules, last->pc);
	uint64_t word;

	if (!m || !last->sp)
		return false;
	for (uint64_t at = last->sp & -UINT64_C(8), i = 0; i < WORDS_LOOKED_AT; i++, at += 8) {
		if (!copied_read(&n->snapshot->memory, at, &word, sizeof(word)))
			return false;
		if (!is_code(n, word) || !is_return(n, word, m))
			continue;
		n->guess_pc = word;
		n->guess_sp = at + 8;
		return true;
	}
	return false;
}

/* ---- walk ------------------------------------------------------------------------------------------------------------ */

static int on_frame(Dwfl_Frame *frame, void *context)
{
	struct native_stack *stack = context;
	struct native_frame *f;
	Dwarf_Word sp;

	if (stack->n >= FRAMES_MAX ||
	    !array_reserve(&stack->frames, &stack->room, stack->n + 1, sizeof(*f)))
		return DWARF_CB_ABORT;
	f = &stack->frames[stack->n];
	if (!dwfl_frame_pc(frame, &f->pc, &f->is_exact))
		return DWARF_CB_ABORT;
	f->is_guess = false;
	f->sp = dwfl_frame_reg(frame, STOP_DWARF_SP, &sp) == 0 ? sp : 0;
	stack->n++;
	return DWARF_CB_OK;
}

/* The first frame of a part that goes on behind a guess has called. */
static bool walk_part(struct native_stacks *n, int tid, struct native_stack *stack)
{
	size_t first = stack->n;
	bool is_whole = dwfl_getthread_frames(n->dwfl, tid, on_frame, stack) == 0;

	while (!is_whole && stack->n > first + 1 && !is_code(n, stack->frames[stack->n - 1].pc))
		stack->n--; /* where frame pointers are followed that are none */
	if (n->guess_pc && stack->n > first) {
		stack->frames[first].is_exact = false;
		stack->frames[first].is_guess = true;
	}
	return is_whole;
}

void native_stacks_walk(struct native_stacks *n, size_t thread, struct native_stack *stack)
{
	const struct snapshot_thread *t = &n->snapshot->threads[thread];

	stack->n = 0;
	n->guess_pc = 0;
	stack->is_whole = walk_part(n, t->at.tid, stack);
	if (!stack->n && array_reserve(&stack->frames, &stack->room, 1, sizeof(*stack->frames)))
		stack->frames[stack->n++] = (struct native_frame){
			stop_pc(&t->at.regs), stop_sp(&t->at.regs), true, false};
	for (int i = 0; i < GUESSES_MAX && !stack->is_whole && stack->n; i++) {
		if (!guess(n, &stack->frames[stack->n - 1]))
			break;
		stack->is_whole = walk_part(n, t->at.tid, stack);
	}
	n->guess_pc = 0;
}
