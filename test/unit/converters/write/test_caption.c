/* SPDX-License-Identifier: MIT */
/* test_caption.c - the lines above a table. */
#include <fcntl.h>
#include <sys/ioctl.h>
#include <termios.h>

#include "out_text.h"
#include "write/caption.h"

static uint32_t add(struct profile *p, const char *text)
{
	return strings_add(p->strings, text, strlen(text));
}

/* Two processes, the first with these two arguments, the second with a file alone. */
static void make(struct profile *p, const char *first, const char *second)
{
	static struct profile_process processes[2];
	static uint32_t args[2];

	*p = (struct profile){.strings = strings_new(), .processes = processes, .n_processes = 2};
	p->resource = p->unit = add(p, "things");
	p->hits = p->weight = 1;
	args[0] = add(p, first);
	args[1] = add(p, second);
	processes[0] = (struct profile_process){.pid = 1234, .args = args, .n_args = 2};
	processes[1] = (struct profile_process){.exe = STRINGS_NONE};
	processes[1].file = add(p, "a/long/way/to/the/recording.cps");
}

static void caption(struct out *o, const struct profile *p)
{
	const struct view_input in = {.profile = p};
	struct error err;

	caption_write(o, "T", &in);
	cr_assert_eq(out_close(o, true, &err), 0, "%s", err.text);
}

Test(caption, whole_in_a_file)
{
	struct profile p;
	struct error err;
	char *text;

	enter_new_directory();
	make(&p, "program", "an argument\nof two lines");
	caption(out_open("x", &err), &p);
	text = text_of_file("x");
	cr_assert_str_eq(text, "T for resource: Things\n1 sample\n"
			       "process 1234: program \"an argument\\x0aof two lines\"\n"
			       "file: a/long/way/to/the/recording.cps\n");
	free(text);
	strings_free(p.strings);
}

Test(caption, cut_at_the_edge_of_a_terminal)
{
	struct winsize size = {.ws_row = 24, .ws_col = 30};
	int terminal = posix_openpt(O_RDWR | O_NOCTTY), other;
	char text[512] = "";
	struct termios raw;
	struct profile p;
	struct error err;

	cr_assert(terminal >= 0 && grantpt(terminal) == 0 && unlockpt(terminal) == 0);
	other = open(ptsname(terminal), O_RDWR | O_NOCTTY);
	cr_assert_eq(tcgetattr(other, &raw), 0);
	cfmakeraw(&raw);
	cr_assert_eq(tcsetattr(other, TCSANOW, &raw), 0);
	cr_assert_eq(ioctl(other, TIOCSWINSZ, &size), 0);
	make(&p, "program", "an argument\nof two lines");
	caption(out_open(ptsname(terminal), &err), &p);
	cr_assert(read(terminal, text, sizeof(text) - 1) > 0);
	cr_assert_str_eq(text, "T for resource: Things\n1 sample\n"
			       "process 1234: program \"an ar..\n"
			       "file: a/long/way/to/the/reco..\n");
	close(other);
	close(terminal);
	strings_free(p.strings);
}
