/* SPDX-License-Identifier: MIT */
/*
 * partial_copies.h - the part of partial.c that is about copies within the kernel, memory devices and directories, by the C
 * library's functions and by syscall(2).
 */
#include <dirent.h>

#define PART  (MANY / 8)
#define ROOM  (1 << 20) /* of a pipe */
#define TIMES 8
#define FSIZE (PART / 2) /* the limit of a file's size */

/* Makes a call several times. Says what it has returned the first time, and if it returns something else later. */
#define TRY(name, prepare, call)                                                                   \
	do {                                                                                       \
		ssize_t first_ = 0, result_;                                                       \
                                                                                                   \
		for (int i_ = 0; i_ < TIMES; i_++) {                                               \
			prepare;                                                                   \
			result_ = (call);                                                          \
			if (i_ == 0 || result_ != first_)                                          \
				say(name, result_);                                                \
			first_ = i_ == 0 ? result_ : first_;                                       \
		}                                                                                  \
	} while (0)

static off64_t place, other_place;
static int ends[2], more_ends[2];

static void back(int a, int b)
{
	lseek(a, 0, SEEK_SET);
	lseek(b, 0, SEEK_SET);
	place = other_place = 0;
}

static void new_pipes(void)
{
	for (int i = 0; i < 2 && ends[1]; i++) {
		close(ends[i]);
		close(more_ends[i]);
	}
	if (pipe(ends) || pipe(more_ends))
		die("pipe");
	fcntl(ends[1], F_SETPIPE_SZ, ROOM);
	fcntl(more_ends[1], F_SETPIPE_SZ, ROOM);
	place = 0;
}

static void full_pipe(void)
{
	new_pipes();
	if (write(ends[1], from, ROOM) != ROOM)
		die("write");
}

static void got_copy(int fd)
{
	ssize_t more = 1;
	size_t n = 0;

	lseek(fd, 0, SEEK_SET);
	while (more > 0) {
		more = read(fd, to + n, MANY - n);
		n += more > 0 ? (size_t)more : 0;
	}
	got("  copy", (ssize_t)n);
}

static void copy_files(int in, int out)
{
	TRY("sendfile to a file", back(in, out), sendfile(out, in, &place, PART));
	say("  offset", place);
	got_copy(out);
	TRY("sendfile to a file by syscall", back(in, out),
	    syscall(SYS_sendfile, out, in, &place, PART));
	say("  offset", place);
	got_copy(out);
	TRY("sendfile without an offset by syscall", back(in, out),
	    syscall(SYS_sendfile, out, in, NULL, PART));
	got_copy(out);
	TRY("copy_file_range to a file", back(in, out),
	    copy_file_range(in, &place, out, &other_place, PART, 0));
	TRY("copy_file_range by syscall", back(in, out),
	    syscall(SYS_copy_file_range, in, &place, out, &other_place, PART, 0));
	say("  offset", place);
	say("  offset", other_place);
	got_copy(out);
	TRY("copy_file_range without offsets by syscall", back(in, out),
	    syscall(SYS_copy_file_range, in, NULL, out, NULL, PART, 0));
	got_copy(out);
}

/* No more than a part is written, without a tick, too. */
static void copy_to_limit(int in, int out)
{
	const struct rlimit limit = {FSIZE, RLIM_INFINITY}, none = {RLIM_INFINITY, RLIM_INFINITY};

	signal(SIGXFSZ, on_limit);
	setrlimit(RLIMIT_FSIZE, &limit);
	too_large = 0;
	TRY("sendfile, the file is too large", (ftruncate(out, 0), back(in, out)),
	    syscall(SYS_sendfile, out, in, NULL, PART));
	say("  SIGXFSZ", too_large);
	too_large = 0;
	TRY("copy_file_range, the file is too large", (ftruncate(out, 0), back(in, out)),
	    copy_file_range(in, NULL, out, NULL, PART, 0));
	say("  SIGXFSZ", too_large);
	too_large = 0;
	TRY("splice, the file is too large",
	    (full_pipe(), ftruncate(out, 0), place = FSIZE - ROOM / 2),
	    splice(ends[0], NULL, out, &place, PART, 0));
	say("  SIGXFSZ", too_large);
	setrlimit(RLIMIT_FSIZE, &none);
}

static void copy_pipes(int file)
{
	int zero = open("/dev/zero", O_RDONLY), random = open("/dev/urandom", O_RDONLY),
	    none = open("/dev/null", O_WRONLY);
	struct iovec source = {from, ROOM}, target = {to, ROOM};

	TRY("sendfile of /dev/zero", lseek(file, 0, SEEK_SET), sendfile(file, zero, NULL, PART));
	TRY("sendfile to /dev/null by syscall", (lseek(file, 0, SEEK_SET)),
	    syscall(SYS_sendfile, none, file, NULL, PART));
	TRY("sendfile of /dev/zero to a pipe", new_pipes(), sendfile(ends[1], zero, NULL, PART));
	TRY("sendfile of /dev/urandom to a pipe by syscall", new_pipes(),
	    syscall(SYS_sendfile, ends[1], random, NULL, PART));
	TRY("splice of /dev/zero", new_pipes(), splice(zero, NULL, ends[1], NULL, PART, 0));
	TRY("splice of /dev/urandom", new_pipes(), splice(random, NULL, ends[1], NULL, ROOM, 0));
	TRY("splice of /dev/urandom by syscall", new_pipes(),
	    syscall(SYS_splice, random, NULL, ends[1], NULL, PART, 0));
	TRY("splice to a file", full_pipe(), splice(ends[0], NULL, file, &place, PART, 0));
	TRY("splice to a file by syscall", full_pipe(),
	    syscall(SYS_splice, ends[0], NULL, file, &place, PART, 0));
	TRY("splice of a file", new_pipes(), splice(file, &place, ends[1], NULL, PART, 0));
	TRY("splice to a pipe", full_pipe(), splice(ends[0], NULL, more_ends[1], NULL, PART, 0));
	TRY("tee", full_pipe(), tee(ends[0], more_ends[1], PART, 0));
	TRY("tee by syscall", full_pipe(), syscall(SYS_tee, ends[0], more_ends[1], PART, 0));
	TRY("vmsplice to a pipe", new_pipes(), vmsplice(ends[1], &source, 1, 0));
	TRY("vmsplice to memory", full_pipe(), vmsplice(ends[0], &target, 1, 0));
	TRY("vmsplice to memory by syscall", full_pipe(),
	    syscall(SYS_vmsplice, ends[0], &target, 1, 0));
	close(zero);
	close(random);
	close(none);
}

static void copy_memory(void)
{
	struct iovec source = {from, PART}, target = {to, PART};

	TRY("process_vm_readv", , process_vm_readv(getpid(), &target, 1, &source, 1, 0));
	TRY("process_vm_writev", , process_vm_writev(getpid(), &source, 1, &target, 1, 0));
	TRY("process_vm_readv by syscall", ,
	    syscall(SYS_process_vm_readv, getpid(), &target, 1, &source, 1, 0));
	got("  copy", PART);
}

/* Devices that transfer all that they are asked for. */
static void read_device(const char *name, int flags)
{
	struct iovec one = {to, PART};
	int fd = open(name, O_RDONLY | flags);

	printf("%s%s\n", name, flags ? ", without waiting" : "");
	cut_up(to, PART);
	TRY("  read", , read(fd, to, PART));
	TRY("  read by syscall", , syscall(SYS_read, fd, to, PART));
	TRY("  readv", , readv(fd, pieces, PIECES));
	TRY("  readv by syscall", , syscall(SYS_readv, fd, pieces, PIECES));
	TRY("  pread", , pread(fd, to, PART, 0));
	TRY("  pread by syscall", , syscall(SYS_pread64, fd, to, PART, 5));
	TRY("  preadv", , preadv(fd, pieces, PIECES, 0));
	TRY("  preadv by syscall", , syscall(SYS_preadv, fd, pieces, PIECES, 7, 0));
	TRY("  preadv2", , preadv2(fd, &one, 1, 0, 0));
	TRY("  preadv2 where the file is", , preadv2(fd, &one, 1, -1, 0));
	TRY("  preadv2 by syscall", , syscall(SYS_preadv2, fd, pieces, PIECES, 0, 0, 0));
	cut_up(from, MANY);
	close(fd);
}

static void write_device(const char *name)
{
	struct iovec one = {from, PART};
	int fd = open(name, O_WRONLY);

	printf("%s\n", name);
	cut_up(from, PART);
	TRY("  write", , write(fd, from, PART));
	TRY("  write by syscall", , syscall(SYS_write, fd, from, PART));
	TRY("  writev", , writev(fd, pieces, PIECES));
	TRY("  pwrite", , pwrite(fd, from, PART, 0));
	TRY("  pwrite by syscall", , syscall(SYS_pwrite64, fd, from, PART, 5));
	TRY("  pwritev", , pwritev(fd, pieces, PIECES, 0));
	TRY("  pwritev by syscall", , syscall(SYS_pwritev, fd, pieces, PIECES, 7, 0));
	TRY("  pwritev2", , pwritev2(fd, &one, 1, 0, 0));
	TRY("  pwritev2 by syscall", , syscall(SYS_pwritev2, fd, &one, 1, 0, 0, 0));
	cut_up(from, MANY);
	close(fd);
}

/* Often, since it takes little time. */
static void list_directory(void)
{
	int fd = open("/dev", O_RDONLY | O_DIRECTORY);
	size_t shorter = 0;
	ssize_t most = 0, n;

	for (int i = 0; i < 1000; i++) {
		lseek(fd, 0, SEEK_SET);
		n = i % 2 ? getdents64(fd, to, PART) : syscall(SYS_getdents64, fd, to, PART);
		shorter += n < most;
		most = n > most ? n : most;
	}
	say("shorter lists of a directory", (ssize_t)shorter);
	close(fd);
}

static void reserve(int fd)
{
	TRY("fallocate", ftruncate(fd, 0), fallocate(fd, 0, 0, PART));
	TRY("fallocate by syscall", ftruncate(fd, 0), syscall(SYS_fallocate, fd, 0, 0l, PART));
	TRY("posix_fallocate", ftruncate(fd, 0), posix_fallocate(fd, 0, PART));
}

static void send_messages_by_number(void)
{
	struct iovec part[8];
	struct mmsghdr several[8];
	int fd = to_socket();
	size_t length = 0;
	long n;

	memset(several, 0, sizeof(several));
	for (size_t i = 0; i < 8; i++) {
		part[i] = (struct iovec){from + i * MANY / 8, MANY / 8};
		several[i].msg_hdr.msg_iov = &part[i];
		several[i].msg_hdr.msg_iovlen = 1;
	}
	n = syscall(SYS_sendmmsg, fd, several, 8, 0);
	for (long i = 0; i < n; i++)
		length += several[i].msg_len;
	say("sendmmsg by syscall", n);
	say("  bytes", (ssize_t)length);
	end(fd);
	fd = to_socket();
	say("sendto by syscall", syscall(SYS_sendto, fd, from, MANY, 0, NULL, 0));
	end(fd);
	fd = from_socket(MANY);
	got("recvfrom by syscall, all",
	    syscall(SYS_recvfrom, fd, to, MANY, MSG_WAITALL, NULL, NULL));
	end(fd);
}

static void copy_everything(void)
{
	int in = file_of(PART), out = file_of(1);

	copy_files(in, out);
	copy_to_limit(in, out);
	copy_pipes(out);
	copy_memory();
	read_device("/dev/zero", 0);
	read_device("/dev/zero", O_NONBLOCK);
	read_device("/dev/full", 0);
	read_device("/dev/random", 0);
	read_device("/dev/urandom", O_NONBLOCK);
	write_device("/dev/random");
	write_device("/dev/urandom");
	list_directory();
	reserve(out);
	send_messages_by_number();
	memset(to, 0, MANY);
	close(in);
	close(out);
}
