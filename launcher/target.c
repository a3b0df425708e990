/* SPDX-License-Identifier: MIT */
/*
 * target.c - looks at a process from outside.
 *
 * In: /proc. Out: what is there, or one line that says why the process cannot be attached to.
 */
#include "launcher/target.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <linux/kcmp.h>
#include <linux/magic.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/line.h"
#include "launcher/proc.h"

#define REFUSED	  125
#define TRACED_NS 1000000000 /* as long is waited for another tracer */

static bool has_ended(const struct target *t)
{
	char state = proc_state(t->pid, t->pid);

	return !state || state == 'Z' || state == 'X';
}

static void refuse(const struct target *t, const char *format, va_list list)
{
	char line[6000];

	if (t->is_found && has_ended(t))
		_exit(0);
	vsnprintf(line, sizeof(line), format, list);
	line_say("cpsample: %d: %s", t->pid, line);
}

#define OUTSIDE "; --outside records it without touching it"

void target_refuse(const struct target *t, const char *format, ...)
{
	va_list list;

	va_start(list, format);
	refuse(t, format, list);
	va_end(list);
	_exit(REFUSED);
}

void target_refuse_for_now(const struct target *t, const char *format, ...)
{
	va_list list;

	va_start(list, format);
	if (t->may_retry && !has_ended(t))
		_exit(TARGET_RETRY);
	refuse(t, format, list);
	va_end(list);
	_exit(REFUSED);
}

bool target_say_unwritten(const struct target *t, uint64_t n, uint64_t error)
{
	if (!n)
		return true;
	line_say("cpsample: %d: its recording cannot be written%s%s; %lu sample%s lost", t->pid,
		 error ? ": " : "", error && error < 4096 ? strerror((int)error) : "", n,
		 n == 1 ? " is" : "s are");
	return false;
}

bool target_say_removed(const struct target *t, const char *directory)
{
	struct stat s;

	if (stat(directory, &s) == 0) /* else cpsample says so, once for all */
		line_say("cpsample: %d: its recording was removed while it was recorded", t->pid);
	return false;
}

bool target_say_unended(const struct target *t)
{
	line_say("cpsample: %d: cannot be told to end its recording, and ends it by itself when it "
		 "uses CPU time",
		 t->pid);
	return false;
}

bool target_say_unkept(const struct target *t, uint64_t n)
{
	line_say("cpsample: %d: nothing was recorded: its limits (ulimit -v, ulimit -d) leave no "
		 "memory for %lu sample%s" OUTSIDE,
		 t->pid, n, n == 1 ? "" : "s");
	return false;
}

const char *target_base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

bool target_read(const struct target *t, uint64_t at, void *to, size_t n)
{
	return pread(t->memory, to, n, (off_t)at) == (ssize_t)n;
}

bool target_write(const struct target *t, uint64_t at, const void *from, size_t n)
{
	return pwrite(t->memory, from, n, (off_t)at) == (ssize_t)n;
}

/* ---- what the kernel says ------------------------------------------------------------------------ */

static void forget_mappings(struct target *t)
{
	for (size_t i = 0; i < t->n_mappings; i++)
		free(t->mappings[i].path);
	free(t->mappings);
	t->mappings = NULL;
	t->n_mappings = 0;
}

void target_read_mappings(struct target *t)
{
	FILE *f = proc_mappings(t->pid);
	struct proc_mapping p;
	size_t room = 0;

	forget_mappings(t);
	while (proc_next_mapping(f, &p)) {
		struct mapping m = {.begin = p.begin,
				    .end = p.end,
				    .offset = p.offset,
				    .inode = p.inode,
				    .path = strdup(p.path)};

		memcpy(m.allowed, p.allowed, sizeof(m.allowed));
		if (t->n_mappings == room) {
			room = room * 2 + 256;
			t->mappings = realloc(t->mappings, room * sizeof(m));
		}
		if (!t->mappings || !m.path)
			target_refuse(t, "there is no memory for its mappings");
		t->mappings[t->n_mappings++] = m;
	}
	if (f)
		fclose(f);
}

const struct mapping *target_mapping(const struct target *t, uint64_t address)
{
	size_t low = 0, high = t->n_mappings;

	while (low < high) { /* the kernel lists them in order */
		size_t middle = (low + high) / 2;

		if (address >= t->mappings[middle].end)
			low = middle + 1;
		else
			high = middle;
	}
	return low < t->n_mappings && address >= t->mappings[low].begin ? &t->mappings[low] : NULL;
}

/* ---- images ---------------------------------------------------------------------------------------- */

struct dynamic {
	uint64_t symbols, names, names_bytes, gnu_hash, hash;
};

/* The loader has replaced offsets by addresses. */
static void read_dynamic(const struct image *image, const Elf64_Dyn *d, size_t n,
			 struct dynamic *found)
{
	for (size_t i = 0; i < n && d[i].d_tag != DT_NULL; i++) {
		uint64_t v = d[i].d_un.d_ptr, at = v < image->bias ? v + image->bias : v;

		if (d[i].d_tag == DT_SYMTAB)
			found->symbols = at;
		else if (d[i].d_tag == DT_STRTAB)
			found->names = at;
		else if (d[i].d_tag == DT_STRSZ)
			found->names_bytes = v;
		else if (d[i].d_tag == DT_GNU_HASH)
			found->gnu_hash = at;
		else if (d[i].d_tag == DT_HASH)
			found->hash = at;
	}
}

#define SYMBOLS_MAX (1u << 22)
#define NAMES_MAX   (1u << 28)

/* The number of symbols stands in neither of the usual sections: it is behind the last one of the last chain. */
static size_t count_by_gnu_hash(const struct target *t, uint64_t table)
{
	uint32_t head[4], last = 0, word;
	uint64_t buckets, chains;

	if (!target_read(t, table, head, sizeof(head)) || head[0] > SYMBOLS_MAX)
		return 0;
	buckets = table + sizeof(head) + head[2] * UINT64_C(8);
	chains = buckets + head[0] * UINT64_C(4);
	for (uint32_t i = 0; i < head[0]; i++) {
		if (!target_read(t, buckets + i * UINT64_C(4), &word, sizeof(word)))
			return 0;
		last = word > last ? word : last;
	}
	if (last < head[1])
		return head[1];
	do {
		if (!target_read(t, chains + (last - head[1]) * UINT64_C(4), &word, sizeof(word)))
			return 0;
		last++;
	} while (!(word & 1) && last < SYMBOLS_MAX);
	return last;
}

static size_t count_symbols(const struct target *t, const struct dynamic *d)
{
	uint32_t head[2];

	if (d->hash && target_read(t, d->hash, head, sizeof(head)))
		return head[1];
	return d->gnu_hash ? count_by_gnu_hash(t, d->gnu_hash) : 0;
}

static bool read_symbols(const struct target *t, struct image *image, const struct dynamic *d)
{
	size_t n = count_symbols(t, d);

	if (!n || n > SYMBOLS_MAX || !d->symbols || !d->names || d->names_bytes > NAMES_MAX)
		return false;
	image->n_symbols = n;
	image->names_bytes = d->names_bytes;
	image->symbols = calloc(n, sizeof(*image->symbols));
	image->names = calloc(1, d->names_bytes + 1);
	return image->symbols && image->names &&
	       target_read(t, d->symbols, image->symbols, n * sizeof(*image->symbols)) &&
	       target_read(t, d->names, image->names, d->names_bytes);
}

bool image_read(const struct target *t, struct image *image, uint64_t base)
{
	struct dynamic found = {0};
	Elf64_Dyn entries[96];
	const Elf64_Phdr *first = NULL;
	Elf64_Ehdr head;
	size_t n = 0;

	*image = (struct image){.base = base};
	if (!target_read(t, base, &head, sizeof(head)) ||
	    memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 || head.e_phnum > IMAGE_HEADERS ||
	    head.e_phentsize != sizeof(Elf64_Phdr) ||
	    !target_read(t, base + head.e_phoff, image->headers, head.e_phnum * sizeof(Elf64_Phdr)))
		return false;
	image->n_headers = head.e_phnum;
	for (size_t i = 0; i < image->n_headers && !first; i++)
		if (image->headers[i].p_type == PT_LOAD)
			first = &image->headers[i];
	if (!first)
		return false;
	image->bias = base - (first->p_vaddr & -(uint64_t)4096);
	for (size_t i = 0; i < image->n_headers; i++)
		if (image->headers[i].p_type == PT_DYNAMIC) {
			n = image->headers[i].p_memsz / sizeof(entries[0]);
			n = n < 96 ? n : 96;
			if (!target_read(t, image->bias + image->headers[i].p_vaddr, entries,
					 n * sizeof(entries[0])))
				return false;
		}
	read_dynamic(image, entries, n, &found);
	if (read_symbols(t, image, &found))
		return true;
	image_free(image);
	return false;
}

void image_free(struct image *image)
{
	free(image->symbols);
	free(image->names);
	image->symbols = NULL;
	image->names = NULL;
	image->n_symbols = 0;
}

uint64_t image_find(const struct image *image, const char *name)
{
	for (size_t i = 1; i < image->n_symbols; i++) {
		const Elf64_Sym *s = &image->symbols[i];

		if (s->st_shndx != SHN_UNDEF && s->st_name < image->names_bytes &&
		    strcmp(image->names + s->st_name, name) == 0)
			return image->bias + s->st_value;
	}
	return 0;
}

/* ---- checks ------------------------------------------------------------------------------------------ */

#define OF_KERNEL 0x200000ul /* PF_KTHREAD of the flags in /proc/PID/stat */

static bool is_of_kernel(int pid)
{
	char text[512];
	const char *rest = proc_stat(pid, pid, text, sizeof(text));
	unsigned long flags;

	return rest && sscanf(rest, " %*c %*d %*d %*d %*d %*d %lu", &flags) == 1 &&
	       flags & OF_KERNEL;
}

static void check_process(const struct target *t)
{
	long group;

	if (kill(t->pid, 0) != 0 && errno == ESRCH)
		target_refuse(t, "there is no such process");
	group = proc_status_number(t->pid, t->pid, "Tgid", 10);
	if (group > 0 && group != t->pid)
		target_refuse(t, "is a thread of process %ld; name that", group);
	switch (proc_state(t->pid, t->pid)) {
	case 0:
		target_refuse(t, "there is no such process");
	case 'Z':
	case 'X':
		target_refuse(t, "has ended already (it is a zombie)");
	default:
		break;
	}
	if (is_of_kernel(t->pid))
		target_refuse(t, "is a thread of the kernel");
}

/* The process's tracer, 0 if there is none. Another cpsample traces for moments only, so that these are waited for. */
static int tracer_of(const struct target *t)
{
	const struct timespec nap = {0, TRACED_NS / 100};
	long tracer = 0;

	for (int i = 0; i < 100; i++) {
		tracer = proc_status_number(t->pid, t->pid, "TracerPid", 10);
		if (tracer <= 0)
			return 0;
		nanosleep(&nap, NULL);
	}
	return (int)tracer;
}

/* Another tracer, or a thread that does not run, is in the way. */
static void check_tracer(const struct target *t, bool may_be_stopped)
{
	int tracer = tracer_of(t);
	char name[64];

	if (tracer > 0 && proc_line(tracer, tracer, "comm", name, sizeof(name)))
		target_refuse(t, "is traced already, by process %d (%s)", tracer, name);
	else if (tracer > 0)
		target_refuse(t, "is traced already, by process %d (a debugger, or strace)",
			      tracer);
	if (!may_be_stopped && proc_state(t->pid, t->pid) == 'T')
		target_refuse(t, "is stopped; continue it first: kill -CONT %d", t->pid);
}

void target_refuse_rights(const struct target *t, int error)
{
	target_refuse(t,
		      "may not be traced by this user (%s); that takes the same user and "
		      "kernel.yama.ptrace_scope 0, "
		      "or CAP_SYS_PTRACE",
		      strerror(error));
}

/* Ticks of older ones interrupt calls. */
static void check_kernel(const struct target *t)
{
	struct utsname kernel;
	int major = 0, minor = 0;

	if (uname(&kernel) != 0 || sscanf(kernel.release, "%d.%d", &major, &minor) != 2 ||
	    major > 5 || (major == 5 && minor >= 9))
		return;
	target_refuse(t, "runs on a kernel older than Linux 5.9, whose timers would interrupt its "
			 "system calls" OUTSIDE);
}

/* Each thread may have one of its own. */
static void check_filters(const struct target *t)
{
	DIR *threads = proc_threads(t->pid);
	int tid;

	while ((tid = proc_next(threads)))
		if (proc_status_number(t->pid, tid, "Seccomp", 10) > 0)
			target_refuse(
				t, "is under a seccomp filter, which may end it for a system call "
				   "that it does not know" OUTSIDE);
	proc_close(threads);
}

/* A thread of the parent that waits in vfork cannot be interrupted. */
static bool waits_for_child(int parent)
{
	DIR *threads = proc_threads(parent);
	bool waits = false;
	int tid;

	while (!waits && (tid = proc_next(threads)))
		waits = proc_state(parent, tid) == 'D';
	proc_close(threads);
	return waits;
}

/* Where a process has put its arguments; 0: that is not told. fork leaves it as it is, too. */
static uint64_t arguments_of(int pid)
{
	char text[1024];
	const char *at = proc_stat(pid, pid, text, sizeof(text));

	for (int i = 0; at && i < 45; i++) /* field 48; the first behind the name is the third */
		at = strchr(at + 1, ' ');
	return at ? strtoull(at, NULL, 10) : 0;
}

/* Kernels may be without kcmp, or not allow it. */
static bool shares_parents_memory(const struct target *t)
{
	int parent = (int)proc_status_number(t->pid, t->pid, "PPid", 10);
	long differs = syscall(SYS_kcmp, t->pid, parent, KCMP_VM, 0, 0);

	if (differs >= 0)
		return !differs;
	return arguments_of(t->pid) && arguments_of(t->pid) == arguments_of(parent) &&
	       waits_for_child(parent);
}

static void check_rights(struct target *t)
{
	char path[64], features[256];

	snprintf(path, sizeof(path), "/proc/%d/mem", t->pid);
	t->memory = open(path, O_RDWR | O_CLOEXEC);
	if (t->memory < 0)
		target_refuse_rights(t, errno);
	check_filters(t);
	if (proc_status(t->pid, t->pid, "x86_Thread_features", features, sizeof(features)) &&
	    strstr(features, "shstk"))
		target_refuse(t,
			      "has shadow stacks, which let nobody call a function in it" OUTSIDE);
	if (shares_parents_memory(t))
		target_refuse_for_now(t, "shares the memory of its parent (vfork); try again");
}

static bool is_same_file(const struct target *t, const char *path)
{
	char seen[4400];
	struct stat here, there;

	snprintf(seen, sizeof(seen), "/proc/%d/root%s", t->pid, path);
	return stat(path, &here) == 0 && stat(seen, &there) == 0 && here.st_dev == there.st_dev &&
	       here.st_ino == there.st_ino;
}

#define GROUPS_MOST 1024
#define MAY_PASS    (1ul << CAP_DAC_OVERRIDE | 1ul << CAP_DAC_READ_SEARCH)

/* Becomes the user of the process, with all of its groups, and without the rights of root over files. False: this user may not. */
static bool become_user_of(const struct target *t)
{
	char groups[12 * GROUPS_MOST], users[128], *p = groups, *end;
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct rights[_LINUX_CAPABILITY_U32S_3];
	gid_t list[GROUPS_MOST];
	unsigned user, group;
	size_t n = 0;

	if (!proc_status(t->pid, t->pid, "Uid", users, sizeof(users)) ||
	    sscanf(users, "%*u %*u %*u %u", &user) != 1 ||
	    !proc_status(t->pid, t->pid, "Gid", users, sizeof(users)) ||
	    sscanf(users, "%*u %*u %*u %u", &group) != 1)
		return false;
	proc_status(t->pid, t->pid, "Groups", groups, sizeof(groups));
	for (; n < GROUPS_MOST; p = end) {
		list[n] = (gid_t)strtoul(p, &end, 10);
		if (end == p)
			break;
		n++;
	}
	if (setgroups(n, list) != 0 || setresgid(group, group, group) != 0 ||
	    setresuid(user, user, user) != 0)
		if (user != geteuid()) /* its own groups are those of this one, most likely */
			return false;
	if (syscall(SYS_capget, &header, rights) != 0)
		return false;
	rights[0].effective &= ~(uint32_t)MAY_PASS;
	return syscall(SYS_capset, &header, rights) == 0;
}

static bool is_same_link(const struct target *t, const char *file)
{
	char path[64], own[64];
	struct stat here, there;

	snprintf(path, sizeof(path), "/proc/%d/%s", t->pid, file);
	snprintf(own, sizeof(own), "/proc/self/%s", file);
	return stat(own, &here) == 0 && stat(path, &there) == 0 && here.st_dev == there.st_dev &&
	       here.st_ino == there.st_ino;
}

/* Returns 0 if the user of the process may do that with the file, or that cannot be told; else an errno. `from`: where the path
 * begins, for whoever may see that. What the rights of root over files allow depends on whose files they are, and is not told. */
static int denies(const struct target *t, const char *from, const char *path, int mode)
{
	bool may_pass = (unsigned long)proc_status_number(t->pid, t->pid, "CapEff", 16) & MAY_PASS;
	int status = 0, error;
	pid_t child = fork();

	if (!child) {
		if (chdir(from) != 0)
			_exit(errno);
		_exit(become_user_of(t) && faccessat(AT_FDCWD, path, mode, AT_EACCESS) != 0 ? errno
											    : 0);
	}
	if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status))
		return 0;
	error = WEXITSTATUS(status);
	return error == EACCES && may_pass ? 0 : error;
}

/* It is the process that loads the library and makes the recording, by its own rights. A directory that is given to it it need
 * not find. */
static void check_files(const struct target *t, const char *library, const char *directory,
			bool is_given)
{
	long user = proc_status_number(t->pid, t->pid, "Uid", 10);
	struct stat s;
	int error;

	if (stat(directory, &s) != 0)
		target_refuse(t, "%s: %s", directory, strerror(errno));
	error = is_given ? denies(t, directory, ".", W_OK | X_OK)
			 : denies(t, "/", directory, W_OK | X_OK);
	if (error)
		target_refuse(t,
			      "its user (%ld) cannot write to %s (%s); name a directory with --dir "
			      "or -o in which that user may make files",
			      user, directory, strerror(error));
	error = is_given ? 0 : denies(t, "/", library, R_OK);
	if (error)
		target_refuse(t,
			      "its user (%ld) cannot read %s (%s); name one with --library that it "
			      "can" OUTSIDE,
			      user, library, strerror(error));
}

bool target_has_other_root(const struct target *t)
{
	return !is_same_link(t, "root") || !is_same_link(t, "ns/mnt");
}

bool target_has_other_number(const struct target *t)
{
	char numbers[256];
	const char *last;

	proc_status(t->pid, t->pid, "NSpid", numbers, sizeof(numbers));
	last = strrchr(numbers, '\t');
	return last && strtol(last, NULL, 10) != t->pid;
}

/* What stands behind the directory in the whole template; NULL: that begins otherwise. In a template each % of the directory may
 * be doubled. */
static const char *behind(const char *template, const char *directory)
{
	for (; *directory; directory++, template ++) {
		if (*template != *directory)
			return NULL;
		if (*template == '%' && template[1] == '%')
			template ++;
	}
	while (*template == '/')
		template ++;
	return template;
}

/* The name that the recording gets, with the number that the process has here. */
static void name_recording(struct target *t, const char *template)
{
	size_t n = 0;

	for (; *template && n + 32 < sizeof(t->name); template ++) {
		if (template[0] == '%' && template[1] == 'p') {
			n += (size_t)snprintf(t->name + n, 32, "%d", t->pid);
			template ++;
			continue;
		}
		t->name[n++] = *template;
		if (template[0] == '%' && template[1])
			t->name[n++] = *++template;
	}
	t->name[n] = '\0';
}

static const char *wanted_name(void)
{
	const char *name = getenv("CPSAMPLE_OUTPUT");

	return name ? name : "cpsample.%e.%p.cps";
}

/* It gets descriptors of both, and uses them by its own /proc. */
static void prepare_passing(struct target *t, const char *directory)
{
	const char *name = wanted_name(), *in = getenv("CPSAMPLE_DIR"), *rest;
	char path[64], template[4400];
	struct statfs s;

	snprintf(path, sizeof(path), "/proc/%d/root/proc", t->pid);
	if (statfs(path, &s) != 0 || s.f_type != PROC_SUPER_MAGIC)
		target_refuse(t,
			      "has a file system of its own (a container), without /proc" OUTSIDE);
	snprintf(template, sizeof(template), "%s%s%s", in && *name != '/' ? in : "",
		 in && *name != '/' ? "/" : "", name);
	rest = *template == '/' ? behind(template, directory) : template;
	if (!rest || !*rest)
		target_refuse(t, "the name of its recording (%s) is not in %s", template,
			      directory);
	t->sees_other_files = true;
	t->directory = directory;
	name_recording(t, rest);
}

void target_open(struct target *t, int pid, const char *library, const char *directory)
{
	bool is_given;

	t->pid = pid;
	t->memory = -1;
	check_process(t);
	check_tracer(t, false);
	check_kernel(t);
	check_rights(t);
	target_read_mappings(t);
	is_given = !is_same_file(t, library) || !is_same_file(t, directory);
	check_files(t, library, directory, is_given);
	if (is_given)
		prepare_passing(t, directory);
	else if (target_has_other_number(t))
		name_recording(t, wanted_name());
}

void target_open_outside(struct target *t, int pid)
{
	t->pid = pid;
	t->memory = -1;
	check_process(t);
}

static void check_machine(const struct target *t)
{
	unsigned char head[EI_NIDENT + 4] = "";
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/exe", t->pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0 && read(fd, head, sizeof(head)) == sizeof(head) &&
	    memcmp(head, ELFMAG, SELFMAG) == 0 &&
	    (head[EI_CLASS] != ELFCLASS64 || head[EI_NIDENT + 2] != EM_X86_64))
		target_refuse(t, "was made for another architecture");
	if (fd >= 0)
		close(fd);
}

void target_look(struct target *t, int pid)
{
	char path[64];

	*t = (struct target){.pid = pid, .memory = -1};
	check_process(t);
	check_tracer(t, true);
	snprintf(path, sizeof(path), "/proc/%d/mem", t->pid);
	t->memory = open(path, O_RDONLY | O_CLOEXEC);
	if (t->memory < 0)
		target_refuse_rights(t, errno);
	check_machine(t);
	target_read_mappings(t);
	if (!t->n_mappings)
		target_refuse(t, "has ended meanwhile");
}

static bool begins_with(const char *text, const char *begin)
{
	return strncmp(text, begin, strlen(begin)) == 0;
}

/* Its loader is its C library, and has either name. */
static bool is_musl(const char *path)
{
	return begins_with(target_base_name(path), "ld-musl") ||
	       (strstr(path, "-linux-musl") && strcmp(target_base_name(path), "libc.so") == 0);
}

void target_find_libc(const struct target *t, struct image *libc)
{
	bool has_loader = false;
	Elf64_Ehdr head;

	for (size_t i = 0; i < t->n_mappings; i++) {
		const char *name = target_base_name(t->mappings[i].path);

		if (is_musl(t->mappings[i].path))
			target_refuse(t, "uses musl, and libcpsample.so needs glibc" OUTSIDE);
		if (!t->mappings[i].offset &&
		    target_read(t, t->mappings[i].begin, &head, sizeof(head)) &&
		    memcmp(head.e_ident, ELFMAG, SELFMAG) == 0 &&
		    (head.e_machine != EM_X86_64 || head.e_ident[EI_CLASS] != ELFCLASS64))
			target_refuse(t, "was made for another architecture");
		has_loader |= begins_with(name, "ld-linux") || begins_with(name, "ld-2.");
	}
	for (size_t i = 0; i < t->n_mappings; i++) {
		const char *name = target_base_name(t->mappings[i].path);

		if (t->mappings[i].offset ||
		    !(begins_with(name, "libc.so.6") || begins_with(name, "libc-2.")) ||
		    !image_read(t, libc, t->mappings[i].begin))
			continue;
		if (!image_find(libc, "dlopen") || !image_find(libc, "pthread_create"))
			target_refuse(t, "its C library %s is older than glibc 2.34" OUTSIDE,
				      t->mappings[i].path);
		return;
	}
	if (has_loader)
		target_refuse_for_now(t, "its C library was not found" OUTSIDE);
	target_refuse_for_now(
		t, "is statically linked, so that nothing can be loaded into it" OUTSIDE);
}
