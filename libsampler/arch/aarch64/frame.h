/* SPDX-License-Identifier: MIT */
/*
 * frame.h - what the kernel has put on the stack for a signal handler, and the system call that the signal has met.
 */
#ifndef CPS_AARCH64_FRAME_H
#define CPS_AARCH64_FRAME_H

#include <asm/sigcontext.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <ucontext.h>

#include "arch/arch.h"

/* ---- the frame of a signal ------------------------------------------------------------------- */
/*
 * From the stack pointer of the handler up there are: siginfo; the context, with records of the other registers in 4096 bytes
 * at its end; if these do not suffice, more records, which begin in them, and whose address and size one of the former says; and a frame record, by
 * which the interrupted function is found from the handler's. The handler's frame pointer is the address of that.
 */

#define CPS_REGS_INFO_BYTES   ((uintptr_t)sizeof(siginfo_t))
#define CPS_REGS_RECORD_BYTES ((uintptr_t)16)

/* [signal] The context of a handler that begins with this stack pointer, or has just returned with it. */
static inline uintptr_t cps_regs_handlers_context(uintptr_t sp)
{
	return sp + CPS_REGS_INFO_BYTES;
}

/* [signal] */
static inline uintptr_t cps_regs_returned_context(uintptr_t sp)
{
	return sp + CPS_REGS_INFO_BYTES;
}

/* [signal] Whether a handler of signals has been called, and has not executed anything yet: the kernel gives it the addresses
 * of siginfo and context, if it has asked for them. A handler that has not is not noticed, and has a frame of its own. */
static inline int cps_regs_is_at_handler(const struct cps_regs *regs)
{
	enum { SIGNALS = 64 };

	return regs->r[2] == cps_regs_handlers_context(regs->r[CPS_REG_SP]) &&
	       regs->r[1] == regs->r[CPS_REG_SP] && regs->r[0] - 1 < SIGNALS;
}

/* [signal] Whether a handler may just have returned with these registers, to code of which nothing is known, as qemu's is: then
 * the frame pointer is where the kernel has put the frame record, and nobody else has so much below his. */
static inline int cps_regs_may_be_returned(const struct cps_regs *regs)
{
	const uint64_t both = CPS_REGS_BIT(CPS_REG_SP) | CPS_REGS_BIT(CPS_REG_FP);
	uint64_t least = CPS_REGS_INFO_BYTES + sizeof(ucontext_t);

	return (regs->valid & both) == both &&
	       regs->r[CPS_REG_FP] - regs->r[CPS_REG_SP] - least < (1u << 20);
}

/* [signal] Where the context at this address has a register. */
static inline uintptr_t cps_regs_saved_at(uintptr_t context, int i)
{
	const ucontext_t *uc = (const ucontext_t *)context;

	return i < CPS_REG_SP	 ? (uintptr_t)&uc->uc_mcontext.regs[i]
	       : i == CPS_REG_SP ? (uintptr_t)&uc->uc_mcontext.sp
				 : (uintptr_t)&uc->uc_mcontext.pc;
}

/* [signal] The record of this kind in the context; NULL: there is none, or what is there makes no sense. */
static inline const struct _aarch64_ctx *cps_regs_record(const ucontext_t *uc, uint32_t magic)
{
	const unsigned char *p = uc->uc_mcontext.__reserved;
	const unsigned char *end = p + sizeof(uc->uc_mcontext.__reserved);

	while (end - p >= (ptrdiff_t)sizeof(struct _aarch64_ctx)) {
		const struct _aarch64_ctx *record = (const struct _aarch64_ctx *)p;

		if (record->magic == magic)
			return record;
		if (!record->magic || record->size < sizeof(*record) || record->size % 16 ||
		    record->size > (size_t)(end - p))
			return NULL;
		p += record->size;
	}
	return NULL;
}

/* [signal] */
static inline const struct fpsimd_context *cps_regs_vectors(const ucontext_t *uc)
{
	return (const struct fpsimd_context *)cps_regs_record(uc, FPSIMD_MAGIC);
}

/* [signal] The end of all that the kernel has put there for a handler, whose context `uc` is still where it was put: that of the
 * frame record, which says the same as the context. 0: it is not there. */
static inline uintptr_t cps_regs_frame_end(const ucontext_t *uc)
{
	const struct extra_context *extra =
		(const struct extra_context *)cps_regs_record(uc, EXTRA_MAGIC);
	uintptr_t end = (uintptr_t)(uc + 1), record[2];

	if (extra && (extra->head.size < sizeof(*extra) || extra->datap < (uintptr_t)extra ||
		      extra->datap >= end || extra->size > (1u << 20)))
		return 0;
	if (extra && extra->datap + extra->size > end)
		end = extra->datap + extra->size;
	memcpy(record, (const void *)end, sizeof(record));
	return record[0] == uc->uc_mcontext.regs[CPS_REG_FP] &&
			       record[1] == uc->uc_mcontext.regs[CPS_REG_RA]
		       ? end + CPS_REGS_RECORD_BYTES
		       : 0;
}

/* [signal] For the handler of a signal, whose context `uc` is still where the kernel has put it: the
 * place where the kernel would put the context on a stack that is free below `top`; and in *state that
 * of its floating-point registers. 0: not known. */
static inline uintptr_t cps_regs_place_of_context(const ucontext_t *uc, uintptr_t top,
						  uintptr_t *state)
{
	uintptr_t end = cps_regs_frame_end(uc), to;
	const struct fpsimd_context *vectors = cps_regs_vectors(uc);

	if (!end || !vectors)
		return 0;
	to = (top & ~(uintptr_t)15) - (end - (uintptr_t)uc);
	*state = to + ((uintptr_t)vectors - (uintptr_t)uc);
	return to;
}

/* [signal] The stack pointer of the interrupted code, and the end of what is free below it. */
static inline uintptr_t cps_regs_interrupted_sp(const ucontext_t *uc)
{
	return uc->uc_mcontext.sp;
}

/* [signal] Whether what lies above this return address, which can be read, may be the frame that the kernel has made for
 * a handler. Return addresses do not lie there (collector/calls.c). */
static inline int cps_regs_may_be_handler(const uintptr_t *at)
{
	(void)at;
	return 0;
}

/* [signal] Copies what the kernel has put on the stack for a handler so that the context is at `to`. cps_regs_place_of_context
 * has said so. What says where further records are is moved with them. */
static inline void cps_regs_move_context(const ucontext_t *uc, uintptr_t to)
{
	const char *from = (const char *)uc - CPS_REGS_INFO_BYTES;
	struct extra_context *extra;

	memcpy((char *)to - CPS_REGS_INFO_BYTES, from, cps_regs_frame_end(uc) - (uintptr_t)from);
	extra = (struct extra_context *)cps_regs_record((const ucontext_t *)to, EXTRA_MAGIC);
	if (extra)
		extra->datap += to - (uintptr_t)uc;
}

/* ---- the system call that a signal has met ---------------------------------------------------- */

#include "arch/generic/call.h"

#define CPS_REGS_MARK UINT64_C(0x6c6c616370637370) /* any value that no program has there */

/* [signal] Gives the calling thread's next system call a number, in a register that functions may
 * change and hardly ever do, and that the kernel saves with the others when there is a signal. */
static inline void cps_regs_set_number(uint64_t number)
{
	__asm__ volatile("fmov d31, %0\n\tmov v31.d[1], %1"
			 :
			 : "r"(number), "r"(CPS_REGS_MARK)
			 : "v31");
}

/* [signal] That number, from what the kernel has saved of the floating-point registers; 0: something else is in the
 * register. */
static inline uint64_t cps_regs_number(uintptr_t state)
{
	uint64_t number[2];

	memcpy(number, &((const struct fpsimd_context *)state)->vregs[31], sizeof(number));
	return number[1] == CPS_REGS_MARK ? number[0] : 0;
}

/* [signal] That number, from a context, which need not have these registers. */
static inline uint64_t cps_regs_context_number(const ucontext_t *uc)
{
	const struct fpsimd_context *vectors = cps_regs_vectors(uc);

	return vectors ? cps_regs_number((uintptr_t)vectors) : 0;
}

/* How many bytes of these registers are there to be read for that. */
#define CPS_REGS_STATE_BYTES sizeof(struct fpsimd_context)

/* [signal] Whether two contexts are those of the same moment. */
static inline int cps_regs_is_same(const ucontext_t *a, const ucontext_t *b)
{
	return a->uc_mcontext.pc == b->uc_mcontext.pc && a->uc_mcontext.sp == b->uc_mcontext.sp &&
	       memcmp(a->uc_mcontext.regs, b->uc_mcontext.regs, sizeof(a->uc_mcontext.regs)) == 0;
}

#endif
