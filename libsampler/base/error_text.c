/* SPDX-License-Identifier: MIT */
/*
 * error_text.c - says what an error number means.
 *
 * In: an errno. Out: a text.
 */
#include <errno.h>
#include <stddef.h>

#include "base/error_text.h"
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
