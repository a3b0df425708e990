/* SPDX-License-Identifier: MIT */
/*
 * test_libunwind.c - stacks are the same by libunwind as by the native unwinder, and libunwind is kept
 * within bounds.
 *
 * The program interrupts itself and has the same context followed by both.
 *
 * Seen to fail: senseless registers made a whole stack when libunwind's word was taken for it that there is no caller.
 */
#include <criterion/criterion.h>
#include <libunwind.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <zlib.h>

#include "libsampler/base/sys.h"
#include "libsampler/process/unwinders.h"
#include "libsampler/unwind/libunwind.h"
#include "libsampler/arch/arch.h"
#include "own_modules.h"

/* ---- the declarations ------------------------------------------------------------------------- */

#define SAME_PLACE(ours, a, theirs, b)                                                             \
	_Static_assert(offsetof(struct ours, a) == offsetof(theirs, b), #a)
SAME_PLACE(cps_libunwind_table, start, unw_dyn_info_t, start_ip);
SAME_PLACE(cps_libunwind_table, end, unw_dyn_info_t, end_ip);
SAME_PLACE(cps_libunwind_table, format, unw_dyn_info_t, format);
SAME_PLACE(cps_libunwind_table, load_offset, unw_dyn_info_t, load_offset);
SAME_PLACE(cps_libunwind_table, base, unw_dyn_info_t, u.rti.segbase);
SAME_PLACE(cps_libunwind_table, words, unw_dyn_info_t, u.rti.table_len);
SAME_PLACE(cps_libunwind_table, data, unw_dyn_info_t, u.rti.table_data);
#define SAME_CALL(name) SAME_PLACE(cps_libunwind_accessors, name, unw_accessors_t, name)
SAME_CALL(find_proc_info);
SAME_CALL(put_unwind_info);
SAME_CALL(get_dyn_info_list_addr);
SAME_CALL(access_mem);
SAME_CALL(access_reg);
SAME_CALL(access_fpreg);
SAME_CALL(resume);
SAME_CALL(get_proc_name);
_Static_assert(sizeof(struct cps_libunwind_table) >= sizeof(unw_dyn_info_t), "table");
_Static_assert(sizeof(struct cps_libunwind_accessors) >= sizeof(unw_accessors_t), "accessors");
_Static_assert(sizeof(struct cps_libunwind_cursor) >= sizeof(unw_cursor_t), "cursor");
#define SAME(ours, theirs) _Static_assert((int)(ours) == (int)(theirs), #ours)
SAME(CPS_LIBUNWIND_BADREG, UNW_EBADREG);
SAME(CPS_LIBUNWIND_BADFRAME, UNW_EBADFRAME);
SAME(CPS_LIBUNWIND_INVAL, UNW_EINVAL);
SAME(CPS_LIBUNWIND_NOINFO, UNW_ENOINFO);
SAME(CPS_LIBUNWIND_CACHE_GLOBAL, UNW_CACHE_GLOBAL);
SAME(CPS_LIBUNWIND_REMOTE_TABLE, UNW_INFO_FORMAT_REMOTE_TABLE);
SAME(CPS_LIBUNWIND_IP, UNW_REG_IP);
SAME(CPS_LIBUNWIND_SP, UNW_REG_SP);
SAME(CPS_REG_PC, UNW_X86_64_RIP);
SAME(CPS_REG_SP, UNW_X86_64_RSP);
SAME(CPS_REG_FP, UNW_X86_64_RBP);

/* ---- what the recorder does ------------------------------------------------------------------- */

static volatile sig_atomic_t mask_calls, passed_on, want_nested;
static struct cps_stack nested;
static bool nested_reset;
static ucontext_t *nested_context;

/* As wrap_signal.c has it. libunwind holds one of its locks, or is about to take it. */
int sigprocmask(int how, const sigset_t *set, sigset_t *old)
{
	static const struct cps_peek unknown;

	if (!cps_libunwind_calls_for((uintptr_t)__builtin_return_address(0))) {
		passed_on++;
		return pthread_sigmask(how, set, old) ? -1 : 0;
	}
	mask_calls++;
	if (want_nested) {
		want_nested = 0;
		cps_unwinder_libunwind.walk(nested_context, &unknown, &nested);
		nested_reset = cps_libunwind_reset();
	}
	return 0;
}

static void start(void)
{
	static const struct cps_config config = {.wants_libunwind = true};
	struct cps_identity identity = {0};
	const char *why = cps_choose_unwinder_open(&config);

	cr_assert_null(why, "%s", why);
	own_modules_init(NULL);
	cps_choose_unwinder(&config, &identity);
	cr_assert_null(identity.unwinder_why, "%s", identity.unwinder_why);
	cr_assert_str_eq(identity.unwinder, "libunwind");
	cr_assert_eq(cps_unwinder_in_use(), &cps_unwinder_libunwind);
}

/* ---- the same context by both ------------------------------------------------------------------ */

#define FRAMES 8192

extern void *__libc_stack_end;

static struct cps_frame ours[FRAMES], theirs[FRAMES];
static uint32_t room = FRAMES;
static volatile sig_atomic_t compared, unequal, deepest;
static char difference[4096];
static volatile uint64_t sink;

static struct cps_stack walk(const struct cps_unwinder *by, const ucontext_t *context,
			     struct cps_frame *frames)
{
	uintptr_t sp = cps_regs_interrupted_sp(context);
	struct cps_stack stack = {.frames = frames, .room = room};
	struct cps_peek peek = {.high = 0};

	if (sp < (uintptr_t)__libc_stack_end && sp > (uintptr_t)__libc_stack_end - (8 << 20))
		peek = (struct cps_peek){.low = sp - CPS_RED_ZONE,
					 .high = (uintptr_t)__libc_stack_end};
	by->walk(context, &peek, &stack);
	return stack;
}

static void describe(const struct cps_stack *a, const struct cps_stack *b)
{
	size_t used = (size_t)snprintf(difference, sizeof(difference), "marks %u, %u\n", a->mark,
				       b->mark);

	for (uint32_t i = 0; i < 40 && (i < a->depth || i < b->depth); i++)
		used += (size_t)snprintf(difference + used, sizeof(difference) - used,
					 "%u: native %#lx libunwind %#lx\n", i,
					 i < a->depth ? (long)ours[i].pc : 0,
					 i < b->depth ? (long)theirs[i].pc : 0);
}

static void compare(int number, siginfo_t *info, void *context)
{
	struct cps_stack a = walk(&cps_unwinder_native, context, ours);
	struct cps_stack b = walk(&cps_unwinder_libunwind, context, theirs);
	bool differs = a.depth != b.depth || a.mark != b.mark || a.seen != b.seen || b.is_busy;

	(void)number;
	(void)info;
	for (uint32_t i = 0; !differs && i < a.depth; i++)
		differs = ours[i].pc != theirs[i].pc;
	if (differs && !unequal)
		describe(&a, &b);
	unequal += differs;
	deepest = (int)a.depth > deepest ? (int)a.depth : deepest;
	compared++;
}

static void compare_on(int number)
{
	struct sigaction action = {.sa_sigaction = compare, .sa_flags = SA_SIGINFO | SA_RESTART};

	sigaction(number, &action, NULL);
}

static void interrupt_every(long us)
{
	struct itimerval timer = {{0, us}, {0, us}};

	compare_on(SIGPROF);
	setitimer(ITIMER_PROF, &timer, NULL);
}

static void check(int least)
{
	struct itimerval none = {{0, 0}, {0, 0}};

	setitimer(ITIMER_PROF, &none, NULL);
	cr_assert_geq(compared, least);
	cr_assert_eq(unequal, 0, "%d of %d stacks differ, the first:\n%s", (int)unequal,
		     (int)compared, difference);
	cr_assert_gt(mask_calls, compared); /* two for each frame */
}

/* ---- work -------------------------------------------------------------------------------------- */

static int compare_numbers(const void *a, const void *b)
{
	int x = *(const int *)a, y = *(const int *)b;

	sink += (uint64_t)x;
	return x < y ? -1 : x > y;
}

static __attribute__((noinline)) uint64_t recurse(int n)
{
	return n < 2 ? 1 : recurse(n - 1) + recurse(n - 2) + (sink & 1);
}

static void work(void)
{
	static unsigned char in[60000], out[70000];
	static int numbers[20000];
	uLongf n = sizeof(out);

	for (int i = 0; i < 20000; i++)
		numbers[i] = rand();
	qsort(numbers, 20000, sizeof(numbers[0]), compare_numbers);
	for (size_t i = 0; i < sizeof(in); i++)
		in[i] = (unsigned char)(rand() % 9);
	compress2(out, &n, in, sizeof(in), 6);
	sink += n + recurse(22);
}

static void inner_handler(int number)
{
	sink += recurse(20) + (uint64_t)number;
}

Test(libunwind, agrees_with_the_native_one, .timeout = 60)
{
	start();
	interrupt_every(1000);
	while (compared < 250)
		work();
	check(250);
}

Test(libunwind, from_an_alternate_stack, .timeout = 60)
{
	static char memory[1 << 16];
	stack_t stack = {.ss_sp = memory, .ss_size = sizeof(memory)};
	struct sigaction action = {.sa_handler = inner_handler, .sa_flags = SA_ONSTACK};

	start();
	sigaltstack(&stack, NULL);
	sigaction(SIGUSR1, &action, NULL);
	interrupt_every(1000);
	while (compared < 50)
		raise(SIGUSR1);
	check(50);
}

/* The kernel prepares the handler of the signal with the lower number first, and interrupts it at once by
 * the other one. Both unwinders see what both signals have interrupted. */
Test(libunwind, signal_that_comes_with_another_one)
{
	struct sigaction action = {.sa_handler = inner_handler};
	sigset_t both;

	start();
	sigaction(SIGUSR1, &action, NULL);
	compare_on(SIGUSR2);
	sigemptyset(&both);
	sigaddset(&both, SIGUSR1);
	sigaddset(&both, SIGUSR2);
	pthread_sigmask(SIG_BLOCK, &both, NULL);
	raise(SIGUSR1);
	raise(SIGUSR2);
	pthread_sigmask(SIG_UNBLOCK, &both, NULL);
	check(1);
	cr_assert_neq(theirs[0].pc, (uintptr_t)inner_handler);
}

static __attribute__((noinline)) uint64_t descend(int n)
{
	if (n == 0)
		raise(SIGUSR2);
	return n ? descend(n - 1) + sink % 2 : 0;
}

Test(libunwind, deep_recursion)
{
	start();
	compare_on(SIGUSR2);
	descend(5000);
	check(1);
	cr_assert_geq(deepest, 5001);
}

/* There are too many frames: both ends are kept, with a gap between them. */
Test(libunwind, both_ends_of_a_deep_stack)
{
	start();
	room = 64;
	compare_on(SIGUSR2);
	for (int n = 100; n < 170; n++)
		descend(n);
	check(70);
	cr_assert_eq(deepest, 64);
	cr_assert_eq(theirs[32].pc, CPS_CUT_ADDRESS);
}

/* ---- what must not happen ----------------------------------------------------------------------- */

/* Nothing that the registers may hold makes it read what is not there. */
Test(libunwind, senseless_registers)
{
	static const uint64_t values[] = {
		0, 1, 8, 4096, UINT64_MAX - 7, UINT64_C(1) << 47, 0x1000, UINT64_C(1) << 63};
	size_t n = sizeof(values) / sizeof(values[0]);

	start();
	for (size_t i = 0; i < n * n * n; i++) {
		ucontext_t context = {0};
		struct cps_stack stack;

		context.uc_mcontext.gregs[REG_RSP] = (greg_t)values[i % n];
		context.uc_mcontext.gregs[REG_RBP] = (greg_t)values[i / n % n];
		context.uc_mcontext.gregs[REG_RIP] =
			(greg_t)(i / n / n ? values[i / n / n] : (uintptr_t)recurse + 8);
		stack = walk(&cps_unwinder_libunwind, &context, theirs);
		cr_assert_leq(stack.depth, 3);
		/* A word at the address 0 is the end of the stack for libunwind, but for nobody else. */
		cr_assert(stack.mark || !stack.depth, "sp %#lx", (long)values[i % n]);
	}
}

/* A stack whose next page cannot be read: what was found is kept, with a mark. */
Test(libunwind, stack_that_ends_at_a_protected_page)
{
	char *pages = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ucontext_t context = {0};
	struct cps_stack stack;

	start();
	cr_assert_neq(pages, MAP_FAILED);
	mprotect(pages + 4096, 4096, PROT_NONE);
	context.uc_mcontext.gregs[REG_RIP] = (greg_t)((uintptr_t)recurse);
	context.uc_mcontext.gregs[REG_RSP] = (greg_t)(uintptr_t)(pages + 4096);
	stack = walk(&cps_unwinder_libunwind, &context, theirs);
	cr_assert_eq(stack.depth, 1);
	cr_assert_eq(stack.mark, CPS_MARK_BAD_MEMORY);
}

/* Code that no file has, without a frame pointer that makes sense. */
Test(libunwind, generated_code)
{
	void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ucontext_t context = {0};
	uint64_t words[64] = {0};
	struct cps_stack stack;

	start();
	context.uc_mcontext.gregs[REG_RIP] = (greg_t)(uintptr_t)page;
	context.uc_mcontext.gregs[REG_RSP] = (greg_t)(uintptr_t)words;
	stack = walk(&cps_unwinder_libunwind, &context, theirs);
	cr_assert_eq(stack.depth, 1);
	cr_assert_eq(stack.mark, CPS_MARK_NO_RECIPE);
}

static void keep_context(int number, siginfo_t *info, void *context)
{
	(void)number;
	(void)info;
	nested_context = context;
	want_nested = 1;
	walk(&cps_unwinder_libunwind, context, theirs);
}

/* Who comes while libunwind is at work goes away without a stack, and a child that is made then must
 * not use it. */
Test(libunwind, one_at_a_time)
{
	struct sigaction action = {.sa_sigaction = keep_context, .sa_flags = SA_SIGINFO};
	static struct cps_frame frames[8];

	start();
	nested = (struct cps_stack){.frames = frames, .room = 8};
	nested_reset = true;
	sigaction(SIGUSR2, &action, NULL);
	raise(SIGUSR2);
	cr_assert_not(want_nested);
	cr_assert(nested.is_busy);
	cr_assert_eq(nested.depth, 0);
	cr_assert_not(nested_reset);
	cr_assert(cps_libunwind_reset());
}

/* The mask of the thread, of which signal 32 is a part, is the same after a walk, and libunwind's are
 * the only calls that are kept away. */
Test(libunwind, mask_stays)
{
	uint64_t before = ~UINT64_C(0), after = 0;
	ucontext_t here;

	start();
	getcontext(&here);
	cps_sys_set_mask(UINT64_C(1) << 31 | UINT64_C(1) << 9);
	before = cps_sys_block_signals();
	cps_sys_set_mask(before);
	walk(&cps_unwinder_libunwind, &here, theirs);
	after = cps_sys_block_signals();
	cr_assert_eq(before, UINT64_C(1) << 31 | UINT64_C(1) << 9);
	cr_assert_eq(after, before);
	passed_on = 0;
	sigprocmask(SIG_BLOCK, NULL, NULL);
	cr_assert_eq(passed_on, 1);
}
