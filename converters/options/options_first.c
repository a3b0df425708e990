/* SPDX-License-Identifier: MIT */
/*
 * options_first.c - writes what --help says: what people do first, on one screen.
 *
 * In: nothing. Out: text of at most 24 lines of 80 columns.
 */
#include "options/options.h"

void options_first(struct out *o)
{
	out_text(
		o,
		"Usage: cpconv [--VIEW] [OPTION]... [FILE]...\n"
		"Show what libcpsample recorded. Without FILE, that is the newest *.cps file here\n"
		"with all of its process tree. FILE may be a directory, or stacks (a;b;c COUNT).\n"
		"\n"
		"  cpconv                              which functions used the time\n"
		"  cpconv --callpath                   which calls, from main inwards, used it\n"
		"  cpconv --callpath --up --root FUNC  who makes FUNC expensive\n"
		"  cpconv --callpath --root '*'        calls that recur in many places\n"
		"  cpconv --tree --by process          call paths as a tree, of each process\n"
		"  cpconv --dot -o graph.svg           the call graph as a picture\n"
		"  cpconv --folded | flamegraph.pl     a flame graph; for pprof: --pprof -o FILE\n"
		"  cpconv --base OLD NEW               did my change help, beyond chance?\n"
		"  cpconv --timeline                   who ran when; also --processes, --threads\n"
		"  cpconv --resource real --state io   where it waits (cpsample -r cpu,real PROG)\n"
		"\n"
		"All take --focus FUNC (only stacks with it), --thread NAME, --from and --to\n"
		"SECONDS, --threshold PERCENT, --top N; tables take --tsv and --json.\n"
		"\n"
		"cpconv --help=all lists all views and options, cpconv(1) describes them.\n"
		"cpprof reads the files once and then answers one question after the other.\n");
}

void options_first_explorer(struct out *o)
{
	out_text(o,
		 "Usage: cpprof [OPTION]... [FILE]...\n"
		 "Explore what libcpsample recorded. Without FILE, that is the newest *.cps file\n"
		 "here with all of its process tree. Commands come from the terminal or a pipe:\n"
		 "\n"
		 "  functions       which functions are heavy, with all that they call\n"
		 "  bodies          which are, by themselves\n"
		 "  callers FUNC    who calls FUNC, with shares; callees FUNC: whom it calls\n"
		 "  up FUNC         on which call paths FUNC is expensive\n"
		 "  down FUNC       which calls below FUNC used its time; down alone: below main\n"
		 "  tree            call paths as a tree\n"
		 "  source FUNC     which of its lines it is\n"
		 "  focus FUNC      from now on only stacks with FUNC; focus off: all again\n"
		 "  timeline        when which process or thread used how much\n"
		 "  help            all commands; help COMMAND: more of one\n"
		 "\n"
		 "The Tab key completes commands and names; a part of a name is enough. From a\n"
		 "script: echo 'up malloc' | cpprof rec.cps. Behind a command, > FILE saves.\n"
		 "\n"
		 "cpprof --help=all lists all options, cpprof(1) describes them.\n");
}
