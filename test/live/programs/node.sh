#!/bin/sh
# SPDX-License-Identifier: MIT
# Node compiles JavaScript while it runs. Stacks are complete, from _start to functions of the
# script. These functions have the names that V8 writes to /tmp/perf-PID.map, even after that file
# is removed, because the recorder has kept them.
#
# Seen to fail:
# - Without cps_jit_keep() in recording.c all of the script is [unknown].
# - Without frame_pointer_step() in unwind.c no stack with JavaScript on it is complete.
#
# Chance: each of the functions has a third of 1.2 s: with 36 ticks a second (burn.h), the fewest ever seen, one of a
# million attempts meets one of them never, and three of three fail in no run.
#
# Wants a core of its own.
. "$(dirname "$0")/../lib.sh"
need node

cat >script.js <<'END'
function recurse(n) {
	return n < 2 ? n : recurse(n - 1) + recurse(n - 2);
}
function sortSome() {
	const a = [];
	for (let i = 0; i < 3000; i++)
		a.push((i * 7919) % 10007);
	a.sort((x, y) => x - y);
	return a[5];
}
function work(until) {
	let sum = 0;
	while (process.cpuUsage().user < until)
		sum += recurse(25) + sortSome();
	return sum;
}
console.log(typeof work(1200000 * (process.argv[2] || 1)));
END
node --perf-basic-prof script.js >want 2>bare.err &
wait $! || skip "node has no --perf-basic-prof: $(head -n 1 bare.err)"
rm -f "/tmp/perf-$!.map"
# recorded TIMES CLOCK
recorded() {
	clock=$2
	record CPSAMPLE_CLOCK="$clock" node --perf-basic-prof ../script.js "$1" >got || fault "$clock: node ended with $?"
	same ../want got "$clock: output"
	stream=$(one_stream) || fail "$clock: $stream"
	pid=${stream##*node.}
	rm -f "/tmp/perf-${pid%.cps}.map"
	accounts_for_all "$stream"
	mostly_whole "$stream" 98 || fail "$clock: $(info "$stream" complete_percent) % whole"
	"$CPCONV" --folded --unit gticks "$stream" >folded || fail "$clock: no view"
	# V8 writes JS since node 20; before that it wrote LazyCompile or Function. `work` may be
	# interpreted.
	for function in recurse sortSome; do
		grep -qE "^_start;.*node::Start.*;(JS|LazyCompile|Function):.$function [^;]*script.js" folded ||
			fail "$clock: no $function above node::Start"
	done
	note "$clock $(info "$stream" samples) samples, $(info "$stream" complete_percent) % whole"
}
for clock in timer perf; do
	with_more_work recorded 1 $clock
done
