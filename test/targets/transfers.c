/* SPDX-License-Identifier: MIT */
/*
 * transfers.c - reads and writes different amounts by different calls.
 *
 * transfers IN OUT: each function below makes one kind of call, and is called in random order. Prints how
 * many bytes each has transferred, as the results of its calls say:
 *
 *   read FUNCTION BYTES   write FUNCTION BYTES
 */
#include <fcntl.h>
#include <sys/sendfile.h>
#include <sys/uio.h>

#include "ways.h"

static int in, out, null;
static char bytes[20000];

static ssize_t by_write(void)
{
	return write(out, bytes, 300);
}

static ssize_t by_writev(void)
{
	struct iovec pieces[2] = {{bytes, 1000}, {bytes, 2000}};

	return writev(out, pieces, 2);
}

static ssize_t by_pwrite(void)
{
	return pwrite(out, bytes, 20000, 5000);
}

static ssize_t by_pwritev(void)
{
	struct iovec piece = {bytes, 700};

	return pwritev(out, &piece, 1, 70000);
}

static ssize_t by_read(void)
{
	ssize_t n = read(in, bytes, 3000);

	if (n < 3000)
		lseek(in, 0, SEEK_SET);
	return n;
}

static ssize_t by_readv(void)
{
	struct iovec pieces[2] = {{bytes, 10}, {bytes, 40}};
	ssize_t n = readv(in, pieces, 2);

	if (n < 50)
		lseek(in, 0, SEEK_SET);
	return n;
}

static ssize_t by_pread(void)
{
	return pread(in, bytes, 9000, 100);
}

/* Less than it asks for. */
static ssize_t by_preadv(void)
{
	struct iovec piece = {bytes, 9000};

	return preadv(in, &piece, 1, lseek(in, 0, SEEK_END) - 500);
}

static ssize_t by_sendfile(void)
{
	off_t from = 0;

	return sendfile(null, in, &from, 1500);
}

static const struct way ways[] = {
	{"by_write", by_write, 0, 1},	    {"by_writev", by_writev, 0, 1},
	{"by_pwrite", by_pwrite, 0, 1},	    {"by_pwritev", by_pwritev, 0, 1},
	{"by_read", by_read, 1, 0},	    {"by_readv", by_readv, 1, 0},
	{"by_pread", by_pread, 1, 0},	    {"by_preadv", by_preadv, 1, 0},
	{"by_sendfile", by_sendfile, 1, 1},
};

int main(int argc, char **argv)
{
	if (argc != 3)
		return 2;
	in = open(argv[1], O_RDONLY);
	out = open(argv[2], O_WRONLY | O_CREAT | O_TRUNC, 0666);
	null = open("/dev/null", O_WRONLY);
	if (in < 0 || out < 0 || null < 0)
		return 2;
	call_all(ways, sizeof(ways) / sizeof(ways[0]), 40000);
	return 0;
}
