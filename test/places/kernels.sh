# SPDX-License-Identifier: MIT
# Other kernels, of Debian and Ubuntu, which qemu runs without help of the processor.
# shellcheck shell=sh disable=SC2153,SC2154 # places sets the variables

# Each system begins from a file system in memory, which has busybox, the C library and what is tried, and ends
# by itself. Its standard output is the serial line.
kernels() {
	[ -z "$short" ] || return
	for command in qemu-system-x86_64 busybox cpio apt-get; do
		command -v $command >/dev/null && continue
		skip "other kernels" "no $command"
		return
	done
	mkdir -p "$store/kernels"
	memory_file
	ubuntu=http://archive.ubuntu.com/ubuntu debian=http://deb.debian.org/debian
	for release in "Ubuntu 18.04:bionic:$ubuntu" "Ubuntu 20.04:focal:$ubuntu" "Debian 11:bullseye:$debian" \
		"Ubuntu 22.04:jammy:$ubuntu" "Debian 12:bookworm:$debian" "Debian 13:trixie:$debian"; do
		rest=${release#*:}
		kernel "${release%%:*}" "${rest%%:*}" "${rest#*:}"
	done
}

# What is tried in the other kernel: each clock, and a kill, after which samples and losses are what was counted
write_init() {
	cat <<'EOF'
#!/bin/sh
mount -t proc proc /proc; mount -t sysfs sys /sys; mount -t devtmpfs dev /dev
echo 1 >/proc/sys/kernel/printk
cd /work
echo ">> kernel: $(uname -r)"
for clock in strata timer perf itimer; do
	LD_PRELOAD=/lib64/libcpsample.so CPSAMPLE_CLOCK=$clock CPSAMPLE_KERNEL_TICKS=on CPSAMPLE_OUTPUT=$clock.cps spin 500 >out 2>err
	echo ">> $clock: $? $(cat out err) $(cpconv --info --tsv $clock.cps | awk -F '\t' '
		$1 == "engine" { e = $2 } $1 == "engine_why" { w = $2 } $1 == "samples" { n = $2 }
		END { print e, (n > 0 ? "samples" : "none"), w }')"
done
LD_PRELOAD=/lib64/libcpsample.so CPSAMPLE_RESOURCES=signals CPSAMPLE_OUTPUT=k.cps survive counters 2 5000 kill
n=$(od -v -t u4 counters | awk '{ for (i = 2; i <= NF; i += 2) n += $i } END { print n }')
k=$(cpconv --info --tsv k.cps 2>/dev/null | awk '$1 == "samples" || $1 == "lost" { n += $2 } END { print n }')
[ "$k" -ge "$n" ] && [ "$k" -le $((n + 2)) ] && echo ">> killed: all" || echo ">> killed: $n counted, $k in the recording"
echo ">> end: yes"
poweroff -f
EOF
}

memory_file() {
	mkdir -p guest/bin guest/lib64 guest/proc guest/sys guest/dev guest/work
	cp "$(command -v busybox)" guest/bin/busybox
	for command in sh mount uname cat echo awk od poweroff; do
		ln -s busybox guest/bin/$command
	done
	cp "$CPCONV" "$targets/spin" "$targets/survive" guest/bin
	cp "$LIBRARY" guest/lib64
	ldd "$CPCONV" "$targets/spin" "$targets/survive" "$LIBRARY" | grep -o '/[^ :]*\.so[^ :]*' | sort -u |
		grep -v libcpsample | while read -r library; do
		cp -L "$library" guest/lib64
	done
	write_init | sed '2i export PATH=/bin LD_LIBRARY_PATH=/lib64' >guest/init
	chmod 755 guest/init
	(cd guest && find . | cpio -o -H newc 2>/dev/null | gzip -1) >memory
}

# fetch SUITE MIRROR: the kernel of the release as $store/kernels/SUITE
fetch() {
	[ ! -s "$store/kernels/$1" ] || return 0
	rm -rf "apt.$1" && mkdir -p "apt.$1/lists/partial" "apt.$1/archives/partial" "apt.$1/deb" && : >"apt.$1/status"
	echo "deb [trusted=yes] $2 $1 main" >"apt.$1/sources.list"
	set -- "$1" "-oDir::Etc::SourceList=$PWD/apt.$1/sources.list" -oDir::Etc::SourceParts=/dev/null \
		"-oDir::State::Lists=$PWD/apt.$1/lists" "-oDir::State::Status=$PWD/apt.$1/status" \
		"-oDir::Cache=$PWD/apt.$1" -oAPT::Sandbox::User= -oAcquire::Retries=2
	suite=$1
	shift
	apt-get -q "$@" update >log 2>&1
	package=$(apt-cache "$@" search '^linux-image-(unsigned-[0-9.-]+-generic|[0-9.+deb-]+-amd64-unsigned)$' |
		sed 's/ .*//' | sort -V | tail -n 1)
	[ -n "$package" ] && (cd "apt.$suite" && apt-get -q "$@" download "$package" >>../log 2>&1) || return
	dpkg -x "apt.$suite"/*.deb "apt.$suite/deb" && cp "apt.$suite"/deb/boot/vmlinuz-* "$store/kernels/$suite"
	status=$?
	rm -rf "apt.$suite"
	return $status
}

# kernel NAME SUITE MIRROR
kernel() {
	if ! fetch "$2" "$3"; then
		skip "$1's kernel" "cannot be fetched: $(tail -n 1 log)"
		return
	fi
	timeout 300 qemu-system-x86_64 -accel tcg -cpu max -m 512 -nographic -no-reboot -net none \
		-kernel "$store/kernels/$2" -initrd memory -append "console=ttyS0 quiet panic=-1" </dev/null 2>err |
		tr -d '\r' | sed -n 's/.*>> //p' >said
	name="Linux $(sed -n 's/^kernel: //p' said), $1"
	if ! grep -qx 'end: yes' said; then
		fail "$name" "did not come to its end: $(tr '\n' ' ' <said)"
	elif [ "$(grep -c -E '^(strata|timer|perf|itimer): 0 spun [a-z]+ samples( .*)?$|^killed: all$' said)" -ne 5 ]; then
		fail "$name" "$(tr '\n' ';' <said)"
	else
		pass "$name" "$(sed -n 's/: 0 spun \([a-z]*\) samples/: \1/p' said | sed 's/ *$//' | paste -s -d ,)"
	fi
}
