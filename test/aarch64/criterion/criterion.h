/* SPDX-License-Identifier: MIT */
/*
 * criterion.h - as much of Criterion as the unit tests use, for programs that qemu-user runs.
 *
 * Criterion starts each test by an exec of the program itself, which the kernel does not know if it is of another machine. Here each test
 * is a child made by fork. What is printed is what test/run reads.
 */
#ifndef CRITERION_CRITERION_H
#define CRITERION_CRITERION_H

#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

struct criterion_options {
	void (*init)(void), (*fini)(void);
	double timeout; /* seconds */
};

struct criterion_test {
	const char *suite, *name;
	void (*run)(void);
	struct criterion_options options;
	struct criterion_test *next;
};

struct criterion_suite {
	const char *name;
	struct criterion_options options;
	struct criterion_suite *next;
};

void criterion_add_test(struct criterion_test *test);
void criterion_add_suite(struct criterion_suite *suite);
/* False: *what, which is expected or (is_fatal) without which the test ends. */
void criterion_check(bool holds, bool is_fatal, const char *what, const char *file, int line,
		     const char *format, ...);
void criterion_skip(const char *format, ...) __attribute__((noreturn));
void criterion_note(const char *format, ...);

#define Test(in, named, ...)                                                                       \
	static void in##_##named##_test(void);                                                     \
	static void __attribute__((constructor)) in##_##named##_add(void)                          \
	{                                                                                          \
		static struct criterion_test test = {                                              \
			#in, #named, in##_##named##_test, {__VA_ARGS__}, NULL};                    \
		criterion_add_test(&test);                                                         \
	}                                                                                          \
	static void in##_##named##_test(void)

#define TestSuite(named, ...)                                                                      \
	static void __attribute__((constructor)) named##_add_suite(void)                           \
	{                                                                                          \
		static struct criterion_suite suite = {#named, {__VA_ARGS__}, NULL};               \
		criterion_add_suite(&suite);                                                       \
	}                                                                                          \
	extern int criterion_unused

#define CHECK_(fatal, condition, what, ...)                                                        \
	criterion_check((condition), fatal, what, __FILE__, __LINE__, "" __VA_ARGS__)

#define cr_assert(a, ...)	    CHECK_(true, (a), #a, __VA_ARGS__)
#define cr_assert_not(a, ...)	    CHECK_(true, !(a), "not " #a, __VA_ARGS__)
#define cr_assert_null(a, ...)	    CHECK_(true, (a) == NULL, #a " is NULL", __VA_ARGS__)
#define cr_assert_not_null(a, ...)  CHECK_(true, (a) != NULL, #a " is not NULL", __VA_ARGS__)
#define cr_assert_eq(a, b, ...)	    CHECK_(true, (a) == (b), #a " == " #b, __VA_ARGS__)
#define cr_assert_neq(a, b, ...)    CHECK_(true, (a) != (b), #a " != " #b, __VA_ARGS__)
#define cr_assert_lt(a, b, ...)	    CHECK_(true, (a) < (b), #a " < " #b, __VA_ARGS__)
#define cr_assert_gt(a, b, ...)	    CHECK_(true, (a) > (b), #a " > " #b, __VA_ARGS__)
#define cr_assert_leq(a, b, ...)    CHECK_(true, (a) <= (b), #a " <= " #b, __VA_ARGS__)
#define cr_assert_geq(a, b, ...)    CHECK_(true, (a) >= (b), #a " >= " #b, __VA_ARGS__)
#define cr_assert_str_eq(a, b, ...) CHECK_(true, strcmp((a), (b)) == 0, #a " is " #b, __VA_ARGS__)
#define cr_assert_str_neq(a, b, ...)                                                               \
	CHECK_(true, strcmp((a), (b)) != 0, #a " is not " #b, __VA_ARGS__)
#define cr_assert_str_empty(a, ...) CHECK_(true, !*(a), #a " is empty", __VA_ARGS__)
#define cr_assert_arr_eq(a, b, n, ...)                                                             \
	CHECK_(true, memcmp((a), (b), (n)) == 0, #a " is " #b, __VA_ARGS__)
#define cr_assert_float_eq(a, b, e, ...)                                                           \
	CHECK_(true, (a) - (b) <= (e) && (b) - (a) <= (e), #a " is about " #b, __VA_ARGS__)
#define cr_assert_fail(...)	    CHECK_(true, false, "fails", __VA_ARGS__)
#define cr_expect(a, ...)	    CHECK_(false, (a), #a, __VA_ARGS__)
#define cr_expect_not(a, ...)	    CHECK_(false, !(a), "not " #a, __VA_ARGS__)
#define cr_expect_eq(a, b, ...)	    CHECK_(false, (a) == (b), #a " == " #b, __VA_ARGS__)
#define cr_expect_neq(a, b, ...)    CHECK_(false, (a) != (b), #a " != " #b, __VA_ARGS__)
#define cr_expect_lt(a, b, ...)	    CHECK_(false, (a) < (b), #a " < " #b, __VA_ARGS__)
#define cr_expect_gt(a, b, ...)	    CHECK_(false, (a) > (b), #a " > " #b, __VA_ARGS__)
#define cr_expect_leq(a, b, ...)    CHECK_(false, (a) <= (b), #a " <= " #b, __VA_ARGS__)
#define cr_expect_geq(a, b, ...)    CHECK_(false, (a) >= (b), #a " >= " #b, __VA_ARGS__)
#define cr_expect_str_eq(a, b, ...) CHECK_(false, strcmp((a), (b)) == 0, #a " is " #b, __VA_ARGS__)
#define cr_skip(...)		    criterion_skip("" __VA_ARGS__)
#define cr_skip_test(...)	    criterion_skip("" __VA_ARGS__)
#define cr_log_info(...)	    criterion_note("" __VA_ARGS__)

#endif
