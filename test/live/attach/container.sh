#!/bin/sh
# SPDX-License-Identifier: MIT
# A process that sees other files than the launcher is attached to by descriptors: it is in a root directory, a mount and a pid
# namespace of its own, has neither the library nor the directory of the recordings, and its number is 2 there. The recording is where the
# launcher wants it, with the number that it has for the launcher. Nothing above that directory can be reached by the directory's
# descriptor, and the library cannot be changed. Afterwards it has the descriptors that it had before.
# Without /proc it is refused, in one line.
#
# Seen to fail: with the number that the process has itself, the recording was of another process; with the directory's descriptor
# left open, the process had one more; with the directory simply opened, what stands beside it was found by ".."; with the
# library simply opened, it could be written to.
#
# Chance: a thread that always works has samples in 2 s on a machine that does ten other things.
#
# May run beside others.
. "$(dirname "$0")/../lib.sh"
. "$root/test/live/attach.sh"
can_attach

unshare -mpf true 2>/dev/null || skip "no namespaces can be made here"
loader=$(ldd "$targets/attached" | sed -n 's/^[ \t]*\(\/[^ ]*ld-linux[^ ]*\).*/\1/p')
libc=$(ldd "$targets/attached" | sed -n 's/.*libc\.so\.6 => \([^ ]*\).*/\1/p')
[ -n "$loader" ] && [ -n "$libc" ] || skip "no glibc here"
mkdir -p root/proc "root/${loader%/*}" "root/${libc%/*}" || fail "no root directory can be made"
cp "$loader" "root$loader" && cp "$libc" "root$libc" && cp "$targets/attached" root/attached || fail "cannot be copied"

# inside PROC MODE...: run the program in its own root directory. Sets $pid to its number here.
inside() {
	mount=$1
	shift
	: >out
	unshare -mpf sh -c "[ -z '$mount' ] || mount -t proc proc root/proc; chroot root /attached \"\$@\"; exit \$?" sh "$@" >out 2>err &
	outer=$!
	pids="$pids $outer"
	await grep -q ready out || skip "nothing can be run in namespaces here: $(cat err)"
	pid=$(cat "/proc/$outer/task/$outer/children")
	pid=$(cat "/proc/${pid% }/task/${pid% }/children")
	pid=${pid% }
	pids="$pids $pid"
}

# Numbers of descriptors, and what they are.
descriptors() { find "/proc/$pid/fd" -mindepth 1 -printf '%f %l\n' | sort; }

# The process has a descriptor of the directory. Sets $passed to its path, which leads where the descriptor does.
is_passed() {
	for passed in "/proc/$pid/fd/"*; do
		[ "$(stat -Lc %d:%i "$passed")" != "$(stat -c %d:%i there)" ] || return 0
	done
	return 1
}

for mode in threads storm; do
	inside mounts $mode
	descriptors >before
	rm -rf there
	mkdir there
	i=0
	while [ $i -lt "$cycles" ]; do
		i=$((i + 1))
		"$cpsample" -p "$pid" --duration 0.3 -o "there/%e.%p.cps" 2>cpsample.err || fail "$mode: $(cat cpsample.err)"
		[ -e "there/attached.$pid.cps" ] || fail "$mode: $(ls there)"
		[ "$(info "there/attached.$pid.cps" pid)" = "$pid" ] || fail "$mode: of $(info "there/attached.$pid.cps" pid)"
		[ ! -e "there/attached.$pid.cps.journal" ] || fail "$mode: its journal stays"
		rm -f "there/attached.$pid.cps"
	done
	env -u CPSAMPLE_KEEP XDG_CACHE_HOME="$PWD/cache" "$cpsample" -p "$pid" --dir there -o last.cps 2>cpsample.err &
	recorder=$!
	await is_passed || fail "$mode: it has no descriptor of the directory: $(cat cpsample.err)"
	[ ! -e "$passed/../out" ] || fail "$mode: the directory's descriptor leads out of it"
	library=$(sed -n 's/^\([^ ]*\) .*libcpsample.*/\1/p' "/proc/$pid/maps" | head -n 1)
	[ -e "/proc/$pid/map_files/$library" ] || fail "$mode: there is no file $library"
	! (: >>"/proc/$pid/map_files/$library") 2>/dev/null || fail "$mode: the library can be written to"
	sleep 2 # for samples
	kill -INT "$recorder"
	wait "$recorder" || fail "$mode: $(cat cpsample.err)"
	mostly_whole there/last.cps 99 || fail "$mode: whole stacks: $(info there/last.cps complete_percent)"
	[ "$(info there/last.cps ended)" = detached ] || fail "$mode: ended: $(info there/last.cps ended)"
	descriptors >after
	cmp -s before after || fail "$mode: descriptors: $(diff before after)"
	env -u CPSAMPLE_KEEP XDG_CACHE_HOME="$PWD/cache" "$CPCONV" --functions there/last.cps >functions 2>&1
	grep -qwE 'leaf|run_storm' functions || fail "$mode: no names: $(cat functions)"
	kill -TERM "$pid"
	wait "$outer" || fail "$mode: ended with $?"
	grep -qx 'interrupted 0 wrong 0' out || fail "$mode: $(cat out)"
done

# From outside the same program is seen as well.
inside mounts threads
if env -u CPSAMPLE_KEEP XDG_CACHE_HOME="$PWD/cache" "$cpsample" -p "$pid" --outside --duration 1 -o out.cps 2>cpsample.err; then
	env -u CPSAMPLE_KEEP XDG_CACHE_HOME="$PWD/cache" "$CPCONV" --functions out.cps >functions 2>&1
	grep -qw leaf functions || fail "outside: $(cat functions)"
else
	grep -q 'may not be watched\|no perf events' cpsample.err || fail "outside: $(cat cpsample.err)"
fi
kill -TERM "$pid"
wait "$outer" || fail "outside: ended with $?"

inside '' threads
if "$cpsample" -p "$pid" --duration 0.1 2>cpsample.err; then fail "without /proc: was attached to"; fi
grep -q "^cpsample: $pid: has a file system of its own (a container), without /proc; --outside " cpsample.err ||
	fail "without /proc: $(cat cpsample.err)"
[ "$(wc -l <cpsample.err)" -eq 1 ] || fail "not one line: $(cat cpsample.err)"
kill -TERM "$pid"
wait "$outer" || fail "without /proc: ended with $?"
