/* SPDX-License-Identifier: MIT */
/*
 * test_out.c - files that are whole or not there, output in memory, and how names and numbers are written.
 */
#include <criterion/criterion.h>
#include <dirent.h>
#include <fcntl.h>
#include <float.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "out_text.h"
#include "terminal_text.h"
#include "write/dot_text.h"
#include "write/json_text.h"
#include "write/sheet.h"

/* ---- out ------------------------------------------------------------------------------------- */
/* Files that are whole or not there, and how names and numbers are written. */

static int files_here(void)
{
	DIR *d = opendir(".");
	int n = -2; /* . and .. */

	while (readdir(d))
		n++;
	closedir(d);
	return n;
}

static struct out *open_path(const char *path)
{
	struct error err;
	struct out *o = out_open(path, &err);

	cr_assert(o, "%s", err.text);
	return o;
}

static void write_path(const char *path, const char *text)
{
	struct error err;
	struct out *o = open_path(path);

	out_text(o, text);
	cr_assert_eq(out_close(o, true, &err), 0, "%s", err.text);
}

static void file_is(const char *path, const char *want)
{
	char *text = text_of_file(path);

	cr_assert(text, "%s", path);
	cr_assert_str_eq(text, want);
	free(text);
}

Test(out, whole_file_or_none)
{
	struct error err;
	struct out *o;

	enter_new_directory();
	o = open_path("x");
	out_text(o, "given up");
	cr_assert_neq(access("x", F_OK), 0, "not under its name before the end");
	cr_assert_eq(out_close(o, false, &err), 0);
	cr_assert_eq(files_here(), 0);

	write_path("x", "first");
	file_is("x", "first");
	o = open_path("x");
	out_text(o, "second");
	file_is("x", "first");
	cr_assert_eq(out_close(o, false, &err), 0);
	file_is("x", "first");
	write_path("x", "third");
	file_is("x", "third");
	cr_assert_eq(files_here(), 1);
}

Test(out, permissions_and_links_stay)
{
	struct stat st;

	enter_new_directory();
	umask(027);
	write_path("x", "new");
	cr_assert_eq(stat("x", &st), 0);
	cr_assert_eq(st.st_mode & 0777, 0640, "of a new file: the umask's");
	cr_assert_eq(chmod("x", 0604), 0);
	cr_assert_eq(symlink("x", "link"), 0);
	write_path("link", "through the link");
	file_is("x", "through the link");
	cr_assert_eq(lstat("link", &st), 0);
	cr_assert(S_ISLNK(st.st_mode));
	cr_assert_eq(stat("x", &st), 0);
	cr_assert_eq(st.st_mode & 0777, 0604, "of an old file: its own");
}

Test(out, devices_and_pipes_are_written_as_they_are)
{
	struct error err;
	struct out *o = open_path("/dev/null");

	out_text(o, "gone");
	cr_assert_eq(out_close(o, true, &err), 0, "%s", err.text);
	cr_assert_eq(access("/dev/null", F_OK), 0);
}

Test(out, full_disk)
{
	struct error err;
	struct out *o;
	int i;

	if (access("/dev/full", W_OK) != 0)
		cr_skip_test("no /dev/full");
	o = open_path("/dev/full");
	for (i = 0; i < 100000; i++)
		out_text(o, "0123456789");
	cr_assert_eq(out_close(o, true, &err), -1);
	cr_assert_str_eq(err.text, "/dev/full: No space left on device");
	o = open_path("/dev/full");
	out_text(o, "given up anyway");
	cr_assert_eq(out_close(o, false, &err), 0);
}

Test(out, reader_that_has_gone_away)
{
	struct error err;
	struct out *o;
	char path[64];
	int ends[2];

	signal(SIGPIPE, SIG_IGN);
	cr_assert_eq(pipe(ends), 0);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", ends[1]);
	o = open_path(path);
	close(ends[0]);
	out_text(o, "nobody reads this");
	cr_assert_eq(out_close(o, true, &err), 0, "%s", err.text);
	close(ends[1]);
}

Test(out, places_that_cannot_be_written)
{
	struct error err;

	enter_new_directory();
	cr_assert_null(out_open("no/such/directory", &err));
	cr_assert_str_eq(err.text, "no/such/directory: No such file or directory: its directory "
				   "does not exist");
	cr_assert_null(out_open(".", &err));
	cr_assert_str_eq(err.text, ".: Is a directory: name a file in it");
	cr_assert_eq(files_here(), 0);
}

Test(out, more_than_the_buffer_holds)
{
	struct error err;
	struct out *o;
	size_t i, n = 300000;
	char *long_text = malloc(n + 1), *text;

	for (i = 0; i < n; i++)
		long_text[i] = (char)('a' + i % 26);
	long_text[n] = '\0';
	o = open_text();
	out_format(o, "%s", long_text);
	out_bytes(o, long_text, n);
	cr_assert_eq(out_close(o, true, &err), 0);
	text = text_of_file("text");
	cr_assert_eq(strlen(text), 2 * n);
	cr_assert_eq(memcmp(text, long_text, n), 0);
	cr_assert_eq(memcmp(text + n, long_text, n), 0);
	free(text);
	free(long_text);
}

Test(out, names)
{
	struct out *o = open_text();

	out_name(o, "plain name\xc3\xa9\xff", 13);
	out_name(o, "\n\x1b[31m\x7f", 7);
	out_name(o, "", 0);
	/* Seen to fail: U+009B, of which terminals think as of ESC [, was written as it is. */
	out_name(o,
		 "\xc2\x9b"
		 "2J\xc2\xa0\xc2",
		 7);
	text_is(o, "plain name\xc3\xa9\xff\\x0a\\x1b[31m\\x7f\\xc2\\x9b2J\xc2\xa0\xc2");
}

/* U+202E turns what follows it round, U+200B and U+E0041 are not seen: "cod.exe" is no name of a C file. In text, in JSON
 * and in dot they are escaped; U+00E9 and U+FFFD are not. (Seen to fail: they were written as they are.) */
Test(out, what_is_not_seen_is_escaped)
{
	static const char name[] = "\xe2\x80\xae.c\xe2\x80\x8b\xc3\xa9\xef\xbf\xbd\xf3\xa0\x81\x81";
	struct out *o = open_text();
	struct error err;

	out_name(o, name, sizeof(name) - 1);
	json_text(o, name, sizeof(name) - 1);
	dot_text_escape(o, name, sizeof(name) - 1);
	text_is(o, "\\xe2\\x80\\xae.c\\xe2\\x80\\x8b\xc3\xa9\xef\xbf\xbd\\xf3\\xa0\\x81\\x81"
		   "\"\\u202e.c\\u200b\xc3\xa9\xef\xbf\xbd\\udb40\\udc41\""
		   "\\\\xe2\\\\x80\\\\xae.c\\\\xe2\\\\x80\\\\x8b\xc3\xa9\xef\xbf\xbd"
		   "\\\\xf3\\\\xa0\\\\x81\\\\x81");
	cr_assert_eq(out_columns(name, sizeof(name) - 1), 12);
	error_set(&err, "%s", name);
	cr_assert_str_eq(err.text, "\?\?\?.c\?\?\?\xc3\xa9\xef\xbf\xbd\?\?\?\?");
}

Test(out, doubles_are_short_and_exact)
{
	struct out *o = open_text();

	out_double(o, 0);
	out_text(o, " ");
	out_double(o, 1);
	out_text(o, " ");
	out_double(o, 0.1);
	out_text(o, " ");
	out_double(o, 0.1 + 0.2);
	out_text(o, " ");
	out_double(o, 1.0 / 3);
	out_text(o, " ");
	out_double(o, 5e-324);
	text_is(o, "0 1 0.1 0.30000000000000004 0.3333333333333333 4.94065645841247e-324");
}

Test(out, doubles_read_back)
{
	enum { N = 20000 };
	double *values = malloc(N * sizeof(*values));
	struct error err;
	struct out *o = open_text();
	char *text, *at;
	int i;

	srand(7);
	for (i = 0; i < N; i++) {
		values[i] = ldexp((double)rand() / ((double)rand() + 1), rand() % 200 - 100);
		out_double(o, values[i]);
		out_text(o, "\n");
	}
	cr_assert_eq(out_close(o, true, &err), 0);
	at = text = text_of_file("text");
	for (i = 0; i < N; i++)
		cr_assert_eq(strtod(at, &at), values[i], "number %d", i);
	free(text);
	free(values);
}

/* What `name` becomes, `column` columns into a line of a terminal of `width`. */
static void fits_as(int width, const char *name, int column, const char *want)
{
	struct terminal terminal;
	struct out *o = terminal_open(&terminal, width);
	char *text;

	cr_assert_eq(out_width(o), width ? width : 80);
	unsetenv("NO_COLOR");
	cr_assert(out_colour(o));
	setenv("NO_COLOR", "1", 1);
	cr_assert_not(out_colour(o));
	out_name_fit(o, name, strlen(name), column);
	text = terminal_close(&terminal, o);
	cr_assert_str_eq(text, want);
	free(text);
}

Test(out, names_on_a_terminal)
{
	fits_as(40, "exactly_twenty_bytes", 20, "exactly_twenty_bytes");
	fits_as(40, "one more than twenty.", 20, "one more than twen..");
	fits_as(40,
		"\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4",
		28,
		"\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4");
	fits_as(40, "123456789\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4", 28, "123456789\xc3\xa4..");
	fits_as(40, "12345678\n0123", 28, "12345678..");
	/* Where there is no room for a dozen columns, it has a line of its own. */
	fits_as(40, "no dozen columns", 28, "no dozen c..");
	fits_as(40, "no dozen columns", 29, "\n    no dozen columns");
	fits_as(40, "short", 35, "short");
	fits_as(40, "a name that leaves room for what is behind", 39,
		"\n    a name that leaves roo..");
	/* What tells functions apart is the end of a qualified name. */
	fits_as(40, "std::_Rb_tree<std::string, int>::find", 10, "std::_Rb_tree<std::str..::find");
	fits_as(40, "std::map<a::b, c>::find(int) const", 10, "std::map<a:..::find(int) const");
	fits_as(40, "std::function<f(*)(a)->b>::call<a::b>", 10, "std::function<f(..::call<a::b>");
	fits_as(40, "a::(anonymous namespace)::b<int>::find(int)", 10,
		"a::(anonymous nam..::find(int)");
	fits_as(40, "short::the_last_part_takes_two_thirds_of_it", 20, "..::the_last_part_..");
	fits_as(40, "longer::it_takes_more_so", 20, "..::it_takes_more_so");
	fits_as(40, "std::of(int, int, int, int, int)", 20, "..::of(int, int, i..");
	/* The line of a place is kept, with its file if there is room. Seen to fail: with the name's begin alone. */
	fits_as(40, "a_function_of_a_name(int) a.c:1234", 20, "a_functio.. a.c:1234");
	fits_as(40, "a::function(int) quite_a_long_file.c:12", 20, "..::function(in..:12");
	fits_as(40, "a_long_function (a.py:1234)", 20, "a_long.. (a.py:1234)");
	fits_as(40, "a_function (application.py:1234)", 20, "a_function (..:1234)");
	fits_as(40, "a_function_of_a_name+0x12af", 20, "a_function_..+0x12af");
	fits_as(40, "a_function_of_a_name_that::12", 20, "a_function_of_..::12");
	fits_as(0, "a terminal of unknown width has eighty columns", 50,
		"a terminal of unknown width ..");
}

/* What becomes of text on a sheet of so many columns and lines. */
static void folds_as(int width, int most_lines, const char *given, const char *want)
{
	struct sheet sheet = {.most_lines = most_lines, .has_colours = true};
	struct terminal terminal;
	struct out *o = terminal_open(&terminal, 100);
	char *text;

	sheet_begin(&sheet, o, width);
	for (const char *at = given; *at; at++)
		out_bytes(o, at, 1);
	sheet_end(&sheet, o);
	out_text(o, "|behind it all stays as it is");
	text = terminal_close(&terminal, o);
	cr_assert_eq(memcmp(text, want, strlen(want)), 0, "%s", text);
	cr_assert_str_eq(text + strlen(want), "|behind it all stays as it is");
	free(text);
}

/* Lines go on in the next one where they are too long. Seen to fail: without the two columns of what goes on; when a row
 * that begins with blanks was folded among these; with a line of nothing but blanks before the rest; when escape
 * sequences had columns; when a number lost its sign. */
Test(out, long_lines_go_on)
{
	folds_as(20, 0, "twenty columns fit..\ntwenty columns + one.\n",
		 "twenty columns fit..\ntwenty columns +\n  one.\n");
	folds_as(20, 0, "a,few,of,them,with,commas,in,between\n",
		 "a,few,of,them,with,\n  commas,in,between\n");
	folds_as(20, 0,
		 "a_word_that_is_longer_than_a_line caf\xc3\xa9 caf\xc3\xa9 caf\xc3\xa9 "
		 "caf\xc3\xa9\n\n",
		 "a_word_that_is_longe\n  r_than_a_line caf\xc3\xa9\n"
		 "  caf\xc3\xa9 caf\xc3\xa9 caf\xc3\xa9\n\n");
	folds_as(20, 0, "     1.00     3 name_of_a_function\n",
		 "     1.00     3\n  name_of_a_function\n");
	folds_as(20, 0, "     name_of_a_function\n", "     name_of_a_funct\n  ion\n");
	folds_as(20, 0, "  real: one, two, and three\n", "  real: one, two,\n    and three\n");
	folds_as(20, 0, "what has fifty is 50 % of it\n", "what has fifty is\n  50 % of it\n");
	folds_as(20, 0, "\033[1;31mtwenty columns fit..\033[0m\n",
		 "\033[1;31mtwenty columns fit..\033[0m\n");
	folds_as(20, 0, "blanks at its end    \nno end", "blanks at its end\nno end");
}

/* Lines that are folded count as well. Seen to fail: with lines counted as they are given. */
Test(out, a_sheet_has_lines)
{
	folds_as(20, 3, "one\ntwenty columns + one.\nthree\nfour\n",
		 "one\ntwenty columns +\n  one.\n");
	folds_as(20, 2, "one\ntwenty columns + one.\nthree\n", "one\ntwenty columns +\n");
}

Test(out, no_terminal)
{
	struct out *o = open_text();

	cr_assert_eq(out_width(o), 0);
	cr_assert_not(out_colour(o));
	out_name_fit(o, "is cut at a terminal only", 25, 1000);
	text_is(o, "is cut at a terminal only");
}

Test(out, counts)
{
	struct out *o = open_text();

	out_count(o, 0);
	out_text(o, " ");
	out_count(o, 1000);
	out_text(o, " ");
	out_count(o, UINT64_MAX);
	out_text(o, " ");
	out_count(o, (unsigned __int128)UINT64_MAX + 1);
	out_text(o, " ");
	out_count(o, ~(unsigned __int128)0);
	text_is(o, "0 1000 18446744073709551615 18446744073709551616 "
		   "340282366920938463463374607431768211455");
}

/* ---- out memory ------------------------------------------------------------------------------ */
/* Output that is kept in memory. */

/* Seen to fail: with the room of the first buffer alone, what came after 65536 bytes overwrote it. */
Test(out_memory, keeps_more_than_a_buffer)
{
	struct error err;
	struct out *o = out_open_memory(&err);
	size_t n = 0;
	char *text;

	cr_assert(o);
	cr_assert_eq(out_width(o), 0);
	for (int i = 0; i < 50000; i++)
		out_format(o, "%05d ", i);
	text = out_take(o, &n, &err);
	cr_assert(text);
	cr_assert_eq(n, 300000);
	cr_assert_eq(strlen(text), n);
	for (int i = 0; i < 50000; i++)
		cr_assert_eq(atoi(text + (size_t)i * 6), i);
	free(text);
}

Test(out_memory, may_be_empty)
{
	struct error err;
	struct out *o = out_open_memory(&err);
	size_t n = 1;
	char *text = out_take(o, &n, &err);

	cr_assert(text);
	cr_assert_eq(n, 0);
	cr_assert_str_empty(text);
	free(text);
}
