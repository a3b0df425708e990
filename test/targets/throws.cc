// SPDX-License-Identifier: MIT
// throws.cc - throws and catches C++ exceptions for so many ms of CPU time: throws MS LIBRARY
//
// Through eight frames with objects to be destroyed on the way, out of this program and out of a library that is
// loaded and unloaded again every hundred times. Built with -DLIBRARY it is that library.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <stdexcept>
#include <string>

#include "burn.h"

static volatile uint64_t sink;
static unsigned long destroyed;

struct counted {
	std::string text = "long enough to be on the heap, which the destructor gives back";
	~counted()
	{
		destroyed++;
		sink = burn(sink + 1, 100);
	}
};

__attribute__((noinline)) static void descend(int frames, const char *what)
{
	counted c;

	if (frames == 0)
		throw std::runtime_error(what);
	descend(frames - 1, what);
	sink = sink + 1;
}

#ifdef LIBRARY
extern "C" void thrower(void)
{
	descend(8, "from the library");
}
#else
static bool from(const char *what, void (*thrower)(void))
{
	try {
		thrower();
	} catch (const std::runtime_error &e) {
		return e.what() == std::string(what);
	}
	return false;
}

static void own_thrower(void)
{
	descend(8, "from the program");
}

int main(int argc, char **argv)
{
	uint64_t until = (argc > 1 ? strtoull(argv[1], nullptr, 10) : 500) * 1000000;
	unsigned long thrown = 0, right = 0;

	while (argc > 2 && cpu_ns(CLOCK_THREAD_CPUTIME_ID) < until) {
		void *library = dlopen(argv[2], RTLD_NOW);
		void *thrower = library ? dlsym(library, "thrower") : nullptr;

		if (!thrower) {
			fprintf(stderr, "%s\n", dlerror());
			return 1;
		}
		for (int i = 0; i < 50; i++) {
			right += from("from the program", own_thrower);
			right += from("from the library", reinterpret_cast<void (*)(void)>(thrower));
			thrown += 2;
		}
		dlclose(library);
	}
	printf("%s\n", right == thrown && destroyed * 2 == thrown * 9 ? "all caught" : "something is missing");
	return right != thrown;
}
#endif
