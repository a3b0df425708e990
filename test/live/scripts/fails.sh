#!/bin/sh
# SPDX-License-Identifier: MIT
# A live test fails also if what fails in it is in a pipe, in parentheses or in $(), and says what has failed.
#
# Seen to fail: if `fail` leaves no file, and if at_end() does not show it, leaves it, or ends with the test's own status.
# May run beside others.
. "$(dirname "$0")/../lib.sh"
mkdir -p test/live/scripts directory

# ends STATUS TEXT COMMANDS: a test with these commands ends with that status, and its last line is the text
ends() {
	printf '%s\n' ". '$root/test/live/lib.sh'" "$3" >test/live/scripts/inner.sh
	env BUILD="$BUILD" TMPDIR="$PWD/directory" sh test/live/scripts/inner.sh >out 2>&1
	status=$?
	[ $status -eq "$1" ] || fail "$3: ended with $status: $(cat out)"
	[ "$(tail -n 1 out)" = "$2" ] || fail "$3: said: $(cat out)"
	[ -z "$(ls directory)" ] || fail "$3: left $(ls directory)"
}
ends 0 "" 'mkdir a; chmod 0 a'
ends 77 "no tool" 'skip "no tool"'
ends 1 "FAILED: this" 'fail "this"'
ends 1 "FAILED: this" '(fail "this") >/dev/null'
# shellcheck disable=SC2016 # the inner shell expands it
ends 1 "FAILED: this" 'x=$(fail "this"); true'
# shellcheck disable=SC2016 # likewise
ends 1 "FAILED: this" 'seq 3 | while read -r n; do [ $n -lt 2 ] || fail "this"; done >/dev/null; skip "no tool"'
ends 1 "< b" 'echo a >a; printf "b\na\n" | same /dev/stdin a all'
ends 1 "over" 'clean_up() { echo over; }; fail "this"'
exit 0
