# SPDX-License-Identifier: MIT
# Containers and limits: namespaces, no /proc, no /dev, filters of system calls, no rights, few resources.
# shellcheck shell=sh disable=SC2154 # places sets the variables

# In a chroot there is no root directory that a new namespace could have. So what needs one is no test there.
cannot_be_made() {
	if [ "$(stat -L -c %d:%i /)" = "$(stat -L -c %d:%i /proc/1/root)" ]; then
		skip "$1" "cannot be made here"
	else
		printf '  %-38s left out: cannot be made in a chroot\n' "$1"
	fi
}

# contained NAME COMMAND...: the command runs a program, here `spin`, in the place
contained() {
	name=$1
	shift
	if ! "$@" true >/dev/null 2>&1; then
		cannot_be_made "$name"
		return
	fi
	"$@" env LD_PRELOAD="$LIBRARY" CPSAMPLE_OUTPUT="$tmp/open/r" "$targets/spin" 200 >out 2>err
	compare "$name" open/r $?
	rm -f open/r open/r.journal
}

containers() {
	mkdir -p -m 777 open
	chmod 777 open
	contained "pid 1 of a namespace" unshare --pid --fork --mount-proc --kill-child
	contained "user namespace" unshare --user --map-root-user
	contained "no /proc" unshare --mount sh -c 'umount -l /proc && exec "$@"' sh
	contained "no /dev, no /tmp" unshare --mount sh -c \
		'mount -t tmpfs -o ro tmpfs /dev && [ ! -e /dev/null ] && exec "$@"' sh
	contained "read-only root" bwrap --ro-bind / / --bind "$tmp" "$tmp" --dev /dev --proc /proc --unshare-all
	contained "bubblewrap, no /proc" bwrap --ro-bind / / --bind "$tmp" "$tmp" --dev /dev --tmpfs /proc --unshare-all
	if $CC -O1 -o container_filter "$top/test/places/container_filter.c" 2>err; then
		contained "Docker's filter of system calls" "$tmp/container_filter"
		contained "Docker's filter, perf" "$tmp/container_filter" env CPSAMPLE_CLOCK=perf CPSAMPLE_KERNEL_TICKS=on
	else
		fail "Docker's filter" "$(head -n 1 err)"
	fi
	contained "no capabilities, nobody" setpriv --reuid 65534 --regid 65534 --clear-groups --bounding-set=-all
	contained "one descriptor besides the first three" prlimit --nofile=4
	contained "no pending signals" prlimit --sigpending=0
	contained "no more processes" setpriv --reuid 65534 --regid 65534 --clear-groups prlimit --nproc=1
	contained "no file of more than 512 bytes" prlimit --fsize=512
}
