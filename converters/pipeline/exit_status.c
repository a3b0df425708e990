/* SPDX-License-Identifier: MIT */
/*
 * exit_status.c - reports errors and finds the exit status for them.
 *
 * In: an error, or a text to be printed. Out: a message on standard error, an exit status.
 */
#include "pipeline/exit_status.h"

#include <stdlib.h>

#include "pipeline/message.h"

int exit_status_report(const struct error *err)
{
	message_error(err);
	return err->is_usage ? EXIT_USAGE : EXIT_FAILURE;
}

int exit_status_print(void (*write)(struct out *o))
{
	struct error err;
	struct out *o = out_open(NULL, &err);

	if (!o)
		return exit_status_report(&err);
	write(o);
	return out_close(o, true, &err) ? exit_status_report(&err) : EXIT_SUCCESS;
}
