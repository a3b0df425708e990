/* SPDX-License-Identifier: MIT */
/*
 * watched.c - watches a process by perf events of the kernel's.
 *
 * In: perf_event_open. Out: records, in the order of time.
 */
#include "launcher/watched.h"

#include <asm/perf_regs.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "launcher/proc.h"
#include "launcher/stop.h"

#define PAGE	       4096u
#define RING_MOST      (4u << 20)
#define RING_LEAST     (128u << 10)
#define RECORD_MOST    65536u
#define YOUNG_NS       UINT64_C(2000000) /* a record is in its buffer sooner than that */
#define PATIENCE_LEAST UINT64_C(2000000)
#define PATIENCE_MOST  UINT64_C(50000000)
#define ROUNDS	       8 /* of looking for threads that were made meanwhile */
#define TRIES	       4 /* of watching all while no thread is made */

#ifndef PERF_FORMAT_LOST /* Linux 6.0 */
#define PERF_FORMAT_LOST (1u << 4)
#endif

struct ring {
	int fd;
	struct perf_event_mmap_page *control;
	const unsigned char *bytes;
	uint64_t head; /* up to here it may be read now */
	uint64_t tail;
	uint64_t time; /* of the record at the tail; UINT64_MAX: there is none */
};

static struct ring *rings;
static size_t n_rings;	  /* by processor; fd -1: it has none */
static size_t ring_bytes; /* of each */
static bool lacks_room;	  /* for buffers of that size */
static int *fds;
static size_t n_fds, room_fds;
static int *tids;
static size_t n_tids;
static size_t n_partial; /* threads that were made in the last try of watching all */
static struct perf_event_attr attr;
static uint64_t n_lost; /* as records say */
static unsigned char whole[RECORD_MOST];

/* ---- registers -------------------------------------------------------------------------------------- */

#if defined(__x86_64__)
/* The kernel's numbers by those of DWARF. */
static const uint8_t registers[CPS_REGS] = {
	PERF_REG_X86_AX,  PERF_REG_X86_DX,  PERF_REG_X86_CX,  PERF_REG_X86_BX,	PERF_REG_X86_SI,
	PERF_REG_X86_DI,  PERF_REG_X86_BP,  PERF_REG_X86_SP,  PERF_REG_X86_R8,	PERF_REG_X86_R9,
	PERF_REG_X86_R10, PERF_REG_X86_R11, PERF_REG_X86_R12, PERF_REG_X86_R13, PERF_REG_X86_R14,
	PERF_REG_X86_R15, PERF_REG_X86_IP,
};
#elif defined(__aarch64__)
/* Both number them alike: x0 to x30, sp, pc. */
static const uint8_t registers[CPS_REGS] = {0,	1,  2,	3,  4,	5,  6,	7,  8,	9,  10,
					    11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21,
					    22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32};
#endif

static uint64_t register_mask(void)
{
	uint64_t mask = 0;

	for (int i = 0; i < CPS_REGS; i++)
		mask |= UINT64_C(1) << registers[i];
	return mask;
}

/* They stand in the order of the kernel's numbers. */
static void take_registers(const uint64_t *words, struct cps_regs *regs)
{
	uint64_t mask = register_mask();

	for (int i = 0; i < CPS_REGS; i++)
		regs->r[i] =
			words[__builtin_popcountll(mask & ((UINT64_C(1) << registers[i]) - 1))];
	regs->valid = CPS_REGS_ALL;
}

/* ---- events ----------------------------------------------------------------------------------------- */

static void describe(const struct watched_wish *wish)
{
	attr = (struct perf_event_attr){
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_TASK_CLOCK,
		.sample_period = wish->interval_ns,
		.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_PERIOD |
			       PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER,
		.read_format = PERF_FORMAT_LOST,
		.inherit = 1,
		.inherit_stat = 1,
		.inherit_thread = 1,
		.exclude_hv = 1,
		.mmap = 1,
		.mmap2 = 1,
		.comm = 1,
		.comm_exec = 1,
		.task = 1,
		.sample_id_all = 1,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
		.exclude_callchain_kernel = 1,
		.sample_regs_user = register_mask(),
		.sample_stack_user = (uint32_t)(wish->stack_bytes & ~(size_t)7),
	};
}

static int open_one(int tid, int cpu)
{
	return (int)syscall(SYS_perf_event_open, &attr, tid, cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

/* Without what an older kernel does not know, and what this user may not see. Returns a descriptor or -errno. */
static int open_first(int tid, int cpu)
{
	int fd = open_one(tid, cpu);

	if (fd < 0 && (errno == EACCES || errno == EPERM) && !attr.exclude_kernel) {
		attr.exclude_kernel = 1;
		fd = open_one(tid, cpu);
	}
	if (fd < 0 && errno == EINVAL) {
		attr.read_format = 0;
		fd = open_one(tid, cpu);
	}
	return fd < 0 ? -errno : fd;
}

static int make_ring(struct ring *r, int fd)
{
	void *pages = mmap(NULL, PAGE + ring_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	lacks_room = pages == MAP_FAILED;
	if (lacks_room)
		return -errno;
	r->fd = fd;
	r->control = pages;
	r->bytes = (const unsigned char *)pages + PAGE;
	return 0;
}

static bool keep_fd(int fd)
{
	if (n_fds == room_fds) {
		int *more = realloc(fds, (room_fds * 2 + 256) * sizeof(*fds));

		if (!more)
			return false;
		fds = more;
		room_fds = room_fds * 2 + 256;
	}
	fds[n_fds++] = fd;
	return true;
}

/* 0, or -errno; -ENODEV: the processor is off. */
static int watch_on(int tid, size_t cpu)
{
	struct ring *r = &rings[cpu];
	int fd = open_first(tid, (int)cpu), error = 0;

	if (fd < 0)
		return fd;
	if (r->fd < 0)
		error = make_ring(r, fd);
	else if (ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, r->fd) != 0)
		error = -errno;
	if (!error && !keep_fd(fd))
		error = -ENOMEM;
	if (error && r->fd != fd)
		close(fd);
	return error;
}

static int watch_thread(int tid)
{
	int error = 0;

	for (size_t cpu = 0; cpu < n_rings && !error; cpu++) {
		error = watch_on(tid, cpu);
		if (error == -ENODEV)
			error = 0;
	}
	return error;
}

static bool is_watched(int tid)
{
	for (size_t i = 0; i < n_tids; i++)
		if (tids[i] == tid)
			return true;
	return false;
}

static bool note_tid(int tid)
{
	int *more = realloc(tids, (n_tids + 1) * sizeof(*tids));

	if (!more)
		return false;
	tids = more;
	tids[n_tids++] = tid;
	return true;
}

/* What a thread has inherited it has told by a record of its beginning. Returns how many such records there are. */
static size_t note_inherited(void);

/* Returns how many threads were found that are new, or -errno. */
static int watch_new(int pid)
{
	DIR *threads = proc_threads(pid);
	int n = 0, error = threads ? 0 : -ESRCH, tid;

	while (error >= 0 && (tid = proc_next(threads))) {
		if (is_watched(tid))
			continue;
		note_inherited();
		if (is_watched(tid))
			continue;
		error = watch_thread(tid);
		if (error == -ESRCH)
			error = 0;
		else if (!error)
			n += note_tid(tid);
	}
	proc_close(threads);
	return error < 0 ? error : n;
}

static int paranoid(void)
{
	FILE *f = fopen("/proc/sys/kernel/perf_event_paranoid", "re");
	int n = -2;

	if (f && fscanf(f, "%d", &n) != 1)
		n = -2;
	if (f)
		fclose(f);
	return n;
}

static const char *explain(int error)
{
	static char text[512];

	if (error == -ENOSYS || error == -ENOENT)
		return "this kernel, or the container, has no perf events";
	if (error == -ESRCH)
		return "has ended already";
	if (error == -EMFILE || error == -ENFILE)
		return "it has so many threads that there are too few descriptors (ulimit -n)";
	if (error == -EINVAL) /* it has no inherit_thread */
		return "the kernel's perf events do not tell threads from child processes: "
		       "--outside takes Linux 5.13";
	if (error != -EACCES && error != -EPERM) {
		snprintf(text, sizeof(text), "perf events cannot be had: %s", strerror(-error));
		return text;
	}
	if (lacks_room)
		return "the kernel gives no memory for its buffers: raise "
		       "kernel.perf_event_mlock_kb, or ulimit -l";
	if (paranoid() <= 2)
		return "may not be watched by this user: that takes the same user, or CAP_PERFMON "
		       "and CAP_SYS_PTRACE; run cpsample as root";
	snprintf(
		text, sizeof(text),
		"may not be watched, since kernel.perf_event_paranoid is %d: run cpsample as root, "
		"or, as root: sysctl kernel.perf_event_paranoid=2",
		paranoid());
	return text;
}

static void raise_limit(void)
{
	struct rlimit r;

	if (getrlimit(RLIMIT_NOFILE, &r) == 0) {
		r.rlim_cur = r.rlim_max;
		setrlimit(RLIMIT_NOFILE, &r);
	}
}

/* What threads have inherited is closed with what they have it from. */
static void forget_all(void)
{
	for (size_t i = 0; i < n_rings; i++) {
		if (rings[i].fd >= 0)
			munmap(rings[i].control, PAGE + ring_bytes);
		rings[i] = (struct ring){.fd = -1};
	}
	while (n_fds)
		close(fds[--n_fds]);
	n_tids = 0;
}

/* Returns how many threads may have been left out, or -errno. */
static int watch_all(int pid)
{
	int n = 1;

	forget_all();
	for (int i = 0; i < ROUNDS && n > 0; i++)
		n = watch_new(pid);
	return n;
}

/* All buffers have the same size, the largest of which there is room for all. A thread that is made before its parent is
 * watched on each processor inherits a part; then all begins again, as nothing has been read yet. */
static int watch_process(int pid)
{
	int n, tries = 0;

	ring_bytes = RING_MOST;
	for (;;) {
		n = watch_all(pid);
		if (n < 0 && lacks_room && ring_bytes > RING_LEAST) {
			forget_all();
			ring_bytes /= 2;
		} else {
			n_partial = n < 0 ? 0 : note_inherited();
			if (!n_partial || ++tries == TRIES)
				return n;
		}
	}
}

bool watched_begin(const struct watched_wish *wish, const char **why)
{
	int n;

	n_rings = (size_t)sysconf(_SC_NPROCESSORS_CONF);
	rings = calloc(n_rings, sizeof(*rings));
	*why = "there is no memory";
	if (!rings)
		return false;
	for (size_t i = 0; i < n_rings; i++)
		rings[i].fd = -1;
	raise_limit();
	describe(wish);
	n = watch_process(wish->pid);
	if (n >= 0 && n_fds)
		return true;
	*why = explain(n < 0 ? n : -ESRCH);
	watched_stop();
	return false;
}

size_t watched_partial(void)
{
	return n_partial;
}

bool watched_has_kernel(void)
{
	return !attr.exclude_kernel;
}

/* Each processor runs one thread at a time. */
uint64_t watched_patience_ns(void)
{
	uint64_t ns = ring_bytes / (attr.sample_stack_user + 512) * attr.sample_period / 4;

	return ns < PATIENCE_LEAST ? PATIENCE_LEAST : ns > PATIENCE_MOST ? PATIENCE_MOST : ns;
}

void watched_stop(void)
{
	for (size_t i = 0; i < n_fds; i++)
		ioctl(fds[i], PERF_EVENT_IOC_DISABLE, 0);
}

struct reading {
	uint64_t value, lost;
};

static struct reading read_event(int fd)
{
	struct reading r = {0};

	if (read(fd, &r, sizeof(r)) < (ssize_t)sizeof(r.value))
		return (struct reading){0};
	return r;
}

uint64_t watched_used_ns(void)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < n_fds; i++)
		sum += read_event(fds[i]).value;
	return sum;
}

uint64_t watched_lost(void)
{
	uint64_t sum = 0;

	for (size_t i = 0; attr.read_format && i < n_fds; i++)
		sum += read_event(fds[i]).lost;
	return sum > n_lost ? sum : n_lost;
}

/* ---- records ---------------------------------------------------------------------------------------- */

/* Bytes of a buffer, which goes on at its begin. */
static void copy_out(const struct ring *r, uint64_t at, void *to, size_t n)
{
	size_t from = at & (ring_bytes - 1), first = ring_bytes - from;

	first = first < n ? first : n;
	memcpy(to, r->bytes + from, first);
	memcpy((unsigned char *)to + first, r->bytes, n - first);
}

/* The header of the record at the tail; of size 0: there is none. */
static struct perf_event_header header_at(const struct ring *r, uint64_t at)
{
	struct perf_event_header h = {0};

	if (r->fd >= 0 && r->head - at >= sizeof(h))
		copy_out(r, at, &h, sizeof(h));
	if (h.size < sizeof(h) || h.size > r->head - at)
		h.size = 0;
	return h;
}

/* A sample has it behind its thread, the others at their end. */
static uint64_t time_at(const struct ring *r, uint64_t at, const struct perf_event_header *h)
{
	uint64_t time = 0, where = h->type == PERF_RECORD_SAMPLE ? 16 : h->size - 8u;

	if (h->size >= 24)
		copy_out(r, at + where, &time, sizeof(time));
	return time;
}

static void look_at_tail(struct ring *r)
{
	struct perf_event_header h = header_at(r, r->tail);

	r->time = h.size ? time_at(r, r->tail, &h) : UINT64_MAX;
}

static void open_rings(void)
{
	for (size_t i = 0; i < n_rings; i++) {
		struct ring *r = &rings[i];

		if (r->fd < 0)
			continue;
		r->head = __atomic_load_n(&r->control->data_head, __ATOMIC_ACQUIRE);
		look_at_tail(r);
	}
}

static void close_rings(void)
{
	for (size_t i = 0; i < n_rings; i++)
		if (rings[i].fd >= 0)
			__atomic_store_n(&rings[i].control->data_tail, rings[i].tail,
					 __ATOMIC_RELEASE);
}

static struct ring *oldest(void)
{
	struct ring *found = NULL;

	for (size_t i = 0; i < n_rings; i++)
		if (rings[i].fd >= 0 && rings[i].time != UINT64_MAX &&
		    (!found || rings[i].time < found->time))
			found = &rings[i];
	return found;
}

/* ---- what they say ------------------------------------------------------------------------------------ */

/* A record that is read word by word, and never beyond its end. */
struct cursor {
	const unsigned char *p, *end;
	bool is_bad;
};

static const void *take(struct cursor *c, size_t n)
{
	static const uint64_t nothing[CPS_REGS];
	const void *at = c->p;

	if (n > (size_t)(c->end - c->p)) {
		c->is_bad = true;
		return nothing;
	}
	c->p += n;
	return at;
}

static uint64_t take_word(struct cursor *c)
{
	uint64_t v;

	memcpy(&v, take(c, sizeof(v)), sizeof(v));
	return v;
}

static uint32_t take_half(struct cursor *c)
{
	uint32_t v;

	memcpy(&v, take(c, sizeof(v)), sizeof(v));
	return v;
}

static void take_stack(struct cursor *c, struct watched_sample *s)
{
	uint64_t size = take_word(c), used;

	if (!size || c->is_bad || size > (size_t)(c->end - c->p))
		return;
	s->stack = take(c, size);
	used = take_word(c);
	s->stack_bytes = used < size ? used : size;
	s->is_cut = used >= size;
}

static void take_sample(struct cursor *c, const struct watched_events *events)
{
	struct watched_sample s = {0};

	take_half(c); /* the process */
	s.tid = (int)take_half(c);
	s.time_ns = take_word(c);
	s.period_ns = take_word(c);
	if (take_word(c) != PERF_SAMPLE_REGS_ABI_NONE)
		take_registers(take(c, CPS_REGS * sizeof(uint64_t)), &s.regs);
	take_stack(c, &s);
	if (!c->is_bad)
		events->sample(events->context, &s);
}

static void take_mapping(struct cursor *c, const struct watched_events *events)
{
	struct watched_mapping m = {0};

	take_word(c); /* process and thread */
	m.begin = take_word(c);
	m.bytes = take_word(c);
	m.offset = take_word(c);
	m.major = take_half(c);
	m.minor = take_half(c);
	m.inode = take_word(c);
	take_word(c); /* the inode's generation */
	take_word(c); /* what is allowed, and flags */
	m.path = (const char *)c->p;
	if (!c->is_bad && memchr(m.path, 0, (size_t)(c->end - c->p)))
		events->map(events->context, &m);
}

static void take_name(struct cursor *c, const struct perf_event_header *h, uint64_t time_ns,
		      const struct watched_events *events)
{
	int tid;

	take_half(c);
	tid = (int)take_half(c);
	if (!c->is_bad && memchr(c->p, 0, (size_t)(c->end - c->p)))
		events->name(events->context, tid, (const char *)c->p,
			     h->misc & PERF_RECORD_MISC_COMM_EXEC, time_ns);
}

static void take_fork(struct cursor *c, uint64_t time_ns, const struct watched_events *events)
{
	uint32_t pid = take_half(c), ppid = take_half(c);
	int tid = (int)take_half(c), parent = (int)take_half(c);

	if (!c->is_bad && pid == ppid)
		events->fork(events->context, tid, parent, time_ns);
}

static void take_exit(struct cursor *c, const struct watched_events *events)
{
	take_word(c);
	events->exit(events->context, (int)take_half(c));
}

static void take_reading(struct cursor *c, const struct watched_events *events)
{
	int tid;

	take_half(c);
	tid = (int)take_half(c);
	events->used(events->context, tid, take_word(c));
}

static void take_lost(struct cursor *c, const struct watched_events *events)
{
	take_word(c);
	n_lost += take_word(c);
	events->lost(events->context);
}

static void take_record(const struct perf_event_header *h, uint64_t time_ns,
			const struct watched_events *events)
{
	struct cursor c = {whole + sizeof(*h), whole + h->size, false};

	switch (h->type) {
	case PERF_RECORD_SAMPLE:
		take_sample(&c, events);
		break;
	case PERF_RECORD_MMAP2:
		take_mapping(&c, events);
		break;
	case PERF_RECORD_COMM:
		take_name(&c, h, time_ns, events);
		break;
	case PERF_RECORD_FORK:
		take_fork(&c, time_ns, events);
		break;
	case PERF_RECORD_EXIT:
		take_exit(&c, events);
		break;
	case PERF_RECORD_READ:
		take_reading(&c, events);
		break;
	case PERF_RECORD_LOST:
		take_lost(&c, events);
		break;
	default:
		break;
	}
}

void watched_read(const struct watched_events *events, bool is_all)
{
	uint64_t until = is_all ? UINT64_MAX : stop_now() - YOUNG_NS;
	struct ring *r;

	open_rings();
	while ((r = oldest()) && r->time < until) {
		struct perf_event_header h = header_at(r, r->tail);
		uint64_t time = r->time;

		copy_out(r, r->tail, whole, h.size);
		r->tail += h.size;
		look_at_tail(r);
		take_record(&h, time, events);
	}
	close_rings();
}

static size_t note_inherited(void)
{
	size_t n = 0;

	open_rings();
	for (size_t i = 0; i < n_rings; i++) {
		struct perf_event_header h;
		uint32_t ids[4];

		for (uint64_t at = rings[i].tail; (h = header_at(&rings[i], at)).size;
		     at += h.size) {
			if (h.type != PERF_RECORD_FORK || h.size < sizeof(h) + sizeof(ids))
				continue;
			copy_out(&rings[i], at + sizeof(h), ids, sizeof(ids));
			n += ids[0] == ids[1];
			if (ids[0] == ids[1] && !is_watched((int)ids[2]))
				note_tid((int)ids[2]);
		}
	}
	return n;
}
