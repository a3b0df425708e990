#!/bin/sh
# SPDX-License-Identifier: MIT
# V8 maps its builtins a second time, where the loader does not know them. Time in them has the builtins'
# names, by the symbols of node, or by the perf map where Debian's libnode.so has no symbols; functions of the
# script have theirs, and who called whom is right: a function that is given twice as much to do as another
# one has twice its time, which the script measures itself.
#
# Each share may differ by three standard errors and by 0.01, which is what node does besides.
#
# Seen to fail:
# - Without enter_twin() in unlisted.c sort and map are [unknown].
# - Without place_in_map() in symbols.c they are [libnode.so.108] in Debian's node 18.
#
# Chance: one of 200 attempts is out of bounds, and three of three in one of eight million runs.
#
# Wants a core of its own.
. "$(dirname "$0")/../lib.sh"
need node

cat >script.js <<'END'
'use strict';
const used = { taskA: 0, taskB: 0 };
let sink = 0;
function sortSome(n) {
	for (let k = 0; k < n; k++) {
		const a = [];
		for (let i = 0; i < 500; i++)
			a.push((i * 7919) % 10007);
		a.sort((x, y) => x - y);
		sink += a[5];
	}
}
function mapSome(n) {
	const m = new Map();
	for (let i = 0; i < n * 500; i++)
		m.set((i * 7919) % 1009, i);
	sink += m.size;
}
function taskA() {
	sortSome(24);
	mapSome(24);
}
function taskB() {
	sortSome(12);
	mapSome(12);
}
function measure(task) {
	const before = process.cpuUsage();
	task();
	const spent = process.cpuUsage(before);
	used[task.name] += spent.user + spent.system;
}
function main(until) {
	while (used.taskA + used.taskB < until) {
		measure(taskA);
		measure(taskB);
	}
}
main(2000000);
const all = process.cpuUsage();
console.log(used.taskA, used.taskB, all.user + all.system);
END
node --perf-basic-prof -e 0 >bare 2>&1 &
wait $! || skip "node has no --perf-basic-prof: $(head -n 1 bare)"
rm -f "/tmp/perf-$!.map"

# run TIMES
run() {
	rm -rf run && mkdir run
	(cd run && record node --perf-basic-prof --interpreted-frames-native-stack --no-turbo-inlining \
		"$tmp/script.js" >../truth) || fault "node ended with $?"
	stream=$(one_stream run) || fail "$stream"
	pid=${stream##*node.}
	rm -f "/tmp/perf-${pid%.cps}.map"
	"$CPCONV" --folded --unit gticks "$stream" >folded || fail "no view"
	mostly_whole "$stream" 95 || fail "$(info "$stream" complete_percent) % whole"
	read -r a b all <truth
	measure='^_start;.*node::Start.*;[^;]*main [^;]*script.js[^;]*;.*measure [^;]*script.js[^;]*;'
	true_shares folded "$(equal_samples "$stream")" 0.01 \
		taskA "$(ratio "$a" "$all")" "$measure.*taskA [^;]*script.js" \
		taskB "$(ratio "$b" "$all")" "$measure.*taskB [^;]*script.js" >said || fail "$(cat said)"
	builtins=$(folded_share ';Builtin(s_|:)(ArrayTimSort|MergeAt|MapPrototypeSet|SortCompare|FindOrderedHashMap)' folded)
	unknown=$(folded_share ';\[unknown\]' folded)
	at_least "$builtins" 0.1 && at_least 0.05 "$unknown" || fail "builtins $builtins, unknown $unknown"
	note "$(info "$stream" samples) samples; $(cat said)"
}

with_more_work run 1
