# SPDX-License-Identifier: MIT
# File systems: as they are, full, becoming full, with a quota, read-only, with the journal truncated.
# shellcheck shell=sh disable=SC2154 # places sets the variables

file_systems() {
	small_tmpfs
	overlay
	loop_devices
	images
}

# A system that was made by debootstrap has no loop devices, though its kernel has.
loop_devices() {
	[ ! -e /dev/loop-control ] || return
	mknod /dev/loop-control c 10 237 2>/dev/null || return
	nodes=/dev/loop-control
	for n in 0 1 2 3 4 5 6 7; do
		[ -e /dev/loop$n ] || ! mknod /dev/loop$n b 7 $n 2>/dev/null || nodes="$nodes /dev/loop$n"
	done
}

# with_image TYPE: make the file system in a file and mount it at ./mnt
with_image() {
	truncate -s 400M image
	case $1 in
	ext4) mkfs.ext4 -q -F image ;;
	xfs) mkfs.xfs -q -f image ;;
	btrfs) mkfs.btrfs -q -f image ;;
	esac >/dev/null 2>&1 && mkdir -p mnt && mount -o loop image mnt 2>/dev/null && mounts="$tmp/mnt $mounts"
}

away() {
	umount mnt 2>/dev/null || umount -l mnt
	rm -f image
}

# fill DIRECTORY: write until there is no room, also for the smallest file
fill() {
	for bytes in 1M 64k 4k 1k; do
		dd if=/dev/zero of="$1/fill.$bytes" bs=$bytes 2>/dev/null
	done
	sync -f "$1"
}

until_it_records() {
	tries=0
	until [ -f "$1/r.journal" ] || [ $tries -ge 500 ]; do
		tries=$((tries + 1))
		sleep 0.01
	done
}

forget() {
	rm -f "$1"/fill.* "$1/r" "$1/r.journal"
}

in_directory() {
	env LD_PRELOAD="$LIBRARY" CPSAMPLE_OUTPUT="$2/r" "$targets/spin" "$3" >out 2>err
	compare "$1" "$2/r" $?
	forget "$2"
}

becomes_full() {
	timeout 60 env LD_PRELOAD="$LIBRARY" CPSAMPLE_OUTPUT="$2/r" CPSAMPLE_RESOURCES=cpu:100us CPSAMPLE_CLOCK=perf CPSAMPLE_KERNEL_TICKS=on \
		"$targets/spin" 1500 >out 2>err &
	program=$!
	until_it_records "$2"
	fill "$2"
	wait $program
	compare "$1" "$2/r" $?
	forget "$2"
}

# The program counts its signals, each of which is a sample: what was kept and what the recording says was lost
# are together as many. Seen to fail: where the journal is given up, and its losses with it, when btrfs is slow.
counts_when_full() {
	rm -f counters
	timeout 60 env LD_PRELOAD="$LIBRARY" CPSAMPLE_OUTPUT="$2/r" CPSAMPLE_RESOURCES=signals \
		"$targets/survive" counters 1 60000 return >out 2>err &
	program=$!
	until_it_records "$2"
	fill "$2"
	wait $program
	status=$?
	counted=$(od -An -v -tu8 -w8 counters | awk '{ n += $1 } END { print n }')
	sum=$("$CPCONV" --info --tsv "$2/r" 2>/dev/null | awk -F '\t' '$1 == "samples" || $1 == "lost" { n += $2 } END { print n }')
	if [ $status -ne 2 ] || [ -s out ]; then
		fail "$1" "the program ended with $status"
	elif [ "$counted" != "$sum" ]; then
		fail "$1" "$counted signals, $(result "$2/r")"
	else
		pass "$1" "$counted signals, $(result "$2/r")"
	fi
	forget "$2"
}

is_full() {
	fill "$2"
	in_directory "$1" "$2" 200
}

is_truncated() {
	env LD_PRELOAD="$LIBRARY" CPSAMPLE_OUTPUT="$2/r" "$targets/spin" 500 >out 2>err &
	program=$!
	until_it_records "$2"
	truncate -s 0 "$2/r.journal" 2>/dev/null
	wait $program
	compare "$1" "$2/r" $?
	forget "$2"
}

file_system() {
	in_directory "$1" "$2" 300
	is_full "$1, full" "$2"
	becomes_full "$1, becomes full" "$2"
	counts_when_full "$1, becomes full, counted" "$2"
	is_truncated "$1, journal truncated" "$2"
	if mount -o remount,ro mnt 2>/dev/null; then
		in_directory "$1, read-only" "$2" 200
		mount -o remount,rw mnt
	else
		fail "$1, read-only" "cannot be mounted again"
	fi
}

images() {
	for type in ext4 xfs btrfs; do
		if ! command -v mkfs.$type >/dev/null; then
			skip "$type" "no mkfs.$type"
			continue
		fi
		if ! with_image $type; then
			skip "$type" "no loop device, or not in this kernel"
			rm -f image
			continue
		fi
		file_system $type mnt
		[ $type != btrfs ] || btrfs_quota
		away
	done
}

# When the quota is used up btrfs takes no store to a page that was written out, and perhaps no losses either: what
# is not in the recording by then cannot always be counted there. It may have no end.
btrfs_quota() {
	if btrfs quota enable mnt 2>/dev/null && btrfs subvolume create mnt/s >/dev/null 2>&1 &&
		btrfs qgroup limit 8M mnt/s 2>/dev/null; then
		is_full "btrfs, quota used up" mnt/s
		becomes_full "btrfs, quota becomes used up" mnt/s
	else
		skip "btrfs, quota" "no quota"
	fi
}

small_tmpfs() {
	mkdir -p mnt
	if ! mount -t tmpfs -o size=8m tmpfs mnt 2>/dev/null; then
		skip "tmpfs" "no right to mount"
		return
	fi
	mounts="$tmp/mnt $mounts"
	file_system tmpfs mnt
	away
	tmpfs_quota
}

# Few kernels have it.
tmpfs_quota() {
	if ! mount -t tmpfs -o size=8m,mode=1777,usrquota,usrquota_block_hardlimit=2M tmpfs mnt 2>/dev/null; then
		[ -n "$short" ] || skip "tmpfs, user's quota" "not in this kernel"
		return
	fi
	# shellcheck disable=SC2016 # for the other shell
	setpriv --reuid 65534 --regid 65534 --clear-groups env LD_PRELOAD="$LIBRARY" CPSAMPLE_OUTPUT="$tmp/mnt/r" \
		sh -c 'dd if=/dev/zero of=mnt/fill bs=4k count=400 2>/dev/null; exec "$1" 300' sh "$targets/spin" >out 2>err
	compare "tmpfs, user's quota" mnt/r.1 $?
	away
}

overlay() {
	mkdir -p mnt lower layers
	mount -t tmpfs -o size=12m tmpfs layers 2>/dev/null && mounts="$tmp/layers $mounts"
	mkdir -p layers/upper layers/work
	if mount -t overlay overlay -o lowerdir=lower,upperdir=layers/upper,workdir=layers/work mnt 2>/dev/null; then
		mounts="$tmp/mnt $mounts"
		file_system overlayfs mnt
		away
	else
		skip overlayfs "cannot be mounted"
	fi
	umount layers 2>/dev/null
}
