/* SPDX-License-Identifier: MIT */
/*
 * hijack.c - has one thread of a process make system calls and one call of a function, and puts it back.
 *
 * In: a thread that is stopped by ptrace, on x86_64. Out: the same thread, and what the calls have returned.
 */
#include "launcher/hijack.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include "base/regular.h"
#include "launcher/proc.h"
#include "libsampler/signal/disposition.h"

#define SECOND_NS UINT64_C(1000000000)

/* ---- code for the thread ------------------------------------------------------------------------------- */
/*
 * r12: how often it waits for the launcher, r13: how long each time (struct timespec), r14: the stack pointer with which it
 * returns from the signal frame. A launcher that lives stops it while it waits; ppoll leaves what the kernel has noted of the
 * call that was interrupted.
 */
/* clang-format off */
__asm__(".pushsection .rodata\n"
	".globl hijack_code, hijack_code_end, hijack_tail, hijack_tail_end\n"
	"hijack_code:\n"		/* rax: the function, rdi: its argument */
	"	call *%rax\n"
	"	jmp 1f\n"
	"hijack_tail:\n"		/* a system call, whose registers are set */
	"	syscall\n"
	"1:	test %r12, %r12\n"
	"	jz 2f\n"
	"	dec %r12\n"
	"	mov $271, %eax\n"	/* ppoll */
	"	xor %edi, %edi\n"
	"	xor %esi, %esi\n"
	"	mov %r13, %rdx\n"
	"	xor %r10d, %r10d\n"
	"	syscall\n"
	"	jmp 1b\n"
	"2:	mov %r14, %rsp\n"
	"	mov $15, %eax\n"	/* rt_sigreturn */
	"	syscall\n"
	"hijack_code_end:\n"
	"hijack_tail_end:\n"
	".popsection\n");
/* clang-format on */

extern const unsigned char hijack_tail[], hijack_tail_end[];

static size_t tail_bytes(void)
{
	return (size_t)(hijack_tail_end - hijack_tail);
}

#define WAITS 4 /* seconds */

/* As the kernel pushes it, from the return address of the handler on, and what ppoll is called with. */
struct frame {
	uint64_t handler_returns_to;
	struct {
		unsigned long flags;
		void *link;
		stack_t stack;
		mcontext_t machine;
		uint64_t mask;
	} context;
	struct timespec wait;
	uint64_t all; /* signals but those of faults */
};

/* asm/sigcontext.h, which ucontext.h excludes. */
#define FP_MAGIC_1  0x46505853u
#define FP_MAGIC_2  0x46505845u
#define FP_SOFTWARE 464 /* where struct _fpx_sw_bytes begins */
#define FP_LEGACY   576 /* with the header */
#define FP_USUAL                                                                                   \
	2696 /* up to protection keys, which are part 9; behind them are those of matrices */
#define FP_USUAL_BITS	 10
#define UC_FP_XSTATE	 1ul
#define UC_SIGCONTEXT_SS 6ul /* with UC_STRICT_RESTORE_SS */

/* ---- places ---------------------------------------------------------------------------------------------- */

#define PAGE   UINT64_C(4096)
#define TAILS  4096
#define MARGIN 64 /* bytes behind the end that are left alone */

struct tail {
	uint64_t begin, end;
	bool is_code;
};

static struct tail tails[TAILS];
static size_t n_tails;

static void find_tails(const struct target *t, const struct mapping *m)
{
	struct image image;

	if (!image_read(t, &image, m->begin))
		return;
	for (size_t i = 0; i < image.n_headers && n_tails < TAILS; i++) {
		const Elf64_Phdr *h = &image.headers[i];
		uint64_t end = image.bias + h->p_vaddr + h->p_memsz,
			 last = (end + PAGE - 1) & -PAGE;
		const struct mapping *here = target_mapping(t, end - 1);

		if (h->p_type != PT_LOAD || h->p_flags & PF_W || !h->p_memsz || !here ||
		    here->allowed[1] == 'w' || here->allowed[0] != 'r' || here->allowed[3] != 'p' ||
		    end + MARGIN >= last || last > here->end)
			continue;
		tails[n_tails++] =
			(struct tail){(end + MARGIN + 63) & -UINT64_C(64), last, h->p_flags & PF_X};
	}
	image_free(&image);
}

/* What is left of a tail serves others. 0: none is long enough. */
static uint64_t take_tail(size_t bytes, bool is_code)
{
	for (size_t i = 0; i < n_tails; i++) {
		uint64_t at = tails[i].begin;

		if ((is_code && !tails[i].is_code) || at + bytes > tails[i].end)
			continue;
		tails[i].begin = (at + bytes + 63) & -UINT64_C(64);
		return at;
	}
	return 0;
}

static uint64_t code_at, frame_at, fp_at;
static size_t fp_room;

bool hijack_find_places(const struct target *t)
{
	static const size_t sizes[] = {HIJACK_XSTATE_MOST, 2800, 1100, 640};

	n_tails = 0;
	fp_at = 0;
	for (size_t i = 0; i < t->n_mappings; i++)
		if (!t->mappings[i].offset && t->mappings[i].path[0] == '/')
			find_tails(t, &t->mappings[i]);
	code_at = take_tail(tail_bytes(), true);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]) && !fp_at; i++) {
		fp_room = sizes[i];
		fp_at = take_tail(fp_room, false);
	}
	frame_at = take_tail(sizeof(struct frame), false);
	return code_at && frame_at && fp_at;
}

/* The code is the first of what is written, and the last that is put back: where it is not, nothing is. */
static bool was_left;

bool hijack_was_left(const struct target *t)
{
	unsigned char there[256];

	was_left = false;
	if (!target_read(t, code_at, there, tail_bytes()))
		return false;
	for (size_t i = 0; i + 8 <= tail_bytes();
	     i += 8) /* it may have been written word by word */
		was_left |= memcmp(there + i, hijack_tail + i, 8) == 0;
	return was_left;
}

/* What the file has that is mapped there; behind its end there are zeros. */
static bool read_file(const struct target *t, uint64_t at, unsigned char *to, size_t n)
{
	const struct mapping *m = target_mapping(t, at);
	char path[4400];
	struct stat s;
	ssize_t got = -1;
	int fd;

	if (!m || m->path[0] != '/')
		return false;
	snprintf(path, sizeof(path), "/proc/%d/root%s", t->pid, m->path);
	fd = regular_open(path, &s);
	if (fd < 0)
		return false;
	memset(to, 0, n);
	if (s.st_ino == m->inode)
		got = pread(fd, to, n, (off_t)(m->offset + (at - m->begin)));
	close(fd);
	return got >= 0;
}

/* Whether the page begins with the code for calls. */
static bool is_area(const struct target *t, uint64_t page)
{
	unsigned char there[256];
	size_t n = (size_t)(hijack_code_end - hijack_code);

	return target_read(t, page, there, n) && memcmp(there, hijack_code, n) == 0;
}

bool hijack_is_on_way_back(const struct target *t, const struct user_regs_struct *regs)
{
	const struct mapping *stack = target_mapping(t, regs->rsp);

	return regs->rip - code_at <= tail_bytes() || is_area(t, regs->rip & -PAGE) ||
	       (stack && is_area(t, stack->begin - PAGE));
}

/* The kernel may be told to let nobody write so what the process may only read (proc_mem.force_override); a tracer may. */
static bool poke(int tid, uint64_t at, const unsigned char *from, size_t n)
{
	for (size_t done = 0, part; done < n; done += part) {
		uint64_t begin = (at + done) & -UINT64_C(8), word;
		size_t skip = (size_t)(at + done - begin);

		part = 8 - skip < n - done ? 8 - skip : n - done;
		errno = 0;
		word = (uint64_t)ptrace(PTRACE_PEEKDATA, tid, begin, 0);
		if (errno)
			return false;
		memcpy((unsigned char *)&word + skip, from + done, part);
		if (ptrace(PTRACE_POKEDATA, tid, begin, word) != 0)
			return false;
	}
	return true;
}

bool hijack_write(const struct hijack *h, uint64_t at, const void *from, size_t n)
{
	return target_write(h->at.target, at, from, n) || poke(h->at.tid, at, from, n);
}

static bool put(const struct hijack *h, struct hijack_piece *p, uint64_t at, const void *bytes,
		size_t n)
{
	p->before = malloc(n);
	if (!p->before || !target_read(h->at.target, at, p->before, n) ||
	    !hijack_write(h, at, bytes, n)) {
		free(p->before);
		p->before = NULL;
		return false;
	}
	p->at = at;
	p->n = n;
	return true;
}

static void forget(struct hijack_piece *p)
{
	free(p->before);
	p->before = NULL;
}

static void put_back(const struct hijack *h, struct hijack_piece *p)
{
	unsigned char *of_file = p->before && was_left ? malloc(p->n) : NULL;

	if (of_file && read_file(h->at.target, p->at, of_file, p->n))
		memcpy(p->before, of_file, p->n);
	free(of_file);
	if (p->before)
		hijack_write(h, p->at, p->before, p->n);
	forget(p);
}

/* ---- begin --------------------------------------------------------------------------------------------------- */

int hijack_stop(struct hijack *h, const struct target *t, int tid)
{
	memset(h, 0, offsetof(struct hijack, xstate));
	h->is_entered = false;
	h->n_held = 0;
	h->drops_ticks = false;
	h->code.before = h->frame.before = h->fp.before = NULL;
	return stop_thread(&h->at, t, tid);
}

/* ---- the frame ------------------------------------------------------------------------------------------------ */

/* All but those of faults: the kernel would end the process for a fault whose signal is blocked. */
#define FAULTS                                                                                     \
	(UINT64_C(1) << (SIGSEGV - 1) | UINT64_C(1) << (SIGBUS - 1) |                              \
	 UINT64_C(1) << (SIGILL - 1) | UINT64_C(1) << (SIGFPE - 1) | UINT64_C(1) << (SIGTRAP - 1))

/* All that the thread has, for the case that it has to return without the launcher. A call that the kernel would go on with is
 * begun anew: this frame means that a signal was handled, after which it would fail. */
static void make_frame(const struct hijack *h, struct frame *f)
{
	struct user_regs_struct r = h->at.regs;
	greg_t *g = f->context.machine.gregs;

	memset(f, 0, sizeof(*f));
	if (stop_is_interrupted(&r) || stop_is_restarted(&r))
		stop_make_again(&h->at, &r);
	f->wait.tv_sec = 1;
	f->all = ~FAULTS;
	f->context.flags = UC_FP_XSTATE | UC_SIGCONTEXT_SS;
	f->context.mask =
		h->mask; /* a stack of no bytes is refused, and that stays without effect */
	g[REG_R8] = (greg_t)r.r8, g[REG_R9] = (greg_t)r.r9, g[REG_R10] = (greg_t)r.r10;
	g[REG_R11] = (greg_t)r.r11, g[REG_R12] = (greg_t)r.r12, g[REG_R13] = (greg_t)r.r13;
	g[REG_R14] = (greg_t)r.r14, g[REG_R15] = (greg_t)r.r15, g[REG_RDI] = (greg_t)r.rdi;
	g[REG_RSI] = (greg_t)r.rsi, g[REG_RBP] = (greg_t)r.rbp, g[REG_RBX] = (greg_t)r.rbx;
	g[REG_RDX] = (greg_t)r.rdx, g[REG_RAX] = (greg_t)r.rax, g[REG_RCX] = (greg_t)r.rcx;
	g[REG_RSP] = (greg_t)r.rsp, g[REG_RIP] = (greg_t)r.rip, g[REG_EFL] = (greg_t)r.eflags;
	g[REG_CSGSFS] = (greg_t)(r.cs | r.gs << 16 | r.fs << 32 | r.ss << 48);
	f->context.machine.fpregs = (fpregset_t)(uintptr_t)fp_at;
}

/* The registers of floating point as a signal frame has them: with words of the kernel's around what ptrace gives. Parts at the
 * end that the thread does not use need not be there. Returns the size, 0: there is no room. */
static size_t make_fp(const struct hijack *h, unsigned char *fp)
{
	uint64_t used, allowed;
	uint32_t words[2], magic = FP_MAGIC_2;
	size_t n = h->xstate_bytes;

	if (n < FP_LEGACY || n + 4 > HIJACK_XSTATE_MOST)
		return 0;
	memcpy(fp, h->xstate, n);
	memcpy(&allowed, fp + FP_SOFTWARE, sizeof(allowed));
	memcpy(&used, fp + 512, sizeof(used));
	if (!(used >> FP_USUAL_BITS) && n > FP_USUAL) {
		n = FP_USUAL;
		allowed &= (UINT64_C(1) << FP_USUAL_BITS) - 1;
	}
	if (n + 4 > fp_room)
		return 0;
	words[0] = FP_MAGIC_1, words[1] = (uint32_t)n + 4;
	memset(fp + FP_SOFTWARE, 0, 48);
	memcpy(fp + FP_SOFTWARE, words, sizeof(words));
	memcpy(fp + FP_SOFTWARE + 8, &allowed, sizeof(allowed));
	words[0] = (uint32_t)n;
	memcpy(fp + FP_SOFTWARE + 16, words, sizeof(words[0]));
	memcpy(fp + n, &magic, sizeof(magic));
	return n + 4;
}

static void set_up(const struct hijack *h, struct user_regs_struct *r)
{
	*r = h->at.regs;
	r->orig_rax = (unsigned long long)-1;
	r->eflags &= ~UINT64_C(0x500); /* no single step, copies upward */
	r->r12 = WAITS;
	r->r13 = frame_at + offsetof(struct frame, wait);
	r->r14 = frame_at + sizeof(uint64_t); /* as if the handler had returned */
}

/* ---- calls ------------------------------------------------------------------------------------------------------ */

static void hold(struct hijack *h, int signal)
{
	siginfo_t info;

	if (ptrace(PTRACE_GETSIGINFO, h->at.tid, 0, &info) != 0)
		info = (siginfo_t){.si_signo = signal, .si_code = SI_TKILL};
	if (h->n_held < HIJACK_HELD_MOST)
		h->held[h->n_held++] = info;
}

/* Those of sigqueue, timers, message queues and asynchronous I/O say what they said. What only the kernel may say, of kill, tgkill or
 * a child that ended, it lets nobody else say (rt_tgsigqueueinfo): those are of tgkill then, by the launcher, and who asks for
 * si_code or si_pid gets that. A tick of the recorder's, which may come while it begins, is one by what it says: if a process had
 * sent it, it would be the program's, and end it. */
static void send_held(struct hijack *h)
{
	for (int i = 0; i < h->n_held; i++) {
		siginfo_t *info = &h->held[i];

		if (h->drops_ticks && info->si_signo == CPS_SIGNAL_OWN && info->si_code == SI_TIMER)
			continue;
		if (syscall(SYS_rt_tgsigqueueinfo, h->at.target->pid, h->at.tid, info->si_signo,
			    info) != 0)
			syscall(SYS_tgkill, h->at.target->pid, h->at.tid, info->si_signo);
	}
	h->n_held = 0;
}

/* Interrupts it, and waits until it has stopped, without a signal for the thread. */
static bool interrupt(struct hijack *h)
{
	uint64_t until = stop_now() + SECOND_NS;
	int status;

	ptrace(PTRACE_INTERRUPT, h->at.tid, 0, 0);
	while (stop_wait_until(h->at.tid, &status, until) == 1 && WIFSTOPPED(status)) {
		if (stop_is_ours(status))
			return true;
		if (!(status >> 16) && WSTOPSIG(status) != (SIGTRAP | 0x80))
			hold(h, WSTOPSIG(status));
		ptrace(PTRACE_CONT, h->at.tid, 0, 0);
	}
	return false;
}

/* Waits for the next stop at a system call's begin or end. */
static bool next_stop(struct hijack *h)
{
	uint64_t until = stop_now() + 5 * SECOND_NS;
	int status;

	if (ptrace(PTRACE_SYSCALL, h->at.tid, 0, 0) != 0)
		return false;
	while (stop_wait_until(h->at.tid, &status, until) == 1 && WIFSTOPPED(status)) {
		if (WSTOPSIG(status) == (SIGTRAP | 0x80))
			return true;
		if (!(status >> 16))
			hold(h, WSTOPSIG(status));
		if (ptrace(PTRACE_SYSCALL, h->at.tid, 0, 0) != 0)
			return false;
	}
	return false;
}

static bool set_syscall(struct hijack *h, long number, const uint64_t a[6])
{
	struct user_regs_struct r;

	set_up(h, &r);
	r.rip = code_at;
	r.rax = (unsigned long long)number;
	r.rdi = a[0], r.rsi = a[1], r.rdx = a[2], r.r10 = a[3], r.r8 = a[4], r.r9 = a[5];
	h->is_in_call = true;
	return stop_set_regs(h->at.tid, &r);
}

static long end_syscall(struct hijack *h)
{
	struct user_regs_struct r;

	return next_stop(h) && next_stop(h) && stop_get_regs(h->at.tid, &r) ? (long)r.rax : -EIO;
}

long hijack_syscall(struct hijack *h, long number, const uint64_t arguments[6])
{
	return set_syscall(h, number, arguments) ? end_syscall(h) : -EIO;
}

/* The place comes first: from there the thread finds back, also with its own mask. If the launcher is gone before it has set the
 * mask, the thread does so itself. A signal that is pending stays so. */
static bool block_signals(struct hijack *h)
{
	const uint64_t arguments[6] = {SIG_SETMASK, frame_at + offsetof(struct frame, all), 0,
				       sizeof(uint64_t)};
	uint64_t all = ~FAULTS;

	return set_syscall(h, SYS_rt_sigprocmask, arguments) &&
	       ptrace(PTRACE_SETSIGMASK, h->at.tid, sizeof(all), &all) == 0 && end_syscall(h) == 0;
}

bool hijack_enter(struct hijack *h, const char **why)
{
	struct frame frame;
	static unsigned char fp[HIJACK_XSTATE_MOST];
	struct iovec v = {h->xstate, sizeof(h->xstate)};
	size_t n;

	*why = "its registers cannot be read";
	if (ptrace(PTRACE_GETREGSET, h->at.tid, NT_X86_XSTATE, &v) != 0 ||
	    ptrace(PTRACE_GETSIGMASK, h->at.tid, sizeof(h->mask), &h->mask) != 0)
		return false;
	h->xstate_bytes = v.iov_len;
	h->is_entered = true;
	n = make_fp(h, fp);
	make_frame(h, &frame);
	*why = "there is no room for its registers";
	if (!n || !put(h, &h->code, code_at, hijack_tail, tail_bytes()) ||
	    !put(h, &h->fp, fp_at, fp, n) || !put(h, &h->frame, frame_at, &frame, sizeof(frame)))
		return false;
	*why = "its signals cannot be blocked";
	return block_signals(h);
}

/* A fault in the call, or a signal of that kind that somebody sends. False: a fault. */
static bool note_signal(struct hijack *h, int signal)
{
	siginfo_t info;

	if (ptrace(PTRACE_GETSIGINFO, h->at.tid, 0, &info) == 0 && info.si_code > 0)
		return false;
	hold(h, signal);
	return true;
}

static bool is_done(const struct hijack *h, uint64_t at)
{
	uint64_t done = 0;

	return target_read(h->at.target, at, &done, sizeof(done)) && done;
}

/* Whether it waits in the kernel for a lock, as far as can be seen. */
static bool is_at_lock(const struct hijack *h)
{
	char line[64];

	return !proc_line(h->at.target->pid, h->at.tid, "syscall", line, sizeof(line)) ||
	       strtol(line, NULL, 10) == SYS_futex;
}

#define LOOKS_AT_LOCK 100

/* Whether the call is to be given up. One that gets on is not: what it has begun would be left half done, and it may be
 * that the machine or the disk is slow. */
static bool is_hopeless(const struct hijack *h, uint64_t begin, int *n_looks)
{
	uint64_t passed = stop_now() - begin;

	if (passed < 3 * SECOND_NS)
		return false;
	*n_looks = is_at_lock(h) ? *n_looks + 1 : 0;
	return *n_looks > LOOKS_AT_LOCK || passed > 60 * SECOND_NS;
}

/* Lets it run until `done` is set. */
static bool run(struct hijack *h, uint64_t done, const char **why)
{
	uint64_t begin = stop_now();
	int status, r, n_looks = 0;

	if (ptrace(PTRACE_CONT, h->at.tid, 0, 0) != 0)
		return false;
	while (!is_done(h, done)) {
		r = stop_wait_until(h->at.tid, &status, stop_now() + 50000);
		stop_release_late();
		*why = "it has ended meanwhile";
		if (r < 0 || (r && !WIFSTOPPED(status)))
			return false;
		*why = "the call has failed";
		if (r && !(status >> 16) && !note_signal(h, WSTOPSIG(status)))
			return false;
		if (r)
			ptrace(PTRACE_CONT, h->at.tid, 0, 0);
		*why = "the call does not come back: another thread has a lock that it needs";
		if (is_hopeless(h, begin, &n_looks)) {
			interrupt(h);
			return false;
		}
	}
	*why = "it has ended meanwhile";
	return interrupt(h);
}

bool hijack_call(struct hijack *h, const struct hijack_call *c, const char **why)
{
	struct user_regs_struct r;

	*why = "its registers cannot be set";
	h->call = *c;
	h->is_in_call = false;
	set_up(h, &r);
	r.rip = c->entry;
	r.rsp = c->stack & -UINT64_C(16);
	r.rbp = 0;
	r.rax = c->function;
	r.rdi = c->argument;
	return stop_set_regs(h->at.tid, &r) && run(h, c->done, why);
}

static bool is_in(uint64_t pc, uint64_t begin, size_t n)
{
	return pc - begin <= n;
}

/* If the launcher was put aside for long, the thread has returned by itself, and its registers are its own again. */
static bool has_returned(const struct hijack *h)
{
	struct user_regs_struct r;

	if (!stop_get_regs(h->at.tid, &r))
		return true;
	if (is_in(r.rip, code_at, tail_bytes()) ||
	    is_in(r.rip, h->call.entry, (size_t)(hijack_code_end - hijack_code)))
		return false;
	return h->call.entry && is_done(h, h->call.done);
}

/* At the end of a system call the kernel would not look whether another one is to be made again: the thread has to stop as it
 * stopped at first. */
static void settle(struct hijack *h)
{
	if (!h->is_in_call)
		return;
	ptrace(PTRACE_INTERRUPT, h->at.tid, 0, 0);
	ptrace(PTRACE_CONT, h->at.tid, 0, 0);
	interrupt(h);
}

/* It does not stop, as on a machine that does not let it run. Then it comes back by itself, as if the launcher had been
 * killed, and needs what lies there until then. */
static bool is_out_of_reach(const struct hijack *h)
{
	struct user_regs_struct r;

	return !stop_get_regs(h->at.tid, &r) &&
	       syscall(SYS_tgkill, h->at.target->pid, h->at.tid, 0) == 0;
}

void hijack_leave(struct hijack *h)
{
	struct iovec v = {h->xstate, h->xstate_bytes};

	if (h->is_entered)
		settle(h);
	if (h->is_entered && is_out_of_reach(h)) {
		forget(&h->code);
		forget(&h->frame);
		forget(&h->fp);
	} else if (h->is_entered && !has_returned(h)) {
		ptrace(PTRACE_SETREGSET, h->at.tid, NT_X86_XSTATE, &v);
		ptrace(PTRACE_SETSIGMASK, h->at.tid, sizeof(h->mask), &h->mask);
		stop_set_own(&h->at);
	}
	put_back(h, &h->frame);
	put_back(h, &h->fp);
	put_back(h, &h->code);
	h->is_entered = false;
	h->at.slept_ns = 0;
	ptrace(PTRACE_DETACH, h->at.tid, 0, 0);
	send_held(h);
}
