/* SPDX-License-Identifier: MIT */
/*
 * wrap_fenv.c - lets the program see and change its floating-point exceptions as if nobody else did.
 *
 * In: the calls of fenv.h that read or change which exceptions trap. Out: the real calls, before which those are
 * masked that the resource `fpe` has unmasked. Once the program enables one itself, that unmasks none any more.
 */
#include <errno.h>
#include <fenv.h>
#include <stddef.h>

#include "door/door.h"
#include "door/find.h"
#include "resource/fpe.h"

#define EXPORT __attribute__((visibility("default")))

#define CALLS(X)                                                                                   \
	X(feenableexcept)                                                                          \
	X(fedisableexcept)                                                                         \
	X(fegetexcept)                                                                             \
	X(fegetenv)                                                                                \
	X(feholdexcept)                                                                            \
	X(fesetenv)                                                                                \
	X(feupdateenv)                                                                             \
	X(fegetmode)                                                                               \
	X(fesetmode)                                                                               \
	X(feclearexcept)                                                                           \
	X(fesetexceptflag)

static struct {
	CALLS(CPS_FIND_FIELD)
} next;

/* Not every program has the mathematical library. */
void cps_wrap_fenv_resolve(void)
{
#define RESOLVE(name) next.name = (__typeof__(next.name))cps_find_listed(#name);
	CALLS(RESOLVE)
#undef RESOLVE
}

/* The library may come later, by dlopen. Only then the loader is asked in here, whose lock another thread may have. */
#define FIND(name)                                                                                 \
	do {                                                                                       \
		int saved = errno;                                                                 \
                                                                                                   \
		cps_door_open();                                                                   \
		if (!next.name)                                                                    \
			next.name = (__typeof__(next.name))cps_find_loaded("libm.so.6", #name);    \
		cps_fpe_settle();                                                                  \
		errno = saved;                                                                     \
	} while (0)

static int done(int result)
{
	cps_fpe_go_on();
	return result;
}

EXPORT int feenableexcept(int kinds)
{
	FIND(feenableexcept);
	if (kinds & FE_ALL_EXCEPT)
		cps_fpe_yield();
	return done(next.feenableexcept ? next.feenableexcept(kinds) : -1);
}

EXPORT int fedisableexcept(int kinds)
{
	FIND(fedisableexcept);
	return done(next.fedisableexcept ? next.fedisableexcept(kinds) : -1);
}

EXPORT int fegetexcept(void)
{
	FIND(fegetexcept);
	return done(next.fegetexcept ? next.fegetexcept() : 0);
}

EXPORT int fegetenv(fenv_t *environment)
{
	FIND(fegetenv);
	return done(next.fegetenv ? next.fegetenv(environment) : -1);
}

EXPORT int feholdexcept(fenv_t *environment)
{
	FIND(feholdexcept);
	return done(next.feholdexcept ? next.feholdexcept(environment) : -1);
}

static void look_at(const fenv_t *environment)
{
#if defined(__x86_64__)
	if (environment == FE_NOMASK_ENV ||
	    (environment != FE_DFL_ENV && cps_fpe_is_enabled(environment->__mxcsr)))
		cps_fpe_yield();
#else
	(void)environment;
#endif
}

EXPORT int fesetenv(const fenv_t *environment)
{
	FIND(fesetenv);
	look_at(environment);
	return done(next.fesetenv ? next.fesetenv(environment) : -1);
}

EXPORT int feupdateenv(const fenv_t *environment)
{
	FIND(feupdateenv);
	look_at(environment);
	return done(next.feupdateenv ? next.feupdateenv(environment) : -1);
}

EXPORT int fegetmode(femode_t *mode)
{
	FIND(fegetmode);
	return done(next.fegetmode ? next.fegetmode(mode) : -1);
}

EXPORT int fesetmode(const femode_t *mode)
{
	FIND(fesetmode);
#if defined(__x86_64__)
	if (mode != FE_DFL_MODE && cps_fpe_is_enabled(mode->__mxcsr))
		cps_fpe_yield();
#endif
	return done(next.fesetmode ? next.fesetmode(mode) : -1);
}

EXPORT int feclearexcept(int kinds)
{
	FIND(feclearexcept);
	return done(next.feclearexcept ? next.feclearexcept(kinds) : -1);
}

EXPORT int fesetexceptflag(const fexcept_t *flags, int kinds)
{
	FIND(fesetexceptflag);
	return done(next.fesetexceptflag ? next.fesetexceptflag(flags, kinds) : -1);
}
