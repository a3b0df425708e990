/* SPDX-License-Identifier: MIT */
/*
 * rank.c - finds the rank of this process.
 *
 * In: the environment. Out: a number. No library of a launcher is asked: at the start of the program it has not been
 * initialized.
 */
#include <stddef.h>
#include <stdlib.h>

#include "door/rank.h"
#include "format.h"

/* mpirun is often started inside of a job of Slurm, whose number is then that of the job's script. So Slurm's is
 * the last one. */
static const char *const names[] = {"PMIX_RANK", "OMPI_COMM_WORLD_RANK", "PMI_RANK",
				    "MV2_COMM_WORLD_RANK", "SLURM_PROCID"};

#define SLURM (sizeof(names) / sizeof(names[0]) - 1)

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
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if ((i != SLURM || is_task_of_slurm()) && parse(getenv(names[i]), rank))
			return true;
	return false;
}
