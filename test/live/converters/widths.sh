#!/bin/sh
# SPDX-License-Identifier: MIT
# On a terminal of 40, 60, 80 or 200 columns no line of the text of any view is wider, and what is there is right: a figure is one
# that a wide terminal shows, too, a heading is one of its headings. All views that cpconv's help lists are tried, of a C++ program
# with long names and threads, of Python, of a tree of processes, of several resources in a line, and of two runs that are compared;
# so are cpprof's own commands.
#
# Seen to fail:
# - With a dozen columns for a name behind figures that fill the line: 40 and 60 columns, of every view but four.
# - With captions that end at 80 columns: --summary at 40, --info at all.
# - When a line that is too long was cut at the edge: the figures at its end were others.
# - With refusals and warnings of any width.
#
# Chance: only texts are compared, of the same recordings.
#
# Not in short runs: it takes 60 s.
# May run beside others.
. "$(dirname "$0")/../lib.sh"
need g++
need python3

cat >names.cc <<'end'
#include <ctime>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace industrial::measurement
{

template <typename Key, typename Value> struct associative_container_of_everything {
	std::map<Key, std::vector<Value>> content;

	__attribute__((noinline)) void insert_or_append(const Key &k, Value v)
	{
		content[k].push_back(v);
	}
};

}

static std::mutex mutex;

static double now()
{
	timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

__attribute__((noinline)) void a_worker_that_runs_in_a_thread_of_its_own()
{
	while (now() < 0.4) {
		industrial::measurement::associative_container_of_everything<std::string, long> all;
		std::lock_guard<std::mutex> guard(mutex);
		timespec t = {0, 1000000};

		for (int i = 0; i < 3000; i++)
			all.insert_or_append("key number " + std::to_string(i * 7919 % 500), i);
		nanosleep(&t, nullptr);
	}
}

int main()
{
	std::thread one(a_worker_that_runs_in_a_thread_of_its_own), two(a_worker_that_runs_in_a_thread_of_its_own);

	a_worker_that_runs_in_a_thread_of_its_own();
	one.join();
	two.join();
}
end
cat >of_python.py <<'end'
def parse_all_the_documents(n):
    return sum(len(transform_a_document(i)) for i in range(n))


def transform_a_document(i):
    return sorted(str(k * 7919 % 1000) for k in range(i % 300))


parse_all_the_documents(2000)
end
g++ -O1 -g -pthread -o a_program_with_a_name_of_many_letters names.cc || fail "cannot build names.cc"
for run in new old; do
	record CPSAMPLE_RESOURCES=cpu,real,alloc,lock CPSAMPLE_OUTPUT=$run.cps ./a_program_with_a_name_of_many_letters ||
		fail "ended with $?"
done
record CPSAMPLE_OUTPUT=python.cps python3 of_python.py || fail "python3 ended with $?"
mkdir tree
# shellcheck disable=SC2016 # for that shell
record CPSAMPLE_DIR="$PWD/tree" sh -c 'for i in 1 2 3; do "$0" 50 >/dev/null; done; ./a_program_with_a_name_of_many_letters' "$targets/spin" ||
	fail "sh ended with $?"
python3 "$root/test/live/converters/widths.py" "$CPCONV" "$CPPROF" >said || fail "$(head -n 40 said)"
note "$(cat said)"
