// SPDX-License-Identifier: MIT
//
// containers.cc - a C++ program that lives on operator new, exceptions and threads.
//
// containers ROUNDS: the sum that is printed depends on ROUNDS alone. Exit status 4. It does not throw often:
// while libgcc installs the catching frame's registers over its own, no unwinder finds the way.
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace
{

struct node {
	std::string name;
	std::vector<int> values;
};

unsigned long fill(unsigned long round, std::map<std::string, std::unique_ptr<node>> &map)
{
	std::string name = "a name too long for its string " + std::to_string(round * 7919 % 4001);
	auto &place = map[name];

	if (place && round % 512 == 0)
		throw std::runtime_error(name);
	place = std::make_unique<node>();
	place->name = name;
	for (unsigned i = 0; i < 40; i++)
		place->values.push_back(static_cast<int>(round + i));
	return place->values.back() + name.size();
}

void work(unsigned long rounds, unsigned long *sum)
{
	std::map<std::string, std::unique_ptr<node>> map;

	for (unsigned long i = 0; i < rounds; i++) {
		try {
			*sum += fill(i, map);
		} catch (const std::exception &e) {
			*sum += e.what()[0];
		}
	}
}

} // namespace

int main(int argc, char **argv)
{
	unsigned long rounds = argc > 1 ? strtoul(argv[1], nullptr, 10) : 100000;
	unsigned long sums[3] = {0, 0, 0};

	{
		std::thread first(work, rounds, &sums[0]), second(work, rounds, &sums[1]);

		work(rounds, &sums[2]);
		first.join();
		second.join();
	}
	printf("%lu\n", sums[0] + sums[1] + sums[2]);
	return 4;
}
