/* SPDX-License-Identifier: MIT */
/*
 * test_callgrind.c - files of callgrind's format: what their lines mean, and which are refused.
 */
#include <stdio.h>

#include "calls_text.h"
#include "read/decode.h"

#define HEAD "# callgrind format\nversion: 1\npositions: line\nevents: Ir Dr\n"

/* The example of the format's specification, section "Extended Example". */
Test(callgrind, specification)
{
	expect("# callgrind format\nevents: Instructions\n\nfl=file1.c\nfn=main\n16 20\ncfn=func1\n"
	       "calls=1 50\n16 400\ncfi=file2.c\ncfn=func2\ncalls=3 20\n16 400\n\nfn=func1\n51 "
	       "100\n"
	       "cfi=file2.c\ncfn=func2\ncalls=2 20\n51 300\n\nfl=file2.c\nfn=func2\n20 700\n",
	       "call \"main\"|file1.c -> \"func1\"|file1.c: 1 weight 400\n"
	       "call \"main\"|file1.c -> \"func2\"|file2.c: 3 weight 400\n"
	       "self \"main\"|file1.c: 20 x20 inclusive 820\n"
	       "call \"func1\"|file1.c -> \"func2\"|file2.c: 2 weight 300\n"
	       "self \"func1\"|file1.c: 100 x100 inclusive 400\n"
	       "self \"func2\"|file2.c: 700 x700 inclusive 700\n");
}

/* The same with names and positions compressed. */
Test(callgrind, names_by_number)
{
	expect(HEAD "ob=(1) /bin/a\nfl=(1) file1.c\nfn=(1) main\n16 20\ncfn=(2) func1\ncalls=1 50\n"
		    "+0 400\ncob=(2) lib.so\ncfi=(2) file2.c\ncfn=(3) func2\ncalls=3 +4\n* 400\n\n"
		    "fn=(2)\n+35 100\ncfi=(2)\ncob=(2)\ncfn=(3)\ncalls=2 -31\n* 300\n\n"
		    "ob=(2)\nfl=(2)\nfn=(3)\n-31 700\n",
	       "call \"main\"|file1.c|/bin/a -> \"func1\"|file1.c|/bin/a: 1 weight 400\n"
	       "call \"main\"|file1.c|/bin/a -> \"func2\"|file2.c|lib.so: 3 weight 400\n"
	       "self \"main\"|file1.c|/bin/a: 20 x20 inclusive 820\n"
	       "call \"func1\"|file1.c|/bin/a -> \"func2\"|file2.c|lib.so: 2 weight 300\n"
	       "self \"func1\"|file1.c|/bin/a: 100 x100 inclusive 400\n"
	       "self \"func2\"|file2.c|lib.so: 700 x700 inclusive 700\n");
}

Test(callgrind, files_functions_and_objects_have_numbers_of_their_own)
{
	expect(HEAD "ob=(7) o\nfl=(7) f.c\nfn=(7) f\n1 1\nfn=(4294967295) (below main)\n1 2\n"
		    "fn=(7) renamed\n1 3\nfn=(7)\n1 4\nfn=(x) y\n1 5\nfn=()\n1 6\n",
	       "self \"f\"|f.c|o: 1 x1 inclusive 1\n"
	       "self \"(below main)\"|f.c|o: 2 x2 inclusive 2\n"
	       "self \"renamed\"|f.c|o: 3 x3 inclusive 3\n"
	       "self \"renamed\"|f.c|o: 4 x4 inclusive 4\n"
	       "self \"(x) y\"|f.c|o: 5 x5 inclusive 5\n"
	       "self \"()\"|f.c|o: 6 x6 inclusive 6\n");
}

/* Code of other files within a function is the function's. The callee's file is, unless it is given,
 * that of the line before. */
Test(callgrind, inlined_code)
{
	expect(HEAD "fl=(1) a.c\nfn=(1) f\n1 1\nfi=(2) a.h\n2 10\ncfn=(2) g\ncalls=1 1\n2 100\n"
		    "fe=(1)\n3 20\ncfn=(3) h\ncalls=1 1\n2 200\nfi=(2)\n4 5\nfn=(2)\n5 100\n",
	       "call \"f\"|a.c -> \"g\"|a.h: 1 weight 100\n"
	       "call \"f\"|a.c -> \"h\"|a.c: 1 weight 200\n"
	       "self \"f\"|a.c: 36 x36 inclusive 336\n"
	       "self \"g\"|a.h: 100 x100 inclusive 100\n");
}

Test(callgrind, what_is_not_known)
{
	expect(HEAD "ob=(1) ???\nfl=(1) ???\nfn=(1) ???\n0 1\nfn=\n0 2\n",
	       "self \"???\": 1 x1 inclusive 1\nself \"???\": 2 x2 inclusive 2\n");
}

Test(callgrind, positions)
{
	expect("events: Ir\npositions: instr line\nfn=f\n0x401000 16 3\n+3 * 4\n+0xa +1 5\n* -2 6\n"
	       "cfn=g\ncalls=1 0x402000 3\n* * 7\n",
	       "call \"f\" -> \"g\": 1 weight 7\nself \"f\": 18 x18 inclusive 25\n");
	expect("positions: instr\nevents: Ir\nfn=f\n0x401000 16\n+3 0x10\n",
	       "self \"f\": 32 x32 inclusive 32\n");
	expect("positions:\nevents: Ir\nfn=f\n0 16\n", "self \"f\": 16 x16 inclusive 16\n");
}

/* Costs that are left out are 0; so are all of a line that is there for a jump. */
Test(callgrind, columns_left_out)
{
	expect(HEAD "fn=f\n1\n2 5\n3 5 6\njump=7 +34\n4\njcnd=3/7 -4\n*\njfi=(1) j.c\njfn=(1) j\n"
		    "jump=1 5\n5\nfl=(1)\nfn=(1)\n1 1\ncfn=g\ncalls=1 1\n9\n",
	       "self \"f\": 10 x10 inclusive 10\n"
	       "call \"j\"|j.c -> \"g\"|j.c: 1 weight 0\n"
	       "self \"j\"|j.c: 1 x1 inclusive 1\n");
}

static void expect_offered(const char *text, unsigned declines, const char *part)
{
	struct event_log log;
	struct error err = {0};
	const char *path = writer_path("in");

	writer_file(path, text, strlen(text));
	event_log_init(&log);
	log.declines = declines;
	cr_assert_eq(decode_file(path, &log.sink, &err), 0, "%s", err.text);
	cr_assert(part ? strstr(log.text, part) != NULL : !*log.text, "%s", log.text);
	event_log_free(&log);
}

/* Every event is offered; what follows is of the one that was taken, in all parts of the file. */
Test(callgrind, events)
{
	static const char text[] =
		"version: 1\npid: 12\ncmd:  ./prog -x  y\npart: 1\n"
		"desc: I1 cache: \nevents: Ir Dr Dw\nsummary: 6 60 600\n\n"
		"fn=f\n1 1 10 100\n2 2 20 200\n\ntotals: 3 30 300\npart: 2\n"
		"events: Dw Ir Dr\nfn=f\n1 100 1 10\n2 200 2\ntotals: 300 3 10\n";

	expect_offered(text, 0, "process 12 Ir Ir 1 ./prog -x y (calls, inclusive)\nself");
	expect_offered(text, 0, "\"f\": 3 x3");
	expect_offered(text, 1, "process 12 Dr Dr 1");
	expect_offered(text, 1,
		       "\"f\": 30 x30 inclusive 30\nself \"f\": 10 x10 inclusive 10\nend 0 0 40 ");
	expect_offered(text, 2, "\"f\": 300 x300");
	expect_offered(text, 3, NULL);
	refuse(HEAD "fn=f\n1 1\nevents: Dr Dw\n",
	       "this part of the file does not count the same event");
}

/* f, called while it runs, is f'2: the sums are those of stacks in which f counts once. */
Test(callgrind, recursion)
{
	expect(HEAD "fn=(1) main\n1 1\ncfn=(2) f\ncalls=1 1\n1 60\nfn=(2)\n2 10\ncfn=(3) "
		    "f'2\ncalls=1 1\n"
		    "2 50\nfn=(3)\n2 20\ncfn=(3)\ncalls=3 1\n2 40\ncfn=(4) g\ncalls=2 1\n2 30\n"
		    "fn=(4)\n5 25\ncfn=(3)\ncalls=1 1\n2 5\n",
	       "call \"main\" -> \"f\": 1 weight 60\n"
	       "self \"main\": 1 x1 inclusive 61\n"
	       "call \"f\" -> \"f\": 1 weight 50\n"
	       "self \"f\": 10 x10 inclusive 60\n"
	       "call \"f\" -> \"f\": 3 weight 0\n"
	       "call \"f\" -> \"g\": 2 weight 30\n"
	       "self \"f\": 20 x20 inclusive 0\n"
	       "call \"g\" -> \"f\": 1 weight 0\n"
	       "self \"g\": 25 x25 inclusive 30\n");
	expect_log(HEAD "fn=f'2\n1 1\n", "totals\n");
	/* A first level that is written out is no call of a function that runs. */
	expect(HEAD "fn=f'2'1\n1 1\ncfn=f'2\ncalls=1 1\n1 5\nfn=f'2\n1 5\n",
	       "call \"f'2\" -> \"f\": 1 weight 0\nself \"f'2\": 1 x1 inclusive 6\n"
	       "self \"f\": 5 x5 inclusive 0\n");
}

/* Where levels have no names, the outermost call has the whole cost; then totals are not known. */
Test(callgrind, recursion_without_levels)
{
	expect(HEAD "fn=f\n1 10\ncfn=f\ncalls=3 1\n2 60\n", "call \"f\" -> \"f\": 3 weight 0\n"
							    "self \"f\": 10 x10 inclusive 10\n");
	expect_log(HEAD "fn=f\n1 10\n", "end 0 0 10 70\n");
}

/* --separate-callers: a name is the function's and its callers', and no level is taken off. */
Test(callgrind, contexts)
{
	expect(HEAD "fn=f'2'main\n1 1\nfn='2\n1 1\nfn=f'\n1 1\nfn=f'2x\n1 1\n",
	       "self \"f'2'main\": 1 x1 inclusive 1\nself \"'2\": 1 x1 inclusive 1\n"
	       "self \"f'\": 1 x1 inclusive 1\nself \"f'2x\": 1 x1 inclusive 1\n");
	expect_log(HEAD "fn=f'main\n1 1\nfn=g'2\n1 1\n", "end 0 0 2 85\n");
}

Test(callgrind, recognised_by_content)
{
	expect_log("version: 1\ncreator: xdebug 3\ncmd: x.php\npart: 1\npositions: line\n\nevents: "
		   "Time_(10ns) Memory_(bytes)\n\nfl=(1) php:internal\nfn=(1) php::strlen\n6 3 0\n",
		   "process 0 Time_(10ns) Time_(10ns)");
	expect_log("events: A\nfn=f\n1 1\n", "process 0 A A");
	expect_log("events: A\n", "process 0 A A");
	/* Folded stacks may look like a header. */
	expect_log("version: 1\nfn=f 1\n", "sample 0 at 0: 1 x1 mark 0: \"version:\"");
}

/* What --callgrind writes says in which units its events are; other files describe them as they like. Seen to fail: with
 * the event as the unit; with those of other programs. */
Test(callgrind, units)
{
#define UNITS                                                                                      \
	"desc: Unit of cpu: ns\ndesc: Unit of odd\ndesc: Unit of page_faults: faults\n"            \
	"desc: x\nevents: cpu page_faults other\nfn=f\n1 1 2 3\ntotals: 1 2 3\n"

	expect_offered("version: 1\ncreator: libcpsample 1.2\n" UNITS, 0, "process 0 cpu ns 1");
	expect_offered("version: 1\ncreator: libcpsample 1.2\n" UNITS, 1,
		       "process 0 page_faults faults 1");
	expect_offered("version: 1\ncreator: libcpsample 1.2\n" UNITS, 2,
		       "process 0 other other 1");
	expect_offered("version: 1\ncreator: someone\n" UNITS, 0, "process 0 cpu cpu 1");
}

/* Seen to fail: with a file that --callgrind has written read as a whole one without its totals. */
Test(callgrind, cut)
{
	expect_cut(HEAD "fn=f\n1 12\n2 3", "self \"f\": 12 x12 inclusive 12\n");
	expect_cut(HEAD "fn=f\n1 12\ncfn=g\ncalls=1 1\n", "self \"f\": 12 x12 inclusive 12\n");
	expect_cut(HEAD "creator: callgrind-3.19.0\nfn=f\n1 12\n",
		   "self \"f\": 12 x12 inclusive 12\n");
	expect_cut(HEAD "creator: callgrind-3.19.0\n\n", "");
	expect_cut(HEAD "creator: libcpsample 1.2\nsummary: 12 0\n\nfn=f\n1 12\n",
		   "self \"f\": 12 x12 inclusive 12\n");
	expect(HEAD "creator: xdebug 3\nsummary: 12 0\n\nfn=f\n1 12\n",
	       "self \"f\": 12 x12 inclusive 12\n");
	expect(HEAD "creator: callgrind-3.19.0\nfn=f\n1 12\ntotals: 12\n",
	       "self \"f\": 12 x12 inclusive 12\n");
}

Test(callgrind, refused)
{
	refuse("# callgrind format\n", "there was no line \"events:\"");
	refuse("# callgrind format\nevents:\nfn=f\n1 1\n", "line 3: there was no line \"events:\"");
	refuse("# callgrind format\nversion: 2\n", "this version of the format is not known");
	refuse("# callgrind format\npid: x\n", "a number is missing");
	refuse(HEAD "1 1\n", "line 5: a cost before the first line \"fn=\" at byte 60");
	refuse(HEAD "fn=(3)\n", "the number of a name that was not given");
	refuse(HEAD "fl=(3) a\nfn=(3)\n", "the number of a name that was not given");
	refuse(HEAD "fn=(4294967296) f\n", "the number of a name does not fit 32 bits");
	refuse(HEAD "fn=(99999999999999999999) f\n", "the number of a name does not fit 32 bits");
	refuse(HEAD "fn=f\n1 99999999999999999999\n", "a number does not fit 64 bits");
	refuse(HEAD "fn=f\n1 0x10000000000000000\n", "a number does not fit 64 bits");
	refuse(HEAD "fn=f\n1 18446744073709551615\n1 1\n", "a sum of costs does not fit 64 bits");
	refuse(HEAD "fn=f\n1 1 2 3\n", "there are more costs than events");
	refuse(HEAD "fn=f\n1 x\n", "a number is missing");
	refuse(HEAD "fn=f\n+ 1\n", "a number is missing");
	refuse(HEAD "fn=f\n1 -1\n", "a number is missing");
	refuse(HEAD "fn=f\n1 1x\n", "this is no number");
	refuse(HEAD "fn=f\ncalls=1 1\n1 1\n", "calls without a caller and a callee");
	refuse(HEAD "cfn=f\ncalls=1 1\n1 1\n", "calls without a caller and a callee");
	refuse(HEAD "fn=f\ncfn=g\ncalls=x\n", "a number is missing");
	refuse(HEAD "fn=f\ncfn=g\ncalls=1 1\nfn=g\n", "the cost of the calls before it is missing");
	refuse(HEAD "fn=f\nhello\n", "line 6: this is no line of a callgrind file");
}
