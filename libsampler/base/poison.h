/* SPDX-License-Identifier: MIT */
/*
 * poison.h - names the functions that must not be called in a signal handler.
 *
 * Each of them may allocate, lock, print, end the process or ask the loader. This is the last
 * include of every file in the async-signal-safe folders.
 */
#ifndef CPS_POISON_H
#define CPS_POISON_H

#pragma GCC poison malloc calloc realloc free strdup asprintf
#pragma GCC poison printf fprintf sprintf snprintf vsnprintf puts fputs perror fopen fclose fwrite \
	fread
#pragma GCC poison getenv setenv dlopen dlsym dlclose dl_iterate_phdr
#pragma GCC poison pthread_mutex_lock pthread_mutex_unlock pthread_once pthread_setspecific
#pragma GCC poison abort exit _exit assert raise syslog usleep

#endif
