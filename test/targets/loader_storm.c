/* SPDX-License-Identifier: MIT */
/*
 * loader_storm.c - four threads load libraries, run them and unload them; another one forks
 * meanwhile.
 *
 * 	loader_storm ROUNDS LIBRARY...    ROUNDS for each thread, in different orders
 *
 * Each library has a function void plugin(void). Prints how many children ended well.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS = 4 };

static char **libraries;
static int n_libraries, rounds;
static atomic_int at_work = THREADS;

static void run(const char *path)
{
	void *library = dlopen(path, RTLD_NOW);
	void (*plugin)(void) = library ? (void (*)(void))dlsym(library, "plugin") : NULL;

	if (!plugin) {
		fprintf(stderr, "%s\n", dlerror());
		exit(1);
	}
	plugin();
	dlclose(library);
}

static void *storm(void *number)
{
	for (int i = 0; i < rounds; i++)
		run(libraries[(i * (1 + (int)(size_t)number) + i / n_libraries) % n_libraries]);
	at_work--;
	return NULL;
}

static int fork_one(void)
{
	pid_t pid = fork();
	int status;

	if (pid == 0)
		_exit(7);
	return pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status) &&
	       WEXITSTATUS(status) == 7;
}

int main(int argc, char **argv)
{
	pthread_t threads[THREADS];
	int forks = 0, good = 0;

	rounds = argc > 1 ? atoi(argv[1]) : 0;
	libraries = argv + 2;
	n_libraries = argc - 2;
	for (size_t i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, storm, (void *)i) != 0)
			return 1;
	for (; at_work; forks++) {
		good += fork_one();
		usleep(10000);
	}
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	printf("%s\n", good == forks ? "all children ended well" : "children died");
	return good != forks;
}
