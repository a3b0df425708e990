#!/bin/sh
# SPDX-License-Identifier: MIT
# What the suites in this folder share. A suite is an executable file NAME here, which reads this one, defines
# the functions below and ends with: main "$@". scripts/outside calls it as
#
#   NAME prepare    fetch and build what the tests need, in the current folder, which stays; OUTSIDE_JOBS
#                   says how many commands may run at a time. Prints what was prepared, with its version.
#   NAME list       print the names of the tests, a line each
#   NAME short      print those of the short form
#   NAME run TEST   run one test in the current folder, which is empty and removed afterwards. OUTSIDE_DIR is
#                   the folder that was prepared, and 100 ports from OUTSIDE_PORT belong to this run.
#
# run prints what a person wants to read if the test differs. A line for each part of the test goes to the file
# $OUTSIDE_RESULT: the part's name, a tab, its outcome. Together with the exit status they are the test's
# result, and must be the same in every run. No part may depend on time, process ids or addresses.
# What run leaves running is killed.
#
# Lines "# needs: NECESSITY PACKAGE THING..." at the suite's beginning belong to the table of scripts/deps,
# set outside-NAME.
set -u
# shellcheck disable=SC2034 # the suites use them
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck disable=SC2034
tab=$(printf '\t')

short() { :; }

main() {
	"$@"
}

die() {
	echo "${0##*/}: $*" >&2
	exit 1
}

# quietly COMMAND...: its output is shown only if it fails
quietly() {
	"$@" >log 2>&1 </dev/null && return
	tail -n 30 log >&2
	die "failed: $*"
}

# version_of PACKAGE: of the installed one
version_of() {
	# shellcheck disable=SC2016 # for dpkg-query
	dpkg-query -W -f='${Version}\n' "$1"
}

# as_nobody COMMAND...: where the tests run as root, what root must not run, with the right to use performance events,
# which root has, too
as_nobody() {
	if [ "$(id -u)" -eq 0 ]; then
		setpriv --reuid nobody --regid nogroup --clear-groups --inh-caps=-all,+perfmon --ambient-caps=-all,+perfmon "$@"
	else
		"$@"
	fi
}

# for_nobody FILE: nobody must be able to read what was prepared, of which this is a file
for_nobody() {
	chmod -R go+rX .
	as_nobody test -r "$PWD/$1" || die "nobody must be able to read $PWD; choose another work folder"
}

# ---- Debian's sources ----------------------------------------------------------------------------
# private COMMAND...: apt-get or apt-cache, with lists in a folder of our own, so that the machine's stay as they are
private() {
	command=$1
	shift
	"$command" -q -o Dir::Etc::SourceList=/dev/null -o Dir::Etc::SourceParts="$apt/from" \
		-o Dir::State::Lists="$apt/lists" -o Dir::Cache="$apt" -o APT::Sandbox::User= \
		-o Acquire::Retries=3 "$@"
}

# The machine's own package lists, as lists of sources. Those of other makers are left out.
source_lists() {
	codename=$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)
	cat /etc/apt/sources.list /etc/apt/sources.list.d/*.list 2>/dev/null |
		sed -n "s/^deb \(.* $codename\(-[a-z]*\)* .*\)/deb-src \1/p" >../apt/from/sources.list
	for list in /etc/apt/sources.list.d/*.sources; do
		[ ! -f "$list" ] || cat "$list"
		echo
	done | sed '/^#/d' | awk -v RS= -v suites="^Suites:(.* )?$codename( |-|\$)" '
		{
			n = split($0, line, "\n")
			for (i = 1; i <= n; i++)
				if (line[i] ~ suites) break
			if (i > n) next
			for (i = 1; i <= n; i++)
				if (line[i] != "") print line[i] ~ /^Types:/ ? "Types: deb-src" : line[i]
			print ""
		}' >../apt/from/debian.sources
}

# source_of SOURCE VERSION: unpack a package's source into the folder source. The lists are fetched once for all
# suites. If the mirror does not have that version, another one of the release will do.
source_of() {
	[ ! -d source ] || return 0
	apt=$(cd .. && pwd)/apt
	command -v apt-get >/dev/null || die "the sources come from Debian, and here is no apt-get"
	(
		flock 9
		[ -e ../apt/done ] && exit
		mkdir -p ../apt/from ../apt/lists/partial ../apt/archives/partial
		source_lists
		quietly private apt-get update -o APT::Update::Error-Mode=any
		touch ../apt/done
	) 9>../apt.lock || die "cannot fetch Debian's lists of sources"
	rm -rf unpacked && mkdir unpacked && cd unpacked || die "cannot write"
	for version in "$2" $(private apt-cache showsrc --only-source "$1" 2>/dev/null | sed -n 's/^Version: //p'); do
		private apt-get source "$1=$version" >../log 2>&1 </dev/null && break
		rm -rf ./*
	done
	cd ..
	for folder in unpacked/*/; do
		[ -d "$folder" ] && mv "$folder" source
	done
	[ -d source ] || {
		tail -n 20 log >&2
		die "cannot fetch the source of $1"
	}
	rm -rf unpacked
}

# ---- results -------------------------------------------------------------------------------------
# part NAME OUTCOME
part() {
	printf '%s\t%s\n' "$1" "$2" >>"$OUTSIDE_RESULT"
}

# tap FILE: the parts of a test that writes the Test Anything Protocol: numbers, since descriptions may hold anything
tap() {
	sed -n -E -e 's/^(not )?ok ([0-9]+).*# *(SKIP|skip|Skip).*/\2\tskip/p; t' \
		-e 's/^(not )?ok ([0-9]+).*# *(TODO|todo)([^a-z].*)?$/\2\t\1ok, todo/p; t' \
		-e 's/^(not )?ok ([0-9]+).*/\2\t\1ok/p; t' \
		-e 's/^1\.\.([0-9]+).*/plan\t\1/p' -e 's/^Bail out!.*/end\tbail out/p' "$1" >>"$OUTSIDE_RESULT"
}
