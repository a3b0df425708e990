/* SPDX-License-Identifier: MIT */
/*
 * bytes.c - counts the bytes of transfers, and of the C library's streams.
 */
#include <fcntl.h>
#include <link.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/sys.h"
#include "resource/point.h"
#include "resource/resource.h"
#include "stream/deflate_out.h"
#include "wrap/bytes.h"
#include "wrap/eintr_restart.h"
#include "wrap/wrap.h"

/* ---- stdio ----------------------------------------------------------------------------------- */
/*
 * Counts the bytes that the C library's streams read and write.
 *
 * In: transfers between the buffers of streams and the kernel. Out: points of read and write, and
 * samples of the functions that have called the C library.
 *
 * Streams on files call read and write by tables of functions, which are data of the C library.
 * Their two entries are replaced, so that a call of getc costs what it did, and whatever stdio
 * function it was that needed the kernel is counted to the byte (doc/decisions/0069). Streams of
 * other kinds, such as those of fopencookie, have other tables.
 */

#define STREAMS_MAX  65536u	 /* that are looked at when the process ends */
#define IS_STREAM    0xfbad0000u /* in the flags of each (_IO_MAGIC) */
#define IS_OF_FILE   0x2000	 /* _IO_IS_FILEBUF */
#define IS_WRITING   0x0800	 /* _IO_CURRENTLY_PUTTING */
#define KNOWN_FLAGS  (0xffff0000u | IS_OF_FILE | IS_WRITING)
#define WRITING_FILE (IS_STREAM | IS_OF_FILE | IS_WRITING)

/* glibc exports these since its beginning, so that programs could derive streams of their own. */
extern ssize_t _IO_file_read(FILE *stream, void *to, ssize_t n);
extern ssize_t _IO_file_write(FILE *stream, const void *from, ssize_t n);
extern const void *const _IO_file_jumps[];
extern FILE *_IO_list_all;
#pragma weak _IO_file_read
#pragma weak _IO_file_write
#pragma weak _IO_file_jumps
#pragma weak _IO_list_all

/* What lies side by side in the table of each kind of stream on a file. */
struct transfers {
	ssize_t (*_Atomic read)(FILE *stream, void *to, ssize_t n);
	ssize_t (*_Atomic write)(FILE *stream, const void *from, ssize_t n);
};

/* Where the tables lie. */
struct place {
	uintptr_t low, high;	     /* the segment */
	uintptr_t fixed, fixed_high; /* the part of it that the loader has made read-only */
	struct cps_code_range code;  /* of the C library */
};

static struct place place;

/* Order: the place is complete before its code is released, and used by who has acquired that. Another thread that comes by a
 * table without having seen it is sampled where it is in the C library. */
static _Atomic(const struct cps_code_range *) code_of_libc;

static void pass(uint32_t resource, ssize_t bytes)
{
	uint64_t weight = bytes > 0 ? cps_point_pass(resource, (uint64_t)bytes) : 0;

	if (weight)
		cps_resource_sample_outside(
			resource, weight,
			atomic_load_explicit(&code_of_libc, memory_order_acquire));
}

static ssize_t read_counted(FILE *stream, void *to, ssize_t n)
{
	ssize_t done = _IO_file_read(stream, to, n);

	pass(CPS_RESOURCE_OF_bytes_read, done);
	return done;
}

/* Returns how much it has written, also if not all. */
static ssize_t write_counted(FILE *stream, const void *from, ssize_t n)
{
	ssize_t done = _IO_file_write(stream, from, n);

	pass(CPS_RESOURCE_OF_bytes_write, done);
	return done;
}

static int look(struct dl_phdr_info *file, size_t bytes, void *context)
{
	uintptr_t tables = (uintptr_t)_IO_file_jumps, code = (uintptr_t)_IO_file_read;
	struct place *p = context, found = {0};

	(void)bytes;
	for (size_t i = 0; i < file->dlpi_phnum; i++) {
		const ElfW(Phdr) *h = &file->dlpi_phdr[i];
		uintptr_t low = file->dlpi_addr + h->p_vaddr, high = low + h->p_memsz;

		if (h->p_type == PT_GNU_RELRO) {
			found.fixed = low & -(uintptr_t)cps_sys_page();
			found.fixed_high = high & -(uintptr_t)cps_sys_page();
		} else if (h->p_type == PT_LOAD && tables >= low && tables < high) {
			found.low = low;
			found.high = low + h->p_filesz;
		} else if (h->p_type == PT_LOAD && code >= low && code < high) {
			found.code = (struct cps_code_range){low, high};
		}
	}
	if (!found.low || !found.code.low)
		return 0;
	*p = found;
	return 1;
}

/* The loader has made the tables read-only, and so they stay. */
static bool replace(struct transfers *t, const struct transfers *by)
{
	uintptr_t low = (uintptr_t)t & -(uintptr_t)cps_sys_page(), high = (uintptr_t)(t + 1);
	bool is_fixed = low >= place.fixed && low < place.fixed_high;

	if (high > place.fixed_high)
		high = place.fixed_high;
	if (is_fixed && CPS_SYS(mprotect, low, high - low, PROT_READ | PROT_WRITE, 0) != 0)
		return false;
	atomic_store(&t->read, atomic_load(&by->read));
	atomic_store(&t->write, atomic_load(&by->write));
	if (is_fixed)
		CPS_SYS(mprotect, low, high - low, PROT_READ, 0);
	return true;
}

static uint32_t replace_all(const struct transfers *these, const struct transfers *by)
{
	uint32_t n = 0;

	for (uintptr_t p = (place.low + 7) & -(uintptr_t)8;
	     p + sizeof(struct transfers) <= place.high; p += 8) {
		struct transfers *t = (struct transfers *)p;

		if (atomic_load(&t->read) == atomic_load(&these->read) &&
		    atomic_load(&t->write) == atomic_load(&these->write))
			n += replace(t, by);
	}
	return n;
}

static const struct transfers counting = {read_counted, write_counted};
static bool is_begun;

/* Count from now on what streams pass to the kernel and get from it, for the resources read and write. False:
 * this C library's streams are not as they are known to be, so that they are not counted. Not for handlers. */
static bool cps_stdio_begin(void)
{
	const struct transfers plain = {_IO_file_read, _IO_file_write};

	if (is_begun)
		return true;
	if (!_IO_file_read || !_IO_file_write || !_IO_file_jumps || !dl_iterate_phdr(look, &place))
		return false;
	atomic_store(&code_of_libc, &place.code);
	return is_begun = replace_all(&plain, &counting) > 0;
}

/* Put the tables back. */
static void cps_stdio_end(void)
{
	const struct transfers plain = {_IO_file_read, _IO_file_write};

	if (is_begun)
		replace_all(&counting, &plain);
	is_begun = false;
}

/* To be called where the process ends by exit, when the C library has yet to write what stands in the buffers of
 * streams: count that. Returns how many bytes that are. Other threads may close streams meanwhile, so each is
 * copied. A lock of the list may never be released. */
static uint64_t cps_stdio_settle(void)
{
	uintptr_t at = &_IO_list_all ? (uintptr_t)_IO_list_all : 0;
	ssize_t unwritten = 0;
	FILE f;

	for (uint32_t i = 0; at && i < STREAMS_MAX && cps_copy(&f, at, sizeof(f)); i++) {
		if (((unsigned)f._flags & KNOWN_FLAGS) == WRITING_FILE && f._fileno >= 0 &&
		    f._IO_write_ptr > f._IO_write_base)
			unwritten += f._IO_write_ptr - f._IO_write_base;
		at = (uintptr_t)f._chain;
	}
	pass(CPS_RESOURCE_OF_bytes_write, unwritten);
	return (uint64_t)unwritten;
}

/* ---- kernel io ------------------------------------------------------------------------------- */
/*
 * Says beside the resources read and write what the kernel has counted.
 *
 * In: the kernel's count, /proc/self/io, at the beginning and at the end. Out: a line of the resources read and
 * write in the recording, for cpconv --info. What the recorder writes to its file is taken off.
 */

struct io {
	uint64_t read, written;
};

static struct io before;
static int known_for; /* the process that `before` is of; 0: none */

/* The number behind "name: ". */
static bool find(const char *text, const char *name, uint64_t *value)
{
	const char *p = strstr(text, name);

	if (!p)
		return false;
	*value = 0;
	for (p += strlen(name); *p >= '0' && *p <= '9'; p++)
		*value = *value * 10 + (uint64_t)(*p - '0');
	return true;
}

static bool read_io(struct io *io)
{
	char text[512];
	int fd = cps_descriptor_open("/proc/self/io", O_RDONLY, 0);
	long n = fd >= 0 ? cps_sys_read(fd, text, sizeof(text) - 1) : -1;

	if (fd >= 0)
		cps_sys_close(fd);
	text[n > 0 ? n : 0] = '\0';
	return find(text, "rchar: ", &io->read) && find(text, "wchar: ", &io->written);
}

/* Note what the kernel has counted until now: when counting begins, once in each process. */
static void cps_kernel_io_begin(void)
{
	int pid = cps_sys_getpid();

	if (known_for != pid)
		known_for = read_io(&before) ? pid : 0;
}

#define LINE_BYTES 500
static const char kernel[] = "the kernel has counted ";

/* Behind what is said of the resource already; that may be such a line, if the process has not become another program. */
static void say(uint32_t resource, uint64_t bytes, char line[LINE_BYTES])
{
	const char *said, *end;
	char text[LINE_BYTES];

	if (!cps_resource_is_counted(resource))
		return;
	said = cps_atoms_resource(cps_resource_id(resource))->why;
	said = said ? said : "";
	end = strstr(said, kernel);
	snprintf(text, sizeof(text), "%.*s%s%s%llu bytes, with children that were waited for",
		 end ? (int)(end - said) : (int)strlen(said), said, end || !*said ? "" : "; ",
		 kernel, (unsigned long long)bytes);
	memcpy(line, text, sizeof(text));
	cps_resource_explain(resource, line);
}

/* At the end: let the recording say what it has counted since then, with so many bytes that exit will write.
 * Nothing is said if it cannot be known. */
static void cps_kernel_io_end(uint64_t unwritten)
{
	static char of_read[LINE_BYTES], of_write[LINE_BYTES];
	struct io now;
	uint64_t own = cps_deflate_out_file_bytes();

	if (!known_for || known_for != cps_sys_getpid() || !read_io(&now) ||
	    now.written - before.written < own)
		return;
	say(CPS_RESOURCE_OF_bytes_read, now.read - before.read, of_read);
	say(CPS_RESOURCE_OF_bytes_write, now.written - before.written - own + unwritten, of_write);
}

/* ---- bytes ----------------------------------------------------------------------------------- */
/*
 * Lets the wrappers of transfers count bytes if that is asked for.
 *
 * In: what is counted. Out: wrappers that count.
 */

atomic_bool cps_bytes_wanted; /* Order: a flag by itself: who counts looks at the resource */

static uint64_t unwritten_at_end; /* bytes in buffers, which exit will write */

void cps_bytes_begin(void)
{
	if (!cps_resource_is_counted(CPS_RESOURCE_OF_bytes_read) &&
	    !cps_resource_is_counted(CPS_RESOURCE_OF_bytes_write))
		return;
	atomic_store(&cps_bytes_wanted, true);
	cps_eintr_restart_watch_fully();
	cps_stdio_begin();
	cps_kernel_io_begin();
}

void cps_bytes_settle(void)
{
	if (cps_bytes_are_wanted())
		unwritten_at_end = cps_stdio_settle();
}

void cps_bytes_end(void)
{
	if (cps_bytes_are_wanted())
		cps_kernel_io_end(unwritten_at_end);
}

void cps_bytes_give_back(void)
{
	cps_stdio_end();
	atomic_store(&cps_bytes_wanted, false);
	known_for = 0;
}
