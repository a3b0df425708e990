/* SPDX-License-Identifier: MIT */
/*
 * led_slots.c - puts the wrappers of this library before functions that a program has bound to others, because it ran already.
 *
 * In: what is counted. Out: slots of linkage tables that lead to wrappers, and what stood there. At the end that stands there again.
 *
 * While other threads run, the loader's list is walked under its lock: no file goes meanwhile. A file may be there that the
 * loader has not relocated yet, so a slot is written only if it has what the loader leaves there: the function, or the way back
 * into the linkage table. The page of one that the loader makes read-only afterwards is not touched before it is. Each slot is
 * exchanged, because another thread may just be binding it; what has become of it since is left as it is.
 *
 * A file that is opened later is looked at when the program asks for one of its symbols, or by the controller (process/attach.h).
 * dlopen itself is not wrapped: it looks at its return address. Nothing is done twice with a file that is known.
 *
 * Order: the workroom belongs to who has set `is_busy`, which acquires what the one before has left. What wrappers need is there
 * before the first slot leads to one (slots.h). That the recording ends is stored before the end looks at `is_busy`, and looked
 * at by who has led slots after that was cleared: one of them puts them back.
 */
#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <linux/futex.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "arch/arch.h"
#include "base/memory.h"
#include "base/sys.h"
#include "process/find.h"
#include "process/wrapped.h"
#include "resource/calls.h"
#include "resource/resource.h"
#include "wrap/real.h"
#include "wrap/slots.h"

#define CHANGES	   32768u
#define NAMES	   512u /* a power of two, more than there are names */
#define CANDIDATES 512u
#define KNOWN	   1024u
#define LOOKS	   64u /* of the controller's, after which a new file is as it stays */
#define LINE_BYTES 400

/* ---- what is wrapped ------------------------------------------------------------------------- */

enum purpose {
	LIVES = 1,  /* threads and processes that begin and end */
	MEMORY = 2, /* what is allocated */
	LOCKS = 4,
	CALLS = 8, /* that block, or transfer data */
	FILES = 16 /* files that are opened */
};

struct name {
	const char *text;
	uint32_t purpose;
	uintptr_t wrapper, real; /* 0: there is none */
};

/* clang-format off */
#define N(name)	  {#name, PURPOSE, 0, 0},
static struct name names[] = {
#define PURPOSE LIVES
	N(pthread_create) N(thrd_create) N(pthread_cancel) N(execve) N(execv) N(execvp) N(execvpe) N(execl) N(execlp)
	N(execle) N(fexecve) N(execveat) N(_exit) N(_Exit) N(abort) N(daemon)
#undef PURPOSE
#define PURPOSE MEMORY
	N(malloc) N(calloc) N(realloc) N(reallocarray) N(memalign) N(aligned_alloc) N(posix_memalign) N(valloc)
	N(pvalloc) N(free) N(free_sized) N(free_aligned_sized)
#undef PURPOSE
#define PURPOSE LOCKS
	N(pthread_mutex_lock) N(pthread_mutex_timedlock) N(pthread_mutex_clocklock) N(pthread_mutex_unlock)
	N(mtx_lock) N(mtx_timedlock) N(mtx_unlock) N(pthread_rwlock_rdlock) N(pthread_rwlock_timedrdlock)
	N(pthread_rwlock_clockrdlock) N(pthread_rwlock_wrlock) N(pthread_rwlock_timedwrlock)
	N(pthread_rwlock_clockwrlock) N(pthread_rwlock_unlock) N(pthread_cond_wait) N(pthread_cond_timedwait)
	N(pthread_cond_clockwait) N(pthread_cond_signal) N(pthread_cond_broadcast) N(cnd_wait) N(cnd_timedwait)
	N(cnd_signal) N(cnd_broadcast) N(sem_wait) N(sem_timedwait) N(sem_clockwait) N(sem_post) N(syscall)
	N(flock) N(lockf) N(lockf64) N(fcntl) N(fcntl64)
#undef PURPOSE
#define PURPOSE CALLS
	N(pthread_join) N(pthread_timedjoin_np) N(pthread_clockjoin_np) N(pthread_barrier_wait) N(thrd_join)
	N(sigwait) N(fsync) N(fdatasync) N(syncfs) N(msync) N(tcdrain) N(tcsendbreak) N(open) N(open64)
	N(openat) N(openat64) N(creat) N(creat64) N(__open_2) N(__open64_2) N(__openat_2) N(__openat64_2)
	N(poll) N(__poll) N(__poll_chk) N(ppoll) N(__ppoll_chk) N(select) N(__select) N(pselect) N(epoll_wait)
	N(epoll_pwait) N(epoll_pwait2) N(nanosleep) N(__nanosleep) N(clock_nanosleep) N(usleep) N(sleep)
	N(thrd_sleep) N(pause) N(sigsuspend) N(__sigsuspend) N(__xpg_sigpause) N(sigwaitinfo) N(sigtimedwait)
	N(semop) N(semtimedop) N(msgrcv) N(msgsnd) N(aio_suspend) N(aio_suspend64) N(accept) N(accept4)
	N(connect) N(__connect) N(recv) N(__recv_chk) N(recvfrom) N(__recvfrom_chk) N(recvmsg) N(recvmmsg)
	N(send) N(__send) N(sendto) N(sendmsg) N(sendmmsg) N(read) N(__read) N(__read_chk) N(readv) N(write)
	N(__write) N(writev) N(pread) N(pread64) N(__pread64) N(__pread_chk) N(__pread64_chk) N(preadv)
	N(preadv64) N(preadv2) N(preadv64v2) N(pwrite) N(pwrite64) N(__pwrite64) N(pwritev) N(pwritev64)
	N(pwritev2) N(pwritev64v2) N(wait) N(__wait) N(waitpid) N(__waitpid) N(wait3) N(wait4) N(waitid)
	N(sendfile) N(sendfile64) N(splice) N(copy_file_range) N(getrandom) N(getdents64)
#undef PURPOSE
#define PURPOSE FILES
	N(dlsym) N(dlvsym)
#undef PURPOSE
};
#undef N
/* clang-format on */
#define N_NAMES (sizeof(names) / sizeof(names[0]))

_Static_assert(N_NAMES < NAMES / 2, "they are found soon");

/* What there is of each purpose, by the number of its bit. */
#define PURPOSES 5
static struct seen {
	uint32_t n_led;	     /* slots that lead to wrappers */
	uint32_t n_read;     /* that do not, as code also reads them */
	uint32_t n_pointers; /* to the function itself, in data */
} seen[PURPOSES];

/* What was changed, what is known, and where work is done: all of it is there once a process was attached to. */
static struct workroom {
	struct change {
		uintptr_t slot, ours, before;
		bool is_sealed;
	} changes[CHANGES];
	struct cps_slots_use candidates[CANDIDATES];   /* of one file */
	_Atomic(const struct link_map *) known[KNOWN]; /* files that need not be looked at again */
	struct judged {
		const struct link_map *map;
		uint32_t n_left; /* slots that stay as they are, since code reads them */
	} judged[KNOWN];
	uint16_t by_name[NAMES]; /* numbers of names, from 1 on */
} * room;
static uint32_t n_changes, n_candidates;
static atomic_bool is_on;
static atomic_flag is_busy = ATOMIC_FLAG_INIT;
static uint64_t adds, subs; /* of the loader's, when its list was walked last */
static uint32_t n_looks;    /* of the controller's since then */

/* In the order of the table (resource.h). */
static bool is_any_counted(uint32_t first, uint32_t last)
{
	for (uint32_t i = first; i <= last; i++)
		if (cps_resource_is_counted(i))
			return true;
	return false;
}

static struct seen *seen_of(const struct name *n)
{
	return &seen[__builtin_ctz(n->purpose)];
}

static uint32_t wanted_purposes(void)
{
	uint32_t purposes = LIVES | FILES;

	if (is_any_counted(CPS_RESOURCE_OF_alloc, CPS_RESOURCE_OF_alloc_live))
		purposes |= MEMORY;
	if (is_any_counted(CPS_RESOURCE_OF_lock, CPS_RESOURCE_OF_lock_blame))
		purposes |= LOCKS;
	if (is_any_counted(CPS_RESOURCE_OF_real, CPS_RESOURCE_OF_bytes_write) ||
	    is_any_counted(CPS_RESOURCE_OF_switches, CPS_RESOURCE_OF_migrations))
		purposes |= LOCKS | CALLS;
	return purposes;
}

static uint32_t hash_of(const char *text)
{
	uint32_t h = 5381;

	for (; *text; text++)
		h = h * 33 + (unsigned char)*text;
	return h * 0x9e3779b1u >> 16;
}

static struct name *find_name(const char *text)
{
	for (uint32_t i = hash_of(text) % NAMES; room->by_name[i]; i = (i + 1) % NAMES)
		if (strcmp(names[room->by_name[i] - 1].text, text) == 0)
			return &names[room->by_name[i] - 1];
	return NULL;
}

static uintptr_t wrapper_of(const struct cps_loaded *own, const struct name *n)
{
	const ElfW(Sym) *s = cps_loaded_find(own, n->text, CPS_LOADED_NEWEST);

	if (n->purpose == FILES)
		return n->real ? cps_calls_look(0, n->real) : 0;
	return s ? cps_loaded_address(own, s) : 0;
}

static bool find_wrappers(const struct link_map *own)
{
	uint32_t purposes = wanted_purposes();
	struct cps_loaded f;

	if (!cps_loaded_read(own, &f))
		return false;
	memset(room->by_name, 0, sizeof(room->by_name));
	for (uint16_t k = 0; k < N_NAMES; k++) {
		uint32_t i = hash_of(names[k].text) % NAMES;

		if (!(names[k].purpose & purposes))
			continue;
		names[k].real = (uintptr_t)cps_find_listed(names[k].text);
		names[k].wrapper = wrapper_of(&f, &names[k]);
		while (room->by_name[i])
			i = (i + 1) % NAMES;
		room->by_name[i] = (uint16_t)(k + 1);
	}
	return true;
}

/* ---- slots ----------------------------------------------------------------------------------- */

/* Whether the loader would bind the symbol to the function: as for most files, those come first that were there first. */
static bool binds_to(const struct cps_loaded *file, uint32_t number, uintptr_t real)
{
	const char *name = file->names + file->symbols[number].st_name;
	const char *version = cps_loaded_version(file, number);
	const struct link_map *map = cps_find_first_file();
	const ElfW(Sym) *s = NULL;
	struct cps_loaded f;

	for (; map && !s; map = map->l_next)
		if (map->l_name != cps_find_own_path() && cps_loaded_read(map, &f))
			s = cps_loaded_find(&f, name, version);
	return s && ELF64_ST_TYPE(s->st_info) != STT_GNU_IFUNC && cps_loaded_address(&f, s) == real;
}

/* An operation of the kernel's that writes there what there is. */
static bool is_writable(uintptr_t slot)
{
	static uint32_t nobody_waits;

	return cps_sys6(SYS_futex, (long)&nobody_waits, FUTEX_WAKE_OP | FUTEX_PRIVATE_FLAG, 0, 0,
			(long)slot, FUTEX_OP(FUTEX_OP_ADD, 0, FUTEX_OP_CMP_EQ, 0)) >= 0;
}

/* The page that is just writable though it is sealed; 0: none. */
static uintptr_t opened;

static void close_page(void)
{
	if (opened)
		CPS_SYS(mprotect, opened, CPS_SLOTS_PAGE, PROT_READ, 0);
	opened = 0;
}

/* One that can be written without this is the loader's still, or the program has opened it. */
static bool open_page(uintptr_t slot, bool is_sealed)
{
	uintptr_t page = slot & -CPS_SLOTS_PAGE;

	if (!is_sealed || page == opened)
		return true;
	close_page();
	if (is_writable(slot))
		return !atomic_load(&is_on); /* at the end the loader is long done with it */
	if (CPS_SYS(mprotect, page, CPS_SLOTS_PAGE, PROT_READ | PROT_WRITE, 0) != 0)
		return false;
	opened = page;
	return true;
}

static bool exchange(uintptr_t slot, uintptr_t from, uintptr_t to, bool is_sealed)
{
	return open_page(slot, is_sealed) &&
	       __atomic_compare_exchange_n((uintptr_t *)slot, &from, to, false, __ATOMIC_ACQ_REL,
					   __ATOMIC_RELAXED);
}

/* What was there is noted before it is gone: the recording may end in between. */
static void lead(const struct cps_slots_file *f, uintptr_t slot, const struct name *n)
{
	uintptr_t before = __atomic_load_n((uintptr_t *)slot, __ATOMIC_RELAXED);
	bool is_sealed = cps_slots_is_sealed(f, slot);

	if (n_changes == CHANGES || !atomic_load(&is_on) || before == n->wrapper)
		return;
	room->changes[n_changes++] = (struct change){slot, n->wrapper, before, is_sealed};
	if (exchange(slot, before, n->wrapper, is_sealed))
		seen_of(n)->n_led++;
	else
		n_changes--;
}

static bool is_ready(const struct cps_slots_file *f, const ElfW(Rela) * r, const struct name *n)
{
	uint32_t number = (uint32_t)ELF64_R_SYM(r->r_info);
	uintptr_t target = *(uintptr_t *)(f->loaded.bias + r->r_offset);

	if (target == n->real)
		return true;
	return ELF64_R_TYPE(r->r_info) == CPS_RELOCATION_CALL &&
	       cps_slots_is_unbound(f, &f->loaded.symbols[number], target) &&
	       binds_to(&f->loaded, number, n->real);
}

/* Slots that code may also read are kept in order, to be judged at once. */
static void add_candidate(uintptr_t slot, const struct name *n)
{
	uint32_t i = n_candidates;

	if (n_candidates == CANDIDATES)
		return;
	for (n_candidates++; i && room->candidates[i - 1].slot > slot; i--)
		room->candidates[i] = room->candidates[i - 1];
	room->candidates[i] = (struct cps_slots_use){.slot = slot, .which = (uint32_t)(n - names)};
}

/* What the program calls by it passes no table. */
static void count_pointer(const struct cps_slots_file *f, uintptr_t at, const char *text)
{
	const struct name *n = cps_find_is_libc(f->map) ? NULL : find_name(text);

	if (n && n->wrapper && n->real && *(const uintptr_t *)at == n->real)
		seen_of(n)->n_pointers++;
}

static void lead_list(const struct cps_slots_file *f, const ElfW(Rela) * list, size_t n)
{
	for (size_t k = 0; k < n; k++) {
		uint32_t type = (uint32_t)ELF64_R_TYPE(list[k].r_info);
		uintptr_t slot = f->loaded.bias + list[k].r_offset;
		const ElfW(Sym) *s = &f->loaded.symbols[ELF64_R_SYM(list[k].r_info)];
		const struct name *name;

		if (type == CPS_RELOCATION_POINTER && slot % sizeof(uintptr_t) == 0)
			count_pointer(f, slot, f->loaded.names + s->st_name);
		if ((type != CPS_RELOCATION_CALL && type != CPS_RELOCATION_DATA) ||
		    slot % sizeof(uintptr_t))
			continue;
		name = find_name(f->loaded.names + s->st_name);
		if (!name || !name->wrapper || !name->real || !is_ready(f, &list[k], name))
			continue;
		if (type == CPS_RELOCATION_CALL)
			lead(f, slot, name);
		else
			add_candidate(slot, name);
	}
}

static uint32_t place_of(const struct link_map *map)
{
	return (uintptr_t)map / 64 % KNOWN;
}

/* The C library hands the addresses of allocators on, and compares none. A file's code is read again only if there are other slots
 * than those that it reads. */
static void lead_candidates(const struct cps_slots_file *f)
{
	struct judged *judged = &room->judged[place_of(f->map)];
	bool is_libc = cps_find_is_libc(f->map);

	if (judged->map == f->map && judged->n_left == n_candidates)
		return;
	*judged = (struct judged){.map = f->map};
	if (!is_libc)
		cps_slots_judge(f, room->candidates, n_candidates);
	for (uint32_t i = 0; i < n_candidates; i++) {
		const struct cps_slots_use *use = &room->candidates[i];

		if (is_libc || (use->n_jumps && !use->is_read))
			lead(f, use->slot, &names[use->which]);
		else
			judged->n_left++, seen_of(&names[use->which])->n_read += use->n_jumps > 0;
	}
}

/* ---- files ----------------------------------------------------------------------------------- */

static _Atomic(const struct link_map *) *known_at(const struct link_map *map)
{
	return &room->known[place_of(map)];
}

/* The loader has made read-only what it does not change any more. */
static bool is_complete(const struct cps_slots_file *f)
{
	for (size_t i = 0; i < f->n_headers; i++) {
		uintptr_t at = f->loaded.bias + f->headers[i].p_vaddr;

		at = (at + 7) & ~(uintptr_t)7;
		if (f->headers[i].p_type == PT_GNU_RELRO && cps_slots_is_sealed(f, at))
			return !is_writable(at);
	}
	return false;
}

static void lead_file(const struct link_map *map, const struct link_map *own)
{
	struct cps_slots_file f;
	bool was_complete;

	if (map == own || map->l_addr == cps_find_loader_base() || *known_at(map) == map ||
	    !cps_slots_read(map, &f))
		return;
	was_complete = is_complete(&f);
	n_candidates = 0;
	lead_list(&f, f.loaded.calls, f.loaded.n_calls);
	lead_list(&f, f.loaded.others, f.loaded.n_others);
	lead_candidates(&f);
	close_page();
	if (was_complete)
		*known_at(map) = map;
}

/* The recorder's own file; NULL: it is not found. */
static const struct link_map *find_own(void)
{
	const struct link_map *own = cps_find_first_file();

	while (own && own->l_name != cps_find_own_path())
		own = own->l_next;
	return own;
}

static void lead_all(void)
{
	const struct link_map *own = find_own();

	for (const struct link_map *map = cps_find_first_file(); own && map; map = map->l_next)
		lead_file(map, own);
}

/* What lay in files that are gone, or is not ours any more, need not be put back. */
static void forget_gone(void)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < n_changes; i++) {
		const struct change *c = &room->changes[i];
		uintptr_t now = 0;

		if (cps_copy(&now, c->slot, sizeof(now)) && now == c->ours)
			room->changes[n++] = *c;
	}
	n_changes = n;
	for (uint32_t i = 0; i < KNOWN; i++)
		atomic_store(&room->known[i], NULL);
	memset(room->judged, 0, sizeof(room->judged));
}

struct look {
	const struct link_map *at; /* a file that is to be led now */
	bool is_first, is_controllers;
	bool is_beside; /* at the end: other threads, without the loader's lock */
};

/* ---- the end --------------------------------------------------------------------------------- */

static void put_back(void)
{
	while (n_changes) {
		const struct change *c = &room->changes[--n_changes];
		uintptr_t now = 0;

		if (cps_copy(&now, c->slot, sizeof(now)) && now == c->ours)
			exchange(c->slot, c->ours, c->before, c->is_sealed);
	}
	close_page();
}

/* Other threads run, and may close a file meanwhile. The kernel writes where memory is still, and fails elsewhere. A page that is
 * sealed is not touched, because it may be another's by then: its slots keep their wrappers, which do nothing. What stays is noted
 * for the next end. */
static void put_back_beside(void)
{
	for (uint32_t i = cps_copy_is_safe() ? n_changes : 0; i--;) {
		const struct change *c = &room->changes[i];
		uintptr_t now = 0, before = c->before;
		struct iovec here = {&before, sizeof(before)};
		struct iovec there = {(void *)c->slot, sizeof(before)};

		if (!c->is_sealed && cps_copy(&now, c->slot, sizeof(now)) && now == c->ours)
			cps_sys6(SYS_process_vm_writev, cps_sys_getpid(), (long)&here, 1,
				 (long)&there, 1, 0);
	}
}

/* Who is at it already, in a thread that was interrupted there, finds that it is over. */
static int put_back_now(struct dl_phdr_info *unused, size_t bytes, void *look)
{
	(void)unused, (void)bytes;
	if (atomic_flag_test_and_set(&is_busy))
		return 1;
	if (((const struct look *)look)->is_beside)
		put_back_beside();
	else
		put_back();
	atomic_flag_clear(&is_busy);
	return 1;
}

/* ---- looks ----------------------------------------------------------------------------------- */

static bool is_unknown(const struct link_map *map)
{
	return map && atomic_load(known_at(map)) != map;
}

/* After so many looks of the controller's since a file has come the next one looks at files again that may not have been
 * relocated. */
static bool is_due(void)
{
	n_looks++;
	return n_looks <= LOOKS && (n_looks & (n_looks - 1)) == 0;
}

static void look_at_all(const struct dl_phdr_info *info, size_t bytes, const struct look *look)
{
	bool is_new = false;

	if (info && bytes >= sizeof(*info)) {
		is_new = info->dlpi_adds != adds || info->dlpi_subs != subs;
		if (info->dlpi_subs != subs)
			forget_gone();
		adds = info->dlpi_adds;
		subs = info->dlpi_subs;
	}
	if (is_new)
		n_looks = 0;
	if (is_new || look->is_first || is_unknown(look->at) || (look->is_controllers && is_due()))
		lead_all();
	if (look->at)
		*known_at(look->at) = look->at;
}

/* If the recording ends meanwhile, in a handler or by the launcher, what was done is undone here. */
static int look_now(struct dl_phdr_info *info, size_t bytes, void *look)
{
	if (atomic_flag_test_and_set(&is_busy))
		return 1;
	if (atomic_load(&is_on))
		look_at_all(info, bytes, look);
	atomic_flag_clear(&is_busy);
	if (atomic_load(&is_on) || atomic_flag_test_and_set(&is_busy))
		return 1;
	put_back();
	atomic_flag_clear(&is_busy);
	return 1;
}

/* Threads wait for each other by the loader's lock. */
static void call(int (*f)(struct dl_phdr_info *, size_t, void *), struct look *look,
		 bool has_other_threads)
{
	uint64_t mask = cps_sys_block_signals();

	if (has_other_threads)
		dl_iterate_phdr(f, look);
	else
		f(NULL, 0, look);
	cps_sys_set_mask(mask);
}

void cps_led_slots_look(void)
{
	struct look look = {.is_controllers = true};

	if (atomic_load(&is_on))
		call(look_now, &look, true);
}

/* The program asks for a symbol of a file that it has opened: that stays meanwhile, and is complete. Opening others does not end
 * before they are relocated. */
static void at_symbol(uint32_t which, uintptr_t handle, uintptr_t name)
{
	struct look look = {.at = (const struct link_map *)handle};
	int saved = errno;

	(void)which, (void)name;
	if (atomic_load(&is_on) && look.at != RTLD_DEFAULT && look.at != RTLD_NEXT)
		call(look_now, &look, true);
	errno = saved;
}

/* ---- what is said of it ---------------------------------------------------------------------- */

static struct seen seen_of_all(uint32_t purposes)
{
	struct seen all = {0};

	for (uint32_t i = 0; i < PURPOSES; i++)
		if (purposes >> i & 1) {
			all.n_led += seen[i].n_led;
			all.n_read += seen[i].n_read;
			all.n_pointers += seen[i].n_pointers;
		}
	return all;
}

/* What is not seen comes first: a heading has room for no more. Returns the number of bytes. */
static size_t explain_unseen(char *line, const struct seen *all)
{
	char entries[80] = "";

	if (!all->n_read && !all->n_pointers)
		return 0;
	if (all->n_read)
		snprintf(entries, sizeof(entries), "%s%u entr%s that code also reads",
			 all->n_pointers ? " and " : "", all->n_read,
			 all->n_read == 1 ? "y" : "ies");
	if (!all->n_pointers)
		return (size_t)snprintf(line, LINE_BYTES,
					"calls by %s are not seen (started with cpsample they "
					"are); ",
					entries);
	return (size_t)snprintf(line, LINE_BYTES,
				"calls by %u pointer%s in data%s are not seen (started with "
				"cpsample they are); ",
				all->n_pointers, all->n_pointers == 1 ? "" : "s", entries);
}

/* For cpconv --info. */
static void explain(enum cps_resource_number number, uint32_t purposes, const char *before)
{
	static char lines[CPS_RESOURCE_NUMBERS][LINE_BYTES];
	struct seen all = seen_of_all(purposes);
	char *line = lines[number];
	const char *why;
	size_t n;

	if (!cps_resource_is_counted(number))
		return;
	why = cps_atoms_resource(cps_resource_id(number))->why;
	n = explain_unseen(line, &all);
	snprintf(line + n, LINE_BYTES - n, "%s%s%s; calls are seen at %u entries of linkage tables",
		 why ? why : "", why ? "; " : "", before, all.n_led);
	cps_resource_explain(number, line);
}

static void explain_all(void)
{
	static const char memory[] = "what was allocated before is not in it";
	static const char waits[] = "calls that had begun before are not in it";

	explain(CPS_RESOURCE_OF_alloc, MEMORY, memory);
	explain(CPS_RESOURCE_OF_allocs, MEMORY, memory);
	explain(CPS_RESOURCE_OF_alloc_live, MEMORY, memory);
	explain(CPS_RESOURCE_OF_lock, LOCKS, waits);
	explain(CPS_RESOURCE_OF_real, LOCKS | CALLS, "calls that had begun before are stalled");
	explain(CPS_RESOURCE_OF_switches, LOCKS | CALLS, waits);
	explain(CPS_RESOURCE_OF_bytes_read, CALLS, waits);
	explain(CPS_RESOURCE_OF_bytes_write, CALLS, waits);
}

/* ---- begin and end --------------------------------------------------------------------------- */

uint32_t cps_led_slots_begin(bool has_other_threads)
{
	const struct link_map *own = find_own();
	struct look look = {.is_first = true};

	if (!room)
		room = cps_arena_pages(sizeof(*room));
	if (!own || !room)
		return 0;
	cps_real_find_allocators();
	cps_calls_prepare();
	cps_calls_set_look(at_symbol);
	forget_gone();
	n_looks = 0;
	memset(seen, 0, sizeof(seen));
	if (find_wrappers(own) && (!has_other_threads || cps_slots_settle())) {
		atomic_store(&is_on, true);
		call(look_now, &look, has_other_threads);
	}
	explain_all(); /* also that there is none */
	return seen_of_all(~0u).n_led;
}

void cps_led_slots_end(bool may_wait, bool is_alone)
{
	struct look look = {.is_beside = !may_wait && !is_alone};

	atomic_store(&is_on, false);
	if (room)
		call(put_back_now, &look, may_wait);
}

void cps_led_slots_child(void)
{
	atomic_store(&is_on, false);
	atomic_flag_clear(&is_busy);
}
