/* SPDX-License-Identifier: MIT */
/*
 * test_gprof.c - gprof's text: what its lines mean, and which are refused.
 */
#include <stdio.h>

#include "calls_text.h"

#define FLAT_HEAD                                                                                  \
	"Flat profile:\n\nEach sample counts as 0.01 seconds.\n"                                   \
	"  %   cumulative   self              self     total           \n"                         \
	" time   seconds   seconds    calls  us/call  us/call  name    \n"
#define GRAPH_HEAD                                                                                 \
	"\t\t\tCall graph\n\n\n"                                                                   \
	"granularity: each sample hit covers 2 byte(s) for 6.24% of 0.16 seconds\n\n"              \
	"index % time    self  children    called     name\n"
#define END_OF_BLOCK "-----------------------------------------------\n"

Test(gprof, blocks)
{
	expect(GRAPH_HEAD "                                                 <spontaneous>\n"
			  "[1]     48.8    0.02    0.08                 main [1]\n"
			  "                0.03    0.05      40/60          work [2]\n" END_OF_BLOCK
			  "                0.01    0.02      20/60          cmp [3]\n"
			  "                0.03    0.05      40/60          main [1]\n"
			  "[2]     18.9    0.08    0.00      60         work [2]\n" END_OF_BLOCK
			  "                                                 <spontaneous>\n"
			  "[3]     18.9    1.00    0.03                 cmp [3]\n"
			  "                0.01    0.02      20/60          work [2]\n" END_OF_BLOCK
			  "\n",
	       "self \"main\": 20000000 x0 inclusive 0\n"
	       "self \"work\": 80000000 x0 inclusive 0\n"
	       "self \"cmp\": 1000000000 x0 inclusive 0\n"
	       "call \"main\" -> \"work\": 40 weight 0\n"
	       "call \"cmp\" -> \"work\": 20 weight 0\n");
}

/* Each cycle has a block of its own, which repeats what its members' blocks say. */
static const char cycle[] = GRAPH_HEAD
	"[1]     99.9    0.05    0.08      80+680     <cycle 1 as a whole> [1]\n"
	"                0.03    0.00     400+2           a <cycle 1> [2]\n"
	"                0.02    0.08     360             b <cycle 1> [3]\n" END_OF_BLOCK
	"                                 360             b <cycle 1> [3]\n"
	"                                   2             a <cycle 1> [2]\n"
	"                0.00    0.02      40/80          main [4]\n"
	"[2]     15.7    0.03    0.00     400+2       a <cycle 1> [2]\n"
	"                                   2             a <cycle 1> [2]\n"
	"                                 320             b <cycle 1> [3]\n" END_OF_BLOCK
	"                                 320             a <cycle 1> [2]\n"
	"                0.00    0.02      40/80          main [4]\n"
	"[3]     14.2    0.02    0.08     360         b <cycle 1> [3]\n"
	"                                 360             a <cycle 1> [2]\n" END_OF_BLOCK;

Test(gprof, cycles_and_callers_without_a_block)
{
	expect(cycle, "self \"a\": 30000000 x0 inclusive 0\n"
		      "self \"b\": 20000000 x0 inclusive 0\n"
		      "call \"main\" -> \"a\": 40 weight 0\n"
		      "call \"a\" -> \"a\": 2 weight 0\n"
		      "call \"a\" -> \"b\": 320 weight 0\n"
		      "call \"main\" -> \"b\": 40 weight 0\n"
		      "call \"b\" -> \"a\": 360 weight 0\n");
}

Test(gprof, interval_gives_samples)
{
	expect_log(FLAT_HEAD "100.16      0.16     0.16     2541    63.07    63.07  work\n\n",
		   "process 0 cpu ns 1 (calls)\nself \"work\": 160000000 x16 inclusive 0\nend 0 0 "
		   "16 ");
	expect_log("Flat profile:\n\nEach sample counts as 0.001 seconds.\n"
		   " time   seconds   seconds    calls  us/call  us/call  name    \n"
		   "100.16      0.16     0.0155                            work\n\n",
		   "x16 ");
	refuse("Each sample counts as 1 events.\n", "line 1: its samples do not count seconds");
}

Test(gprof, flat_profile_alone)
{
	expect(FLAT_HEAD
	       " 60.00      0.06     0.06     2541    63.07    63.07  f(int, char) [clone .x]\n"
	       " 30.00      0.09     0.03                             operator new(unsigned)\n"
	       "  0.00      0.09     0.00  1000000000000000     0.00     0.00  3d\n"
	       "\n %         the percentage of the total running time of the\n"
	       "time       program used by this function.\n",
	       "self \"f(int, char) [clone .x]\": 60000000 x6 inclusive 0\n"
	       "self \"operator new(unsigned)\": 30000000 x3 inclusive 0\n"
	       "self \"3d\": 0 x0 inclusive 0\n");
}

/* What the call graph has is not taken from the flat profile again. */
Test(gprof, flat_profile_and_call_graph)
{
	expect(FLAT_HEAD
	       " 60.00      0.06     0.06        1    63.07    63.07  f\n"
	       " 40.00      0.10     0.04        3    63.07    63.07  excluded\n"
	       "\f" GRAPH_HEAD "[1]     60.0    0.06    0.04       1         f [1]\n"
	       "                0.04    0.00       3/3           excluded (2)\n" END_OF_BLOCK
	       "\n\fIndex by function name\n\n   [1] f                       (2) excluded\n",
	       "self \"excluded\": 40000000 x4 inclusive 0\n"
	       "self \"f\": 60000000 x6 inclusive 0\n"
	       "call \"f\" -> \"excluded\": 3 weight 0\n");
}

Test(gprof, one_name_for_several_functions)
{
	expect(GRAPH_HEAD "                0.01    0.02      20/60          cmp (9)\n"
			  "[1]     48.8    0.02    0.08      20         cmp [1]\n" END_OF_BLOCK
			  "[2]     48.8    0.03    0.00       1         cmp [2]\n"
			  "                0.01    0.00       1/1           lone (3)\n" END_OF_BLOCK
			  "[4]     48.8    0.04    0.00       1         lone [4]\n" END_OF_BLOCK,
	       "self \"cmp [1]\": 20000000 x0 inclusive 0\n"
	       "self \"cmp [2]\": 30000000 x0 inclusive 0\n"
	       "self \"lone\": 40000000 x0 inclusive 0\n"
	       "call \"cmp [9]\" -> \"cmp [1]\": 20 weight 0\n"
	       "call \"cmp [2]\" -> \"lone\": 1 weight 0\n");
}

/* gprof -T */
Test(gprof, traditional_style)
{
	expect("\ngranularity: each sample hit covers 2 byte(s) for 6.24% of 0.16 seconds\n\n"
	       "                                  called/total       parents \n"
	       "index  %time    self descendants  called+self    name    \tindex\n"
	       "                                  called/total       children\n\n"
	       "                                                     <spontaneous>\n"
	       "[1]     51.2    0.00        0.08                 cmp [1]\n"
	       "                0.08        0.00    1301/2541        work [2]\n"
	       "\n" END_OF_BLOCK "\n"
	       "                0.08        0.00    1301/2541        cmp [1]\n"
	       "[2]    100.0    0.16        0.00    2541         work [2]\n"
	       "\n" END_OF_BLOCK "\n\f\n"
	       "granularity: each sample hit covers 2 byte(s) for 6.24% of 0.16 seconds\n\n"
	       "  %   cumulative   self              self     total           \n"
	       " time   seconds   seconds    calls  us/call  us/call  name    \n"
	       "100.2       0.16     0.16     2541    63.07    63.07  work [2]\n"
	       "  0.0       0.16     0.00                            idle <cycle 3> [7]\n"
	       "\fIndex by function name\n",
	       "self \"idle\": 0 x0 inclusive 0\n"
	       "self \"cmp\": 0 x0 inclusive 0\n"
	       "self \"work\": 160000000 x0 inclusive 0\n"
	       "call \"cmp\" -> \"work\": 1301 weight 0\n");
}

Test(gprof, explanations_are_passed_over)
{
	expect("\n\n\n\ncall graph profile:\n          The sum of self and descendents is\n\n"
	       "index     the index of the function in the call graph\n          "
	       "listing\n\n" GRAPH_HEAD
	       "[1]     48.8    0.02    0.08      20         f [1]\n" END_OF_BLOCK
	       "\n This table describes the call tree of the program, and was sorted by\n"
	       "     index\tA unique number given to each element of the table.\n",
	       "self \"f\": 20000000 x0 inclusive 0\n");
}

Test(gprof, names)
{
	expect(GRAPH_HEAD
	       "[1]     48.8    0.02    0.08      20         std::map<int, A<B> > <cycle 12> [1]\n"
	       "                0.00    0.00       7/7           f (a.c:12 @ 11c9) [2]\n"
	       "                0.00    0.00       8/8           operator()(int) (3)  \r\n"
	       "                0.00    0.00       9/9           \xc3\xa4 [x] "
	       "[12345]\n" END_OF_BLOCK,
	       "self \"std::map<int, A<B> >\": 20000000 x0 inclusive 0\n"
	       "call \"std::map<int, A<B> >\" -> \"f (a.c:12 @ 11c9)\": 7 weight 0\n"
	       "call \"std::map<int, A<B> >\" -> \"operator()(int)\": 8 weight 0\n"
	       "call \"std::map<int, A<B> >\" -> \"\xc3\xa4 [x]\": 9 weight 0\n");
}

/* Numbers that are wider than their columns. */
Test(gprof, wide_numbers)
{
	expect(GRAPH_HEAD
	       "[12345 100.0 12345678.05 12345678.00 1234567890123+98765432109 f [123456]\n"
	       "             12345678.05 12345678.00 18446744073709551615/18446744073709551615     "
	       "g "
	       "[4294967294]\n" END_OF_BLOCK,
	       "self \"f\": 12345678050000000 x0 inclusive 0\n"
	       "call \"f\" -> \"g\": 18446744073709551615 weight 0\n");
}

Test(gprof, cut)
{
	expect_cut(GRAPH_HEAD "[1]     48.8    0.02    0.08      20         f [1]\n"
			      "                0.00    0.00       7/7           g [2]\n",
		   "self \"f\": 20000000 x0 inclusive 0\ncall \"f\" -> \"g\": 7 weight 0\n");
	/* Half a line may say half a number. */
	expect_cut(GRAPH_HEAD "[1]     48.8    0.02    0.08      20         f [1]\n"
			      "                0.00    0.00       7/7           g [2",
		   "self \"f\": 20000000 x0 inclusive 0\n");
	expect_cut(GRAPH_HEAD "                0.00    0.00       7/7           g [2]\n", "");
	expect_cut(FLAT_HEAD " 60.00      0.06     0.06        1    63.07    63.07  f\n 3",
		   "self \"f\": 60000000 x6 inclusive 0\n");
}

/* Cut at any byte it is a cut, or an error that says where: never more than the whole says. */
Test(gprof, cut_anywhere)
{
	for (size_t n = 14; n < sizeof(cycle) - 1; n++) {
		struct event_log log;
		int status = event_log_decode_bytes(&log, cycle, n);

		cr_assert(!strstr(log.text, "BROKEN"), "%zu: %s", n, log.text);
		cr_assert(status == 0 || strstr(log.text, "neither a flat profile"), "%zu: %s", n,
			  log.text);
		event_log_free(&log);
	}
}

Test(gprof, refused)
{
	refuse("gmon\1", "in: is for gprof to read; give what that prints");
	refuse("Flat profile:\n\n", "in: it has neither a flat profile nor a call graph");
	refuse(GRAPH_HEAD "[1]     48.8    0.02    0.08      20         f\n",
	       "line 7: a function has no index at byte 139");
	refuse(GRAPH_HEAD "[1]     48.8    0.02    0.08      20         f [0]\n", "has no index");
	refuse(GRAPH_HEAD "[1]     48.8    0.02    0.08      20         f [4294967296]\n",
	       "an index does not fit 32 bits");
	refuse(GRAPH_HEAD "[1]     48.8    0.02    0.08      20         f [99999999999999999999]\n",
	       "has no index");
	refuse(GRAPH_HEAD "[1]     48.8    f [1]\n", "a number is missing");
	refuse(GRAPH_HEAD "[1]     48.8    2 3 f [1]\n", "a time has no decimals");
	refuse(GRAPH_HEAD "[1]     48.8    99999999999.00 3 f [1]\n",
	       "a time does not fit 64 bits");
	refuse(GRAPH_HEAD "[1]     48.8    18446744073.99 3 f [1]\n",
	       "a time does not fit 64 bits");
	refuse(GRAPH_HEAD "    99999999999999999999/1  f [1]\n", "a number does not fit 64 bits");
	refuse(GRAPH_HEAD "    1/1  f [1]\n" END_OF_BLOCK, "no line with an index at its left");
	refuse(GRAPH_HEAD "    1/1  f [1]\nelse\n" END_OF_BLOCK, "this is no line of a call graph");
	refuse(GRAPH_HEAD "[1]  1.0  0.02  0.08  20  f [1]\n[2]  1.0  0.02  0.08  20  g [2]\n",
	       "a second function in one block");
	refuse(GRAPH_HEAD "[1]  1.0  0.02  0.08  20  f [1]\n" END_OF_BLOCK
			  "[1]  1.0  0.02  0.08  20  f [1]\n",
	       "a second block of one function");
	refuse(FLAT_HEAD "what is this\n", "line 6: this is no line of a flat profile at byte 177");
}
