/* SPDX-License-Identifier: MIT */
/*
 * partial_async.h - the part of partial.c that waits by system calls of its own, as libaio and
 * liburing do.
 */
#include <linux/aio_abi.h>
#include <linux/io_uring.h>

/* A system call in the form that these libraries have. */
#define CALL(number, a, b, c, d, e, f)                                                             \
	({                                                                                         \
		long result_;                                                                      \
		register long r10_ __asm__("r10") = (long)(d);                                     \
		register long r8_ __asm__("r8") = (long)(e);                                       \
		register long r9_ __asm__("r9") = (long)(f);                                       \
                                                                                                   \
		__asm__ volatile("movl %1, %%eax\n\tsyscall"                                       \
				 : "=&a"(result_)                                                  \
				 : "i"(number), "D"((long)(a)), "S"((long)(b)), "d"((long)(c)),    \
				   "r"(r10_), "r"(r8_), "r"(r9_)                                   \
				 : "rcx", "r11", "memory");                                        \
		result_;                                                                           \
	})

/* What there is to be waited for happens after TIMEOUT. */
static void write_late(int fd, size_t n)
{
	usleep(TIMEOUT * 1000);
	if (write(fd, from, n) < 0)
		_exit(1);
}

static void wait_for_pipe(void)
{
	struct io_event event;
	struct iocb request, *list = &request;
	aio_context_t context = 0;
	int p[2];

	if (pipe(p) || syscall(SYS_io_setup, 1, &context))
		die("io_setup");
	memset(&request, 0, sizeof(request));
	request.aio_fildes = (unsigned)p[0];
	request.aio_lio_opcode = IOCB_CMD_POLL;
	request.aio_buf = POLLIN;
	if (syscall(SYS_io_submit, context, 1, &list) != 1)
		die("io_submit");
	begin(write_late, p[1], p[0], 1);
	say("io_getevents", CALL(SYS_io_getevents, context, 1, 1, &event, NULL, 0));
	syscall(SYS_io_destroy, context);
	end(p[0]);
}

/* Says nothing where there is no io_uring, as in many containers. */
static void wait_for_time_out(void)
{
	struct __kernel_timespec when = {0, TIMEOUT * 1000000};
	struct io_uring_params params;
	struct io_uring_sqe *request;
	char *queue;
	int fd;

	memset(&params, 0, sizeof(params));
	fd = (int)syscall(SYS_io_uring_setup, 1, &params);
	if (fd < 0)
		return;
	queue = mmap(NULL, 1 << 16, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, fd,
		     IORING_OFF_SQ_RING);
	request = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, fd,
		       IORING_OFF_SQES);
	if (queue == MAP_FAILED || request == MAP_FAILED)
		die("io_uring");
	request->opcode = IORING_OP_TIMEOUT;
	request->fd = -1;
	request->addr = (uintptr_t)&when;
	request->len = 1;
	*(unsigned *)(queue + params.sq_off.array) = 0;
	atomic_store((atomic_uint *)(queue + params.sq_off.tail), 1);
	if (syscall(SYS_io_uring_enter, fd, 1, 0, 0, NULL, 0) != 1)
		die("io_uring_enter");
	say("io_uring_enter", CALL(SYS_io_uring_enter, fd, 0, 1, IORING_ENTER_GETEVENTS, NULL, 0));
	close(fd);
}
