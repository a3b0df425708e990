#!/bin/sh
# SPDX-License-Identifier: MIT
# What a process allocates and waits for while it is attached to is counted exactly: in threads that were there and had no tick
# yet, in a plugin that is opened and closed again and again, with blocks that were there before and are freed or grow now.
# Afterwards linkage tables, what the loader has made read-only, dispositions and descriptors are as before; also if the launcher
# was killed, and with streams of the C library that were led elsewhere. If a process of one thread has made another one meanwhile,
# that holds for its linkage table that is not sealed, and for all when it has been recorded once more.
#
# What cannot be counted says why in the heading.
#
# Seen to fail: with nothing said of pointers in data; when a file that was closed was taken for known, 40 of 400 calls of the plugin; and when the program had not used
# all that it uses before its tables were read for the first time, its tables of libc differed; with nothing put back beside
# other threads, its .got.plt.
#
# May run beside others.
. "$(dirname "$0")/../lib.sh"
. "$root/test/live/attach.sh"
can_attach

cat >plugin.c <<'END'
#include <stdlib.h>
static void *volatile block;
__attribute__((noinline)) void plug_in(int n);
void plug_in(int n)
{
	for (int i = 0; i < n; i++) {
		block = malloc(1000);
		free(block);
	}
}
END
$CC -O1 -g -shared -fPIC -o plugin.so plugin.c || fail "plugin.c"

# ask: a round. Sets nothing; the program's numbers are in `out`
ask() {
	rounds=$((rounds + 1))
	kill -USR1 "$pid"
	await rounds_are $rounds || fail "$mode: a round does not end"
}
rounds_are() { [ "$(grep -cx "done" out)" -eq "$1" ]; }

# Several threads have the controller, which comes last. In one thread, a signal that comes while it is taken waits until then.
is_recorded() {
	if [ "$mode" = threads ]; then
		grep -qsx cpsample "/proc/$pid/task/"*/comm
	else
		awk '/^SigCgt/ { exit substr($2, length($2) - 7, 1) !~ /[89a-f]/ }' "/proc/$pid/status"
	fi
}
is_let_go() { awk '/^SigCgt/ { exit substr($2, length($2) - 7, 1) ~ /[89a-f]/ }' "/proc/$pid/status" && ! is_recorded; }

# record FILE: until finish
record() {
	rm -f "$1"
	CPSAMPLE_RESOURCES=$resources CPSAMPLE_OUTPUT=$PWD/$1 "$attacher" --library "$LIBRARY" --directory "$PWD" "$pid" 2>attach.err &
	recorder=$!
	pids="$pids $recorder"
	await is_recorded || fail "$mode: it is not recorded: $(cat attach.err)"
}

# told NAME: what the program says of its last round
told() { awk -v name="$1" '$1 == name { n = $2 } END { print n + 0 }' out; }

# total RESOURCE FUNCTION: what the recording has of the function itself
total() {
	"$CPCONV" --flat --tsv --resource "$1" rec.cps | awk -F '\t' -v name="$2" '$5 == name { n = $1 } END { printf "%.0f\n", n }'
}

# check: the recording has what the program says
check() {
	for function in allocate_seldom allocate_kept allocate_old grow_old plug_in; do
		n=$(total allocs $function)
		[ "$n" = "$(told $function)" ] || fail "$mode: $n calls of $function, not $(told $function)"
		bytes=$(total alloc $function)
		each=1000
		[ $function != grow_old ] || each=2000
		[ "$bytes" = $((n * each)) ] || fail "$mode: $bytes bytes of $n calls of $function"
	done
	live=$(($(total alloc-live allocate_old) + $(total alloc-live allocate_kept)))
	[ $live = 430000 ] || fail "$mode: $live bytes are live, not 430000"
	[ "$mode" = threads ] || return 0
	lock=$(total lock wait_for_lock)
	blame=$(total lock-blame hold_lock)
	inner=$(told inner_ns) outer=$(told outer_ns)
	note "waited for $lock ns, $blame by who held the lock; $inner to $outer by the program's own clock"
	# A wait is credited when an interval ends in it, and the last one need not have ended.
	if [ "$lock" -lt $((inner - 20000)) ] || [ "$lock" -gt $((outer + 20000)) ]; then fail "waits of $lock ns"; fi
	[ "$blame" -ge $((inner - 20000)) ] || fail "who holds the lock is blamed for $blame ns"
}

for mode in threads single; do
	rounds=0
	start out "$targets/attached_counts" $mode "$PWD/plugin.so"
	resources=real,alloc:1,allocs:1,alloc-live,read,write,lock:10us,faults
	for n in 1 2; do # the library stays, and so does what the C library has bound to make threads of stacks that it had before
		attach "$pid" 0.05 warm.cps || fail "$mode: $(cat attach.err)"
	done
	ask
	state before
	for n in 1 2; do
		record rec.cps
		ask
		kill -INT $recorder
		wait $recorder || fail "$mode: the launcher ended with $?: $(cat attach.err)"
		state after
		same before after "$mode, recording $n"
		check
		ask
	done
	record rec.cps
	ask
	kill -KILL $recorder
	await is_let_go || fail "$mode: it is not let go when the launcher is gone"
	state after
	same before after "$mode, launcher killed"
	check
	stop $mode
	[ $status -eq 0 ] || fail "$mode: ended with $status"
done

# The thread that comes meanwhile.
mode=later rounds=0
start out "$targets/attached_counts" later "$PWD/plugin.so"
for n in 1 2; do
	attach "$pid" 0.05 warm.cps || fail "$mode: $(cat attach.err)"
done
ask
state before
record rec.cps
ask
kill -INT $recorder
wait $recorder || fail "$mode: the launcher ended with $?: $(cat attach.err)"
[ "$(find "/proc/$pid/task" -mindepth 1 -maxdepth 1 | wc -l)" -eq 2 ] || fail "$mode: it has no other thread"
state after
for file in before after; do
	grep '/attached_counts \.got\.plt ' $file >$file.table
done
same before.table after.table "$mode, what is not sealed"
leads() { awk '$2 ~ /^[.]got/ { n += $4 } END { print n + 0 }' "$1"; }
note "$(leads after) sealed entries lead to the recorder until it is recorded again"
attach "$pid" 0.3 rec.cps || fail "$mode, again: $(cat attach.err)"
state after
[ "$(leads after)" -eq 0 ] || fail "$mode, recorded again: $(leads after) entries lead to the recorder"
stop $mode
[ $status -eq 0 ] || fail "$mode: ended with $status"

# Calls by pointers that the program has in its data, and through an entry that its code reads, pass no wrapper.
cat >pointers.c <<'END'
#include <stdlib.h>
#include <unistd.h>
volatile struct { ssize_t (*write)(int, const void *, size_t); void *(*allocate)(size_t); void (*release)(void *); } table = {write, malloc, free};
static volatile int ends_never = 1;
int main(void)
{
	table.write(1, "ready\n", 6);
	while (ends_never) {
		table.release(table.allocate(100));
		table.write(1, "x\n", 2);
	}
	return 0;
}
END
$CC -O1 -fPIE -pie -o pointers pointers.c || fail "pointers.c"
start out ./pointers
CPSAMPLE_RESOURCES=cpu,alloc,read,write attach "$pid" 1 pointers.cps || fail "pointers: $(cat attach.err)"
for resource in alloc write; do
	"$CPCONV" --flat --resource $resource pointers.cps | grep -q '^it was not seen: calls by [12] pointers* in data are not seen' ||
		fail "$resource: $("$CPCONV" --flat --resource $resource pointers.cps)"
done
"$CPCONV" --info pointers.cps | grep -q 'the kernel has counted' || fail "--info: $("$CPCONV" --info pointers.cps)"
kill -KILL "$pid"
