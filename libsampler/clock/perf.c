/* SPDX-License-Identifier: MIT */
/*
 * perf.c - makes events of the kernel's perf subsystem, which send the recorder's signal.
 *
 * In: what is to be counted in which thread. Out: a signal to that thread whenever a period of it has
 * passed.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "arch/arch.h"
#include "base/sys.h"
#include "base/text.h"
#include "clock/perf.h"
#include "signal/disposition.h"
#include "signal/sample.h"
#include "base/poison.h"

#define HAS_MODE 1u /* in the address of an event's page: another page with modes follows it */
#define WATCHERS 2u

/* The kernel allows 65,530 mappings of a process (vm.max_map_count), and a program with many threads may need them. */
#define MAPPINGS_MOST 8192u

/* Order: a count needs none. The others lead to code, and are set before there is an event. */
static _Atomic unsigned n_mappings;
static void (*_Atomic watchers[WATCHERS])(struct cps_thread *t);
static bool may_strike_in_kernel;
static bool (*_Atomic is_taken_too)(const struct cps_thread *t,
				    int fd); /* by an event that is not the clock's */

/* The kernel gives each event a number of its own. */
static bool is_same_event(int a, int b)
{
	uint64_t x = 0, y = 0;

	return CPS_SYS(ioctl, a, PERF_EVENT_IOC_ID, &x, 0) == 0 &&
	       CPS_SYS(ioctl, b, PERF_EVENT_IOC_ID, &y, 0) == 0 && x == y;
}

/* Moves the event's descriptor out of the target's way. If the target has put a file of its own in its
 * place before, what was moved is no event, and there is none. */
static int settle(int fd)
{
	int moved = cps_descriptor_move(fd, is_same_event);

	if (fd < 0 || moved == fd || is_same_event(moved, moved))
		return moved;
	cps_sys_close(moved);
	return -EBADF;
}

void cps_perf_ask_too(bool (*is_taken_of)(const struct cps_thread *t, int fd))
{
	atomic_store(&is_taken_too, is_taken_of);
}

static bool is_taken(const struct cps_thread *t, int fd)
{
	bool (*is_too)(const struct cps_thread *, int);

	if (atomic_load(&t->event) && t->event_fd == fd)
		return true;
	is_too = atomic_load(&is_taken_too);
	return is_too && is_too(t, fd);
}

static int move_on(int fd)
{
	int moved = (int)CPS_SYS(fcntl, fd, F_DUPFD_CLOEXEC, fd + 1, 0);

	if (moved < 0 || is_same_event(fd, moved))
		cps_sys_close(fd);
	return moved;
}

/* While another process has the same memory, as after vfork, exec does not end the page. Kernels before 5.13 cannot
 * be told to end the event. */
static int open_event(struct perf_event_attr *attr, int tid)
{
	int fd;

	attr->remove_on_exec = 1;
	fd = (int)cps_sys6(SYS_perf_event_open, (long)attr, tid, -1, -1, PERF_FLAG_FD_CLOEXEC, 0);
	if (fd != -EINVAL)
		return fd;
	attr->remove_on_exec = 0;
	return (int)cps_sys6(SYS_perf_event_open, (long)attr, tid, -1, -1, PERF_FLAG_FD_CLOEXEC, 0);
}

void cps_perf_let_strike_in_kernel(bool may)
{
	may_strike_in_kernel = may;
}

bool cps_perf_may_strike_in_kernel(void)
{
	return may_strike_in_kernel;
}

int cps_perf_open(const struct cps_perf_event *event, const struct cps_thread *t)
{
	struct perf_event_attr attr;
	int fd;

	memset(&attr, 0, sizeof(attr));
	attr.type = event->type;
	attr.size = sizeof(attr);
	attr.config = event->config;
	attr.config1 = event->config1;
	attr.config2 = event->config2;
	attr.sample_period = event->period;
	attr.wakeup_events = 1;
	attr.disabled = !event->tells_switches;
	attr.context_switch = attr.sample_id_all = event->tells_switches;
	attr.sample_type = event->tells_switches ? PERF_SAMPLE_CPU : 0;
	attr.write_backward = event->tells_mode; /* the latest record is at the head */
	attr.exclude_kernel = attr.exclude_hv = event->without_kernel;
	if (event->tells_chain) {
		attr.sample_type = PERF_SAMPLE_CALLCHAIN;
		attr.exclude_callchain_user = 1;
		attr.sample_max_stack = CPS_KERNEL_DEPTH;
	}
	fd = settle(open_event(&attr, t->tid));
	if (fd < 0 && event->tells_chain) {
		attr.sample_type = 0; /* fewer functions may be allowed, or none */
		attr.exclude_callchain_user = 0;
		attr.sample_max_stack = 0;
		fd = settle(open_event(&attr, t->tid));
	}
	while (fd >= 0 && is_taken(t, fd))
		fd = move_on(fd);
	return fd;
}

int cps_perf_address(int fd, int tid)
{
	const struct f_owner_ex owner = {F_OWNER_TID, tid};
	int error = (int)CPS_SYS(fcntl, fd, F_SETOWN_EX, &owner, 0);

	return error ? error : (int)CPS_SYS(fcntl, fd, F_SETSIG, CPS_SIGNAL_OWN, 0);
}

int cps_perf_raise(int fd)
{
	return (int)CPS_SYS(fcntl, fd, F_SETFL, O_ASYNC, 0);
}

static int map(int fd, size_t bytes, void **page)
{
	long result = -ENOMEM;

	if (atomic_fetch_add(&n_mappings, 1) < MAPPINGS_MOST)
		result = cps_sys6(SYS_mmap, (long)cps_sys_place(bytes), (long)bytes, PROT_READ,
				  MAP_SHARED, fd, 0);
	*page = (void *)result;
	if (result >= 0 || result <= -4096)
		return 0;
	atomic_fetch_sub(&n_mappings, 1);
	return (int)result;
}

static void unmap(void *page, size_t bytes)
{
	cps_sys_munmap(page, bytes);
	atomic_fetch_sub(&n_mappings, 1);
}

void cps_perf_reset(void)
{
	atomic_store(&n_mappings, 0);
}

int cps_perf_map(int fd, void **page)
{
	return map(fd, cps_sys_page(), page);
}

int cps_perf_map_records(int fd, void **pages)
{
	return map(fd, 2 * cps_sys_page(), pages);
}

void cps_perf_end_records(void *pages)
{
	if (pages)
		unmap(pages, 2 * cps_sys_page());
}

/* How many pages a user may map is limited. */
int cps_perf_map_mode(int fd, void **page)
{
	int error = cps_perf_map_records(fd, page);

	if (error)
		return map(fd, cps_sys_page(), page);
	*page = (char *)*page + HAS_MODE;
	return 0;
}

/* ---- what it has met ------------------------------------------------------------------------- */

static const struct perf_event_mmap_page *control_of(const void *page)
{
	return (const void *)((uintptr_t)page & ~(uintptr_t)HAS_MODE);
}

/* Where the latest record begins; 0: there is none. */
static uint64_t head_of(const void *page)
{
	return (uintptr_t)page & HAS_MODE
		       ? __atomic_load_n(&control_of(page)->data_head, __ATOMIC_ACQUIRE)
		       : 0;
}

/* Records consist of such words, which lie in a ring. */
static uint64_t word(const void *page, uint64_t at)
{
	const uint64_t *ring = (const void *)((const char *)control_of(page) + cps_sys_page());

	return __atomic_load_n(&ring[at % cps_sys_page() / 8], __ATOMIC_RELAXED);
}

static struct perf_event_header header_of(const void *page, uint64_t head)
{
	uint64_t first = word(page, head);
	struct perf_event_header header;

	_Static_assert(sizeof(header) == sizeof(first), "a record's first word is its header");
	memcpy(&header, &first, sizeof(header));
	return header;
}

int cps_perf_mode(const void *page)
{
	uint64_t head = head_of(page);
	struct perf_event_header latest;
	unsigned mode;

	if (!head)
		return -1;
	latest = header_of(page, head);
	mode = latest.misc & PERF_RECORD_MISC_CPUMODE_MASK;
	return latest.type == PERF_RECORD_SAMPLE && mode ? mode != PERF_RECORD_MISC_USER : -1;
}

/* Return addresses may lie behind the function that has made the call. Among the addresses are small negative numbers
 * that say of which part of the stack the following ones are. */
static void take_chain(const void *page, uint64_t head, uint64_t n, struct cps_kernel_chain *chain)
{
	bool is_kernels = false;

	for (uint64_t i = 0; i < n && chain->n < CPS_KERNEL_DEPTH; i++) {
		uint64_t pc = word(page, head + 16 + 8 * i);

		if (pc >= (uint64_t)PERF_CONTEXT_MAX)
			is_kernels = pc == (uint64_t)PERF_CONTEXT_KERNEL;
		else if (is_kernels && pc > CPS_KERNEL_ADDRESS && chain->n++)
			chain->pcs[chain->n - 1] = pc - 1;
		else if (is_kernels && pc > CPS_KERNEL_ADDRESS)
			chain->pcs[0] = pc;
	}
}

/* Ticks that come meanwhile write to the ring, too, and may have overwritten the record when it has been read. */
void cps_perf_chain(const void *page, struct cps_kernel_chain *chain)
{
	uint64_t head = head_of(page), n;
	struct perf_event_header latest;

	chain->n = 0;
	if (!head)
		return;
	latest = header_of(page, head);
	if (latest.type != PERF_RECORD_SAMPLE || latest.size < 16 || latest.size > cps_sys_page())
		return;
	n = word(page, head + 8);
	if (n <= (latest.size - 16u) / 8)
		take_chain(page, head, n, chain);
	atomic_thread_fence(memory_order_acquire);
	if (head - head_of(page) > cps_sys_page() - latest.size)
		chain->n = 0;
}

/* The page is not looked at: the target may have unmapped it. */
void cps_perf_end(void *page)
{
	bool has_mode = (uintptr_t)page & HAS_MODE;

	if (page)
		unmap((void *)((uintptr_t)page & ~(uintptr_t)HAS_MODE),
		      has_mode ? 2 * cps_sys_page() : cps_sys_page());
}

int cps_perf_begin(int fd, uint32_t signals)
{
	return (int)CPS_SYS(ioctl, fd, PERF_EVENT_IOC_REFRESH, signals, 0);
}

static CPS_REGS_HANDLER void renew_after_loss(int number, siginfo_t *info, void *context)
{
	struct cps_thread *t = cps_thread_self();

	if (info->si_code <= 0) { /* a process has sent it; what the kernel sends may be ours */
		cps_disposition_pass_on(number, info, context);
		return;
	}
	for (uint32_t i = 0; i < WATCHERS && t && !atomic_load(&t->busy); i++) {
		void (*renew)(struct cps_thread *) = atomic_load(&watchers[i]);

		if (renew)
			renew(t);
	}
	cps_sample_note_interruption(context);
}

int cps_perf_watch_loss(void (*renew)(struct cps_thread *t))
{
	int error = cps_disposition_take_default(SIGIO, renew_after_loss);

	for (uint32_t i = 0; i < WATCHERS; i++) {
		void (*there)(struct cps_thread *) = NULL;

		if (atomic_compare_exchange_strong(&watchers[i], &there, renew) || there == renew)
			break;
	}
	return error == -EBUSY ? 0 : error;
}

void cps_perf_ignore_loss(void (*renew)(struct cps_thread *t))
{
	bool is_watched = false;

	for (uint32_t i = 0; i < WATCHERS; i++) {
		void (*mine)(struct cps_thread *) = renew;

		if (!atomic_compare_exchange_strong(&watchers[i], &mine, NULL))
			is_watched |= mine != NULL;
	}
	if (!is_watched)
		cps_disposition_give_back(SIGIO);
}
