#!/bin/sh
# SPDX-License-Identifier: MIT
# Recordings are written where the settings say, and a place that cannot be written to does not
# harm the target.
# May run beside others.
. "$(dirname "$0")/../lib.sh"

# By default the recording is in the directory where the program started, although it goes
# elsewhere.
record "$targets/spin" 300 0 / >/dev/null || fail "spin ended with $?"
stream=$(one_stream) || fail "$stream"
case $stream in
./cpsample.spin.[0-9]*.cps) ;;
*) fail "default name: $stream" ;;
esac
rm "$stream"

# The name may be a relative or an absolute template.
mkdir there
record "CPSAMPLE_OUTPUT=there/%e-%p-%%.cps" "$targets/spin" 300 0 / >/dev/null
ls there/spin-[0-9]*-%.cps >/dev/null || fail "relative template: $(ls there)"
rm there/*
record "CPSAMPLE_OUTPUT=$tmp/there/fixed.cps" "$targets/spin" 300 0 / >/dev/null
[ -f there/fixed.cps ] || fail "absolute template: $(ls there)"

# A name that is taken is not overwritten.
cp there/fixed.cps first.copy
record "CPSAMPLE_OUTPUT=$tmp/there/fixed.cps" "$targets/spin" 300 >/dev/null
cmp -s there/fixed.cps first.copy || fail "an earlier recording was overwritten"
[ "$(find there -name '*.cps' | wc -l)" -eq 2 ] || fail "the second recording is lost: $(ls there)"

# There is no such directory, it must not be written to, or the name is that of a directory.
mkdir closed && chmod 555 closed
for template in missing/x.cps closed/x.cps there /proc/x.cps; do
	case $template in
	closed/*) [ "$(id -u)" -ne 0 ] || continue ;; # root may write anywhere
	esac
	record "CPSAMPLE_OUTPUT=$template" "$targets/spin" 300 5 >out 2>err
	status=$?
	[ $status -eq 5 ] || fail "$template: exit status $status"
	[ "$(cat out)" = spun ] || fail "$template: standard output is $(cat out)"
	[ ! -s err ] || fail "$template: speaks without being asked: $(cat err)"
done
rm -rf there

# With CPSAMPLE_VERBOSE one line on standard error says at the end what was recorded, or why nothing
# was.
record CPSAMPLE_VERBOSE=1 "$targets/spin" 300 >out 2>err
[ "$(cat out)" = spun ] || fail "verbose: standard output is $(cat out)"
[ "$(wc -l <err)" -eq 1 ] || fail "verbose: not one line: $(cat err)"
stream=$(one_stream) || fail "$stream"
grep -q "$(basename "$stream")" err || fail "verbose: does not name the recording: $(cat err)"
# It names the program and the process, of which a run may have hundreds. Seen to fail: without the name.
grep -q '^cpsample: spin\[[0-9]*\]: [0-9]* samples, .*[.]cps$' err || fail "verbose: does not name the program: $(cat err)"
record CPSAMPLE_VERBOSE=1 CPSAMPLE_OUTPUT=missing/x%e.cps "$targets/spin" 300 >out 2>err
[ "$(wc -l <err)" -eq 1 ] || fail "verbose, missing directory: not one line: $(cat err)"
grep -q 'missing/xspin.cps$' err || fail "verbose, missing directory: $(cat err)"

# A program that closes standard error at its end, as those of coreutils do, or opens another file in its place.
# Seen to fail: without reopen() in summary.c there is no line; without its comparison the line is in that file.
# shellcheck disable=SC2016 # the variables are those of Perl
record CPSAMPLE_VERBOSE=1 perl -e 'my $n = 0; $n += $_ for 1 .. 3000000; close STDERR; use POSIX; POSIX::close(2)' 2>err
grep -q '^cpsample: .*/cpsample.perl.*cps$' err || fail "verbose, standard error is closed: $(cat err)"
# shellcheck disable=SC2016
record CPSAMPLE_VERBOSE=1 perl -e 'my $n = 0; $n += $_ for 1 .. 3000000; rename "err", "before"; open my $f, ">", "err";
	close $f; use POSIX; POSIX::close(2)' 2>err
[ ! -s err ] || fail "the line is in another file: $(cat err)"
rm -f ./*.cps

# Descriptor 2 has become a file of the program's own, as in a daemon that closes its descriptors and opens its data; also
# if standard error was closed from the beginning.
# Seen to fail: without the look at is_error_file() in summary.c the line is in that file.
for before in '2>err' '2>&-'; do
	# shellcheck disable=SC2016
	eval "record CPSAMPLE_VERBOSE=1 perl -e 'use POSIX; my \$n = 0; \$n += \$_ for 1 .. 3000000; POSIX::close(\$_) for 0 .. 2;
		do { \$f = POSIX::open(\"data\", O_RDWR | O_CREAT | O_TRUNC) } while \$f < 2;
		POSIX::write(2, \"payload\", 7)'" "$before" || fail "verbose, a file at 2: ended with $?"
	[ "$(cat data)" = payload ] || fail "verbose, $before: the data are $(cat data)"
	one_stream >/dev/null
	rm -f ./*.cps data
done
