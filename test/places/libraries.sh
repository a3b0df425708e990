# SPDX-License-Identifier: MIT
# The C libraries of other releases of Debian and Ubuntu, which debootstrap makes.
# shellcheck shell=sh disable=SC2154 # places sets the variables

libraries() {
	[ -n "$short" ] || other_roots
}

# What runs in the other root: programs with and without the library of threads, children, signals.
# shellcheck disable=SC2016 # for the other shell
script='echo hi; ls / >/dev/null && echo listed; perl -e "my \$x = 0; for (1 .. 4000000) { \$x += \$_ } print \$x, qq(\n); exit 4"
echo $?; (sleep 0.1 & wait; echo waited); trap "echo usr1" USR1; kill -USR1 $$; echo a | cat; sort /etc/passwd | tail -n 1; exit 3'

# in_root NAME DIRECTORY
in_root() {
	mkdir -p "$2/cpsample"
	rm -f "$2"/cpsample/*
	cp "$LIBRARY" "$2/cpsample/"
	chroot "$2" /bin/sh -c "$script" >bare 2>bare.err
	expected=$?
	chroot "$2" /usr/bin/env LD_PRELOAD=/cpsample/libcpsample.so CPSAMPLE_OUTPUT=/cpsample/%e.%p /bin/sh -c "$script" >out 2>err
	status=$?
	libc=$(chroot "$2" ldd --version 2>/dev/null | sed -n '1s/.* //p')
	declined=$(grep -c '^libcpsample: needs' err)
	if [ $status -ne $expected ] || ! cmp -s bare out; then
		fail "$1, glibc $libc" "ended with $status: $(head -n 1 err)"
	elif grep -qv '^libcpsample: needs' err; then
		fail "$1, glibc $libc" "on standard error: $(grep -v '^libcpsample: needs' err | head -n 1)"
	else
		perl=$(find "$2/cpsample" -name 'perl.*' ! -name '*.journal')
		pass "$1, glibc $libc" "perl: $(result "${perl:-none}"); $declined programs say that they are not recorded"
	fi
	rm -rf "$2/cpsample"
}

other_roots() {
	roots=$store/roots
	mkdir -p "$roots"
	if ! command -v debootstrap >/dev/null; then
		skip "other C libraries" "no debootstrap"
		return
	fi
	debian=http://deb.debian.org/debian
	ubuntu=http://archive.ubuntu.com/ubuntu
	for release in "Debian 11:bullseye:$debian" "Debian 12:bookworm:$debian" "Debian 13:trixie:$debian" \
		"Ubuntu 20.04:focal:$ubuntu" "Ubuntu 22.04:jammy:$ubuntu" "Ubuntu 24.04:noble:$ubuntu"; do
		name=${release%%:*} rest=${release#*:}
		suite=${rest%%:*} mirror=${rest#*:}
		if [ ! -x "$roots/$suite/bin/sh" ]; then
			plan=/usr/share/debootstrap/scripts
			[ -e $plan/"$suite" ] && plan=$plan/$suite || plan=$plan/gutsy
			debootstrap --variant=minbase --no-check-gpg "$suite" "$roots/$suite" "$mirror" "$plan" >"$tmp/debootstrap.log" 2>&1 || {
				skip "$name" "debootstrap: $(tail -n 1 "$tmp/debootstrap.log")"
				continue
			}
		fi
		in_root "$name" "$roots/$suite"
	done
}
