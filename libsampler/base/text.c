/* SPDX-License-Identifier: MIT */
/*
 * text.c - texts that are written inside a signal handler.
 *
 * In: an errno; parts of a text. Out: a text.
 */
#include <errno.h>
#include <stdarg.h>
#include <string.h>

#include "base/text.h"
#include "base/poison.h"

const char *cps_error_text(int error)
{
	static const struct {
		int error;
		const char *text;
	} all[] = {
		{EPERM, "Operation not permitted"},
		{ENOENT, "No such file or directory"},
		{EINTR, "Interrupted system call"},
		{EIO, "Input/output error"},
		{E2BIG, "Argument list too long"},
		{EBADF, "Bad file descriptor"},
		{EAGAIN, "Resource temporarily unavailable"},
		{ENOMEM, "Cannot allocate memory"},
		{EACCES, "Permission denied"},
		{EFAULT, "Bad address"},
		{EBUSY, "Device or resource busy"},
		{EEXIST, "File exists"},
		{ENODEV, "No such device"},
		{ENOTDIR, "Not a directory"},
		{EISDIR, "Is a directory"},
		{EINVAL, "Invalid argument"},
		{ENFILE, "Too many open files in system"},
		{EMFILE, "Too many open files"},
		{ETXTBSY, "Text file busy"},
		{EFBIG, "File too large"},
		{ENOSPC, "No space left on device"},
		{EROFS, "Read-only file system"},
		{ENAMETOOLONG, "File name too long"},
		{ENOSYS, "Function not implemented"},
		{ENODATA, "No data available"},
		{ELOOP, "Too many levels of symbolic links"},
		{EOPNOTSUPP, "Operation not supported"},
		{ESTALE, "Stale file handle"},
		{EDQUOT, "Disk quota exceeded"},
		{EMSGSIZE, "Message too long"},
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (all[i].error == error)
			return all[i].text;
	return "error";
}

size_t cps_error_text_join(char *to, size_t bytes, ...)
{
	const char *text;
	size_t n = 0;
	va_list texts;

	va_start(texts, bytes);
	while ((text = va_arg(texts, const char *)) && n + 1 < bytes) {
		size_t length = strnlen(text, bytes - n - 1);

		memcpy(to + n, text, length);
		n += length;
	}
	va_end(texts);
	if (bytes)
		to[n] = '\0';
	return n;
}
