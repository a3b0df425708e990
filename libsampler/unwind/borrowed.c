/* SPDX-License-Identifier: MIT */
/*
 * borrowed.c - looks for an interpreter's return address above generated code.
 *
 * In: the stack pointer, the stack. Out: the registers of the interpreter's caller. What is looked for is the
 * return address of a call that leads straight to a large function, as only interpreters are, and
 * the whole frame of that function has to lie between stack pointer and return address.
 *
 * Order: each word of `others` is a key by itself.
 */
#include "unwind/borrowed.h"
#include "unwind/call.h"
#include "unwind/cfi.h"
#include "unwind/fde.h"
#include "unwind/module.h"
#include "base/poison.h"

#define BITS	     10
#define WORDS_MAX    256u  /* of both frames; LuaJIT's code has 1 KiB of its own at most */
#define LARGE_BYTES  8192u /* LuaJIT's interpreter has 16 KiB */
#define ROWS_MAX     16u   /* of a prologue */
#define BETWEEN_MOST 16u   /* bytes in which no other frame has room */

/* Return addresses of other calls, together with the generation. */
static _Atomic uint64_t others[1u << BITS];

/* What is known of a return address. */
struct call {
	uint32_t module; /* it lies in, or CPS_MODULE_NONE */
	enum cps_regs_target kind;
	uintptr_t target; /* in the same file; or 0 */
};

static struct call call_before(uintptr_t ra)
{
	struct call c = {.module = cps_module_find(ra - 1)};
	uint8_t code[CPS_REGS_TARGET_BYTES];

	if (c.module == CPS_MODULE_NONE || !cps_module_copy(code, ra - sizeof(code), sizeof(code)))
		return c;
	c.kind = cps_regs_target(code, ra, &c.target);
	if (c.kind == CPS_REGS_UNKNOWN ||
	    (c.kind == CPS_REGS_STORED &&
	     !cps_module_copy(&c.target, c.target, sizeof(c.target))) ||
	    cps_module_find(c.target) != c.module)
		c.target = 0;
	return c;
}

/* A large function, and its row where its frame is as large as it gets at first. */
struct host {
	uintptr_t start, end;
	struct cps_row row;
};

static bool find_host(const struct call *call, struct host *host)
{
	uintptr_t pc = call->target;
	const struct cps_module *m = cps_module_listed(call->module, &pc);
	struct cps_fde_window window;
	struct cps_row next;
	struct cps_fde fde;

	host->row.cfa_offset = 0;
	if (!m || !cps_fde_find(m, pc, m->is_lasting ? NULL : &window, &fde) ||
	    fde.end - fde.start < LARGE_BYTES)
		return false;
	host->start = fde.start - pc + call->target;
	host->end = fde.end - pc + call->target;
	pc = fde.start;
	for (unsigned i = 0; i < ROWS_MAX && pc < fde.end; i++, pc = next.until) {
		cps_cfi_row(m, pc, true, &next);
		if (next.kind != CPS_ROW_FAST || next.from_fp ||
		    next.cfa_offset < host->row.cfa_offset)
			break;
		host->row = next;
	}
	return host->row.cfa_offset > 0;
}

/* Whether the host has called what lies below it, so that it has not given its frame away. What lies there may
 * also be left over from a call that is over, by which it cannot have come to generated code if that
 * call says itself where it leads and nothing else lies in between. */
static bool has_called(const struct host *host, uint64_t sp, uint64_t host_sp,
		       const struct cps_peek *peek)
{
	uint64_t ra;

	if (host_sp == sp || !cps_peek(peek, host_sp - 8, &ra) || ra <= host->start ||
	    ra > host->end || !cps_call_comes_before(ra))
		return false;
	return host_sp - sp > BETWEEN_MOST || call_before(ra).kind != CPS_REGS_DIRECT;
}

/* Whether the return address is that of a call of a host. Stacks have the same return addresses again and
 * again, and to see that one is none may take system calls. */
static bool leads_to_host(uintptr_t ra, struct host *host)
{
	uint64_t key = ra ^ (uint64_t)cps_module_generation() << 48;
	_Atomic uint64_t *none = &others[key * UINT64_C(0x9e3779b97f4a7c15) >> (64 - BITS)];
	struct call call;

	if (ra < 4096 || atomic_load_explicit(none, memory_order_relaxed) == key)
		return false;
	call = call_before(ra);
	if (call.target && find_host(&call, host))
		return true;
	atomic_store_explicit(none, key, memory_order_relaxed);
	return false;
}

bool cps_borrowed_step(struct cps_regs *regs, const struct cps_peek *peek)
{
	uint64_t sp = regs->r[CPS_REG_SP], cfa = (sp + 31) & ~UINT64_C(15);
	uint64_t last = cfa + WORDS_MAX * 8, ra;
	struct cps_row *row;
	struct host host;

	for (;; cfa += 16) {
		if (cfa > last || !cps_peek(peek, cfa - 8, &ra))
			return false;
		if (leads_to_host(ra, &host) && cfa - sp >= (uint64_t)host.row.cfa_offset)
			break;
	}
	row = &host.row;
	if (has_called(&host, sp, cfa - (uint64_t)row->cfa_offset, peek) ||
	    (row->fp_offset &&
	     !cps_peek(peek, cfa + (uint64_t)(int64_t)row->fp_offset, &regs->r[CPS_REG_FP])))
		return false;
	regs->r[CPS_REG_SP] = cfa;
	regs->r[CPS_REG_PC] = ra;
	regs->valid = 1u << CPS_REG_SP | 1u << CPS_REG_PC | (row->fp_offset ? 1u << CPS_REG_FP : 0);
	return true;
}
