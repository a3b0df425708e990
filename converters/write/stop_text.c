/* SPDX-License-Identifier: MIT */
/*
 * stop_text.c - describes why recording stopped before the program ended.
 *
 * In: a process of the profile. Out: text.
 */
#include "write/stop_text.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

static const struct {
	const char *word, *text;
	bool is_trouble;
} stops[CPS_STOP_COUNT] = {
	[CPS_STOP_NONE] = {"clean", "the program ended", false},
	[CPS_STOP_EXEC] = {"exec", "the process became another program", false},
	[CPS_STOP_DURATION] = {"duration", "its duration was over", false},
	[CPS_STOP_SECCOMP] = {"seccomp", "the program installed a seccomp filter", true},
	[CPS_STOP_LIMIT] = {"limit", "the output has reached its limit", false},
	[CPS_STOP_CREATE] = {"create", "output cannot be created", true},
	[CPS_STOP_WRITE] = {"write", "output cannot be written", true},
	[CPS_STOP_SWITCH] = {"switch", "recording was turned off", false},
	[CPS_STOP_DISPATCH] = {"dispatch",
			       "the program handles system calls itself (Syscall User Dispatch)",
			       true},
	[CPS_STOP_DETACHED] = {"detached", "cpsample -p has let go of the process", false},
	[CPS_STOP_CLOCK] = {"clock", "the clock cannot be started", true},
};

const char *stop_text(char text[STOP_TEXT_BYTES], const struct profile_process *process)
{
	uint64_t error = process->stop_error;
	int n;

	if (process->stop < CPS_STOP_COUNT)
		n = snprintf(text, STOP_TEXT_BYTES, "%s", stops[process->stop].text);
	else
		n = snprintf(text, STOP_TEXT_BYTES, "reason %llu, which this program does not know",
			     (unsigned long long)process->stop);
	if (error && error <= INT_MAX)
		snprintf(text + n, STOP_TEXT_BYTES - (size_t)n, ": %s", strerror((int)error));
	return text;
}

const char *stop_text_denied(char text[STOP_TEXT_BYTES], const struct profile_process *process)
{
	uint64_t error = process->denied_error;
	int n = snprintf(text, STOP_TEXT_BYTES,
			 "%llu process%s made by fork, which could not write%s recording%s",
			 (unsigned long long)process->denied, process->denied == 1 ? "" : "es",
			 process->denied == 1 ? " its" : "", process->denied == 1 ? "" : "s");

	if (error && error <= INT_MAX)
		snprintf(text + n, STOP_TEXT_BYTES - (size_t)n, ": %s", strerror((int)error));
	return text;
}

const char *stop_text_unended(char text[STOP_TEXT_BYTES], const struct profile_process *process)
{
	if (process->unended == EVENT_RUNNING)
		return "in progress";
	if (process->unended == EVENT_LEFT)
		return "no end record";
	if (process->unended == EVENT_DAMAGED)
		return "damaged";
	snprintf(text, STOP_TEXT_BYTES, "%s byte %llu",
		 process->unended == EVENT_CUT ? "cut at" : "no end after",
		 (unsigned long long)process->cut_offset);
	return text;
}

const char *stop_text_word(const struct profile_process *process)
{
	static const char *const unended[] = {
		[EVENT_CUT] = "cut",	   [EVENT_RUNNING] = "running", [EVENT_BECAME] = "exec",
		[EVENT_KILLED] = "killed", [EVENT_LEFT] = "left",	[EVENT_DAMAGED] = "damaged",
	};

	if (!process->stop && !process->ended)
		return unended[process->unended];
	return process->stop < CPS_STOP_COUNT ? stops[process->stop].word : "other";
}

bool stop_text_is_trouble(const struct profile_process *process)
{
	return process->stop >= CPS_STOP_COUNT || stops[process->stop].is_trouble;
}
