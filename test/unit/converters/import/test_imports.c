/* SPDX-License-Identifier: MIT */
/* test_imports.c - profiles of perf script, gperftools, pprof and speedscope: what they say, exactly, and what is
 * wrong with damaged ones. Cut at any byte, and with any byte changed, they are a profile or an error. Seen to fail:
 * with the period of another event; with return addresses as they are; with a sum of rounded times; without the
 * checks of counts. */
#include <sys/resource.h>
#include <zlib.h>

#include "folded_text.h"

/* A file of these bytes; the path is of this process. */
static const char *file_of(const void *bytes, size_t n)
{
	static char path[64];
	static int fd = -1;

	if (fd >= 0)
		close(fd);
	fd = memfd_create("import", 0);
	cr_assert(fd >= 0);
	cr_assert_eq(write(fd, bytes, n), (ssize_t)n);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return path;
}

/* NULL: an error. */
static struct profile *read_bytes(const void *bytes, size_t n, struct error *err)
{
	struct profile_builder *b = profile_builder_new(err);
	struct profile *p = NULL;

	*err = (struct error){0};
	if (decode_file(file_of(bytes, n), profile_builder_sink(b), err))
		profile_builder_free(b);
	else
		p = profile_builder_finish(b, err);
	cr_assert(p || *err->text, "no profile and no error");
	return p;
}

/* The profile as lines "resource unit weight/hits" and "outer;inner self/hits", in the order of the tree. */
static void says(const void *bytes, size_t n, const char *want)
{
	struct error err;
	struct profile *p = read_bytes(bytes, n, &err);
	char got[4096], *end = got, path[512];

	cr_assert(p, "%s", err.text);
	end += sprintf(end, "%s %s %lu/%lu\n", strings_get(p->strings, p->resource, NULL),
		       strings_get(p->strings, p->unit, NULL), p->weight, p->hits);
	for (size_t i = 1; i < p->n_nodes; i++) {
		uint32_t nodes[16], depth = 0;
		char *at = path;

		if (!p->nodes[i].self_weight)
			continue;
		for (uint32_t k = (uint32_t)i; k; k = p->nodes[k].parent)
			nodes[depth++] = k;
		while (depth--) {
			const struct profile_frame *f = &p->frames[p->nodes[nodes[depth]].frame];

			if (f->name != STRINGS_NONE)
				at += sprintf(at, "%s", strings_get(p->strings, f->name, NULL));
			else
				at += sprintf(at, "%d+%lx", (int)f->module, f->address);
			*at++ = depth ? ';' : '\0';
		}
		end += sprintf(end, "%s %lu/%lu\n", path, p->nodes[i].self_weight,
			       p->nodes[i].self_hits);
	}
	cr_assert_str_eq(got, want, "%s", got);
	profile_free(p);
}

static void fails(const void *bytes, size_t n, const char *why)
{
	struct error err;
	struct profile *p = read_bytes(bytes, n, &err);

	cr_assert_null(p, "no error: %s", why);
	cr_assert(strstr(err.text, why), "%s\nis not in\n%s", why, err.text);
	cr_assert(strstr(err.text, "/proc/self/fd/"), "the file is not named: %s", err.text);
}

#define TEXT(text) text, sizeof(text) - 1

/* Each beginning, and each byte changed to some others. */
static void survives(const void *bytes, size_t n)
{
	static const unsigned char others[] = {0, 1, 0x7f, 0x80, 0xff, '"', '\n'};
	unsigned char *changed = malloc(n);
	struct error err;

	for (size_t i = 1; i < n; i++)
		profile_free(read_bytes(bytes, i, &err));
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < sizeof(others); k++) {
			memcpy(changed, bytes, n);
			changed[i] = others[k];
			profile_free(read_bytes(changed, n, &err));
		}
	free(changed);
}

/* Where the file is cut, and why; "" if it is not. */
static void is_cut(const void *bytes, size_t n, const char *why, uint64_t offset, uint64_t weight)
{
	struct error err;
	struct profile *p = read_bytes(bytes, n, &err);

	cr_assert(p, "%zu: %s", n, err.text);
	const struct profile_process *process = &p->processes[0];

	cr_assert_eq(process->ended, !*why, "%zu bytes", n);
	if (*why) {
		cr_assert(strstr(strings_get(p->strings, process->cut_why, NULL), why), "%zu bytes",
			  n);
		cr_assert_eq(process->cut_offset, offset, "%zu: %lu", n, process->cut_offset);
		cr_assert_eq(process->unended, EVENT_CUT);
	}
	cr_assert_eq(p->weight, weight, "%zu: %lu", n, p->weight);
	profile_free(p);
}

/* ---- perf script ------------------------------------------------------------------------------ */

static const char perf[] =
	"# captured on: Mon Nov 23\n"
	"my prog 100/101 [003]   7.500000:     250000 cpu-clock:u: \n"
	"\t            1367 seventy+0x17 (/tmp/shares)\n"
	"\t            1070 main+0x40 (/tmp/shares)\n"
	"\n"
	"sw 100/100  7.6:  3 cycles: \n\t  ff f (/x)\n\n"
	"worker    102     7.700000123:     250001 cpu-clock:u: \n"
	"\t7f0000001234 std::map<int, char>::at(int const&)+0x1f (/usr/lib/libm.so.6)\n"
	"\t            1072 [unknown] (/tmp/my shares)\n"
	"\t            1074 g (inlined)\n"
	"\n"
	"worker 102 7.8: PERF_RECORD_COMM: worker:102\n"
	"worker 102 7.9:     5 cpu-clock:u:   1367 seventy+0x17 (/tmp/shares)\n";

Test(imports, perf_script)
{
	says(TEXT(perf), "cpu-clock:u ns 500006/3\n"
			 "main;seventy 250000/1\n"
			 "g;[my shares];std::map<int, char>::at(int const&) 250001/1\n"
			 "seventy 5/1\n");
	says(TEXT("p 1 1.5: cycles: \n 1 a (x)\n\n"), "cycles samples 1/1\na 1/1\n");
	fails(TEXT("p 1 1.5: 2 cycles: \n 1 a (x)\nnonsense\n"),
	      "line 3: neither a sample of perf script nor a frame at byte 29");
	fails(TEXT("p 1 1.5: 18446744073709551615 c: \n 1 a (x)\n\np 1 1.5: 1 c: \n 1 a (x)\n\n"),
	      "overflow");
	survives(TEXT(perf));
}

/* Parentheses in the names of files and functions. Seen to fail: with the file from the last parenthesis on that follows
 * a blank. */
Test(imports, perf_script_parentheses)
{
	says(TEXT("p 1 1.5: 2 cycles: \n"
		  "\t  1 f+0x1 (/tmp/x (deleted))\n"
		  "\t  2 [unknown] (/tmp/my x (deleted))\n"
		  "\t  3 g(int (*)(int))+0x2 (/tmp/(a) (b)/x)\n"
		  "\t  4 (anonymous namespace)::h()+0x3 (/tmp/a)/x)\n"
		  "\t  5 i(int (*)(int))\n"
		  "\t  6 [unknown] ([kernel.kallsyms])\n"
		  "\t  7 [unknown] (/tmp/a (1/(x)\n"
		  "\t  8 (/tmp/x)\n"
		  "\n"),
	     "cycles events 2/1\n"
	     "[x];[(x];[kernel.kallsyms];i(int (*)(int));(anonymous namespace)::h();g(int "
	     "(*)(int));[my x];f 2/1\n");
}

/* Threads are told apart by their ids, in any order. Seen to fail: with each sample's thread taken for a new one; with
 * the first one for all. */
Test(imports, perf_script_threads)
{
	static const char text[] = "a 1/9 1.5: 1 c: \n 1 f (x)\n\nb 1/7 1.6: 2 c: \n 1 f (x)\n\n"
				   "c 1/8 1.7: 4 c: \n 1 f (x)\n\nb 1/7 1.8: 8 c: \n 1 f (x)\n\n"
				   "a 1/9 1.9: 16 c: \n 1 f (x)\n\n";
	struct error err;
	struct profile *p = read_bytes(TEXT(text), &err);

	cr_assert(p, "%s", err.text);
	const struct profile_process *process = &p->processes[0];
	char got[128], *end = got;

	for (size_t i = 0; i < process->n_threads; i++)
		end += sprintf(end, "%s %lu %lu\n",
			       strings_get(p->strings, process->threads[i].name, NULL),
			       process->threads[i].tid, process->threads[i].weight);
	cr_assert_str_eq(got, "a 9 17\nb 7 10\nc 8 4\n", "%s", got);
	profile_free(p);
}

/* A sample whose stack is not whole does not count, and the text is told to be cut. Seen to fail: with the last line
 * read, although it has no end; with the last sample counted; without is_stackless. */
Test(imports, perf_script_cut)
{
#define SAMPLE	  "p 1 1.5: 2 c: \n\t 1 f (x)\n\t 2 main (x)\n\n"
#define IN_SAMPLE "it ends inside a sample, which is left out"
#define IN_LINE	  "it ends within a line, which is left out"
	static const char two[] = SAMPLE SAMPLE, one_line[] = "p 1 1.5: 2 c: 1 f (x)\n";
	size_t n = sizeof(SAMPLE) - 1;

	is_cut(two, 2 * n, "", 0, 4);
	for (size_t i = n + 1; i < 2 * n; i++)
		if (i < n + strlen("p 1 1.5: 2 c: \n"))
			is_cut(two, i, IN_LINE, n, 2);
		else
			is_cut(two, i, IN_SAMPLE, n, 2);
	is_cut(TEXT("p 1 1.5: 2 c: \n"), IN_SAMPLE, 0, 0);
	is_cut(TEXT("p 1 1.5: 2 c: \np 1 1.6: 4 c: \n"), "", 0, 6);
	is_cut(TEXT("p 1 1.5: 2 c: 1 f (x)\np 1 1.6: 4 c: 1 f (x)\n"), "", 0, 6);
	is_cut(TEXT("p 1 1.5: 2 c: 1 f (x)\np 1 1.6: 4 c: 1 f (x)"), IN_LINE, 22, 2);
	is_cut(TEXT(SAMPLE "p 1 1.5: 2 other: \n\t 1 f (x)\n"), IN_SAMPLE, n, 2);
	fails(one_line, sizeof(one_line) - 2, "it has no samples, but ends within a line");
}

/* ---- gperftools ------------------------------------------------------------------------------- */

#define MAPS "00001000-00002000 r-xp 00001000 00:00 0  /no/prog\n7000-8000 r--p 0 0:0 0 /no/x\n"

static size_t gperftools(unsigned char *to, const uint64_t *words, size_t n)
{
	memcpy(to, words, n * 8);
	memcpy(to + n * 8, TEXT(MAPS));
	return n * 8 + sizeof(MAPS) - 1;
}

Test(imports, gperftools)
{
	const uint64_t words[] = {0, 3, 0, 2000, 0, 5, 2, 0x1010, 0x1020, 1, 1, 0x9000, 0, 1, 0};
	const uint64_t deep[] = {0, 3, 0, 2000, 0, 5, UINT64_MAX, 1, 2, 3};
	const uint64_t many[] = {0, 3, 0, 2000, 0, UINT64_MAX, 1, 7, 0, 1, 0};
	unsigned char bytes[512];
	size_t n = gperftools(bytes, words, 15);

	says(bytes, n, "cpu ns 12000000/6\n0+101f;0+1010 10000000/5\n-1+9000 2000000/1\n");
	fails(deep, sizeof(deep), "the file ends inside a stack at byte 40");
	fails(many, sizeof(many), "overflow");
	fails(words, 9 * 8, "the file ends before the end of its stacks at byte 72");
	survives(bytes, n);
}

/* It is known to be cut in a line, before all lines, and before those that its stacks need. Seen to fail: with each of
 * the three conditions left out; with a line that has no end read. */
Test(imports, gperftools_cut)
{
#define SECOND "00003000-00004000 r-xp 00001000 00:00 0  /no/lib\n"
	const uint64_t words[] = {0, 3, 0, 2000, 0, 5, 2, 0x1010, 0x3020, 0, 1, 0};
	unsigned char bytes[512];
	size_t begin = sizeof(words), second = begin + sizeof(MAPS) - 1,
	       n = second + sizeof(SECOND) - 1;

	memcpy(bytes, words, begin);
	memcpy(bytes + begin, TEXT(MAPS SECOND));
	is_cut(bytes, n, "", 0, 10000000);
	for (size_t i = second + 1; i < n; i++)
		is_cut(bytes, i, "it ends within a line of its mappings, which is left out", second,
		       10000000);
	is_cut(bytes, begin, "it ends before its mappings", begin, 10000000);
	memcpy(bytes + begin, TEXT("00001000-00002000 r-xp 00001000 00:00 0  /no/prog\n"));
	n = begin + strlen("00001000-00002000 r-xp 00001000 00:00 0  /no/prog\n");
	is_cut(bytes, n, "it ends before the mappings that its stacks are in", n, 10000000);
	says(bytes, n, "cpu ns 10000000/5\n-1+301f;0+1010 10000000/5\n");
	memcpy(bytes + begin, TEXT("00001000-00002000 r-xp 00001000 00:00 0  /no/prog"));
	says(bytes, n - 1, "cpu ns 10000000/5\n-1+301f;-1+1010 10000000/5\n");
}

/* ---- pprof ------------------------------------------------------------------------------------ */

/* Types samples/count and cpu/microseconds; a sample of 2, 30 at locations 7 (g inlined into f) and 8 (main), and one
 * of 1, 4 at 9, which has no function. */
static const char pprof[] = "\x0a\x04\x08\x01\x10\x02"
			    "\x0a\x04\x08\x03\x10\x04"
			    "\x12\x08\x0a\x02\x07\x08\x12\x02\x02\x1e"
			    "\x12\x07\x0a\x01\x09\x12\x02\x01\x04"
			    "\x1a\x0a\x08\x01\x10\x80\x20\x20\x80\x20\x28\x08"
			    "\x22\x0a\x08\x07\x22\x02\x08\x02\x22\x02\x08\x01"
			    "\x22\x06\x08\x08\x22\x02\x08\x03"
			    "\x22\x07\x08\x09\x10\x01\x18\x90\x20"
			    "\x2a\x04\x08\x01\x10\x05"
			    "\x2a\x04\x08\x02\x10\x06"
			    "\x2a\x04\x08\x03\x10\x07"
			    "\x32\x00\x32\x07samples\x32\x05"
			    "count\x32\x03"
			    "cpu\x32\x0cmicroseconds"
			    "\x32\x01"
			    "f\x32\x01g\x32\x04main\x32\x06/a/lib";

Test(imports, pprof)
{
	static const char none[] = "\x0a\x04\x08\x01\x10\x02\x12\x05\x0a\x01\x07\x12\x00";
	static const char below[] = "\x0a\x04\x08\x01\x10\x02\x12\x0e\x12\x0a\xff\xff\xff\xff\xff"
				    "\xff\xff\xff\xff\x01\x22\x00";
	static const char missing[] = "\x0a\x04\x08\x01\x10\x02\x12\x06\x0a\x01\x07\x12\x01\x05";
	static const char twice[] = "\x0a\x04\x08\x01\x10\x02\x22\x02\x08\x07\x22\x02\x08\x07";

	says(TEXT(pprof), "cpu ns 34000/3\nmain;f;g 30000/2\n[lib+0x1010] 4000/1\n");
	fails(TEXT(none), "a sample with other values than there are types at byte");
	fails(TEXT(below), "a value below 0");
	fails(TEXT(missing), "location 7, which is not there, at byte 8 of the unpacked file");
	fails(TEXT(twice), "an id that was given before at byte");
	survives(TEXT(pprof));
}

/* Two samples at location 7, which has a field that is not known before its functions and one behind them, and one at
 * location 8. Seen to fail: with the functions of the first location for all; with each function an outer one. */
Test(imports, pprof_lines)
{
	static const char shared[] =
		"\x0a\x04\x08\x01\x10\x02"
		"\x12\x06\x0a\x01\x07\x12\x01\x01"
		"\x12\x07\x0a\x02\x07\x08\x12\x01\x04"
		"\x22\x0e\x08\x07\x38\x01\x22\x02\x08\x02\x22\x02\x08\x01\x38\x01"
		"\x22\x06\x08\x08\x22\x02\x08\x03"
		"\x2a\x04\x08\x01\x10\x03\x2a\x04\x08\x02\x10\x04"
		"\x2a\x04\x08\x03\x10\x05"
		"\x32\x00\x32\x03"
		"cpu\x32\x01n\x32\x01"
		"f\x32\x01g\x32\x04main";
	char many[1024] = "\x0a\x04\x08\x01\x10\x02\x12\x06\x0a\x01\x07\x12\x01\x01\x22";
	size_t n = 15, lines = 251;

	says(TEXT(shared), "cpu n 5/2\nf;g 1/1\nmain;f;g 4/1\n");
	many[n++] = (char)(0x80 | ((2 + 2 * lines) & 0x7f));
	many[n++] = (char)((2 + 2 * lines) >> 7);
	memcpy(many + n, "\x08\x07", 2);
	n += 2;
	for (size_t i = 0; i < lines; i++, n += 2)
		memcpy(many + n, "\x22\x00", 2);
	fails(many, n, "too many functions of one stack");
}

/* Returns how many bytes there are. */
static size_t pack(unsigned char *to, size_t room, const void *bytes, size_t n)
{
	z_stream z = {.next_in = (unsigned char *)(uintptr_t)bytes,
		      .avail_in = (uInt)n,
		      .next_out = to,
		      .avail_out = (uInt)room};

	cr_assert_eq(deflateInit2(&z, 9, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY), Z_OK);
	cr_assert_eq(deflate(&z, Z_FINISH), Z_STREAM_END);
	deflateEnd(&z);
	return z.total_out;
}

/* A packed profile that was cut at any byte is told to be cut. A file may have several members; behind them nothing may
 * follow. Seen to fail: with the hint to unpack it, as long as too little was left to know what is in it; with what
 * follows the first member left out. */
Test(imports, pprof_gzip)
{
	static const char whole[] = "cpu ns 34000/3\nmain;f;g 30000/2\n[lib+0x1010] 4000/1\n";
	unsigned char packed[1024];
	char why[80];
	size_t n = pack(packed, sizeof(packed), TEXT(pprof)), half = sizeof(pprof) / 2;

	says(packed, n, whole);
	for (size_t i = 2; i < n; i++) {
		snprintf(why, sizeof(why), "it ends too early at byte %zu of the gzip file", i);
		fails(packed, i, why);
	}
	memcpy(packed + n, "xx", 2);
	fails(packed, n + 2, "its compression is damaged at byte");
	n = pack(packed, sizeof(packed), pprof, half);
	n += pack(packed + n, sizeof(packed) - n, pprof + half, sizeof(pprof) - 1 - half);
	says(packed, n, whole);
	fails(packed, n - 1, "it ends too early at byte");
}

/* ---- memory ----------------------------------------------------------------------------------- */

#define MB ((size_t)1 << 20)

/* The profile of pprof `begin`, and behind it n times the same bytes, as one message of this tag unless it is 0. Returns
 * how many bytes the packed file has. */
static size_t pack_many(unsigned char *to, size_t room, const char *begin, char tag,
			const char *same, size_t n)
{
	size_t n_same = strlen(same), left = n * n_same;
	char *bytes = malloc(strlen(begin) + 8 + left), *at = bytes;

	cr_assert(bytes);
	at = stpcpy(at, begin);
	if (tag)
		*at++ = tag;
	for (; tag && left; left >>= 7)
		*at++ = (char)((left & 0x7f) | (left > 0x7f ? 0x80 : 0));
	for (size_t i = 0; i < n; i++)
		at = stpcpy(at, same);
	n = pack(to, room, bytes, (size_t)(at - bytes));
	free(bytes);
	return n;
}

/* From here on the process may have only so many bytes more than it has now. Sanitizers have terabytes of addresses. */
static void limit_memory(size_t bytes)
{
	unsigned long pages = 0;
	FILE *statm = fopen("/proc/self/statm", "r");

	cr_assert(statm && fscanf(statm, "%lu", &pages) == 1);
	fclose(statm);
#ifdef __SANITIZE_ADDRESS__
	(void)bytes;
#else
	struct rlimit most = {pages * (size_t)sysconf(_SC_PAGESIZE) + bytes, RLIM_INFINITY};

	cr_assert_eq(setrlimit(RLIMIT_AS, &most), 0);
#endif
}

/* Read the bytes with no more than 256 MB. `why` is the error; NULL: none. */
static void fits(const void *bytes, size_t n, const char *why)
{
	const struct rlimit before = {RLIM_INFINITY, RLIM_INFINITY};
	struct error err;
	struct profile *p;

	limit_memory(256 * MB);
	p = read_bytes(bytes, n, &err);
	cr_assert_eq(setrlimit(RLIMIT_AS, &before), 0);
	if (why)
		cr_assert(!p && strstr(err.text, why), "%s is not in %s", why, err.text);
	else
		cr_assert(p, "%s", err.text);
	profile_free(p);
}

/* Packed files of 10 to 100 KB that unpack to 32 MB and more of small messages, texts, lines, numbers or frames. Seen to
 * fail: with an earlier decoder, which took 3 GB for the first one. */
Test(imports, pprof_memory, .timeout = 120)
{
	static const char types[] = "\x0a\x02\x08\x01";
	static const struct {
		char tag;
		const char *same, *why;
		size_t n;
	} files[] = {
		{0, "\x22\x01\x28", "unpacks to more than", 33 * MB},
		{0, "\x22\x01\x28", NULL, 10 * MB},
		{0, "\x22\x02\x08\x01", "an id that was given before", 8 * MB},
		{0, "\x32\x01x", NULL, 10 * MB},
		{0, "\x0a\x01\x08", "more than 1000 types", 10 * MB},
		{0x22, "\x22\x02\x08\x01", NULL, 8 * MB},
		{0x12, "\x08\x01", "too many functions of one stack", 16 * MB},
	};
	const size_t room = MB;
	unsigned char *packed = malloc(room);

	cr_assert(packed);
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		size_t n = pack_many(packed, room, types, files[i].tag, files[i].same, files[i].n);

		cr_assert_leq(n, 110000);
		fits(packed, n, files[i].why);
	}
	free(packed);
}

/* A hundred stacks of the same 16,000 locations, of 60 functions each, below an outermost one of their own. Seen to fail: without the
 * limit of frames. */
Test(imports, pprof_frames, .timeout = 120)
{
	const size_t room = 8 * MB, depth = 16000;
	unsigned char *bytes = malloc(room), *at = bytes, *packed = malloc(MB);

	cr_assert(bytes && packed);
	at = mempcpy(at, "\x0a\x02\x08\x01\x22\x7a\x08\x01", 8);
	for (int i = 0; i < 60; i++)
		at = mempcpy(at, "\x22", 2);
	for (unsigned char i = 2; i < 102; i++)
		at = mempcpy(at, (unsigned char[]){0x22, 2, 8, i}, 4);
	for (unsigned char i = 2; i < 102; i++) {
		size_t n = depth + 1, all = n + 6;

		at = mempcpy(at,
			     (unsigned char[]){
				     0x12, (unsigned char)(all & 127) | 128,
				     (unsigned char)(all >> 7 & 127) | 128,
				     (unsigned char)(all >> 14), 10, (unsigned char)(n & 127) | 128,
				     (unsigned char)(n >> 7 & 127) | 128, (unsigned char)(n >> 14)},
			     8);
		memset(at, 1, depth);
		at += depth;
		at = mempcpy(at, (unsigned char[]){i, 0x10, 1}, 3);
	}
	size_t n = pack(packed, MB, bytes, (size_t)(at - bytes));

	fits(packed, n, "more frames than a file of its size has");
	free(packed);
	free(bytes);
}

/* A hundred KB of the smallest parts of the other files. Seen to fail: with 16 KB for each frame. */
Test(imports, memory_of_others, .timeout = 120)
{
	const size_t size = 100000;
	char *text = malloc(size + 200), *end;
	uint64_t words[5] = {0, 3, 0, 10000, 0};

	cr_assert(text);
	end = stpcpy(text, "{\"shared\":{\"frames\":[{\"name\":\"f\"}");
	while (end < text + size / 2)
		end = stpcpy(end, ",{}");
	end = stpcpy(end, "]},\"profiles\":[{\"type\":\"sampled\",\"unit\":\"none\","
			  "\"weights\":[1],\"samples\":[[0");
	while (end < text + size)
		end = stpcpy(end, ",0");
	end = stpcpy(end, "]]}]}");
	fits(text, (size_t)(end - text), NULL);
	memcpy(text, words, sizeof(words));
	for (end = text + sizeof(words); end < text + size; end += 24)
		memcpy(end, (uint64_t[]){1, 1, (uint64_t)(end - text)}, 24);
	memcpy(end, (uint64_t[]){0, 1, 0}, 24);
	fits(text, (size_t)(end + 24 - text), NULL);
	end = stpcpy(text, "p 1 1.0: 1 cpu-clock:\n");
	while (end < text + size)
		end = stpcpy(end, "\t1 f (l)\n");
	end = stpcpy(end, "\n");
	fits(text, (size_t)(end - text), NULL);
	free(text);
}

/* ---- speedscope ------------------------------------------------------------------------------- */

#define SHARED "{\"shared\":{\"frames\":[{\"name\":\"a\"},{\"name\":\"b\\u0000\"}]},\"profiles\":["

static const char evented[] =
	SHARED "{\"type\":\"evented\",\"name\":\"t\",\"unit\":\"milliseconds\",\"startValue\":0,"
	       "\"endValue\":9,"
	       "\"events\":[{\"type\":\"O\",\"frame\":0,\"at\":0.1},{\"type\":\"O\",\"frame\":0,"
	       "\"at\":0.2},"
	       "{\"type\":\"C\",\"frame\":0,\"at\":0.3},{\"type\":\"C\",\"frame\":0,\"at\":1}]},"
	       "{\"type\":\"sampled\",\"name\":\"u\",\"unit\":\"nanoseconds\",\"samples\":[[0],[]],"
	       "\"weights\":[9007199254740993,2]},"
	       "{\"type\":\"sampled\",\"name\":\"m\",\"unit\":\"bytes\",\"samples\":[[0]],"
	       "\"weights\":[7]}]}";

Test(imports, speedscope)
{
	says(TEXT(evented), "time ns 9007199255640995/5\na 9007199255540993/3\na;a 100000/1\n"
			    "[unknown] 2/1\n");
	fails(TEXT("{\"a\": 1}"), "is JSON, but not of speedscope");
	fails(TEXT("{\"a\":\n 1"), "line 2: ");
	fails(TEXT(SHARED
		   "{\"type\":\"sampled\",\"unit\":\"none\",\"samples\":[[2]],\"weights\":[1]}]}"),
	      "profiles[0].samples[0]: a sample has a frame that is not there");
	fails(TEXT(SHARED
		   "{\"type\":\"sampled\",\"unit\":\"none\",\"samples\":[[1]],\"weights\":[-1]}]}"),
	      "a weight from 0 up");
	fails(TEXT(SHARED "{\"type\":\"sampled\",\"unit\":\"seconds\",\"samples\":[[1]],"
			  "\"weights\":[18446744074]}]}"),
	      "a weight from 0 up");
	fails(TEXT(SHARED "{\"type\":\"evented\",\"unit\":\"none\",\"events\":"
			  "[{\"type\":\"C\",\"frame\":0,\"at\":1}]}]}"),
	      "neither opens a frame nor closes the innermost one");
	survives(TEXT(evented));
}

/* An evented profile of "O0 5" or "C0 9" each: frame 0 is opened at 5, and closed at 9. */
static char *put_events(char *to, const char *events)
{
	const char *between = "";
	unsigned at, frame;
	int n;
	char type;

	to += sprintf(to, "{\"type\":\"evented\",\"unit\":\"none\",\"events\":[");
	for (; sscanf(events, " %c%u %u%n", &type, &frame, &at, &n) == 3; events += n) {
		to += sprintf(to, "%s{\"type\":\"%c\",\"frame\":%u,\"at\":%u}", between, type,
			      frame, at);
		between = ",";
	}
	return to + sprintf(to, "]}");
}

/* Frames that stay open from one sample to the next, also past samples that take no time, and those of the next profile.
 * Seen to fail: with the frames of the sample before kept although they were closed and others opened; with a closed frame
 * left in the stack. */
Test(imports, speedscope_open)
{
	char file[2048] = "{\"shared\":{\"frames\":[{\"name\":\"a\"},{\"name\":\"b\"},"
			  "{\"name\":\"c\"}]},\"profiles\":[",
	     *end = file + strlen(file);

	end = put_events(end, "O0 0 O1 1 O2 3 C2 7 C1 7 O2 7 O2 15 C2 31 C2 31 C0 63");
	*end++ = ',';
	end = put_events(end, "O1 0 O2 100 C2 200 C1 200");
	end += sprintf(end, "]}");
	says(file, (size_t)(end - file),
	     "samples samples 263/8\n"
	     "a 33/2\na;b 2/1\na;b;c 4/1\na;c 8/1\na;c;c 16/1\nb 100/1\nb;c 100/1\n");
}
