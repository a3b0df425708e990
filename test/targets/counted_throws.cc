// SPDX-License-Identifier: MIT
// counted_throws.cc - calls that an exception leaves, through frames with destructors, into a handler that throws again. It is
// compiled so that the functions tell of their calls.
//
// Usage: counted_throws N. It prints "CALLER CALLEE COUNT" for each arc that it knows.
#include <cstdio>
#include <cstdlib>

#define CALL __attribute__((noinline)) static

static volatile long sink;

CALL void cleaned()
{
	sink = sink + 1;
}

struct guard {
	__attribute__((noinline)) ~guard() noexcept
	{
		cleaned();
	}
};

CALL void thrower(long i)
{
	if (i % 2)
		throw i;
	sink = sink + 1;
}

CALL void between(long i)
{
	guard g;

	thrower(i);
	sink = sink + 1;
}

CALL void again(long i)
{
	try {
		between(i);
	} catch (long) {
		cleaned();
		throw;
	}
	sink = sink + 1;
}

CALL void leaf()
{
	sink = sink + 1;
}

CALL void catches(long n)
{
	for (long i = 0; i < n; i++) {
		try {
			again(i);
		} catch (long) {
			leaf();
		}
		leaf();
	}
}

int main(int argc, char **argv)
{
	long n = argc > 1 ? atol(argv[1]) : 1000;

	catches(n);
	printf("main catches(long) 1\ncatches(long) again(long) %ld\n", n);
	printf("again(long) between(long) %ld\nbetween(long) thrower(long) %ld\n", n, n);
	printf("between(long) guard::~guard() %ld\nguard::~guard() cleaned() %ld\n", n, n);
	printf("again(long) cleaned() %ld\ncatches(long) leaf() %ld\n", n / 2, n + n / 2);
	return 0;
}
