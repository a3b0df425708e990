/* SPDX-License-Identifier: MIT */
/*
 * calls.cc - calls functions of another library in all ways, checks what they return, and counts the calls itself.
 *
 * calls THREADS ROUNDS [PLUGIN[:FLAG...]]...
 * calls fork ROUNDS
 *
 * -DCALLED makes the library, -DPLUGIN=NUMBER a library that calls it, which has a constructor that does so, too. With a
 * plugin are opened as many times as there are ROUNDS: lazy, now, deep (the plugin's own definitions first). Prints how many
 * calls of each function there were; a result that is wrong ends the program with status 1.
 */
#include <cerrno>
#include <csetjmp>
#include <csignal>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <pthread.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

typedef double vector __attribute__((vector_size(32)));

struct large {
	long part[9];
};

extern "C" {
int called(int x);
double called_wide(int a, long b, int c, long d, int e, long f, int g, long h, double p, float q, double r, double s,
		   double t, double u, double v, double w, double x);
long called_many(int n, ...);
vector called_vector(vector a, vector b, vector c);
large called_large(large l, long double x);
void called_back(void (*f)(void *), void *argument);
int called_errno(int e);
int called_own(void);
}

#define VECTOR __attribute__((target("avx")))

#if defined(CALLED)

int called(int x)
{
	return x + 1;
}

double called_wide(int a, long b, int c, long d, int e, long f, int g, long h, double p, float q, double r, double s,
		   double t, double u, double v, double w, double x)
{
	return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h + 9 * p + 10 * q + 11 * r + 12 * s +
	       13 * t + 14 * u + 15 * v + 16 * w + 17 * x;
}

long called_many(int n, ...)
{
	long sum = 0;
	va_list list;

	va_start(list, n);
	for (int i = 0; i < n; i++)
		sum += va_arg(list, int) * (long)va_arg(list, double);
	va_end(list);
	return sum;
}

VECTOR vector called_vector(vector a, vector b, vector c)
{
	return a + (b - c);
}

large called_large(large l, long double x)
{
	for (long &p : l.part)
		p += (long)x;
	return l;
}

void called_back(void (*f)(void *), void *argument)
{
	f(argument);
	__asm__ volatile(""); /* it is no jump */
}

int called_errno(int e)
{
	int was = errno;

	errno = e;
	return was;
}

int called_own(void)
{
	return 1;
}

#else

enum { CALLED_, WIDE, MANY, VECTOR_, LARGE, BACK, ERRNO, OWN, FUNCTIONS };

#ifdef PLUGIN
static long *made; /* that of the program */
static long early;		/* before that is known */

#ifdef HAS_OWN
extern "C" int called_own(void)
{
	return PLUGIN;
}
#endif

__attribute__((constructor)) static void begin(void)
{
	for (int i = 0; i < 10; i++)
		early += called(i) == i + 1;
}
#else
static long made[FUNCTIONS];
#endif

static void check(bool is_right, const char *what)
{
	if (is_right)
		return;
	fprintf(stderr, "%s: wrong\n", what);
	_exit(1);
}

static void did(int function, long n)
{
	__atomic_fetch_add(&made[function], n, __ATOMIC_RELAXED);
}

VECTOR static void vectors(int i)
{
	double x = i;
	vector got;

	did(VECTOR_, 1);
	got = called_vector(vector{4, 3, 2, x}, vector{8, 7, x, 5}, vector{1, x, 1, 1});
	check(got[3] == i + 4 && got[2] == i + 1 && got[1] == 10 - i && got[0] == 11, "vector");
}

static void jump(void *back)
{
	longjmp(*(jmp_buf *)back, 1);
}

static void throws(void *number)
{
	throw *(int *)number;
}

static void descend(void *depth)
{
	int left = *(int *)depth - 1;

	if (left <= 0)
		return;
	did(BACK, 1);
	called_back(descend, &left);
}

static void leave(int i)
{
	jmp_buf back;
	volatile bool was_caught = false;

	did(BACK, 2);
	if (!setjmp(back))
		called_back(jump, &back);
	try {
		called_back(throws, &i);
	} catch (int got) {
		was_caught = got == i;
	}
	check(was_caught, "exception");
}

static void one(int i)
{
	large l = {{1, 2, 3, 4, 5, 6, 7, 8, (long)i}};

	did(CALLED_, 1);
	check(called(i) == i + 1, "called");
	did(WIDE, 1);
	check(called_wide(1, 2, 3, 4, 5, 6, 7, i, 9, 10, 11, 12, 13, 14, 15, 16, i) ==
		      140 + 8. * i + 9 * 9 + 10 * 10 + 11 * 11 + 12 * 12 + 13 * 13 + 14 * 14 + 15 * 15 +
			      16 * 16 + 17. * i,
	      "wide");
	did(MANY, 1);
	check(called_many(9, 1, 1., 2, 2., 3, 3., 4, 4., 5, 5., 6, 6., 7, 7., 8, 8., i, 3.) == 204 + 3L * i, "many");
	did(LARGE, 1);
	check(called_large(l, 4.5L).part[8] == i + 4, "large");
	errno = 5;
	did(ERRNO, 1);
	check(called_errno(i & 63) == 5 && errno == (i & 63), "errno");
	if (__builtin_cpu_supports("avx"))
		vectors(i);
}

static void all(int rounds)
{
	int depth = 500;

	for (int i = 0; i < rounds; i++)
		one(i);
	for (int i = 0; i < rounds / 100 + 1; i++)
		leave(i);
	descend(&depth);
}

#ifdef PLUGIN

extern "C" int plugin(long *counts, int rounds)
{
	made = counts;
	did(CALLED_, early);
	early = 0;
	all(rounds);
	did(OWN, 1);
	return called_own();
}

#else

static void *work(void *rounds)
{
	all(*(int *)rounds);
	return nullptr;
}

static void tick(int)
{
	int saved = errno;

	did(ERRNO, 1);
	called_errno(saved);
	errno = saved;
}

static void alarms(bool on)
{
	struct itimerval each = {{0, on ? 700 : 0}, {0, on ? 700 : 0}};
	struct sigaction action = {};

	action.sa_handler = tick;
	action.sa_flags = SA_RESTART;
	sigaction(SIGALRM, &action, nullptr);
	setitimer(ITIMER_REAL, &each, nullptr);
}

/* FILE[:FLAG]: opens it anew for each of so many rounds. */
static void use(char *text, int rounds)
{
	char *flag = strchr(text, ':');
	int how = RTLD_NOW, own = 0;

	if (flag) {
		*flag++ = '\0';
		how = strstr(flag, "lazy") ? RTLD_LAZY : RTLD_NOW;
		how |= strstr(flag, "deep") ? RTLD_DEEPBIND : 0;
	}
	for (int i = 0; i < rounds; i++) {
		void *library = dlopen(text, how);
		int (*plugin)(long *, int) =
			library ? (int (*)(long *, int))dlsym(library, "plugin") : nullptr;

		if (!plugin) {
			fprintf(stderr, "%s\n", dlerror());
			_exit(1);
		}
		own = plugin(made, 50);
		dlclose(library);
	}
	printf("%s: own %d\n", flag ? flag : "-", own);
}

int main(int argc, char **argv)
{
	static const char *const names[] = {"called",	    "called_wide", "called_many",  "called_vector",
					    "called_large", "called_back", "called_errno", "called_own"};
	bool forks = argc > 1 && strcmp(argv[1], "fork") == 0;
	int n = forks || argc < 2 ? 0 : atoi(argv[1]), rounds = argc > 2 ? atoi(argv[2]) : 1000, status = 0;
	int (*volatile pointer)(void) = called_own;
	pthread_t threads[64];
	sigset_t alarm;

	check(pointer == (int (*)(void))dlsym(RTLD_DEFAULT, "called_own"), "address");
	all(100); /* the recording begins here, and not while threads call */
	sigemptyset(&alarm);
	sigaddset(&alarm, SIGALRM);
	pthread_sigmask(SIG_BLOCK, &alarm, nullptr); /* only the first thread is interrupted */
	for (int i = 0; i < n; i++)
		pthread_create(&threads[i], nullptr, work, &rounds);
	pthread_sigmask(SIG_UNBLOCK, &alarm, nullptr);
	alarms(true);
	all(rounds);
	for (int i = 0; i < n; i++)
		pthread_join(threads[i], nullptr);
	for (int i = 3; i < argc; i++)
		use(argv[i], rounds / 100);
	alarms(false);
	if (forks && fork() == 0) {
		for (long &m : made)
			m = 0;
		all(rounds / 2);
	} else if (forks)
		wait(&status);
	if (forks)
		printf("pid %d\n", getpid());
	for (int i = 0; i < FUNCTIONS; i++)
		printf("%s %ld\n", names[i], made[i]);
	return status != 0;
}
#endif
#endif
