/* SPDX-License-Identifier: MIT */
/*
 * output_name.c - makes the name of a recording from its template.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "process/output_name.h"
#include "format.h"

/* ---- rank ------------------------------------------------------------------------------------ */
/*
 * Finds the rank of this process.
 *
 * In: the environment. Out: a number. No library of a launcher is asked: at the start of the
 * program it has not been initialized.
 */

/* mpirun is often started inside of a job of Slurm, whose number is then that of the job's script. So Slurm's is
 * the last one. */
static const char *const variables[] = {"PMIX_RANK", "OMPI_COMM_WORLD_RANK", "PMI_RANK",
					"MV2_COMM_WORLD_RANK", "SLURM_PROCID"};

#define SLURM (sizeof(variables) / sizeof(variables[0]) - 1)

/* Digits and nothing else. PMIx has numbers from 2^32 - 1 downwards for what is no rank. */
static bool parse(const char *text, uint32_t *rank)
{
	uint64_t n = 0;

	if (!text || !*text)
		return false;
	for (; *text; text++) {
		if (*text < '0' || *text > '9')
			return false;
		n = n * 10 + (uint64_t)(*text - '0');
		if (n >= CPS_RANKS)
			return false;
	}
	*rank = (uint32_t)n;
	return true;
}

/* The script of a job has SLURM_PROCID=0 and, if tasks were asked for, SLURM_NTASKS, but is none of these tasks. Only
 * srun, which starts tasks, also says how many it starts. */
static bool is_task_of_slurm(void)
{
	return getenv("SLURM_STEP_NUM_TASKS") != NULL;
}

bool cps_rank_find(uint32_t *rank)
{
	for (size_t i = 0; i < sizeof(variables) / sizeof(variables[0]); i++)
		if ((i != SLURM || is_task_of_slurm()) && parse(getenv(variables[i]), rank))
			return true;
	return false;
}

/* ---- output ---------------------------------------------------------------------------------- */
/*
 * Expands the template of the recording's name.
 *
 * In: the template, and what its letters stand for. Out: an absolute path.
 */

struct text {
	char *p, *end;
	bool full;
	bool fixing; /* the result will be expanded again */
};

static void append(struct text *t, const char *s, size_t n)
{
	if ((size_t)(t->end - t->p) <= n) {
		t->full = true;
		return;
	}
	memcpy(t->p, s, n);
	t->p += n;
	*t->p = '\0';
}

/* Appends a name from outside, which must not lead to another directory. */
static void append_component(struct text *t, const char *s)
{
	for (; *s; s++) {
		append(t, *s == '/' ? "_" : s, 1);
		if (*s == '%' && t->fixing)
			append(t, s, 1);
	}
}

static void append_number(struct text *t, unsigned long long n)
{
	char digits[32];
	int bytes = snprintf(digits, sizeof(digits), "%llu", n);

	append(t, digits, (size_t)bytes);
}

static void append_rank(struct text *t)
{
	uint32_t rank;

	append_number(t, cps_rank_find(&rank) ? rank : 0);
}

/* Appends the value of "{VAR}", or nothing. Returns what follows the brace, or NULL. */
static const char *append_variable(struct text *t, const char *p)
{
	const char *close = strchr(p, '}');
	char name[256];
	const char *value;

	if (!close || (size_t)(close - p) > sizeof(name))
		return NULL;
	memcpy(name, p + 1, (size_t)(close - p) - 1);
	name[close - p - 1] = '\0';
	value = getenv(name);
	if (value)
		append_component(t, value);
	return close + 1;
}

/* Expands what follows a '%'. Returns what follows it, or NULL. */
static const char *expand(struct text *t, const char *p, const struct cps_output_names *names)
{
	const char *slash = strrchr(names->exe, '/');
	struct utsname host;

	if (t->fixing && (*p == 'p' || *p == 't')) {
		append(t, p - 1, 2);
		return p + 1;
	}
	switch (*p) {
	case '%':
		append(t, "%%", t->fixing ? 2 : 1);
		break;
	case 'p':
		append_number(t, names->pid);
		break;
	case 'e':
		append_component(t, slash ? slash + 1 : names->exe);
		break;
	case 't':
		append_number(t, names->start_s);
		break;
	case 'r':
		append_rank(t);
		break;
	case 'h':
		if (uname(&host) == 0)
			append_component(t, host.nodename);
		break;
	case '{':
		return append_variable(t, p);
	default:
		return NULL;
	}
	return p + 1;
}

static int expand_all(struct text *t, const char *p, const struct cps_output_names *names)
{
	while (p && *p) {
		if (*p == '%')
			p = expand(t, p + 1, names);
		else
			append(t, p++, 1);
	}
	return p && !t->full ? 0 : -1;
}

int cps_output_expand(const char *template, const struct cps_output_names *names, char *path,
		      size_t bytes)
{
	struct text t = {path, path + bytes, false, false};

	*path = '\0';
	if (*template != '/' && names->cwd) {
		append(&t, names->cwd, strlen(names->cwd));
		append(&t, "/", 1);
	}
	return expand_all(&t, template, names);
}

int cps_output_fix(const char *template, const char *exe, char *fixed, size_t bytes)
{
	struct cps_output_names names = {.exe = exe};
	struct text t = {fixed, fixed + bytes, false, true};

	*fixed = '\0';
	return expand_all(&t, template, &names);
}
