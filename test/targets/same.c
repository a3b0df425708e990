/* SPDX-License-Identifier: MIT */
/*
 * same.c - does what a recorder may spoil, and prints what came of it.
 *
 *	same copies ROUNDS     copies a file within the kernel, by functions and by syscall(2)
 *	same devices ROUNDS    reads devices that give as much as they are asked for, and writes to one
 *	same waits ROUNDS      waits by syscall(2), in calls that the kernel does not make again
 *	same closures ROUNDS   installs handlers that are made at run time, as libffi does, and use much of their stack
 *	same coroutines ROUNDS divides in coroutines, and has a handler of SIGFPE
 *	same nan ROUNDS        unmasks an exception of the processor and raises it: SIGFPE ends the program
 *	same blocked ROUNDS    works with all signals blocked by a system call of its own
 *	same awaits ROUNDS     awaits all signals, also those that the C library keeps for itself, after some work
 *	same programs ROUNDS   gives the kernel programs (bpf) that it has to look at for long, if it may
 *	same io ROUNDS         is sent SIGIO, with a handler and without; and has programs run that may have no signals pending
 *	same daemon ROUNDS     closes its first three descriptors, and writes to a file that becomes one of them
 *
 * Prints the same for each number of rounds.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/futex.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/sem.h>
#include <sys/sendfile.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include "burn.h"

static int rounds;
static volatile uint64_t sink;

static void die(const char *what)
{
	perror(what);
	exit(1);
}

/* How often one of several calls has not done all that it was asked for. */
#define COUNT_SHORT(what, want, call)                                                              \
	do {                                                                                       \
		int n_ = 0;                                                                        \
		for (int i_ = 0; i_ < rounds; i_++)                                                \
			n_ += (call) != (ssize_t)(want);                                           \
		printf("%s: %d short\n", what, n_);                                                \
	} while (0)

/* ---- transfers ------------------------------------------------------------------------------- */

static int copies(void)
{
	enum { N = 4 << 20 };
	char from_name[] = "from.XXXXXX", to_name[] = "to.XXXXXX";
	int from = mkstemp(from_name), to = mkstemp(to_name);
	off_t in, out;
	char *bytes = calloc(1, N);

	if (from < 0 || to < 0 || !bytes || write(from, bytes, N) != N)
		die("files");
	unlink(from_name);
	unlink(to_name);
	COUNT_SHORT("copy_file_range", N,
		    (in = out = 0, copy_file_range(from, &in, to, &out, N, 0)));
	COUNT_SHORT("copy_file_range by number", N,
		    (in = out = 0, syscall(SYS_copy_file_range, from, &in, to, &out, N, 0)));
	COUNT_SHORT("sendfile", N, (in = lseek(to, 0, SEEK_SET), sendfile(to, from, &in, N)));
	COUNT_SHORT("sendfile by number", N,
		    (in = lseek(to, 0, SEEK_SET), syscall(SYS_sendfile, to, from, &in, N)));
	return 0;
}

static int devices(void)
{
	enum { N = 1 << 20 };
	static const char *const names[] = {"/dev/zero", "/dev/urandom"};
	char *bytes = malloc(N);
	struct iovec all = {bytes, N};

	for (int i = 0; bytes && i < 2; i++) {
		int fd = open(names[i], O_RDWR);

		if (fd < 0)
			die(names[i]);
		puts(names[i]);
		COUNT_SHORT("read", N, read(fd, bytes, N));
		COUNT_SHORT("pread", N, pread(fd, bytes, N, 0));
		COUNT_SHORT("preadv", N, preadv(fd, &all, 1, 0));
		COUNT_SHORT("write", N, write(fd, bytes, N));
		COUNT_SHORT("pread by number", N, syscall(SYS_pread64, fd, bytes, N, 0));
		close(fd);
	}
	return 0;
}

/* Calls of a function, whose results are added up: the kernel looks at each for a microsecond or more. If a signal is
 * there, it stops, and says EAGAIN. */
static int programs(void)
{
	enum { CALLS = 30000, N = 2 * CALLS + 4, GET_NS = 5 };
	struct bpf_insn *code = calloc(N, sizeof(*code));
	union bpf_attr all;
	int fd, error = 0;

	if (!code)
		die("memory");
	for (int i = 0; i < 2 + 2 * CALLS; i++)
		code[i] = i % 2 ? (struct bpf_insn){BPF_ALU64 | BPF_ADD | BPF_X, 6, 0, 0, 0}
				: (struct bpf_insn){BPF_JMP | BPF_CALL, 0, 0, 0, GET_NS};
	code[0] = (struct bpf_insn){BPF_ALU64 | BPF_MOV | BPF_K, 0, 0, 0, 0};
	code[1] = (struct bpf_insn){BPF_ALU64 | BPF_MOV | BPF_K, 6, 0, 0, 0};
	code[N - 2] = code[0];
	code[N - 1] = (struct bpf_insn){BPF_JMP | BPF_EXIT, 0, 0, 0, 0};
	memset(&all, 0, sizeof(all));
	all.prog_type = BPF_PROG_TYPE_SOCKET_FILTER;
	all.insns = (uintptr_t)code;
	all.insn_cnt = N;
	all.license = (uintptr_t) "GPL";
	for (int i = 0; i < rounds; i++) {
		fd = (int)syscall(SYS_bpf, BPF_PROG_LOAD, &all, sizeof(all));
		error = fd < 0 && errno > error ? errno : error;
		close(fd);
	}
	printf("programs: %s\n", error ? strerror(error) : "all are loaded");
	return 0;
}

/* ---- waits ----------------------------------------------------------------------------------- */

enum { WAIT_NS = 300000 };
enum waits {
	PPOLL,
	POLL,
	EPOLL,
	NANOSLEEP,
	CLOCK_NANOSLEEP,
	PSELECT,
	FUTEX,
	SIGNAL,
	SEMAPHORE,
	WAITS
};

static const char *const wait_names[] = {
	"ppoll",    "poll",  "epoll_wait",	"nanosleep", "clock_nanosleep",
	"pselect6", "futex", "rt_sigtimedwait", "semtimedop"};

static long wait_by(enum waits how, int epoll, int semaphore, const sigset_t *usr1)
{
	struct timespec t = {0, WAIT_NS};
	struct sembuf take = {0, -1, 0};
	struct epoll_event event;
	struct pollfd none;
	uint32_t word = 0;

	switch (how) {
	case PPOLL:
		return syscall(SYS_ppoll, &none, 0, &t, NULL, 8);
	case POLL:
		return syscall(SYS_poll, &none, 0, 1);
	case EPOLL:
		return syscall(SYS_epoll_wait, epoll, &event, 1, 1);
	case NANOSLEEP:
		return syscall(SYS_nanosleep, &t, NULL);
	case CLOCK_NANOSLEEP:
		return syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &t, NULL);
	case PSELECT:
		return syscall(SYS_pselect6, 0, NULL, NULL, NULL, &t, NULL);
	case FUTEX:
		return syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, &t, NULL, 0);
	case SIGNAL:
		return syscall(SYS_rt_sigtimedwait, usr1, NULL, &t, 8);
	default:
		return syscall(SYS_semtimedop, semaphore, &take, 1, &t);
	}
}

static int waits(void)
{
	static const int ends[WAITS] = {
		[FUTEX] = ETIMEDOUT, [SIGNAL] = EAGAIN, [SEMAPHORE] = EAGAIN};
	int epoll = epoll_create1(0), semaphore = semget(IPC_PRIVATE, 1, 0600);
	sigset_t usr1;

	sigemptyset(&usr1);
	sigaddset(&usr1, SIGUSR1);
	sigprocmask(SIG_BLOCK, &usr1, NULL);
	for (enum waits how = PPOLL; how < WAITS; how++) {
		int interrupted = 0, others = 0;

		for (int i = 0; i < rounds; i++) {
			sink = burn(sink + 1, 40000);
			errno = 0;
			wait_by(how, epoll, semaphore, &usr1);
			interrupted += errno == EINTR;
			others += errno != EINTR && errno != ends[how];
		}
		printf("%s: %d interrupted, %d ended otherwise\n", wait_names[how], interrupted,
		       others);
	}
	semctl(semaphore, 0, IPC_RMID);
	return 0;
}

/* ---- handlers -------------------------------------------------------------------------------- */

static volatile int ran;

static void use_much(void)
{
	volatile char much[200 << 10];

	for (size_t i = 0; i < sizeof(much); i += 64)
		much[i] = 1;
	ran++;
}

/* A closure: movabs $use_much, %rax; jmp *%rax */
static void make_closure(uint8_t *code)
{
	uint64_t address = (uintptr_t)use_much;

	memcpy(code, "\x48\xb8", 2);
	memcpy(code + 2, &address, sizeof(address));
	memcpy(code + 10, "\xff\xe0", 2);
}

static int closures(void)
{
	enum { STACK = 1 << 20, APART = 32 };
	uint8_t *code = mmap(NULL, (size_t)rounds * APART, PROT_READ | PROT_WRITE | PROT_EXEC,
			     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	stack_t stack = {.ss_sp = malloc(STACK), .ss_size = STACK};

	if (code == MAP_FAILED || sigaltstack(&stack, NULL) != 0)
		die("closures");
	for (int i = 0; i < rounds; i++) {
		struct sigaction action = {.sa_flags = SA_ONSTACK};

		make_closure(code + i * APART);
		action.sa_handler = (void (*)(int))(uintptr_t)(code + i * APART);
		sigaction(SIGUSR1, &action, NULL);
		raise(SIGUSR1);
		sink = burn(sink + 1, 100000);
	}
	puts(ran == rounds ? "each has run" : "not each has run");
	return 0;
}

/* ---- exceptions of the processor -------------------------------------------------------------- */

enum { COROUTINES = 100, STACK_BYTES = 64 << 10 };

static ucontext_t back, coroutine[COROUTINES];
static int current;

static void on_fpe(int number)
{
	(void)number;
	_exit(9);
}

static void divide(void)
{
	for (volatile double x = 0.1;; x = x * 1.1 / 1.05) {
		sink = burn(sink + 1, 100000);
		swapcontext(&coroutine[current], &back);
	}
}

static int coroutines(void)
{
	for (int i = 0; i < COROUTINES; i++) {
		getcontext(&coroutine[i]);
		coroutine[i].uc_stack.ss_sp = malloc(STACK_BYTES);
		coroutine[i].uc_stack.ss_size = STACK_BYTES;
		makecontext(&coroutine[i], divide, 0);
	}
	for (int round = 0; round < 2 + rounds / 50; round++) {
		for (current = 0; current < COROUTINES; current++)
			swapcontext(&back, &coroutine[current]);
		signal(SIGFPE, on_fpe);
	}
	puts("no exception");
	return 0;
}

static int nan_ends(void)
{
	enum { INVALID = 1 << 7, RAISED = 0x3f };
	double root;
	uint32_t control;

	for (int i = 0; i < rounds; i++)
		sink = burn(sink + 1, 400000);
	__asm__ volatile("stmxcsr %0" : "=m"(control));
	control &= ~(uint32_t)(INVALID | RAISED);
	__asm__ volatile("ldmxcsr %0" : : "m"(control));
	__asm__ volatile("sqrtsd %1, %0" : "=x"(root) : "x"(-1.0));
	puts("not ended");
	return 0;
}

/* ---- signals and descriptors ------------------------------------------------------------------ */

static int blocked(void)
{
	uint64_t all = ~UINT64_C(0), is;

	syscall(SYS_rt_sigprocmask, SIG_SETMASK, &all, NULL, 8);
	for (int i = 0; i < rounds; i++)
		sink = burn(sink + 1, 400000);
	syscall(SYS_rt_sigprocmask, SIG_SETMASK, NULL, &is, 8);
	printf("%llx\n", (unsigned long long)is);
	return 0;
}

/* ---- signals that the C library keeps for itself ---------------------------------------------- */

enum awaits { SIGWAIT, SIGWAITINFO, SIGTIMEDWAIT, RT_SIGTIMEDWAIT, AWAITS };

static int await(enum awaits how, const sigset_t *all)
{
	const struct timespec soon = {0, 10000000}, never = {3600, 0};
	int number = 0;

	switch (how) {
	case SIGWAIT:
		sigwait(all, &number);
		return number;
	case SIGWAITINFO:
		return sigwaitinfo(all, NULL);
	case SIGTIMEDWAIT:
		return sigtimedwait(all, NULL, &soon) < 0 ? SIGALRM : 0;
	default:
		return (int)syscall(SYS_rt_sigtimedwait, all, NULL, &never, 8);
	}
}

/* Nothing but the timer's signal comes. */
static int awaits(void)
{
	static const char *const names[] = {"sigwait", "sigwaitinfo", "sigtimedwait",
					    "rt_sigtimedwait"};
	const struct itimerval off = {{0, 0}, {0, 0}}, once = {{0, 0}, {0, 20000}};
	sigset_t all;

	memset(&all, 0xff, sizeof(all));
	sigdelset(&all,
		  SIGPROF); /* with some clocks it is ours, and is given up to who blocks it */
	sigprocmask(SIG_BLOCK, &all, NULL);
	for (enum awaits how = SIGWAIT; how < AWAITS; how++) {
		int others = 0;

		for (int i = 0; i < rounds; i++) {
			sink = burn(sink + 1, 4000000);
			setitimer(ITIMER_REAL, how == SIGTIMEDWAIT ? &off : &once, NULL);
			others += await(how, &all) != SIGALRM;
		}
		printf("%s: %d other signals\n", names[how], others);
	}
	return 0;
}

static volatile sig_atomic_t n_io;

static void count_io(int number)
{
	n_io += number == SIGIO;
}

/* What the C library leaves to itself has no meaning in an action of the program's. */
static void set_io(void (*handler)(int), int flags)
{
	struct sigaction action, old;

	memset(&action, 0x5a, sizeof(action));
	action.sa_handler = handler;
	action.sa_flags = flags;
	sigemptyset(&action.sa_mask);
	sigaction(SIGIO, &action, &old);
	sigaction(SIGIO, NULL, &action);
	printf("flags %x, then %x; %d\n", (unsigned)old.sa_flags, (unsigned)action.sa_flags,
	       action.sa_handler == handler);
}

static void fault_pages(void)
{
	static char pages[1 << 20];

	madvise(pages, sizeof(pages), MADV_DONTNEED);
	for (size_t i = 0; i < sizeof(pages); i += 4096)
		((volatile char *)pages)[i] = 1;
}

static int status_of(void (*child)(void))
{
	int status = -1;
	pid_t pid = fork();

	if (!pid) {
		fault_pages();
		child();
		_exit(0);
	}
	waitpid(pid, &status, 0);
	return status;
}

static void send_io(void)
{
	kill(getpid(), SIGIO);
}

static void run_without_signals(void)
{
	const struct rlimit none = {0, 0};

	setrlimit(RLIMIT_SIGPENDING, &none);
	fault_pages();
	execl("/bin/true", "true", (char *)NULL);
}

static int io(void)
{
	int ended = 0;

	set_io(count_io, 0);
	for (int i = 0; i < rounds; i++) {
		fault_pages();
		send_io();
	}
	printf("%d missing\n", rounds - (int)n_io);
	set_io(SIG_DFL, SA_NODEFER);
	printf("ended by %d\n", WTERMSIG(status_of(send_io)));
	for (int i = 0; i < rounds; i++)
		ended += status_of(run_without_signals) != 0;
	printf("%d ended otherwise\n", ended);
	return 0;
}

static int daemon_writes(void)
{
	close(0);
	close(1);
	close(2);
	for (int fd = 0; fd < 2;)
		fd = open("data", O_RDWR | O_CREAT | O_TRUNC, 0600);
	for (int i = 0; i < rounds; i++)
		sink = burn(sink + 1, 400000);
	return write(2, "payload\n", 8) != 8;
}

int main(int n, char **arguments)
{
	static const struct {
		const char *name;
		int (*run)(void);
	} modes[] = {{"copies", copies},
		     {"devices", devices},
		     {"waits", waits},
		     {"closures", closures},
		     {"coroutines", coroutines},
		     {"nan", nan_ends},
		     {"blocked", blocked},
		     {"awaits", awaits},
		     {"daemon", daemon_writes},
		     {"programs", programs},
		     {"io", io}};

	setvbuf(stdout, NULL, _IOLBF, 0);
	rounds = n == 3 ? atoi(arguments[2]) : 0;
	for (size_t i = 0; rounds > 0 && i < sizeof(modes) / sizeof(modes[0]); i++)
		if (strcmp(arguments[1], modes[i].name) == 0)
			return modes[i].run();
	return 2;
}
