#!/bin/sh
# SPDX-License-Identifier: MIT
# Text views have the layouts in test/golden/text. Each file there begins with the command line
# that prints it, "$ cpconv ...", which is run in test/data/cases. GOLDEN=write writes the files
# anew, to be read before they are committed.
# May run beside others.
. "$(dirname "$0")/../lib.sh"
cases=$root/test/data/cases
count=0

for golden in "$root"/test/golden/text/*.txt; do
	[ -f "$golden" ] || fail "no golden files"
	command=$(head -n 1 "$golden")
	case $command in
	'$ cpconv '*) ;;
	*) fail "$golden does not begin with a command line" ;;
	esac
	echo "$command" >got
	# shellcheck disable=SC2086 # several words
	(cd "$cases" && "$CPCONV" ${command#'$ cpconv '}) >>got 2>&1
	status=$?
	[ $status -eq 0 ] || echo "exit status $status" >>got
	if [ "${GOLDEN:-}" = write ]; then
		cp got "$golden"
		continue
	fi
	same "$golden" got "$golden"
	count=$((count + 1))
done
note "$count layouts"
