/* SPDX-License-Identifier: MIT */
/* test_pstats.c - profiles of cProfile and profile.py: each form in which Python's marshal writes an object, which of
 * them are refused, and where. Cut at any byte, and with any byte changed, they are a profile or an error. Seen to fail:
 * with tuples numbered at their end; with the primitive calls; with a caller's calls taken for the primitive ones; with
 * times cut, not rounded; without the check of a number that is its own part. */
#include <stdio.h>

#include "calls_text.h"

#define TEXT(text) text, sizeof(text) - 1

/* A key and what is before its callers, as marshal's version 2 writes them: 0.5 s and 0.75 s. */
#define KEY(file, line, name) "(\3\0\0\0" file "i" line "\0\0\0" name
#define VALUE(primitive, calls)                                                                    \
	"(\5\0\0\0i" primitive "\0\0\0i" calls "\0\0\0g\0\0\0\0\0\0\xe0?g\0\0\0\0\0\0\xe8?{"
#define A "u\4\0\0\0a.py"
#define F "u\1\0\0\0f"

static void says(const void *bytes, size_t n, const char *lines, bool was_cut)
{
	struct event_log log;
	char *selfs;

	cr_assert_eq(event_log_decode_bytes(&log, bytes, n), 0, "%s", log.text);
	cr_assert(!strstr(log.text, "BROKEN"), "%s", log.text);
	cr_assert_eq(log.was_cut, was_cut, "%s", log.text);
	selfs = strchr(log.text, '\n') + 1;
	cr_assert(strncmp(selfs, lines, strlen(lines)) == 0, "%s", selfs);
	selfs += strlen(lines);
	cr_assert(strncmp(selfs, was_cut ? "cut " : "end ", 4) == 0, "%s", selfs);
	event_log_free(&log);
}

static void fails(const void *bytes, size_t n, const char *why)
{
	struct event_log log;

	cr_assert_eq(event_log_decode_bytes(&log, bytes, n), -1, "no error: %s: %s", why, log.text);
	cr_assert(strstr(log.text, why), "%s\nis not in\n%s", why, log.text);
	event_log_free(&log);
}

/* The caller's four figures are calls, primitive calls, self and total; those of a function begin with the primitive ones. */
Test(pstats, functions_and_callers)
{
	says(TEXT("{" KEY(A, "\1", F) VALUE("\2", "\5") KEY(
		     A, "\7", "u\1\0\0\0g") "(\4\0\0\0i\3\0\0\0i\1"
					    "\0\0\0g\0\0\0\0\0\0\xd0?g\0\0\0\0\0\0\xe0?"
					    "0" KEY(A, "\7", "u\1\0\0\0g") VALUE("\1", "\1") "00"),
	     "self \"f\"|a.py:1: 500000000 x500000000 inclusive 750000000 calls 2\n"
	     "self \"g\"|a.py:7: 500000000 x500000000 inclusive 750000000 calls 1\n"
	     "call \"g\"|a.py:7 -> \"f\"|a.py:1: 3 weight 500000000\n",
	     false);
	says(TEXT("{0"), "", false);
}

/* What is written in C has no file and no line, and pstats shows it in braces. */
Test(pstats, builtins)
{
	says(TEXT("{" KEY("u\1\0\0\0~", "\0", "u\5\0\0\0<len>") VALUE("\1", "\1") "00"),
	     "self \"{len}\"|~: 500000000 x500000000 inclusive 750000000 calls 1\n", false);
	says(TEXT("{" KEY("u\1\0\0\0~", "\0", "u\1\0\0\0<") VALUE("\1", "\1") "00"),
	     "self \"<\"|~: 500000000 x500000000 inclusive 750000000 calls 1\n", false);
	says(TEXT("{" KEY("u\1\0\0\0~", "\1", "u\5\0\0\0<len>") VALUE("\1", "\1") "00"),
	     "self \"<len>\"|~:1: 500000000 x500000000 inclusive 750000000 calls 1\n", false);
}

/* profile.py says how often callers called, and marshal's versions 0 and 1 write times as text. Of a total of 0.6 s three of
 * the four calls that are not the function's own have 0.45 s. */
Test(pstats, numbers_and_texts)
{
	static const char file[] =
		"{" KEY("t\4\0\0\0a.py", "\1",
			"t\1\0\0\0f") "(\5\0\0\0i\4\0\0\0i\6\0\0\0f\3"
				      "0.2f\3"
				      "0.6{" KEY("R\0\0\0\0", "\7", "s\1\0\0\0g") "i\3\0\0\0" KEY(
					      "R\0\0\0\0", "\1", "R\1\0\0\0") "i\2\0\0\0"
									      "00";

	says(TEXT(file),
	     "self \"f\"|a.py:1: 200000000 x200000000 inclusive 600000000 calls 1\n"
	     "call \"g\"|a.py:7 -> \"f\"|a.py:1: 3 weight 450000000\n"
	     "call \"f\"|a.py:1 -> \"f\"|a.py:1: 2 weight 0\n",
	     false);
}

/* Numbers are those of the objects' beginnings: 0 the dictionary, 1 the key, 2 to 4 what is in it, 5 a time. Version 4 has
 * short tuples and short texts. */
Test(pstats, repeated_objects)
{
	says(TEXT("\xfb\xa9\3\xda\4a.py\xe9\1\0\0\0\xfa\1f"
		  ")\5r\3\0\0\0I\2\0\0\0\0\0\0\0\xe7\0\0\0\0\0\0\xe0?r\5\0\0\0{"
		  "r\1\0\0\0)\4r\3\0\0\0r\3\0\0\0r\5\0\0\0r\5\0\0\0"
		  "0)\3r\2\0\0\0i\2\0\0\0A\2\0\0\0\xc3\xa4)"
		  "\5l\3\0\0\0\1\0\0\0\1\0l\3\0\0\0\1\0\0\0\1\0i\0\0\0\0"
		  "i\1\0\0\0{"
		  "r\1\0\0\0)"
		  "\10r\3\0\0\0r\3\0\0\0r\5\0\0\0r\5\0\0\0r\3\0\0\0r\3\0\0\0r\5\0\0\0r\5\0\0\0"
		  "00"),
	     "self \"f\"|a.py:1: 500000000 x500000000 inclusive 500000000 calls 1\n"
	     "self \"\xc3\xa4\"|a.py:2: 0 x0 inclusive 1000000000 calls 1073741823\n"
	     "call \"f\"|a.py:1 -> \"f\"|a.py:1: 1 weight 500000000\n"
	     "call \"f\"|a.py:1 -> \"\xc3\xa4\"|a.py:2: 2 weight 1000000000\n",
	     false);
}

/* A nanosecond and a half is two; less than no time is none. */
Test(pstats, times)
{
	says(TEXT("{" KEY(A, "\1", F) "(\5\0\0\0i\1\0\0\0i\1\0\0\0f\6"
				      "1.5e-9f\2-1{"
				      "00"),
	     "self \"f\"|a.py:1: 2 x2 inclusive 0 calls 1\n", false);
	fails(TEXT("{" KEY(A, "\1", F) "(\5\0\0\0i\1\0\0\0i\1\0\0\0f\3infi\1\0\0\0{00"),
	      ": overflow: a time does not fit 63 bits of nanoseconds at byte 41");
	fails(TEXT("{" KEY(A, "\1", F) "(\5\0\0\0i\1\0\0\0i\1\0\0\0f\3xyzi\1\0\0\0{00"),
	      ": what should be a time is none at byte 41");
	fails(TEXT("{" KEY(A, "\1", F) "(\5\0\0\0i\1\0\0\0i\1\0\0\0f\0i\1\0\0\0{00"),
	      ": what should be a time is none at byte 41");
}

Test(pstats, what_no_profile_has)
{
	fails(TEXT("{" KEY(A, "\1", F) "N"), ": an object that is in no profile at byte 26");
	fails(TEXT("{" KEY(A, "\1", F) "(\4\0\0\0"),
	      "calls, times and callers of a function is not at byte 26");
	fails(TEXT("{" KEY(A, "\1", F) "(\5\0\0\0i\xff\xff\xff\xff"),
	      ": a negative number of calls at byte 31");
	fails(TEXT("{" KEY(A, "\1", F) "(\5\0\0\0l\xff\xff\xff\xff\1\0"),
	      ": a negative number at byte 31");
	fails(TEXT("{" KEY(A, "\1", F) "(\5\0\0\0l\5\0\0\0\0\0\0\0\0\0\0\0\10\0"),
	      ": overflow: a number does not fit 63 bits at byte 31");
	fails(TEXT("{" KEY(A, "\1", F) VALUE("\1", "\1") "r\0\0\0\0"),
	      ": the number of an object that has not come yet at byte 60");
	fails(TEXT("{" KEY(A, "\1", F) VALUE("\1", "\1") "\xa9\3r\0\0\0\0"),
	      ": an object that is a part of itself, or that no profile repeats at byte 62");
	fails(TEXT("{" KEY(A, "\1", F) VALUE("\1", "\1") KEY(A, "\1", F) "(\3\0\0\0"),
	      ": what should be the calls and times of a caller is not at byte 85");
	fails(TEXT("{" KEY(A, "\1", F) VALUE("\1", "\1") "00x"),
	      ": something follows the end of the profile at byte 62");
}

/* A short file asks for no more memory than it has bytes. What is whole is kept. */
Test(pstats, cut)
{
	static const char first[] =
		"self \"f\"|a.py:1: 500000000 x500000000 inclusive 750000000 calls 1\n";
	static const char file[] =
		"{" KEY(A, "\1", F) VALUE("\1", "\1") "0" KEY(A, "\2", F) VALUE("\1", "\1");

	for (size_t n = 61; n < sizeof(file); n++)
		says(file, n, first, true);
	says(TEXT("{(\3\0\0\0u\xff\xff\xff\x7f"), "", true);
	says(TEXT("{" KEY(A, "\1", F) VALUE("\1", "\1") KEY(A, "\1", F) "(\xfc\xff\xff\xff"), "",
	     true);
}

Test(pstats, damaged)
{
	static const char file[] = "\xfb\xa9\3\xda\4a.py\xe9\1\0\0\0\xfa\1f"
				   ")\5r\3\0\0\0l\2\0\0\0\1\0\1\0\xe7\0\0\0\0\0\0\xe0?f\1"
				   "2{r\1\0\0\0)\4r\3\0\0\0r\3\0\0\0r\5\0\0\0r\5\0\0\0"
				   "00";
	static const unsigned char others[] = {0,   1,	 0x7f, 0x80, 0xff, '(',
					       ')', '{', 'r',  'l',  'f',  '0'};
	unsigned char changed[sizeof(file)];
	struct event_log log;

	for (size_t i = 0; i < sizeof(file) - 1; i++)
		for (size_t k = 0; k < sizeof(others); k++) {
			memcpy(changed, file, sizeof(file));
			changed[i] = others[k];
			if (event_log_decode_bytes(&log, changed, sizeof(file) - 1))
				cr_assert(*log.text, "no message");
			event_log_free(&log);
		}
}
